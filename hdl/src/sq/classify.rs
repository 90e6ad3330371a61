//! Decides what a fetched slot is: the format rules that the memory-management pipeline does not check. Combinational.
//!
//! REG_MR and LOCAL_INV pass on (their fields are checked behind, rule B1; a fence has nothing to wait for while no data
//! WR runs, rules D6 and C8). Every other opcode ends as LOC_QP_OP: unknown ones by D19, data WRs because the capability RC
//! is 0. A data WR of two blocks reports once, on its second block with the number of its first (rule T73 in ERR as well);
//! if its second block is not posted, it is one block. A bus error of the fetch is syndrome 40 (rule T10). In ERR everything
//! is flushed (rule D11).
use super::{SlotMark, ERR};
use crate::types::{SqContext, WorkItem};
use rust_hdl::prelude::*;

/// Opcodes of data work requests: SEND, _IMM, _INV, WRITE, _IMM, READ, _INV, CMP_SWAP, FETCH_ADD.
const DATA_OPCODES: [u8; 9] = [0x00, 0x01, 0x02, 0x04, 0x05, 0x08, 0x09, 0x0C, 0x0D];
const REG_MR: u8 = 0x20;
const LOCAL_INV: u8 = 0x21;
const WQE_FORMAT: u8 = 0x01;
const PAYLOAD_BUS: u8 = 0x40;

/// Makes a work item of a slot.
#[derive(LogicBlock)]
pub struct Classify {
    /// The slot's 64 bytes.
    pub wqe: Signal<In, Bits<512>>,
    /// The bus answered with an error.
    pub error: Signal<In, Bit>,
    /// Where the slot belongs.
    pub mark: Signal<In, SlotMark>,
    /// Context of the queue pair.
    pub context: Signal<In, SqContext>,
    /// The slot is the second block of the work request before it.
    pub second: Signal<In, Bit>,
    /// The work item.
    pub item: Signal<Out, WorkItem>,
    opcode: Signal<Local, Bits<8>>,
    blocks: Signal<Local, Bits<8>>,
    is_data: Signal<Local, Bit>,
    is_local: Signal<Local, Bit>,
    flush: Signal<Local, Bit>,
    silent: Signal<Local, Bit>,
    wants: Signal<Local, Bit>,
    syndrome: Signal<Local, Bits<8>>,
    size: Signal<Local, Bits<16>>,
    mask: Signal<Local, Bits<16>>,
    count: Signal<Local, Bits<16>>,
    one: Constant<Bits<16>>,
    data_opcodes: [Constant<Bits<8>>; 9],
    reg_mr: Constant<Bits<8>>,
    local_inv: Constant<Bits<8>>,
    bad_format: Constant<Bits<8>>,
    bus_error: Constant<Bits<8>>,
    error_state: Constant<Bits<3>>,
}

impl Default for Classify {
    fn default() -> Self {
        Self {
            wqe: Default::default(),
            error: Default::default(),
            mark: Default::default(),
            context: Default::default(),
            second: Default::default(),
            item: Default::default(),
            opcode: Default::default(),
            blocks: Default::default(),
            is_data: Default::default(),
            is_local: Default::default(),
            flush: Default::default(),
            silent: Default::default(),
            wants: Default::default(),
            syndrome: Default::default(),
            size: Default::default(),
            mask: Default::default(),
            count: Default::default(),
            one: Constant::new(1.into()),
            data_opcodes: DATA_OPCODES.map(|opcode| Constant::new(opcode.to_bits())),
            reg_mr: Constant::new(REG_MR.to_bits()),
            local_inv: Constant::new(LOCAL_INV.to_bits()),
            bad_format: Constant::new(WQE_FORMAT.to_bits()),
            bus_error: Constant::new(PAYLOAD_BUS.to_bits()),
            error_state: Constant::new(ERR.to_bits()),
        }
    }
}

impl Logic for Classify {
    #[hdl_gen]
    fn update(&mut self) {
        self.opcode.next = self.wqe.val().get_bits::<8>(0);
        self.blocks.next = self.wqe.val().get_bits::<8>(16);
        self.is_local.next = (self.opcode.val() == self.reg_mr.val()) | (self.opcode.val() == self.local_inv.val());
        self.is_data.next = false;
        for i in 0..9 {
            if self.opcode.val() == self.data_opcodes[i].val() {
                self.is_data.next = true;
            }
        }
        self.flush.next = self.context.val().state == self.error_state.val();
        self.silent.next = false;
        self.syndrome.next = 0.into();
        if !self.is_local.val() | self.second.val() {
            self.syndrome.next = self.bad_format.val();
        }
        if self.error.val() {
            self.syndrome.next = self.bus_error.val();
        } else {
            if self.is_data.val() & self.mark.val().follows & !self.second.val() {
                self.silent.next = self.blocks.val() == 2;
            }
        }
        if self.flush.val() | self.silent.val() {
            self.syndrome.next = 0.into();
        }
        // The flags of a two-block WQE are in its first block; what its second ends as is always reported.
        self.wants.next = self.wqe.val().get_bit(8) | self.context.val().sig_all | self.second.val();
        self.size.next = self.one.val() << self.context.val().log2;
        self.mask.next = self.size.val() - 1;
        self.count.next = self.mark.val().count;
        if self.second.val() {
            self.count.next = self.mark.val().count - 1;
        }
        self.item.next.wqe = self.wqe.val();
        self.item.next.qp = self.mark.val().qp;
        self.item.next.pd = self.context.val().pd;
        self.item.next.slot = self.count.val() & self.mask.val();
        self.item.next.signalled = self.wants.val();
        self.item.next.flush = self.flush.val();
        self.item.next.silent = self.silent.val();
        self.item.next.syndrome = self.syndrome.val();
    }
}
