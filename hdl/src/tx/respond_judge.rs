//! What a turn of a queue pair does (rules T61, T62, T64): at most one frame. Combinational.
//!
//! Frames of a queue pair go two ways, headers only and with payload, which do not keep each other's order. So a frame goes
//! one way only when none of the other way is still on its way to the wire (T61); an atomic is on a way of its own until its
//! answer has left. What cannot go now is entered again: the engine asks, and nobody has to wake it.
use super::{ResponseEntry, ResponseProgress};
use rust_hdl::prelude::*;

/// Judge of a turn.
#[derive(LogicBlock, Default)]
pub struct ResponseJudge {
    /// The turn is about a frame of which the payload failed.
    pub failing: Signal<In, Bit>,
    /// The queue pair is being reset: it answers nothing more (T6).
    pub dead: Signal<In, Bit>,
    /// Its ring has an entry.
    pub some: Signal<In, Bit>,
    /// None of its frames is on its way.
    pub quiet: Signal<In, Bit>,
    /// How far it has come.
    pub progress: Signal<In, ResponseProgress>,
    /// The entry.
    pub entry: Signal<In, ResponseEntry>,
    /// The next packet has no payload.
    pub empty: Signal<In, Bit>,
    /// An acknowledgement is owed.
    pub owes: Signal<In, Bit>,
    /// The gather takes a frame.
    pub gather_room: Signal<In, Bit>,
    /// The atomic unit takes a job.
    pub atomic_room: Signal<In, Bit>,
    /// A failure can be reported.
    pub report_room: Signal<In, Bit>,
    /// Sends the NAK of a failed response.
    pub sends_nak: Signal<Out, Bit>,
    /// Sends a packet with payload.
    pub sends_data: Signal<Out, Bit>,
    /// Sends a packet without.
    pub sends_empty: Signal<Out, Bit>,
    /// Starts an atomic.
    pub starts_atomic: Signal<Out, Bit>,
    /// Sends what is owed.
    pub sends_owed: Signal<Out, Bit>,
    /// Fails: the ring is dropped and a NAK becomes due.
    pub fails: Signal<Out, Bit>,
    /// Drops the duplicate at the head (C23).
    pub skips: Signal<Out, Bit>,
    /// Another turn is wanted.
    pub again: Signal<Out, Bit>,
    /// Head of the ring when the failed frame was sent.
    pub failed_head: Signal<In, Bits<6>>,
    /// The failed frame answers a duplicate.
    pub failed_duplicate: Signal<In, Bit>,
    done: Signal<Local, ResponseProgress>,
    first: Signal<Local, ResponseEntry>,
    alive: Signal<Local, Bit>,
    may_control: Signal<Local, Bit>,
    may_gather: Signal<Local, Bit>,
    naks: Signal<Local, Bit>,
    answers: Signal<Local, Bit>,
    owed: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    nak_goes: Signal<Local, Bit>,
    owed_goes: Signal<Local, Bit>,
}

impl Logic for ResponseJudge {
    #[hdl_gen]
    fn update(&mut self) {
        self.done.next = self.progress.val();
        self.first.next = self.entry.val();
        self.may_control.next = self.quiet.val() | (self.done.val().way == 0);
        self.may_gather.next = self.quiet.val() | (self.done.val().way == 1);
        self.alive.next = !self.dead.val() & !self.failing.val();
        self.naks.next = self.alive.val() & self.done.val().nak;
        self.answers.next = self.alive.val() & !self.done.val().closing & self.some.val();
        self.owed.next = self.alive.val() & !self.done.val().closing & !self.some.val() & self.owes.val();
        self.reads.next = self.first.val().kind == 0;

        self.nak_goes.next = self.naks.val() & self.may_control.val() & self.report_room.val();
        self.owed_goes.next = self.owed.val() & self.may_control.val();
        self.sends_nak.next = self.nak_goes.val();
        self.sends_owed.next = self.owed_goes.val();
        self.sends_data.next =
            self.answers.val() & self.reads.val() & !self.empty.val() & self.may_gather.val() & self.gather_room.val();
        self.sends_empty.next = self.answers.val() & self.reads.val() & self.empty.val() & self.may_control.val();
        self.starts_atomic.next =
            self.answers.val() & !self.reads.val() & self.may_control.val() & self.atomic_room.val();
        self.fails.next =
            self.failing.val() & !self.dead.val() & !self.done.val().closing & !self.failed_duplicate.val();
        self.skips.next = self.failing.val()
            & !self.dead.val()
            & !self.done.val().closing
            & self.failed_duplicate.val()
            & self.some.val()
            & (self.done.val().head == self.failed_head.val());
        self.again.next = self.failing.val()
            | (self.naks.val() & !self.nak_goes.val())
            | self.answers.val()
            | (self.owed.val() & !self.owed_goes.val());
    }
}
