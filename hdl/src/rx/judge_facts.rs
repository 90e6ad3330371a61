//! Works out what the judge must know about a request: position by PSN, sequence, rights, room, lengths (steps 3 to 8 of the
//! table in section 3). Three cycles, each with one carry chain; a request need not be held still for less.
use super::records::{Facts, Kind, Progress, Request, Served};
use rust_hdl::prelude::*;

/// Facts about a request.
#[derive(LogicBlock)]
pub struct JudgeFacts {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The request.
    pub request: Signal<In, Request>,
    /// Its opcode.
    pub kind: Signal<In, Kind>,
    /// How far its queue pair has come.
    pub progress: Signal<In, Progress>,
    /// What of it is answered.
    pub served: Signal<In, Served>,
    /// Lengths of the SGEs of the next receive WQE.
    pub lengths: [Signal<In, Bits<32>>; 4],
    /// The facts, three cycles later.
    pub facts: Signal<Out, Facts>,
    // First cycle.
    distance: DFF<Bits<24>>,
    remaining: DFF<Bits<32>>,
    skip: DFF<Bits<32>>,
    bytes: DFF<Bits<32>>,
    rounded: DFF<Bits<33>>,
    low_sum: DFF<Bits<33>>,
    high_sum: DFF<Bits<33>>,
    fresh: DFF<Bits<6>>,
    again: DFF<Bits<6>>,
    whole: DFF<Bit>,
    over: DFF<Bit>,
    in_order: DFF<Bit>,
    allowed: DFF<Bit>,
    // Second cycle.
    packets: DFF<Bits<24>>,
    same: DFF<Bit>,
    less: DFF<Bit>,
    sum: DFF<Bits<34>>,
    older: DFF<Bit>,
    ahead: DFF<Bit>,
    full: DFF<Bit>,
    full_again: DFF<Bit>,
    legal: DFF<Bit>,
    // Third cycle.
    found: DFF<Facts>,
    asks: Signal<Local, Request>,
    what: Signal<Local, Kind>,
    known: Signal<Local, Progress>,
    done: Signal<Local, Served>,
    payload: Signal<Local, Bits<32>>,
    unit: Signal<Local, Bits<33>>,
    unit_less_one: Signal<Local, Bits<33>>,
    mtu: Signal<Local, Bits<32>>,
    shift: Signal<Local, Bits<4>>,
    length: Signal<Local, Bits<33>>,
    offset: Signal<Local, Bits<32>>,
    parts: [Signal<Local, Bits<33>>; 4],
    halves: [Signal<Local, Bits<34>>; 2],
    sender: Signal<Local, Bit>,
    writer: Signal<Local, Bit>,
    rights: Signal<Local, Bits<3>>,
    address: Signal<Local, Bits<64>>,
    lowest: Signal<Local, Bits<3>>,
    low: Signal<Local, Bits<31>>,
    high: Signal<Local, Bit>,
    quotient: Signal<Local, Bits<33>>,
    count: Signal<Local, Bits<24>>,
    limit: Signal<Local, Bits<6>>,
    wanted: Signal<Local, Bits<34>>,
    empty: Signal<Local, Bit>,
    padded: Signal<Local, Bit>,
    packet_fits: Signal<Local, Bit>,
    sum_fits: Signal<Local, Bit>,
    bytes_low: Signal<Local, Bits<31>>,
    bytes_high: Signal<Local, Bit>,
    one: Constant<Bits<33>>,
    seven: Constant<Bits<4>>,
    most_again: Constant<Bits<6>>,
}

