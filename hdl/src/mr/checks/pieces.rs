//! Blocks in front of the lookup.
use crate::check::{BlockCheck, RandomDrive};
use crate::mr::layout::LookupAnswer;
use crate::mr::pieces::{Collect, EndShare, LookupShare, Part, Pieces, SpanWalk};
use crate::widgets::ChannelSink;
use crate::wire::Span;
use rust_hdl::prelude::*;

/// Answers that grant mostly, and pieces as the lookup gives them.
pub(crate) fn answer(r: &mut RandomDrive, signal: &mut Signal<In, LookupAnswer>) {
    r.set(signal);
    signal.next.bytes = bits(1 + r.below(200));
    if r.chance(3, 4) {
        signal.next.syndrome = 0.into();
    }
}

pub(crate) fn part(r: &mut RandomDrive, sink: &mut ChannelSink<Part>) {
    r.sink(sink);
    sink.data.next.length = bits(1 + r.below(300));
}

pub(crate) fn span(r: &mut RandomDrive, signal: &mut Signal<In, Span>) {
    r.set(signal);
    signal.next.bytes = bits(r.below(200));
    signal.next.skip = bits(r.below(100));
    signal.next.length0 = bits(r.below(100));
    signal.next.length1 = bits(r.below(100));
}

/// Pieces of spans and the sharing of the lookup.
pub(super) fn pieces() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "mr/span_walk",
            SpanWalk::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                span(r, &mut u.span.data);
                u.span.valid.next = r.chance(2, 3);
                r.seldom(&mut u.checks);
                r.set(&mut u.range);
                r.source(&mut u.part);
            },
        ),
        BlockCheck::new(
            "mr/collect",
            Collect::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                part(r, &mut u.part);
                r.sink(&mut u.answer);
                answer(r, &mut u.answer.data);
                r.source(&mut u.again);
                r.seldom(&mut u.replied);
                answer(r, &mut u.reply);
                r.source(&mut u.piece);
            },
        ),
        BlockCheck::new(
            "mr/pieces",
            Pieces::<4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                part(r, &mut u.part);
                r.source(&mut u.question);
                u.answered.next = r.chance(1, 3);
                answer(r, &mut u.answer);
                r.source(&mut u.piece);
            },
        ),
        BlockCheck::new(
            "mr/lookup_share",
            LookupShare::<3, 2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.questions.iter_mut().for_each(|sink| r.sink(sink));
                r.mostly(&mut u.reply_valid);
                r.set(&mut u.reply);
                r.seldom(&mut u.crowded);
            },
        ),
        BlockCheck::new(
            "mr/end_share",
            EndShare::<3, 2, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.ends.iter_mut().for_each(|end| end.next = r.chance(1, 4));
                u.indices.iter_mut().for_each(|index| r.set(index));
            },
        ),
    ]
}
