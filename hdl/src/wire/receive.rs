//! Frame receiver: stores frames in a ring of beats, parses their headers, checks the ICRC, and offers what may be acted on.
//!
//! Frames are offered strictly in order, never before their ICRC is known (section 0, G12), and each is read out of the buffer
//! before its release. The wire never waits for the parser: every stage takes a beat a cycle, frames of one beat included. It
//! waits, or with DROP_WHEN_FULL loses whole frames, only without room for rows or behind about 20 frames that nobody takes.
//! Latency from the beat with the last byte of the frame to its offer: 13 cycles.
use super::{
    HeaderWords, ParseFields, ParseJudge, RxEnd, RxFrame, RxHeaders, RxIcrc, RxIntake, RxMissed, RxOffer, RxWords,
    OWN_ADDRESSES,
};
use crate::widgets::{AxiStreamSubordinate, ChannelSource, Memory};
use rust_hdl::prelude::*;

/// Receiver with a frame buffer of 2^A beats; STRB = DATA / 8.
#[derive(LogicBlock)]
pub struct FrameReceiver<const DATA: usize, const STRB: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all frames. The MAC begins a frame after it.
    pub reset: Signal<In, Bit>,
    /// From the MAC.
    pub axis: AxiStreamSubordinate<DATA, STRB>,
    /// Frames are taken; others are dropped and counted.
    pub enable: Signal<In, Bit>,
    /// Frames to every MAC address are taken.
    pub promiscuous: Signal<In, Bit>,
    /// A frame without room is dropped instead of held up (T107).
    pub drop_when_full: Signal<In, Bit>,
    /// Own MAC address, its first byte on the wire in the least significant place.
    pub own_mac: Signal<In, Bits<48>>,
    /// Own addresses in network order, the first byte in the least significant place; IPv4 as ::ffff:a.b.c.d, 0: unused.
    pub own: [Signal<In, Bits<128>>; OWN_ADDRESSES],
    /// Good frames.
    pub frame: ChannelSource<RxFrame>,
    /// Reason of each frame that was dropped.
    pub drop: ChannelSource<Bits<8>>,
    /// Row of the buffer to read.
    pub read_address: Signal<In, Bits<A>>,
    /// The row asked for two cycles ago.
    pub read_data: Signal<Out, Bits<DATA>>,
    /// The oldest frame that was offered and not yet released is no longer needed.
    pub release_frame: Signal<In, Bit>,
    intake: RxIntake<DATA, STRB, A>,
    words: RxWords<DATA, STRB>,
    select: RxHeaders,
    icrc: RxIcrc<DATA, STRB>,
    fields: ParseFields,
    judge: ParseJudge,
    offer: RxOffer<A>,
    missed: RxMissed,
    buffer: Memory<Bits<DATA>, A>,
    row: DFF<Bits<DATA>>,
    first_row: DFF<Bits<A>>,
    end_row: DFF<Bits<A>>,
    headers: DFF<HeaderWords>,
    end_of: DFF<RxEnd>,
    came: DFF<Bit>,
    before_last: Signal<Local, Bits<13>>,
    lane_bits: Constant<Bits<3>>,
}

impl<const DATA: usize, const STRB: usize, const A: usize> Default for FrameReceiver<DATA, STRB, A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            axis: Default::default(),
            enable: Default::default(),
            promiscuous: Default::default(),
            drop_when_full: Default::default(),
            own_mac: Default::default(),
            own: std::array::from_fn(|_| Default::default()),
            frame: Default::default(),
            drop: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            release_frame: Default::default(),
            intake: Default::default(),
            words: Default::default(),
            select: Default::default(),
            icrc: Default::default(),
            fields: Default::default(),
            judge: Default::default(),
            offer: Default::default(),
            missed: Default::default(),
            buffer: Default::default(),
            row: Default::default(),
            first_row: Default::default(),
            end_row: Default::default(),
            headers: Default::default(),
            end_of: Default::default(),
            came: Default::default(),
            before_last: Default::default(),
            lane_bits: Constant::new(bits(u64::from(STRB.ilog2()))),
        }
    }
}

