//! Store of frames: beats become readable with their whole frame, and a frame that fails leaves no trace (T107, E14).
use crate::widgets::LooseMemory;
use rust_hdl::prelude::*;

/// Beats that may be written after `crowded` has risen.
pub const STORE_SLACK: usize = 8;

/// Ring of 2^A beats of DATA bits.
///
/// A frame must have at most 2^A - 8 beats, else it waits for itself.
#[derive(LogicBlock)]
pub struct FrameStore<const DATA: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Empties the store.
    pub reset: Signal<In, Bit>,
    /// Appends a beat to the frame being written,
    pub write: Signal<In, Bit>,
    /// this one.
    pub data: Signal<In, Bits<DATA>>,
    /// The frame ends with the beat of this cycle.
    pub complete: Signal<In, Bit>,
    /// The frame being written is dropped; nothing is written in this cycle.
    pub fails: Signal<In, Bit>,
    /// Fewer than 8 beats are free.
    pub crowded: Signal<Out, Bit>,
    /// Takes the oldest beat; only of complete frames.
    pub read: Signal<In, Bit>,
    /// The beat taken one cycle ago; holds until the next `read`.
    pub out: Signal<Out, Bits<DATA>>,
    memory: LooseMemory<Bits<DATA>, A>,
    head: DFF<Bits<A>>,
    tail: DFF<Bits<A>>,
    start: DFF<Bits<A>>,
    full: DFF<Bit>,
    fill: Signal<Local, Bits<A>>,
    behind: Signal<Local, Bits<A>>,
    limit: Constant<Bits<A>>,
}

impl<const DATA: usize, const A: usize> Default for FrameStore<DATA, A> {
    fn default() -> Self {
        assert!(1 << A > 2 * STORE_SLACK, "store of {} beats", 1 << A);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write: Default::default(),
            data: Default::default(),
            complete: Default::default(),
            fails: Default::default(),
            crowded: Default::default(),
            read: Default::default(),
            out: Default::default(),
            memory: Default::default(),
            head: Default::default(),
            tail: Default::default(),
            start: Default::default(),
            full: Default::default(),
            fill: Default::default(),
            behind: Default::default(),
            limit: Constant::new(((1usize << A) - STORE_SLACK).to_bits()),
        }
    }
}

impl<const DATA: usize, const A: usize> Logic for FrameStore<DATA, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, head, tail, start, full);
        clock!(self, clock, memory);
        self.fill.next = self.tail.q.val() - self.head.q.val();
        self.full.d.next = self.fill.val() >= self.limit.val();
        self.crowded.next = self.full.q.val();
        self.memory.write.next = self.write.val();
        self.memory.write_address.next = self.tail.q.val();
        self.memory.data.next = self.data.val();
        self.behind.next = self.tail.q.val() + 1;
        if self.write.val() {
            self.tail.d.next = self.behind.val();
            if self.complete.val() {
                self.start.d.next = self.behind.val();
            }
        }
        if self.fails.val() {
            self.tail.d.next = self.start.q.val();
        }
        self.memory.read.next = self.read.val();
        self.memory.read_address.next = self.head.q.val();
        if self.read.val() {
            self.head.d.next = self.head.q.val() + 1;
        }
        self.out.next = self.memory.out.val();
        if self.reset.val() {
            self.head.d.next = 0.into();
            self.tail.d.next = 0.into();
            self.start.d.next = 0.into();
            self.full.d.next = false;
        }
    }
}
