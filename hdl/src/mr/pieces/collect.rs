//! Brings the answers of the lookup and the parts that were asked together: pieces of at most 4 KiB, in order (E9).
//!
//! The bus offset of a region cannot be told from the virtual address (zero-based regions start anywhere in their page, B15),
//! so whether a part is cut shows only in the answer. Then the rest is asked again, and later parts wait for about 20 cycles:
//! once in 64 frames of 64 B, and for larger frames within the time of their beats. Latency two cycles, a piece every second cycle.
use super::{BusPiece, Part};
use crate::mr::layout::LookupAnswer;
use crate::widgets::{ChannelSink, ChannelSource, Slot};
use rnic_abi::syndrome;
use rust_hdl::prelude::*;

/// Joins parts and answers.
#[derive(LogicBlock)]
pub struct Collect {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub reset: Signal<In, Bit>,
    /// Parts, in the order of asking.
    pub part: ChannelSink<Part>,
    /// Answers, one a part that is not empty.
    pub answer: ChannelSink<LookupAnswer>,
    /// The rest of a part that was cut, to be asked.
    pub again: ChannelSource<Part>,
    /// Its answer is there.
    pub replied: Signal<In, Bit>,
    /// The answer.
    pub reply: Signal<In, LookupAnswer>,
    /// Pieces.
    pub piece: ChannelSource<BusPiece>,
    shown: Slot<BusPiece>,
    part_now: DFF<Part>,
    got: DFF<LookupAnswer>,
    has: DFF<Bit>,
    known: DFF<Bit>,
    asking: DFF<Bit>,
    now: Signal<Local, Part>,
    result: Signal<Local, LookupAnswer>,
    coming: Signal<Local, Part>,
    length: Signal<Local, Bits<13>>,
    granted: Signal<Local, Bit>,
    cut: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    loads: Signal<Local, Bit>,
    found: Signal<Local, BusPiece>,
    bounds: Constant<Bits<8>>,
}

impl Default for Collect {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            part: Default::default(),
            answer: Default::default(),
            again: Default::default(),
            replied: Default::default(),
            reply: Default::default(),
            piece: Default::default(),
            shown: Default::default(),
            part_now: Default::default(),
            got: Default::default(),
            has: Default::default(),
            known: Default::default(),
            asking: Default::default(),
            now: Default::default(),
            result: Default::default(),
            coming: Default::default(),
            length: Default::default(),
            granted: Default::default(),
            cut: Default::default(),
            moves: Default::default(),
            free: Default::default(),
            loads: Default::default(),
            found: Default::default(),
            bounds: Constant::new(bits(syndrome::ACC_BOUNDS.into())),
        }
    }
}

impl Logic for Collect {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, part_now, got, has, known, asking);
        clock!(self, clock, shown);
        self.shown.reset.next = self.reset.val();
        self.now.next = self.part_now.q.val();
        self.result.next = self.got.q.val();
        self.length.next = bit_cast::<13, 32>(self.now.val().length);
        self.granted.next = !self.now.val().empty & (self.result.val().syndrome == 0);
        self.cut.next = self.granted.val() & !self.now.val().checks & (self.result.val().bytes < self.length.val());

        self.found.next.address = self.result.val().address;
        self.found.next.index = self.result.val().index;
        self.found.next.held = self.result.val().held & !self.now.val().empty;
        self.found.next.asked = !self.now.val().empty;
        self.found.next.generation = self.result.val().generation;
        self.found.next.last = self.now.val().last & !self.cut.val();
        self.found.next.bytes = 0.into();
        if self.granted.val() & !self.now.val().checks {
            self.found.next.bytes = self.length.val();
        }
        self.found.next.reserve = self.now.val().reserve;
        if self.cut.val() {
            self.found.next.bytes = self.result.val().bytes;
            self.found.next.reserve = 0.into();
        }
        self.found.next.syndrome = 0.into();
        if !self.now.val().empty {
            self.found.next.syndrome = self.result.val().syndrome;
        }
        if self.now.val().empty & self.now.val().short {
            self.found.next.syndrome = self.bounds.val();
        }
        self.shown.sink.data.next = self.found.val();
        self.shown.sink.valid.next = self.has.q.val() & self.known.q.val();
        self.moves.next = self.has.q.val() & self.known.q.val() & self.shown.sink.ready.val();

        self.again.data.next = self.now.val();
        self.again.valid.next = self.asking.q.val();
        if self.asking.q.val() & self.again.ready.val() {
            self.asking.d.next = false;
        }
        if self.moves.val() & self.cut.val() {
            self.part_now.d.next.va = self.now.val().va + bit_cast::<64, 13>(self.result.val().bytes);
            self.part_now.d.next.length = self.now.val().length - bit_cast::<32, 13>(self.result.val().bytes);
            self.known.d.next = false;
            self.asking.d.next = true;
        }
        if self.replied.val() {
            self.got.d.next = self.reply.val();
            self.known.d.next = true;
        }
        self.coming.next = self.part.data.val();
        self.free.next = !self.has.q.val() | (self.moves.val() & !self.cut.val());
        self.loads.next = self.free.val() & self.part.valid.val() & (self.coming.val().empty | self.answer.valid.val());
        self.part.ready.next = self.loads.val();
        self.answer.ready.next = self.loads.val() & !self.coming.val().empty;
        if self.free.val() {
            self.part_now.d.next = self.coming.val();
            self.got.d.next = self.answer.data.val();
            self.has.d.next = self.loads.val();
            self.known.d.next = true;
        }
        if self.reset.val() {
            self.has.d.next = false;
            self.known.d.next = false;
            self.asking.d.next = false;
        }
        ChannelSource::<BusPiece>::link(&mut self.piece, &mut self.shown.source);
    }
}
