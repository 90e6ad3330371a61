//! Access check of a question against its table row: E1 to E6, A26, E11. Latency three cycles, one question a cycle.
//!
//! Stage 1 compares key, PD, state and rights and subtracts the low halves of the addresses, stage 2 the high halves,
//! stage 3 compares bounds: offset <= length of the region - length of the access, never a sum that could wrap (E6).
use super::super::layout::{AccessChecks, LookupQuestion, MrEntry};
use super::reach::Reach;
use crate::record;
use rust_hdl::prelude::*;

record! {
    /// What is left of a question once its row has been judged.
    Place, 93 {
        /// Bytes.
        length: Bits<32>,
        /// Page size as the power of two above 4 KiB.
        step: Bits<4>,
        /// First-byte offset of the region.
        fbo: Bits<30>,
        /// First page entry of the region.
        page_base: Bits<24>,
        /// The access wants a hold.
        hold: Bit,
        /// Length 0: granted whatever the key (E1).
        empty: Bit,
        /// The key is the local DMA lkey: the bus address is the virtual one (E11).
        direct: Bit,
    }
}

/// Inputs belong to one question; outputs follow three cycles later.
#[derive(LogicBlock, Default)]
pub struct Access {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The question.
    pub question: Signal<In, LookupQuestion>,
    /// The row of its index, cut to the table's width.
    pub entry: Signal<In, MrEntry>,
    /// The index is beyond the table.
    pub outside: Signal<In, Bit>,
    /// The row was written in the cycle of its read. Every write takes or gives all rights, so "no rights" is old or new; the
    /// row itself may be any.
    pub raced: Signal<In, Bit>,
    /// No hold can be granted: answered as ACC_STATE.
    pub full: Signal<In, Bit>,
    /// The place.
    pub place: Signal<Out, Place>,
    /// Byte of the page list at which the access begins.
    pub target: Signal<Out, Bits<41>>,
    /// Failures, as [`AccessChecks`].
    pub failures: Signal<Out, Bits<5>>,
    /// Nothing failed.
    pub granted: Signal<Out, Bit>,
    reach: Reach,
    half: DFF<Bits<33>>,
    va_high: DFF<Bits<32>>,
    iova_high: DFF<Bits<32>>,
    room: DFF<Bits<41>>,
    first: DFF<Place>,
    first_flags: DFF<AccessChecks>,
    first_raced: DFF<Bit>,
    only_state: Signal<Local, AccessChecks>,
    low: DFF<Bits<32>>,
    high: DFF<Bits<33>>,
    second_room: DFF<Bits<41>>,
    second: DFF<Place>,
    second_flags: DFF<AccessChecks>,
    third: DFF<Place>,
    third_flags: DFF<AccessChecks>,
    sum: DFF<Bits<41>>,
    missing: Signal<Local, Bits<8>>,
    step: Signal<Local, Bits<4>>,
    lkey: Signal<Local, Bit>,
    va: Signal<Local, Bits<32>>,
    iova: Signal<Local, Bits<32>>,
    carried: Signal<Local, Bits<33>>,
    offset: Signal<Local, Bits<41>>,
    upper: Signal<Local, Bits<25>>,
    bounds: Signal<Local, Bit>,
    judged: Signal<Local, AccessChecks>,
    passing: Signal<Local, Place>,
    word: Signal<Local, Bits<5>>,
}

impl Logic for Access {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, half, va_high, iova_high, room, first, first_flags, first_raced);
        dff_setup!(self, clock, low, high, second_room, second, second_flags, third, third_flags, sum);
        clock!(self, clock, reach);
        self.reach.va_low.next = self.question.val().va_low;
        self.reach.va_high.next = self.question.val().va_high;
        self.reach.length.next = self.question.val().length;

        self.lkey.next = (self.question.val().index == 0)
            & (self.question.val().key_byte == 0xFF)
            & !self.question.val().remote
            & self.question.val().privileged;
        self.missing.next = self.question.val().need & !self.entry.val().access;
        self.first_flags.d.next.key = self.outside.val()
            | (self.entry.val().state == 0)
            | (self.question.val().key_byte != self.entry.val().key_byte);
        self.first_flags.d.next.domain = self.question.val().pd != self.entry.val().pd;
        self.first_flags.d.next.state = self.entry.val().state != 2;
        self.first_raced.d.next = self.raced.val();
        self.first_flags.d.next.permission = self.missing.val().any();
        self.first_flags.d.next.bounds = false;
        // A row that was read while it was written may be any: the answer is "not VALID" and nothing else (I3).
        self.only_state.next = bits::<5>(0).into();
        self.only_state.next.state = true;
        self.va.next = self.question.val().va_low;
        self.iova.next = self.entry.val().iova_low;
        self.half.d.next = bit_cast::<33, 32>(self.va.val()) - bit_cast::<33, 32>(self.iova.val());
        self.va_high.d.next = self.question.val().va_high;
        self.iova_high.d.next = self.entry.val().iova_high;
        self.room.d.next = bit_cast::<41, 40>(self.entry.val().length) - bit_cast::<41, 32>(self.question.val().length);
        self.step.next = bit_cast::<4, 5>(self.entry.val().page_shift) + 4;
        self.first.d.next.length = self.question.val().length;
        self.first.d.next.step = self.step.val();
        self.first.d.next.fbo = self.entry.val().fbo;
        self.first.d.next.page_base = self.entry.val().page_base;
        self.first.d.next.hold = self.question.val().hold;
        self.first.d.next.empty = self.question.val().length == 0;
        self.first.d.next.direct = self.lkey.val();

        self.carried.next =
            bit_cast::<33, 32>(self.iova_high.q.val()) + bit_cast::<33, 1>(self.half.q.val().get_bits::<1>(32));
        self.high.d.next = bit_cast::<33, 32>(self.va_high.q.val()) - self.carried.val();
        self.low.d.next = self.half.q.val().get_bits::<32>(0);
        self.second_room.d.next = self.room.q.val();
        self.second.d.next = self.first.q.val();
        self.second_flags.d.next = self.first_flags.q.val();
        if self.first_raced.q.val() {
            self.second_flags.d.next = self.only_state.val();
        }

        self.offset.next = (bit_cast::<41, 33>(self.high.q.val()) << 32) | bit_cast::<41, 32>(self.low.q.val());
        self.upper.next = self.high.q.val().get_bits::<25>(8);
        self.bounds.next = self.upper.val().any()
            | self.second_room.q.val().get_bit(40)
            | (self.offset.val() > self.second_room.q.val());
        self.passing.next = self.second.q.val();
        self.judged.next = self.second_flags.q.val();
        self.judged.next.bounds = self.bounds.val();
        if self.passing.val().hold & self.full.val() {
            self.judged.next.state = true;
        }
        if self.passing.val().direct {
            self.judged.next = bits::<5>(0).into();
            self.judged.next.bounds = self.reach.beyond.val();
        }
        if self.passing.val().empty {
            self.judged.next = bits::<5>(0).into();
        }
        self.third.d.next = self.passing.val();
        self.third_flags.d.next = self.judged.val();
        self.sum.d.next = self.offset.val() + bit_cast::<41, 30>(self.passing.val().fbo);

        self.place.next = self.third.q.val();
        self.target.next = self.sum.q.val();
        self.word.next = self.third_flags.q.val().into();
        self.failures.next = self.word.val();
        self.granted.next = self.word.val() == 0;
    }
}
