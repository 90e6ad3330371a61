//! What becomes of an entry whose payload has landed (rows 9 to 11 of section 3, and the refusals of the judge). Combinational.
use super::records::{CommitEntry, Outcome};
use crate::wire::PlaceVerdict;
use rnic_abi::{aeth, event, status, syndrome};
use rust_hdl::prelude::*;

/// Judge of landed entries.
#[derive(LogicBlock)]
pub struct CommitOutcome {
    /// The entry.
    pub entry: Signal<In, CommitEntry>,
    /// What the placer says.
    pub verdict: Signal<In, PlaceVerdict>,
    /// Its queue pair has failed before.
    pub dead: Signal<In, Bit>,
    /// One of its write bursts has failed.
    pub burst_failed: Signal<In, Bit>,
    /// The outcome.
    pub outcome: Signal<Out, Outcome>,
    item: Signal<Local, CommitEntry>,
    told: Signal<Local, PlaceVerdict>,
    refused: Signal<Local, Bit>,
    denied: Signal<Local, Bit>,
    again: Signal<Local, Bit>,
    remote: Constant<Bits<8>>,
    operation: Constant<Bits<8>>,
    bus: Constant<Bits<8>>,
    too_long: Constant<Bits<8>>,
    loc_len: Constant<Bits<8>>,
    loc_prot: Constant<Bits<8>>,
    rem_access: Constant<Bits<8>>,
    rem_inv_req: Constant<Bits<8>>,
    fatal: Constant<Bits<8>>,
    request_error: Constant<Bits<8>>,
    access_error: Constant<Bits<8>>,
}

impl Default for CommitOutcome {
    fn default() -> Self {
        Self {
            entry: Default::default(),
            verdict: Default::default(),
            dead: Default::default(),
            burst_failed: Default::default(),
            outcome: Default::default(),
            item: Default::default(),
            told: Default::default(),
            refused: Default::default(),
            denied: Default::default(),
            again: Default::default(),
            remote: Constant::new(aeth::REMOTE_ACCESS.to_bits()),
            operation: Constant::new(aeth::REMOTE_OPERATION.to_bits()),
            bus: Constant::new(syndrome::PAYLOAD_BUS.to_bits()),
            too_long: Constant::new(syndrome::RECV_TOO_SMALL.to_bits()),
            loc_len: Constant::new(status::LOC_LEN.to_bits()),
            loc_prot: Constant::new(status::LOC_PROT.to_bits()),
            rem_access: Constant::new(status::REM_ACCESS.to_bits()),
            rem_inv_req: Constant::new(status::REM_INV_REQ.to_bits()),
            fatal: Constant::new(event::QP_FATAL.to_bits()),
            request_error: Constant::new(event::QP_REQ_ERR.to_bits()),
            access_error: Constant::new(event::QP_ACCESS_ERR.to_bits()),
        }
    }
}

impl Logic for CommitOutcome {
    #[hdl_gen]
    fn update(&mut self) {
        self.item.next = self.entry.val();
        self.told.next = self.verdict.val();
        self.refused.next = self.item.val().kind == 2;
        self.denied.next = self.told.val().syndrome.any();
        self.again.next = (self.item.val().kind == 3) & self.item.val().duplicate;
        self.outcome.next.silent = self.dead.val() | self.told.val().dead;
        self.outcome.next.lost = self.denied.val() & self.again.val();
        self.outcome.next.fails =
            self.refused.val() | (self.denied.val() & !self.again.val()) | self.burst_failed.val();

        // A burst failed: row 11.
        self.outcome.next.answer = self.operation.val();
        self.outcome.next.error = self.bus.val();
        self.outcome.next.status = self.loc_prot.val();
        self.outcome.next.event = self.fatal.val();
        self.outcome.next.reports = self.item.val().in_use;
        if self.refused.val() {
            self.outcome.next.answer = self.item.val().answer;
            self.outcome.next.error = self.item.val().error;
            if self.item.val().answer != self.operation.val() {
                self.outcome.next.event = self.request_error.val();
                self.outcome.next.status = self.rem_inv_req.val();
                if self.item.val().error == self.too_long.val() {
                    self.outcome.next.status = self.loc_len.val();
                }
            }
        } else if self.denied.val() {
            self.outcome.next.error = self.told.val().syndrome;
            if !self.item.val().receives {
                // A remote key: no receive WQE is consumed.
                self.outcome.next.answer = self.remote.val();
                self.outcome.next.status = self.rem_access.val();
                self.outcome.next.event = self.access_error.val();
                self.outcome.next.reports = false;
            }
        }
    }
}
