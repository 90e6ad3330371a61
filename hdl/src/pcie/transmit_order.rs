//! The order of all that leaves (rules TO1 to TO3).
//!
//! Posted TLPs and completions go in the order in which their headers entered one queue: that handshake is their commitment.
//! A read is held until everything committed before it has been sent; it then takes turns with the posted queue, and only when
//! the lower side has room for it, so that nobody ever waits for a read.
use super::records::TlpHeader;
use crate::widgets::{ChannelSink, ChannelSource, Fifo, Merge};
use rust_hdl::prelude::*;

/// Order of transmission.
#[derive(LogicBlock, Default)]
pub struct TransmitOrder {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops all.
    pub reset: Signal<In, Bit>,
    /// Headers of DMA writes, BAR completions, interrupts.
    pub posted: [ChannelSink<TlpHeader>; 3],
    /// Headers of DMA reads.
    pub request: ChannelSink<TlpHeader>,
    /// The lower side takes a read now.
    pub nonposted_ok: Signal<In, Bit>,
    /// The link is up: otherwise TLPs are dropped instead of sent.
    pub link_up: Signal<In, Bit>,
    /// The TLP that leaves; taken when it has left.
    pub header: ChannelSource<TlpHeader>,
    /// It is dropped.
    pub drops: Signal<Out, Bit>,
    merge: Merge<TlpHeader, 3, 2>,
    committed: Fifo<TlpHeader, 4>,
    held: DFF<TlpHeader>,
    holds: DFF<Bit>,
    /// Committed TLPs before the held read that have not left.
    earlier: DFF<Bits<6>>,
    /// Committed TLPs that have not left.
    waiting: DFF<Bits<6>>,
    busy: DFF<Bit>,
    reads: DFF<Bit>,
    dropping: DFF<Bit>,
    /// A posted TLP goes first.
    turn: DFF<Bit>,
    enters: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    may_read: Signal<Local, Bit>,
    remain: Signal<Local, Bits<6>>,
}

impl Logic for TransmitOrder {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, holds, earlier, waiting, busy, reads, dropping, turn);
        clock!(self, clock, merge, committed);
        self.merge.reset.next = self.reset.val();
        self.committed.reset.next = self.reset.val();
        // By hand: `ready` of a linked port has no name here.
        self.enters.next = false;
        for i in 0..3 {
            self.merge.sinks[i].data.next = self.posted[i].data.val();
            self.merge.sinks[i].valid.next = self.posted[i].valid.val();
            self.posted[i].ready.next = self.merge.sinks[i].ready.val();
            if self.posted[i].valid.val() & self.merge.sinks[i].ready.val() {
                self.enters.next = true;
            }
        }
        ChannelSource::<TlpHeader>::join(&mut self.merge.source, &mut self.committed.sink);
        self.leaves.next = self.busy.q.val() & self.header.ready.val() & !self.reads.q.val();
        self.remain.next = self.waiting.q.val();
        if self.enters.val() & !self.leaves.val() {
            self.remain.next = self.waiting.q.val() + 1;
        } else if self.leaves.val() & !self.enters.val() {
            self.remain.next = self.waiting.q.val() - 1;
        }
        self.waiting.d.next = self.remain.val();
        // TO2: what is committed while the read is being held goes in any order with it.
        self.request.ready.next = !self.holds.q.val();
        if !self.holds.q.val() {
            self.held.d.next = self.request.data.val();
            self.holds.d.next = self.request.valid.val();
            self.earlier.d.next = self.remain.val();
        } else if self.leaves.val() & self.earlier.q.val().any() {
            self.earlier.d.next = self.earlier.q.val() - 1;
        }
        self.may_read.next =
            self.holds.q.val() & (self.earlier.q.val() == 0) & (self.nonposted_ok.val() | !self.link_up.val());
        self.committed.source.ready.next = self.leaves.val();
        self.header.valid.next = self.busy.q.val();
        self.header.data.next = self.committed.source.data.val();
        if self.reads.q.val() {
            self.header.data.next = self.held.q.val();
        }
        self.drops.next = self.dropping.q.val();
        if !self.busy.q.val() {
            self.dropping.d.next = !self.link_up.val();
            self.reads.d.next = self.may_read.val() & (!self.turn.q.val() | !self.committed.source.valid.val());
            self.busy.d.next = self.may_read.val() | self.committed.source.valid.val();
        } else if self.header.ready.val() {
            self.busy.d.next = false;
            self.turn.d.next = self.reads.q.val();
            if self.reads.q.val() {
                self.holds.d.next = false;
            }
        }
        if self.reset.val() {
            self.holds.d.next = false;
            self.waiting.d.next = 0.into();
            self.busy.d.next = false;
            self.turn.d.next = false;
        }
    }
}
