//! The reading end of [`super::FrameFifo`].
use super::{MacWord, Synchronizer};
use crate::widgets::ChannelSource;
use rust_hdl::prelude::*;

/// Pointer of the reader, P = A + 1 bits, and the register behind the RAM, whose output comes late (5.8 ns on an ECP5-6).
///
/// Reset takes words away instead of setting the pointer (see [`super::FifoWriter`]): all that are there while it lasts, and
/// afterwards the rest of a frame that has begun to leave. So what comes out always begins with the first word of a frame.
#[derive(LogicBlock, Default)]
pub struct FifoReader<const A: usize, const P: usize> {
    /// Clock of the reader.
    pub clock: Signal<In, Clock>,
    /// Drops what is in the FIFO.
    pub reset: Signal<In, Bit>,
    /// Gray code of the count of words that may be taken, in the writer's clock domain.
    pub published: Signal<In, Bits<P>>,
    /// Gray code of the count of words taken.
    pub head: Signal<Out, Bits<P>>,
    /// Fetches the word at `address`,
    pub read: Signal<Out, Bit>,
    /// from there,
    pub address: Signal<Out, Bits<A>>,
    /// to here, one cycle later.
    pub word: Signal<In, MacWord>,
    /// Words out.
    pub source: ChannelSource<MacWord>,
    taken: DFF<Bits<P>>,
    taken_gray: DFF<Bits<P>>,
    fetched: DFF<Bit>,
    held: DFF<MacWord>,
    shows: DFF<Bit>,
    midway: DFF<Bit>,
    skips: DFF<Bit>,
    some: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    fetches: Signal<Local, Bit>,
    after: Signal<Local, Bits<P>>,
    still_midway: Signal<Local, Bit>,
    tail: Synchronizer<Bits<P>>,
}

impl<const A: usize, const P: usize> Logic for FifoReader<A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, taken, taken_gray, fetched, held, shows, midway, skips);
        clock!(self, clock, tail);
        self.tail.d.next = self.published.val();
        self.some.next = self.taken_gray.q.val() != self.tail.q.val();
        self.drops.next = self.reset.val() | self.skips.q.val();
        self.moves.next = !self.shows.q.val() | self.source.ready.val() | self.drops.val();
        self.fetches.next = self.some.val() & (!self.fetched.q.val() | self.moves.val());
        self.read.next = self.fetches.val();
        self.address.next = bit_cast::<A, P>(self.taken.q.val());
        self.after.next = self.taken.q.val() + 1;
        if self.fetches.val() {
            self.taken.d.next = self.after.val();
            self.taken_gray.d.next = self.after.val() ^ (self.after.val() >> 1);
        }
        self.head.next = self.taken_gray.q.val();
        if self.moves.val() {
            self.shows.d.next = self.fetched.q.val();
            self.fetched.d.next = false;
            self.held.d.next = self.word.val();
        }
        if self.fetches.val() {
            self.fetched.d.next = true;
        }
        self.source.data.next = self.held.q.val();
        self.source.valid.next = self.shows.q.val() & !self.drops.val();
        self.still_midway.next = self.midway.q.val();
        if self.shows.q.val() & self.moves.val() {
            self.still_midway.next = !self.held.q.val().last;
        }
        self.midway.d.next = self.still_midway.val();
        self.skips.d.next = self.drops.val() & self.still_midway.val();
    }
}
