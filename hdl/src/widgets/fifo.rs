//! First-word-fall-through FIFOs in block RAM.
use super::{ChannelSink, ChannelSource, LooseMemory};
use rust_hdl::prelude::*;

/// FIFO for a pipeline that cannot stall: a write is always taken, and the writer stops feeding its pipeline when
/// `crowded` is set, which leaves room for SLACK more words (at least 2: `crowded` is one cycle late).
///
/// 2^A words; latency two cycles from write to `source.valid`; one word a cycle. A write into a full FIFO is the
/// writer's defect: it loses data.
#[derive(LogicBlock)]
pub struct SlackFifo<T: Synth, const A: usize, const SLACK: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Empties the FIFO.
    pub reset: Signal<In, Bit>,
    /// Takes `data`.
    pub write: Signal<In, Bit>,
    /// Word to append.
    pub data: Signal<In, T>,
    /// Fewer than SLACK words are free.
    pub crowded: Signal<Out, Bit>,
    /// The oldest word.
    pub source: ChannelSource<T>,
    memory: LooseMemory<T, A>,
    head: DFF<Bits<A>>,
    tail: DFF<Bits<A>>,
    shown: DFF<Bit>,
    full: DFF<Bit>,
    fill: Signal<Local, Bits<A>>,
    some: Signal<Local, Bit>,
    read: Signal<Local, Bit>,
    limit: Constant<Bits<A>>,
}

impl<T: Synth, const A: usize, const SLACK: usize> Default for SlackFifo<T, A, SLACK> {
    fn default() -> Self {
        assert!((2..1 << A).contains(&SLACK), "slack {SLACK} of a FIFO of {} words", 1 << A);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write: Default::default(),
            data: Default::default(),
            crowded: Default::default(),
            source: Default::default(),
            memory: Default::default(),
            head: Default::default(),
            tail: Default::default(),
            shown: Default::default(),
            full: Default::default(),
            fill: Default::default(),
            some: Default::default(),
            read: Default::default(),
            limit: Constant::new(((1usize << A) - SLACK).to_bits()),
        }
    }
}

impl<T: Synth, const A: usize, const SLACK: usize> Logic for SlackFifo<T, A, SLACK> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, head, tail, shown, full);
        clock!(self, clock, memory);
        self.fill.next = self.tail.q.val() - self.head.q.val();
        self.full.d.next = self.fill.val() >= self.limit.val();
        self.crowded.next = self.full.q.val();
        self.memory.write.next = self.write.val();
        self.memory.write_address.next = self.tail.q.val();
        self.memory.data.next = self.data.val();
        if self.write.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        // The word at the end is the RAM's output register. The word being written is never the one being read: `some` is of
        // the cycle before, and then head and tail are equal.
        self.some.next = self.tail.q.val() != self.head.q.val();
        self.read.next = !self.shown.q.val() | self.source.ready.val();
        self.memory.read.next = self.read.val();
        self.memory.read_address.next = self.head.q.val();
        if self.read.val() {
            self.shown.d.next = self.some.val();
            if self.some.val() {
                self.head.d.next = self.head.q.val() + 1;
            }
        }
        self.source.data.next = self.memory.out.val();
        self.source.valid.next = self.shown.q.val();
        if self.reset.val() {
            self.head.d.next = 0.into();
            self.tail.d.next = 0.into();
            self.shown.d.next = false;
            self.full.d.next = false;
        }
    }
}

/// FIFO between two channels: 2^A - 2 words and one at its end; latency two cycles, one word a cycle, `ready` registered.
#[derive(LogicBlock, Default)]
pub struct Fifo<T: Synth, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Empties the FIFO.
    pub reset: Signal<In, Bit>,
    /// Words in.
    pub sink: ChannelSink<T>,
    /// Words out.
    pub source: ChannelSource<T>,
    fifo: SlackFifo<T, A, 2>,
    room: Signal<Local, Bit>,
}

impl<T: Synth, const A: usize> Logic for Fifo<T, A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, fifo);
        self.fifo.reset.next = self.reset.val();
        self.room.next = !self.fifo.crowded.val();
        self.sink.ready.next = self.room.val();
        self.fifo.write.next = self.sink.valid.val() & self.room.val();
        self.fifo.data.next = self.sink.data.val();
        ChannelSource::<T>::link(&mut self.source, &mut self.fifo.source);
    }
}
