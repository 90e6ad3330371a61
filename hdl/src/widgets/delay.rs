//! Delay line.
use rust_hdl::prelude::*;

/// Registers N times; without reset, so that it may become a shift-register primitive.
#[derive(LogicBlock)]
pub struct Delay<T: Synth, const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Input.
    pub d: Signal<In, T>,
    /// The input of N cycles ago.
    pub q: Signal<Out, T>,
    line: [DFF<T>; N],
}

impl<T: Synth, const N: usize> Default for Delay<T, N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            d: Default::default(),
            q: Default::default(),
            line: std::array::from_fn(|_| Default::default()),
        }
    }
}

impl<T: Synth, const N: usize> Logic for Delay<T, N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.line[0].clock.next = self.clock.val();
        self.line[0].d.next = self.d.val();
        for i in 1..N {
            self.line[i].clock.next = self.clock.val();
            self.line[i].d.next = self.line[i - 1].q.val();
        }
        // The last assignment wins: `N - 1` is no index that the translator knows.
        for i in 0..N {
            self.q.next = self.line[i].q.val();
        }
    }
}
