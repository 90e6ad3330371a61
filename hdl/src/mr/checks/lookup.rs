//! The lookup pipeline, and the counts of accesses in flight.
use super::super::in_flight::InFlight;
use super::super::likely::*;
use super::super::lookup::access::Access;
use super::super::lookup::banks::PageBanks;
use super::super::lookup::locate::Locate;
use super::super::lookup::reach::Reach;
use super::super::lookup::Lookup;
use super::super::watch::Watch;
use crate::check::BlockCheck;

/// The lookup pipeline.
pub(super) fn lookup() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "mr/access",
            Access::default,
            |u| Some(&mut u.clock),
            |u, r| {
                (u.question.next, u.entry.next) = likely_access(r);
                r.seldom(&mut u.outside);
                r.seldom(&mut u.raced);
                r.seldom(&mut u.full);
            },
        ),
        BlockCheck::new(
            "mr/reach",
            Reach::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.va_low);
                u.va_high.next = (0xF_FFFF + r.below(3)).into();
                r.set(&mut u.length);
            },
        ),
        BlockCheck::new(
            "mr/locate",
            Locate::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.place);
                r.set(&mut u.target);
            },
        ),
        BlockCheck::new(
            "mr/banks",
            PageBanks::<128, 2, 2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.slot);
                r.set(&mut u.write);
                r.set(&mut u.row);
                r.set(&mut u.pages);
            },
        ),
        BlockCheck::new(
            "mr/lookup",
            Lookup::<128, 2, 2, 3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.ask);
                (u.question.next, u.row.next) = likely_access(r);
                r.seldom(&mut u.full);
                r.set(&mut u.write);
                r.set(&mut u.index);
                r.set(&mut u.row_generation);
                r.set(&mut u.page_lanes);
                r.set(&mut u.page_row);
                r.set(&mut u.page_data);
            },
        ),
    ]
}

/// Counters of accesses in flight.
pub(super) fn counts() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "mr/in_flight",
            InFlight::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.set(&mut u.grant);
                r.set(&mut u.grant_index);
                r.set(&mut u.read_end);
                r.set(&mut u.read_end_index);
                r.set(&mut u.write_end);
                r.set(&mut u.write_end_index);
                r.set(&mut u.index);
            },
        ),
        BlockCheck::new(
            "mr/watch",
            Watch::<4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.looks);
                r.set(&mut u.looks_at);
                r.set(&mut u.index);
            },
        ),
    ]
}
