//! Queue pairs whose frames place nothing (T104, T113): one flag each, set by the placer and from outside.
use rust_hdl::prelude::*;

/// N flags (2^A at most) with two set ports and a clear port; set wins. A flag changes one cycle after its port.
#[derive(LogicBlock, Default)]
pub struct DeadFlags<const N: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clears all.
    pub reset: Signal<In, Bit>,
    /// Sets flag `fail_index`.
    pub fail: Signal<In, Bit>,
    /// Flag to set.
    pub fail_index: Signal<In, Bits<A>>,
    /// Sets flag `kill_index`.
    pub kill: Signal<In, Bit>,
    /// Flag to set.
    pub kill_index: Signal<In, Bits<A>>,
    /// Clears flag `clear_index`.
    pub clear: Signal<In, Bit>,
    /// Flag to clear.
    pub clear_index: Signal<In, Bits<A>>,
    /// Flag to read.
    pub index: Signal<In, Bits<A>>,
    /// Flag `index`, combinational.
    pub flag: Signal<Out, Bit>,
    flags: DFF<Bits<N>>,
    one: Signal<Local, Bits<N>>,
    failed: Signal<Local, Bits<N>>,
    killed: Signal<Local, Bits<N>>,
    cleared: Signal<Local, Bits<N>>,
    kept: Signal<Local, Bits<N>>,
}

impl<const N: usize, const A: usize> Logic for DeadFlags<N, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, flags);
        self.one.next = 1.into();
        self.failed.next = 0.into();
        self.killed.next = 0.into();
        self.cleared.next = 0.into();
        if self.fail.val() {
            self.failed.next = self.one.val() << self.fail_index.val();
        }
        if self.kill.val() {
            self.killed.next = self.one.val() << self.kill_index.val();
        }
        if self.clear.val() {
            self.cleared.next = self.one.val() << self.clear_index.val();
        }
        self.kept.next = self.flags.q.val() & !self.cleared.val();
        self.flags.d.next = self.kept.val() | self.failed.val() | self.killed.val();
        if self.reset.val() {
            self.flags.d.next = 0.into();
        }
        self.flag.next = self.flags.q.val().get_bit(self.index.val().index());
    }
}
