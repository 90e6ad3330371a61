//! Tells which frames have gone to the wire (T61): a frame builder says when a frame is complete in its buffer, which may be long
//! before its last beat leaves.
//!
//! For rule T6 it also tells when all frames that were complete at a mark have left: after that none of a queue pair without
//! new descriptors is on the chip.
//!
//! Frames leave in the order in which they were completed. Up to 2^F - 2 frames may be between the two; a frame leaves two
//! cycles or more after it was completed, and is told two cycles after that.
use crate::widgets::{ChannelSource, SlackFifo};
use rust_hdl::prelude::*;

/// Ledger of 2^F frames.
#[derive(LogicBlock, Default)]
pub struct WireLedger<const F: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all frames.
    pub reset: Signal<In, Bit>,
    /// A frame is complete in the buffer, or has failed.
    pub done: Signal<In, Bit>,
    /// It has failed: it will not leave.
    pub done_failed: Signal<In, Bit>,
    /// Its tag.
    pub done_tag: Signal<In, Bits<32>>,
    /// The last beat of a frame leaves.
    pub left: Signal<In, Bit>,
    /// Note what is complete now; a new mark replaces the old one.
    pub mark: Signal<In, Bit>,
    /// All of that has left.
    pub passed: Signal<Out, Bit>,
    /// Tags of frames that have left.
    pub sent: ChannelSource<Bits<32>>,
    tags: SlackFifo<Bits<32>, F, 2>,
    waiting: DFF<Bits<F>>,
    completed: DFF<Bits<16>>,
    gone: DFF<Bits<16>>,
    goal: DFF<Bits<16>>,
    waits: DFF<Bit>,
    missing: Signal<Local, Bits<16>>,
    some: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
}

impl<const F: usize> Logic for WireLedger<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waiting, completed, gone, goal, waits);
        clock!(self, clock, tags);
        self.tags.reset.next = self.reset.val();
        self.tags.write.next = self.done.val() & !self.done_failed.val();
        self.tags.data.next = self.done_tag.val();
        self.some.next = self.waiting.q.val().any() & self.tags.source.valid.val();
        self.sent.data.next = self.tags.source.data.val();
        self.sent.valid.next = self.some.val();
        self.takes.next = self.some.val() & self.sent.ready.val();
        self.tags.source.ready.next = self.takes.val();
        if self.left.val() & !self.takes.val() {
            self.waiting.d.next = self.waiting.q.val() + 1;
        }
        if self.takes.val() & !self.left.val() {
            self.waiting.d.next = self.waiting.q.val() - 1;
        }
        if self.done.val() & !self.done_failed.val() {
            self.completed.d.next = self.completed.q.val() + 1;
        }
        if self.left.val() {
            self.gone.d.next = self.gone.q.val() + 1;
        }
        self.missing.next = self.goal.q.val() - self.gone.q.val();
        if (self.missing.val() == 0) | self.missing.val().get_bit(15) {
            self.waits.d.next = false;
        }
        if self.mark.val() {
            self.goal.d.next = self.completed.q.val();
            self.waits.d.next = true;
        }
        self.passed.next = !self.waits.q.val() & !self.mark.val();
        if self.reset.val() {
            self.waiting.d.next = 0.into();
            self.completed.d.next = 0.into();
            self.gone.d.next = 0.into();
            self.waits.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    #[test]
    fn t61_only_frames_that_have_left_are_told_in_order() {
        let mut uut = WireLedger::<4>::default();
        uut.connect_all();
        uut.sent.ready.next = true;
        let mut told = vec![];
        // Frames 1 to 5 are completed, 3 fails; each of the others leaves later.
        for cycle in 0..60u64 {
            let completed = cycle < 5;
            uut.done.next = completed;
            uut.done_tag.next = (cycle + 1).into();
            uut.done_failed.next = cycle == 2;
            uut.left.next = [12, 20, 21, 40].contains(&cycle);
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            if uut.sent.valid.val() {
                told.push((cycle, uut.sent.data.val().to_u64()));
            }
            tick(&mut uut, |u| &mut u.clock);
        }
        assert_eq!(told, [(13, 1), (21, 2), (22, 4), (41, 5)]);
    }

    #[test]
    fn t6_a_mark_passes_when_what_was_complete_has_left_and_not_sooner() {
        let mut uut = WireLedger::<4>::default();
        uut.connect_all();
        uut.sent.ready.next = true;
        let mut passed = vec![];
        // Frames are completed in cycles 0 to 5 and leave in 10, 20, ...; the mark of cycle 3 covers three of them.
        for cycle in 0..64u64 {
            uut.done.next = cycle < 6;
            uut.done_failed.next = false;
            uut.left.next = cycle % 10 == 0 && cycle > 0;
            uut.mark.next = cycle == 3;
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            passed.push(uut.passed.val());
            tick(&mut uut, |u| &mut u.clock);
        }
        let waiting: Vec<_> = (0..64).filter(|cycle| !passed[*cycle]).collect();
        assert_eq!((waiting[0], waiting.len()), (3, 29), "{waiting:?}");
    }
}
