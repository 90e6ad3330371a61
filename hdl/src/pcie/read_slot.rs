//! State of one read tag (rules RD2, RD3, RD6, RD7, RD8).
//!
//! A slot is `held` from the request until R has all its beats, and `outstanding` until the completion that ends the request
//! has come. It is free when it is neither; held no longer but still outstanding is what the specification calls a retired tag.
use rust_hdl::prelude::*;

/// One slot.
#[derive(LogicBlock, Default)]
pub struct ReadSlot {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Frees the slot.
    pub reset: Signal<In, Bit>,
    /// Takes the slot for a read,
    pub start: Signal<In, Bit>,
    /// from here in its block,
    pub start_address: Signal<In, Bits<9>>,
    /// of so many bytes.
    pub start_bytes: Signal<In, Bits<10>>,
    /// A completion of this tag has ended,
    pub complete: Signal<In, Bit>,
    /// with these bytes, rightly;
    pub good: Signal<In, Bit>,
    /// so many;
    pub bytes: Signal<In, Bits<10>>,
    /// by its own account it ends the request;
    pub ends: Signal<In, Bit>,
    /// what the beats say when it is not good.
    pub response: Signal<In, Bits<2>>,
    /// Reads may be under way at all.
    pub enabled: Signal<In, Bit>,
    /// A sixteenth of the completion timeout has passed.
    pub tick: Signal<In, Bit>,
    /// R has all beats.
    pub drained: Signal<In, Bit>,
    /// The slot can be taken.
    pub free: Signal<Out, Bit>,
    /// A completion is expected.
    pub expects: Signal<Out, Bit>,
    /// It will not be used: the read has failed.
    pub dead: Signal<Out, Bit>,
    /// What the beats are is known.
    pub ready: Signal<Out, Bit>,
    /// Response of the beats.
    pub outcome: Signal<Out, Bits<2>>,
    /// Bytes that are missing.
    pub missing: Signal<Out, Bits<10>>,
    /// Where the next completion begins.
    pub address: Signal<Out, Bits<9>>,
    /// The timeout has struck.
    pub timeout: Signal<Out, Bit>,
    held: DFF<Bit>,
    outstanding: DFF<Bit>,
    settled: DFF<Bit>,
    code: DFF<Bits<2>>,
    left: DFF<Bits<10>>,
    place: DFF<Bits<9>>,
    age: DFF<Bits<5>>,
    pending: Signal<Local, Bit>,
    expires: Signal<Local, Bit>,
}

impl Logic for ReadSlot {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, outstanding, settled, code, left, place, age);
        self.pending.next = self.held.q.val() & !self.settled.q.val();
        // The first tick may come at once: 17 of them are never less than the timeout.
        self.expires.next = self.pending.val() & (self.age.q.val() == 17);
        self.timeout.next = self.expires.val() & !self.complete.val();
        if self.tick.val() & self.pending.val() {
            self.age.d.next = self.age.q.val() + 1;
        }
        if self.complete.val() {
            self.outstanding.d.next = self.outstanding.q.val() & !self.ends.val();
            if self.pending.val() {
                if self.good.val() {
                    self.left.d.next = self.left.q.val() - self.bytes.val();
                    self.place.d.next = self.place.q.val() + bit_cast::<9, 10>(self.bytes.val());
                    self.settled.d.next = self.ends.val();
                } else {
                    self.settled.d.next = true;
                    self.code.d.next = self.response.val();
                }
            }
        } else if self.expires.val() | (self.pending.val() & !self.enabled.val()) {
            self.settled.d.next = true;
            self.code.d.next = 2.into();
        }
        if self.drained.val() {
            self.held.d.next = false;
        }
        if self.start.val() {
            self.held.d.next = true;
            self.outstanding.d.next = true;
            self.settled.d.next = false;
            self.code.d.next = 0.into();
            self.left.d.next = self.start_bytes.val();
            self.place.d.next = self.start_address.val();
            self.age.d.next = 0.into();
        }
        if self.reset.val() {
            self.held.d.next = false;
            self.outstanding.d.next = false;
        }
        self.free.next = !self.held.q.val() & !self.outstanding.q.val();
        self.expects.next = self.outstanding.q.val();
        self.dead.next = self.outstanding.q.val() & (self.settled.q.val() | !self.held.q.val());
        self.ready.next = self.held.q.val() & self.settled.q.val();
        self.outcome.next = self.code.q.val();
        self.missing.next = self.left.q.val();
        self.address.next = self.place.q.val();
    }
}
