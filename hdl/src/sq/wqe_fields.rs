//! Takes a WQE apart and judges its format (rules T10, T11, C20): what depends on the 64 or 128 bytes alone.
//!
//! `wqe` is right two cycles after the blocks stand still, its `bad` three. Local operations are never bad here: the
//! memory-management pipeline judges their fields (rule B1).
use super::{kind, DataWqe};
use rnic_abi::opcode;
use rust_hdl::prelude::*;

record! {
    /// Which fields of a WQE are not 0.
    WqeFilled, 6 {
        /// Immediate data or key.
        immediate: Bit,
        /// Remote address or key.
        remote: Bit,
        /// Bytes that are always 0.
        gap: Bit,
        /// Swap or add.
        value: Bit,
        /// Compare, there being no second SGE.
        compare: Bit,
        /// SGEs behind the last one.
        unused: Bit,
    }
}

/// Fields of the WQE at the cursor.
#[derive(LogicBlock)]
pub struct WqeFields {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// First block.
    pub block: Signal<In, Bits<512>>,
    /// Second block, if there is one.
    pub second: Signal<In, Bits<512>>,
    /// There is one.
    pub two_blocks: Signal<In, Bit>,
    /// The fields.
    pub wqe: Signal<Out, DataWqe>,
    early: DFF<DataWqe>,
    parts: DFF<DataWqe>,
    sum_low: DFF<Bits<33>>,
    sum_high: DFF<Bits<33>>,
    sum: DFF<Bits<34>>,
    single: DFF<Bit>,
    other_key: DFF<Bit>,
    atomic: DFF<Bit>,
    odd: DFF<Bit>,
    filled: DFF<WqeFilled>,
    holds: Signal<Local, WqeFilled>,
    faulty: DFF<Bit>,
    bad: DFF<Bit>,
    opcode: Signal<Local, Bits<8>>,
    blocks: Signal<Local, Bits<8>>,
    sges: Signal<Local, Bits<8>>,
    upper: Signal<Local, Bits<512>>,
    send: Signal<Local, Bit>,
    write: Signal<Local, Bit>,
    read: Signal<Local, Bit>,
    takes_sink: Signal<Local, Bit>,
    swap: Signal<Local, Bit>,
    add: Signal<Local, Bit>,
    with_data: Signal<Local, Bit>,
    with_key: Signal<Local, Bit>,
    is_local: Signal<Local, Bit>,
    length0: Signal<Local, Bits<32>>,
    length1: Signal<Local, Bits<32>>,
    length2: Signal<Local, Bits<32>>,
    length3: Signal<Local, Bits<32>>,
    wide0: Signal<Local, Bits<33>>,
    wide1: Signal<Local, Bits<33>>,
    wide2: Signal<Local, Bits<33>>,
    wide3: Signal<Local, Bits<33>>,
    wide_low: Signal<Local, Bits<34>>,
    wide_high: Signal<Local, Bits<34>>,
    total: Signal<Local, Bits<34>>,
    rounded: Signal<Local, Bits<34>>,
    chunks: Signal<Local, Bits<34>>,
    now: Signal<Local, DataWqe>,
    flags_bad: Signal<Local, Bit>,
    count_bad: Signal<Local, Bit>,
    low_31: Signal<Local, Bits<31>>,
    too_long: Signal<Local, Bit>,
    chunk_mask: Constant<Bits<34>>,
    eight: Constant<Bits<34>>,
    zero: Constant<DataWqe>,
    codes: [Constant<Bits<8>>; 11],
    kinds: [Constant<Bits<3>>; 4],
}

