//! The commit entry of a request. Combinational.
use super::records::{CommitEntry, Facts, Kind, Progress, Request, Ruling};
use rnic_abi::{aeth, syndrome};
use rust_hdl::prelude::*;

/// What the commit queue is told about a request.
#[derive(LogicBlock)]
pub struct JudgeEntry {
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
    /// And behind it.
    pub after: Signal<In, Progress>,
    /// Expected PSN before it, less one.
    pub older_psn: Signal<In, Bits<24>>,
    /// Slot of the receive WQE.
    pub slot: Signal<In, Bits<16>>,
    /// The receive WQE is used up.
    pub consumes: Signal<Out, Bit>,
    /// The entry.
    pub entry: Signal<Out, CommitEntry>,
    asks: Signal<Local, Request>,
    what: Signal<Local, Kind>,
    known: Signal<Local, Facts>,
    ruled: Signal<Local, Ruling>,
    old: Signal<Local, Progress>,
    newer: Signal<Local, Progress>,
    receives: Signal<Local, Bit>,
    uses: Signal<Local, Bit>,
    late: Signal<Local, Bit>,
    ack: Constant<Bits<8>>,
    order: Constant<Bits<8>>,
}

impl Default for JudgeEntry {
    fn default() -> Self {
        Self {
            request: Default::default(),
            kind: Default::default(),
            facts: Default::default(),
            ruling: Default::default(),
            progress: Default::default(),
            after: Default::default(),
            older_psn: Default::default(),
            slot: Default::default(),
            consumes: Default::default(),
            entry: Default::default(),
            asks: Default::default(),
            what: Default::default(),
            known: Default::default(),
            ruled: Default::default(),
            old: Default::default(),
            newer: Default::default(),
            receives: Default::default(),
            uses: Default::default(),
            late: Default::default(),
            ack: Constant::new(aeth::ACK.to_bits()),
            order: Constant::new(syndrome::OPCODE_ORDER.to_bits()),
        }
    }
}

impl Logic for JudgeEntry {
    #[hdl_gen]
    fn update(&mut self) {
        self.asks.next = self.request.val();
        self.what.next = self.kind.val();
        self.known.next = self.facts.val();
        self.ruled.next = self.ruling.val();
        self.old.next = self.progress.val();
        self.newer.next = self.after.val();

        // A receive WQE is in use from the first packet of a SEND on, once it has been found (T74).
        self.receives.next = self.what.val().send | (self.what.val().write & self.what.val().imm);
        self.late.next = self.what.val().send & (self.ruled.val().code != self.order.val());
        self.uses.next = self.ruled.val().accept & self.receives.val();
        if self.ruled.val().fatal {
            self.uses.next = (self.old.val().open == 1) | self.late.val();
        }
        self.consumes.next = self.ruled.val().accept & self.receives.val() & self.what.val().ends;

        self.entry.next.qp = self.asks.val().qp;
        self.entry.next.qpn = self.asks.val().qpn;
        self.entry.next.kind = 0.into();
        self.entry.next.psn = self.asks.val().psn;
        self.entry.next.answer = self.ack.val();
        if self.ruled.val().push {
            self.entry.next.kind = 3.into();
        }
        if self.ruled.val().again {
            self.entry.next.psn = self.older_psn.val();
        }
        if self.ruled.val().refuse {
            self.entry.next.kind = 1.into();
            self.entry.next.psn = self.old.val().epsn;
            self.entry.next.answer = self.ruled.val().answer;
        }
        if self.ruled.val().fatal {
            self.entry.next.kind = 2.into();
            self.entry.next.answer = self.ruled.val().answer;
        }
        self.entry.next.msn = self.newer.val().msn;
        self.entry.next.counted = self.ruled.val().accept & self.what.val().ends;
        self.entry.next.acks =
            self.ruled.val().again | (self.ruled.val().accept & !self.ruled.val().push & self.asks.val().ack_request);
        self.entry.next.error = self.ruled.val().code;
        self.entry.next.receives = self.what.val().send;
        self.entry.next.in_use = self.uses.val();
        self.entry.next.completes = self.ruled.val().accept & self.receives.val() & self.what.val().ends;
        self.entry.next.by_write = self.what.val().write;
        self.entry.next.slot = self.slot.val();
        self.entry.next.imm = self.what.val().imm;
        self.entry.next.invalidates = self.ruled.val().accept & self.what.val().inv;
        self.entry.next.solicited = self.asks.val().solicited;
        self.entry.next.establishes = self.newer.val().established & !self.old.val().established;
        self.entry.next.cqn = self.asks.val().cqn;
        self.entry.next.pd = self.asks.val().pd;
        self.entry.next.order = 0.into();
        if self.what.val().atomic {
            self.entry.next.order = 1.into();
            if self.what.val().adds {
                self.entry.next.order = 2.into();
            }
        }
        self.entry.next.duplicate = !self.ruled.val().accept;
        self.entry.next.packets = self.known.val().packets;
        self.entry.next.va = self.asks.val().va;
        self.entry.next.key = self.asks.val().immediate;
        self.entry.next.length = self.known.val().bytes;
        if self.what.val().read | self.what.val().atomic {
            self.entry.next.key = self.asks.val().rkey;
            self.entry.next.length = self.asks.val().length;
        }
        if self.what.val().write {
            self.entry.next.length = self.newer.val().total;
        }
        self.entry.next.swap = self.asks.val().swap;
        self.entry.next.compare = self.asks.val().compare;
    }
}
