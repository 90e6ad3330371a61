//! F21: the work itself must not be forgotten.
#![deny(unused_must_use)]
use rnic_driver::*;

fn forget<P: Platform + 'static>(qp: &QueuePair<P>, mr: Mr<P, Free>) -> Result<(), Box<dyn std::error::Error>> {
    mr.register(qp, 1, Access::NONE)?;
    Ok(())
}

fn main() {}