impl Default for JudgeFacts {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            request: Default::default(),
            kind: Default::default(),
            progress: Default::default(),
            served: Default::default(),
            lengths: Default::default(),
            facts: Default::default(),
            distance: Default::default(),
            remaining: Default::default(),
            skip: Default::default(),
            bytes: Default::default(),
            rounded: Default::default(),
            low_sum: Default::default(),
            high_sum: Default::default(),
            fresh: Default::default(),
            again: Default::default(),
            whole: Default::default(),
            over: Default::default(),
            in_order: Default::default(),
            allowed: Default::default(),
            packets: Default::default(),
            same: Default::default(),
            less: Default::default(),
            sum: Default::default(),
            older: Default::default(),
            ahead: Default::default(),
            full: Default::default(),
            full_again: Default::default(),
            legal: Default::default(),
            found: Default::default(),
            asks: Default::default(),
            what: Default::default(),
            known: Default::default(),
            done: Default::default(),
            payload: Default::default(),
            unit: Default::default(),
            unit_less_one: Default::default(),
            mtu: Default::default(),
            shift: Default::default(),
            length: Default::default(),
            offset: Default::default(),
            parts: Default::default(),
            halves: Default::default(),
            sender: Default::default(),
            writer: Default::default(),
            rights: Default::default(),
            address: Default::default(),
            lowest: Default::default(),
            low: Default::default(),
            high: Default::default(),
            quotient: Default::default(),
            count: Default::default(),
            limit: Default::default(),
            wanted: Default::default(),
            empty: Default::default(),
            padded: Default::default(),
            packet_fits: Default::default(),
            sum_fits: Default::default(),
            bytes_low: Default::default(),
            bytes_high: Default::default(),
            one: Constant::new(1.into()),
            seven: Constant::new(7.into()),
            most_again: Constant::new(16.into()),
        }
    }
}

