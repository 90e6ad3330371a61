//! Applies a step to the state of a queue pair (T30 to T34, T40, T83). Combinational, seven LUT levels.
//!
//! Progress comes first: it reloads both counts of retries and ends an RNR wait, before a restart of the same frame is
//! charged (T32). A restart because of a NAK at a place where a NAK has restarted already, or during an RNR wait, is an echo
//! and does nothing.
use super::ack_records::{AckState, AckStep, RequesterContext};
use rnic_abi::{status, syndrome};
use rust_hdl::prelude::*;

/// The new state of a queue pair.
#[derive(LogicBlock)]
pub struct AckApply {
    /// What to do.
    pub step: Signal<In, AckStep>,
    /// State.
    pub state: Signal<In, AckState>,
    /// Context.
    pub attributes: Signal<In, RequesterContext>,
    /// PSN of the frame.
    pub psn: Signal<In, Bits<24>>,
    /// The PSN behind it.
    pub psn_next: Signal<In, Bits<24>>,
    /// First PSN of the oldest open READ or atomic.
    pub first: Signal<In, Bits<24>>,
    /// Code of the RNR timer.
    pub code: Signal<In, Bits<5>>,
    /// New state.
    pub result: Signal<Out, AckState>,
    now: Signal<Local, AckState>,
    does: Signal<Local, AckStep>,
    limits: Signal<Local, RequesterContext>,
    moved: Signal<Local, Bit>,
    una: Signal<Local, Bits<24>>,
    retries: Signal<Local, Bits<3>>,
    waits: Signal<Local, Bits<3>>,
    waiting: Signal<Local, Bit>,
    echo: Signal<Local, Bit>,
    nak: Signal<Local, Bit>,
    restarts: Signal<Local, Bit>,
    exhausted: Signal<Local, Bit>,
    rnr: Signal<Local, Bit>,
    endless: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    none: Constant<Bits<3>>,
    for_ever: Constant<Bits<3>>,
    retry_status: Constant<Bits<5>>,
    rnr_status: Constant<Bits<5>>,
    retry_syndrome: Constant<Bits<8>>,
    rnr_syndrome: Constant<Bits<8>>,
}

impl Default for AckApply {
    fn default() -> Self {
        Self {
            step: Default::default(),
            state: Default::default(),
            attributes: Default::default(),
            psn: Default::default(),
            psn_next: Default::default(),
            first: Default::default(),
            code: Default::default(),
            result: Default::default(),
            now: Default::default(),
            does: Default::default(),
            limits: Default::default(),
            moved: Default::default(),
            una: Default::default(),
            retries: Default::default(),
            waits: Default::default(),
            waiting: Default::default(),
            echo: Default::default(),
            nak: Default::default(),
            restarts: Default::default(),
            exhausted: Default::default(),
            rnr: Default::default(),
            endless: Default::default(),
            over: Default::default(),
            none: Constant::new(bits(0)),
            for_ever: Constant::new(bits(7)),
            retry_status: Constant::new(status::RETRY_EXC.to_bits()),
            rnr_status: Constant::new(status::RNR_RETRY_EXC.to_bits()),
            retry_syndrome: Constant::new(syndrome::RETRY.to_bits()),
            rnr_syndrome: Constant::new(syndrome::RNR_RETRY.to_bits()),
        }
    }
}

impl Logic for AckApply {
    #[hdl_gen]
    fn update(&mut self) {
        self.now.next = self.state.val();
        self.does.next = self.step.val();
        self.limits.next = self.attributes.val();
        self.moved.next =
            self.does.val().to_first | self.does.val().to_fail | self.does.val().to_psn | self.does.val().to_next;
        self.una.next = self.now.val().una;
        if self.does.val().to_next {
            self.una.next = self.psn_next.val();
        } else if self.does.val().to_psn {
            self.una.next = self.psn.val();
        } else if self.does.val().to_first {
            self.una.next = self.first.val();
        } else if self.does.val().to_fail {
            self.una.next = self.now.val().fail_psn;
        }
        self.retries.next = self.now.val().retry_left;
        self.waits.next = self.now.val().rnr_left;
        if self.moved.val() {
            self.retries.next = self.limits.val().retry;
            self.waits.next = self.limits.val().rnr;
        }
        self.waiting.next = self.now.val().rnr_wait & !self.moved.val();
        self.echo.next = (self.now.val().started | self.now.val().rnr_wait) & !self.moved.val();
        self.nak.next = self.does.val().nak & !self.echo.val();
        self.restarts.next = self.nak.val() | self.does.val().timeout;
        self.exhausted.next = self.restarts.val() & (self.retries.val() == self.none.val());
        self.endless.next = self.limits.val().rnr == self.for_ever.val();
        self.rnr.next = self.does.val().rnr & !self.waiting.val();
        self.over.next = self.rnr.val() & !self.endless.val() & (self.waits.val() == self.none.val());

        self.result.next = self.now.val();
        self.result.next.una = self.una.val();
        self.result.next.retry_left = self.retries.val();
        self.result.next.rnr_left = self.waits.val();
        self.result.next.rnr_wait =
            (self.waiting.val() & !self.does.val().rnr_over) | (self.rnr.val() & !self.over.val());
        self.result.next.started =
            ((self.now.val().started & !self.moved.val()) | self.nak.val()) & !self.does.val().timeout;
        if self.does.val().ends {
            self.result.next.rd_head = self.now.val().rd_head + 1;
        }
        if (self.restarts.val() & !self.exhausted.val()) | self.does.val().again {
            self.result.next.epoch = self.now.val().epoch + 1;
        }
        if self.restarts.val() & !self.exhausted.val() {
            self.result.next.retry_left = self.retries.val() - 1;
        }
        if self.rnr.val() & !self.over.val() {
            self.result.next.rnr_code = self.code.val();
            if !self.endless.val() {
                self.result.next.rnr_left = self.waits.val() - 1;
            }
        }
        if self.exhausted.val() | self.over.val() | self.does.val().refuse {
            self.result.next.fail = true;
            self.result.next.fail_psn = self.una.val();
        }
        if self.does.val().refuse {
            self.result.next.fail_psn = self.psn.val();
            self.result.next.status = self.does.val().status;
            self.result.next.syndrome = self.does.val().syndrome;
        } else if self.exhausted.val() {
            self.result.next.status = self.retry_status.val();
            self.result.next.syndrome = self.retry_syndrome.val();
        } else if self.over.val() {
            self.result.next.status = self.rnr_status.val();
            self.result.next.syndrome = self.rnr_syndrome.val();
        }
    }
}
