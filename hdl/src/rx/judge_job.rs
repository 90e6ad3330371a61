//! The job of the placer that a request becomes: its payload, the check of its key, or nothing but the release. Combinational.
//!
//! Bit 0 of the tag tells the commit queue that an entry waits for the verdict. A duplicate READ is checked without keeping the
//! generation: the failure of such a job does not end the connection (T53).
use super::records::{Facts, Kind, Progress, Request, Ruling};
use crate::wire::{PlaceJob, Span};
use rnic_abi::access;
use rust_hdl::prelude::*;

/// Job and span of a request.
#[derive(LogicBlock)]
pub struct JudgeJob {
    /// The request.
    pub request: Signal<In, Request>,
    /// Its opcode.
    pub kind: Signal<In, Kind>,
    /// What is known about it.
    pub facts: Signal<In, Facts>,
    /// The decision.
    pub ruling: Signal<In, Ruling>,
    /// How far its queue pair had come before it.
    pub progress: Signal<In, Progress>,
    /// It makes a commit entry.
    pub enters: Signal<In, Bit>,
    /// The receive WQE: four SGEs of address, length, lkey.
    pub wqe: Signal<In, Bits<512>>,
    /// The job.
    pub job: Signal<Out, PlaceJob>,
    /// Its span.
    pub span: Signal<Out, Span>,
    asks: Signal<Local, Request>,
    what: Signal<Local, Kind>,
    known: Signal<Local, Facts>,
    ruled: Signal<Local, Ruling>,
    old: Signal<Local, Progress>,
    checks: Signal<Local, Bit>,
    range: Signal<Local, Bits<32>>,
    places: Signal<Local, Bit>,
    local_write: Constant<Bits<8>>,
    remote_write: Constant<Bits<8>>,
    remote_read: Constant<Bits<8>>,
    remote_atomic: Constant<Bits<8>>,
    eight: Constant<Bits<32>>,
}

impl Default for JudgeJob {
    fn default() -> Self {
        Self {
            request: Default::default(),
            kind: Default::default(),
            facts: Default::default(),
            ruling: Default::default(),
            progress: Default::default(),
            enters: Default::default(),
            wqe: Default::default(),
            job: Default::default(),
            span: Default::default(),
            asks: Default::default(),
            what: Default::default(),
            known: Default::default(),
            ruled: Default::default(),
            old: Default::default(),
            checks: Default::default(),
            range: Default::default(),
            places: Default::default(),
            local_write: Constant::new(access::LW.to_bits()),
            remote_write: Constant::new(access::RW.to_bits()),
            remote_read: Constant::new(access::RR.to_bits()),
            remote_atomic: Constant::new(access::RA.to_bits()),
            eight: Constant::new(8.into()),
        }
    }
}

impl Logic for JudgeJob {
    #[hdl_gen]
    fn update(&mut self) {
        self.asks.next = self.request.val();
        self.what.next = self.kind.val();
        self.known.next = self.facts.val();
        self.ruled.next = self.ruling.val();
        self.old.next = self.progress.val();

        self.checks.next = self.known.val().keyed
            & ((self.ruled.val().accept & self.what.val().write & self.what.val().starts)
                | (self.ruled.val().push & self.what.val().read)
                | (self.ruled.val().accept & self.what.val().atomic));
        self.range.next = self.asks.val().length;
        if self.what.val().atomic {
            self.range.next = self.eight.val();
        }
        self.places.next = self.ruled.val().accept & (self.what.val().send | self.what.val().write);
        self.job.next.inline = false;
        self.job.next.raw = false;
        self.job.next.value = 0.into();
        self.job.next.qp = self.asks.val().qp;
        self.job.next.response = false;
        self.job.next.checks_range = self.checks.val();
        self.job.next.range = self.range.val();
        self.job.next.keeps_generation = self.checks.val() & self.ruled.val().accept;
        self.job.next.same_generation = self.ruled.val().accept & self.what.val().write & !self.what.val().starts;
        self.job.next.first_row = self.asks.val().first_row;
        self.job.next.payload_at = self.asks.val().payload_at;
        self.job.next.tag = bit_cast::<32, 1>(self.enters.val().into());

        self.span.next.address0 = self.asks.val().va;
        self.span.next.length0 = self.range.val();
        self.span.next.key0 = self.asks.val().rkey;
        self.span.next.skip = 0.into();
        self.span.next.need = self.remote_write.val();
        self.span.next.remote = true;
        if !self.what.val().starts {
            self.span.next.address0 = self.old.val().va;
            self.span.next.length0 = self.old.val().left;
            self.span.next.key0 = self.old.val().rkey;
        }
        if self.what.val().read {
            self.span.next.need = self.remote_read.val();
        }
        if self.what.val().atomic {
            self.span.next.need = self.remote_atomic.val();
        }
        if self.what.val().send {
            self.span.next.address0 = self.wqe.val().get_bits::<64>(0);
            self.span.next.length0 = self.wqe.val().get_bits::<32>(64);
            self.span.next.key0 = self.wqe.val().get_bits::<32>(96);
            self.span.next.skip = self.known.val().skip;
            self.span.next.need = self.local_write.val();
            self.span.next.remote = false;
        }
        self.span.next.address1 = self.wqe.val().get_bits::<64>(128);
        self.span.next.length1 = self.wqe.val().get_bits::<32>(192);
        self.span.next.key1 = self.wqe.val().get_bits::<32>(224);
        self.span.next.address2 = self.wqe.val().get_bits::<64>(256);
        self.span.next.length2 = self.wqe.val().get_bits::<32>(320);
        self.span.next.key2 = self.wqe.val().get_bits::<32>(352);
        self.span.next.address3 = self.wqe.val().get_bits::<64>(384);
        self.span.next.length3 = self.wqe.val().get_bits::<32>(448);
        self.span.next.key3 = self.wqe.val().get_bits::<32>(480);
        if !self.what.val().send {
            self.span.next.length1 = 0.into();
            self.span.next.length2 = 0.into();
            self.span.next.length3 = 0.into();
        }
        self.span.next.bytes = 0.into();
        if self.places.val() {
            self.span.next.bytes = self.asks.val().payload;
        }
        self.span.next.pd = self.asks.val().pd;
        self.span.next.privileged = self.asks.val().privileged;
        self.span.next.same_generation = false;
        self.span.next.generation = 0.into();
    }
}
