//! Waits for the end of the accesses in flight of one MR (C9, A14, T102) while the back end stands still.
//!
//! DRAIN is in the table before the wait begins, so no new access is granted; those that had seen VALID are counted within
//! the first cycles (`SETTLE`). Then the count is looked at every cycle. After DRAIN_MAX cycles a deallocation gives up
//! (A17) and an invalidation tells `fatal` once and goes on waiting: it never claims a success that is none.
use rust_hdl::prelude::*;

/// What the wait is doing.
#[derive(LogicState, Copy, Clone, Debug, PartialEq)]
pub enum DrainState {
    /// Nothing.
    Idle,
    /// Lookups that saw VALID come to their end.
    Settle,
    /// The count is not 0.
    Wait,
    /// The back end may go on.
    Finish,
}

/// One wait at a time.
#[derive(LogicBlock, Default)]
pub struct Drain {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the wait.
    pub reset: Signal<In, Bit>,
    /// The back end stands still for a drain.
    pub frozen: Signal<In, Bit>,
    /// The wait may be given up.
    pub deregisters: Signal<In, Bit>,
    /// DRAIN_MAX in cycles.
    pub limit: Signal<In, Bits<32>>,
    /// Accesses granted of the MR, read ends and write ends.
    pub granted: Signal<In, Bits<12>>,
    /// Read ends.
    pub read_ended: Signal<In, Bits<12>>,
    /// Write ends.
    pub write_ended: Signal<In, Bits<12>>,
    /// The counts are to be those of the MR that drains,
    pub polling: Signal<Out, Bit>,
    /// or those of the step behind the walk, which a poll has overwritten.
    pub restore: Signal<Out, Bit>,
    /// The wait is over.
    pub finish: Signal<Out, Bit>,
    /// It was given up.
    pub timed_out: Signal<Out, Bit>,
    /// An invalidation waits longer than DRAIN_MAX.
    pub fatal: Signal<Out, Bit>,
    state: DFF<DrainState>,
    pause: DFF<Bits<5>>,
    timer: DFF<Bits<32>>,
    late: DFF<Bit>,
    over: DFF<Bits<12>>,
    grants: DFF<Bits<12>>,
}

impl Logic for Drain {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, pause, timer, late, over, grants);
        self.over.d.next = self.read_ended.val() + self.write_ended.val();
        self.grants.d.next = self.granted.val();
        self.polling.next = (self.state.q.val() == DrainState::Settle) | (self.state.q.val() == DrainState::Wait);
        self.restore.next = self.state.q.val() == DrainState::Finish;
        self.finish.next = self.state.q.val() == DrainState::Finish;
        self.timed_out.next = self.late.q.val() & self.deregisters.val();
        self.fatal.next = false;
        self.timer.d.next = 0.into();
        match self.state.q.val() {
            DrainState::Idle => {
                self.pause.d.next = 20.into();
                self.late.d.next = false;
                if self.frozen.val() {
                    self.state.d.next = DrainState::Settle;
                }
            }
            DrainState::Settle => {
                self.pause.d.next = self.pause.q.val() - 1;
                if self.pause.q.val() == 0 {
                    self.state.d.next = DrainState::Wait;
                }
            }
            DrainState::Wait => {
                self.timer.d.next = self.timer.q.val() + 1;
                if self.over.q.val() == self.grants.q.val() {
                    self.state.d.next = DrainState::Finish;
                    self.late.d.next = false;
                } else if self.timer.q.val() == self.limit.val() {
                    self.late.d.next = true;
                    self.fatal.next = !self.deregisters.val();
                    if self.deregisters.val() {
                        self.state.d.next = DrainState::Finish;
                    }
                }
            }
            DrainState::Finish => self.state.d.next = DrainState::Idle,
        }
        if self.reset.val() {
            self.state.d.next = DrainState::Idle;
        }
    }
}
