//! FIFO of whole frames between two clocks.
use super::{CrossingMemory, FifoReader, FifoWriter, MacWord};
use crate::widgets::ChannelSource;
use rust_hdl::prelude::*;

/// 2^A words between two clocks of any relation; P = A + 1. A frame comes out only when it is committed, so it is there whole
/// (MC2), and one that is taken back leaves no trace (MC4).
///
/// From commit to the first word five cycles of the reader and one or two of the writer; one word a cycle, while the writer's
/// clock is not slower than the rate at which words leave: the reader of a frame would overtake its publication.
#[derive(LogicBlock, Default)]
pub struct FrameFifo<const A: usize, const P: usize> {
    /// Clock of the writer.
    pub write_clock: Signal<In, Clock>,
    /// Takes back the frame being written.
    pub write_reset: Signal<In, Bit>,
    /// Takes `word`; not while `full`.
    pub write: Signal<In, Bit>,
    /// The word.
    pub word: Signal<In, MacWord>,
    /// The frame counts, its last word may come with it.
    pub commit: Signal<In, Bit>,
    /// The frame is taken back, the word that comes with it too.
    pub rollback: Signal<In, Bit>,
    /// No room for another word.
    pub full: Signal<Out, Bit>,
    /// Clock of the reader.
    pub read_clock: Signal<In, Clock>,
    /// Drops what is in the FIFO; a frame that has begun to come out is dropped to its end.
    pub read_reset: Signal<In, Bit>,
    /// Words out.
    pub source: ChannelSource<MacWord>,
    writer: FifoWriter<A, P>,
    reader: FifoReader<A, P>,
    memory: CrossingMemory<MacWord, A>,
}

#[cfg(test)]
impl<const A: usize, const P: usize> FrameFifo<A, P> {
    /// What crosses from the writer to the reader and back.
    pub(super) fn crossing_pointers(&self) -> [Bits<P>; 2] {
        [self.writer.published.val(), self.reader.head.val()]
    }
}

impl<const A: usize, const P: usize> Logic for FrameFifo<A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        self.writer.clock.next = self.write_clock.val();
        self.writer.reset.next = self.write_reset.val();
        self.writer.write.next = self.write.val();
        self.writer.commit.next = self.commit.val();
        self.writer.rollback.next = self.rollback.val();
        self.writer.head.next = self.reader.head.val();
        self.full.next = self.writer.full.val();
        self.memory.write_clock.next = self.write_clock.val();
        self.memory.write.next = self.write.val();
        self.memory.write_address.next = self.writer.address.val();
        self.memory.data.next = self.word.val();
        self.memory.read_clock.next = self.read_clock.val();
        self.memory.read.next = self.reader.read.val();
        self.memory.read_address.next = self.reader.address.val();
        self.reader.clock.next = self.read_clock.val();
        self.reader.reset.next = self.read_reset.val();
        self.reader.published.next = self.writer.published.val();
        self.reader.word.next = self.memory.out.val();
        ChannelSource::<MacWord>::link(&mut self.source, &mut self.reader.source);
    }
}
