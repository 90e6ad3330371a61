//! Reset of the PHYs (MC11): low for 20 ms, then 100 ms until they are spoken to.
use rust_hdl::prelude::*;

/// Milliseconds of reset.
pub const RESET_MS: u64 = 20;
/// Milliseconds from the end of reset to the first management frame.
pub const WAKE_MS: u64 = 100;

/// Reset sequence; begins when `reset` ends, which is when the PLL has locked.
#[derive(LogicBlock)]
pub struct PhyReset {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Begins anew.
    pub reset: Signal<In, Bit>,
    /// Pin of the PHYs.
    pub phy_reset_n: Signal<Out, Bit>,
    /// The PHYs may be spoken to.
    pub awake: Signal<Out, Bit>,
    /// A millisecond is over.
    pub millisecond: Signal<Out, Bit>,
    cycles: DFF<Bits<18>>,
    count: DFF<Bits<7>>,
    released: DFF<Bit>,
    up: DFF<Bit>,
    wraps: Signal<Local, Bit>,
    last_cycle: Constant<Bits<18>>,
    release_at: Constant<Bits<7>>,
    wake_at: Constant<Bits<7>>,
}

impl PhyReset {
    /// With `cycles_per_ms` clocks a millisecond.
    pub fn new(cycles_per_ms: u32) -> Self {
        assert!((1..1 << 18).contains(&cycles_per_ms), "{cycles_per_ms} cycles a millisecond");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            phy_reset_n: Default::default(),
            awake: Default::default(),
            millisecond: Default::default(),
            cycles: Default::default(),
            count: Default::default(),
            released: Default::default(),
            up: Default::default(),
            wraps: Default::default(),
            last_cycle: Constant::new(u64::from(cycles_per_ms - 1).into()),
            // Counts of whole milliseconds: the one that has begun when a count is reached does not count.
            release_at: Constant::new((RESET_MS - 1).into()),
            wake_at: Constant::new((RESET_MS + WAKE_MS - 1).into()),
        }
    }
}

impl Logic for PhyReset {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cycles, count, released, up);
        self.wraps.next = self.cycles.q.val() == self.last_cycle.val();
        self.cycles.d.next = self.cycles.q.val() + 1;
        if self.wraps.val() {
            self.cycles.d.next = 0.into();
            if !self.up.q.val() {
                self.count.d.next = self.count.q.val() + 1;
            }
            self.released.d.next = self.released.q.val() | (self.count.q.val() == self.release_at.val());
            self.up.d.next = self.up.q.val() | (self.count.q.val() == self.wake_at.val());
        }
        self.millisecond.next = self.wraps.val();
        self.phy_reset_n.next = self.released.q.val();
        self.awake.next = self.up.q.val();
        if self.reset.val() {
            self.cycles.d.next = 0.into();
            self.count.d.next = 0.into();
            self.released.d.next = false;
            self.up.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    #[test]
    fn mc11_reset_is_low_for_20_ms_and_the_phys_are_left_alone_for_100_ms_more() {
        let mut uut = PhyReset::new(5);
        uut.connect_all();
        for round in 0..2 {
            uut.reset.next = true;
            tick(&mut uut, |u| &mut u.clock);
            uut.reset.next = false;
            for cycle in 1..=5 * 130 {
                tick(&mut uut, |u| &mut u.clock);
                assert_eq!(uut.phy_reset_n.val(), cycle >= 5 * 20, "round {round} cycle {cycle}");
                assert_eq!(uut.awake.val(), cycle >= 5 * 120, "round {round} cycle {cycle}");
            }
        }
    }
}
