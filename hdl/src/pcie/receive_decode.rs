//! What a header means: kind, fields, and whether it keeps the rules (TL3, TL4, TL6, TL7). Combinational.
use super::receive_enables::EnableCheck;
use super::records::{kind, TlpHead};
use rnic_abi::link::bridge::BAR_DWORDS;
use rust_hdl::prelude::*;

/// Decoder of received headers.
#[derive(LogicBlock)]
pub struct ReceiveDecode {
    /// Header DWs.
    pub dw: [Signal<In, Bits<32>>; 4],
    /// The TLP hits BAR0.
    pub hits: Signal<In, Bit>,
    /// Requester id of the bridge.
    pub device_id: Signal<In, Bits<16>>,
    /// Largest payload in DW.
    pub payload_dwords: Signal<In, Bits<11>>,
    /// Largest read in DW.
    pub read_dwords: Signal<In, Bits<11>>,
    /// The header as the bridge keeps it.
    pub head: Signal<Out, TlpHead>,
    enables: EnableCheck,
    form: Signal<Local, Bits<3>>,
    code: Signal<Local, Bits<5>>,
    group: Signal<Local, Bits<2>>,
    length: Signal<Local, Bits<11>>,
    address: Signal<Local, Bits<32>>,
    start: Signal<Local, Bits<11>>,
    reach: Signal<Local, Bits<11>>,
    crosses: Signal<Local, Bit>,
    breaks: Signal<Local, Bit>,
    is_data: Signal<Local, Bit>,
    found: Signal<Local, Bits<3>>,
    memory: Signal<Local, Bit>,
    words: Signal<Local, Bit>,
    kinds: [Constant<Bits<3>>; 7],
    most: Constant<Bits<11>>,
    page: Constant<Bits<11>>,
}

impl Default for ReceiveDecode {
    fn default() -> Self {
        Self {
            dw: std::array::from_fn(|_| Default::default()),
            hits: Default::default(),
            device_id: Default::default(),
            payload_dwords: Default::default(),
            read_dwords: Default::default(),
            head: Default::default(),
            enables: Default::default(),
            form: Default::default(),
            code: Default::default(),
            group: Default::default(),
            length: Default::default(),
            address: Default::default(),
            start: Default::default(),
            reach: Default::default(),
            crosses: Default::default(),
            breaks: Default::default(),
            is_data: Default::default(),
            found: Default::default(),
            memory: Default::default(),
            words: Default::default(),
            kinds: std::array::from_fn(|i| Constant::new(i.to_bits())),
            most: Constant::new(bits(BAR_DWORDS.into())),
            page: Constant::new(bits(1024)),
        }
    }
}

impl Logic for ReceiveDecode {
    #[hdl_gen]
    fn update(&mut self) {
        self.form.next = self.dw[0].val().get_bits::<3>(29);
        self.code.next = self.dw[0].val().get_bits::<5>(24);
        self.group.next = self.dw[0].val().get_bits::<2>(27);
        self.is_data.next = self.form.val().get_bit(1);
        self.length.next = bit_cast::<11, 10>(self.dw[0].val().get_bits::<10>(0));
        if self.length.val() == 0 {
            self.length.next = 1024.into();
        }
        self.address.next = self.dw[2].val();
        if self.form.val().get_bit(0) {
            self.address.next = self.dw[3].val();
        }
        // TL3, TL4: only memory requests have byte enables that follow them and a page to stay in.
        self.enables.length.next = self.length.val();
        self.enables.first.next = self.dw[1].val().get_bits::<4>(0);
        self.enables.last.next = self.dw[1].val().get_bits::<4>(4);
        self.start.next = bit_cast::<11, 10>(self.address.val().get_bits::<10>(2));
        self.reach.next = self.page.val() - self.start.val();
        self.crosses.next = self.length.val() > self.reach.val();
        self.breaks.next = self.crosses.val() | !self.enables.fine.val();
        // TL7: what is neither posted nor a completion wants an answer.
        self.memory.next = (self.code.val() == 0) | (self.code.val() == 1);
        self.words.next = (self.code.val() == 2) | (self.code.val() == 4) | (self.code.val() == 5);
        self.found.next = self.kinds[4].val();
        if self.words.val() {
            self.found.next = self.kinds[5].val();
        }
        if self.memory.val() {
            if self.code.val() == 0 {
                self.found.next = self.kinds[1].val();
                if self.is_data.val() {
                    self.found.next = self.kinds[0].val();
                }
            }
            if self.breaks.val()
                | (self.is_data.val() & (self.length.val() > self.payload_dwords.val()))
                | (!self.is_data.val() & (self.length.val() > self.read_dwords.val()))
            {
                self.found.next = self.kinds[6].val();
            }
        }
        if self.group.val() == 2 {
            self.found.next = self.kinds[6].val();
            if self.form.val().get_bit(0) {
                self.found.next = self.kinds[3].val();
            }
        }
        if (self.code.val() == 10) | (self.code.val() == 11) {
            self.found.next = self.kinds[2].val();
            if self.form.val().get_bit(0) | (self.is_data.val() & (self.length.val() > self.payload_dwords.val())) {
                self.found.next = self.kinds[6].val();
            }
        }
        if self.form.val().get_bit(2) {
            self.found.next = self.kinds[6].val();
        }
        self.head.next.kind = self.found.val();
        self.head.next.length = self.length.val();
        self.head.next.data = self.is_data.val();
        self.head.next.poisoned = self.dw[0].val().get_bit(14);
        self.head.next.requester = self.dw[1].val().get_bits::<16>(16);
        self.head.next.tag = self.dw[1].val().get_bits::<8>(8);
        self.head.next.first = self.dw[1].val().get_bits::<4>(0);
        self.head.next.last = self.dw[1].val().get_bits::<4>(4);
        self.head.next.address = bit_cast::<16, 14>(self.address.val().get_bits::<14>(2)) << 2;
        self.head.next.hits = self.hits.val();
        self.head.next.status = self.dw[1].val().get_bits::<3>(13);
        self.head.next.byte_count = self.dw[1].val().get_bits::<12>(0);
        self.head.next.returns = self.dw[2].val().get_bits::<16>(16) == self.device_id.val();
        self.head.next.return_tag = self.dw[2].val().get_bits::<8>(8);
        self.head.next.lower = self.dw[2].val().get_bits::<7>(0);
        self.head.next.lower_lane = self.dw[2].val().get_bits::<2>(0);
        self.head.next.locked = self.code.val().get_bit(0);
        self.head.next.too_long = self.length.val() > self.most.val();
    }
}

const _: () = assert!(kind::WRITE == 0 && kind::READ == 1 && kind::COMPLETION == 2 && kind::MESSAGE == 3);
const _: () = assert!(kind::UNSERVED == 4 && kind::UNSERVED_WORD == 5 && kind::MALFORMED == 6);
