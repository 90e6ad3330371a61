//! Doorbells: checked for enable and reserved bits, then handed to the subsystem that owns the queue.
//!
//! The bus is answered at once. A queue of seven doorbells a subsystem takes up what comes faster than the subsystem serves; if
//! one does not move for 31 cycles, the doorbell is dropped and counted rather than the bus held up (rule BA4).
use crate::types::Doorbell;
use crate::widgets::{ChannelSource, Fifo};
use rnic_abi::register as map;
use rust_hdl::prelude::*;

/// Doorbells on their way to the queues.
#[derive(LogicBlock)]
pub struct Doorbells {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops all doorbells that wait.
    pub reset: Signal<In, Bit>,
    /// Doorbells are taken: the device is ready and enabled.
    pub enable: Signal<In, Bit>,
    /// An SQ doorbell is written; held, like the next two, until `done`.
    pub send: Signal<In, Bit>,
    /// An RQ doorbell is written.
    pub receive: Signal<In, Bit>,
    /// A CQ doorbell is written.
    pub completion: Signal<In, Bit>,
    /// Number of the queue.
    pub index: Signal<In, Bits<10>>,
    /// Value of the doorbell.
    pub value: Signal<In, Bits<32>>,
    /// The doorbell is taken or dropped.
    pub done: Signal<Out, Bit>,
    /// Doorbell dropped because doorbells are not taken.
    pub disabled: Signal<Out, Bit>,
    /// Doorbell dropped because of reserved bits: SQ, RQ, CQ.
    pub misshaped: Signal<Out, Bits<3>>,
    /// To the send queues.
    pub sq_doorbell: ChannelSource<Doorbell>,
    /// To the receive queues.
    pub rq_doorbell: ChannelSource<Doorbell>,
    /// To the completion queues.
    pub cq_doorbell: ChannelSource<Doorbell>,
    sq: Fifo<Doorbell, 3>,
    rq: Fifo<Doorbell, 3>,
    cq: Fifo<Doorbell, 3>,
    waited: DFF<Bits<5>>,
    doorbell: Signal<Local, Doorbell>,
    offered: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    misshape: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    impatient: Signal<Local, Bit>,
    work_reserved: Constant<Bits<32>>,
    completion_reserved: Constant<Bits<32>>,
}

impl Default for Doorbells {
    fn default() -> Self {
        assert_eq!(map::SQ_DOORBELL_COUNT, map::RQ_DOORBELL_COUNT);
        let completion =
            map::CQ_DOORBELL_COUNT.mask() | map::CQ_DOORBELL_ARM.mask() | map::CQ_DOORBELL_ARM_SOLICITED.mask();
        Self {
            clock: Default::default(),
            reset: Default::default(),
            enable: Default::default(),
            send: Default::default(),
            receive: Default::default(),
            completion: Default::default(),
            index: Default::default(),
            value: Default::default(),
            done: Default::default(),
            disabled: Default::default(),
            misshaped: Default::default(),
            sq_doorbell: Default::default(),
            rq_doorbell: Default::default(),
            cq_doorbell: Default::default(),
            sq: Default::default(),
            rq: Default::default(),
            cq: Default::default(),
            waited: Default::default(),
            doorbell: Default::default(),
            offered: Default::default(),
            good: Default::default(),
            misshape: Default::default(),
            room: Default::default(),
            impatient: Default::default(),
            work_reserved: Constant::new(u64::from(!map::SQ_DOORBELL_COUNT.mask()).into()),
            completion_reserved: Constant::new(u64::from(!completion).into()),
        }
    }
}

impl Logic for Doorbells {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waited);
        clock!(self, clock, sq, rq, cq);
        ChannelSource::<Doorbell>::link(&mut self.sq_doorbell, &mut self.sq.source);
        ChannelSource::<Doorbell>::link(&mut self.rq_doorbell, &mut self.rq.source);
        ChannelSource::<Doorbell>::link(&mut self.cq_doorbell, &mut self.cq.source);
        self.sq.reset.next = self.reset.val();
        self.rq.reset.next = self.reset.val();
        self.cq.reset.next = self.reset.val();
        self.doorbell.next.index = self.index.val();
        self.doorbell.next.value = self.value.val();
        self.sq.sink.data.next = self.doorbell.val();
        self.rq.sink.data.next = self.doorbell.val();
        self.cq.sink.data.next = self.doorbell.val();
        self.offered.next = self.send.val() | self.receive.val() | self.completion.val();
        self.misshape.next = (self.value.val() & self.work_reserved.val()).any();
        self.room.next = (self.send.val() & self.sq.sink.ready.val()) | (self.receive.val() & self.rq.sink.ready.val());
        if self.completion.val() {
            self.misshape.next = (self.value.val() & self.completion_reserved.val()).any();
            self.room.next = self.cq.sink.ready.val();
        }
        self.good.next = self.enable.val() & !self.misshape.val();
        self.impatient.next = self.waited.q.val().all();
        self.sq.sink.valid.next = self.send.val() & self.good.val();
        self.rq.sink.valid.next = self.receive.val() & self.good.val();
        self.cq.sink.valid.next = self.completion.val() & self.good.val();
        self.disabled.next =
            self.offered.val() & (!self.enable.val() | (self.good.val() & !self.room.val() & self.impatient.val()));
        self.misshaped.next = 0.into();
        if self.enable.val() & self.misshape.val() {
            self.misshaped.next = bit_cast::<3, 1>(self.send.val().into())
                | (bit_cast::<3, 1>(self.receive.val().into()) << 1)
                | (bit_cast::<3, 1>(self.completion.val().into()) << 2);
        }
        self.done.next = self.offered.val() & (!self.good.val() | self.room.val() | self.impatient.val());
        self.waited.d.next = 0.into();
        if self.offered.val() & !self.done.val() {
            self.waited.d.next = self.waited.q.val() + 1;
        }
        if self.reset.val() {
            self.waited.d.next = 0.into();
        }
    }
}
