//! ICRC of a raw frame to send (T96): of all bytes from the IP header on, those masked that routers change (G11).
//!
//! Whether the frame has a VLAN tag and whether it is IPv6 is read from its bytes, in the beat that holds them. Seven cycles
//! from the beat with the last byte to `crc_valid`; one beat a cycle.
use super::RawBeat;
use crate::wire::icrc::{step, START_TAGGED, START_UNTAGGED};
use crate::wire::{BeatMask, Icrc};
use rust_hdl::prelude::*;

/// Places of the EtherType, without and with a VLAN tag.
const TYPES: [usize; 2] = [12, 16];

/// CRC of frames to send; STRB = DATA / 8.
#[derive(LogicBlock)]
pub struct RawIcrc<const DATA: usize, const STRB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame.
    pub reset: Signal<In, Bit>,
    /// Beat of a frame.
    pub beat: Signal<In, RawBeat>,
    /// Its bytes.
    pub data: Signal<In, Bits<DATA>>,
    /// The CRC; its least significant byte goes first.
    pub crc: Signal<Out, Bits<32>>,
    /// It counts, once a frame.
    pub crc_valid: Signal<Out, Bit>,
    has_vlan: DFF<Bit>,
    outer_v6: DFF<Bit>,
    inner_v6: DFF<Bit>,
    masked: DFF<Bits<DATA>>,
    kept: DFF<RawBeat>,
    with_tag: DFF<Bit>,
    mask: BeatMask<DATA, STRB>,
    engine: Icrc<DATA, STRB>,
    now: Signal<Local, RawBeat>,
    outer: Signal<Local, Bits<16>>,
    inner: Signal<Local, Bits<16>>,
    has_tag: Signal<Local, Bit>,
    is_v6: Signal<Local, Bit>,
    outer_is_v6: Signal<Local, Bit>,
    inner_is_v6: Signal<Local, Bit>,
    kind: Signal<Local, Bits<2>>,
    fed: Signal<Local, RawBeat>,
    rows: [Constant<Bits<10>>; 2],
    lanes: [Constant<Bits<10>>; 2],
    type_tag: Constant<Bits<16>>,
    type_v6: Constant<Bits<16>>,
    opening: Constant<Bits<10>>,
    start_tagged: Constant<Bits<32>>,
    start_untagged: Constant<Bits<32>>,
}

impl<const DATA: usize, const STRB: usize> Default for RawIcrc<DATA, STRB> {
    fn default() -> Self {
        // The engine starts at the beat that tells whether there is a tag.
        let opening = TYPES[0] / STRB;
        let start = |state: u32| Constant::new(bits((0..opening * STRB).fold(state, |state, _| step(state, 0)).into()));
        Self {
            clock: Default::default(),
            reset: Default::default(),
            beat: Default::default(),
            data: Default::default(),
            crc: Default::default(),
            crc_valid: Default::default(),
            has_vlan: Default::default(),
            outer_v6: Default::default(),
            inner_v6: Default::default(),
            masked: Default::default(),
            kept: Default::default(),
            with_tag: Default::default(),
            mask: Default::default(),
            engine: Default::default(),
            now: Default::default(),
            outer: Default::default(),
            inner: Default::default(),
            has_tag: Default::default(),
            is_v6: Default::default(),
            outer_is_v6: Default::default(),
            inner_is_v6: Default::default(),
            kind: Default::default(),
            fed: Default::default(),
            rows: TYPES.map(|at| Constant::new((at / STRB).to_bits())),
            lanes: TYPES.map(|at| Constant::new((at % STRB * 8).to_bits())),
            type_tag: Constant::new(bits(0x0081)),
            type_v6: Constant::new(bits(0xDD86)),
            opening: Constant::new(opening.to_bits()),
            start_tagged: start(START_TAGGED),
            start_untagged: start(START_UNTAGGED),
        }
    }
}

impl<const DATA: usize, const STRB: usize> Logic for RawIcrc<DATA, STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, has_vlan, outer_v6, inner_v6, masked, kept, with_tag);
        clock!(self, clock, engine);
        self.engine.reset.next = self.reset.val();
        // Kind of the frame, as far as it matters for this beat.
        self.now.next = self.beat.val();
        self.outer.next = self.data.val().get_bits::<16>(self.lanes[0].val().index());
        self.inner.next = self.data.val().get_bits::<16>(self.lanes[1].val().index());
        self.has_tag.next = self.has_vlan.q.val();
        self.outer_is_v6.next = self.outer_v6.q.val();
        self.inner_is_v6.next = self.inner_v6.q.val();
        if self.now.val().index == self.rows[0].val() {
            self.has_tag.next = self.outer.val() == self.type_tag.val();
            self.outer_is_v6.next = self.outer.val() == self.type_v6.val();
        }
        if self.now.val().index == self.rows[1].val() {
            self.inner_is_v6.next = self.inner.val() == self.type_v6.val();
        }
        if self.now.val().valid {
            self.has_vlan.d.next = self.has_tag.val();
            self.outer_v6.d.next = self.outer_is_v6.val();
            self.inner_v6.d.next = self.inner_is_v6.val();
        }
        self.is_v6.next = self.outer_is_v6.val();
        if self.has_tag.val() {
            self.is_v6.next = self.inner_is_v6.val();
        }
        self.kind.next = bit_cast::<2, 1>(self.is_v6.val().into()) | (bit_cast::<2, 1>(self.has_tag.val().into()) << 1);
        // The masked beat, then the engine.
        self.mask.data.next = self.data.val();
        self.mask.index.next = self.now.val().index;
        self.mask.kind.next = self.kind.val();
        self.masked.d.next = self.mask.masked.val();
        self.kept.d.next = self.now.val();
        self.with_tag.d.next = self.has_tag.val();
        self.fed.next = self.kept.q.val();
        self.engine.beat.next = self.masked.q.val();
        self.engine.valid.next = self.fed.val().filled;
        self.engine.first.next = self.fed.val().index == self.opening.val();
        self.engine.start.next = self.start_untagged.val();
        if self.with_tag.q.val() {
            self.engine.start.next = self.start_tagged.val();
        }
        self.engine.count.next = self.fed.val().count;
        self.engine.last.next = self.fed.val().filled_last;
        self.crc.next = self.engine.crc.val();
        self.crc_valid.next = self.engine.crc_valid.val();
        if self.reset.val() {
            self.kept.d.next.filled = false;
        }
    }
}
