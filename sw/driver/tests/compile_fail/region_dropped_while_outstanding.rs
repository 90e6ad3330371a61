//! F21: a region with work outstanding is part of that work: there is nothing left to drop or to deregister.
use rnic_driver::*;

fn both<P: Platform>(qp: &QueuePair<P>, a: Mr<P, Free>, b: Mr<P, Free>) {
    let Ok(first) = a.register(qp, 1, Access::NONE) else { return };
    drop(a);
    let Ok(second) = b.register(qp, 2, Access::NONE) else { return };
    let _ = b.dereg();
    let _ = (first.settle(), second.settle());
}

fn main() {}
