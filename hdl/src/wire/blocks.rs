//! The blocks of this subsystem with the instances and inputs of their checks.
use super::*;
use crate::check::{BlockCheck, RandomDrive};
use rust_hdl::prelude::*;

fn icrc<const DATA: usize, const STRB: usize>(u: &mut Icrc<DATA, STRB>, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    r.set(&mut u.beat);
    r.mostly(&mut u.valid);
    r.seldom(&mut u.first);
    r.set(&mut u.start);
    u.count.next = bits(1 + r.below(STRB as u64));
    r.seldom(&mut u.last);
}

fn crc_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "wire/xor_matrix",
            || XorMatrix::<64>::new(|j| 0x9E37_79B9u32.rotate_left(j as u32) ^ j as u32),
            |_| None,
            |u, r| r.set(&mut u.word),
        ),
        BlockCheck::new(
            "wire/retreat",
            || Retreat::new(1),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.state);
                r.set(&mut u.spare);
                r.set(&mut u.valid);
            },
        ),
        BlockCheck::new("wire/icrc", Icrc::<64, 8>::default, |u| Some(&mut u.clock), icrc),
        BlockCheck::new("wire/icrc_512", Icrc::<512, 64>::default, |u| Some(&mut u.clock), icrc).vectors(60),
    ]
}

pub(super) fn list() -> Vec<BlockCheck> {
    crc_blocks()
}
