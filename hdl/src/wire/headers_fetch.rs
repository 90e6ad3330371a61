//! First step of the header generator: fetches the path of a frame's queue pair and the own address that it names.
//!
//! ```text
//!  1 path memory   2 path register, own address   3 offered
//! ```
//!
//! One frame every three cycles if `sure` tells that the one before leaves, else every four: `frame.ready` comes from registers
//! alone, so that no chain of `ready` goes through this block.
use super::{TxFrame, WirePath};
use crate::widgets::{ChannelSink, Memory};
use rust_hdl::prelude::*;

/// Path memory of 2^QA queue pairs and its reader.
#[derive(LogicBlock)]
pub struct HeaderFetch<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame; the paths stay.
    pub reset: Signal<In, Bit>,
    /// Frames to send.
    pub frame: ChannelSink<TxFrame>,
    /// Writes a path: enable,
    pub path_write: Signal<In, Bit>,
    /// queue pair,
    pub path_index: Signal<In, Bits<QA>>,
    /// path. A frame that is taken in the same cycle gets the path before.
    pub path_row: Signal<In, WirePath>,
    /// Own addresses, first byte on the wire in the least significant place.
    pub own_addresses: [Signal<In, Bits<128>>; 8],
    /// The frame, from the first cycle on,
    pub held: Signal<Out, TxFrame>,
    /// its path, from the second,
    pub path: Signal<Out, WirePath>,
    /// its source address, from the third.
    pub source: Signal<Out, Bits<128>>,
    /// All of them are there.
    pub valid: Signal<Out, Bit>,
    /// They are taken.
    pub ready: Signal<In, Bit>,
    /// They would be taken, as registers alone can tell.
    pub sure: Signal<In, Bit>,
    rows: Memory<WirePath, QA>,
    frame_held: DFF<TxFrame>,
    path_held: DFF<WirePath>,
    source_held: DFF<Bits<128>>,
    reads: DFF<Bit>,
    selects: DFF<Bit>,
    offers: DFF<Bit>,
    asked: Signal<Local, TxFrame>,
    free: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<3>>,
    own: Signal<Local, Bits<128>>,
    numbers: [Constant<Bits<3>>; 8],
}

impl<const QA: usize> Default for HeaderFetch<QA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            frame: Default::default(),
            path_write: Default::default(),
            path_index: Default::default(),
            path_row: Default::default(),
            own_addresses: Default::default(),
            held: Default::default(),
            path: Default::default(),
            source: Default::default(),
            valid: Default::default(),
            ready: Default::default(),
            sure: Default::default(),
            rows: Default::default(),
            frame_held: Default::default(),
            path_held: Default::default(),
            source_held: Default::default(),
            reads: Default::default(),
            selects: Default::default(),
            offers: Default::default(),
            asked: Default::default(),
            free: Default::default(),
            chosen: Default::default(),
            own: Default::default(),
            numbers: std::array::from_fn(|i| Constant::new(i.to_bits())),
        }
    }
}

impl<const QA: usize> Logic for HeaderFetch<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, frame_held, path_held, source_held, reads, selects, offers);
        clock!(self, clock, rows);
        self.rows.write.next = self.path_write.val();
        self.rows.write_address.next = self.path_index.val();
        self.rows.data.next = self.path_row.val();
        self.asked.next = self.frame.data.val();
        self.rows.read_address.next = bit_cast::<QA, 8>(self.asked.val().qp);
        self.free.next = !self.reads.q.val() & !self.selects.q.val() & (!self.offers.q.val() | self.sure.val());
        self.frame.ready.next = self.free.val();
        self.rows.read.next = self.free.val();
        self.reads.d.next = self.free.val() & self.frame.valid.val();
        if self.free.val() {
            self.frame_held.d.next = self.asked.val();
        }
        if self.ready.val() {
            self.offers.d.next = false;
        }
        self.selects.d.next = self.reads.q.val();
        if self.reads.q.val() {
            self.path_held.d.next = self.rows.out.val();
        }
        self.chosen.next = self.path_held.q.val().own_address;
        self.own.next = self.own_addresses[0].val();
        for i in 1..8 {
            if self.chosen.val() == self.numbers[i].val() {
                self.own.next = self.own_addresses[i].val();
            }
        }
        if self.selects.q.val() {
            self.source_held.d.next = self.own.val();
            self.offers.d.next = true;
        }
        self.held.next = self.frame_held.q.val();
        self.path.next = self.path_held.q.val();
        self.source.next = self.source_held.q.val();
        self.valid.next = self.offers.q.val();
        if self.reset.val() {
            self.reads.d.next = false;
            self.selects.d.next = false;
            self.offers.d.next = false;
        }
    }
}
