//! Send queues and responders with a frame that failed: nothing from that frame on leaves any more (D9a, T50, T64).
//!
//! The sender hears of the failure later and stops; until then frames behind the failed one follow it into the gather. Frames
//! before it pass, also when they are sent again. The marks go when `qp` clears the queue pair (T6), that of the send queue
//! also when the failure came to nothing (T49): then none of its frames is here. An answer to a duplicate marks nothing (C23).
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
    /// Forget the marks
    pub clear: Signal<In, Bit>,
    /// of this queue pair.
    pub clear_index: Signal<In, Bits<QA>>,
    /// Forget the mark of the send queue, not in two of five cycles,
    pub voided: Signal<In, Bit>,
    /// of this queue pair.
    pub voided_index: Signal<In, Bits<QA>>,
    psns: [Memory<Bits<24>, QA>; 2],
    marked: [FlagVector<QN, QA>; 2],
    owes: DFF<Bit>,
    owed: DFF<Bits<QA>>,
    note: DFF<FrameNote>,
    shows: DFF<Bit>,
    marks: DFF<Bit>,
    /// The mark was made in the cycle of the read, with this PSN.
    forwards: DFF<Bit>,
    forwarded: DFF<Bits<24>>,
    responds: DFF<Bit>,
    fails_of: Signal<Local, Bits<2>>,
    flag: Signal<Local, Bit>,
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
        dff_setup!(self, clock, note, shows, marks, forwards, forwarded, responds, owes, owed);
        self.coming.next = self.sink.data.val();
        self.now.next = self.note.q.val();
        self.row.next = bit_cast::<QA, 8>(self.coming.val().qp);
        self.from.next = bit_cast::<QA, 8>(self.now.val().qp);
        self.loads.next = (!self.shows.q.val() | self.source.ready.val()) & self.sink.valid.val();
        self.sink.ready.next = !self.shows.q.val() | self.source.ready.val();
        if self.source.ready.val() {
            self.shows.d.next = false;
        }

        // Bit 31 of a tag marks the frames of the responder, bit 14 answers to duplicates.
        self.tag.next = self.now.val().tag;
        self.coming_tag.next = self.coming.val().tag;
        self.fails_now.next =
            self.fails.val() & self.shows.q.val() & !(self.tag.val().get_bit(31) & self.tag.val().get_bit(14));
        self.fails_of.next = 0.into();
        if self.fails_now.val() {
            self.fails_of.next = 1.into();
            if self.tag.val().get_bit(31) {
                self.fails_of.next = 2.into();
            }
        }
        for i in 0..2 {
            self.psns[i].clock.next = self.clock.val();
            self.psns[i].write.next = self.fails_of.val().get_bit(i);
            self.psns[i].write_address.next = self.from.val();
            self.psns[i].data.next = self.now.val().psn;
            self.psns[i].read.next = self.loads.val();
            self.psns[i].read_address.next = self.row.val();
            self.marked[i].clock.next = self.clock.val();
            self.marked[i].reset.next = self.reset.val();
            self.marked[i].set_flag.next = self.fails_of.val().get_bit(i);
            self.marked[i].set_index.next = self.from.val();
            self.marked[i].clear_flag.next = self.clear.val();
            self.marked[i].clear_index.next = self.clear_index.val();
            self.marked[i].index.next = self.row.val();
        }
        if !self.clear.val() {
            self.marked[0].clear_flag.next = self.owes.q.val();
            self.marked[0].clear_index.next = self.owed.q.val();
            self.owes.d.next = false;
        }
        if self.voided.val() {
            self.owes.d.next = true;
            self.owed.d.next = self.voided_index.val();
        }

        self.flag.next = self.marked[0].flag.val();
        if self.coming_tag.val().get_bit(31) {
            self.flag.next = self.marked[1].flag.val();
        }
        self.same.next = self.fails_now.val()
            & (self.row.val() == self.from.val())
            & (self.coming_tag.val().get_bit(31) == self.tag.val().get_bit(31));
        if self.loads.val() {
            self.note.d.next = self.coming.val();
            self.shows.d.next = true;
            self.marks.d.next = self.flag.val() | self.same.val();
            self.responds.d.next = self.coming_tag.val().get_bit(31);
            self.forwards.d.next = self.same.val();
            self.forwarded.d.next = self.now.val().psn;
        }
        self.limit.next = self.psns[0].out.val();
        if self.responds.q.val() {
            self.limit.next = self.psns[1].out.val();
        }
        if self.forwards.q.val() {
            self.limit.next = self.forwarded.q.val();
        }
        self.distance.next = self.now.val().psn - self.limit.val();
        self.stopped.next = self.marks.q.val() & !self.distance.val().get_bit(23);
        self.source.data.next = self.now.val();
        self.source.valid.next = self.shows.q.val();
        if self.reset.val() {
            self.shows.d.next = false;
            self.owes.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{tick, RandomDrive};

    /// Random frames of four queue pairs, failures, clears; what is stopped against a map of the smallest failed PSN.
    #[test]
    fn d9a_t49_t50_t64_what_follows_a_failed_frame_is_stopped_and_what_precedes_it_is_not() {
        let mut uut = GatherStops::<4, 2>::default();
        uut.connect_all();
        let mut random = RandomDrive::new(1);
        // Of send queues, of responders.
        let mut failed = [[None::<u64>; 4]; 2];
        let mut waiting = std::collections::VecDeque::new();
        let (mut stopped, mut passed, mut voided) = (0, 0, 0);
        let mut rests = 0u64;
        for cycle in 0..6000u64 {
            // A queue pair is cleared, or a failure voided, only while nothing of it is on the way.
            rests = rests.saturating_sub(1);
            let calm = cycle > 0 && waiting.is_empty() && rests == 0;
            let (clears, voids) = (calm && random.chance(1, 3), calm && random.chance(1, 3));
            let (index, voided_index) = (random.below(4), random.below(4));
            if clears || voids {
                rests = 3;
            }
            let side = random.below(3);
            let note = FrameNote {
                tag: bits([0, 1 << 31, 1 << 31 | 1 << 14][side as usize]),
                qp: bits(random.below(4)),
                psn: bits((0xFF_FFF0 + random.below(32)) & 0xFF_FFFF),
            };
            uut.reset.next = cycle == 0;
            uut.sink.data.next = note;
            uut.sink.valid.next = cycle > 0 && rests == 0 && random.chance(2, 3);
            uut.clear.next = clears;
            uut.clear_index.next = bits(index);
            uut.voided.next = voids;
            uut.voided_index.next = bits(voided_index);
            uut.source.ready.next = false;
            uut.fails.next = false;
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            let take = uut.source.valid.val() && random.chance(3, 4);
            let fails = take && !uut.stopped.val() && random.chance(1, 6);
            if take {
                let (qp, psn, side): (u64, u64, u64) = waiting.pop_front().expect("a note came out that did not go in");
                let note = uut.source.data.val();
                assert_eq!((note.qp.to_u64(), note.psn.to_u64()), (qp, psn), "cycle {cycle}");
                let behind = |first: u64| psn.wrapping_sub(first) & 0x80_0000 == 0;
                let failed = &mut failed[side.min(1) as usize][qp as usize];
                let stop = failed.is_some_and(behind);
                assert_eq!(uut.stopped.val(), stop, "cycle {cycle}: {note:?}, failed at {failed:x?}");
                (stopped, passed) = if stop { (stopped + 1, passed) } else { (stopped, passed + 1) };
                if fails && side < 2 {
                    *failed = Some(psn);
                }
            }
            uut.source.ready.next = take;
            uut.fails.next = fails;
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            if uut.sink.valid.val() && uut.sink.ready.val() {
                waiting.push_back((note.qp.to_u64(), note.psn.to_u64(), side));
            }
            if clears {
                failed[0][index as usize] = None;
                failed[1][index as usize] = None;
            }
            if voids {
                voided += u64::from(failed[0][voided_index as usize].take().is_some());
            }
            tick(&mut uut, |u| &mut u.clock);
        }
        assert!(stopped > 100 && passed > 300 && voided > 30, "{stopped} stopped, {passed} passed, {voided} voided");
    }
}
