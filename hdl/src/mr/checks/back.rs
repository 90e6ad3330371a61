//! Blocks of the pipeline behind it.
use super::super::back::BackEnd;
use super::super::commit::Commit;
use super::super::compose::Compose;
use super::super::drain::Drain;
use super::super::forward::Forward;
use super::super::guest::Guest;
use super::super::hazard::Hazard;
use super::super::judge::{Judge, StepFlow};
use super::super::likely::*;
use super::super::message::MessageInvalidation;
use super::super::page_checks::PageChecks;
use super::super::qp_flags::QpFlags;
use super::super::table::MrTable;
use super::super::table_checks::TableChecks;
use super::super::verdict::Verdict;
use super::super::walk::Walk;
use crate::check::BlockCheck;

/// Blocks of the pipeline behind it.
pub(super) fn back() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "mr/hazard",
            Hazard::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.advance);
                r.set(&mut u.load);
                r.set(&mut u.coming);
                r.set(&mut u.ends);
                r.set(&mut u.leaving);
            },
        ),
        BlockCheck::new(
            "mr/message",
            MessageInvalidation::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.order);
                u.order.data.next.key = (r.below(4) << 8 | r.below(4)).into();
                r.source(&mut u.answer);
                r.source(&mut u.command);
                r.seldom(&mut u.ended);
                r.set(&mut u.syndrome);
            },
        ),
        BlockCheck::new(
            "mr/guest",
            Guest::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.advance);
                pending_sink(r, &mut u.arrival);
                r.set(&mut u.half_read);
                r.set(&mut u.host);
            },
        ),
        BlockCheck::new(
            "mr/forward",
            Forward::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.index);
                u.read_row.next = likely_entry(r);
                r.set(&mut u.read_generation);
                r.set(&mut u.write);
                r.set(&mut u.write_index);
                u.row.next = likely_entry(r);
                r.set(&mut u.row_generation);
            },
        ),
        BlockCheck::new(
            "mr/walk",
            Walk::<128, 2, 128, 2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                pending_sink(r, &mut u.pending);
                pending_sink(r, &mut u.command);
                r.seldom(&mut u.command.valid);
                r.mostly(&mut u.beat_valid);
                r.set(&mut u.beat);
                r.seldom(&mut u.beat_bad);
                r.sink(&mut u.inline_beat);
                r.seldom(&mut u.crowded);
                r.mostly(&mut u.advance);
            },
        ),
        BlockCheck::new(
            "mr/page_checks",
            PageChecks::<128, 2>::default,
            |_| None,
            |u, r| {
                r.set(&mut u.pages);
                u.left.next = r.below(4).into();
                u.page_shift.next = (12 + r.below(10)).into();
            },
        ),
        BlockCheck::new(
            "mr/table_checks",
            TableChecks::<3>::default,
            |_| None,
            |u, r| {
                u.request.next = likely_pending(r);
                u.entry.next = likely_entry(r);
            },
        ),
        judge::<128, 2>("mr/judge"),
        judge::<512, 8>("mr/judge_512").vectors(60),
        BlockCheck::new(
            "mr/step_flow",
            StepFlow::<64>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.advance);
                u.request.next = likely_pending(r);
                r.set(&mut u.pages);
                r.set(&mut u.number);
                r.set(&mut u.broken);
                r.set(&mut u.valid);
                r.set(&mut u.last);
            },
        ),
        BlockCheck::new(
            "mr/verdict",
            Verdict::default,
            |_| None,
            |u, r| {
                u.request.next = likely_pending(r);
                u.entry.next = likely_entry(r);
                u.checks.next = likely_checks(r);
                r.seldom(&mut u.wrong_key);
                r.seldom(&mut u.forbidden);
                r.mostly(&mut u.ends);
                r.set(&mut u.in_flight);
                r.seldom(&mut u.unsure);
                r.seldom(&mut u.failed);
                r.seldom(&mut u.discarded);
            },
        ),
        BlockCheck::new(
            "mr/compose",
            Compose::default,
            |_| None,
            |u, r| {
                u.request.next = likely_pending(r);
                u.entry.next = likely_entry(r);
                r.set(&mut u.drains);
                r.set(&mut u.settled);
            },
        ),
        BlockCheck::new(
            "mr/drain",
            Drain::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.frozen);
                r.set(&mut u.deregisters);
                u.limit.next = r.below(4).into();
                u.granted.next = r.below(3).into();
                u.read_ended.next = r.below(2).into();
                u.write_ended.next = r.below(2).into();
            },
        )
        .vectors(1000),
        commit::<128, 2>("mr/commit"),
        BlockCheck::new(
            "mr/qp_flags",
            QpFlags::<2, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.control.next = likely_control(r);
                r.seldom(&mut u.fails);
                u.failing.next = r.below(4).into();
                u.index.next = r.below(4).into();
            },
        ),
        BlockCheck::new(
            "mr/table",
            MrTable::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.read);
                r.set(&mut u.read_index);
                r.set(&mut u.write);
                r.set(&mut u.write_index);
                r.set(&mut u.row);
                r.set(&mut u.row_generation);
            },
        ),
        back_end::<64, 1, 64>("mr/back").vectors(200),
        back_end::<512, 8, 256>("mr/back_512").vectors(40),
    ]
}

