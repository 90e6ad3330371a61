//! Lengths of a frame: extension headers, pad, UDP length (T12). Two cycles behind stable inputs.
use super::headers_kind::{Extensions, HeaderKind};
use super::TxFrame;
use rust_hdl::prelude::*;

/// Length registers.
#[derive(LogicBlock)]
pub struct HeaderLength {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The frame.
    pub frame: Signal<In, TxFrame>,
    /// Extension headers, one cycle later.
    pub extensions: Signal<Out, Extensions>,
    /// Bytes of the extension headers, one cycle later.
    pub extension_bytes: Signal<Out, Bits<5>>,
    /// Pad bytes, one cycle later.
    pub pad: Signal<Out, Bits<2>>,
    /// Length field of the UDP header, two cycles later.
    pub udp_length: Signal<Out, Bits<16>>,
    kind: HeaderKind,
    has: DFF<Extensions>,
    extension: DFF<Bits<5>>,
    pad_held: DFF<Bits<2>>,
    padded: DFF<Bits<16>>,
    length: DFF<Bits<16>>,
    asked: Signal<Local, TxFrame>,
    payload: Signal<Local, Bits<13>>,
    missing: Signal<Local, Bits<13>>,
    raised: Signal<Local, Bits<16>>,
    zero: Constant<Bits<13>>,
    words: Constant<Bits<16>>,
    /// UDP header, BTH and ICRC.
    fixed: Constant<Bits<16>>,
}

impl Default for HeaderLength {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            frame: Default::default(),
            extensions: Default::default(),
            extension_bytes: Default::default(),
            pad: Default::default(),
            udp_length: Default::default(),
            kind: Default::default(),
            has: Default::default(),
            extension: Default::default(),
            pad_held: Default::default(),
            padded: Default::default(),
            length: Default::default(),
            asked: Default::default(),
            payload: Default::default(),
            missing: Default::default(),
            raised: Default::default(),
            zero: Constant::new(bits(0)),
            words: Constant::new(bits(0xFFFC)),
            fixed: Constant::new(bits(8 + 12 + 4)),
        }
    }
}

impl Logic for HeaderLength {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, has, extension, pad_held, padded, length);
        self.asked.next = self.frame.val();
        self.payload.next = self.asked.val().payload;
        self.kind.opcode.next = self.asked.val().opcode;
        self.has.d.next = self.kind.extensions.val();
        self.extension.d.next = self.kind.bytes.val();
        self.missing.next = self.zero.val() - self.payload.val();
        self.pad_held.d.next = self.missing.val().get_bits::<2>(0);
        self.raised.next = bit_cast::<16, 13>(self.payload.val()) + 3;
        self.padded.d.next = self.raised.val() & self.words.val();
        self.length.d.next = self.padded.q.val() + bit_cast::<16, 5>(self.extension.q.val()) + self.fixed.val();
        self.extensions.next = self.has.q.val();
        self.extension_bytes.next = self.extension.q.val();
        self.pad.next = self.pad_held.q.val();
        self.udp_length.next = self.length.q.val();
    }
}
