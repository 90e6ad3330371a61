//! Decides what a fetched slot is: the format rules that the memory-management pipeline does not check. Combinational.
//!
//! REG_MR and LOCAL_INV pass on (their fields are checked behind, rule B1; a fence has nothing to wait for while no data
//! WR runs, rules D6 and C8). Unknown opcodes end as LOC_QP_OP (rule D19), and so would data WRs, which the
//! decoder gives to the cursor while their queue pair sends. A data WR of two blocks reports once, on its second block with the number of its first (rule T73 in ERR as well);
//! if its second block is not posted, it is one block. A bus error of the fetch is syndrome 40 (rule T10). In ERR everything
//! is flushed (rule D11).
use super::SlotMark;
use crate::types::{SqContext, WorkItem};
use rnic_abi::{opcode, qp, syndrome};
use rust_hdl::prelude::*;

/// The data work requests: those that may take two blocks.
const DATA_OPCODES: [u8; 9] = [
    opcode::SEND,
    opcode::SEND_IMM,
    opcode::SEND_INV,
    opcode::WRITE,
    opcode::WRITE_IMM,
    opcode::READ,
    opcode::READ_INV,
    opcode::CMP_SWAP,
    opcode::FETCH_ADD,
];

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
    pub context_row: Signal<In, SqContext>,
    /// The slot is the second block of the work request before it.
    pub second: Signal<In, Bit>,
    /// The work item.
    pub item: Signal<Out, WorkItem>,
    /// It is a data WR.
    pub data: Signal<Out, Bit>,
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
            context_row: Default::default(),
            second: Default::default(),
            item: Default::default(),
            data: Default::default(),
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
            reg_mr: Constant::new(opcode::REG_MR.to_bits()),
            local_inv: Constant::new(opcode::LOCAL_INV.to_bits()),
            bad_format: Constant::new(syndrome::WQE_FORMAT.to_bits()),
            bus_error: Constant::new(syndrome::PAYLOAD_BUS.to_bits()),
            error_state: Constant::new(qp::ERR.to_bits()),
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
        self.flush.next = self.context_row.val().state == self.error_state.val();
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
        self.wants.next = self.wqe.val().get_bit(8) | self.context_row.val().sig_all | self.second.val();
        self.size.next = self.one.val() << self.context_row.val().log2;
        self.mask.next = self.size.val() - 1;
        self.count.next = self.mark.val().count;
        if self.second.val() {
            self.count.next = self.mark.val().count - 1;
        }
        self.data.next = self.is_data.val();
        self.item.next.wqe = self.wqe.val();
        self.item.next.qp = self.mark.val().qp;
        self.item.next.pd = self.context_row.val().pd;
        self.item.next.slot = self.count.val() & self.mask.val();
        self.item.next.signalled = self.wants.val();
        self.item.next.flush = self.flush.val();
        self.item.next.silent = self.silent.val();
        self.item.next.syndrome = self.syndrome.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    /// A slot in a ring of 16, as the tests vary it.
    struct Case {
        opcode: u8,
        flags: u8,
        blocks: u8,
        error: bool,
        follows: bool,
        second: bool,
        state: u8,
        sig_all: bool,
        count: u64,
    }

    const LOCAL: Case = Case {
        opcode: opcode::REG_MR,
        flags: 0,
        blocks: 1,
        error: false,
        follows: true,
        second: false,
        state: qp::RTS,
        sig_all: false,
        count: 0x1_0005 & 0xFFFF,
    };

    fn classify(case: Case) -> WorkItem {
        let mut uut = Classify::default();
        uut.connect_all();
        let mut bytes = [0x5A; 64];
        bytes[..3].copy_from_slice(&[case.opcode, case.flags, case.blocks]);
        uut.wqe.next = BigUint::from_bytes_le(&bytes).into();
        uut.error.next = case.error;
        uut.mark.next = SlotMark { qp: 9.into(), count: case.count.into(), follows: case.follows };
        uut.context_row.next = SqContext {
            pd: 0x77.into(),
            log2: 4.into(),
            state: case.state.to_bits(),
            sig_all: case.sig_all,
            ..Default::default()
        };
        uut.second.next = case.second;
        assert!(simulate(&mut uut, 10));
        let item = uut.item.val();
        assert_eq!((item.qp.to_u64(), item.pd.to_u64()), (9, 0x77));
        assert_eq!(BigUint::from(item.wqe), BigUint::from_bytes_le(&bytes));
        item
    }

    fn syndrome(case: Case) -> u64 {
        classify(case).syndrome.to_u64()
    }

    #[test]
    fn a2_reg_mr_and_local_inv_pass_whatever_their_fields_are() {
        for opcode in [opcode::REG_MR, opcode::LOCAL_INV] {
            for blocks in [0, 1, 2, 255] {
                let item = classify(Case { opcode, blocks, flags: 0xFE, ..LOCAL });
                assert!(!item.silent && !item.flush && !item.signalled);
                assert_eq!((item.syndrome.to_u64(), item.slot.to_u64()), (0, 5));
            }
        }
    }

    #[test]
    fn d19_every_other_opcode_is_a_format_error() {
        for opcode in (0..=255).filter(|code| ![opcode::REG_MR, opcode::LOCAL_INV].contains(code)) {
            assert_eq!(syndrome(Case { opcode, ..LOCAL }), u64::from(syndrome::WQE_FORMAT), "{opcode:02X}");
        }
    }

    #[test]
    fn t73_only_a_data_wr_of_two_blocks_is_silent_on_its_first() {
        for opcode in 0..=255u8 {
            for blocks in [0, 1, 2, 3, 255] {
                let item = classify(Case { opcode, blocks, ..LOCAL });
                assert_eq!(item.silent, DATA_OPCODES.contains(&opcode) && blocks == 2, "{opcode:02X} {blocks}");
                assert!(!item.silent || item.syndrome.to_u64() == 0);
            }
        }
    }

    #[test]
    fn t10_the_second_block_reports_with_the_number_of_the_first() {
        for (count, slot) in [(6, 5), (16, 15), (0, 15), (1, 0)] {
            let item = classify(Case { opcode: 0x33, second: true, count, ..LOCAL });
            assert!(!item.silent && item.signalled);
            assert_eq!((item.slot.to_u64(), item.syndrome.to_u64()), (slot, u64::from(syndrome::WQE_FORMAT)));
            // Even if it looks like a request of its own.
            assert_eq!(syndrome(Case { second: true, count, ..LOCAL }), u64::from(syndrome::WQE_FORMAT));
            assert!(!classify(Case { opcode: 0, blocks: 2, second: true, count, ..LOCAL }).silent);
        }
    }

    #[test]
    fn t10_without_its_second_block_posted_a_wr_is_one_block() {
        let item = classify(Case { opcode: opcode::SEND, blocks: 2, follows: false, ..LOCAL });
        assert!(!item.silent);
        assert_eq!(item.syndrome.to_u64(), u64::from(syndrome::WQE_FORMAT));
    }

    #[test]
    fn t10_t73_a_failed_fetch_is_one_block_with_syndrome_40() {
        for opcode in [opcode::REG_MR, opcode::SEND, 0xEE] {
            let item = classify(Case { opcode, blocks: 2, error: true, ..LOCAL });
            assert!(!item.silent);
            assert_eq!(item.syndrome.to_u64(), u64::from(syndrome::PAYLOAD_BUS));
        }
        assert_eq!(syndrome(Case { second: true, error: true, ..LOCAL }), u64::from(syndrome::PAYLOAD_BUS));
    }

    #[test]
    fn d11_t73_in_err_everything_is_flushed_and_two_blocks_still_report_once() {
        for (opcode, error) in [(opcode::REG_MR, false), (opcode::SEND, true), (0xEE, false)] {
            let item = classify(Case { opcode, error, state: qp::ERR, ..LOCAL });
            assert!(item.flush && !item.silent);
            assert_eq!(item.syndrome.to_u64(), 0);
        }
        assert!(classify(Case { opcode: opcode::WRITE, blocks: 2, state: qp::ERR, ..LOCAL }).silent);
        let second = classify(Case { second: true, state: qp::ERR, ..LOCAL });
        assert!(second.flush && !second.silent && second.slot.to_u64() == 4);
    }

    #[test]
    fn d10_signalled_by_flag_or_by_the_queue_pair() {
        assert!(classify(Case { flags: 1, ..LOCAL }).signalled);
        assert!(classify(Case { sig_all: true, ..LOCAL }).signalled);
        assert!(!classify(Case { flags: 2, ..LOCAL }).signalled);
    }
}
