//! Fields of a frame as numbers, from its headers. Combinational: byte order, and a choice by opcode for the fields behind
//! the BTH (order of the extension headers: RETH before ImmDt).
use super::{HeaderWords, Reverse, RxEnd, RxFrame};
use rnic_abi::bth;
use rust_hdl::prelude::*;

/// Builds an [`RxFrame`]. The verdict adds `raw`, `icrc_ok`, `own_address`, `payload` and `payload_at`, which are 0 here.
#[derive(LogicBlock)]
pub struct ParseFields {
    /// Headers.
    pub headers: Signal<In, HeaderWords>,
    /// End of the frame.
    pub end_of: Signal<In, RxEnd>,
    /// Fields.
    pub frame: Signal<Out, RxFrame>,
    bth0: Signal<Local, Bits<32>>,
    bth1: Signal<Local, Bits<32>>,
    bth2: Signal<Local, Bits<32>>,
    ext0: Signal<Local, Bits<32>>,
    opcode: Signal<Local, Bits<8>>,
    flags: Signal<Local, Bits<8>>,
    pkey: Reverse<16, 2>,
    qpn: Reverse<24, 3>,
    psn: Reverse<24, 3>,
    msn: Reverse<24, 3>,
    ext: [Reverse<32, 4>; 7],
    high: Signal<Local, Bits<32>>,
    low: Signal<Local, Bits<32>>,
    tci: Reverse<16, 2>,
    id: Signal<Local, Bits<16>>,
    invalidates: Signal<Local, Bit>,
    everywhere: Constant<Bits<48>>,
    zero: Constant<RxFrame>,
    send_last_inv: Constant<Bits<8>>,
    send_only_inv: Constant<Bits<8>>,
    write_only_imm: Constant<Bits<8>>,
    atomic_ack: Constant<Bits<8>>,
}

impl Default for ParseFields {
    fn default() -> Self {
        let code = |code: u8| Constant::new(bits(u64::from(code)));
        Self {
            headers: Default::default(),
            end_of: Default::default(),
            frame: Default::default(),
            bth0: Default::default(),
            bth1: Default::default(),
            bth2: Default::default(),
            ext0: Default::default(),
            opcode: Default::default(),
            flags: Default::default(),
            pkey: Default::default(),
            qpn: Default::default(),
            psn: Default::default(),
            msn: Default::default(),
            ext: Default::default(),
            high: Default::default(),
            low: Default::default(),
            tci: Default::default(),
            id: Default::default(),
            invalidates: Default::default(),
            everywhere: Constant::new(!Bits::default()),
            zero: Constant::new(RxFrame::default()),
            send_last_inv: code(bth::SEND_LAST_INV),
            send_only_inv: code(bth::SEND_ONLY_INV),
            write_only_imm: code(bth::WRITE_ONLY_IMM),
            atomic_ack: code(bth::ATOMIC_ACKNOWLEDGE),
        }
    }
}

impl Logic for ParseFields {
    #[hdl_gen]
    fn update(&mut self) {
        self.bth0.next = self.headers.val().bth0;
        self.bth1.next = self.headers.val().bth1;
        self.bth2.next = self.headers.val().bth2;
        self.ext0.next = self.headers.val().ext0;
        self.opcode.next = self.bth0.val().get_bits::<8>(0);
        self.flags.next = self.bth0.val().get_bits::<8>(8);
        self.pkey.word.next = self.bth0.val().get_bits::<16>(16);
        self.qpn.word.next = self.bth1.val().get_bits::<24>(8);
        self.psn.word.next = self.bth2.val().get_bits::<24>(8);
        self.msn.word.next = self.ext0.val().get_bits::<24>(8);
        self.ext[0].word.next = self.ext0.val();
        self.ext[1].word.next = self.headers.val().ext1;
        self.ext[2].word.next = self.headers.val().ext2;
        self.ext[3].word.next = self.headers.val().ext3;
        self.ext[4].word.next = self.headers.val().ext4;
        self.ext[5].word.next = self.headers.val().ext5;
        self.ext[6].word.next = self.headers.val().ext6;
        self.tci.word.next = self.headers.val().tci;
        self.id.next = self.tci.out.val();
        self.frame.next = self.zero.val();
        self.frame.next.tagged = self.headers.val().tagged;
        self.frame.next.broadcast = self.headers.val().mac == self.everywhere.val();
        self.frame.next.bytes = self.end_of.val().bytes;
        self.frame.next.first_row = self.end_of.val().first_row;
        self.frame.next.opcode = self.opcode.val();
        self.frame.next.solicited = self.flags.val().get_bit(7);
        self.frame.next.ack_request = self.bth2.val().get_bit(7);
        self.frame.next.pad = self.flags.val().get_bits::<2>(4);
        self.frame.next.pkey = self.pkey.out.val();
        self.frame.next.qpn = self.qpn.out.val();
        self.frame.next.psn = self.psn.out.val();
        self.high.next = self.ext[0].out.val();
        self.low.next = self.ext[1].out.val();
        self.frame.next.va = (bit_cast::<64, 32>(self.high.val()) << 32) | bit_cast::<64, 32>(self.low.val());
        self.frame.next.rkey = self.ext[2].out.val();
        self.frame.next.length = self.ext[3].out.val();
        self.high.next = self.ext[3].out.val();
        self.low.next = self.ext[4].out.val();
        if self.opcode.val() == self.atomic_ack.val() {
            self.high.next = self.ext[1].out.val();
            self.low.next = self.ext[2].out.val();
        }
        self.frame.next.swap = (bit_cast::<64, 32>(self.high.val()) << 32) | bit_cast::<64, 32>(self.low.val());
        self.high.next = self.ext[5].out.val();
        self.low.next = self.ext[6].out.val();
        self.frame.next.compare = (bit_cast::<64, 32>(self.high.val()) << 32) | bit_cast::<64, 32>(self.low.val());
        self.invalidates.next =
            (self.opcode.val() == self.send_last_inv.val()) | (self.opcode.val() == self.send_only_inv.val());
        self.frame.next.immediate = self.ext0.val();
        if self.invalidates.val() {
            self.frame.next.immediate = self.ext[0].out.val();
        }
        if self.opcode.val() == self.write_only_imm.val() {
            self.frame.next.immediate = self.headers.val().ext4;
        }
        self.frame.next.syndrome = self.ext0.val().get_bits::<8>(0);
        self.frame.next.msn = self.msn.out.val();
        self.frame.next.source = self.headers.val().source;
        if self.headers.val().tagged {
            self.frame.next.vlan = self.id.val().get_bits::<12>(0);
        }
    }
}
