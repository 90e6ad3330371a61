//! Send queues with a frame that failed: nothing from that frame on leaves any more (D9a, T50).
//!
//! The send queue hears of the failure later and stops; until then frames behind the failed one follow it into the gather. Frames
//! before it pass, also when they are sent again. The mark goes when `qp` clears the queue pair (T6).
//!
//! Latency one cycle, a note a cycle. The only failure that can come while a note waits here is that of the note itself.
use super::FrameNote;
use crate::widgets::{ChannelSink, ChannelSource, FlagVector, Memory};
use rust_hdl::prelude::*;

/// Marks of QN = 2^QA queue pairs.
#[derive(LogicBlock, Default)]
pub struct GatherStops<const QN: usize, const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the note and all marks.
    pub reset: Signal<In, Bit>,
    /// Notes, one a frame.
    pub sink: ChannelSink<FrameNote>,
    /// Notes again.
    pub source: ChannelSource<FrameNote>,
    /// The frame of this note must not leave; counts with `source.valid`.
    pub stopped: Signal<Out, Bit>,
    /// The frame of the note that is taken has failed, and was not stopped.
    pub fails: Signal<In, Bit>,
    /// Forget the mark
    pub clear: Signal<In, Bit>,
    /// of this queue pair.
    pub clear_index: Signal<In, Bits<QA>>,
    psns: Memory<Bits<24>, QA>,
    marked: FlagVector<QN, QA>,
    note: DFF<FrameNote>,
    shows: DFF<Bit>,
    marks: DFF<Bit>,
    /// The mark was made in the cycle of the read, with this PSN.
    forwards: DFF<Bit>,
    forwarded: DFF<Bits<24>>,
    coming: Signal<Local, FrameNote>,
    now: Signal<Local, FrameNote>,
    tag: Signal<Local, Bits<32>>,
    coming_tag: Signal<Local, Bits<32>>,
    row: Signal<Local, Bits<QA>>,
    from: Signal<Local, Bits<QA>>,
    loads: Signal<Local, Bit>,
    fails_now: Signal<Local, Bit>,
    same: Signal<Local, Bit>,
    limit: Signal<Local, Bits<24>>,
    distance: Signal<Local, Bits<24>>,
}

impl<const QN: usize, const QA: usize> Logic for GatherStops<QN, QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, note, shows, marks, forwards, forwarded);
        clock!(self, clock, psns, marked);
        self.coming.next = self.sink.data.val();
        self.now.next = self.note.q.val();
        self.row.next = bit_cast::<QA, 8>(self.coming.val().qp);
        self.from.next = bit_cast::<QA, 8>(self.now.val().qp);
        self.loads.next = (!self.shows.q.val() | self.source.ready.val()) & self.sink.valid.val();
        self.sink.ready.next = !self.shows.q.val() | self.source.ready.val();
        if self.source.ready.val() {
            self.shows.d.next = false;
        }

        // Frames of the responder and of the raw ring (bit 31) neither mark nor stop.
        self.tag.next = self.now.val().tag;
        self.coming_tag.next = self.coming.val().tag;
        self.fails_now.next = self.fails.val() & self.shows.q.val() & !self.tag.val().get_bit(31);
        self.psns.write.next = self.fails_now.val();
        self.psns.write_address.next = self.from.val();
        self.psns.data.next = self.now.val().psn;
        self.marked.reset.next = self.reset.val();
        self.marked.set_flag.next = self.fails_now.val();
        self.marked.set_index.next = self.from.val();
        self.marked.clear_flag.next = self.clear.val();
        self.marked.clear_index.next = self.clear_index.val();

        self.marked.index.next = self.row.val();
        self.psns.read.next = self.loads.val();
        self.psns.read_address.next = self.row.val();
        self.same.next = self.fails_now.val() & (self.row.val() == self.from.val());
        if self.loads.val() {
            self.note.d.next = self.coming.val();
            self.shows.d.next = true;
            self.marks.d.next = (self.marked.flag.val() | self.same.val()) & !self.coming_tag.val().get_bit(31);
            self.forwards.d.next = self.same.val();
            self.forwarded.d.next = self.now.val().psn;
        }
        self.limit.next = self.psns.out.val();
        if self.forwards.q.val() {
            self.limit.next = self.forwarded.q.val();
        }
        self.distance.next = self.now.val().psn - self.limit.val();
        self.stopped.next = self.marks.q.val() & !self.distance.val().get_bit(23);
        self.source.data.next = self.now.val();
        self.source.valid.next = self.shows.q.val();
        if self.reset.val() {
            self.shows.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{tick, RandomDrive};

    /// Random frames of four queue pairs, failures, clears; what is stopped against a map of the smallest failed PSN.
    #[test]
    fn d9a_t50_what_follows_a_failed_frame_is_stopped_and_what_precedes_it_is_not() {
        let mut uut = GatherStops::<4, 2>::default();
        uut.connect_all();
        let mut random = RandomDrive::new(1);
        let mut failed = [None::<u64>; 4];
        let mut waiting = std::collections::VecDeque::new();
        let (mut stopped, mut passed) = (0, 0);
        for cycle in 0..4000u64 {
            // A queue pair is cleared only while nothing of it is on the way.
            let clears = cycle > 0 && waiting.is_empty() && random.chance(1, 3);
            let index = random.below(4);
            let note = FrameNote {
                tag: bits(random.below(5) / 4 << 31),
                qp: bits(random.below(4)),
                psn: bits((0xFF_FFF0 + random.below(32)) & 0xFF_FFFF),
            };
            uut.reset.next = cycle == 0;
            uut.sink.data.next = note;
            uut.sink.valid.next = cycle > 0 && !clears && random.chance(2, 3);
            uut.clear.next = clears;
            uut.clear_index.next = bits(index);
            uut.source.ready.next = false;
            uut.fails.next = false;
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            let take = uut.source.valid.val() && random.chance(3, 4);
            let fails = take && !uut.stopped.val() && random.chance(1, 6);
            if take {
                let (qp, psn, own) = waiting.pop_front().expect("a note came out that did not go in");
                let note = uut.source.data.val();
                assert_eq!((note.qp.to_u64(), note.psn.to_u64()), (qp, psn), "cycle {cycle}");
                let behind = |first: u64| psn.wrapping_sub(first) & 0x80_0000 == 0;
                let stop = own && failed[qp as usize].is_some_and(behind);
                assert_eq!(uut.stopped.val(), stop, "cycle {cycle}: {note:?}, failed at {:x?}", failed[qp as usize]);
                (stopped, passed) = if stop { (stopped + 1, passed) } else { (stopped, passed + 1) };
                if fails && own {
                    failed[qp as usize] = Some(psn);
                }
            }
            uut.source.ready.next = take;
            uut.fails.next = fails;
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            if uut.sink.valid.val() && uut.sink.ready.val() {
                waiting.push_back((note.qp.to_u64(), note.psn.to_u64(), !note.tag.get_bit(31)));
            }
            if clears {
                failed[index as usize] = None;
            }
            tick(&mut uut, |u| &mut u.clock);
        }
        assert!(stopped > 300 && passed > 300, "{stopped} stopped, {passed} passed");
    }
}
