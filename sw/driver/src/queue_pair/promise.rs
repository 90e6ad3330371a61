//! Send slots that are promised to slot pools, so that each mapping can be registered and invalidated (F11, F20): nobody else may
//! take them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The send slots of one pool. Requests that take some of them hold it, and may outlive the pool.
#[derive(Debug)]
pub(crate) struct Promise {
    /// All of them.
    total: u64,
    /// Those that hold requests now.
    in_ring: Cell<u64>,
}

impl Promise {
    pub(super) fn take(&self) {
        self.in_ring.set(self.in_ring.get() + 1);
    }

    pub(super) fn give_back(&self) {
        self.in_ring.set(self.in_ring.get() - 1);
    }
}

/// The promises of one queue pair.
#[derive(Debug, Default)]
pub(super) struct Promises(RefCell<Vec<Rc<Promise>>>);

impl Promises {
    /// Slots of the ring that must stay free for the pools.
    pub(super) fn kept(&self) -> u64 {
        self.0.borrow().iter().map(|promise| promise.total - promise.in_ring.get()).sum()
    }

    pub(super) fn total(&self) -> u64 {
        self.0.borrow().iter().map(|promise| promise.total).sum()
    }

    pub(super) fn add(&self, total: u64) -> Rc<Promise> {
        let promise = Rc::new(Promise { total, in_ring: Cell::new(0) });
        self.0.borrow_mut().push(promise.clone());
        promise
    }

    /// Takes a promise back. What is left of its requests takes ordinary slots from here on.
    pub(super) fn end(&self, promise: &Rc<Promise>) {
        self.0.borrow_mut().retain(|other| !Rc::ptr_eq(other, promise));
    }
}
