//! Frames that are not ours to judge, while there are no raw rings: each is dropped and counted (T95).
//!
//! Latency one cycle from the frame to its reason and its job, which only releases its place in the frame buffer.
use crate::widgets::{ChannelSink, ChannelSource};
use crate::wire::{PlaceJob, RxFrame, Span};
use rnic_abi::drop;
use rust_hdl::prelude::*;

/// Drops raw frames.
#[derive(LogicBlock)]
pub struct RawDrop {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame in hand.
    pub reset: Signal<In, Bit>,
    /// Raw frames.
    pub frame: ChannelSink<RxFrame>,
    /// Their jobs.
    pub job: ChannelSource<PlaceJob>,
    /// Span of the job offered: nothing.
    pub span: Signal<Out, Span>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    owes_job: DFF<Bit>,
    owes_reason: DFF<Bit>,
    free: Signal<Local, Bit>,
    no_job: Constant<PlaceJob>,
    no_span: Constant<Span>,
    reason: Constant<Bits<8>>,
}

impl Default for RawDrop {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            frame: Default::default(),
            job: Default::default(),
            span: Default::default(),
            drop: Default::default(),
            owes_job: Default::default(),
            owes_reason: Default::default(),
            free: Default::default(),
            no_job: Constant::new(Default::default()),
            no_span: Constant::new(Default::default()),
            reason: Constant::new(bits(drop::RAW_EMPTY.into())),
        }
    }
}

impl Logic for RawDrop {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, owes_job, owes_reason);
        self.job.data.next = self.no_job.val();
        self.job.valid.next = self.owes_job.q.val();
        self.span.next = self.no_span.val();
        self.drop.data.next = self.reason.val();
        self.drop.valid.next = self.owes_reason.q.val();
        self.free.next = !self.owes_job.q.val() & !self.owes_reason.q.val();
        self.frame.ready.next = self.free.val();
        if self.job.ready.val() {
            self.owes_job.d.next = false;
        }
        if self.drop.ready.val() {
            self.owes_reason.d.next = false;
        }
        if self.free.val() & self.frame.valid.val() {
            self.owes_job.d.next = true;
            self.owes_reason.d.next = true;
        }
        if self.reset.val() {
            self.owes_job.d.next = false;
            self.owes_reason.d.next = false;
        }
    }
}
