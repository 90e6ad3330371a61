//! What a response frame is, by opcode and AETH syndrome (T26 to T37). Combinational.
//!
//! Reserved syndromes are of no kind and are ignored (T28); so are all with bit 7 set.
use super::ack_records::AnswerKind;
use rnic_abi::{aeth, bth};
use rust_hdl::prelude::*;

/// Classifies a response frame.
#[derive(LogicBlock)]
pub struct Answer {
    /// BTH opcode.
    pub opcode: Signal<In, Bits<8>>,
    /// AETH syndrome.
    pub syndrome: Signal<In, Bits<8>>,
    /// What it is.
    pub kind: Signal<Out, AnswerKind>,
    group: Signal<Local, Bits<3>>,
    is_ack: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    middle: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    only: Signal<Local, Bit>,
    atomic: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    rnr: Signal<Local, Bit>,
    gap: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    acknowledge: Constant<Bits<8>>,
    read_first: Constant<Bits<8>>,
    read_middle: Constant<Bits<8>>,
    read_last: Constant<Bits<8>>,
    read_only: Constant<Bits<8>>,
    atomic_acknowledge: Constant<Bits<8>>,
    nak_sequence: Constant<Bits<8>>,
    nak_refused: [Constant<Bits<8>>; 3],
    ack_group: Constant<Bits<3>>,
    rnr_group: Constant<Bits<3>>,
}

impl Default for Answer {
    fn default() -> Self {
        let code = |code: u8| Constant::new(code.to_bits());
        Self {
            opcode: Default::default(),
            syndrome: Default::default(),
            kind: Default::default(),
            group: Default::default(),
            is_ack: Default::default(),
            first: Default::default(),
            middle: Default::default(),
            last: Default::default(),
            only: Default::default(),
            atomic: Default::default(),
            good: Default::default(),
            rnr: Default::default(),
            gap: Default::default(),
            refused: Default::default(),
            acknowledge: code(bth::ACKNOWLEDGE),
            read_first: code(bth::READ_RESPONSE_FIRST),
            read_middle: code(bth::READ_RESPONSE_MIDDLE),
            read_last: code(bth::READ_RESPONSE_LAST),
            read_only: code(bth::READ_RESPONSE_ONLY),
            atomic_acknowledge: code(bth::ATOMIC_ACKNOWLEDGE),
            nak_sequence: code(aeth::SEQUENCE),
            nak_refused: [aeth::INVALID_REQUEST, aeth::REMOTE_ACCESS, aeth::REMOTE_OPERATION].map(code),
            ack_group: Constant::new((aeth::ACK >> 5).to_bits()),
            rnr_group: Constant::new((aeth::RNR >> 5).to_bits()),
        }
    }
}

impl Logic for Answer {
    #[hdl_gen]
    fn update(&mut self) {
        self.group.next = self.syndrome.val().get_bits::<3>(5);
        self.is_ack.next = self.opcode.val() == self.acknowledge.val();
        self.first.next = self.opcode.val() == self.read_first.val();
        self.middle.next = self.opcode.val() == self.read_middle.val();
        self.last.next = self.opcode.val() == self.read_last.val();
        self.only.next = self.opcode.val() == self.read_only.val();
        self.atomic.next = self.opcode.val() == self.atomic_acknowledge.val();
        self.good.next = self.group.val() == self.ack_group.val();
        self.rnr.next = self.is_ack.val() & (self.group.val() == self.rnr_group.val());
        self.gap.next = self.is_ack.val() & (self.syndrome.val() == self.nak_sequence.val());
        self.refused.next = false;
        for i in 0..3 {
            if self.syndrome.val() == self.nak_refused[i].val() {
                self.refused.next = self.is_ack.val();
            }
        }
        self.kind.next.ack = self.is_ack.val() & self.good.val();
        self.kind.next.rnr = self.rnr.val();
        self.kind.next.gap = self.gap.val();
        self.kind.next.refused = self.refused.val();
        self.kind.next.read = self.first.val() | self.middle.val() | self.last.val() | self.only.val();
        self.kind.next.atomic = self.atomic.val();
        self.kind.next.goes_on = self.first.val() | self.middle.val();
        self.kind.next.closes = self.last.val() | self.only.val();
        self.kind.next.unlike_ack = !self.good.val() & !self.middle.val();
        self.kind.next.code = self.syndrome.val().get_bits::<5>(0);
        self.kind.next.unknown =
            self.is_ack.val() & !self.good.val() & !self.rnr.val() & !self.gap.val() & !self.refused.val();
    }
}
