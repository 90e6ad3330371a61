//! Counters of errors by syndrome and of drops by reason (rule M3): 32 bits, wrapping, cleared by any write.
//!
//! One increment every four cycles; what comes faster waits in its channel, so that none is lost. The bus goes first: a read
//! or a clear ends within seven cycles. Until the first sweep after a port reset is over, counters read as zero and increments
//! wait (rule T9); a later sweep takes 256 cycles.
use crate::widgets::{ChannelSink, Memory, RoundRobin, Stage};
use rust_hdl::prelude::*;

/// What the counters do.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Step {
    /// Looks for work.
    Idle,
    /// The counter is read.
    Read,
    /// It comes out of the RAM.
    Keep,
    /// It goes back, or to the bus.
    Write,
}

/// Two tables of 128 counters in one RAM: syndromes, then drop reasons.
#[derive(LogicBlock, Default)]
pub struct Counters {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Port reset: forgets accesses, and that the tables have been swept.
    pub reset: Signal<In, Bit>,
    /// Tables are cleared.
    pub clearing: Signal<In, Bit>,
    /// Entry to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// The bus wants the counter `index`; held until `done`.
    pub request: Signal<In, Bit>,
    /// It wants it cleared, else read.
    pub clear: Signal<In, Bit>,
    /// Syndrome, or 128 + reason.
    pub index: Signal<In, Bits<8>>,
    /// The request is served, `out` holds the value.
    pub done: Signal<Out, Bit>,
    /// Value of the counter.
    pub out: Signal<Out, Bits<32>>,
    /// Errors to count.
    pub syndrome: ChannelSink<Bits<8>>,
    /// Drops of the send queues.
    pub sq_drop: ChannelSink<Bits<8>>,
    /// Drops of the receive queues.
    pub rq_drop: ChannelSink<Bits<8>>,
    /// Drops of the completion queues.
    pub cq_drop: ChannelSink<Bits<8>>,
    /// Drops of the BAR itself.
    pub own_drop: ChannelSink<Bits<8>>,
    /// Drops of frames and of the engines that take them.
    pub frame_drop: ChannelSink<Bits<8>>,
    /// Cut the senders, which are all over the chip, from the arbiter.
    arrivals: [Stage<Bits<8>>; 6],
    memory: Memory<Bits<32>, 8>,
    arbiter: RoundRobin<6, 3>,
    /// No sum directly behind a block RAM.
    kept: DFF<Bits<32>>,
    step: DFF<Step>,
    address: DFF<Bits<8>>,
    serves_bus: DFF<Bit>,
    clears: DFF<Bit>,
    /// The RAM holds counters, not start-up contents.
    swept: DFF<Bit>,
    sweeps: Signal<Local, Bit>,
    sweep_index: Signal<Local, Bits<8>>,
    source: Signal<Local, Bits<3>>,
    code: Signal<Local, Bits<8>>,
    takes: Signal<Local, Bit>,
    grant: Signal<Local, Bits<6>>,
}

impl Logic for Counters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept, step, address, serves_bus, clears, swept);
        clock!(self, clock, memory, arbiter);
        self.arbiter.reset.next = self.reset.val();
        for i in 0..6 {
            self.arrivals[i].clock.next = self.clock.val();
            self.arrivals[i].reset.next = self.reset.val();
        }
        ChannelSink::<Bits<8>>::link(&mut self.syndrome, &mut self.arrivals[0].sink);
        ChannelSink::<Bits<8>>::link(&mut self.sq_drop, &mut self.arrivals[1].sink);
        ChannelSink::<Bits<8>>::link(&mut self.rq_drop, &mut self.arrivals[2].sink);
        ChannelSink::<Bits<8>>::link(&mut self.cq_drop, &mut self.arrivals[3].sink);
        ChannelSink::<Bits<8>>::link(&mut self.own_drop, &mut self.arrivals[4].sink);
        ChannelSink::<Bits<8>>::link(&mut self.frame_drop, &mut self.arrivals[5].sink);
        self.arbiter.requests.next = bit_cast::<6, 1>(self.arrivals[0].source.valid.val().into())
            | (bit_cast::<6, 1>(self.arrivals[1].source.valid.val().into()) << 1)
            | (bit_cast::<6, 1>(self.arrivals[2].source.valid.val().into()) << 2)
            | (bit_cast::<6, 1>(self.arrivals[3].source.valid.val().into()) << 3)
            | (bit_cast::<6, 1>(self.arrivals[4].source.valid.val().into()) << 4)
            | (bit_cast::<6, 1>(self.arrivals[5].source.valid.val().into()) << 5);
        self.sweeps.next = self.clearing.val() & (self.clear_index.val().get_bits::<8>(8) == 0);
        self.sweep_index.next = self.clear_index.val().get_bits::<8>(0);
        self.takes.next = (self.step.q.val() == Step::Idle)
            & !self.request.val()
            & !self.sweeps.val()
            & self.swept.q.val()
            & self.arbiter.some.val();
        self.arbiter.advance.next = self.takes.val();
        self.grant.next = 0.into();
        if self.takes.val() {
            self.grant.next = self.arbiter.grant.val();
        }
        for i in 0..6 {
            self.arrivals[i].source.ready.next = self.grant.val().get_bit(i);
        }
        self.source.next = self.arbiter.index.val();
        self.code.next = self.arrivals[0].source.data.val() & 0x7F;
        if self.source.val() == 1 {
            self.code.next = self.arrivals[1].source.data.val() | 0x80;
        } else if self.source.val() == 2 {
            self.code.next = self.arrivals[2].source.data.val() | 0x80;
        } else if self.source.val() == 3 {
            self.code.next = self.arrivals[3].source.data.val() | 0x80;
        } else if self.source.val() == 4 {
            self.code.next = self.arrivals[4].source.data.val() | 0x80;
        } else if self.source.val() == 5 {
            self.code.next = self.arrivals[5].source.data.val() | 0x80;
        }
        self.memory.read.next = self.step.q.val() == Step::Read;
        self.memory.read_address.next = self.address.q.val();
        self.memory.write_address.next = self.address.q.val();
        self.memory.write.next = false;
        self.kept.d.next = self.memory.out.val();
        self.memory.data.next = self.kept.q.val() + 1;
        self.done.next = (self.step.q.val() == Step::Write) & self.serves_bus.q.val();
        self.out.next = self.kept.q.val();
        match self.step.q.val() {
            Step::Idle => {
                self.address.d.next = self.code.val();
                self.serves_bus.d.next = self.request.val();
                self.clears.d.next = self.clear.val();
                if self.request.val() {
                    self.address.d.next = self.index.val();
                }
                if self.request.val() | self.takes.val() {
                    self.step.d.next = Step::Read;
                }
            }
            Step::Read => self.step.d.next = Step::Keep,
            Step::Keep => self.step.d.next = Step::Write,
            Step::Write => {
                self.step.d.next = Step::Idle;
                self.memory.write.next = !self.serves_bus.q.val() | self.clears.q.val();
                if self.serves_bus.q.val() {
                    self.memory.data.next = 0.into();
                }
            }
        }
        if self.sweeps.val() {
            self.memory.write.next = true;
            self.memory.write_address.next = self.sweep_index.val();
            self.memory.data.next = 0.into();
            if self.sweep_index.val() == 255 {
                self.swept.d.next = true;
            }
        }
        if !self.swept.q.val() {
            self.out.next = 0.into();
        }
        if self.reset.val() {
            self.step.d.next = Step::Idle;
            self.swept.d.next = false;
        }
    }
}
