//! Accesses in flight of every MR: one count of grants, one of read ends, one of write ends, each with one writer (T8).
//!
//! A count of 12 bits must not wrap (T98). The lookup has a fixed latency and cannot stall, so the stall is at the asker:
//! all holds of the device together are counted, and `crowded` tells it to ask for no more. Should it ask all the same,
//! `full` makes the lookup refuse, so that the count of no MR can pass 4,095.
use crate::widgets::PulseCounts;
use rust_hdl::prelude::*;

/// 2^MA regions.
#[derive(LogicBlock, Default)]
pub struct InFlight<const MA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Nothing is in flight.
    pub reset: Signal<In, Bit>,
    /// Counts are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Count to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// An access is granted,
    pub grant: Signal<In, Bit>,
    /// of this MR.
    pub grant_index: Signal<In, Bits<MA>>,
    /// A read has ended,
    pub read_end: Signal<In, Bit>,
    /// of this MR.
    pub read_end_index: Signal<In, Bits<24>>,
    /// A write has ended,
    pub write_end: Signal<In, Bit>,
    /// of this MR.
    pub write_end_index: Signal<In, Bits<24>>,
    /// MR whose counts are wanted.
    pub index: Signal<In, Bits<MA>>,
    /// Grants, one cycle later.
    pub granted: Signal<Out, Bits<12>>,
    /// Read ends.
    pub read_ended: Signal<Out, Bits<12>>,
    /// Write ends.
    pub write_ended: Signal<Out, Bits<12>>,
    /// Ask for no more holds; those under way still fit.
    pub crowded: Signal<Out, Bit>,
    /// No hold can be granted.
    pub full: Signal<Out, Bit>,
    grants: PulseCounts<MA>,
    reads: PulseCounts<MA>,
    writes: PulseCounts<MA>,
    total: DFF<Bits<13>>,
    ends: DFF<Bits<2>>,
    grows: DFF<Bit>,
    step: Signal<Local, Bits<13>>,
    both: Signal<Local, Bits<2>>,
}

impl<const MA: usize> Logic for InFlight<MA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, total, ends, grows);
        clock!(self, clock, grants, reads, writes);
        self.grants.reset.next = self.reset.val();
        self.reads.reset.next = self.reset.val();
        self.writes.reset.next = self.reset.val();
        self.grants.clearing.next = self.clearing.val();
        self.reads.clearing.next = self.clearing.val();
        self.writes.clearing.next = self.clearing.val();
        self.grants.clear_index.next = self.clear_index.val();
        self.reads.clear_index.next = self.clear_index.val();
        self.writes.clear_index.next = self.clear_index.val();
        self.grants.pulse.next = self.grant.val();
        self.grants.pulse_index.next = self.grant_index.val();
        self.reads.pulse.next = self.read_end.val();
        self.reads.pulse_index.next = bit_cast::<MA, 24>(self.read_end_index.val());
        self.writes.pulse.next = self.write_end.val();
        self.writes.pulse_index.next = bit_cast::<MA, 24>(self.write_end_index.val());
        self.grants.index.next = self.index.val();
        self.reads.index.next = self.index.val();
        self.writes.index.next = self.index.val();
        self.granted.next = self.grants.count.val();
        self.read_ended.next = self.reads.count.val();
        self.write_ended.next = self.writes.count.val();

        self.grows.d.next = self.grant.val();
        self.both.next = 0.into();
        if self.read_end.val() & self.write_end.val() {
            self.both.next = 2.into();
        } else if self.read_end.val() | self.write_end.val() {
            self.both.next = 1.into();
        }
        self.ends.d.next = self.both.val();
        self.step.next = self.total.q.val() - bit_cast::<13, 2>(self.ends.q.val());
        self.total.d.next = self.step.val();
        if self.grows.q.val() {
            self.total.d.next = self.step.val() + 1;
        }
        self.crowded.next = self.total.q.val() > 4031;
        self.full.next = self.total.q.val() > 4079;
        if self.reset.val() {
            self.total.d.next = 0.into();
            self.ends.d.next = 0.into();
            self.grows.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    #[test]
    fn t98_the_asker_is_stopped_long_before_a_count_could_wrap() {
        let mut uut = InFlight::<1>::default();
        uut.connect_all();
        uut.grant_index.next = 1u64.into();
        let mut crowded_at = None;
        let mut granted = 0;
        while granted < 4095 {
            uut.grant.next = !uut.full.val();
            granted += u64::from(!uut.full.val());
            tick(&mut uut, |u| &mut u.clock);
            if uut.crowded.val() && crowded_at.is_none() {
                crowded_at = Some(granted);
            }
            if uut.full.val() {
                break;
            }
        }
        assert!(uut.full.val() && granted < 4090, "full after {granted}");
        assert!(crowded_at.unwrap() + 40 < granted, "questions under way still fit");
        uut.grant.next = false;
        for _ in 0..60 {
            uut.read_end.next = true;
            uut.write_end.next = true;
            uut.read_end_index.next = 1u64.into();
            tick(&mut uut, |u| &mut u.clock);
        }
        assert!(!uut.full.val() && !uut.crowded.val(), "ends make room");
    }
}
