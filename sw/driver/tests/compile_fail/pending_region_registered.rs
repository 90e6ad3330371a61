//! F21: a region with a registration outstanding cannot be registered again.
use rnic_driver::*;

fn twice<P: Platform>(qp: &QueuePair<P>, pending: Pending<P, Valid>) {
    let _ = pending.register(qp, 2, Access::NONE);
}

fn main() {}
