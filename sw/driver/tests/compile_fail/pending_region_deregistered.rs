//! A16, F21: nor can a region be deregistered while something is posted on it.
use rnic_driver::*;

fn early<P: Platform>(pending: Pending<P, Valid>) {
    let _ = pending.dereg();
}

fn main() {}
