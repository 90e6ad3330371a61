//! The blocks of the requester's receive side with the instances and inputs of their checks.
use super::ack::AckEngine;
use super::ack_apply::AckApply;
use super::ack_decide::AckDecide;
use super::ack_intake::AckIntake;
use super::ack_job::AckJob;
use super::ack_judge::AckJudge;
use super::ack_place::AckPlace;
use super::ack_tables::AckTables;
use super::answer_kind::Answer;
use super::reads::OpenReads;
use super::reads_done::ReadsDone;
use super::response_judge::ResponseJudge;
use super::{AckState, InvalidateShare, OpenRead, RequesterContext, SendPublic};
use crate::check::{BlockCheck, RandomDrive};
use crate::record::Packed;
use crate::wire::{PlaceVerdict, RxFrame};
use rust_hdl::prelude::*;

fn near(r: &mut RandomDrive) -> Bits<24> {
    bits((0x00FF_FFFC + r.below(8)) & 0x00FF_FFFF)
}

/// A response frame that has something to do with the states of the test.
fn frame(r: &mut RandomDrive) -> RxFrame {
    let mut frame: RxFrame = r.value();
    frame.qpn = bits(r.below(2));
    frame.opcode = bits(0x0D + r.below(7));
    frame.syndrome = bits([0x1F, 0x21, 0x60, 0x61, 0x62, 0x63, 0x1F, 0x45][r.below(8) as usize]);
    frame.psn = near(r);
    frame.payload = bits([0, 256, 300][r.below(3) as usize]);
    frame
}

pub(crate) fn state(r: &mut RandomDrive) -> AckState {
    let mut state: AckState = r.value();
    state.una = near(r);
    state.fail_psn = near(r);
    state
}

pub(crate) fn public(r: &mut RandomDrive) -> SendPublic {
    let mut public: SendPublic = r.value();
    public.hpsn = near(r);
    public.rd_tail = bits(r.below(3));
    public
}

fn open(r: &mut RandomDrive) -> OpenRead {
    let mut read: OpenRead = r.value();
    read.first = near(r);
    read.packets = bits(1 + r.below(3));
    read.length = bits(256 * r.below(3) + 44 * r.below(2));
    read
}

pub(crate) fn context(r: &mut RandomDrive) -> RequesterContext {
    let mut context: RequesterContext = r.value();
    context.mtu = bits(1 + r.below(2));
    context.timeout = bits(r.below(3));
    context
}

fn verdict(r: &mut RandomDrive) -> PlaceVerdict {
    let mut verdict: PlaceVerdict = r.value();
    verdict.writes = bits(r.below(8));
    verdict.qp = bits(r.below(2));
    verdict
}

fn flag<T: Packed>(r: &mut RandomDrive, one_in: u32, signal: &mut Signal<In, T>, value: T) {
    let value = if r.chance(1, one_in) { value } else { r.value() };
    signal.next = value;
}

fn judges() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "rx/answer_kind",
            Answer::default,
            |_| None,
            |u, r| {
                u.opcode.next = bits(0x0D + r.below(7));
                flag(r, 2, &mut u.syndrome, bits(0x60));
            },
        ),
        BlockCheck::new(
            "rx/ack_judge",
            AckJudge::default,
            |_| None,
            |u, r| {
                r.set(&mut u.kind);
                r.set(&mut u.place);
            },
        ),
        BlockCheck::new(
            "rx/response_judge",
            ResponseJudge::default,
            |_| None,
            |u, r| {
                r.set(&mut u.kind);
                r.set(&mut u.place);
            },
        ),
        BlockCheck::new(
            "rx/ack_apply",
            AckApply::default,
            |_| None,
            |u, r| {
                r.set(&mut u.step);
                r.set(&mut u.state);
                r.set(&mut u.attributes);
                r.set(&mut u.psn);
                r.set(&mut u.psn_next);
                r.set(&mut u.first);
                r.set(&mut u.code);
            },
        ),
        BlockCheck::new(
            "rx/ack_decide",
            AckDecide::default,
            |_| None,
            |u, r| {
                r.set(&mut u.work);
                r.set(&mut u.kind);
                r.set(&mut u.place);
                r.set(&mut u.waits);
                r.seldom(&mut u.dead);
            },
        ),
        BlockCheck::new(
            "rx/ack_job",
            AckJob::default,
            |_| None,
            |u, r| {
                r.set(&mut u.work);
                r.set(&mut u.kind);
                r.set(&mut u.step);
                r.set(&mut u.attributes);
                r.set(&mut u.sink);
                r.set(&mut u.invalidates);
                r.set(&mut u.skip);
            },
        ),
        BlockCheck::new(
            "rx/ack_place",
            AckPlace::default,
            |u| Some(&mut u.clock),
            |u, r| {
                u.psn.next = near(r);
                flag(r, 2, &mut u.payload, bits(256));
                r.set(&mut u.epoch);
                u.state.next = state(r);
                u.published.next = public(r);
                u.mtu.next = bits(1 + r.below(5));
                u.read.next = open(r);
            },
        ),
    ]
}

