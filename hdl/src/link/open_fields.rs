//! Keeps what the host sets with OPEN, until the frame is judged.
use super::records::OpenBody;
use crate::wire::Reverse;
use rust_hdl::prelude::*;

/// Fields of the body of OPEN; there one cycle after their beat.
#[derive(LogicBlock)]
pub struct OpenFields {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Body of a frame of any type,
    pub body: Signal<In, Bits<64>>,
    /// which counts,
    pub body_valid: Signal<In, Bit>,
    /// number of the beat.
    pub body_place: Signal<In, Bits<3>>,
    /// The fields.
    pub fields: Signal<Out, OpenBody>,
    reverse: Reverse<64, 8>,
    held: DFF<OpenBody>,
    word: Signal<Local, Bits<64>>,
    payload: Signal<Local, Bits<16>>,
    request: Signal<Local, Bits<16>>,
    larger: Constant<Bits<16>>,
    largest: Constant<Bits<16>>,
}

impl Default for OpenFields {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            body: Default::default(),
            body_valid: Default::default(),
            body_place: Default::default(),
            fields: Default::default(),
            reverse: Default::default(),
            held: Default::default(),
            word: Default::default(),
            payload: Default::default(),
            request: Default::default(),
            larger: Constant::new(bits(256)),
            largest: Constant::new(bits(512)),
        }
    }
}

impl Logic for OpenFields {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held);
        self.reverse.word.next = self.body.val();
        self.word.next = self.reverse.out.val();
        self.payload.next = self.word.val().get_bits::<16>(16);
        self.request.next = self.word.val().get_bits::<16>(0);
        if self.body_valid.val() {
            if self.body_place.val() == 0 {
                self.held.d.next.device_id = self.word.val().get_bits::<16>(48);
                // LK1: the smaller of the host's and the device's, as a code of Device Control.
                self.held.d.next.mps = 0.into();
                if self.payload.val() >= self.largest.val() {
                    self.held.d.next.mps = 2.into();
                } else if self.payload.val() >= self.larger.val() {
                    self.held.d.next.mps = 1.into();
                }
                self.held.d.next.mrrs = 0.into();
                if self.request.val() >= self.largest.val() {
                    self.held.d.next.mrrs = 2.into();
                } else if self.request.val() >= self.larger.val() {
                    self.held.d.next.mrrs = 1.into();
                }
            } else if self.body_place.val() == 1 {
                self.held.d.next.bar = self.word.val().get_bits::<48>(16);
            } else if self.body_place.val() == 2 {
                self.held.d.next.keep_alive = self.word.val().get_bits::<16>(48);
            }
        }
        self.fields.next = self.held.q.val();
    }
}
