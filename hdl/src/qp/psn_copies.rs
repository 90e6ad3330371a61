//! Copies of the PSNs of every queue pair for QUERY_QP: what its requester has given and what is acknowledged, what its
//! responder expects and has counted. The records themselves belong to others (rule T8).
//!
//! A start or an end of a life is entered here at once, because the engines hear of it through queues; it waits until the
//! table is not written by them. Latency of the answer one cycle.
use crate::rx::AckState;
use crate::widgets::Memory;
use rust_hdl::prelude::*;

record! {
    /// What QUERY_QP tells of a queue pair's progress.
    LivePsns, 96 {
        /// Next PSN that the requester gives.
        hpsn: Bits<24>,
        /// Oldest PSN that is not acknowledged.
        una: Bits<24>,
        /// PSN that the responder expects.
        epsn: Bits<24>,
        /// Requests that it has served.
        msn: Bits<24>,
    }
}

record! {
    /// What the responder tells.
    ServedPsns, 48 {
        /// PSN that it expects.
        epsn: Bits<24>,
        /// Requests that it has served.
        msn: Bits<24>,
    }
}

/// Copies of 2^QA queue pairs.
#[derive(LogicBlock, Default)]
pub struct PsnCopies<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clear row `clear_index`.
    pub clearing: Signal<In, Bit>,
    /// Row to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// The requester of `start_index` begins at `start_psn`, or at 0 after a reset.
    pub start: Signal<In, Bit>,
    /// Queue pair.
    pub start_index: Signal<In, Bits<8>>,
    /// Its first PSN.
    pub start_psn: Signal<In, Bits<24>>,
    /// The send queue has given PSNs; not in two cycles in a row.
    pub hpsn_write: Signal<In, Bit>,
    /// Its queue pair.
    pub hpsn_index: Signal<In, Bits<8>>,
    /// The next one.
    pub hpsn: Signal<In, Bits<24>>,
    /// The engine of acknowledgements writes a state; not in two cycles in a row.
    pub state_write: Signal<In, Bit>,
    /// Its queue pair.
    pub state_index: Signal<In, Bits<8>>,
    /// The state.
    pub state_row: Signal<In, AckState>,
    /// The responder has gone on.
    pub served_write: Signal<In, Bit>,
    /// Its queue pair.
    pub served_index: Signal<In, Bits<8>>,
    /// To there.
    pub served: Signal<In, ServedPsns>,
    /// Queue pair in question.
    pub index: Signal<In, Bits<8>>,
    /// Its PSNs.
    pub psns: Signal<Out, LivePsns>,
    given: Memory<Bits<24>, QA>,
    acknowledged: Memory<Bits<24>, QA>,
    progress: Memory<ServedPsns, QA>,
    first: DFF<Bits<24>>,
    first_of: DFF<Bits<8>>,
    owes_given: DFF<Bit>,
    owes_acknowledged: DFF<Bit>,
    row: Signal<Local, Bits<QA>>,
    cleared: Signal<Local, Bits<QA>>,
    first_row: Signal<Local, Bits<QA>>,
    told: Signal<Local, ServedPsns>,
    no_progress: Signal<Local, Bits<48>>,
}

