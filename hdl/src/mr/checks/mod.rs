//! The blocks of this subsystem with the instances at which they are checked.
use crate::check::{BlockCheck, RandomDrive};
use rust_hdl::prelude::*;

mod back;
mod front;
mod lookup;
pub(crate) mod pieces;
mod whole;

/// All blocks of `mr`.
pub(super) fn blocks() -> Vec<BlockCheck> {
    [front::front(), back::back(), lookup::counts(), lookup::lookup(), pieces::pieces(), whole::whole()]
        .into_iter()
        .flatten()
        .collect()
}

/// An input that a design ties to a constant: that constant, but for one step in 8, so that the check sees it driven.
fn tie<const N: usize>(r: &mut RandomDrive, signal: &mut Signal<In, Bits<N>>, value: u64) {
    let value = if r.chance(1, 8) { value + 1 } else { value };
    signal.next = value.into();
}
