//! One-word register stage.
use super::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

/// Cuts data, valid and ready of a channel: latency one cycle, a word every second cycle.
///
/// For wide records that come once a frame: half the registers of a [`Stage`](super::Stage), and no multiplexer before them.
#[derive(LogicBlock, Default)]
pub struct Slot<T: Synth> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what the slot holds.
    pub reset: Signal<In, Bit>,
    /// Words in.
    pub sink: ChannelSink<T>,
    /// Words out.
    pub source: ChannelSource<T>,
    held: DFF<T>,
    full: DFF<Bit>,
}

impl<T: Synth> Logic for Slot<T> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, full);
        self.sink.ready.next = !self.full.q.val();
        self.source.data.next = self.held.q.val();
        self.source.valid.next = self.full.q.val();
        // What stands here while the slot is empty does not count, so that no `valid` reaches the enables.
        if !self.full.q.val() {
            self.held.d.next = self.sink.data.val();
            self.full.d.next = self.sink.valid.val();
        } else {
            self.full.d.next = !self.source.ready.val();
        }
        if self.reset.val() {
            self.full.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::RandomDrive;

    #[test]
    fn i7_every_word_arrives_once_and_in_order_and_one_every_two_cycles() {
        for ready in [1, 4] {
            let mut uut = Slot::<Bits<16>>::default();
            uut.connect_all();
            let mut random = RandomDrive::new(3);
            let (mut sent, mut seen) = (0u64, 0u64);
            for cycle in 0..400 {
                uut.reset.next = cycle == 0;
                uut.sink.valid.next = cycle > 0;
                uut.sink.data.next = bits(sent);
                uut.source.ready.next = random.chance(ready, 4);
                uut.clock.next = Clock { clk: false };
                assert!(simulate(&mut uut, 100));
                if cycle > 0 && uut.source.valid.val() {
                    assert_eq!(uut.source.data.val().to_u64(), seen, "cycle {cycle}");
                    seen += u64::from(uut.source.ready.val());
                }
                sent += u64::from(cycle > 0 && uut.sink.ready.val());
                uut.clock.next = Clock { clk: true };
                assert!(simulate(&mut uut, 100));
            }
            assert!(sent - seen <= 1 && seen > 60, "{sent} in, {seen} out");
            assert!(ready < 4 || seen >= 199, "{seen} words in 400 cycles");
        }
    }
}