impl<const DATA: usize, const STRB: usize, const A: usize> Logic for FrameReceiver<DATA, STRB, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, row, first_row, end_row, headers, end_of, came);
        clock!(self, clock, intake, words, icrc, judge, offer, missed, buffer);
        self.intake.reset.next = self.reset.val();
        self.words.reset.next = self.reset.val();
        self.icrc.reset.next = self.reset.val();
        self.judge.reset.next = self.reset.val();
        self.offer.reset.next = self.reset.val();
        self.missed.reset.next = self.reset.val();
        AxiStreamSubordinate::<DATA, STRB>::link(&mut self.axis, &mut self.intake.axis);
        self.intake.enable.next = self.enable.val();
        self.intake.drop_when_full.next = self.drop_when_full.val();
        self.intake.crowded.next = self.offer.crowded.val();
        self.intake.head.next = self.offer.head.val();
        // The buffer.
        self.buffer.write.next = self.intake.store.val();
        self.buffer.write_address.next = self.intake.row.val();
        self.buffer.data.next = self.intake.data.val();
        self.buffer.read.next = true;
        self.buffer.read_address.next = self.read_address.val();
        self.row.d.next = self.buffer.out.val();
        self.read_data.next = self.row.q.val();
        // The headers, and beside them the ICRC.
        self.words.sink_data.next = self.intake.data.val();
        self.words.sink.next = self.intake.beat.val();
        self.first_row.d.next = self.intake.first_row.val();
        self.end_row.d.next = self.intake.end_row.val();
        for i in 0..27 {
            self.select.words[i].next = self.words.words[i].val();
        }
        self.icrc.data.next = self.words.data.val();
        self.icrc.beat.next = self.words.beat.val();
        self.icrc.vlan.next = self.select.vlan.val();
        self.icrc.ipv6.next = self.select.ipv6.val();
        self.icrc.ip_length.next = self.select.ip_length.val();
        // All of a frame when its last beat is there.
        self.headers.d.next = self.select.headers.val();
        self.came.d.next = self.words.beat.val().valid & self.words.beat.val().last & !self.reset.val();
        self.before_last.next = bit_cast::<13, 10>(self.words.beat.val().index) << self.lane_bits.val();
        self.end_of.d.next.bad = self.words.beat.val().bad;
        self.end_of.d.next.long = self.words.beat.val().long;
        self.end_of.d.next.full = self.words.beat.val().full;
        self.end_of.d.next.bytes = (self.before_last.val() + bit_cast::<13, 6>(self.words.beat.val().count_less_1)) + 1;
        self.end_of.d.next.first_row = bit_cast::<12, A>(self.first_row.q.val());
        self.end_of.d.next.end_row = bit_cast::<12, A>(self.end_row.q.val());
        self.fields.headers.next = self.headers.q.val();
        self.fields.end_of.next = self.end_of.q.val();
        self.judge.headers.next = self.headers.q.val();
        self.judge.end_of.next = self.end_of.q.val();
        self.judge.sink_valid.next = self.came.q.val();
        self.judge.promiscuous.next = self.promiscuous.val();
        self.judge.own_mac.next = self.own_mac.val();
        for i in 0..8 {
            self.judge.own[i].next = self.own[i].val();
        }
        // Offer and release.
        self.offer.fields.next = self.fields.frame.val();
        self.offer.fields_valid.next = self.came.q.val();
        self.offer.verdict.next = self.judge.verdict.val();
        self.offer.verdict_valid.next = self.judge.valid.val();
        self.offer.good.next = self.icrc.good.val();
        self.offer.judged.next = self.icrc.judged.val();
        self.offer.release_frame.next = self.release_frame.val();
        ChannelSource::<RxFrame>::link(&mut self.frame, &mut self.offer.frame);
        self.missed.full.next = self.intake.missed_full.val();
        self.missed.disabled.next = self.intake.missed_disabled.val();
        ChannelSource::<Bits<8>>::join(&mut self.offer.drop, &mut self.missed.sink);
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.missed.source);
    }
}
