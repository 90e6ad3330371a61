//! What a frame is, by its BTH opcode: a table of one bit an opcode and property. Combinational, two LUT levels.
use super::records::Kind;
use rnic_abi::bth::*;
use rust_hdl::prelude::*;

/// Opcode to [`Kind`]; all clear for opcodes outside the reliable connection service and for reserved ones (T90).
#[derive(LogicBlock)]
pub struct OpcodeKind {
    /// BTH opcode.
    pub opcode: Signal<In, Bits<8>>,
    /// What it is.
    pub kind: Signal<Out, Kind>,
    low: Signal<Local, Bits<5>>,
    high: Signal<Local, Bits<3>>,
    shifted: Signal<Local, Bits<32>>,
    hot: Signal<Local, Bits<32>>,
    one: Constant<Bits<32>>,
    send: Constant<Bits<32>>,
    write: Constant<Bits<32>>,
    read: Constant<Bits<32>>,
    atomic: Constant<Bits<32>>,
    starts: Constant<Bits<32>>,
    ends: Constant<Bits<32>>,
    imm: Constant<Bits<32>>,
    inv: Constant<Bits<32>>,
    adds: Constant<Bits<32>>,
    request: Constant<Bits<32>>,
    response: Constant<Bits<32>>,
}

/// One bit for each opcode of a list.
fn set(opcodes: &[u8]) -> Constant<Bits<32>> {
    Constant::new(bits(opcodes.iter().fold(0, |mask, opcode| mask | 1u64 << opcode)))
}

const SENDS: [u8; 8] =
    [SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_LAST_IMM, SEND_ONLY, SEND_ONLY_IMM, SEND_LAST_INV, SEND_ONLY_INV];
const WRITES: [u8; 6] = [WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_LAST_IMM, WRITE_ONLY, WRITE_ONLY_IMM];
const ATOMICS: [u8; 2] = [COMPARE_SWAP, FETCH_ADD];
const STARTS: [u8; 10] = [
    SEND_FIRST,
    SEND_ONLY,
    SEND_ONLY_IMM,
    SEND_ONLY_INV,
    WRITE_FIRST,
    WRITE_ONLY,
    WRITE_ONLY_IMM,
    READ_REQUEST,
    COMPARE_SWAP,
    FETCH_ADD,
];
const ENDS: [u8; 13] = [
    SEND_LAST,
    SEND_LAST_IMM,
    SEND_LAST_INV,
    SEND_ONLY,
    SEND_ONLY_IMM,
    SEND_ONLY_INV,
    WRITE_LAST,
    WRITE_LAST_IMM,
    WRITE_ONLY,
    WRITE_ONLY_IMM,
    READ_REQUEST,
    COMPARE_SWAP,
    FETCH_ADD,
];
const RESPONSES: [u8; 6] = [
    READ_RESPONSE_FIRST,
    READ_RESPONSE_MIDDLE,
    READ_RESPONSE_LAST,
    READ_RESPONSE_ONLY,
    ACKNOWLEDGE,
    ATOMIC_ACKNOWLEDGE,
];

impl Default for OpcodeKind {
    fn default() -> Self {
        Self {
            opcode: Default::default(),
            kind: Default::default(),
            low: Default::default(),
            high: Default::default(),
            shifted: Default::default(),
            hot: Default::default(),
            one: Constant::new(1.into()),
            send: set(&SENDS),
            write: set(&WRITES),
            read: set(&[READ_REQUEST]),
            atomic: set(&ATOMICS),
            starts: set(&STARTS),
            ends: set(&ENDS),
            imm: set(&[SEND_LAST_IMM, SEND_ONLY_IMM, WRITE_LAST_IMM, WRITE_ONLY_IMM]),
            inv: set(&[SEND_LAST_INV, SEND_ONLY_INV]),
            adds: set(&[FETCH_ADD]),
            request: set(&[&SENDS[..], &WRITES[..], &[READ_REQUEST], &ATOMICS[..]].concat()),
            response: set(&RESPONSES),
        }
    }
}

impl Logic for OpcodeKind {
    #[hdl_gen]
    fn update(&mut self) {
        self.low.next = self.opcode.val().get_bits::<5>(0);
        self.high.next = self.opcode.val().get_bits::<3>(5);
        self.shifted.next = self.one.val() << self.low.val();
        self.hot.next = 0.into();
        if self.high.val() == 0 {
            self.hot.next = self.shifted.val();
        }
        self.kind.next.send = (self.hot.val() & self.send.val()).any();
        self.kind.next.write = (self.hot.val() & self.write.val()).any();
        self.kind.next.read = (self.hot.val() & self.read.val()).any();
        self.kind.next.atomic = (self.hot.val() & self.atomic.val()).any();
        self.kind.next.starts = (self.hot.val() & self.starts.val()).any();
        self.kind.next.ends = (self.hot.val() & self.ends.val()).any();
        self.kind.next.imm = (self.hot.val() & self.imm.val()).any();
        self.kind.next.inv = (self.hot.val() & self.inv.val()).any();
        self.kind.next.adds = (self.hot.val() & self.adds.val()).any();
        self.kind.next.request = (self.hot.val() & self.request.val()).any();
        self.kind.next.response = (self.hot.val() & self.response.val()).any();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rnic_abi::bth::Frame;

    #[test]
    fn t90_every_opcode_has_its_kind_and_reserved_ones_have_none() {
        let mut uut = OpcodeKind::default();
        uut.connect_all();
        for code in 0..=255u8 {
            uut.opcode.next = u64::from(code).into();
            assert!(simulate(&mut uut, 10));
            let kind = uut.kind.val();
            let name = Frame::from_u8(code).map(|frame| format!("{frame:?}")).unwrap_or_default();
            let has = |part: &str| name.contains(part);
            let request = !name.is_empty() && !has("Response") && !has("Acknowledge");
            assert_eq!(kind.send, has("Send"), "{name}");
            assert_eq!(kind.write, has("Write"), "{name}");
            assert_eq!(kind.read, has("ReadRequest"), "{name}");
            assert_eq!(kind.atomic, name == "CompareSwap" || name == "FetchAdd", "{name}");
            assert_eq!(kind.adds, name == "FetchAdd", "{name}");
            assert_eq!(kind.imm, has("Imm"), "{name}");
            assert_eq!(kind.inv, has("Inv"), "{name}");
            assert_eq!((kind.request, kind.response), (request, !name.is_empty() && !request), "{name}");
            assert_eq!(kind.starts, request && !has("Middle") && !has("Last"), "{name}");
            assert_eq!(kind.ends, request && !has("Middle") && !has("First"), "{name}");
        }
    }
}
