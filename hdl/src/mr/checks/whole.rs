//! The admin unit and the whole subsystem.
use super::super::admin::Admin;
use super::super::admin_control::AdminControl;
use super::super::admin_words::AdminWords;
use super::super::likely::*;
use super::super::query_words::QueryWords;
use super::super::regions::{Limits, MemoryRegions};
use super::tie;
use crate::check::{BlockCheck, RandomDrive};
use crate::types::AdminUnit;

/// The admin unit and the whole subsystem.
pub(super) fn whole() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "mr/admin_words",
            AdminWords::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                (u.word_index.next, u.word.next) = likely_word(r);
                r.mostly(&mut u.word_valid);
                tie(r, &mut u.max_pages, 64);
                tie(r, &mut u.page_entries, 128);
            },
        ),
        BlockCheck::new(
            "mr/admin_control",
            AdminControl::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.start);
                u.opcode.next = (1 + r.below(5)).into();
                r.seldom(&mut u.alloc_bad);
                r.seldom(&mut u.alloc_gaps);
                r.seldom(&mut u.index_bad);
                r.seldom(&mut u.probe_bad);
                r.set(&mut u.taken);
                r.set(&mut u.ended);
                r.seldom(&mut u.refused);
                r.seldom(&mut u.timed_out);
                r.mostly(&mut u.known);
                r.set(&mut u.asked);
                r.set(&mut u.answered);
            },
        )
        .vectors(1000),
        BlockCheck::new(
            "mr/query_words",
            QueryWords::default,
            |_| None,
            |u, r| {
                r.set(&mut u.index);
                r.set(&mut u.entry);
                r.set(&mut u.generation);
                r.set(&mut u.in_flight);
                r.set(&mut u.number);
            },
        ),
        BlockCheck::new(
            "mr/admin",
            Admin::<2, 3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                admin_unit(r, &mut u.admin);
                tie(r, &mut u.max_pages, 64);
                tie(r, &mut u.page_entries, 128);
                r.source(&mut u.command);
                r.set(&mut u.ended);
                r.seldom(&mut u.refused);
                r.seldom(&mut u.timed_out);
                r.set(&mut u.entry);
                r.set(&mut u.generation);
                r.set(&mut u.in_flight);
                r.set(&mut u.probe_identity);
                u.probe_identity.next.qpn = r.below(4).into();
                r.set(&mut u.asked);
                r.set(&mut u.answered);
                r.set(&mut u.answer);
            },
        )
        .vectors(1000),
        regions::<64, 1, 64>("mr/regions").vectors(400),
        regions::<512, 8, 256>("mr/regions_512").vectors(30),
    ]
}

fn admin_unit(r: &mut RandomDrive, admin: &mut AdminUnit) {
    (admin.word_index.next, admin.word.next) = likely_word(r);
    r.mostly(&mut admin.word_valid);
    admin.start.next = r.chance(1, 6);
    admin.opcode.next = (1 + r.below(5)).into();
}

fn regions<const DATA: usize, const LANES: usize, const INL: usize>(name: &'static str) -> BlockCheck {
    BlockCheck::new(
        name,
        || MemoryRegions::<DATA, LANES, INL, 2, 4, 2, 7, 4, 7, 5>::new(Limits { max_pages: 64, drain_max: 64 }),
        |u| Some(&mut u.clock),
        |u, r| {
            r.reset(&mut u.reset);
            r.seldom(&mut u.clearing);
            r.set(&mut u.clear_index);
            u.work.data.next = likely_item(r);
            r.mostly(&mut u.work.valid);
            r.source(&mut u.list.command);
            r.set(&mut u.list.beat_valid);
            u.list.beat_data.next = likely_pages(r);
            r.seldom(&mut u.list.beat_error);
            r.source(&mut u.outcome);
            r.sink(&mut u.invalidate);
            u.invalidate.data.next.key = (r.below(4) << 8 | r.below(2)).into();
            u.invalidate.data.next.pd = 1u64.into();
            r.source(&mut u.invalidated);
            u.control.next = likely_control(r);
            admin_unit(r, &mut u.admin);
            r.set(&mut u.probe_identity);
            u.probe_identity.next.qpn = r.below(4).into();
            r.set(&mut u.ask);
            u.question.next = likely_access(r).0;
            r.seldom(&mut u.read_end);
            u.read_end_index.next = r.below(4).into();
            r.seldom(&mut u.write_end);
            u.write_end_index.next = r.below(4).into();
        },
    )
}
