//! Tells `qp` when nothing of the past is in the responder any more (rule T6, step 2), without stopping anybody (T7).
//!
//! After the context of a queue pair has been written with a state that takes no frames, `mark` notes how many frames have
//! been taken; when as many have become jobs of the placer, it notes how many commit entries there are, and when as many
//! have been committed, `passed` is set. So it also holds for jobs of responses. One mark at a time.
use rust_hdl::prelude::*;

/// Watches frames and commit entries pass a mark.
#[derive(LogicBlock, Default)]
pub struct DrainMark {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Nothing is in flight.
    pub reset: Signal<In, Bit>,
    /// Sets the mark; not before the context is written. A new mark replaces the old one.
    pub mark: Signal<In, Bit>,
    /// A frame is taken.
    pub frame_in: Signal<In, Bit>,
    /// The job of a frame is handed to the placer.
    pub frame_out: Signal<In, Bit>,
    /// An entry enters the commit queue; never later than the job of its frame leaves.
    pub entry_in: Signal<In, Bit>,
    /// An entry has been committed.
    pub entry_out: Signal<In, Bit>,
    /// Everything before the mark has passed.
    pub passed: Signal<Out, Bit>,
    frames_in: DFF<Bits<16>>,
    frames_out: DFF<Bits<16>>,
    entries_in: DFF<Bits<16>>,
    entries_out: DFF<Bits<16>>,
    goal: DFF<Bits<16>>,
    marked: DFF<Bit>,
    frames: DFF<Bit>,
    entries: DFF<Bit>,
    missing: Signal<Local, Bits<16>>,
    reached: Signal<Local, Bit>,
}

impl Logic for DrainMark {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, frames_in, frames_out, entries_in, entries_out, goal, marked, frames, entries);
        if self.frame_in.val() {
            self.frames_in.d.next = self.frames_in.q.val() + 1;
        }
        if self.frame_out.val() {
            self.frames_out.d.next = self.frames_out.q.val() + 1;
        }
        if self.entry_in.val() {
            self.entries_in.d.next = self.entries_in.q.val() + 1;
        }
        if self.entry_out.val() {
            self.entries_out.d.next = self.entries_out.q.val() + 1;
        }
        // A frame taken in the cycle of the mark, or of the context's write, is counted before the goal is noted.
        self.marked.d.next = self.mark.val();
        self.missing.next = self.goal.q.val() - self.frames_out.q.val();
        if self.entries.q.val() {
            self.missing.next = self.goal.q.val() - self.entries_out.q.val();
        }
        self.reached.next = (self.missing.val() == 0) | self.missing.val().get_bit(15);
        if self.entries.q.val() & self.reached.val() {
            self.entries.d.next = false;
        }
        if self.frames.q.val() & self.reached.val() {
            self.frames.d.next = false;
            self.entries.d.next = true;
            self.goal.d.next = self.entries_in.q.val();
        }
        if self.marked.q.val() {
            self.frames.d.next = true;
            self.entries.d.next = false;
            self.goal.d.next = self.frames_in.q.val();
        }
        self.passed.next = !(self.mark.val() | self.marked.q.val() | self.frames.q.val() | self.entries.q.val());
        if self.reset.val() {
            self.frames_in.d.next = 0.into();
            self.frames_out.d.next = 0.into();
            self.entries_in.d.next = 0.into();
            self.entries_out.d.next = 0.into();
            self.marked.d.next = false;
            self.frames.d.next = false;
            self.entries.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{tick, RandomDrive};

    #[test]
    fn t6_the_mark_passes_when_all_before_it_has_left_and_not_sooner() {
        let mut random = RandomDrive::new(4);
        for _ in 0..60 {
            let mut uut = DrainMark::default();
            uut.connect_all();
            let (mut frames, mut jobs, mut entries, mut done) = (0u32, 0u32, 0u32, 0u32);
            // Every frame has one entry here; a frame is marked when it was taken not later than the mark.
            let at = 20 + random.below(40);
            let mut goal = None;
            for cycle in 0.. {
                assert!(cycle < 2000, "{frames} {jobs} {entries} {done} {goal:?}");
                let frame = random.chance(1, 3);
                let entry = entries < frames && random.chance(1, 2);
                let job = jobs < entries && random.chance(1, 2);
                let out = done < jobs && random.chance(1, 3);
                uut.mark.next = cycle == at;
                (uut.frame_in.next, uut.entry_in.next) = (frame, entry);
                (uut.frame_out.next, uut.entry_out.next) = (job, out);
                tick(&mut uut, |u| &mut u.clock);
                frames += u32::from(frame);
                entries += u32::from(entry);
                jobs += u32::from(job);
                done += u32::from(out);
                if cycle == at {
                    goal = Some(frames);
                }
                uut.mark.next = false;
                if let Some(goal) = goal.filter(|_| cycle > at + 1) {
                    uut.clock.next = Clock { clk: false };
                    assert!(simulate(&mut uut, 10));
                    if uut.passed.val() {
                        assert!(done >= goal, "passed with {done} of {goal}");
                        break;
                    }
                }
            }
        }
    }
}
