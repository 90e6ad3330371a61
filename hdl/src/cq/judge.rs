//! Judgement of a CQE: is there room for it, and where does it go.
//!
//! One register stage behind the table reads. Overflow: produced - consumed = size (D17). Phase: 1 in the first round of
//! the ring, 0 in the second, and so on.
use super::{CqProduced, CqRing};
use rust_hdl::prelude::*;

/// Registered verdict; holds while its inputs hold.
#[derive(LogicBlock)]
pub struct CqeJudge {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The CQN is one of this device.
    pub known: Signal<In, Bit>,
    /// Where the queue lies.
    pub ring: Signal<In, CqRing>,
    /// What has been produced.
    pub produced: Signal<In, CqProduced>,
    /// What has been consumed.
    pub consumed: Signal<In, Bits<24>>,
    /// The queue exists and has not failed.
    pub lives: Signal<Out, Bit>,
    /// It has no room.
    pub full: Signal<Out, Bit>,
    /// Bus address of the entry.
    pub address: Signal<Out, Bits<52>>,
    /// Phase bit of the entry.
    pub phase: Signal<Out, Bit>,
    /// Count with this CQE.
    pub count: Signal<Out, Bits<24>>,
    alive: DFF<Bit>,
    crowded: DFF<Bit>,
    base: DFF<Bits<40>>,
    place: DFF<Bits<24>>,
    round: DFF<Bit>,
    raised: DFF<Bits<24>>,
    earlier: Signal<Local, Bits<24>>,
    pending: Signal<Local, Bits<24>>,
    size: Signal<Local, Bits<24>>,
    last: Signal<Local, Bits<24>>,
    slot: Signal<Local, Bits<24>>,
    rounds: Signal<Local, Bits<24>>,
    one: Constant<Bits<24>>,
}

impl Default for CqeJudge {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            known: Default::default(),
            ring: Default::default(),
            produced: Default::default(),
            consumed: Default::default(),
            lives: Default::default(),
            full: Default::default(),
            address: Default::default(),
            phase: Default::default(),
            count: Default::default(),
            alive: Default::default(),
            crowded: Default::default(),
            base: Default::default(),
            place: Default::default(),
            round: Default::default(),
            raised: Default::default(),
            earlier: Default::default(),
            pending: Default::default(),
            size: Default::default(),
            last: Default::default(),
            slot: Default::default(),
            rounds: Default::default(),
            one: Constant::new(bits(1)),
        }
    }
}

impl Logic for CqeJudge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, alive, crowded, base, place, round, raised);
        self.earlier.next = self.produced.val().count;
        self.pending.next = self.earlier.val() - self.consumed.val();
        self.size.next = self.one.val() << self.ring.val().log2;
        self.last.next = self.size.val() - 1;
        self.slot.next = self.earlier.val() & self.last.val();
        self.rounds.next = self.earlier.val() >> self.ring.val().log2;
        self.alive.d.next = self.known.val() & self.ring.val().exists & !self.produced.val().failed;
        self.crowded.d.next = self.pending.val() >= self.size.val();
        self.base.d.next = self.ring.val().base;
        self.place.d.next = self.slot.val();
        self.round.d.next = !self.rounds.val().get_bit(0);
        self.raised.d.next = self.earlier.val() + 1;
        self.lives.next = self.alive.q.val();
        self.full.next = self.crowded.q.val();
        // Behind the register: the slot is a shift and a mask away from the table already.
        self.address.next =
            (bit_cast::<52, 40>(self.base.q.val()) << 12) + (bit_cast::<52, 24>(self.place.q.val()) << 5);
        self.phase.next = self.round.q.val();
        self.count.next = self.raised.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    /// Verdict on a ring with these counts.
    fn judge(log2: u64, produced: u64, consumed: u64) -> CqeJudge {
        let mut uut = CqeJudge::default();
        uut.connect_all();
        uut.known.next = true;
        uut.ring.next = CqRing { base: bits(0x12_3456_7000), log2: bits(log2), exists: true };
        uut.produced.next.count = bits(produced & 0xFF_FFFF);
        uut.consumed.next = bits(consumed & 0xFF_FFFF);
        tick(&mut uut, |uut| &mut uut.clock);
        uut
    }

    #[test]
    fn d17_full_is_size_cqes_unconsumed_modulo_2_pow_24() {
        for log2 in 2..=16 {
            let size = 1u64 << log2;
            for consumed in [0, 1, size, 0xFF_FFFF - size, 0xFF_FFFF, 0x80_0000] {
                assert!(!judge(log2, consumed, consumed).full.val());
                assert!(!judge(log2, consumed + size - 1, consumed).full.val(), "{log2} {consumed:x}");
                assert!(judge(log2, consumed + size, consumed).full.val(), "{log2} {consumed:x}");
            }
        }
    }

    #[test]
    fn phase_changes_every_round_and_the_address_starts_anew() {
        for log2 in 2..=16 {
            let size = 1u64 << log2;
            for count in [0, 1, size - 1, size, 2 * size - 1, 2 * size, 3 * size + 1, 0xFF_FFFF] {
                let uut = judge(log2, count, count);
                assert_eq!(uut.phase.val(), (count >> log2) % 2 == 0, "{log2} {count:x}");
                assert_eq!(uut.address.val(), bits((0x12_3456_7000 << 12) + 32 * (count % size)), "{log2} {count:x}");
                assert_eq!(uut.count.val(), bits((count + 1) & 0xFF_FFFF));
            }
        }
    }

    #[test]
    fn t78_a_failed_or_missing_queue_does_not_live() {
        for (known, exists, failed) in
            [(true, true, false), (false, true, false), (true, false, false), (true, true, true)]
        {
            let mut uut = CqeJudge::default();
            uut.connect_all();
            uut.known.next = known;
            uut.ring.next.exists = exists;
            uut.produced.next.failed = failed;
            tick(&mut uut, |uut| &mut uut.clock);
            assert_eq!(uut.lives.val(), known && exists && !failed);
        }
    }
}
