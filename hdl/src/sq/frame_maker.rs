//! Makes the frame and the span of a piece of a WQE (rules T12 to T14, T16, T38, T44). Combinational.
//!
//! Opcode, headers and payload depend on the place in the message alone, so a packet that is sent again equals its first copy
//! in all but the wish for an acknowledgement.
use super::{kind, DataWqe, HeldWqe, Piece};
use crate::rx::RequesterContext;
use crate::types::WorkItem;
use crate::wire::{Span, TxFrame};
use rnic_abi::bth;
use rust_hdl::prelude::*;

/// Packets without a wish for an acknowledgement before one has it (T14).
pub const ACK_EVERY: u64 = 65;

/// Frame and span of the piece at the cursor.
#[derive(LogicBlock)]
pub struct FrameMaker {
    /// The WQE in fields.
    pub wqe: Signal<In, DataWqe>,
    /// The WQE as it was fetched.
    pub held: Signal<In, HeldWqe>,
    /// The piece.
    pub piece: Signal<In, Piece>,
    /// Offset of the piece in the message.
    pub offset: Signal<In, Bits<32>>,
    /// Its PSN.
    pub psn: Signal<In, Bits<24>>,
    /// Frames issued before it.
    pub issued: Signal<In, Bits<12>>,
    /// Packets since the last wish for an acknowledgement.
    pub unasked: Signal<In, Bits<7>>,
    /// It fills the window.
    pub fills: Signal<In, Bit>,
    /// Attributes of the queue pair.
    pub attributes: Signal<In, RequesterContext>,
    /// The frame. Its tag is the index of the queue pair and above it the number of the frame; bit 31 is 0.
    pub frame: Signal<Out, TxFrame>,
    /// Its payload; no bytes for READ requests and atomics.
    pub span: Signal<Out, Span>,
    now: Signal<Local, DataWqe>,
    part: Signal<Local, Piece>,
    taken: Signal<Local, HeldWqe>,
    item: Signal<Local, WorkItem>,
    of: Signal<Local, RequesterContext>,
    block: Signal<Local, Bits<512>>,
    upper: Signal<Local, Bits<512>>,
    data: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    payload: Signal<Local, Bits<13>>,
    plain: Signal<Local, Bits<8>>,
    special: Signal<Local, Bits<8>>,
    tag: Signal<Local, Bits<32>>,
    low_tag: Signal<Local, Bits<32>>,
    send_write: Constant<Bits<3>>,
    every: Constant<Bits<7>>,
    first: [Constant<Bits<8>>; 2],
    middle: [Constant<Bits<8>>; 2],
    last: [Constant<Bits<8>>; 2],
    last_data: [Constant<Bits<8>>; 2],
    only: [Constant<Bits<8>>; 2],
    only_data: [Constant<Bits<8>>; 2],
    last_key: Constant<Bits<8>>,
    only_key: Constant<Bits<8>>,
    read: Constant<Bits<8>>,
    swap: Constant<Bits<8>>,
    add: Constant<Bits<8>>,
    frame_zero: Constant<TxFrame>,
    span_zero: Constant<Span>,
}

impl Default for FrameMaker {
    fn default() -> Self {
        let pair = |send: u8, write: u8| [Constant::new(send.to_bits()), Constant::new(write.to_bits())];
        Self {
            wqe: Default::default(),
            held: Default::default(),
            piece: Default::default(),
            offset: Default::default(),
            psn: Default::default(),
            issued: Default::default(),
            unasked: Default::default(),
            fills: Default::default(),
            attributes: Default::default(),
            frame: Default::default(),
            span: Default::default(),
            now: Default::default(),
            part: Default::default(),
            taken: Default::default(),
            item: Default::default(),
            of: Default::default(),
            block: Default::default(),
            upper: Default::default(),
            data: Default::default(),
            asks: Default::default(),
            payload: Default::default(),
            plain: Default::default(),
            special: Default::default(),
            tag: Default::default(),
            low_tag: Default::default(),
            send_write: Constant::new(kind::SEND_WRITE.to_bits()),
            every: Constant::new(ACK_EVERY.to_bits()),
            first: pair(bth::SEND_FIRST, bth::WRITE_FIRST),
            middle: pair(bth::SEND_MIDDLE, bth::WRITE_MIDDLE),
            last: pair(bth::SEND_LAST, bth::WRITE_LAST),
            last_data: pair(bth::SEND_LAST_IMM, bth::WRITE_LAST_IMM),
            only: pair(bth::SEND_ONLY, bth::WRITE_ONLY),
            only_data: pair(bth::SEND_ONLY_IMM, bth::WRITE_ONLY_IMM),
            last_key: Constant::new(bth::SEND_LAST_INV.to_bits()),
            only_key: Constant::new(bth::SEND_ONLY_INV.to_bits()),
            read: Constant::new(bth::READ_REQUEST.to_bits()),
            swap: Constant::new(bth::COMPARE_SWAP.to_bits()),
            add: Constant::new(bth::FETCH_ADD.to_bits()),
            frame_zero: Constant::new(Default::default()),
            span_zero: Constant::new(Default::default()),
        }
    }
}

