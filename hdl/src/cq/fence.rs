//! Fence: tells when every CQE accepted before the request has its B.
//!
//! Counts CQEs issued and completed, both in one order. After a request it waits until what was under way is issued or
//! swallowed (`settled`), notes the count, and answers when as many are completed. A request while one is under way
//! starts anew and gets the only answer.
use rust_hdl::prelude::*;

/// One fence.
#[derive(LogicBlock, Default)]
pub struct Fence {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub reset: Signal<In, Bit>,
    /// A fence is wanted for all before this cycle.
    pub request: Signal<In, Bit>,
    /// All accepted before this cycle are issued or swallowed, `issued` of this cycle included.
    pub settled: Signal<In, Bit>,
    /// A CQE has been issued.
    pub issued: Signal<In, Bit>,
    /// A CQE is completed, in the order of issue.
    pub completed: Signal<In, Bit>,
    /// Waits for `settled`: nothing more is to be accepted, so that it comes.
    pub settle: Signal<Out, Bit>,
    /// Answer.
    pub fenced: Signal<Out, Bit>,
    begun: DFF<Bits<12>>,
    ended: DFF<Bits<12>>,
    target: DFF<Bits<12>>,
    settles: DFF<Bit>,
    waits: DFF<Bit>,
    now: Signal<Local, Bits<12>>,
    ahead: Signal<Local, Bits<12>>,
    passed: Signal<Local, Bit>,
}

impl Logic for Fence {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, begun, ended, target, settles, waits);
        self.now.next = self.begun.q.val();
        if self.issued.val() {
            self.now.next = self.begun.q.val() + 1;
        }
        self.begun.d.next = self.now.val();
        if self.completed.val() {
            self.ended.d.next = self.ended.q.val() + 1;
        }
        // Fewer than 2^11 are in flight, so the top bit is the sign.
        self.ahead.next = self.ended.q.val() - self.target.q.val();
        self.passed.next = self.waits.q.val() & !self.ahead.val().get_bit(11);
        self.fenced.next = self.passed.val();
        self.settle.next = self.settles.q.val();
        if self.passed.val() {
            self.waits.d.next = false;
        }
        if self.settles.q.val() & self.settled.val() {
            self.target.d.next = self.now.val();
            self.settles.d.next = false;
            self.waits.d.next = true;
        }
        if self.request.val() {
            self.settles.d.next = true;
            self.waits.d.next = false;
        }
        if self.reset.val() {
            self.begun.d.next = 0.into();
            self.ended.d.next = 0.into();
            self.settles.d.next = false;
            self.waits.d.next = false;
        }
    }
}
