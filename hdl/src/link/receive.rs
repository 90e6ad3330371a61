//! Receive side: frames in, TLPs out, and the verdict on each frame.
use super::frame_parse::FrameParse;
use super::open_fields::OpenFields;
use super::receive_judge::ReceiveJudge;
use super::receive_order::ReceiveOrder;
use super::receive_store::ReceiveStore;
use super::records::{FrameHead, OpenBody, QueuedBeat, Verdict};
use crate::widgets::{AxiStreamManager, AxiStreamSubordinate, ChannelSource};
use rust_hdl::prelude::*;

/// Receive side of the link. Its verdict comes three cycles after the last beat of a frame.
#[derive(LogicBlock)]
pub struct Receive {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub reset: Signal<In, Bit>,
    /// Empties the buffers: between two sessions.
    pub clear: Signal<In, Bit>,
    /// Frames of the MAC.
    pub frames: AxiStreamSubordinate<64, 8>,
    /// Frames have to wait.
    pub hold: Signal<In, Bit>,
    /// There is no session, one may begin.
    pub listening: Signal<In, Bit>,
    /// There is a session:
    pub open: Signal<In, Bit>,
    /// its number,
    pub session: Signal<In, Bits<32>>,
    /// the number that it replaced,
    pub replaced: Signal<In, Bits<32>>,
    /// its host,
    pub peer: Signal<In, Bits<48>>,
    /// and upper 48 bits of the address of BAR0.
    pub bar: Signal<In, Bits<48>>,
    /// Next sequence number to come.
    pub expected: Signal<In, Bits<16>>,
    /// Oldest sequence number that is not acknowledged.
    pub oldest: Signal<In, Bits<16>>,
    /// Next sequence number to be sent for the first time.
    pub highest: Signal<In, Bits<16>>,
    /// The host has used up its posted limit,
    pub posted_full: Signal<In, Bit>,
    /// or the non-posted one.
    pub nonposted_full: Signal<In, Bit>,
    /// What a frame means; 0 but in one cycle.
    pub verdict: Signal<Out, Verdict>,
    /// Its header, in that cycle.
    pub head: Signal<Out, FrameHead>,
    /// Its body, if it is OPEN.
    pub fields: Signal<Out, OpenBody>,
    /// A posted TLP is accepted,
    pub posted: Signal<Out, Bit>,
    /// and dropped;
    pub posted_skipped: Signal<Out, Bit>,
    /// one has left its buffer.
    pub posted_taken: Signal<Out, Bit>,
    /// A non-posted TLP is accepted,
    pub nonposted: Signal<Out, Bit>,
    /// and dropped;
    pub nonposted_skipped: Signal<Out, Bit>,
    /// one has left its buffer.
    pub nonposted_taken: Signal<Out, Bit>,
    /// The bridge takes another request.
    pub nonposted_room: Signal<In, Bit>,
    /// TLPs for the bridge.
    pub tlps: AxiStreamManager<64, 8>,
    /// The TLP hits BAR0; with its second beat.
    pub bar_hit: Signal<Out, Bits<3>>,
    parse: FrameParse,
    judge: ReceiveJudge,
    open_fields: OpenFields,
    store: ReceiveStore,
    order: ReceiveOrder,
}

impl Receive {
    /// Receive side of the device with this MAC address.
    pub fn new(address: u64) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clear: Default::default(),
            frames: Default::default(),
            hold: Default::default(),
            listening: Default::default(),
            open: Default::default(),
            session: Default::default(),
            replaced: Default::default(),
            peer: Default::default(),
            bar: Default::default(),
            expected: Default::default(),
            oldest: Default::default(),
            highest: Default::default(),
            posted_full: Default::default(),
            nonposted_full: Default::default(),
            verdict: Default::default(),
            head: Default::default(),
            fields: Default::default(),
            posted: Default::default(),
            posted_skipped: Default::default(),
            posted_taken: Default::default(),
            nonposted: Default::default(),
            nonposted_skipped: Default::default(),
            nonposted_taken: Default::default(),
            nonposted_room: Default::default(),
            tlps: Default::default(),
            bar_hit: Default::default(),
            parse: FrameParse::new(address),
            judge: Default::default(),
            open_fields: Default::default(),
            store: Default::default(),
            order: Default::default(),
        }
    }
}

impl Logic for Receive {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, parse, judge, open_fields, store, order);
        self.parse.reset.next = self.reset.val();
        self.judge.reset.next = self.reset.val();
        self.store.reset.next = self.clear.val();
        self.order.reset.next = self.clear.val();
        AxiStreamSubordinate::<64, 8>::link(&mut self.frames, &mut self.parse.axis);
        self.parse.hold.next = self.hold.val();
        self.parse.done.next = self.judge.done.val();
        self.judge.valid.next = self.parse.valid.val();
        self.judge.head.next = self.parse.head.val();
        self.judge.listening.next = self.listening.val();
        self.judge.open.next = self.open.val();
        self.judge.session.next = self.session.val();
        self.judge.replaced.next = self.replaced.val();
        self.judge.peer.next = self.peer.val();
        self.judge.expected.next = self.expected.val();
        self.judge.oldest.next = self.oldest.val();
        self.judge.highest.next = self.highest.val();
        self.judge.posted_full.next = self.posted_full.val();
        self.judge.nonposted_full.next = self.nonposted_full.val();
        self.judge.overflow.next = self.store.overflow.val();
        self.open_fields.body.next = self.parse.body.val();
        self.open_fields.body_valid.next = self.parse.body_valid.val();
        self.open_fields.body_place.next = self.parse.body_place.val();
        self.store.head.next = self.parse.head.val();
        self.store.body.next = self.parse.body.val();
        self.store.body_valid.next = self.parse.body_valid.val();
        self.store.body_half.next = self.parse.body_half.val();
        self.store.body_last.next = self.parse.body_last.val();
        self.store.body_place.next = self.parse.body_place.val();
        self.store.bar.next = self.bar.val();
        self.store.done.next = self.judge.done.val();
        self.store.verdict.next = self.judge.verdict.val();
        ChannelSource::<QueuedBeat>::join(&mut self.store.main, &mut self.order.main);
        ChannelSource::<QueuedBeat>::join(&mut self.store.requests, &mut self.order.requests);
        self.order.nonposted_room.next = self.nonposted_room.val();
        AxiStreamManager::<64, 8>::link(&mut self.tlps, &mut self.order.axis);
        self.bar_hit.next = self.order.bar_hit.val();
        self.verdict.next = self.judge.verdict.val();
        self.head.next = self.parse.head.val();
        self.fields.next = self.open_fields.fields.val();
        self.posted.next = self.store.posted.val();
        self.posted_skipped.next = self.store.posted_skipped.val();
        self.posted_taken.next = self.order.posted_taken.val();
        self.nonposted.next = self.store.nonposted.val();
        self.nonposted_skipped.next = self.store.nonposted_skipped.val();
        self.nonposted_taken.next = self.order.nonposted_taken.val();
    }
}
