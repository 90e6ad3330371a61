//! One flip-flop a queue pair: the only state that two blocks may write (rule T8).
use rust_hdl::prelude::*;

/// N flags (2^A at most) with one set and one clear port; set wins. A flag changes one cycle after its port.
#[derive(LogicBlock, Default)]
pub struct FlagVector<const N: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clears all.
    pub reset: Signal<In, Bit>,
    /// Sets flag `set_index`.
    pub set_flag: Signal<In, Bit>,
    /// Flag to set.
    pub set_index: Signal<In, Bits<A>>,
    /// Clears flag `clear_index`.
    pub clear_flag: Signal<In, Bit>,
    /// Flag to clear.
    pub clear_index: Signal<In, Bits<A>>,
    /// Flag to read.
    pub index: Signal<In, Bits<A>>,
    /// Flag `index`, combinational.
    pub flag: Signal<Out, Bit>,
    /// All flags.
    pub all: Signal<Out, Bits<N>>,
    flags: DFF<Bits<N>>,
    one: Signal<Local, Bits<N>>,
    set_mask: Signal<Local, Bits<N>>,
    clear_mask: Signal<Local, Bits<N>>,
    kept: Signal<Local, Bits<N>>,
}

impl<const N: usize, const A: usize> Logic for FlagVector<N, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, flags);
        self.one.next = 1.into();
        self.set_mask.next = 0.into();
        self.clear_mask.next = 0.into();
        if self.set_flag.val() {
            self.set_mask.next = self.one.val() << self.set_index.val();
        }
        if self.clear_flag.val() {
            self.clear_mask.next = self.one.val() << self.clear_index.val();
        }
        self.kept.next = self.flags.q.val() & !self.clear_mask.val();
        self.flags.d.next = self.kept.val() | self.set_mask.val();
        if self.reset.val() {
            self.flags.d.next = 0.into();
        }
        self.flag.next = self.flags.q.val().get_bit(self.index.val().index());
        self.all.next = self.flags.q.val();
    }
}
