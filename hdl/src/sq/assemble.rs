//! Makes slots of 64 bytes from beats: one slot in 512 / DATA cycles. A slot has failed if one of its beats has.
use super::FetchedSlot;
use crate::widgets::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

/// Beats of DATA bits to slots.
#[derive(LogicBlock)]
pub struct SlotAssembler<const DATA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what is held.
    pub reset: Signal<In, Bit>,
    /// Beats, first bytes first.
    pub sink: ChannelSink<Bits<DATA>>,
    /// The beat came with an error.
    pub sink_error: Signal<In, Bit>,
    /// Slots.
    pub source: ChannelSource<FetchedSlot>,
    /// The last beat of a slot is taken.
    pub leaves: Signal<Out, Bit>,
    words: DFF<Bits<512>>,
    failed: DFF<Bit>,
    full: DFF<Bit>,
    number: DFF<Bits<4>>,
    takes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    beat: Signal<Local, Bits<512>>,
    moved: Signal<Local, Bits<512>>,
    last: Constant<Bits<4>>,
    down: Constant<Bits<10>>,
    up: Constant<Bits<10>>,
}

impl<const DATA: usize> Default for SlotAssembler<DATA> {
    fn default() -> Self {
        assert!([64, 128, 256, 512].contains(&DATA), "a bus of {DATA} bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            sink: Default::default(),
            sink_error: Default::default(),
            source: Default::default(),
            leaves: Default::default(),
            words: Default::default(),
            failed: Default::default(),
            full: Default::default(),
            number: Default::default(),
            takes: Default::default(),
            ends: Default::default(),
            beat: Default::default(),
            moved: Default::default(),
            last: Constant::new((512 / DATA - 1).to_bits()),
            down: Constant::new(DATA.to_bits()),
            up: Constant::new((512 - DATA).to_bits()),
        }
    }
}

impl<const DATA: usize> Logic for SlotAssembler<DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, words, failed, full, number);
        self.sink.ready.next = !self.full.q.val() | self.source.ready.val();
        self.takes.next = self.sink.valid.val() & (!self.full.q.val() | self.source.ready.val());
        self.ends.next = self.takes.val() & (self.number.q.val() == self.last.val());
        self.leaves.next = self.ends.val();
        // The first beat ends in the lowest bits, after the others have pushed it down.
        self.beat.next = bit_cast::<512, DATA>(self.sink.data.val());
        self.moved.next = self.words.q.val() >> self.down.val();
        if self.source.ready.val() {
            self.full.d.next = false;
        }
        if self.takes.val() {
            self.words.d.next = self.moved.val() | (self.beat.val() << self.up.val());
            self.number.d.next = self.number.q.val() + 1;
            self.full.d.next = self.ends.val();
            self.failed.d.next = self.sink_error.val();
            if self.number.q.val().any() {
                self.failed.d.next = self.failed.q.val() | self.sink_error.val();
            }
        }
        if self.ends.val() {
            self.number.d.next = 0.into();
        }
        self.source.data.next.wqe = self.words.q.val();
        self.source.data.next.error = self.failed.q.val();
        self.source.valid.next = self.full.q.val();
        if self.reset.val() {
            self.full.d.next = false;
            self.number.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    /// Feeds `slots` without a pause and returns what comes out, and in how many cycles.
    fn run<const DATA: usize>(slots: &[[u8; 64]], bad_beat: usize) -> (Vec<(BigUint, bool)>, usize) {
        let mut uut = SlotAssembler::<DATA>::default();
        uut.connect_all();
        let beats: Vec<BigUint> = slots.concat().chunks(DATA / 8).map(BigUint::from_bytes_le).collect();
        let (mut given, mut seen, mut cycles, mut left) = (0, vec![], 0, 0);
        uut.source.ready.next = true;
        while seen.len() < slots.len() {
            uut.sink.valid.next = given < beats.len();
            uut.sink.data.next = beats[given.min(beats.len() - 1)].clone().into();
            uut.sink_error.next = given == bad_beat;
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            given += (uut.sink.valid.val() && uut.sink.ready.val()) as usize;
            left += uut.leaves.val() as usize;
            if uut.source.valid.val() {
                seen.push((uut.source.data.val().wqe.into(), uut.source.data.val().error));
            }
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
            cycles += 1;
        }
        assert_eq!(left, slots.len());
        (seen, cycles)
    }

    fn check<const DATA: usize>() {
        let slots: Vec<[u8; 64]> =
            (0..5u8).map(|slot| std::array::from_fn(|byte| slot.wrapping_mul(71) ^ byte as u8)).collect();
        let beats = 512 / DATA;
        let (seen, cycles) = run::<DATA>(&slots, 2 * beats);
        for (number, (wqe, error)) in seen.iter().enumerate() {
            assert_eq!(*wqe, BigUint::from_bytes_le(&slots[number]), "slot {number}");
            assert_eq!(*error, number == 2, "slot {number}");
        }
        assert_eq!(cycles, 5 * beats + 1);
    }

    #[test]
    fn t22_slots_of_every_bus_width_come_whole_and_without_a_pause() {
        check::<64>();
        check::<128>();
        check::<256>();
        check::<512>();
    }
}
