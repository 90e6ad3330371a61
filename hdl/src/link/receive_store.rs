//! Receive buffers: TLPs of accepted frames wait here for the bridge (rules LK13, LK14, BA2).
//!
//! Posted TLPs and completions share one queue in the order of their numbers, non-posted ones have their own; a mark in the
//! first queue keeps the place of each. A frame is written as it comes and kept or taken back at its verdict.
//!
//! 2^10 words hold 16 posted TLPs of 21 DW and the completions of 8 reads of 512 bytes, split at every 64 bytes: 896 words.
//! A longer posted TLP is none that the bridge serves; it is accepted, and dropped here.
use super::bar_hit::BarHit;
use super::records::{FrameHead, QueuedBeat, Verdict};
use crate::pcie::CommitFifo;
use crate::widgets::ChannelSource;
use rnic_abi::link::{bridge, frame};
use rust_hdl::prelude::*;

/// Words of the queue of posted TLPs and completions, as a power of two.
const QUEUE: usize = 10;

/// Writer of the receive buffers.
#[derive(LogicBlock)]
pub struct ReceiveStore {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Empties the buffers.
    pub reset: Signal<In, Bit>,
    /// Header of the frame; its class counts from the first beat of the body on.
    pub head: Signal<In, FrameHead>,
    /// Body,
    pub body: Signal<In, Bits<64>>,
    /// which counts,
    pub body_valid: Signal<In, Bit>,
    /// only the lower DW,
    pub body_half: Signal<In, Bit>,
    /// last beat,
    pub body_last: Signal<In, Bit>,
    /// number of the beat.
    pub body_place: Signal<In, Bits<3>>,
    /// Upper 48 bits of the address of BAR0.
    pub bar: Signal<In, Bits<48>>,
    /// The frame is judged,
    pub done: Signal<In, Bit>,
    /// so.
    pub verdict: Signal<In, Verdict>,
    /// The TLP did not fit.
    pub overflow: Signal<Out, Bit>,
    /// A posted TLP is accepted
    pub posted: Signal<Out, Bit>,
    /// and dropped.
    pub posted_skipped: Signal<Out, Bit>,
    /// A non-posted TLP is accepted
    pub nonposted: Signal<Out, Bit>,
    /// and dropped.
    pub nonposted_skipped: Signal<Out, Bit>,
    /// Posted TLPs, completions and marks.
    pub main: ChannelSource<QueuedBeat>,
    /// Non-posted TLPs.
    pub requests: ChannelSource<QueuedBeat>,
    hit: BarHit,
    queue: CommitFifo<QueuedBeat, QUEUE, 1>,
    request_queue: CommitFifo<QueuedBeat, 7, 1>,
    lacks: DFF<Bit>,
    long: DFF<Bit>,
    request: Signal<Local, Bit>,
    oversized: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    marks: Signal<Local, Bit>,
    beat: Signal<Local, QueuedBeat>,
    tlp_kind: Constant<Bits<4>>,
    most_posted: Constant<Bits<14>>,
    most_request: Constant<Bits<14>>,
}

impl Default for ReceiveStore {
    fn default() -> Self {
        // Header of 4 DW, digest, and the payload: of a BAR write, or of the largest atomic operation.
        let (posted, request) = (4 + 1 + bridge::BAR_DWORDS as u64, 4 + 1 + 8_u64);
        let reads = bridge::TAGS as u64 * (bridge::MAX_READ as u64 / 64 + 1) * 10;
        assert!(frame::DEVICE_POSTED as u64 * posted.div_ceil(2) + reads + 16 < 1 << QUEUE);
        assert!(frame::DEVICE_NONPOSTED as u64 * request.div_ceil(2) < 1 << 7);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            head: Default::default(),
            body: Default::default(),
            body_valid: Default::default(),
            body_half: Default::default(),
            body_last: Default::default(),
            body_place: Default::default(),
            bar: Default::default(),
            done: Default::default(),
            verdict: Default::default(),
            overflow: Default::default(),
            posted: Default::default(),
            posted_skipped: Default::default(),
            nonposted: Default::default(),
            nonposted_skipped: Default::default(),
            main: Default::default(),
            requests: Default::default(),
            hit: Default::default(),
            queue: Default::default(),
            request_queue: Default::default(),
            lacks: Default::default(),
            long: Default::default(),
            request: Default::default(),
            oversized: Default::default(),
            writes: Default::default(),
            room: Default::default(),
            keeps: Default::default(),
            drops: Default::default(),
            marks: Default::default(),
            beat: Default::default(),
            tlp_kind: Constant::new(bits(frame::TYPE_TLP.into())),
            most_posted: Constant::new(posted.into()),
            most_request: Constant::new(request.into()),
        }
    }
}

impl Logic for ReceiveStore {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, lacks, long);
        clock!(self, clock, queue, request_queue);
        self.queue.reset.next = self.reset.val();
        self.request_queue.reset.next = self.reset.val();
        self.request.next = !self.head.val().posted & !self.head.val().completion;
        self.oversized.next = (self.head.val().posted & (self.head.val().dwords > self.most_posted.val()))
            | (self.request.val() & (self.head.val().dwords > self.most_request.val()));
        // A request needs room for its mark as well.
        self.room.next = self.queue.room.val() & (self.request_queue.room.val() | !self.request.val());
        self.writes.next =
            self.body_valid.val() & (self.head.val().kind == self.tlp_kind.val()) & !self.oversized.val();
        if self.body_valid.val() & (self.body_place.val() == 0) {
            self.long.d.next = self.body.val().get_bit(5);
        }
        self.lacks.d.next = (self.lacks.q.val() | (self.writes.val() & !self.room.val())) & !self.done.val();
        self.overflow.next = self.lacks.q.val();
        self.keeps.next = self.done.val() & self.verdict.val().accepted & !self.oversized.val();
        self.drops.next = self.done.val() & !self.verdict.val().accepted;
        self.marks.next = self.keeps.val() & self.request.val();
        self.hit.four.next = self.long.q.val();
        self.hit.data.next = self.body.val();
        self.hit.bar.next = self.bar.val();
        self.beat.next.data = self.body.val();
        self.beat.next.half = self.body_half.val();
        self.beat.next.last = self.body_last.val();
        self.beat.next.hits = self.hit.hits.val();
        self.beat.next.posted = self.head.val().posted;
        self.beat.next.mark = self.marks.val();
        self.queue.data.next = self.beat.val();
        self.request_queue.data.next = self.beat.val();
        self.queue.write.next = (self.writes.val() & self.room.val() & !self.request.val()) | self.marks.val();
        self.queue.commit.next = self.keeps.val();
        self.queue.revert.next = self.drops.val();
        self.request_queue.write.next = self.writes.val() & self.room.val() & self.request.val();
        self.request_queue.commit.next = self.keeps.val();
        self.request_queue.revert.next = self.drops.val();
        self.posted.next = self.done.val() & self.verdict.val().accepted & self.head.val().posted;
        self.nonposted.next = self.done.val() & self.verdict.val().accepted & self.request.val();
        self.posted_skipped.next =
            self.done.val() & self.verdict.val().accepted & self.head.val().posted & self.oversized.val();
        self.nonposted_skipped.next =
            self.done.val() & self.verdict.val().accepted & self.request.val() & self.oversized.val();
        if self.reset.val() {
            self.lacks.d.next = false;
        }
        ChannelSource::<QueuedBeat>::link(&mut self.main, &mut self.queue.source);
        ChannelSource::<QueuedBeat>::link(&mut self.requests, &mut self.request_queue.source);
    }
}
