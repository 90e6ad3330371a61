//! Retires what is done: the owner of the retired count (rule T8). One slot a completion, or two, in posting order.
//!
//! A CQE leaves for every error and for every signalled success (rule D10), never for the first block of a two-block WQE
//! nor for a slot that a reset throws away (rule D16). Only after the completion queue has taken the CQE does the slot count
//! as retired and does an error stop the queue pair (`failed`; a flush follows a stop and is none, rule D11); so who finds
//! nothing in flight and then fences the completion queue has seen the last CQE (rule T6). The count is written long before
//! the CQE can be seen in memory, so a doorbell that answers the CQE finds it.
//!
//! One cycle a completion without a CQE, three with one; latency two. While one outcome is judged, the rows of the next are
//! read; a row that is written in the cycle of its read is passed by (`bypassed`).
use super::{ClearOrder, Completion, Report};
use crate::types::{CqeRequest, QpControl, SqContext};
use crate::widgets::{ChannelSink, ChannelSource};
use rnic_abi::status;
use rust_hdl::prelude::*;

/// Steps of retiring.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum RetireState {
    /// Take the next outcome, and decide whether the one taken before reports.
    Judge,
    /// CQE and syndrome wait for their takers.
    AwaitTakers,
}

/// Retirement of send-queue slots.
#[derive(LogicBlock)]
pub struct Retire<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what is held.
    pub reset: Signal<In, Bit>,
    /// Outcomes in posting order of each queue pair.
    pub outcome: ChannelSink<Completion>,
    /// Orders of `qp`; here `clear` counts.
    pub control: Signal<In, QpControl>,
    /// Row of the tables to read.
    pub index: Signal<Out, Bits<QA>>,
    /// Context, one cycle later.
    pub context_row: Signal<In, SqContext>,
    /// Slots retired.
    pub retired: Signal<In, Bits<16>>,
    /// Writes the retired count.
    pub write: Signal<Out, Bit>,
    /// Row to write.
    pub write_index: Signal<Out, Bits<QA>>,
    /// Count to write.
    pub retired_next: Signal<Out, Bits<16>>,
    /// Completions.
    pub cqe: ChannelSource<CqeRequest>,
    /// Syndromes of errors, for the counters.
    pub syndrome: ChannelSource<Bits<8>>,
    /// A queue pair must enter ERR.
    pub failed: Signal<Out, Bit>,
    /// That queue pair.
    pub failed_index: Signal<Out, Bits<8>>,
    clear: ClearOrder<QA>,
    report: Report,
    state: DFF<RetireState>,
    /// The outcome that is judged.
    held: DFF<Completion>,
    holds: DFF<Bit>,
    qp: DFF<Bits<8>>,
    count: DFF<Bits<16>>,
    /// The count just written to the row that was read in the same cycle.
    bypass: DFF<Bits<16>>,
    bypassed: DFF<Bit>,
    incoming: Signal<Local, Completion>,
    incoming_qp: Signal<Local, Bits<8>>,
    fresh: Signal<Local, Completion>,
    fresh_qp: Signal<Local, Bits<8>>,
    present: Signal<Local, Bits<16>>,
    row: Signal<Local, Bits<QA>>,
    written: Signal<Local, Bits<QA>>,
    value: Signal<Local, Bits<16>>,
    takes: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    known: Signal<Local, SqContext>,
    silent: Signal<Local, Bit>,
    judges: Signal<Local, Bit>,
    advanced: Signal<Local, Bits<16>>,
    retires: Signal<Local, Bit>,
    flushed: Constant<Bits<8>>,
}

impl<const QA: usize> Default for Retire<QA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            outcome: Default::default(),
            control: Default::default(),
            index: Default::default(),
            context_row: Default::default(),
            retired: Default::default(),
            write: Default::default(),
            write_index: Default::default(),
            retired_next: Default::default(),
            cqe: Default::default(),
            syndrome: Default::default(),
            failed: Default::default(),
            failed_index: Default::default(),
            clear: Default::default(),
            report: Default::default(),
            state: Default::default(),
            held: Default::default(),
            holds: Default::default(),
            qp: Default::default(),
            count: Default::default(),
            bypass: Default::default(),
            bypassed: Default::default(),
            incoming: Default::default(),
            incoming_qp: Default::default(),
            fresh: Default::default(),
            fresh_qp: Default::default(),
            present: Default::default(),
            row: Default::default(),
            written: Default::default(),
            value: Default::default(),
            takes: Default::default(),
            writes: Default::default(),
            known: Default::default(),
            silent: Default::default(),
            judges: Default::default(),
            advanced: Default::default(),
            retires: Default::default(),
            flushed: Constant::new(status::WR_FLUSH.to_bits()),
        }
    }
}

