//! Layout of a CQE. Combinational.
//!
//! An error CQE carries the queue pair, opcode, slot, status and syndrome, and tells a receive from a send; all else is 0
//! (D14), so that nothing old leaks.
use super::CqeRecord;
use crate::types::CqeRequest;
use rnic_abi::cqe;
use rust_hdl::prelude::*;

/// Builds the 32 bytes of a CQE.
#[derive(LogicBlock)]
pub struct CqeFormat {
    /// What to report.
    pub request: Signal<In, CqeRequest>,
    /// Time (T79).
    pub ticks: Signal<In, Bits<32>>,
    /// Phase bit.
    pub phase: Signal<In, Bit>,
    /// The entry.
    pub record: Signal<Out, CqeRecord>,
    /// It wakes a queue that is armed for solicited CQEs.
    pub solicited: Signal<Out, Bit>,
    good: Signal<Local, Bit>,
    asked: Signal<Local, Bits<8>>,
    flags: Signal<Local, Bits<8>>,
    ask_mask: Constant<Bits<8>>,
    receive_mask: Constant<Bits<8>>,
    phase_mask: Constant<Bits<32>>,
}

impl Default for CqeFormat {
    fn default() -> Self {
        Self {
            request: Default::default(),
            ticks: Default::default(),
            phase: Default::default(),
            record: Default::default(),
            solicited: Default::default(),
            good: Default::default(),
            asked: Default::default(),
            flags: Default::default(),
            ask_mask: Constant::new(bits(cqe::FLAG_SOLICITED.into())),
            receive_mask: Constant::new(bits(cqe::FLAG_RECEIVE.into())),
            phase_mask: Constant::new(bits(cqe::PHASE.into())),
        }
    }
}

impl Logic for CqeFormat {
    #[hdl_gen]
    fn update(&mut self) {
        self.good.next = self.request.val().status == 0;
        self.record.next.qpn = self.request.val().qpn;
        self.record.next.opcode = self.request.val().opcode;
        self.record.next.status = self.request.val().status;
        self.record.next.syndrome = self.request.val().syndrome;
        self.record.next.slot = self.request.val().slot;
        self.record.next.zero = 0.into();
        self.record.next.byte_len = 0.into();
        self.record.next.imm = 0.into();
        self.record.next.ticks = 0.into();
        self.flags.next = self.request.val().flags & self.receive_mask.val();
        if self.good.val() {
            self.flags.next = self.request.val().flags;
            self.record.next.byte_len = self.request.val().byte_len;
            self.record.next.imm = self.request.val().imm;
            self.record.next.ticks = self.ticks.val();
        }
        self.record.next.flags = bit_cast::<32, 8>(self.flags.val());
        self.record.next.owner = 0.into();
        if self.phase.val() {
            self.record.next.owner = self.phase_mask.val();
        }
        self.asked.next = self.request.val().flags & self.ask_mask.val();
        self.solicited.next = !self.good.val() | self.asked.val().any();
    }
}