impl<const QA: usize> Logic for PsnCopies<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, first_of, owes_given, owes_acknowledged);
        clock!(self, clock, given, acknowledged, progress);
        self.row.next = bit_cast::<QA, 8>(self.index.val());
        self.cleared.next = bit_cast::<QA, 16>(self.clear_index.val());
        self.first_row.next = bit_cast::<QA, 8>(self.first_of.q.val());
        self.no_progress.next = 0.into();

        self.given.write.next = self.hpsn_write.val() | self.owes_given.q.val() | self.clearing.val();
        self.given.write_address.next = self.first_row.val();
        self.given.data.next = self.first.q.val();
        if self.clearing.val() {
            self.given.write_address.next = self.cleared.val();
            self.given.data.next = 0.into();
        } else if self.hpsn_write.val() {
            self.given.write_address.next = bit_cast::<QA, 8>(self.hpsn_index.val());
            self.given.data.next = self.hpsn.val();
        } else {
            self.owes_given.d.next = false;
        }
        self.acknowledged.write.next = self.state_write.val() | self.owes_acknowledged.q.val() | self.clearing.val();
        self.acknowledged.write_address.next = self.first_row.val();
        self.acknowledged.data.next = self.first.q.val();
        if self.clearing.val() {
            self.acknowledged.write_address.next = self.cleared.val();
            self.acknowledged.data.next = 0.into();
        } else if self.state_write.val() {
            self.acknowledged.write_address.next = bit_cast::<QA, 8>(self.state_index.val());
            self.acknowledged.data.next = self.state_row.val().una;
        } else {
            self.owes_acknowledged.d.next = false;
        }
        self.progress.write.next = self.served_write.val() | self.clearing.val();
        self.progress.write_address.next = bit_cast::<QA, 8>(self.served_index.val());
        self.progress.data.next = self.served.val();
        if self.clearing.val() {
            self.progress.write_address.next = self.cleared.val();
            self.progress.data.next = self.no_progress.val().into();
        }
        if self.start.val() {
            self.first.d.next = self.start_psn.val();
            self.first_of.d.next = self.start_index.val();
            self.owes_given.d.next = true;
            self.owes_acknowledged.d.next = true;
        }

        self.given.read.next = true;
        self.given.read_address.next = self.row.val();
        self.acknowledged.read.next = true;
        self.acknowledged.read_address.next = self.row.val();
        self.progress.read.next = true;
        self.progress.read_address.next = self.row.val();
        self.told.next = self.progress.out.val();
        self.psns.next.hpsn = self.given.out.val();
        self.psns.next.una = self.acknowledged.out.val();
        self.psns.next.epsn = self.told.val().epsn;
        self.psns.next.msn = self.told.val().msn;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    type Uut = PsnCopies<2>;

    fn clock(uut: &mut Uut) {
        tick(uut, |u| &mut u.clock);
        uut.start.next = false;
        uut.hpsn_write.next = false;
        uut.state_write.next = false;
        uut.served_write.next = false;
        uut.clearing.next = false;
    }

    fn ask(uut: &mut Uut, qp: u64) -> [u64; 4] {
        uut.index.next = bits(qp);
        clock(uut);
        clock(uut);
        let psns = uut.psns.val();
        [psns.hpsn, psns.una, psns.epsn, psns.msn].map(|psn| psn.to_u64())
    }

    fn cleared() -> Uut {
        let mut uut = Uut::default();
        uut.connect_all();
        for row in 0..4u64 {
            uut.clearing.next = true;
            uut.clear_index.next = bits(row);
            clock(&mut uut);
        }
        uut
    }

    #[test]
    fn each_writer_moves_its_own_part() {
        let mut uut = cleared();
        assert_eq!(ask(&mut uut, 1), [0; 4]);
        uut.hpsn_write.next = true;
        uut.hpsn_index.next = bits(1);
        uut.hpsn.next = bits(0xFF_FFFF);
        uut.state_write.next = true;
        uut.state_index.next = bits(2);
        uut.state_row.next = AckState { una: bits(77), ..Default::default() };
        uut.served_write.next = true;
        uut.served_index.next = bits(1);
        uut.served.next = ServedPsns { epsn: bits(900), msn: bits(5) };
        clock(&mut uut);
        assert_eq!(ask(&mut uut, 1), [0xFF_FFFF, 0, 900, 5]);
        assert_eq!(ask(&mut uut, 2), [0, 77, 0, 0]);
    }

    #[test]
    fn t6_a_start_waits_for_the_writers_and_is_not_lost() {
        let mut uut = cleared();
        for (first, busy) in [(500, 0), (0, 1), (600, 2)] {
            uut.start.next = true;
            uut.start_index.next = bits(3);
            uut.start_psn.next = bits(first);
            clock(&mut uut);
            for _ in 0..busy {
                uut.hpsn_write.next = true;
                uut.hpsn_index.next = bits(1);
                uut.state_write.next = true;
                uut.state_index.next = bits(1);
                clock(&mut uut);
            }
            clock(&mut uut);
            assert_eq!(ask(&mut uut, 3)[..2], [first, first]);
        }
    }
}
