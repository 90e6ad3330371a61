//! The blocks of the timers with the instances and inputs of their checks.
use super::timer::Timers;
use super::timer_limit::TimerLimit;
use crate::check::BlockCheck;
use crate::rx::ack_blocks::{context, public, state};
use rust_hdl::prelude::*;

/// Blocks of the timers.
pub(super) fn list() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "qp/timer_limit",
            TimerLimit::default,
            |_| None,
            |u, r| {
                r.set(&mut u.rnr);
                r.set(&mut u.code);
                r.set(&mut u.timeout);
            },
        ),
        BlockCheck::new(
            "qp/timer",
            Timers::<2, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.clearing.next = r.chance(1, 64);
                r.set(&mut u.clear_index);
                u.now.next = bits(r.below(64));
                u.dead.next = bits(u64::from(r.chance(1, 16)));
                r.seldom(&mut u.context_write);
                u.context_index.next = bits(r.below(4));
                u.context_row.next = context(r);
                r.seldom(&mut u.public_write);
                u.public_index.next = bits(r.below(4));
                u.public_row.next = public(r);
                u.state_write.next = r.chance(1, 32);
                u.state_index.next = bits(r.below(4));
                u.state_row.next = state(r);
                r.source(&mut u.event_out);
            },
        )
        .vectors(1000),
    ]
}
