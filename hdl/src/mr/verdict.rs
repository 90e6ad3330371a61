//! What becomes of a judged operation: does it act, does it wait for accesses in flight, how does it end. Combinational.
//!
//! An operation acts only when every check has passed and its queue pair goes on: D9a, D11, I4. An invalidation or
//! deallocation whose MR may still be in use drains first (C9).
use super::layout::{MrEntry, Pending};
use crate::types::WorkOutcome;
use rust_hdl::prelude::*;

/// Inputs are of the step in the last stage of [`super::judge::Judge`].
#[derive(LogicBlock, Default)]
pub struct Verdict {
    /// The operation.
    pub request: Signal<In, Pending>,
    /// Its row.
    pub entry: Signal<In, MrEntry>,
    /// Its failed checks.
    pub checks: Signal<In, Bits<18>>,
    /// C3.
    pub wrong_key: Signal<In, Bit>,
    /// C12.
    pub forbidden: Signal<In, Bit>,
    /// It is the last step.
    pub ends: Signal<In, Bit>,
    /// Accesses in flight, as of the read of the row.
    pub in_flight: Signal<In, Bits<12>>,
    /// A lookup of the same MR is under way, or the count is old.
    pub unsure: Signal<In, Bit>,
    /// Its queue pair has failed.
    pub failed: Signal<In, Bit>,
    /// Its queue pair is being reset.
    pub discarded: Signal<In, Bit>,
    /// Writes the table.
    pub acts: Signal<Out, Bit>,
    /// Writes DRAIN and waits.
    pub drains: Signal<Out, Bit>,
    /// State after it (and after its drain).
    pub settled: Signal<Out, Bits<2>>,
    /// Makes its queue pair fail.
    pub fails: Signal<Out, Bit>,
    /// It came through a send queue.
    pub queued: Signal<Out, Bit>,
    /// Reports a failure.
    pub reports: Signal<Out, Bit>,
    /// How it ends, but for the syndrome.
    pub outcome: Signal<Out, WorkOutcome>,
    outside: Signal<Local, Bit>,
    stopped: Signal<Local, Bit>,
    error: Signal<Local, Bit>,
    frees: Signal<Local, Bit>,
    in_use: Signal<Local, Bit>,
    act: Signal<Local, Bit>,
    made: Signal<Local, WorkOutcome>,
}

impl Logic for Verdict {
    #[hdl_gen]
    fn update(&mut self) {
        // Of no send queue: neither stopped by a failure of one nor its cause.
        self.outside.next = self.request.val().allocates
            | self.request.val().deregisters
            | self.request.val().queries
            | self.request.val().message;
        self.stopped.next = !self.outside.val() & (self.failed.val() | self.discarded.val() | self.request.val().flush);
        self.error.next =
            (self.checks.val() != 0) | self.wrong_key.val() | self.forbidden.val() | (self.request.val().decoded != 0);
        self.act.next = self.ends.val() & !self.stopped.val() & !self.error.val();
        self.acts.next = self.act.val()
            & (self.request.val().registers
                | self.request.val().invalidates
                | self.request.val().allocates
                | self.request.val().deregisters);
        self.frees.next = self.request.val().invalidates | self.request.val().deregisters;
        // VALID, or DRAIN left by a deallocation that timed out (A17).
        self.in_use.next = (self.entry.val().state == 2) | (self.entry.val().state == 3);
        self.drains.next =
            self.act.val() & self.frees.val() & self.in_use.val() & (self.unsure.val() | (self.in_flight.val() != 0));
        self.settled.next = 1.into();
        if self.request.val().deregisters {
            self.settled.next = 0.into();
        } else if self.entry.val().state == 3 {
            self.settled.next = 3.into();
        }
        self.queued.next = !self.outside.val();
        self.fails.next =
            self.ends.val() & !self.outside.val() & !self.request.val().silent & !self.stopped.val() & self.error.val();
        self.reports.next = !self.stopped.val() & !self.request.val().silent;

        self.made.next = bits::<51>(0).into();
        self.made.next.qp = self.request.val().qp;
        self.made.next.slot = self.request.val().slot;
        self.made.next.opcode = self.request.val().opcode;
        self.made.next.signalled = self.request.val().signalled;
        self.made.next.silent = self.request.val().silent;
        self.made.next.discard = self.discarded.val();
        if self.stopped.val() {
            self.made.next.status = 5.into();
        } else if self.request.val().silent {
            self.made.next.status = 0.into();
        } else if self.request.val().decoded != 0 {
            self.made.next.status = 2.into();
        } else if self.checks.val().get_bit(0) {
            self.made.next.status = 2.into();
        } else if self.error.val() {
            self.made.next.status = 6.into();
        }
        self.outcome.next = self.made.val();
    }
}
