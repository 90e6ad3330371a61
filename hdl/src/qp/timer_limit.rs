//! Ticks that a timer waits: 4 << timeout (T80), or by the code of the RNR timer (T83). Combinational.
use rust_hdl::prelude::*;

/// Ticks of 1.024 us by the code of the RNR timer.
pub const RNR_TICKS: [u64; 32] = [
    640_000, 10, 20, 30, 40, 59, 79, 118, 157, 235, 313, 469, 625, 938, 1250, 1875, 2500, 3750, 5000, 7500, 10_000,
    15_000, 20_000, 30_000, 40_000, 60_000, 80_000, 120_000, 160_000, 240_000, 320_000, 480_000,
];

/// Limit of one timer.
#[derive(LogicBlock)]
pub struct TimerLimit {
    /// The RNR timer; else the acknowledge timer.
    pub rnr: Signal<In, Bit>,
    /// Code of the RNR timer.
    pub code: Signal<In, Bits<5>>,
    /// Code of the acknowledge timeout.
    pub timeout: Signal<In, Bits<5>>,
    /// Ticks.
    pub limit: Signal<Out, Bits<36>>,
    four: Constant<Bits<36>>,
    ticks: [Constant<Bits<36>>; 32],
    codes: [Constant<Bits<5>>; 32],
}

impl Default for TimerLimit {
    fn default() -> Self {
        Self {
            rnr: Default::default(),
            code: Default::default(),
            timeout: Default::default(),
            limit: Default::default(),
            four: Constant::new(bits(4)),
            ticks: RNR_TICKS.map(|ticks| Constant::new(ticks.into())),
            codes: std::array::from_fn(|code| Constant::new(code.to_bits())),
        }
    }
}

impl Logic for TimerLimit {
    #[hdl_gen]
    fn update(&mut self) {
        self.limit.next = self.four.val() << self.timeout.val();
        if self.rnr.val() {
            for i in 0..32 {
                if self.code.val() == self.codes[i].val() {
                    self.limit.next = self.ticks[i].val();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t80_t83_g8_g10_limits_by_code() {
        let mut uut = TimerLimit::default();
        uut.connect_all();
        let mut limit = |rnr: bool, timeout: u64, code: u64| {
            uut.rnr.next = rnr;
            uut.timeout.next = bits(timeout);
            uut.code.next = bits(code);
            assert!(simulate(&mut uut, 10));
            uut.limit.val().to_u64()
        };
        for code in 0..32 {
            assert_eq!(limit(false, code, 7), 4 << code);
            assert_eq!(limit(true, 7, code), RNR_TICKS[code as usize]);
        }
        // G10: the times in microseconds, rounded up to ticks, and up once more (10 us are 9.77 ticks).
        for (code, time) in [(0, 655_360.0), (1, 10.0), (5, 60.0), (11, 480.0), (13, 960.0), (31, 491_520.0f64)] {
            assert_eq!(limit(true, 0, code), (time / 1.024).ceil() as u64);
        }
    }
}
