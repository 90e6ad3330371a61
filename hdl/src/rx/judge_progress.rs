//! How far a queue pair has come behind a request (record QR). The sums are made one cycle before the decision is there.
use super::records::{Facts, Kind, Progress, Request, Ruling};
use rust_hdl::prelude::*;

/// The next record of a queue pair.
#[derive(LogicBlock, Default)]
pub struct JudgeProgress {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The request.
    pub request: Signal<In, Request>,
    /// Its opcode.
    pub kind: Signal<In, Kind>,
    /// What is known about it; one cycle before `ruling`, and held.
    pub facts: Signal<In, Facts>,
    /// The decision.
    pub ruling: Signal<In, Ruling>,
    /// The record before it.
    pub progress: Signal<In, Progress>,
    /// The request makes a commit entry.
    pub enters: Signal<In, Bit>,
    /// The record behind it.
    pub after: Signal<Out, Progress>,
    /// Expected PSN before it, less one.
    pub older_psn: Signal<Out, Bits<24>>,
    epsn: DFF<Bits<24>>,
    older: DFF<Bits<24>>,
    msn: DFF<Bits<24>>,
    va: DFF<Bits<64>>,
    left: DFF<Bits<32>>,
    asks: Signal<Local, Request>,
    what: Signal<Local, Kind>,
    known: Signal<Local, Facts>,
    ruled: Signal<Local, Ruling>,
    old: Signal<Local, Progress>,
    base: Signal<Local, Bits<64>>,
    rest: Signal<Local, Bits<32>>,
    payload: Signal<Local, Bits<64>>,
    payload_low: Signal<Local, Bits<32>>,
}

impl Logic for JudgeProgress {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, epsn, older, msn, va, left);
        self.asks.next = self.request.val();
        self.what.next = self.kind.val();
        self.known.next = self.facts.val();
        self.ruled.next = self.ruling.val();
        self.old.next = self.progress.val();

        self.epsn.d.next = self.old.val().epsn + self.known.val().packets;
        self.older.d.next = self.old.val().epsn - 1;
        self.msn.d.next = self.old.val().msn + 1;
        self.base.next = self.old.val().va;
        self.rest.next = self.old.val().left;
        if self.what.val().starts {
            self.base.next = self.asks.val().va;
            self.rest.next = self.asks.val().length;
        }
        self.payload.next = bit_cast::<64, 13>(self.asks.val().payload);
        self.payload_low.next = bit_cast::<32, 13>(self.asks.val().payload);
        self.va.d.next = self.base.val() + self.payload.val();
        self.left.d.next = self.rest.val() - self.payload_low.val();

        self.after.next = self.old.val();
        self.after.next.established = self.old.val().established | (self.asks.val().rtr & self.enters.val());
        self.after.next.nak_sent = self.old.val().nak_sent | self.ruled.val().refuse;
        self.after.next.closing = self.old.val().closing | self.ruled.val().fatal;
        if self.ruled.val().push & !self.ruled.val().accept {
            self.after.next.again = self.old.val().again + 1;
        }
        if self.ruled.val().accept {
            self.after.next.epsn = self.epsn.q.val();
            self.after.next.nak_sent = false;
            self.after.next.open = 0.into();
            if !self.what.val().ends {
                self.after.next.open = 1.into();
                if self.what.val().write {
                    self.after.next.open = 2.into();
                }
            }
            if self.what.val().ends {
                self.after.next.msn = self.msn.q.val();
            }
            if self.ruled.val().push {
                self.after.next.fresh = self.old.val().fresh + 1;
            }
            if self.what.val().write {
                self.after.next.va = self.va.q.val();
                self.after.next.left = self.left.q.val();
                if self.what.val().starts {
                    self.after.next.rkey = self.asks.val().rkey;
                    self.after.next.total = self.asks.val().length;
                }
            }
            if self.what.val().send {
                self.after.next.total = self.known.val().bytes;
            }
        }
        self.older_psn.next = self.older.q.val();
    }
}
