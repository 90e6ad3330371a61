//! The blocks of this subsystem with the instances at which they are checked.
use super::admin::Admin;
use super::admin_control::AdminControl;
use super::admin_words::AdminWords;
use super::back::BackEnd;
use super::beat_fifo::BeatFifo;
use super::commit::Commit;
use super::compose::Compose;
use super::counter::Counter;
use super::decode::Decode;
use super::drain::Drain;
use super::field_checks::{FieldChecks, WqeShape};
use super::forward::Forward;
use super::front::FrontEnd;
use super::guest::Guest;
use super::hazard::Hazard;
use super::in_flight::InFlight;
use super::inline_beats::InlineBeats;
use super::intake::Intake;
use super::judge::{Judge, StepFlow};
use super::likely::*;
use super::list_fetch::ListFetch;
use super::lookup::access::Access;
use super::lookup::banks::PageBanks;
use super::lookup::locate::Locate;
use super::lookup::reach::Reach;
use super::lookup::Lookup;
use super::page_checks::PageChecks;
use super::qp_flags::QpFlags;
use super::query_words::QueryWords;
use super::regions::{Limits, MemoryRegions};
use super::sum_checks::SumChecks;
use super::table::MrTable;
use super::table_checks::TableChecks;
use super::verdict::Verdict;
use super::walk::Walk;
use super::watch::Watch;
use crate::check::{BlockCheck, RandomDrive};
use crate::types::AdminUnit;
use rust_hdl::prelude::*;

/// Front of the subsystem: blocks before the FIFO of operations.
fn front() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "mr/field_checks",
            FieldChecks::default,
            |_| None,
            |u, r| {
                u.wqe.next = likely_wqe(r);
                r.mostly(&mut u.registers);
                r.set(&mut u.invalidates);
                r.set(&mut u.max_pages);
                r.set(&mut u.max_length);
            },
        ),
        BlockCheck::new("mr/wqe_shape", WqeShape::default, |_| None, |u, r| u.wqe.next = likely_wqe(r)),
        BlockCheck::new("mr/sum_checks", SumChecks::default, |u| Some(&mut u.clock), |u, r| u.wqe.next = likely_wqe(r)),
        BlockCheck::new(
            "mr/decode",
            Decode::<4>::default,
            |_| None,
            |u, r| {
                u.wqe.next = likely_wqe(r);
                u.owner.next = likely_owner(r);
            },
        ),
        BlockCheck::new(
            "mr/inline_beats",
            InlineBeats::<64>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.load);
                r.set(&mut u.pages);
                r.set(&mut u.beats);
            },
        ),
        BlockCheck::new(
            "mr/list_fetch",
            ListFetch::<2, 5>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.request);
                u.request.data.next.beats = (r.below(8) + 1).into();
                r.source(&mut u.command);
                r.mostly(&mut u.freed);
            },
        ),
        BlockCheck::new(
            "mr/beat_fifo",
            BeatFifo::<64, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.write);
                r.set(&mut u.data);
                r.set(&mut u.error);
                r.set(&mut u.ready);
            },
        ),
        BlockCheck::new(
            "mr/intake",
            Intake::<8>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.item.next = likely_item(r);
                r.mostly(&mut u.enter);
                tie(r, &mut u.max_pages, 64);
                tie(r, &mut u.max_length, 1 << 27);
            },
        )
        .vectors(150),
        front_end::<64, 1, 64>("mr/front"),
        front_end::<512, 8, 256>("mr/front_512").vectors(40),
    ]
}

fn front_end<const DATA: usize, const LANES: usize, const INL: usize>(name: &'static str) -> BlockCheck {
    BlockCheck::new(
        name,
        FrontEnd::<DATA, LANES, INL, 4, 7, 5>::default,
        |u| Some(&mut u.clock),
        |u, r| {
            r.reset(&mut u.reset);
            u.work.data.next = likely_item(r);
            r.mostly(&mut u.work.valid);
            r.source(&mut u.list.command);
            r.set(&mut u.list.beat_valid);
            r.set(&mut u.list.beat_data);
            r.seldom(&mut u.list.beat_error);
            tie(r, &mut u.max_pages, 64);
            tie(r, &mut u.max_length, 1 << 27);
            r.source(&mut u.pending);
            r.set(&mut u.beat_ready);
            r.source(&mut u.inline_beat);
        },
    )
    .vectors(150)
}

/// Blocks of the pipeline behind it.
fn back() -> Vec<BlockCheck> {
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

/// Counters of accesses in flight.
fn counts() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "mr/counter",
            Counter::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.mostly(&mut u.pulse);
                r.set(&mut u.pulse_index);
                r.set(&mut u.index);
            },
        ),
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

/// The lookup pipeline.
fn lookup() -> Vec<BlockCheck> {
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

/// The admin unit and the whole subsystem.
fn whole() -> Vec<BlockCheck> {
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
    r.seldom(&mut admin.start);
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

/// All blocks of `mr`.
pub(super) fn blocks() -> Vec<BlockCheck> {
    [front(), back(), counts(), lookup(), whole()].into_iter().flatten().collect()
}

/// An input that a design ties to a constant: that constant, but for one step in 8, so that the check sees it driven.
fn tie<const N: usize>(r: &mut RandomDrive, signal: &mut Signal<In, Bits<N>>, value: u64) {
    let value = if r.chance(1, 8) { value + 1 } else { value };
    signal.next = value.into();
}
