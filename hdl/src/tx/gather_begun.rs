//! Tells when the oldest frame may go to the frame builder: once the first beat of its payload has come, or none will (T109).
//!
//! The builder makes one frame after another. A frame that went there before its payload would hold up acknowledgements for
//! the latency of the memory. Its headers take as long as the beat takes to the builder, so little is lost by waiting.
use crate::widgets::SlackFifo;
use rust_hdl::prelude::*;

/// At most 2^F - 2 frames between their first piece and their first beat, 2^F frames behind it.
#[derive(LogicBlock, Default)]
pub struct GatherBegun<const F: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all frames.
    pub reset: Signal<In, Bit>,
    /// The first piece of a frame has been issued,
    pub starts: Signal<In, Bit>,
    /// and has beats; else the frame has failed, or has no payload.
    pub has_beats: Signal<In, Bit>,
    /// The first beat of a frame that has beats.
    pub arrives: Signal<In, Bit>,
    /// The oldest frame may go.
    pub may: Signal<Out, Bit>,
    /// It goes.
    pub goes: Signal<In, Bit>,
    kinds: SlackFifo<Bit, F, 2>,
    arrived: DFF<Bits<8>>,
    begun: DFF<Bits<8>>,
    waits: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
}

impl<const F: usize> Logic for GatherBegun<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, arrived, begun);
        clock!(self, clock, kinds);
        self.kinds.reset.next = self.reset.val();
        self.kinds.write.next = self.starts.val();
        self.kinds.data.next = self.has_beats.val();
        // Frames without beats keep their place among the others.
        self.waits.next = self.kinds.source.data.val();
        self.moves.next = self.kinds.source.valid.val() & (!self.waits.val() | (self.arrived.q.val() != 0));
        self.takes.next = self.moves.val() & self.waits.val();
        self.kinds.source.ready.next = self.moves.val();
        if self.arrives.val() & !self.takes.val() {
            self.arrived.d.next = self.arrived.q.val() + 1;
        }
        if self.takes.val() & !self.arrives.val() {
            self.arrived.d.next = self.arrived.q.val() - 1;
        }
        if self.moves.val() & !self.goes.val() {
            self.begun.d.next = self.begun.q.val() + 1;
        }
        if self.goes.val() & !self.moves.val() {
            self.begun.d.next = self.begun.q.val() - 1;
        }
        self.may.next = self.begun.q.val() != 0;
        if self.reset.val() {
            self.arrived.d.next = 0.into();
            self.begun.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::RandomDrive;

    /// Random frames, some without beats: each may go after its own first beat and that of all before it, and soon.
    #[test]
    fn t109_a_frame_goes_after_its_first_beat_and_not_before() {
        let mut uut = GatherBegun::<4>::default();
        uut.connect_all();
        let mut random = RandomDrive::new(9);
        // Frames issued: has beats, the cycle of its first beat.
        let mut frames: Vec<(bool, Option<u64>)> = vec![];
        let (mut gone, mut late, mut waited) = (0, 0, 0);
        for cycle in 0..6000u64 {
            uut.reset.next = cycle == 0;
            let starts = cycle > 0 && frames.len() - gone < 8 && random.chance(1, 3);
            let has_beats = random.chance(2, 3);
            uut.starts.next = starts;
            uut.has_beats.next = has_beats;
            // A read takes a few cycles at least.
            let next = frames.iter().position(|(beats, at)| *beats && at.is_none());
            let arrives = next.filter(|&next| next + 6 < frames.len() || random.chance(1, 6));
            uut.arrives.next = arrives.is_some();
            uut.goes.next = false;
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            let goes = uut.may.val() && random.chance(3, 4);
            uut.goes.next = goes;
            assert!(simulate(&mut uut, 100));
            if uut.may.val() {
                let ready = frames[..=gone].iter().all(|(beats, at)| !beats || at.is_some());
                assert!(gone < frames.len() && ready, "frame {gone} in cycle {cycle}");
                waited = 0;
            } else if let Some((beats, at)) = frames.get(gone) {
                let due = if *beats { at.is_some() } else { true };
                waited = if due { waited + 1 } else { 0 };
                assert!(waited < 6, "frame {gone} could go in cycle {cycle}");
            }
            if let Some(next) = arrives {
                frames[next].1 = Some(cycle);
            }
            if starts {
                frames.push((has_beats, None));
            }
            if goes {
                late += usize::from(frames[gone].1.is_some_and(|at| at + 4 >= cycle));
                gone += 1;
            }
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
        }
        assert!(gone > 1000 && late > 200, "{gone} frames, {late} soon after their beat");
    }
}