impl Logic for FrameMaker {
    #[hdl_gen]
    fn update(&mut self) {
        self.now.next = self.wqe.val();
        self.part.next = self.piece.val();
        self.taken.next = self.held.val();
        self.item.next = self.taken.val().item;
        self.of.next = self.attributes.val();
        self.block.next = self.item.val().wqe;
        self.upper.next = 0.into();
        if self.taken.val().double {
            self.upper.next = self.taken.val().second;
        }
        self.data.next = self.now.val().kind == self.send_write.val();
        self.payload.next = 0.into();
        if self.data.val() {
            self.payload.next = bit_cast::<13, 32>(self.part.val().bytes);
        }

        // Opcode by place in the message: index 0 SEND, 1 WRITE.
        self.plain.next = self.middle[0].val();
        if self.part.val().last & !self.part.val().first {
            self.plain.next = self.last[0].val();
            if self.now.val().with_data {
                self.plain.next = self.last_data[0].val();
            }
            if self.now.val().with_key {
                self.plain.next = self.last_key.val();
            }
        }
        if self.part.val().first {
            self.plain.next = self.first[0].val();
            if self.part.val().last {
                self.plain.next = self.only[0].val();
                if self.now.val().with_data {
                    self.plain.next = self.only_data[0].val();
                }
                if self.now.val().with_key {
                    self.plain.next = self.only_key.val();
                }
            }
        }
        self.special.next = self.middle[1].val();
        if self.part.val().last & !self.part.val().first {
            self.special.next = self.last[1].val();
            if self.now.val().with_data {
                self.special.next = self.last_data[1].val();
            }
        }
        if self.part.val().first {
            self.special.next = self.first[1].val();
            if self.part.val().last {
                self.special.next = self.only[1].val();
                if self.now.val().with_data {
                    self.special.next = self.only_data[1].val();
                }
            }
        }
        if !self.data.val() {
            self.special.next = self.add.val();
            if self.now.val().read {
                self.special.next = self.read.val();
            }
            if self.now.val().swap {
                self.special.next = self.swap.val();
            }
        }
        self.asks.next =
            self.part.val().last | !self.data.val() | self.fills.val() | (self.unasked.val() == self.every.val());
        self.low_tag.next = bit_cast::<32, 8>(self.item.val().qp);
        self.tag.next = bit_cast::<32, 12>(self.issued.val());

        self.frame.next = self.frame_zero.val();
        self.frame.next.qp = self.item.val().qp;
        self.frame.next.opcode = self.special.val();
        if self.now.val().send {
            self.frame.next.opcode = self.plain.val();
        }
        self.frame.next.solicited = self.now.val().solicited & self.part.val().last;
        self.frame.next.ack_request = self.asks.val();
        self.frame.next.psn = self.psn.val();
        self.frame.next.va = self.part.val().address;
        self.frame.next.rkey = self.now.val().rkey;
        self.frame.next.length = self.now.val().total;
        if self.now.val().read {
            self.frame.next.length = self.part.val().bytes;
        }
        self.frame.next.swap = self.now.val().value;
        self.frame.next.compare = self.now.val().compare;
        self.frame.next.immediate = self.now.val().immediate;
        self.frame.next.payload = self.payload.val();
        self.frame.next.tag = (self.tag.val() << 8) | self.low_tag.val();

        self.span.next = self.span_zero.val();
        self.span.next.address0 = self.block.val().get_bits::<64>(256);
        self.span.next.length0 = self.block.val().get_bits::<32>(320);
        self.span.next.key0 = self.block.val().get_bits::<32>(352);
        if !self.now.val().swap {
            self.span.next.address1 = self.block.val().get_bits::<64>(384);
        }
        self.span.next.length1 = self.block.val().get_bits::<32>(448);
        self.span.next.key1 = self.block.val().get_bits::<32>(480);
        self.span.next.address2 = self.upper.val().get_bits::<64>(0);
        self.span.next.length2 = self.upper.val().get_bits::<32>(64);
        self.span.next.key2 = self.upper.val().get_bits::<32>(96);
        self.span.next.address3 = self.upper.val().get_bits::<64>(128);
        self.span.next.length3 = self.upper.val().get_bits::<32>(192);
        self.span.next.key3 = self.upper.val().get_bits::<32>(224);
        self.span.next.skip = self.offset.val();
        self.span.next.bytes = self.payload.val();
        self.span.next.pd = self.of.val().pd;
        self.span.next.privileged = self.of.val().privileged;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sq::WqeFields;
    use num_bigint::BigUint;
    use rnic_abi::{opcode, wqe::Data, wqe::Sge};

    fn word(bytes: &[u8]) -> Bits<512> {
        BigUint::from_bytes_le(bytes).into()
    }

    /// The fields of a WR and its bytes.
    fn take(wr: &Data) -> (DataWqe, HeldWqe) {
        let [first, second] = wr.encode();
        let mut uut = WqeFields::default();
        uut.connect_all();
        uut.block.next = word(&first);
        uut.second.next = word(&second);
        uut.two_blocks.next = wr.blocks() == 2;
        for _ in 0..3 {
            crate::check::tick(&mut uut, |u| &mut u.clock);
        }
        let item = WorkItem { wqe: word(&first), qp: 3.into(), ..Default::default() };
        let held = HeldWqe { item, second: word(&second), double: wr.blocks() == 2, ..Default::default() };
        (uut.wqe.val(), held)
    }

    fn make(wr: &Data, piece: Piece, unasked: u64, fills: bool) -> (TxFrame, Span) {
        let (wqe, held) = take(wr);
        assert!(!wqe.bad, "{wr:?}");
        let mut uut = FrameMaker::default();
        uut.connect_all();
        uut.wqe.next = wqe;
        uut.held.next = held;
        uut.piece.next = piece;
        uut.offset.next = 0x1000.into();
        uut.psn.next = 0xABCDEF.into();
        uut.issued.next = 0xFFF.into();
        uut.unasked.next = unasked.into();
        uut.fills.next = fills;
        uut.attributes.next = RequesterContext { pd: 0x77.into(), privileged: true, ..Default::default() };
        assert!(simulate(&mut uut, 10));
        (uut.frame.val(), uut.span.val())
    }

    fn wr(opcode: u8) -> Data {
        let mut wr = Data { opcode, num_sge: 1, ..Default::default() };
        wr.sges[0] = Sge { address: 0x7000_1234, length: 5000, lkey: 0x2A01 };
        if opcode == opcode::SEND_IMM || opcode == opcode::SEND_INV || opcode == opcode::WRITE_IMM {
            wr.imm = 0xDEAD_BEEF;
        }
        if opcode == opcode::READ_INV {
            wr.imm = wr.sges[0].lkey;
        }
        if ![opcode::SEND, opcode::SEND_IMM, opcode::SEND_INV].contains(&opcode) {
            (wr.remote_address, wr.rkey) = (0x1122_3344_5566_7788, 0x1A2B);
        }
        if [opcode::CMP_SWAP, opcode::FETCH_ADD].contains(&opcode) {
            wr.swap_add = 9;
            wr.sges[0].length = 8;
        }
        if opcode == opcode::CMP_SWAP {
            wr.compare = 11;
        }
        wr
    }

    fn piece(first: bool, last: bool) -> Piece {
        Piece { first, last, bytes: 1024.into(), address: 0x5000.into(), ..Default::default() }
    }

    #[test]
    fn t12_the_opcode_tells_the_place_in_the_message() {
        for (opcode, codes) in [
            (opcode::SEND, [0x00, 0x01, 0x02, 0x04]),
            (opcode::SEND_IMM, [0x00, 0x01, 0x03, 0x05]),
            (opcode::SEND_INV, [0x00, 0x01, 0x16, 0x17]),
            (opcode::WRITE, [0x06, 0x07, 0x08, 0x0A]),
            (opcode::WRITE_IMM, [0x06, 0x07, 0x09, 0x0B]),
            (opcode::READ, [0x0C; 4]),
            (opcode::READ_INV, [0x0C; 4]),
            (opcode::CMP_SWAP, [0x13; 4]),
            (opcode::FETCH_ADD, [0x14; 4]),
        ] {
            for (place, code) in [(true, false), (false, false), (false, true), (true, true)].into_iter().zip(codes) {
                let (frame, span) = make(&wr(opcode), piece(place.0, place.1), 0, false);
                assert_eq!(frame.opcode.to_u64(), code, "{opcode:02X} {place:?}");
                let data = opcode < opcode::READ;
                assert_eq!(frame.payload.to_u64(), if data { 1024 } else { 0 });
                assert_eq!(span.bytes.to_u64(), frame.payload.to_u64());
                assert_eq!(frame.ack_request, place.1 || !data);
            }
        }
    }

    #[test]
    fn t14_an_acknowledgement_is_asked_for_in_the_66th_packet_and_when_the_window_is_full() {
        let asks = |unasked, fills| make(&wr(opcode::WRITE), piece(false, false), unasked, fills).0.ack_request;
        assert!(!asks(64, false) && asks(65, false) && asks(0, true) && !asks(0, false));
    }

    #[test]
    fn t13_solicited_only_in_the_last_packet() {
        let mut send = wr(opcode::SEND);
        send.flags = 4;
        assert!(!make(&send, piece(true, false), 0, false).0.solicited);
        assert!(make(&send, piece(false, true), 0, false).0.solicited);
        assert!(make(&send, piece(true, true), 0, false).0.solicited);
    }

    #[test]
    fn t12_t15_headers_carry_address_key_length_and_operands() {
        let (frame, span) = make(&wr(opcode::WRITE_IMM), piece(true, false), 0, false);
        assert_eq!((frame.va.to_u64(), frame.rkey.to_u64(), frame.length.to_u64()), (0x5000, 0x1A2B, 5000));
        assert_eq!((frame.immediate.to_u64(), frame.psn.to_u64(), frame.qp.to_u64()), (0xDEAD_BEEF, 0xABCDEF, 3));
        assert_eq!(frame.tag.to_u64(), 0xF_FF03);
        assert_eq!((span.skip.to_u64(), span.pd.to_u64(), span.privileged, span.remote), (0x1000, 0x77, true, false));
        assert_eq!((span.address0.to_u64(), span.length0.to_u64(), span.key0.to_u64()), (0x7000_1234, 5000, 0x2A01));
        assert_eq!(span.need.to_u64(), 0, "E5: the source of a SEND or WRITE needs no right");
        let (frame, _) = make(&wr(opcode::READ), piece(true, false), 0, false);
        assert_eq!(frame.length.to_u64(), 1024);
        let (frame, span) = make(&wr(opcode::CMP_SWAP), piece(true, true), 0, false);
        assert_eq!((frame.swap.to_u64(), frame.compare.to_u64()), (9, 11));
        assert_eq!(span.address1.to_u64(), 0);
    }

    #[test]
    fn t24_all_four_sges_are_in_the_span() {
        let mut send = wr(opcode::SEND);
        send.num_sge = 4;
        for n in 0..4 {
            send.sges[n] = Sge { address: 0x100 + n as u64, length: 10 + n as u32, lkey: 0x20 + n as u32 };
        }
        let (_, span) = make(&send, piece(true, true), 0, false);
        let addresses = [span.address0, span.address1, span.address2, span.address3].map(|bits| bits.to_u64());
        assert_eq!(addresses, [0x100, 0x101, 0x102, 0x103]);
        let lengths = [span.length0, span.length1, span.length2, span.length3].map(|bits| bits.to_u64());
        assert_eq!(lengths, [10, 11, 12, 13]);
        assert_eq!([span.key0, span.key1, span.key2, span.key3].map(|bits| bits.to_u64()), [0x20, 0x21, 0x22, 0x23]);
    }

    #[test]
    fn t10_every_format_error_is_found() {
        let spoil: &[(u8, &dyn Fn(&mut [u8]))] = &[
            (opcode::SEND, &|b| b[0] = 0x33),
            (opcode::READ, &|b| b[0] = opcode::READ_INV),
            (opcode::READ_INV, &|b| b[4] ^= 1),
            (opcode::READ_INV, &|b| b[0x2F] ^= 1),
            (opcode::READ_INV, &|b| b[3] = 2),
            (opcode::SEND, &|b| b[1] = 0x08),
            (opcode::SEND, &|b| b[1] = 0x80),
            (opcode::WRITE, &|b| b[1] = 0x04),
            (opcode::SEND, &|b| b[2] = 2),
            (opcode::SEND, &|b| b[2] = 0),
            (opcode::SEND, &|b| b[3] = 3),
            (opcode::SEND, &|b| b[3] = 5),
            (opcode::SEND, &|b| b[3] = 0),
            (opcode::SEND, &|b| b[4] = 1),
            (opcode::READ, &|b| b[7] = 1),
            (opcode::SEND, &|b| b[8] = 1),
            (opcode::SEND_INV, &|b| b[0x13] = 1),
            (opcode::WRITE, &|b| b[0x14] = 1),
            (opcode::WRITE, &|b| b[0x18] = 1),
            (opcode::WRITE, &|b| b[0x30] = 1),
            (opcode::CMP_SWAP, &|b| b[0x38] = 1),
            (opcode::FETCH_ADD, &|b| b[0x30] = 1),
            (opcode::FETCH_ADD, &|b| b[0x28] = 9),
            (opcode::CMP_SWAP, &|b| b[3] = 2),
            (opcode::WRITE, &|b| b[0x28..0x2C].copy_from_slice(&0x8000_0001u32.to_le_bytes())),
        ];
        let judge = |first: &[u8], second: &[u8], double| {
            let mut uut = WqeFields::default();
            uut.connect_all();
            uut.block.next = word(first);
            uut.second.next = word(second);
            uut.two_blocks.next = double;
            for _ in 0..3 {
                crate::check::tick(&mut uut, |u| &mut u.clock);
            }
            uut.wqe.val()
        };
        for (number, (opcode, change)) in spoil.iter().enumerate() {
            let [mut first, second] = wr(*opcode).encode();
            assert!(!judge(&first, &second, false).bad, "{opcode:02X}");
            change(&mut first);
            assert!(judge(&first, &second, false).bad, "spoil {number}");
        }
        let mut send = wr(opcode::SEND);
        send.num_sge = 4;
        send.sges = [1u32, 2, 3, 4].map(|n| Sge { address: 0, length: 0x2000_0000, lkey: n });
        let [first, mut second] = send.encode();
        let fine = judge(&first, &second, true);
        assert_eq!((fine.bad, fine.total.to_u64()), (false, 1 << 31));
        assert!(judge(&first, &second, false).bad, "its second block is not posted");
        second[0x20] = 1;
        assert!(judge(&first, &second, true).bad);
        send.sges[3].length += 1;
        let [first, second] = send.encode();
        assert!(judge(&first, &second, true).bad);
        // Local operations are judged elsewhere.
        let wqe = judge(&[[opcode::REG_MR, 0xFF, 7, 9].as_slice(), &[0xFF; 60]].concat(), &[0; 64], false);
        assert!(!wqe.bad && wqe.kind.to_u64() == kind::LOCAL);
    }

    #[test]
    fn t15_a_read_takes_a_request_a_mib() {
        for (length, chunks) in [(0, 1), (1, 1), (1 << 20, 1), ((1 << 20) + 1, 2), (5 << 20, 5), (1 << 31, 2048)] {
            let mut read = wr(opcode::READ);
            read.sges[0].length = length;
            assert_eq!(take(&read).0.chunks.to_u64(), chunks, "{length}");
        }
    }
}
