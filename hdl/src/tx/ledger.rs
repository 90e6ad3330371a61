//! Tells which frames have gone to the wire (T61): a frame builder says when a frame is complete in its buffer, which may be long
//! before its last beat leaves.
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
    /// Tags of frames that have left.
    pub sent: ChannelSource<Bits<32>>,
    tags: SlackFifo<Bits<32>, F, 2>,
    waiting: DFF<Bits<F>>,
    some: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
}

impl<const F: usize> Logic for WireLedger<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waiting);
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
        if self.reset.val() {
            self.waiting.d.next = 0.into();
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
}
