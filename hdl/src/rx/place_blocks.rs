//! The blocks of the placer with the instances and inputs of their checks.
use super::*;
use crate::check::{BlockCheck, RandomDrive};
use crate::types::WriteClient;
use crate::wire::Span;
use rust_hdl::prelude::*;

fn client<const DATA: usize>(r: &mut RandomDrive, client: &mut WriteClient<DATA>) {
    r.source(&mut client.command);
    r.source(&mut client.beat);
    client.done.next = r.chance(1, 3);
    r.set(&mut client.failed);
}

fn span(r: &mut RandomDrive, signal: &mut Signal<In, Span>) {
    r.set(signal);
    signal.next.bytes = bits(r.below(200));
    signal.next.skip = bits(r.below(100));
    signal.next.length0 = bits(r.below(100));
    signal.next.length1 = bits(r.below(100));
}

fn placer<
    const DATA: usize,
    const STRB: usize,
    const A: usize,
    const QA: usize,
    const QPS: usize,
    const V: usize,
    const E: usize,
    const CUT: usize,
>(
    u: &mut Placer<DATA, STRB, A, QA, QPS, V, E, CUT>,
    r: &mut RandomDrive,
) {
    r.reset(&mut u.reset);
    r.set(&mut u.place.job);
    span(r, &mut u.place.span);
    u.place.valid.next = r.chance(2, 3);
    r.source(&mut u.verdict);
    r.set(&mut u.read_data);
    r.source(&mut u.question);
    u.answered.next = r.chance(1, 3);
    r.set(&mut u.answer);
    u.answer.next.bytes = bits(1 + r.below(100));
    if r.chance(7, 8) {
        u.answer.next.syndrome = 0.into();
    }
    client(r, &mut u.requests);
    client(r, &mut u.responses);
    client(r, &mut u.raw);
    u.place.job.next.range = bits(r.below(300));
    u.kill.next = r.chance(1, 30);
    r.set(&mut u.kill_index);
    r.set(&mut u.kill_responses);
    r.seldom(&mut u.clear_dead);
    r.set(&mut u.clear_index);
}

fn judges() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "rx/dead_flags",
            DeadFlags::<8, 3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.fail);
                r.set(&mut u.fail_index);
                r.set(&mut u.kill);
                r.set(&mut u.kill_index);
                r.set(&mut u.clear);
                r.set(&mut u.clear_index);
                r.set(&mut u.index);
            },
        ),
        BlockCheck::new(
            "rx/place_judge",
            PlaceJudge::<8, 3, 8>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.job);
                r.sink(&mut u.piece);
                if r.chance(3, 4) {
                    u.piece.data.next.syndrome = 0.into();
                }
                r.source(&mut u.placing);
                r.seldom(&mut u.kill);
                r.set(&mut u.kill_index);
                r.set(&mut u.kill_responses);
                r.seldom(&mut u.clear_dead);
                r.set(&mut u.clear_index);
            },
        ),
        BlockCheck::new(
            "rx/place_burst",
            PlaceBurst::<128>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.placing);
                u.placing.data.next.bytes = bits(r.below(300));
                r.sink(&mut u.verdict);
                u.commands.iter_mut().for_each(|source| r.mostly(&mut source.ready));
                u.notes.iter_mut().for_each(|source| r.mostly(&mut source.ready));
            },
        ),
    ]
}

fn movers() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "rx/place_rows",
            PlaceRows::<8, 6>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.work);
                u.work.data.next.bytes = bits(r.below(60));
                r.seldom(&mut u.crowded);
            },
        ),
        BlockCheck::new(
            "rx/place_shift",
            PlaceShift::<64>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.slot);
                r.set(&mut u.value);
                u.slot.next.rotation = bits(r.below(8));
                r.set(&mut u.read_data);
                u.beats.iter_mut().for_each(|source| r.source(source));
            },
        ),
        BlockCheck::new(
            "rx/place_shift_512",
            PlaceShift::<512>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.slot);
                r.set(&mut u.value);
                r.set(&mut u.read_data);
                u.beats.iter_mut().for_each(|source| r.source(source));
            },
        )
        .vectors(60),
        BlockCheck::new("rx/place", Placer::<64, 8, 8, 3, 8, 4, 5, 128>::default, |u| Some(&mut u.clock), placer),
        BlockCheck::new(
            "rx/place_512",
            Placer::<512, 64, 10, 8, 256, 5, 7, 4096>::default,
            |u| Some(&mut u.clock),
            placer,
        )
        .vectors(60),
    ]
}

pub(super) fn list() -> Vec<BlockCheck> {
    let mut list = judges();
    list.extend(movers());
    list
}
