//! The blocks of the gather with the instances and inputs of their checks.
use super::*;
use crate::check::RandomDrive;
use crate::mr::checks::pieces::{answer, part, span};
use crate::mr::pieces::BusPiece;
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

fn piece(r: &mut RandomDrive, sink: &mut ChannelSink<BusPiece>) {
    r.sink(sink);
    sink.data.next.bytes = bits(r.below(60));
    if r.chance(3, 4) {
        sink.data.next.syndrome = 0.into();
    }
}

fn gather<const DATA: usize, const STRB: usize, const B: usize, const P: usize, const F: usize>(
    u: &mut Gather<DATA, STRB, B, P, F, 4, 2>,
    r: &mut RandomDrive,
) {
    r.reset(&mut u.reset);
    r.seldom(&mut u.clear);
    r.set(&mut u.clear_index);
    r.seldom(&mut u.voided);
    r.set(&mut u.voided_index);
    r.set(&mut u.job.frame);
    span(r, &mut u.job.span);
    u.job.valid.next = r.chance(2, 3);
    r.source(&mut u.question);
    u.answered.next = r.chance(1, 3);
    answer(r, &mut u.answer);
    r.source(&mut u.read.command);
    u.read.beat_valid.next = r.chance(1, 2);
    r.set(&mut u.read.beat_data);
    r.seldom(&mut u.read.beat_error);
    r.source(&mut u.frame);
    r.mostly(&mut u.payload.ready);
    r.source(&mut u.failed);
}

pub(super) fn list() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "tx/gather_room",
            GatherRoom::<8, 10, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                part(r, &mut u.part);
                r.source(&mut u.source);
                u.spare_beats.next = bits(r.below(20));
                u.spare_places.next = bits(r.below(2));
                r.mostly(&mut u.beat_left);
                r.seldom(&mut u.piece_left);
            },
        ),
        BlockCheck::new(
            "tx/gather_begun",
            GatherBegun::<4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.starts.next = r.chance(1, 3);
                r.set(&mut u.has_beats);
                u.arrives.next = r.chance(1, 4);
                u.goes.next = r.chance(1, 3);
            },
        ),
        BlockCheck::new(
            "tx/gather_issue",
            GatherIssue::<8>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                piece(r, &mut u.piece);
                r.sink(&mut u.note);
                r.source(&mut u.command);
                r.source(&mut u.reading);
                r.source(&mut u.stream);
            },
        ),
        BlockCheck::new(
            "tx/gather_return",
            GatherReturn::<64, 5, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.reading);
                u.reading.data.next.more = bits(r.below(3));
                u.beat_valid.next = r.chance(1, 2);
                r.set(&mut u.beat_data);
                r.seldom(&mut u.beat_error);
                r.source(&mut u.beat);
            },
        ),
        BlockCheck::new(
            "tx/gather_stops",
            GatherStops::<4, 2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.sink);
                u.sink.data.next.psn = bits(r.below(16));
                r.source(&mut u.source);
                u.fails.next = r.chance(1, 4);
                r.seldom(&mut u.clear);
                r.set(&mut u.clear_index);
                r.seldom(&mut u.voided);
                r.set(&mut u.voided_index);
            },
        ),
        BlockCheck::new(
            "tx/gather_stream",
            GatherStream::<64>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.piece);
                u.piece.data.next.more = bits(r.below(3));
                if r.chance(3, 4) {
                    u.piece.data.next.syndrome = 0.into();
                }
                r.sink(&mut u.note);
                u.stopped.next = r.chance(1, 4);
                u.bare_taken.next = r.chance(1, 2);
                r.sink(&mut u.beat);
                r.seldom(&mut u.beat_error);
                r.mostly(&mut u.payload.ready);
                r.source(&mut u.failed);
            },
        ),
        BlockCheck::new(
            "tx/gather_share",
            GatherShare::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.send.frame);
                span(r, &mut u.send.span);
                r.mostly(&mut u.send.valid);
                r.set(&mut u.respond.frame);
                span(r, &mut u.respond.span);
                r.mostly(&mut u.respond.valid);
                r.mostly(&mut u.job.ready);
            },
        )
        .vectors(60),
        BlockCheck::new("tx/gather", Gather::<64, 8, 10, 4, 3, 4, 2>::default, |u| Some(&mut u.clock), gather),
        BlockCheck::new("tx/gather_512", Gather::<512, 64, 8, 5, 4, 4, 2>::default, |u| Some(&mut u.clock), gather)
            .vectors(60),
    ]
}
