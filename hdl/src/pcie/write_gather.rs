//! Cuts AXI write bursts into memory writes and answers B (rules WR1 to WR4).
//!
//! Takes one beat a cycle; each TLP costs one cycle more, each burst two. A TLP is stored whole before its header is
//! offered, and the header is taken at the moment of commitment: only then may B follow (WR3).
//!
//! After a hole, or after the link has gone, nothing more of the burst is sent: what the host sees is a prefix of the burst.
use super::records::TlpHeader;
use super::write_header::WriteHeader;
use super::write_run::WriteRun;
use super::write_strobes::StrobeShape;
use crate::widgets::{AxiWriteSubordinate, ChannelSource};
use rust_hdl::prelude::*;

/// Where a burst stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum WriteStep {
    /// No burst.
    AwaitBurst,
    /// Beats are taken.
    Take,
    /// A whole TLP is offered.
    Commit,
    /// The burst is answered.
    Answer,
}

/// Gatherer of DMA writes.
#[derive(LogicBlock, Default)]
pub struct WriteGather {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the burst.
    pub reset: Signal<In, Bit>,
    /// Requester id.
    pub device_id: Signal<In, Bits<16>>,
    /// Memory writes may be sent: link up, bus master on.
    pub enabled: Signal<In, Bit>,
    /// Beats of the largest payload, less 1.
    pub payload_beats: Signal<In, Bits<6>>,
    /// The core's writes.
    pub bus: AxiWriteSubordinate<64, 8>,
    /// Headers; the handshake commits the TLP.
    pub header: ChannelSource<TlpHeader>,
    /// The payload queue has room.
    pub room: Signal<In, Bit>,
    /// A beat of payload,
    pub data_valid: Signal<Out, Bit>,
    /// its bytes,
    pub data: Signal<Out, Bits<64>>,
    /// kept
    pub commit: Signal<Out, Bit>,
    /// or forgotten.
    pub revert: Signal<Out, Bit>,
    /// A burst had a hole.
    pub hole: Signal<Out, Bit>,
    shape: StrobeShape,
    run: WriteRun,
    builder: WriteHeader,
    step: DFF<WriteStep>,
    id: DFF<Bits<4>>,
    /// Of the beat that is due.
    address: DFF<Bits<64>>,
    /// Nothing more of the burst is sent.
    failed: DFF<Bit>,
    /// The last beat was taken.
    complete: DFF<Bit>,
    /// There is payload of the TLP; it begins here.
    filled: DFF<Bit>,
    start: DFF<Bits<64>>,
    upper: DFF<Bit>,
    first: DFF<Bits<4>>,
    last: DFF<Bits<4>>,
    dwords: DFF<Bits<8>>,
    may_take: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    dies: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    holds: Signal<Local, Bit>,
    place: Signal<Local, Bits<6>>,
    ends: Signal<Local, Bit>,
    added: Signal<Local, Bits<8>>,
    offers: Signal<Local, Bit>,
}

impl Logic for WriteGather {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, id, address, failed, complete, filled, start, upper, first, last, dwords);
        clock!(self, clock, run);
        self.may_take.next =
            (self.step.q.val() == WriteStep::Take) & (self.room.val() | self.failed.q.val() | !self.enabled.val());
        self.takes.next = self.may_take.val() & self.bus.wvalid.val();
        self.shape.data.next = self.bus.wdata.val();
        self.shape.strobes.next = self.bus.wstrb.val();
        self.run.strobes.next = self.bus.wstrb.val();
        self.run.one_run.next = self.shape.one_run.val();
        self.run.takes.next = self.takes.val();
        self.run.clear.next = self.step.q.val() == WriteStep::AwaitBurst;
        self.builder.device_id.next = self.device_id.val();
        self.builder.address.next = self.start.q.val();
        self.builder.upper.next = self.upper.q.val();
        self.builder.dwords.next = self.dwords.q.val();
        self.builder.first.next = self.first.q.val();
        self.builder.last.next = self.last.q.val();
        self.header.data.next = self.builder.header.val();
        self.offers.next = (self.step.q.val() == WriteStep::Commit) & self.enabled.val();
        self.header.valid.next = self.offers.val();
        self.bus.awready.next = self.step.q.val() == WriteStep::AwaitBurst;
        self.bus.wready.next = self.may_take.val();
        // WR2, WR4.
        self.hole.next = self.takes.val() & self.run.hole.val() & !self.failed.q.val();
        self.dies.next = self.failed.q.val() | self.run.hole.val() | !self.enabled.val();
        self.keeps.next = self.shape.some.val() & !self.dies.val();
        self.data_valid.next = self.takes.val() & self.keeps.val();
        self.data.next = self.shape.masked.val();
        self.place.next = self.address.q.val().get_bits::<6>(3);
        self.ends.next =
            self.bus.wlast.val() | ((self.place.val() & self.payload_beats.val()) == self.payload_beats.val());
        self.holds.next = (self.filled.q.val() | self.keeps.val()) & !self.dies.val();
        self.added.next = 1.into();
        if self.shape.low.val() & self.shape.high.val() {
            self.added.next = 2.into();
        }
        self.commit.next = self.offers.val() & self.header.ready.val();
        self.revert.next =
            (self.takes.val() & self.dies.val()) | ((self.step.q.val() == WriteStep::Commit) & !self.enabled.val());
        match self.step.q.val() {
            WriteStep::AwaitBurst => {
                self.id.d.next = self.bus.awid.val();
                self.address.d.next = self.bus.awaddr.val();
                self.failed.d.next = false;
                self.filled.d.next = false;
                self.dwords.d.next = 0.into();
                if self.bus.awvalid.val() {
                    self.step.d.next = WriteStep::Take;
                }
            }
            WriteStep::Take => {
                if self.takes.val() {
                    self.failed.d.next = self.dies.val();
                    self.filled.d.next = self.holds.val();
                    self.complete.d.next = self.bus.wlast.val();
                    self.address.d.next = self.address.q.val() + 8;
                    if self.keeps.val() {
                        self.last.d.next = self.shape.last.val();
                        self.dwords.d.next = self.dwords.q.val() + self.added.val();
                        if !self.filled.q.val() {
                            self.start.d.next = self.address.q.val();
                            self.upper.d.next = !self.shape.low.val();
                            self.first.d.next = self.shape.first.val();
                        }
                    }
                    if self.ends.val() & self.holds.val() {
                        self.step.d.next = WriteStep::Commit;
                    } else if self.bus.wlast.val() {
                        self.step.d.next = WriteStep::Answer;
                    }
                }
            }
            WriteStep::Commit => {
                if !self.enabled.val() | self.header.ready.val() {
                    self.failed.d.next = !self.enabled.val();
                    self.filled.d.next = false;
                    self.dwords.d.next = 0.into();
                    self.step.d.next = WriteStep::Take;
                    if self.complete.q.val() {
                        self.step.d.next = WriteStep::Answer;
                    }
                }
            }
            WriteStep::Answer => {
                if self.bus.bready.val() {
                    self.step.d.next = WriteStep::AwaitBurst;
                }
            }
        }
        self.bus.bid.next = self.id.q.val();
        self.bus.bvalid.next = self.step.q.val() == WriteStep::Answer;
        self.bus.bresp.next = 0.into();
        if self.failed.q.val() {
            self.bus.bresp.next = 2.into();
        }
        if self.reset.val() {
            self.step.d.next = WriteStep::AwaitBurst;
        }
    }
}