impl Logic for JudgeFacts {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, distance, remaining, skip, bytes, rounded, low_sum, high_sum);
        dff_setup!(self, clock, fresh, again, whole, over, in_order, allowed);
        dff_setup!(self, clock, packets, same, less, sum, older, ahead, full, full_again, legal, found);
        self.asks.next = self.request.val();
        self.what.next = self.kind.val();
        self.known.next = self.progress.val();
        self.done.next = self.served.val();

        // First cycle.
        self.payload.next = bit_cast::<32, 13>(self.asks.val().payload);
        self.shift.next = bit_cast::<4, 3>(self.asks.val().mtu) + self.seven.val();
        self.unit.next = self.one.val() << self.shift.val();
        self.unit_less_one.next = self.unit.val() - self.one.val();
        self.mtu.next = bit_cast::<32, 33>(self.unit.val());
        self.distance.d.next = self.asks.val().psn - self.known.val().epsn;
        self.remaining.d.next = self.known.val().left;
        self.offset.next = self.known.val().total;
        if self.what.val().starts {
            self.remaining.d.next = self.asks.val().length;
            self.offset.next = 0.into();
        }
        self.skip.d.next = self.offset.val();
        self.bytes.d.next = self.offset.val() + self.payload.val();
        self.length.next = bit_cast::<33, 32>(self.asks.val().length);
        self.rounded.d.next = self.length.val() + self.unit_less_one.val();
        self.parts[0].next = bit_cast::<33, 32>(self.lengths[0].val());
        self.parts[1].next = bit_cast::<33, 32>(self.lengths[1].val());
        self.parts[2].next = bit_cast::<33, 32>(self.lengths[2].val());
        self.parts[3].next = bit_cast::<33, 32>(self.lengths[3].val());
        self.low_sum.d.next = self.parts[0].val() + self.parts[1].val();
        self.high_sum.d.next = self.parts[2].val() + self.parts[3].val();
        self.fresh.d.next = self.known.val().fresh - self.done.val().fresh;
        self.again.d.next = self.known.val().again - self.done.val().again;
        self.whole.d.next = self.payload.val() == self.mtu.val();
        self.over.d.next = self.payload.val() > self.mtu.val();
        self.sender.next = self.what.val().send & (self.known.val().open == 1) & !self.what.val().starts;
        self.writer.next = self.what.val().write & (self.known.val().open == 2) & !self.what.val().starts;
        self.in_order.d.next =
            self.sender.val() | self.writer.val() | (self.what.val().starts & (self.known.val().open == 0));
        self.rights.next = self.asks.val().access;
        self.allowed.d.next = self.what.val().send
            | (self.what.val().write & self.rights.val().get_bit(0))
            | (self.what.val().read & self.rights.val().get_bit(1))
            | (self.what.val().atomic & self.rights.val().get_bit(2));

        // Second cycle.
        self.quotient.next = self.rounded.q.val() >> self.shift.val();
        self.count.next = bit_cast::<24, 33>(self.quotient.val());
        self.packets.d.next = 1.into();
        if self.what.val().read & self.count.val().any() {
            self.packets.d.next = self.count.val();
        }
        self.same.d.next = self.payload.val() == self.remaining.q.val();
        self.less.d.next = self.payload.val() < self.remaining.q.val();
        self.halves[0].next = bit_cast::<34, 33>(self.low_sum.q.val());
        self.halves[1].next = bit_cast::<34, 33>(self.high_sum.q.val());
        self.sum.d.next = self.halves[0].val() + self.halves[1].val();
        self.older.d.next = self.distance.q.val().get_bit(23);
        self.ahead.d.next = !self.distance.q.val().get_bit(23) & self.distance.q.val().any();
        self.limit.next = bit_cast::<6, 5>(self.asks.val().max_dest_rd);
        self.full.d.next = self.fresh.q.val() >= self.limit.val();
        self.full_again.d.next = self.again.q.val() >= self.most_again.val();
        self.low.next = self.length.val().get_bits::<31>(0);
        self.high.next = self.length.val().get_bit(31);
        self.legal.d.next = !(self.high.val() & self.low.val().any());

        // Third cycle.
        self.found.d.next.older = self.older.q.val();
        self.found.d.next.ahead = self.ahead.q.val();
        self.found.d.next.in_order = self.in_order.q.val();
        self.found.d.next.allowed = self.allowed.q.val();
        self.found.d.next.needs =
            (self.what.val().send & self.what.val().starts) | (self.what.val().write & self.what.val().imm);
        self.found.d.next.full = self.full.q.val();
        self.found.d.next.full_again = self.full_again.q.val();
        self.empty.next = self.payload.val() == 0;
        self.padded.next = self.asks.val().pad.any();
        // First and Middle are whole; Last is not empty; Only may be; a WRITE ends with its last byte, not before (G1).
        self.packet_fits.next = self.whole.q.val() & !self.padded.val();
        self.sum_fits.next = self.less.q.val();
        if self.what.val().ends {
            self.packet_fits.next = !self.over.q.val() & (!self.empty.val() | self.what.val().starts);
            self.sum_fits.next = self.same.q.val();
        }
        self.found.d.next.fits = self.packet_fits.val();
        if self.what.val().write {
            self.found.d.next.fits =
                self.packet_fits.val() & self.sum_fits.val() & (self.legal.q.val() | !self.what.val().starts);
        }
        if self.what.val().read {
            self.found.d.next.fits = self.empty.val() & !self.padded.val() & self.legal.q.val();
        }
        if self.what.val().atomic {
            self.found.d.next.fits = self.empty.val() & !self.padded.val();
        }
        self.address.next = self.asks.val().va;
        self.lowest.next = self.address.val().get_bits::<3>(0);
        self.found.d.next.skewed = self.what.val().atomic & self.lowest.val().any();
        self.wanted.next = bit_cast::<34, 32>(self.bytes.q.val());
        self.bytes_low.next = self.bytes.q.val().get_bits::<31>(0);
        self.bytes_high.next = self.bytes.q.val().get_bit(31);
        self.found.d.next.too_long = self.what.val().send
            & ((self.wanted.val() > self.sum.q.val()) | (self.bytes_high.val() & self.bytes_low.val().any()));
        self.found.d.next.keyed = self.asks.val().length.any() | self.what.val().atomic;
        self.found.d.next.legal = self.legal.q.val();
        self.found.d.next.packets = self.packets.q.val();
        self.found.d.next.end = self.distance.q.val() + self.packets.q.val();
        self.found.d.next.bytes = self.bytes.q.val();
        self.found.d.next.skip = self.skip.q.val();
        self.facts.next = self.found.q.val();
    }
}
