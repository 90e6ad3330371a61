//! Prefetch pool (rule T22): the beats of all slots that have been asked for and not yet decoded, in order of asking.
//!
//! Room is reserved before a read is asked for (rule T107), so that beats always find place. Reservations are counted in
//! slots. Latency two cycles, one beat a cycle.
use crate::widgets::{ChannelSource, SlackFifo};
use rust_hdl::prelude::*;

/// Pool of 2^PA beats of DATA bits.
#[derive(LogicBlock)]
pub struct Pool<const DATA: usize, const PA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Empties the pool; no beat may be on its way.
    pub reset: Signal<In, Bit>,
    /// Reserves room for `slots`.
    pub reserve: Signal<In, Bit>,
    /// Slots to reserve, 1 to 8.
    pub slots: Signal<In, Bits<4>>,
    /// A whole batch of 8 slots can be reserved; follows `reserve` after one cycle.
    pub room: Signal<Out, Bit>,
    /// A beat arrives.
    pub beat_valid: Signal<In, Bit>,
    /// Its data.
    pub beat_data: Signal<In, Bits<DATA>>,
    /// The bus answered it with an error.
    pub beat_error: Signal<In, Bit>,
    /// The oldest beat.
    pub source: ChannelSource<Bits<DATA>>,
    /// The oldest beat came with an error.
    pub source_error: Signal<Out, Bit>,
    /// All beats of one slot have left.
    pub leaves: Signal<In, Bit>,
    beats: SlackFifo<Bits<DATA>, PA, 2>,
    errors: SlackFifo<Bit, PA, 2>,
    spare: DFF<Bits<12>>,
    taken: Signal<Local, Bits<12>>,
    rest: Signal<Local, Bits<12>>,
    all: Constant<Bits<12>>,
}

impl<const DATA: usize, const PA: usize> Pool<DATA, PA> {
    /// Slots that find room.
    pub const SLOTS: usize = (1 << PA) * DATA / 512;
}

impl<const DATA: usize, const PA: usize> Default for Pool<DATA, PA> {
    fn default() -> Self {
        assert!((8..2048).contains(&Self::SLOTS), "a pool of {} slots", Self::SLOTS);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            reserve: Default::default(),
            slots: Default::default(),
            room: Default::default(),
            beat_valid: Default::default(),
            beat_data: Default::default(),
            beat_error: Default::default(),
            source: Default::default(),
            source_error: Default::default(),
            leaves: Default::default(),
            beats: Default::default(),
            errors: Default::default(),
            spare: Default::default(),
            taken: Default::default(),
            rest: Default::default(),
            all: Constant::new(Self::SLOTS.to_bits()),
        }
    }
}

impl<const DATA: usize, const PA: usize> Logic for Pool<DATA, PA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, spare);
        clock!(self, clock, beats, errors);
        self.beats.reset.next = self.reset.val();
        self.errors.reset.next = self.reset.val();
        self.beats.write.next = self.beat_valid.val();
        self.beats.data.next = self.beat_data.val();
        self.errors.write.next = self.beat_valid.val();
        self.errors.data.next = self.beat_error.val();
        // The two FIFOs move together.
        self.errors.source.ready.next = self.source.ready.val();
        self.source_error.next = self.errors.source.data.val();
        ChannelSource::<Bits<DATA>>::link(&mut self.source, &mut self.beats.source);

        self.taken.next = 0.into();
        if self.reserve.val() {
            self.taken.next = bit_cast::<12, 4>(self.slots.val());
        }
        self.rest.next = self.spare.q.val() - self.taken.val();
        self.spare.d.next = self.rest.val();
        if self.leaves.val() {
            self.spare.d.next = self.rest.val() + 1;
        }
        self.room.next = self.spare.q.val() >= 8;
        if self.reset.val() {
            self.spare.d.next = self.all.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    fn step(uut: &mut Pool<64, 7>) {
        tick(uut, |u| &mut u.clock);
    }

    #[test]
    fn t107_a_pool_of_16_slots_gives_room_for_two_batches_and_holds_all_their_beats() {
        let mut uut = Pool::<64, 7>::default();
        uut.connect_all();
        uut.reset.next = true;
        step(&mut uut);
        uut.reset.next = false;
        for _ in 0..2 {
            assert!(uut.room.val());
            uut.reserve.next = true;
            uut.slots.next = 8.into();
            step(&mut uut);
        }
        uut.reserve.next = false;
        assert!(!uut.room.val());
        for beat in 0..128u64 {
            uut.beat_valid.next = true;
            uut.beat_data.next = beat.into();
            uut.beat_error.next = beat % 3 == 0;
            step(&mut uut);
        }
        uut.beat_valid.next = false;
        step(&mut uut);
        for beat in 0..128u64 {
            assert!(uut.source.valid.val());
            assert_eq!(uut.room.val(), beat == 64, "beat {beat}");
            assert_eq!((uut.source.data.val().to_u64(), uut.source_error.val()), (beat, beat % 3 == 0));
            uut.source.ready.next = true;
            uut.leaves.next = beat % 8 == 7 && beat < 64;
            step(&mut uut);
            if beat == 63 {
                assert!(uut.room.val(), "8 slots have left");
                uut.reserve.next = true;
            } else {
                uut.reserve.next = false;
            }
        }
        assert!(!uut.source.valid.val());
    }
}
