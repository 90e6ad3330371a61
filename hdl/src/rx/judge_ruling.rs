//! Decides about a request: the first check of section 3 that fails names what is done (steps 3 to 8). Combinational.
use super::records::{Facts, Kind, Progress, ReceiveState, Ruling};
use rnic_abi::{aeth, drop, syndrome};
use rust_hdl::prelude::*;

/// Decision about a request.
#[derive(LogicBlock)]
pub struct JudgeRuling {
    /// What is known about it.
    pub facts: Signal<In, Facts>,
    /// Its opcode.
    pub kind: Signal<In, Kind>,
    /// How far its queue pair has come.
    pub progress: Signal<In, Progress>,
    /// The next receive WQE.
    pub receive: Signal<In, ReceiveState>,
    /// The queue pair has failed.
    pub killed: Signal<In, Bit>,
    /// Code of its RNR timer.
    pub min_rnr: Signal<In, Bits<5>>,
    /// The decision.
    pub ruling: Signal<Out, Ruling>,
    known: Signal<Local, Facts>,
    what: Signal<Local, Kind>,
    state: Signal<Local, Progress>,
    queue: Signal<Local, ReceiveState>,
    reach: Signal<Local, Bits<24>>,
    ends_early: Signal<Local, Bit>,
    answers: Signal<Local, Bit>,
    room_again: Signal<Local, Bit>,
    timer: Signal<Local, Bits<8>>,
    rnr: Constant<Bits<8>>,
    out_of_order: Constant<Bits<8>>,
    invalid: Constant<Bits<8>>,
    operation: Constant<Bits<8>>,
    closed: Constant<Bits<8>>,
    gap: Constant<Bits<8>>,
    lost_read: Constant<Bits<8>>,
    lost_atomic: Constant<Bits<8>>,
    order: Constant<Bits<8>>,
    flags: Constant<Bits<8>>,
    overflow: Constant<Bits<8>>,
    length: Constant<Bits<8>>,
    skewed: Constant<Bits<8>>,
    too_long: Constant<Bits<8>>,
    bus: Constant<Bits<8>>,
}

impl Default for JudgeRuling {
    fn default() -> Self {
        Self {
            facts: Default::default(),
            kind: Default::default(),
            progress: Default::default(),
            receive: Default::default(),
            killed: Default::default(),
            min_rnr: Default::default(),
            ruling: Default::default(),
            known: Default::default(),
            what: Default::default(),
            state: Default::default(),
            queue: Default::default(),
            reach: Default::default(),
            ends_early: Default::default(),
            answers: Default::default(),
            room_again: Default::default(),
            timer: Default::default(),
            rnr: Constant::new(aeth::RNR.to_bits()),
            out_of_order: Constant::new(aeth::SEQUENCE.to_bits()),
            invalid: Constant::new(aeth::INVALID_REQUEST.to_bits()),
            operation: Constant::new(aeth::REMOTE_OPERATION.to_bits()),
            closed: Constant::new(drop::QP_CLOSED.to_bits()),
            gap: Constant::new(drop::PSN_AHEAD.to_bits()),
            lost_read: Constant::new(drop::DUPLICATE_READ.to_bits()),
            lost_atomic: Constant::new(drop::DUPLICATE_ATOMIC.to_bits()),
            order: Constant::new(syndrome::OPCODE_ORDER.to_bits()),
            flags: Constant::new(syndrome::QP_FLAGS.to_bits()),
            overflow: Constant::new(syndrome::RD_OVERFLOW.to_bits()),
            length: Constant::new(syndrome::PKT_LENGTH.to_bits()),
            skewed: Constant::new(syndrome::ATOMIC_ALIGN.to_bits()),
            too_long: Constant::new(syndrome::RECV_TOO_SMALL.to_bits()),
            bus: Constant::new(syndrome::PAYLOAD_BUS.to_bits()),
        }
    }
}

impl Logic for JudgeRuling {
    #[hdl_gen]
    fn update(&mut self) {
        self.known.next = self.facts.val();
        self.what.next = self.kind.val();
        self.state.next = self.progress.val();
        self.queue.next = self.receive.val();
        self.answers.next = self.what.val().read | self.what.val().atomic;
        self.reach.next = self.known.val().end;
        self.ends_early.next = self.reach.val().get_bit(23) | (self.reach.val() == 0);
        self.room_again.next = !self.known.val().full_again
            & (self.what.val().atomic | (self.ends_early.val() & self.known.val().allowed & self.known.val().legal));
        self.timer.next = bit_cast::<8, 5>(self.min_rnr.val()) | self.rnr.val();

        self.ruling.next.accept = false;
        self.ruling.next.again = false;
        self.ruling.next.push = false;
        self.ruling.next.refuse = false;
        self.ruling.next.fatal = false;
        self.ruling.next.drop = false;
        self.ruling.next.wait = false;
        self.ruling.next.code = self.closed.val();
        self.ruling.next.answer = self.invalid.val();
        if self.state.val().closing | self.killed.val() {
            self.ruling.next.drop = true;
        } else if self.known.val().older {
            // T52 to T54.
            self.ruling.next.again = !self.answers.val();
            self.ruling.next.push = self.answers.val() & self.room_again.val();
            self.ruling.next.drop = self.answers.val() & !self.room_again.val();
            self.ruling.next.code = self.lost_read.val();
            if self.what.val().atomic {
                self.ruling.next.code = self.lost_atomic.val();
            }
        } else if self.known.val().ahead {
            // T51.
            self.ruling.next.refuse = !self.state.val().nak_sent;
            self.ruling.next.drop = true;
            self.ruling.next.code = self.gap.val();
            self.ruling.next.answer = self.out_of_order.val();
        } else if !self.known.val().in_order {
            self.ruling.next.fatal = true;
            self.ruling.next.code = self.order.val();
        } else if !self.known.val().allowed {
            self.ruling.next.fatal = true;
            self.ruling.next.code = self.flags.val();
        } else if self.known.val().needs & self.queue.val().failed {
            // T55.
            self.ruling.next.fatal = true;
            self.ruling.next.code = self.bus.val();
            self.ruling.next.answer = self.operation.val();
        } else if self.known.val().needs & !self.queue.val().ready & self.queue.val().pending {
            self.ruling.next.wait = true;
        } else if self.known.val().needs & !self.queue.val().ready {
            self.ruling.next.refuse = true;
            self.ruling.next.answer = self.timer.val();
        } else if self.answers.val() & self.known.val().full {
            // T68.
            self.ruling.next.fatal = true;
            self.ruling.next.code = self.overflow.val();
        } else if !self.known.val().fits {
            self.ruling.next.fatal = true;
            self.ruling.next.code = self.length.val();
        } else if self.known.val().skewed {
            self.ruling.next.fatal = true;
            self.ruling.next.code = self.skewed.val();
        } else if self.known.val().too_long {
            self.ruling.next.fatal = true;
            self.ruling.next.code = self.too_long.val();
        } else {
            self.ruling.next.accept = true;
            self.ruling.next.push = self.answers.val();
        }
    }
}
