//! Gives received TLPs to the bridge: posted TLPs and completions in their order, a request when all that came before it has
//! gone and the bridge has room for it (rules TO4 and LK13).
//!
//! Nothing but requests waits for that room. A beat a cycle, one cycle late; taking turns keeps both queues moving.
use super::records::QueuedBeat;
use crate::widgets::{AxiStreamManager, ChannelSink, Stage};
use rust_hdl::prelude::*;

/// Whose TLP is leaving.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum OrderStep {
    /// Nobody's.
    Choose,
    /// A posted TLP or a completion.
    Main,
    /// A request.
    Request,
}

/// Order of received TLPs.
#[derive(LogicBlock, Default)]
pub struct ReceiveOrder {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all.
    pub reset: Signal<In, Bit>,
    /// Posted TLPs, completions and marks of requests.
    pub main: ChannelSink<QueuedBeat>,
    /// Requests.
    pub requests: ChannelSink<QueuedBeat>,
    /// The bridge takes another request.
    pub nonposted_room: Signal<In, Bit>,
    /// TLPs for the bridge.
    pub axis: AxiStreamManager<64, 8>,
    /// The TLP hits BAR0; with its second beat.
    pub bar_hit: Signal<Out, Bits<3>>,
    /// A posted TLP has left its buffer.
    pub posted_taken: Signal<Out, Bit>,
    /// A non-posted TLP has left its buffer.
    pub nonposted_taken: Signal<Out, Bit>,
    stage: Stage<QueuedBeat>,
    step: DFF<OrderStep>,
    /// Requests whose turn has come.
    free: DFF<Bits<5>>,
    turn: DFF<Bit>,
    goes_main: Signal<Local, Bit>,
    goes_request: Signal<Local, Bit>,
    may_main: Signal<Local, Bit>,
    may_request: Signal<Local, Bit>,
    chosen: Signal<Local, QueuedBeat>,
    offers: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    mark: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    shown: Signal<Local, QueuedBeat>,
}

impl Logic for ReceiveOrder {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, free, turn);
        clock!(self, clock, stage);
        self.stage.reset.next = self.reset.val();
        self.mark.next = (self.step.q.val() == OrderStep::Choose) & self.main.valid.val() & self.main.data.val().mark;
        self.may_main.next = self.main.valid.val() & !self.main.data.val().mark;
        self.may_request.next = self.requests.valid.val() & self.free.q.val().any() & self.nonposted_room.val();
        self.goes_request.next = self.step.q.val() == OrderStep::Request;
        self.goes_main.next = self.step.q.val() == OrderStep::Main;
        if self.step.q.val() == OrderStep::Choose {
            self.goes_request.next = self.may_request.val() & (!self.turn.q.val() | !self.may_main.val());
            self.goes_main.next = self.may_main.val() & !self.goes_request.val();
        }
        self.chosen.next = self.main.data.val();
        self.offers.next = self.goes_main.val() & self.main.valid.val();
        if self.goes_request.val() {
            self.chosen.next = self.requests.data.val();
            self.offers.next = self.requests.valid.val();
        }
        self.stage.sink.data.next = self.chosen.val();
        self.stage.sink.valid.next = self.offers.val();
        self.moves.next = self.offers.val() & self.stage.sink.ready.val();
        self.main.ready.next = self.mark.val() | (self.moves.val() & self.goes_main.val());
        self.requests.ready.next = self.moves.val() & self.goes_request.val();
        self.begins.next = self.moves.val() & self.goes_request.val() & (self.step.q.val() == OrderStep::Choose);
        if self.mark.val() & !self.begins.val() {
            self.free.d.next = self.free.q.val() + 1;
        } else if self.begins.val() & !self.mark.val() {
            self.free.d.next = self.free.q.val() - 1;
        }
        self.posted_taken.next = false;
        self.nonposted_taken.next = false;
        if self.moves.val() {
            if self.goes_request.val() {
                self.step.d.next = OrderStep::Request;
                self.turn.d.next = true;
            } else {
                self.step.d.next = OrderStep::Main;
                self.turn.d.next = false;
            }
            if self.chosen.val().last {
                self.step.d.next = OrderStep::Choose;
                self.posted_taken.next = self.goes_main.val() & self.chosen.val().posted;
                self.nonposted_taken.next = self.goes_request.val();
            }
        }
        if self.reset.val() {
            self.step.d.next = OrderStep::Choose;
            self.free.d.next = 0.into();
            self.turn.d.next = false;
        }
        self.shown.next = self.stage.source.data.val();
        self.axis.tdata.next = self.shown.val().data;
        self.axis.tkeep.next = 255.into();
        if self.shown.val().half {
            self.axis.tkeep.next = 15.into();
        }
        self.axis.tlast.next = self.shown.val().last;
        self.axis.tuser.next = false;
        self.axis.tvalid.next = self.stage.source.valid.val();
        self.stage.source.ready.next = self.axis.tready.val();
        self.bar_hit.next = 0.into();
        if self.shown.val().hits {
            self.bar_hit.next = 1.into();
        }
    }
}
