//! Time: a prescaler makes ticks of 1.024 us from core cycles, and counts them (rule T79).
//!
//! An accumulator in 16.16 fixed point gains one cycle a cycle and loses TICK whenever it holds that much, so that the mean
//! is exact for any clock. A TICK below 1.0 makes one tick a cycle, which is the most there can be.
use rust_hdl::prelude::*;

/// Prescaler and counter of ticks.
#[derive(LogicBlock)]
pub struct Ticks {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Sets the time to 0.
    pub reset: Signal<In, Bit>,
    /// Cycles a tick, 16.16 fixed point.
    pub tick: Signal<In, Bits<32>>,
    /// TICK has a new value: the accumulator starts at 0, or it could hold more than the new TICK.
    pub restart: Signal<In, Bit>,
    /// Ticks since reset.
    pub now: Signal<Out, Bits<36>>,
    now_register: DFF<Bits<36>>,
    passed: DFF<Bits<33>>,
    sum: Signal<Local, Bits<33>>,
    limit: Signal<Local, Bits<33>>,
    cycle: Constant<Bits<33>>,
}

impl Default for Ticks {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            tick: Default::default(),
            restart: Default::default(),
            now: Default::default(),
            now_register: Default::default(),
            passed: Default::default(),
            sum: Default::default(),
            limit: Default::default(),
            cycle: Constant::new(0x1_0000u64.into()),
        }
    }
}

impl Logic for Ticks {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, now_register, passed);
        self.now.next = self.now_register.q.val();
        self.sum.next = self.passed.q.val() + self.cycle.val();
        self.limit.next = bit_cast::<33, 32>(self.tick.val());
        self.passed.d.next = self.sum.val();
        if self.sum.val() >= self.limit.val() {
            self.passed.d.next = self.sum.val() - self.limit.val();
            if self.cycle.val() > self.limit.val() {
                self.passed.d.next = 0.into();
            }
            self.now_register.d.next = self.now_register.q.val() + 1;
        }
        if self.restart.val() {
            self.passed.d.next = 0.into();
        }
        if self.reset.val() {
            self.passed.d.next = 0.into();
            self.now_register.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    fn ticks_after(cycles: usize, register: u32) -> Vec<usize> {
        let mut uut = Ticks::default();
        uut.connect_all();
        uut.tick.next = u64::from(register).into();
        uut.restart.next = false;
        uut.reset.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.reset.next = false;
        let mut steps = vec![];
        let mut before = 0u64;
        for cycle in 1..=cycles {
            tick(&mut uut, |u| &mut u.clock);
            let now = uut.now.val().to_u64();
            if now != before {
                assert_eq!(now, before + 1);
                steps.push(cycle);
                before = now;
            }
        }
        steps
    }

    #[test]
    fn t79_a_tick_is_as_many_cycles_as_the_register_says() {
        assert_eq!(ticks_after(12, 0x4_0000), [4, 8, 12]);
        assert_eq!(ticks_after(4, 0x1_0000), [1, 2, 3, 4]);
        assert_eq!(ticks_after(4, 1), [1, 2, 3, 4]);
    }

    #[test]
    fn t79_a_fraction_of_a_cycle_is_not_lost() {
        // 51.2 cycles at 50 MHz: five ticks in 256 cycles.
        let register = (51.2f64 * 65536.0).ceil() as u32;
        assert_eq!(ticks_after(257, register), [52, 103, 154, 205, 257]);
        // 2.5 cycles.
        assert_eq!(ticks_after(10, 0x2_8000), [3, 5, 8, 10]);
    }
}
