//! Counts the frames of each queue pair that have come back from the frame builder, complete or failed (rules T6, T48): their
//! payload is no longer being read. Two cycles a frame; a count is written three cycles after its frame at the earliest.
use crate::widgets::{SlackFifo, Table};
use rust_hdl::prelude::*;

/// Counter of 2^QA queue pairs, with room for 2^FA - 2 frames that wait.
#[derive(LogicBlock, Default)]
pub struct Returned<const QA: usize, const FA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what waits.
    pub reset: Signal<In, Bit>,
    /// The table is being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// A frame has come back.
    pub done: Signal<In, Bit>,
    /// Its tag; bit 31 is set in frames that are not of a send queue.
    pub done_tag: Signal<In, Bits<32>>,
    /// A count is written.
    pub write: Signal<Out, Bit>,
    /// Its queue pair.
    pub index: Signal<Out, Bits<8>>,
    /// The count, modulo 4,096.
    pub count: Signal<Out, Bits<12>>,
    frames: SlackFifo<Bits<8>, FA, 2>,
    counts: Table<Bits<12>, QA, 1>,
    reads: DFF<Bit>,
    place: Signal<Local, Bits<QA>>,
}

impl<const QA: usize, const FA: usize> Logic for Returned<QA, FA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, reads);
        clock!(self, clock, frames, counts);
        self.frames.reset.next = self.reset.val();
        self.frames.write.next = self.done.val() & !self.done_tag.val().get_bit(31);
        self.frames.data.next = self.done_tag.val().get_bits::<8>(0);
        // Read, then write: the next frame is taken with the write.
        self.reads.d.next = self.frames.source.valid.val() & !self.reads.q.val();
        self.frames.source.ready.next = self.reads.q.val();
        self.place.next = bit_cast::<QA, 8>(self.frames.source.data.val());
        self.counts.clearing.next = self.clearing.val();
        self.counts.clear_index.next = self.clear_index.val();
        self.counts.index[0].next = self.place.val();
        self.counts.write.next = self.reads.q.val();
        self.counts.write_index.next = self.place.val();
        self.count.next = self.counts.out[0].val() + 1;
        self.counts.data.next = self.count.val();
        self.write.next = self.reads.q.val();
        self.index.next = self.frames.source.data.val();
        if self.reset.val() {
            self.reads.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{tick, RandomDrive};

    #[test]
    fn t6_every_frame_of_a_send_queue_is_counted_once() {
        let mut uut = Returned::<3, 6>::default();
        uut.connect_all();
        uut.reset.next = true;
        uut.clearing.next = true;
        for row in 0..8u64 {
            uut.clear_index.next = row.into();
            tick(&mut uut, |u| &mut u.clock);
        }
        uut.reset.next = false;
        uut.clearing.next = false;
        let mut random = RandomDrive::new(2);
        let (mut given, mut seen) = ([0u64; 8], [0u64; 8]);
        for cycle in 0..500 {
            let comes = cycle < 400 && random.chance(1, 3);
            let (qp, other) = (random.below(8), random.chance(1, 4));
            uut.done.next = comes;
            uut.done_tag.next = (qp | 0x5A00 | u64::from(other) << 31).into();
            given[qp as usize] += u64::from(comes && !other);
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            if uut.write.val() {
                let qp = uut.index.val().to_u64() as usize;
                seen[qp] += 1;
                assert_eq!(uut.count.val().to_u64(), seen[qp]);
            }
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
        }
        assert_eq!(seen, given);
    }
}