impl<const QA: usize> Logic for Retire<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, held, holds, qp, count, bypass, bypassed);
        clock!(self, clock, clear, report);
        self.report.reset.next = self.reset.val();
        ChannelSource::<CqeRequest>::link(&mut self.cqe, &mut self.report.cqe);
        ChannelSource::<Bits<8>>::link(&mut self.syndrome, &mut self.report.syndrome);
        self.incoming.next = self.outcome.data.val();
        self.incoming_qp.next = self.incoming.val().qp;
        self.row.next = bit_cast::<QA, 8>(self.incoming_qp.val());
        self.index.next = self.row.val();
        self.fresh.next = self.held.q.val();
        self.fresh_qp.next = self.fresh.val().qp;
        self.known.next = self.context_row.val();
        self.silent.next = self.fresh.val().silent
            | self.fresh.val().discard
            | ((self.fresh.val().status == 0) & !self.fresh.val().signalled);
        self.judges.next = (self.state.q.val() == RetireState::Judge) & self.holds.q.val();
        self.takes.next = (self.state.q.val() == RetireState::Judge) & (!self.holds.q.val() | self.silent.val());
        self.outcome.ready.next = self.takes.val();
        self.present.next = self.retired.val();
        if self.bypassed.q.val() {
            self.present.next = self.bypass.q.val();
        }
        self.advanced.next = self.present.val() + 1;
        if self.fresh.val().double {
            self.advanced.next = self.present.val() + 2;
        }
        match self.state.q.val() {
            RetireState::Judge => {
                if self.takes.val() {
                    self.held.d.next = self.incoming.val();
                    self.holds.d.next = self.outcome.valid.val();
                }
                if self.judges.val() & !self.silent.val() {
                    self.qp.d.next = self.fresh.val().qp;
                    self.count.d.next = self.advanced.val();
                    self.holds.d.next = false;
                    self.state.d.next = RetireState::AwaitTakers;
                }
            }
            RetireState::AwaitTakers => {
                if self.report.done.val() {
                    self.state.d.next = RetireState::Judge;
                }
            }
        }
        self.report.load.next = self.judges.val() & !self.silent.val();
        self.report.request.next.cqn = self.known.val().cqn;
        self.report.request.next.qpn = self.known.val().qpn;
        self.report.request.next.opcode = self.fresh.val().opcode;
        self.report.request.next.status = self.fresh.val().status;
        self.report.request.next.syndrome = self.fresh.val().syndrome;
        self.report.request.next.slot = self.fresh.val().slot;
        self.report.request.next.byte_len = self.fresh.val().byte_len;
        self.report.request.next.imm = 0.into();
        self.report.request.next.flags = 0.into();
        self.failed.next =
            self.report.done.val() & self.report.status.val().any() & (self.report.status.val() != self.flushed.val());
        self.failed_index.next = self.qp.q.val();

        self.clear.reset.next = self.reset.val();
        self.clear.control.next = self.control.val();
        self.retires.next = self.report.done.val() | (self.judges.val() & self.silent.val());
        self.clear.busy.next = self.retires.val();
        self.writes.next = self.retires.val() | self.clear.clears.val();
        self.written.next = bit_cast::<QA, 8>(self.qp.q.val());
        self.value.next = self.count.q.val();
        if self.judges.val() {
            self.written.next = bit_cast::<QA, 8>(self.fresh_qp.val());
            self.value.next = self.advanced.val();
        }
        if self.clear.clears.val() {
            self.written.next = self.clear.index.val();
            self.value.next = 0.into();
        }
        self.write.next = self.writes.val();
        self.write_index.next = self.written.val();
        self.retired_next.next = self.value.val();
        self.bypass.d.next = self.value.val();
        self.bypassed.d.next = self.writes.val() & (self.written.val() == self.row.val());
        if self.reset.val() {
            self.state.d.next = RetireState::Judge;
            self.holds.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What one run of the block did.
    #[derive(Default)]
    struct Seen {
        cqes: Vec<CqeRequest>,
        syndromes: Vec<u64>,
        failed: Vec<u64>,
        /// Queue pair and count of each write, with the CQEs taken until then.
        writes: Vec<(u64, u64, usize)>,
        cycles: usize,
    }

    fn outcome(slot: u64, status: u8, syndrome: u8) -> Completion {
        Completion {
            qp: 2.into(),
            slot: slot.into(),
            opcode: 0x20.into(),
            status: status.to_bits(),
            syndrome: syndrome.to_bits(),
            ..Default::default()
        }
    }

    /// Feeds outcomes; `ready(cycle)` gives the readiness of completion queue and counters.
    fn run(outcomes: &[Completion], ready: impl Fn(usize) -> (bool, bool)) -> Seen {
        let mut uut = Retire::<3>::default();
        uut.connect_all();
        let mut seen = Seen::default();
        let (mut given, mut retired, mut answer) = (0, [100u64; 8], 100);
        uut.context_row.next = SqContext { qpn: 0xABC.into(), cqn: 0x12.into(), ..Default::default() };
        while seen.writes.len() < outcomes.len() {
            assert!(seen.cycles < 1000, "stuck at {given}");
            uut.outcome.valid.next = given < outcomes.len();
            uut.outcome.data.next = *outcomes.get(given).unwrap_or(&Default::default());
            let (cqe, syndrome) = ready(seen.cycles);
            uut.cqe.ready.next = cqe;
            uut.syndrome.ready.next = syndrome;
            uut.retired.next = answer.into();
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            given += (uut.outcome.valid.val() && uut.outcome.ready.val()) as usize;
            if uut.cqe.valid.val() && cqe {
                seen.cqes.push(uut.cqe.data.val());
            }
            if uut.syndrome.valid.val() && syndrome {
                seen.syndromes.push(uut.syndrome.data.val().to_u64());
            }
            if uut.failed.val() {
                seen.failed.push(uut.failed_index.val().to_u64());
            }
            // A table answers with what it held before the write.
            answer = retired[uut.index.val().index()];
            if uut.write.val() {
                let (qp, count) = (uut.write_index.val().to_u64(), uut.retired_next.val().to_u64());
                retired[qp as usize] = count;
                seen.writes.push((qp, count, seen.cqes.len()));
            }
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
            seen.cycles += 1;
        }
        seen
    }

    #[test]
    fn d10_success_reports_only_when_signalled_and_errors_always() {
        let signalled = Completion { signalled: true, ..outcome(1, 0, 0) };
        let seen = run(&[outcome(0, 0, 0), signalled, outcome(2, 6, 0x0B), outcome(3, 5, 0)], |_| (true, true));
        let reported: Vec<_> = seen.cqes.iter().map(|cqe| (cqe.slot.to_u64(), cqe.status.to_u64())).collect();
        assert_eq!(reported, [(1, 0), (2, 6), (3, 5)]);
        assert_eq!(seen.cqes[1].syndrome.to_u64(), 0x0B);
        assert!(seen.cqes.iter().all(|cqe| (cqe.qpn.to_u64(), cqe.cqn.to_u64()) == (0xABC, 0x12)));
        assert!(seen.cqes.iter().all(|cqe| cqe.opcode.to_u64() == 0x20 && cqe.byte_len.to_u64() == 0));
        assert_eq!(seen.syndromes, [0x0B]);
        assert_eq!(seen.writes.iter().map(|write| write.1).collect::<Vec<_>>(), [101, 102, 103, 104]);
    }

    #[test]
    fn d11_an_error_stops_the_queue_pair_and_a_flush_does_not() {
        let seen = run(&[outcome(0, 5, 0), outcome(1, 2, 1), outcome(2, 5, 0)], |_| (true, true));
        assert_eq!(seen.failed, [2]);
    }

    #[test]
    fn d16_t73_silent_and_discarded_slots_only_retire() {
        let silent = Completion { silent: true, signalled: true, ..outcome(0, 0, 0) };
        let discarded = Completion { discard: true, signalled: true, ..outcome(1, 2, 1) };
        let seen = run(&[silent, discarded], |_| (true, true));
        assert!(seen.cqes.is_empty() && seen.syndromes.is_empty() && seen.failed.is_empty());
        assert_eq!(seen.writes.len(), 2);
    }

    #[test]
    fn t6_a_slot_is_retired_when_its_cqe_is_taken_and_nothing_is_lost_on_the_way() {
        let outcomes: Vec<_> = (0..20).map(|slot| outcome(slot, 2, 1 + slot as u8)).collect();
        for (cqe_pace, syndrome_pace) in [(1, 1), (3, 1), (1, 3), (5, 7), (7, 5)] {
            let seen =
                run(&outcomes, |cycle| (cycle % cqe_pace == cqe_pace - 1, cycle % syndrome_pace == syndrome_pace - 1));
            assert_eq!(seen.cqes.iter().map(|cqe| cqe.slot.to_u64()).collect::<Vec<_>>(), Vec::from_iter(0..20));
            assert_eq!(seen.syndromes, Vec::from_iter(1..21));
            assert_eq!(seen.failed.len(), 20);
            for (number, (qp, count, cqes)) in seen.writes.iter().enumerate() {
                assert_eq!((*qp, *count), (2, 101 + number as u64));
                assert_eq!(*cqes, number + 1, "retired before its CQE was taken");
            }
        }
    }

    #[test]
    fn t70_a_wqe_of_two_blocks_retires_both_and_reads_tell_their_length() {
        let read = Completion { double: true, byte_len: 77.into(), signalled: true, ..outcome(0, 0, 0) };
        let seen = run(&[read, Completion { signalled: false, ..read }, outcome(4, 0, 0)], |_| (true, true));
        assert_eq!(seen.writes.iter().map(|write| write.1).collect::<Vec<_>>(), [102, 104, 105]);
        assert_eq!(seen.cqes.iter().map(|cqe| cqe.byte_len.to_u64()).collect::<Vec<_>>(), [77]);
    }

    #[test]
    fn t69_one_cycle_a_quiet_outcome_and_three_a_cqe() {
        let quiet = vec![outcome(0, 0, 0); 20];
        let seen = run(&quiet, |_| (true, true));
        assert!(seen.cycles <= 20 + 2);
        let counts: Vec<_> = seen.writes.iter().map(|write| write.1).collect();
        assert_eq!(counts, Vec::from_iter(101..121), "a count read in the cycle of its write is passed by");
        let signalled = vec![Completion { signalled: true, ..outcome(0, 0, 0) }; 20];
        assert!(run(&signalled, |_| (true, true)).cycles <= 3 * 20 + 2);
    }
}
