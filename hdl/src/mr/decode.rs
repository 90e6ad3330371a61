//! Cuts a work item into a pending operation. Combinational; judges nothing.
use super::layout::{Owner, Pending, RegisterWqe};
use rust_hdl::prelude::*;

/// LANES page entries a beat.
#[derive(LogicBlock)]
pub struct Decode<const LANES: usize> {
    /// The WQE.
    pub wqe: Signal<In, RegisterWqe>,
    /// Whose it is.
    pub owner: Signal<In, Owner>,
    /// A REG_MR to execute.
    pub registers: Signal<Out, Bit>,
    /// A LOCAL_INV to execute.
    pub invalidates: Signal<Out, Bit>,
    /// The item is to be judged: neither flushed, nor silent, nor failed before.
    pub judged: Signal<Out, Bit>,
    /// The operation, without checks and list.
    pub pending: Signal<Out, Pending>,
    /// Beats of its page list.
    pub beats: Signal<Out, Bits<10>>,
    access: Signal<Local, Bits<8>>,
    remote: Signal<Local, Bit>,
    live: Signal<Local, Bit>,
    padded: Signal<Local, Bits<17>>,
    cut: Signal<Local, Bits<17>>,
    made: Signal<Local, Pending>,
    padding: Constant<Bits<17>>,
    lane_bits: Constant<Bits<2>>,
}

impl<const LANES: usize> Default for Decode<LANES> {
    fn default() -> Self {
        Self {
            wqe: Default::default(),
            owner: Default::default(),
            registers: Default::default(),
            invalidates: Default::default(),
            judged: Default::default(),
            pending: Default::default(),
            beats: Default::default(),
            access: Default::default(),
            remote: Default::default(),
            live: Default::default(),
            padded: Default::default(),
            cut: Default::default(),
            made: Default::default(),
            padding: Constant::new((LANES - 1).to_bits()),
            lane_bits: Constant::new((LANES.ilog2() as usize).to_bits()),
        }
    }
}

impl<const LANES: usize> Logic for Decode<LANES> {
    #[hdl_gen]
    fn update(&mut self) {
        self.live.next = !self.owner.val().flush & !self.owner.val().silent & (self.owner.val().syndrome == 0);
        self.judged.next = self.live.val();
        self.registers.next = self.live.val() & (self.wqe.val().opcode == 0x20);
        self.invalidates.next = self.live.val() & (self.wqe.val().opcode == 0x21);
        self.access.next = self.wqe.val().access;
        self.remote.next = self.access.val().get_bit(1) | self.access.val().get_bit(2) | self.access.val().get_bit(3);
        self.padded.next = bit_cast::<17, 16>(self.wqe.val().npages) + self.padding.val();
        self.cut.next = self.padded.val() >> self.lane_bits.val();
        self.beats.next = bit_cast::<10, 17>(self.cut.val());

        self.made.next = bits::<282>(0).into();
        self.made.next.registers = self.live.val() & (self.wqe.val().opcode == 0x20);
        self.made.next.invalidates = self.live.val() & (self.wqe.val().opcode == 0x21);
        self.made.next.key_byte = self.wqe.val().key_byte;
        self.made.next.index = self.wqe.val().index;
        // C12: any remote right allows remote invalidation.
        self.made.next.access = self.access.val().replace_bit(4, self.remote.val());
        self.made.next.page_shift = bit_cast::<5, 8>(self.wqe.val().page_shift);
        self.made.next.npages = self.wqe.val().npages;
        self.made.next.fbo = bit_cast::<21, 32>(self.wqe.val().fbo);
        self.made.next.iova_low = self.wqe.val().iova_low;
        self.made.next.iova_high = self.wqe.val().iova_high;
        self.made.next.length = self.wqe.val().length_low;
        self.made.next.pd = self.owner.val().pd;
        self.made.next.qp = self.owner.val().qp;
        self.made.next.slot = self.owner.val().slot;
        self.made.next.opcode = self.wqe.val().opcode;
        self.made.next.signalled = self.owner.val().signalled;
        self.made.next.silent = self.owner.val().silent;
        self.made.next.flush = self.owner.val().flush;
        self.made.next.decoded = self.owner.val().syndrome;
        self.pending.next = self.made.val();
    }
}
