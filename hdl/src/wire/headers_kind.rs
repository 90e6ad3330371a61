//! Which extension headers an opcode has, and how many bytes they take (section 6). Combinational.
use rnic_abi::bth;
use rust_hdl::prelude::*;

record! {
    /// Extension headers of a frame; at most RETH with ImmDt, and AETH with AtomicAckETH, come together.
    Extensions, 6 {
        /// RETH.
        reth: Bit,
        /// AtomicETH.
        atomic: Bit,
        /// AETH.
        aeth: Bit,
        /// AtomicAckETH, behind AETH.
        result: Bit,
        /// ImmDt.
        immediate: Bit,
        /// IETH.
        invalidate: Bit,
    }
}

/// Table of extension headers. Opcodes outside the RC range (00 to 1F) and reserved ones count as without any.
#[derive(LogicBlock)]
pub struct HeaderKind {
    /// BTH opcode.
    pub opcode: Signal<In, Bits<8>>,
    /// Its extension headers.
    pub extensions: Signal<Out, Extensions>,
    /// Bytes of all of them, 0 to 28.
    pub bytes: Signal<Out, Bits<5>>,
    number: Signal<Local, Bits<5>>,
    has: Signal<Local, Extensions>,
    reth: Signal<Local, Bits<32>>,
    atomic: Signal<Local, Bits<32>>,
    aeth: Signal<Local, Bits<32>>,
    result: Signal<Local, Bits<32>>,
    immediate: Signal<Local, Bits<32>>,
    invalidate: Signal<Local, Bits<32>>,
    of_reth: Constant<Bits<32>>,
    of_atomic: Constant<Bits<32>>,
    of_aeth: Constant<Bits<32>>,
    of_result: Constant<Bits<32>>,
    of_immediate: Constant<Bits<32>>,
    of_invalidate: Constant<Bits<32>>,
}

/// One bit for each opcode.
fn set(opcodes: &[u8]) -> Constant<Bits<32>> {
    Constant::new(bits(opcodes.iter().fold(0, |set, opcode| set | 1u64 << opcode)))
}

impl Default for HeaderKind {
    fn default() -> Self {
        let answers = [bth::READ_RESPONSE_FIRST, bth::READ_RESPONSE_LAST, bth::READ_RESPONSE_ONLY, bth::ACKNOWLEDGE];
        Self {
            opcode: Default::default(),
            extensions: Default::default(),
            bytes: Default::default(),
            number: Default::default(),
            has: Default::default(),
            reth: Default::default(),
            atomic: Default::default(),
            aeth: Default::default(),
            result: Default::default(),
            immediate: Default::default(),
            invalidate: Default::default(),
            of_reth: set(&[bth::WRITE_FIRST, bth::WRITE_ONLY, bth::WRITE_ONLY_IMM, bth::READ_REQUEST]),
            of_atomic: set(&[bth::COMPARE_SWAP, bth::FETCH_ADD]),
            of_aeth: set(&[&answers[..], &[bth::ATOMIC_ACKNOWLEDGE]].concat()),
            of_result: set(&[bth::ATOMIC_ACKNOWLEDGE]),
            of_immediate: set(&[bth::SEND_LAST_IMM, bth::SEND_ONLY_IMM, bth::WRITE_LAST_IMM, bth::WRITE_ONLY_IMM]),
            of_invalidate: set(&[bth::SEND_LAST_INV, bth::SEND_ONLY_INV]),
        }
    }
}

impl Logic for HeaderKind {
    #[hdl_gen]
    fn update(&mut self) {
        self.number.next = self.opcode.val().get_bits::<5>(0);
        self.reth.next = self.of_reth.val() >> self.number.val();
        self.atomic.next = self.of_atomic.val() >> self.number.val();
        self.aeth.next = self.of_aeth.val() >> self.number.val();
        self.result.next = self.of_result.val() >> self.number.val();
        self.immediate.next = self.of_immediate.val() >> self.number.val();
        self.invalidate.next = self.of_invalidate.val() >> self.number.val();
        self.has.next.reth = self.reth.val().get_bit(0);
        self.has.next.atomic = self.atomic.val().get_bit(0);
        self.has.next.aeth = self.aeth.val().get_bit(0);
        self.has.next.result = self.result.val().get_bit(0);
        self.has.next.immediate = self.immediate.val().get_bit(0);
        self.has.next.invalidate = self.invalidate.val().get_bit(0);
        self.extensions.next = self.has.val();
        self.bytes.next = 0.into();
        if self.has.val().aeth | self.has.val().immediate | self.has.val().invalidate {
            self.bytes.next = 4.into();
        }
        if self.has.val().result {
            self.bytes.next = 12.into();
        }
        if self.has.val().atomic {
            self.bytes.next = 28.into();
        }
        if self.has.val().reth {
            self.bytes.next = 16.into();
            if self.has.val().immediate {
                self.bytes.next = 20.into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t92_bytes_of_the_extension_headers_by_opcode() {
        let expected =
            [0, 0, 0, 4, 0, 4, 16, 0, 0, 4, 16, 20, 16, 4, 0, 4, 4, 4, 12, 28, 28, 0, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0];
        let mut uut = HeaderKind::default();
        uut.connect_all();
        for (opcode, bytes) in expected.into_iter().enumerate() {
            uut.opcode.next = bits(opcode as u64);
            assert!(simulate(&mut uut, 10));
            assert_eq!(uut.bytes.val(), bits::<5>(bytes), "opcode {opcode:02x}");
        }
    }
}
