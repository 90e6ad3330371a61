//! Blocks before the FIFO of operations.
use super::super::beat_fifo::BeatFifo;
use super::super::decode::Decode;
use super::super::field_checks::{FieldChecks, WqeShape};
use super::super::front::FrontEnd;
use super::super::inline_beats::InlineBeats;
use super::super::intake::Intake;
use super::super::likely::*;
use super::super::list_fetch::ListFetch;
use super::super::sum_checks::SumChecks;
use super::tie;
use crate::check::BlockCheck;

/// Front of the subsystem: blocks before the FIFO of operations.
pub(super) fn front() -> Vec<BlockCheck> {
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
