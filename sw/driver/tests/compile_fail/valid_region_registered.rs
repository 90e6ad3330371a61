//! A8, F21: a region that is registered cannot be registered again, nor mapped.
use rnic_driver::*;

fn twice<P: Platform>(qp: &QueuePair<P>, mut mr: Mr<P, Valid>, list: &DmaSgList) {
    let _ = mr.map_mr_sg(list, 0, 4096);
    let _ = mr.register(qp, 2, Access::NONE);
}

fn main() {}
