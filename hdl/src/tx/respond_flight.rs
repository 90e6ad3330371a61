//! Frames of the responder between the engine and the wire, one count a queue pair (T6, T61).
//!
//! An issue is counted at once; an end is that of a failed frame, of one whose last beat has gone to the wire, or of a duplicate
//! atomic that was dropped: one a cycle, the others wait. What is read knows issues of the cycle before, ends of two cycles before.
use crate::widgets::{ChannelSink, ChannelSource, PulseCounts, Stage};
use rnic_abi::drop;
use rust_hdl::prelude::*;

/// Counts of 2^QA queue pairs.
#[derive(LogicBlock)]
pub struct ResponseFlight<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Nothing is in flight.
    pub reset: Signal<In, Bit>,
    /// Counts are being cleared (reset is on).
    pub clearing: Signal<In, Bit>,
    /// Count to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// A frame or an atomic is issued,
    pub issue: Signal<In, Bit>,
    /// a frame has failed,
    pub fail: Signal<In, Bit>,
    /// and with it the duplicate READ that it answers is dropped (C23),
    pub skip: Signal<In, Bit>,
    /// of this queue pair.
    pub index: Signal<In, Bits<QA>>,
    /// Tags of frames that have left; bit 31 marks those of the responder.
    pub sent: ChannelSink<Bits<32>>,
    /// Queue pairs of dropped duplicates.
    pub gone: ChannelSink<Bits<8>>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    /// Reads the count of `read_index`, else that of `status_index`.
    pub read: Signal<In, Bit>,
    /// Queue pair to read.
    pub read_index: Signal<In, Bits<QA>>,
    /// Something of it is in flight, one cycle later.
    pub in_flight: Signal<Out, Bit>,
    /// Queue pair to tell about.
    pub status_index: Signal<In, Bits<8>>,
    /// Something of it is in flight; at most 4 cycles old when `read` is not set all the time.
    pub status_busy: Signal<Out, Bit>,
    issued: PulseCounts<QA>,
    ended: PulseCounts<QA>,
    drops: Stage<Bits<8>>,
    issued_late: DFF<Bit>,
    index_late: DFF<Bits<QA>>,
    recent: DFF<Bit>,
    peeked: DFF<Bit>,
    busy: DFF<Bit>,
    asked: Signal<Local, Bits<8>>,
    row: Signal<Local, Bits<QA>>,
    differs: Signal<Local, Bit>,
    gone_goes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    end_tag: Signal<Local, Bits<32>>,
    end_qp: Signal<Local, Bits<8>>,
    duplicate_atomic: Constant<Bits<8>>,
    duplicate_read: Constant<Bits<8>>,
}

impl<const QA: usize> Default for ResponseFlight<QA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            issue: Default::default(),
            fail: Default::default(),
            skip: Default::default(),
            index: Default::default(),
            sent: Default::default(),
            gone: Default::default(),
            drop: Default::default(),
            read: Default::default(),
            read_index: Default::default(),
            in_flight: Default::default(),
            status_index: Default::default(),
            status_busy: Default::default(),
            issued: Default::default(),
            ended: Default::default(),
            drops: Default::default(),
            issued_late: Default::default(),
            index_late: Default::default(),
            recent: Default::default(),
            peeked: Default::default(),
            busy: Default::default(),
            asked: Default::default(),
            row: Default::default(),
            differs: Default::default(),
            gone_goes: Default::default(),
            ends: Default::default(),
            end_tag: Default::default(),
            end_qp: Default::default(),
            duplicate_atomic: Constant::new(u64::from(drop::DUPLICATE_ATOMIC).into()),
            duplicate_read: Constant::new(u64::from(drop::DUPLICATE_READ).into()),
        }
    }
}

impl<const QA: usize> Logic for ResponseFlight<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, issued_late, index_late, recent, peeked, busy);
        clock!(self, clock, issued, ended, drops);
        self.issued.reset.next = self.reset.val();
        self.ended.reset.next = self.reset.val();
        self.drops.reset.next = self.reset.val();
        self.issued.clearing.next = self.clearing.val();
        self.issued.clear_index.next = self.clear_index.val();
        self.ended.clearing.next = self.clearing.val();
        self.ended.clear_index.next = self.clear_index.val();

        self.sent.ready.next = !self.fail.val();
        self.gone_goes.next = !self.fail.val() & !self.sent.valid.val() & self.drops.sink.ready.val();
        self.gone.ready.next = self.gone_goes.val();
        self.end_tag.next = self.sent.data.val();
        self.end_qp.next = self.end_tag.val().get_bits::<8>(0);
        self.ends.next = self.end_tag.val().get_bit(31);
        if !self.sent.valid.val() {
            self.end_qp.next = self.gone.data.val();
            self.ends.next = self.gone.valid.val() & self.gone_goes.val();
        }
        if self.fail.val() {
            self.end_qp.next = bit_cast::<8, QA>(self.index.val());
            self.ends.next = true;
        }
        self.drops.sink.data.next = self.duplicate_atomic.val();
        self.drops.sink.valid.next = self.gone.valid.val() & self.gone_goes.val();
        // Turns are six cycles apart, and two reasons have room: there is always place for this one.
        if self.skip.val() {
            self.drops.sink.data.next = self.duplicate_read.val();
            self.drops.sink.valid.next = true;
        }
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.drops.source);

        self.asked.next = self.status_index.val();
        self.row.next = bit_cast::<QA, 8>(self.asked.val());
        if self.read.val() {
            self.row.next = self.read_index.val();
        }
        self.issued.pulse.next = self.issue.val();
        self.issued.pulse_index.next = self.index.val();
        self.issued.index.next = self.row.val();
        self.ended.pulse.next = self.ends.val();
        self.ended.pulse_index.next = bit_cast::<QA, 8>(self.end_qp.val());
        self.ended.index.next = self.row.val();
        // The count does not know an issue of the cycle before yet: the next turn of a queue pair may be that close.
        self.issued_late.d.next = self.issue.val();
        self.index_late.d.next = self.index.val();
        self.recent.d.next = self.issued_late.q.val() & (self.index_late.q.val() == self.row.val());
        self.differs.next = self.recent.q.val() | (self.issued.count.val() != self.ended.count.val());
        self.in_flight.next = self.differs.val();
        self.peeked.d.next = !self.read.val();
        if self.peeked.q.val() {
            self.busy.d.next = self.differs.val();
        }
        self.status_busy.next = self.busy.q.val();
    }
}
