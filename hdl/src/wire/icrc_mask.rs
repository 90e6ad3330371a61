//! Makes the beats that the ICRC is computed over (G11): bytes that routers may change become ones, bytes before the IP
//! header zeros. One cycle.
use super::icrc::{START_TAGGED, START_UNTAGGED};
use rust_hdl::prelude::*;

/// Masks for beats of DATA bits.
#[derive(LogicBlock)]
pub struct IcrcMask<const DATA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The beat counts.
    pub valid: Signal<In, Bit>,
    /// It is the first of its frame.
    pub first: Signal<In, Bit>,
    /// The frame carries a VLAN tag; counts with `first`.
    pub has_tag: Signal<In, Bit>,
    /// The frame is IPv6; counts with `first`.
    pub ipv6: Signal<In, Bit>,
    /// Beat of the frame.
    pub beat: Signal<In, Bits<DATA>>,
    /// The beat of the cycle before, masked.
    pub masked: Signal<Out, Bits<DATA>>,
    /// State to start the ICRC engine with; belongs to `masked`.
    pub start: Signal<Out, Bits<32>>,
    ones_left: DFF<Bits<1024>>,
    zeros_left: DFF<Bits<1024>>,
    held: DFF<Bits<DATA>>,
    start_held: DFF<Bits<32>>,
    ones: Signal<Local, Bits<1024>>,
    zeros: Signal<Local, Bits<1024>>,
    ones_here: Signal<Local, Bits<DATA>>,
    zeros_here: Signal<Local, Bits<DATA>>,
    ones4: Constant<Bits<1024>>,
    ones4_tagged: Constant<Bits<1024>>,
    ones6: Constant<Bits<1024>>,
    ones6_tagged: Constant<Bits<1024>>,
    ahead: Constant<Bits<1024>>,
    ahead_tagged: Constant<Bits<1024>>,
    start_untagged: Constant<Bits<32>>,
    start_tagged: Constant<Bits<32>>,
    width: Constant<Bits<10>>,
}

/// Ones in the given bytes of a frame whose IP header begins at byte `ip`.
fn mask(ip: usize, bytes: &[(usize, u8)]) -> Constant<Bits<1024>> {
    let mut mask = [0u8; 128];
    bytes.iter().for_each(|&(at, ones)| mask[ip + at] = ones);
    Constant::new(num_bigint::BigUint::from_bytes_le(&mask).into())
}

/// Traffic class, TTL, header checksum; UDP checksum; the byte of FECN and BECN.
const ONES4: [(usize, u8); 7] = [(1, 255), (8, 255), (10, 255), (11, 255), (26, 255), (27, 255), (32, 255)];
/// Traffic class and flow label, hop limit; UDP checksum; the byte of FECN and BECN.
const ONES6: [(usize, u8); 8] = [(0, 15), (1, 255), (2, 255), (3, 255), (7, 255), (46, 255), (47, 255), (52, 255)];

fn ahead(ip: usize) -> Constant<Bits<1024>> {
    mask(0, &(0..ip).map(|at| (at, 255)).collect::<Vec<_>>())
}

impl<const DATA: usize> Default for IcrcMask<DATA> {
    fn default() -> Self {
        assert!(DATA.is_power_of_two() && (64..=512).contains(&DATA), "{DATA} data bits");
        Self {
            clock: Default::default(),
            valid: Default::default(),
            first: Default::default(),
            has_tag: Default::default(),
            ipv6: Default::default(),
            beat: Default::default(),
            masked: Default::default(),
            start: Default::default(),
            ones_left: Default::default(),
            zeros_left: Default::default(),
            held: Default::default(),
            start_held: Default::default(),
            ones: Default::default(),
            zeros: Default::default(),
            ones_here: Default::default(),
            zeros_here: Default::default(),
            ones4: mask(14, &ONES4),
            ones4_tagged: mask(18, &ONES4),
            ones6: mask(14, &ONES6),
            ones6_tagged: mask(18, &ONES6),
            ahead: ahead(14),
            ahead_tagged: ahead(18),
            start_untagged: Constant::new(bits(START_UNTAGGED.into())),
            start_tagged: Constant::new(bits(START_TAGGED.into())),
            width: Constant::new(bits(DATA as u64)),
        }
    }
}

impl<const DATA: usize> Logic for IcrcMask<DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ones_left, zeros_left, held, start_held);
        self.ones.next = self.ones_left.q.val();
        self.zeros.next = self.zeros_left.q.val();
        if self.first.val() {
            self.ones.next = self.ones4.val();
            self.zeros.next = self.ahead.val();
            self.start_held.d.next = self.start_untagged.val();
            if self.ipv6.val() {
                self.ones.next = self.ones6.val();
            }
            if self.has_tag.val() {
                self.ones.next = self.ones4_tagged.val();
                self.zeros.next = self.ahead_tagged.val();
                self.start_held.d.next = self.start_tagged.val();
                if self.ipv6.val() {
                    self.ones.next = self.ones6_tagged.val();
                }
            }
        }
        if self.valid.val() {
            self.ones_left.d.next = self.ones.val() >> self.width.val();
            self.zeros_left.d.next = self.zeros.val() >> self.width.val();
        }
        self.ones_here.next = bit_cast::<DATA, 1024>(self.ones.val());
        self.zeros_here.next = bit_cast::<DATA, 1024>(self.zeros.val());
        self.held.d.next = (self.beat.val() & !self.zeros_here.val()) | self.ones_here.val();
        self.masked.next = self.held.q.val();
        self.start.next = self.start_held.q.val();
    }
}
