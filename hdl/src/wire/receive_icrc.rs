//! ICRC of received frames: masks the beats, finds the end that the IP length tells, judges the CRC (T88, T93, T94, G11).
//!
//! Each frame gives exactly one judgement, in order; a frame that ends before its IP length does is judged at its last beat,
//! with some result. Two cycles to mask, then the engine: nine cycles from the beat that holds the last byte of the ICRC to
//! `judged`. One beat a cycle.
use super::icrc::{step, Icrc, GOOD_CRC, START_TAGGED, START_UNTAGGED};
use super::{BeatMask, RxBeat};
use rust_hdl::prelude::*;

/// CRC check of the receiver; STRB = DATA / 8.
#[derive(LogicBlock)]
pub struct RxIcrc<const DATA: usize, const STRB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub reset: Signal<In, Bit>,
    /// Beat.
    pub data: Signal<In, Bits<DATA>>,
    /// What it is.
    pub beat: Signal<In, RxBeat>,
    /// Its frame has a VLAN tag; known with the beat.
    pub vlan: Signal<In, Bit>,
    /// Its frame is IPv6.
    pub ipv6: Signal<In, Bit>,
    /// Bytes of the IP packet (IPv4), or behind its header (IPv6); known with byte 23 of the frame.
    pub ip_length: Signal<In, Bits<16>>,
    /// The ICRC of a frame is right.
    pub good: Signal<Out, Bit>,
    /// `good` counts, for the next frame in order.
    pub judged: Signal<Out, Bit>,
    typed_data: DFF<Bits<DATA>>,
    typed: DFF<RxBeat>,
    kind: DFF<Bits<2>>,
    reach: DFF<Bits<17>>,
    masked: DFF<Bits<DATA>>,
    ready: DFF<RxBeat>,
    with_tag: DFF<Bit>,
    hit: DFF<Bit>,
    hit_count: DFF<Bits<7>>,
    closed: DFF<Bit>,
    right: DFF<Bit>,
    right_valid: DFF<Bit>,
    mask: BeatMask<DATA, STRB>,
    engine: Icrc<DATA, STRB>,
    shape: Signal<Local, Bits<2>>,
    behind: Signal<Local, Bits<17>>,
    last_row: Signal<Local, Bits<17>>,
    this_row: Signal<Local, Bits<10>>,
    next_row: Signal<Local, Bits<10>>,
    last_lane: Signal<Local, Bits<7>>,
    was_closed: Signal<Local, Bit>,
    feeds: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    before_end: [Constant<Bits<17>>; 4],
    kinds: [Constant<Bits<2>>; 4],
    opening: Constant<Bits<10>>,
    earliest: Constant<Bits<10>>,
    lane_bits: Constant<Bits<3>>,
    lane_mask: Constant<Bits<7>>,
    lanes: Constant<Bits<7>>,
    start_tagged: Constant<Bits<32>>,
    start_untagged: Constant<Bits<32>>,
    good_crc: Constant<Bits<32>>,
}

impl<const DATA: usize, const STRB: usize> Default for RxIcrc<DATA, STRB> {
    fn default() -> Self {
        // The engine starts at the beat that tells whether there is a tag.
        let opening = 12 / STRB;
        let start = |state: u32| Constant::new(bits((0..opening * STRB).fold(state, |state, _| step(state, 0)).into()));
        Self {
            clock: Default::default(),
            reset: Default::default(),
            data: Default::default(),
            beat: Default::default(),
            vlan: Default::default(),
            ipv6: Default::default(),
            ip_length: Default::default(),
            good: Default::default(),
            judged: Default::default(),
            typed_data: Default::default(),
            typed: Default::default(),
            kind: Default::default(),
            reach: Default::default(),
            masked: Default::default(),
            ready: Default::default(),
            with_tag: Default::default(),
            hit: Default::default(),
            hit_count: Default::default(),
            closed: Default::default(),
            right: Default::default(),
            right_valid: Default::default(),
            mask: Default::default(),
            engine: Default::default(),
            shape: Default::default(),
            behind: Default::default(),
            last_row: Default::default(),
            this_row: Default::default(),
            next_row: Default::default(),
            last_lane: Default::default(),
            was_closed: Default::default(),
            feeds: Default::default(),
            closes: Default::default(),
            // Offset of the frame's last byte if the length were 0.
            before_end: [13, 53, 17, 57].map(|end: usize| Constant::new(end.to_bits())),
            kinds: [0, 1, 2, 3].map(|kind: usize| Constant::new(kind.to_bits())),
            opening: Constant::new(opening.to_bits()),
            earliest: Constant::new((25 / STRB).to_bits()),
            lane_bits: Constant::new(bits(u64::from(STRB.ilog2()))),
            lane_mask: Constant::new(bits(STRB as u64 - 1)),
            lanes: Constant::new(bits(STRB as u64)),
            start_tagged: start(START_TAGGED),
            start_untagged: start(START_UNTAGGED),
            good_crc: Constant::new(bits(u64::from(GOOD_CRC))),
        }
    }
}

