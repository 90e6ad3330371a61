//! What the producer does next. Combinational choice; `ready` follows `free` in the same cycle.
//!
//! First the orders that must not wait: a queue whose CQE could not be written, a queue that is being created (these do not
//! need room in flight, and the room depends on them, I8). In this order, so that a late failure of a queue that was
//! destroyed meanwhile cannot mark the new one. Then CQEs, send and receive queues in turn.
use super::ProducerTask;
use crate::types::CqeRequest;
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// Chooses the producer's next task.
#[derive(LogicBlock, Default)]
pub struct CqeSelect {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Send queues first.
    pub reset: Signal<In, Bit>,
    /// CQEs of send queues.
    pub send: ChannelSink<CqeRequest>,
    /// CQEs of receive queues.
    pub receive: ChannelSink<CqeRequest>,
    /// Queues whose CQE could not be written.
    pub broken: ChannelSink<Bits<12>>,
    /// Queues that are being created.
    pub restart: ChannelSink<Bits<12>>,
    /// A task may begin.
    pub free: Signal<In, Bit>,
    /// A CQE may be issued.
    pub room: Signal<In, Bit>,
    /// A task begins.
    pub begins: Signal<Out, Bit>,
    /// Which.
    pub job: Signal<Out, ProducerTask>,
    /// The CQE; of other tasks only the CQN counts.
    pub request: Signal<Out, CqeRequest>,
    receive_first: DFF<Bit>,
    fetches: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    receives: Signal<Local, Bit>,
}

impl Logic for CqeSelect {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, receive_first);
        self.broken.ready.next = self.free.val();
        self.restart.ready.next = self.free.val() & !self.broken.valid.val();
        self.fetches.next = self.free.val() & self.room.val() & !self.restart.valid.val() & !self.broken.valid.val();
        self.sends.next =
            self.fetches.val() & self.send.valid.val() & !(self.receive_first.q.val() & self.receive.valid.val());
        self.receives.next = self.fetches.val() & self.receive.valid.val() & !self.sends.val();
        self.send.ready.next = self.sends.val();
        self.receive.ready.next = self.receives.val();
        if self.sends.val() | self.receives.val() {
            self.receive_first.d.next = self.sends.val();
        }
        if self.reset.val() {
            self.receive_first.d.next = false;
        }
        self.job.next = ProducerTask::Produce;
        self.request.next = self.send.data.val();
        if self.receives.val() {
            self.request.next = self.receive.data.val();
        }
        if self.restart.valid.val() {
            self.job.next = ProducerTask::Restart;
            self.request.next.cqn = self.restart.data.val();
        }
        if self.broken.valid.val() {
            self.job.next = ProducerTask::MarkFailed;
            self.request.next.cqn = self.broken.data.val();
        }
        self.begins.next = self.sends.val()
            | self.receives.val()
            | (self.free.val() & (self.restart.valid.val() | self.broken.valid.val()));
    }
}
