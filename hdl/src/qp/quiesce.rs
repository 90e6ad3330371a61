//! Brings a queue pair to rest for a reset or destroy (rule T6), its state being RESET already.
//!
//! `discard`; wait until its send queue has nothing in flight; fence of the completion queues, twice: a CQE of its receive
//! queue that was offered before the state became known is accepted before the first fence ends, and written before the second
//! does; then until the frames that were complete at the second fence have left; `clear`. No CQE and no frame of the queue
//! pair is under way afterwards.
use rust_hdl::prelude::*;

/// How far it is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Rest {
    /// Nothing to do.
    Idle,
    /// Orders to discard.
    Discard,
    /// Lets the counts and copies in the other subsystems settle.
    Settle,
    /// Waits until nothing is in flight.
    AwaitRetired,
    /// Asks for a fence.
    Fence,
    /// Waits for it.
    AwaitFence,
    /// Waits for frames on their way to the wire.
    AwaitWire,
    /// Orders to clear.
    Clear,
    /// Lets the order work.
    Cleared,
    /// Tells that it is done.
    Done,
}

/// Sequencer of a queue pair's rest.
#[derive(LogicBlock, Default)]
pub struct Quiesce {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Stops.
    pub reset: Signal<In, Bit>,
    /// A queue pair is to come to rest; held until `done`.
    pub request: Signal<In, Bit>,
    /// It is at rest.
    pub done: Signal<Out, Bit>,
    /// Its send queue has nothing in flight.
    pub quiet: Signal<In, Bit>,
    /// What is not yet executed is to be dropped.
    pub discard: Signal<Out, Bit>,
    /// Its indices are to be cleared.
    pub clear: Signal<Out, Bit>,
    /// A fence is wanted.
    pub fence: Signal<Out, Bit>,
    /// The fence is done.
    pub fenced: Signal<In, Bit>,
    /// Frames that were complete at the last fence have left.
    pub wire_passed: Signal<In, Bit>,
    rest: DFF<Rest>,
    count: DFF<Bits<5>>,
    second: DFF<Bit>,
}

impl Logic for Quiesce {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, rest, count, second);
        self.done.next = self.rest.q.val() == Rest::Done;
        self.discard.next = self.rest.q.val() == Rest::Discard;
        self.clear.next = self.rest.q.val() == Rest::Clear;
        self.fence.next = self.rest.q.val() == Rest::Fence;
        self.count.d.next = self.count.q.val() + 1;
        match self.rest.q.val() {
            Rest::Idle => {
                self.second.d.next = false;
                if self.request.val() {
                    self.rest.d.next = Rest::Discard;
                }
            }
            Rest::Discard => {
                self.count.d.next = 0.into();
                self.rest.d.next = Rest::Settle;
            }
            Rest::Settle => {
                if self.count.q.val().all() {
                    self.rest.d.next = Rest::AwaitRetired;
                }
            }
            Rest::AwaitRetired => {
                if self.quiet.val() {
                    self.rest.d.next = Rest::Fence;
                }
            }
            Rest::Fence => self.rest.d.next = Rest::AwaitFence,
            Rest::AwaitFence => {
                self.count.d.next = 0.into();
                if self.fenced.val() {
                    self.second.d.next = true;
                    self.rest.d.next = Rest::Settle;
                    if self.second.q.val() {
                        self.rest.d.next = Rest::AwaitWire;
                    }
                }
            }
            Rest::AwaitWire => {
                self.count.d.next = 0.into();
                if self.wire_passed.val() {
                    self.rest.d.next = Rest::Clear;
                }
            }
            Rest::Clear => self.rest.d.next = Rest::Cleared,
            Rest::Cleared => {
                if self.count.q.val().all() {
                    self.rest.d.next = Rest::Done;
                }
            }
            Rest::Done => self.rest.d.next = Rest::Idle,
        }
        if self.reset.val() {
            self.rest.d.next = Rest::Idle;
        }
    }
}