impl Default for WqeFields {
    fn default() -> Self {
        let codes = [
            opcode::SEND,
            opcode::SEND_IMM,
            opcode::SEND_INV,
            opcode::WRITE,
            opcode::WRITE_IMM,
            opcode::READ,
            opcode::CMP_SWAP,
            opcode::FETCH_ADD,
            opcode::REG_MR,
            opcode::LOCAL_INV,
            opcode::READ_INV,
        ];
        Self {
            clock: Default::default(),
            block: Default::default(),
            second: Default::default(),
            two_blocks: Default::default(),
            wqe: Default::default(),
            early: Default::default(),
            parts: Default::default(),
            sum_low: Default::default(),
            sum_high: Default::default(),
            sum: Default::default(),
            single: Default::default(),
            other_key: Default::default(),
            atomic: Default::default(),
            odd: Default::default(),
            filled: Default::default(),
            holds: Default::default(),
            faulty: Default::default(),
            bad: Default::default(),
            opcode: Default::default(),
            blocks: Default::default(),
            sges: Default::default(),
            upper: Default::default(),
            send: Default::default(),
            write: Default::default(),
            read: Default::default(),
            takes_sink: Default::default(),
            swap: Default::default(),
            add: Default::default(),
            with_data: Default::default(),
            with_key: Default::default(),
            is_local: Default::default(),
            length0: Default::default(),
            length1: Default::default(),
            length2: Default::default(),
            length3: Default::default(),
            wide0: Default::default(),
            wide1: Default::default(),
            wide2: Default::default(),
            wide3: Default::default(),
            wide_low: Default::default(),
            wide_high: Default::default(),
            total: Default::default(),
            rounded: Default::default(),
            chunks: Default::default(),
            now: Default::default(),
            flags_bad: Default::default(),
            count_bad: Default::default(),
            low_31: Default::default(),
            too_long: Default::default(),
            chunk_mask: Constant::new(((1u64 << 20) - 1).to_bits()),
            eight: Constant::new(8u64.to_bits()),
            zero: Constant::new(Default::default()),
            codes: codes.map(|code| Constant::new(code.to_bits())),
            kinds: [kind::SEND_WRITE, kind::READ, kind::ATOMIC, kind::LOCAL].map(|code| Constant::new(code.to_bits())),
        }
    }
}

