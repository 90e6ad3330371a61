//! FIFO of page-list beats with their error flags. Writes are always taken: room was reserved before (T107).
//!
//! Latency two cycles, one beat a cycle.
use crate::widgets::LooseMemory;
use rust_hdl::prelude::*;

/// Up to 2^A - 1 beats of DATA bits.
#[derive(LogicBlock, Default)]
pub struct BeatFifo<const DATA: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Empties the FIFO.
    pub reset: Signal<In, Bit>,
    /// Takes `data` and `error`.
    pub write: Signal<In, Bit>,
    /// A beat.
    pub data: Signal<In, Bits<DATA>>,
    /// Its read failed (B17).
    pub error: Signal<In, Bit>,
    /// `beat` counts.
    pub valid: Signal<Out, Bit>,
    /// The oldest beat.
    pub beat: Signal<Out, Bits<DATA>>,
    /// Its error flag.
    pub broken: Signal<Out, Bit>,
    /// The beat is taken.
    pub ready: Signal<In, Bit>,
    /// A beat leaves in this cycle.
    pub freed: Signal<Out, Bit>,
    beats: LooseMemory<Bits<DATA>, A>,
    flags: LooseMemory<Bit, A>,
    head: DFF<Bits<A>>,
    tail: DFF<Bits<A>>,
    shown: DFF<Bit>,
    some: Signal<Local, Bit>,
    read: Signal<Local, Bit>,
}

impl<const DATA: usize, const A: usize> Logic for BeatFifo<DATA, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, head, tail, shown);
        clock!(self, clock, beats, flags);
        self.some.next = self.tail.q.val() != self.head.q.val();
        self.read.next = !self.shown.q.val() | self.ready.val();
        self.beats.write.next = self.write.val();
        self.beats.write_address.next = self.tail.q.val();
        self.beats.data.next = self.data.val();
        self.flags.write.next = self.write.val();
        self.flags.write_address.next = self.tail.q.val();
        self.flags.data.next = self.error.val();
        self.beats.read.next = self.read.val();
        self.beats.read_address.next = self.head.q.val();
        self.flags.read.next = self.read.val();
        self.flags.read_address.next = self.head.q.val();
        if self.write.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        if self.read.val() {
            self.shown.d.next = self.some.val();
            if self.some.val() {
                self.head.d.next = self.head.q.val() + 1;
            }
        }
        self.valid.next = self.shown.q.val();
        self.beat.next = self.beats.out.val();
        self.broken.next = self.flags.out.val();
        self.freed.next = self.shown.q.val() & self.ready.val();
        if self.reset.val() {
            self.head.d.next = 0.into();
            self.tail.d.next = 0.into();
            self.shown.d.next = false;
        }
    }
}
