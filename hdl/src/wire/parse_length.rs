//! Length of the extension headers by opcode (section 6). Combinational, a function of five bits.
use rnic_abi::bth;
use rust_hdl::prelude::*;

/// 32-bit words behind the BTH for each opcode of the RC range; `None`: reserved.
pub(super) fn extension_words(opcode: u8) -> Option<u64> {
    match opcode {
        bth::SEND_FIRST | bth::SEND_MIDDLE | bth::SEND_LAST | bth::SEND_ONLY => Some(0),
        bth::WRITE_MIDDLE | bth::WRITE_LAST | bth::READ_RESPONSE_MIDDLE => Some(0),
        bth::SEND_LAST_IMM | bth::SEND_ONLY_IMM | bth::WRITE_LAST_IMM => Some(1),
        bth::SEND_LAST_INV | bth::SEND_ONLY_INV => Some(1),
        bth::READ_RESPONSE_FIRST | bth::READ_RESPONSE_LAST | bth::READ_RESPONSE_ONLY | bth::ACKNOWLEDGE => Some(1),
        bth::ATOMIC_ACKNOWLEDGE => Some(3),
        bth::WRITE_FIRST | bth::WRITE_ONLY | bth::READ_REQUEST => Some(4),
        bth::WRITE_ONLY_IMM => Some(5),
        bth::COMPARE_SWAP | bth::FETCH_ADD => Some(7),
        _ => None,
    }
}

/// Extension headers of an opcode of the RC range.
#[derive(LogicBlock)]
pub struct ExtensionLength {
    /// Lower five bits of the opcode.
    pub opcode: Signal<In, Bits<5>>,
    /// Words of the extension headers, 0 for a reserved opcode.
    pub words: Signal<Out, Bits<3>>,
    /// The opcode is reserved (T90).
    pub reserved: Signal<Out, Bit>,
    codes: [Constant<Bits<5>>; 32],
    lengths: [Constant<Bits<3>>; 32],
    none: [Constant<Bit>; 32],
}

impl Default for ExtensionLength {
    fn default() -> Self {
        Self {
            opcode: Default::default(),
            words: Default::default(),
            reserved: Default::default(),
            codes: std::array::from_fn(|i| Constant::new(i.to_bits())),
            lengths: std::array::from_fn(|i| Constant::new(bits(extension_words(i as u8).unwrap_or(0)))),
            none: std::array::from_fn(|i| Constant::new(extension_words(i as u8).is_none())),
        }
    }
}

impl Logic for ExtensionLength {
    #[hdl_gen]
    fn update(&mut self) {
        self.words.next = 0.into();
        self.reserved.next = false;
        for i in 0..32 {
            if self.opcode.val() == self.codes[i].val() {
                self.words.next = self.lengths[i].val();
                self.reserved.next = self.none[i].val();
            }
        }
    }
}