impl<const DATA: usize, const STRB: usize> Logic for RxIcrc<DATA, STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, typed_data, typed, kind, reach, masked, ready, with_tag, hit, hit_count);
        dff_setup!(self, clock, closed, right, right_valid);
        clock!(self, clock, engine);
        self.engine.reset.next = self.reset.val();
        // Kind of the frame, offset of its last byte.
        self.shape.next = 0.into();
        if self.ipv6.val() {
            self.shape.next = 1.into();
        }
        if self.vlan.val() {
            self.shape.next = 2.into();
            if self.ipv6.val() {
                self.shape.next = 3.into();
            }
        }
        self.behind.next = self.before_end[0].val();
        for i in 0..4 {
            if self.shape.val() == self.kinds[i].val() {
                self.behind.next = self.before_end[i].val();
            }
        }
        self.typed_data.d.next = self.data.val();
        self.typed.d.next = self.beat.val();
        self.kind.d.next = self.shape.val();
        self.reach.d.next = bit_cast::<17, 16>(self.ip_length.val()) + self.behind.val();
        // The masked beat; whether it holds that byte. Before `earliest` the length is not known.
        self.mask.data.next = self.typed_data.q.val();
        self.mask.index.next = self.typed.q.val().index;
        self.mask.kind.next = self.kind.q.val();
        self.masked.d.next = self.mask.masked.val();
        self.ready.d.next = self.typed.q.val();
        self.with_tag.d.next = self.kind.q.val().get_bit(1);
        self.this_row.next = self.typed.q.val().index;
        self.next_row.next = self.typed.q.val().index + 1;
        self.last_row.next = self.reach.q.val() >> self.lane_bits.val();
        self.hit.d.next = (self.last_row.val() == bit_cast::<17, 10>(self.this_row.val()))
            & (self.next_row.val() > self.earliest.val());
        self.last_lane.next = bit_cast::<7, 17>(self.reach.q.val()) & self.lane_mask.val();
        self.hit_count.d.next = self.last_lane.val() + 1;
        // Up to that byte, or else to the end of the frame.
        self.was_closed.next = self.closed.q.val() & !self.ready.q.val().first;
        self.feeds.next = self.ready.q.val().valid & !self.was_closed.val();
        self.closes.next = self.feeds.val() & (self.hit.q.val() | self.ready.q.val().last);
        if self.ready.q.val().valid {
            self.closed.d.next = self.was_closed.val() | self.closes.val();
        }
        self.engine.beat.next = self.masked.q.val();
        self.engine.valid.next = self.feeds.val();
        self.engine.first.next = self.ready.q.val().index == self.opening.val();
        self.engine.start.next = self.start_untagged.val();
        if self.with_tag.q.val() {
            self.engine.start.next = self.start_tagged.val();
        }
        self.engine.count.next = self.lanes.val();
        if self.hit.q.val() {
            self.engine.count.next = self.hit_count.q.val();
        }
        self.engine.last.next = self.closes.val();
        self.right.d.next = self.engine.crc.val() == self.good_crc.val();
        self.right_valid.d.next = self.engine.crc_valid.val();
        self.good.next = self.right.q.val();
        self.judged.next = self.right_valid.q.val();
        if self.reset.val() {
            self.typed.d.next.valid = false;
            self.ready.d.next.valid = false;
            self.right_valid.d.next = false;
        }
    }
}