impl Logic for WqeFields {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, early, parts, sum_low, sum_high, sum, single, other_key, atomic, odd, filled, faulty, bad
        );
        // Stage 1: what it is, and which fields hold something.
        self.opcode.next = self.block.val().get_bits::<8>(0);
        self.blocks.next = self.block.val().get_bits::<8>(16);
        self.sges.next = self.block.val().get_bits::<8>(24);
        self.upper.next = 0.into();
        if self.two_blocks.val() {
            self.upper.next = self.second.val();
        }
        self.with_data.next = (self.opcode.val() == self.codes[1].val()) | (self.opcode.val() == self.codes[4].val());
        self.with_key.next = self.opcode.val() == self.codes[2].val();
        self.send.next = (self.opcode.val() == self.codes[0].val())
            | (self.opcode.val() == self.codes[1].val())
            | (self.opcode.val() == self.codes[2].val());
        self.write.next = (self.opcode.val() == self.codes[3].val()) | (self.opcode.val() == self.codes[4].val());
        self.takes_sink.next = self.opcode.val() == self.codes[10].val();
        self.read.next = self.takes_sink.val() | (self.opcode.val() == self.codes[5].val());
        self.swap.next = self.opcode.val() == self.codes[6].val();
        self.add.next = self.opcode.val() == self.codes[7].val();
        self.is_local.next = (self.opcode.val() == self.codes[8].val()) | (self.opcode.val() == self.codes[9].val());
        self.early.d.next = self.zero.val();
        self.early.d.next.opcode = self.opcode.val();
        self.early.d.next.kind = self.kinds[0].val();
        if self.read.val() {
            self.early.d.next.kind = self.kinds[1].val();
        }
        if self.swap.val() | self.add.val() {
            self.early.d.next.kind = self.kinds[2].val();
        }
        if self.is_local.val() {
            self.early.d.next.kind = self.kinds[3].val();
        }
        self.early.d.next.send = self.send.val();
        self.early.d.next.write = self.write.val();
        self.early.d.next.read = self.read.val();
        self.early.d.next.takes_sink = self.takes_sink.val();
        self.early.d.next.swap = self.swap.val();
        self.early.d.next.invalidate = self.opcode.val() == self.codes[9].val();
        self.early.d.next.with_key = self.with_key.val();
        self.early.d.next.with_data = self.with_data.val();
        self.early.d.next.signalled = self.block.val().get_bit(8);
        self.early.d.next.fence = self.block.val().get_bit(9);
        self.early.d.next.solicited = self.block.val().get_bit(10);
        self.early.d.next.immediate = self.block.val().get_bits::<32>(32);
        self.early.d.next.address = self.block.val().get_bits::<64>(64);
        self.early.d.next.rkey = self.block.val().get_bits::<32>(128);
        self.early.d.next.value = self.block.val().get_bits::<64>(192);
        self.early.d.next.compare = self.block.val().get_bits::<64>(384);
        self.length0.next = self.block.val().get_bits::<32>(320);
        self.length1.next = self.block.val().get_bits::<32>(448);
        self.length2.next = self.upper.val().get_bits::<32>(64);
        self.length3.next = self.upper.val().get_bits::<32>(192);
        self.wide0.next = bit_cast::<33, 32>(self.length0.val());
        self.wide1.next = bit_cast::<33, 32>(self.length1.val());
        self.wide2.next = bit_cast::<33, 32>(self.length2.val());
        self.wide3.next = bit_cast::<33, 32>(self.length3.val());
        self.sum_low.d.next = self.wide0.val() + self.wide1.val();
        self.sum_high.d.next = self.wide2.val() + self.wide3.val();
        self.single.d.next = self.sges.val() == 1;
        self.other_key.d.next = self.block.val().get_bits::<32>(32) != self.block.val().get_bits::<32>(352);
        self.atomic.d.next = self.swap.val() | self.add.val();
        self.flags_bad.next = self.block.val().get_bits::<5>(11).any()
            | (self.block.val().get_bit(10) & !self.send.val() & (self.opcode.val() != self.codes[4].val()));
        self.count_bad.next = (self.sges.val() > 4)
            | ((self.sges.val() > 2) != self.two_blocks.val())
            | ((self.blocks.val() != 1) & !self.two_blocks.val())
            | ((self.blocks.val() != 2) & self.two_blocks.val());
        self.odd.d.next = self.flags_bad.val()
            | self.count_bad.val()
            | !(self.send.val() | self.write.val() | self.swap.val() | self.add.val() | self.read.val());
        self.filled.d.next.immediate = self.block.val().get_bits::<32>(32).any();
        self.filled.d.next.remote = self.block.val().get_bits::<96>(64).any();
        self.filled.d.next.gap =
            self.block.val().get_bits::<32>(160).any() | self.upper.val().get_bits::<256>(256).any();
        self.filled.d.next.value = self.block.val().get_bits::<64>(192).any();
        self.filled.d.next.compare = self.block.val().get_bits::<64>(384).any() & (self.sges.val() < 2);
        self.filled.d.next.unused = (self.block.val().get_bits::<128>(256).any() & (self.sges.val() == 0))
            | (self.block.val().get_bits::<64>(448).any() & (self.sges.val() < 2))
            | (self.upper.val().get_bits::<128>(128).any() & (self.sges.val() < 4));

        // Stage 2: the sum of the lengths, and which fields may hold nothing.
        self.wide_low.next = bit_cast::<34, 33>(self.sum_low.q.val());
        self.wide_high.next = bit_cast::<34, 33>(self.sum_high.q.val());
        self.sum.d.next = self.wide_low.val() + self.wide_high.val();
        self.parts.d.next = self.early.q.val();
        self.now.next = self.early.q.val();
        self.holds.next = self.filled.q.val();
        self.faulty.d.next = self.odd.q.val()
            | (self.holds.val().immediate
                & !self.now.val().with_data
                & !self.now.val().with_key
                & !self.now.val().takes_sink)
            | (self.now.val().takes_sink & (self.other_key.q.val() | !self.single.q.val()))
            | (self.holds.val().remote & self.now.val().send)
            | (self.holds.val().value & !self.atomic.q.val())
            | (self.holds.val().compare & !self.now.val().swap)
            | self.holds.val().gap
            | self.holds.val().unused
            | (self.atomic.q.val() & !self.single.q.val());

        // Stage 3: what depends on the sum.
        self.total.next = self.sum.q.val();
        self.rounded.next = self.total.val() + self.chunk_mask.val();
        self.chunks.next = self.rounded.val() >> 20;
        self.low_31.next = self.total.val().get_bits::<31>(0);
        self.too_long.next =
            self.total.val().get_bits::<2>(32).any() | (self.total.val().get_bit(31) & self.low_31.val().any());
        self.bad.d.next = (self.faulty.q.val()
            | self.too_long.val()
            | ((self.parts.q.val().kind == self.kinds[2].val()) & (self.total.val() != self.eight.val())))
            & (self.parts.q.val().kind != self.kinds[3].val());
        self.wqe.next = self.parts.q.val();
        self.wqe.next.bad = self.bad.q.val();
        self.wqe.next.total = self.total.val().get_bits::<32>(0);
        self.wqe.next.chunks = self.chunks.val().get_bits::<12>(0);
        if self.total.val() == 0 {
            self.wqe.next.chunks = 1.into();
        }
    }
}