fn judge<const DATA: usize, const LANES: usize>(name: &'static str) -> BlockCheck {
    BlockCheck::new(
        name,
        Judge::<DATA, LANES, 3>::default,
        |u| Some(&mut u.clock),
        |u, r| {
            r.reset(&mut u.reset);
            r.mostly(&mut u.advance);
            u.request.next = likely_pending(r);
            u.pages.next = likely_pages(r);
            r.seldom(&mut u.broken);
            u.left.next = r.below(4).into();
            r.set(&mut u.number);
            r.mostly(&mut u.valid);
            r.mostly(&mut u.last);
            u.entry.next = likely_entry(r);
            r.set(&mut u.generation);
            r.set(&mut u.granted);
            r.set(&mut u.read_ended);
            r.set(&mut u.write_ended);
        },
    )
}

fn commit<const DATA: usize, const LANES: usize>(name: &'static str) -> BlockCheck {
    BlockCheck::new(
        name,
        Commit::<DATA, LANES, 3, 4>::default,
        |u| Some(&mut u.clock),
        |u, r| {
            r.reset(&mut u.reset);
            r.set(&mut u.clearing);
            r.set(&mut u.clear_index);
            u.request.next = likely_pending(r);
            u.entry.next = likely_entry(r);
            r.set(&mut u.generation);
            r.set(&mut u.in_flight);
            r.seldom(&mut u.unsure);
            r.set(&mut u.pages);
            r.set(&mut u.number);
            r.set(&mut u.lanes);
            u.checks.next = likely_checks(r);
            r.seldom(&mut u.wrong_key);
            r.seldom(&mut u.forbidden);
            r.mostly(&mut u.valid);
            r.mostly(&mut u.last);
            r.seldom(&mut u.failed);
            r.seldom(&mut u.discarded);
            r.set(&mut u.finish);
            r.seldom(&mut u.timed_out);
        },
    )
}

fn back_end<const DATA: usize, const LANES: usize, const INL: usize>(name: &'static str) -> BlockCheck {
    BlockCheck::new(
        name,
        BackEnd::<DATA, LANES, INL, 2, 4, 2, 4>::default,
        |u| Some(&mut u.clock),
        |u, r| {
            r.reset(&mut u.reset);
            r.set(&mut u.clearing);
            r.set(&mut u.clear_index);
            pending_sink(r, &mut u.pending);
            r.mostly(&mut u.beat_valid);
            u.beat.next = likely_pages(r);
            r.seldom(&mut u.beat_bad);
            r.sink(&mut u.inline_beat);
            pending_sink(r, &mut u.command);
            r.seldom(&mut u.command.valid);
            u.control.next = likely_control(r);
            r.source(&mut u.outcome);
            u.granted.next = r.below(3).into();
            u.read_ended.next = r.below(2).into();
            u.write_ended.next = r.below(2).into();
            r.seldom(&mut u.under_way);
            u.drain_max.next = r.below(64).into();
        },
    )
}
