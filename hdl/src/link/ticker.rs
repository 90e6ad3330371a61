//! Time: a pulse every microsecond and every millisecond.
use rust_hdl::prelude::*;

/// Divider of the clock. HO9: a simulation counts fewer cycles a microsecond than the board.
#[derive(LogicBlock)]
pub struct Ticker {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Starts anew.
    pub reset: Signal<In, Bit>,
    /// One cycle every microsecond.
    pub microsecond: Signal<Out, Bit>,
    /// One cycle every millisecond, together with `microsecond`.
    pub millisecond: Signal<Out, Bit>,
    cycles: DFF<Bits<10>>,
    micros: DFF<Bits<10>>,
    tick: DFF<Bit>,
    long_tick: DFF<Bit>,
    wraps: Signal<Local, Bit>,
    last_cycle: Constant<Bits<10>>,
}

impl Ticker {
    /// Ticker for a clock of `ticks` MHz, 1 to 1000.
    pub fn new(ticks: u64) -> Self {
        assert!((1..=1000).contains(&ticks), "{ticks} cycles a microsecond");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            microsecond: Default::default(),
            millisecond: Default::default(),
            cycles: Default::default(),
            micros: Default::default(),
            tick: Default::default(),
            long_tick: Default::default(),
            wraps: Default::default(),
            last_cycle: Constant::new((ticks - 1).into()),
        }
    }
}

impl Logic for Ticker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cycles, micros, tick, long_tick);
        self.wraps.next = self.cycles.q.val() == self.last_cycle.val();
        self.cycles.d.next = self.cycles.q.val() + 1;
        self.tick.d.next = self.wraps.val();
        self.long_tick.d.next = false;
        if self.wraps.val() {
            self.cycles.d.next = 0.into();
            self.micros.d.next = self.micros.q.val() + 1;
            if self.micros.q.val() == 999 {
                self.micros.d.next = 0.into();
                self.long_tick.d.next = true;
            }
        }
        if self.reset.val() {
            self.cycles.d.next = 0.into();
            self.micros.d.next = 0.into();
            self.tick.d.next = false;
            self.long_tick.d.next = false;
        }
        self.microsecond.next = self.tick.q.val();
        self.millisecond.next = self.long_tick.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    #[test]
    fn ho9_microseconds_and_milliseconds_have_their_cycles() {
        for ticks in [1, 2, 83] {
            let mut uut = Ticker::new(ticks);
            uut.connect_all();
            let (mut short, mut long) = (0, 0);
            for _ in 0..3000 * ticks {
                tick(&mut uut, |u| &mut u.clock);
                short += u32::from(uut.microsecond.val());
                long += u32::from(uut.millisecond.val());
            }
            assert_eq!((short, long), (3000, 3), "{ticks} cycles a microsecond");
        }
    }
}
