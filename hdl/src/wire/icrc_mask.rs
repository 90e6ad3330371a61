//! Makes the beats that the ICRC is computed over (G11): bytes that routers may change become ones, bytes before the IP
//! header zeros. One cycle.
use super::icrc::{START_TAGGED, START_UNTAGGED};
use super::BeatMask;
use rust_hdl::prelude::*;

/// Masks for beats of DATA bits (STRB bytes).
#[derive(LogicBlock)]
pub struct IcrcMask<const DATA: usize, const STRB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The beat counts.
    pub valid: Signal<In, Bit>,
    /// It is the first of its frame.
    pub first: Signal<In, Bit>,
    /// The frame carries a VLAN tag; the same for all its beats.
    pub has_tag: Signal<In, Bit>,
    /// The frame is IPv6; the same for all its beats.
    pub ipv6: Signal<In, Bit>,
    /// Beat of the frame.
    pub beat: Signal<In, Bits<DATA>>,
    /// The beat of the cycle before, masked.
    pub masked: Signal<Out, Bits<DATA>>,
    /// State to start the ICRC engine with; belongs to `masked`.
    pub start: Signal<Out, Bits<32>>,
    mask: BeatMask<DATA, STRB>,
    /// Number of the next beat of the frame.
    upcoming: DFF<Bits<10>>,
    held: DFF<Bits<DATA>>,
    vlan: DFF<Bit>,
    number: Signal<Local, Bits<10>>,
    start_untagged: Constant<Bits<32>>,
    start_tagged: Constant<Bits<32>>,
}

impl<const DATA: usize, const STRB: usize> Default for IcrcMask<DATA, STRB> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            valid: Default::default(),
            first: Default::default(),
            has_tag: Default::default(),
            ipv6: Default::default(),
            beat: Default::default(),
            masked: Default::default(),
            start: Default::default(),
            mask: Default::default(),
            upcoming: Default::default(),
            held: Default::default(),
            vlan: Default::default(),
            number: Default::default(),
            start_untagged: Constant::new(bits(START_UNTAGGED.into())),
            start_tagged: Constant::new(bits(START_TAGGED.into())),
        }
    }
}

impl<const DATA: usize, const STRB: usize> Logic for IcrcMask<DATA, STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, upcoming, held, vlan);
        self.number.next = self.upcoming.q.val();
        if self.first.val() {
            self.number.next = 0.into();
        }
        if self.valid.val() {
            self.upcoming.d.next = self.number.val() + 1;
        }
        self.mask.data.next = self.beat.val();
        self.mask.index.next = self.number.val();
        self.mask.kind.next =
            bit_cast::<2, 1>(self.ipv6.val().into()) | (bit_cast::<2, 1>(self.has_tag.val().into()) << 1);
        self.held.d.next = self.mask.masked.val();
        self.vlan.d.next = self.has_tag.val();
        self.masked.next = self.held.q.val();
        self.start.next = self.start_untagged.val();
        if self.vlan.q.val() {
            self.start.next = self.start_tagged.val();
        }
    }
}