fn engine<const QA: usize, const QPS: usize, const RA: usize, const FA: usize, const VA: usize>(
    u: &mut AckEngine<QA, QPS, RA, FA, VA>,
    r: &mut RandomDrive,
) {
    r.reset(&mut u.reset);
    u.clearing.next = r.chance(1, 64);
    r.set(&mut u.clear_index);
    u.dead.next = bits(u64::from(r.chance(1, 16)));
    r.seldom(&mut u.context_write);
    u.context_index.next = bits(r.below(2));
    u.context_row.next = context(r);
    r.seldom(&mut u.public_write);
    u.public_index.next = bits(r.below(2));
    u.public_row.next = public(r);
    r.set(&mut u.open_write);
    u.open_index.next = bits(r.below(2));
    u.open_slot.next = bits(r.below(3));
    u.open_head.next = open(r);
    r.set(&mut u.open_sink);
    u.order.valid.next = r.chance(1, 64);
    u.order.data.next.qp = bits(r.below(2));
    u.order.data.next.start = r.chance(3, 4);
    u.order.data.next.psn = near(r);
    u.frame.valid.next = r.chance(3, 4);
    u.frame.data.next = frame(r);
    r.sink(&mut u.event_in);
    u.event_in.data.next.qp = bits(r.below(2));
    u.event_in.data.next.una = near(r);
    u.event_in.data.next.epoch = bits(r.below(2));
    r.source(&mut u.job);
    r.sink(&mut u.verdict);
    u.verdict.data.next = verdict(r);
    r.set(&mut u.landed);
    r.seldom(&mut u.landed_failed);
    r.source(&mut u.invalidate);
    r.sink(&mut u.invalidated);
    flag(r, 2, &mut u.invalidated.data, bits(0));
}

/// Blocks of the requester's receive side.
pub fn blocks() -> Vec<BlockCheck> {
    let mut blocks = judges();
    blocks.extend([
        BlockCheck::new(
            "rx/ack_intake",
            AckIntake::<1>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.free);
                r.sink(&mut u.frame);
                u.frame.valid.next = r.chance(15, 16);
                r.sink(&mut u.event_in);
                r.sink(&mut u.failure);
                u.failure.valid.next = r.chance(1, 16);
                r.sink(&mut u.order);
                u.order.valid.next = r.chance(1, 16);
            },
        ),
        BlockCheck::new(
            "rx/ack_tables",
            AckTables::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.set(&mut u.context_write);
                r.set(&mut u.context_index);
                r.set(&mut u.context_row);
                r.set(&mut u.public_write);
                r.set(&mut u.public_index);
                r.set(&mut u.public_row);
                r.set(&mut u.state_write);
                r.set(&mut u.state_index);
                r.set(&mut u.state_row);
                r.set(&mut u.index);
            },
        ),
        BlockCheck::new(
            "rx/reads",
            OpenReads::<1, 5>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.write);
                r.set(&mut u.write_index);
                r.set(&mut u.write_slot);
                r.set(&mut u.write_head);
                r.set(&mut u.write_sink);
                r.set(&mut u.read);
                r.set(&mut u.index);
                r.set(&mut u.slot);
            },
        ),
        BlockCheck::new(
            "rx/reads_done",
            ReadsDone::<2, 3, 2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.clearing.next = r.chance(1, 64);
                r.set(&mut u.clear_index);
                r.sink(&mut u.verdict);
                u.verdict.data.next = verdict(r);
                u.landed.next = r.chance(1, 3);
                r.seldom(&mut u.landed_failed);
                u.restart.next = r.chance(1, 32);
                u.restart_index.next = bits(r.below(2));
                r.source(&mut u.failure);
                r.sink(&mut u.sink);
                r.source(&mut u.invalidate);
                r.sink(&mut u.invalidated);
                flag(r, 2, &mut u.invalidated.data, bits(0));
            },
        ),
        BlockCheck::new(
            "rx/invalidate_share",
            InvalidateShare::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                for i in 0..2 {
                    r.sink(&mut u.orders[i]);
                    r.source(&mut u.answers[i]);
                }
                r.source(&mut u.order);
                r.sink(&mut u.answer);
            },
        ),
        BlockCheck::new("rx/ack", AckEngine::<2, 4, 6, 3, 2>::default, |u| Some(&mut u.clock), engine).vectors(1500),
    ]);
    blocks
}
