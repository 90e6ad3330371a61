//! The blocks of this subsystem with the instances and inputs of their checks.
use super::*;
use crate::check::{BlockCheck, RandomDrive};
use crate::wire::RxFrame;
use rust_hdl::prelude::*;

/// A frame that often fits the context of [`context`].
fn frame(r: &mut RandomDrive) -> RxFrame {
    let mut frame: RxFrame = r.value();
    frame.raw = r.chance(1, 8);
    frame.opcode = bits(r.below(32));
    frame.qpn = bits(8 + r.below(4));
    if r.chance(3, 4) {
        (frame.pkey, frame.source, frame.own_address, frame.vlan) =
            (bits(0xFFFF), Default::default(), bits(1), Default::default());
    }
    frame
}

/// A context that often fits the frames of [`frame`].
fn context(r: &mut RandomDrive) -> ResponderContext {
    let mut row: ResponderContext = r.value();
    row.qpn = bits(8 + r.below(4));
    row.state = bits(2 + r.below(3));
    if r.chance(3, 4) {
        (row.pkey, row.dest_address, row.own_address, row.vlan_valid) =
            (bits(0xFFFF), Default::default(), bits(1), false);
    }
    row
}

/// A request near the PSNs that are expected.
fn request(r: &mut RandomDrive) -> Request {
    let mut request: Request = r.value();
    request.qp = bits(r.below(4));
    request.opcode = bits(r.below(0x18));
    request.psn = bits(r.below(3).wrapping_sub(1) & 0xFF_FFFF);
    request.mtu = bits(1 + r.below(5));
    request.payload = bits([0, 7, 256, 512, 1024, 2048, 4096][r.below(7) as usize]);
    if r.chance(2, 3) {
        (request.pad, request.access) = (bits(0), bits(7));
        request.length = bits(r.below(4) * 256);
    }
    request
}

fn progress(r: &mut RandomDrive) -> Progress {
    let mut row: Progress = r.value();
    row.epsn = bits(r.below(3).wrapping_sub(1) & 0xFF_FFFF);
    row.open = bits(r.below(3));
    row.left = bits(r.below(4) * 256);
    row
}

fn entry(r: &mut RandomDrive) -> CommitEntry {
    let mut entry: CommitEntry = r.value();
    entry.qp = bits(r.below(4));
    if r.chance(1, 2) {
        entry.kind = bits(0);
    }
    entry
}

fn verdict(r: &mut RandomDrive) -> crate::wire::PlaceVerdict {
    let mut verdict: crate::wire::PlaceVerdict = r.value();
    verdict.response = r.chance(1, 8);
    verdict.dead = r.chance(1, 16);
    if r.chance(3, 4) {
        verdict.syndrome = bits(0);
    }
    verdict.writes = bits(r.below(16));
    verdict.tag = bits(r.chance(7, 8).into());
    verdict
}

fn order(r: &mut RandomDrive, order: &mut Signal<In, Bit>, index: &mut Signal<In, Bits<8>>) {
    order.next = r.chance(1, 32);
    index.next = bits(r.below(4));
}

fn dispatch_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "rx/response_jobs",
            ResponseJobs::<2, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.seldom(&mut u.start);
                r.set(&mut u.start_index);
                r.seldom(&mut u.finish);
                r.set(&mut u.finish_index);
            },
        ),
        BlockCheck::new("rx/opcode", OpcodeKind::default, |_| None, |u, r| r.set(&mut u.opcode)),
        BlockCheck::new(
            "rx/dispatch_check",
            DispatchCheck::default,
            |u| Some(&mut u.clock),
            |u, r| {
                u.frame.next = frame(r);
                u.owner.next = context(r);
            },
        ),
        BlockCheck::new(
            "rx/dispatch",
            Dispatch::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.sink(&mut u.frame);
                u.frame.data.next = frame(r);
                r.set(&mut u.context_write);
                u.context_index.next = bits(r.below(4));
                u.context_row.next = context(r);
                r.source(&mut u.request);
                r.source(&mut u.response);
                r.source(&mut u.raw);
                r.source(&mut u.order);
                r.source(&mut u.drop);
            },
        ),
        BlockCheck::new(
            "rx/job_merge",
            JobMerge::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.order);
                r.sink(&mut u.request);
                r.set(&mut u.request_span);
                r.sink(&mut u.response);
                r.set(&mut u.response_span);
                r.sink(&mut u.raw);
                r.source(&mut u.job);
            },
        ),
        BlockCheck::new(
            "rx/drain",
            DrainMark::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.mark);
                r.set(&mut u.frame_in);
                r.set(&mut u.frame_out);
                r.set(&mut u.entry_in);
                r.set(&mut u.entry_out);
            },
        ),
        BlockCheck::new(
            "rx/tally",
            Tally::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.set(&mut u.served);
                u.served_index.next = bits(r.below(4));
                r.set(&mut u.served_duplicate);
                r.sink(&mut u.dropped);
                u.dropped.data.next = bits(r.below(4));
                order(r, &mut u.order, &mut u.order_index);
                r.set(&mut u.index);
            },
        ),
    ]
}

fn judge_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "rx/judge_facts",
            JudgeFacts::default,
            |u| Some(&mut u.clock),
            |u, r| {
                u.request.next = request(r);
                r.set(&mut u.kind);
                u.progress.next = progress(r);
                r.set(&mut u.served);
                u.lengths.iter_mut().for_each(|length| r.set(length));
            },
        ),
        BlockCheck::new(
            "rx/judge_ruling",
            JudgeRuling::default,
            |_| None,
            |u, r| {
                r.set(&mut u.facts);
                r.set(&mut u.kind);
                r.set(&mut u.progress);
                r.set(&mut u.receive);
                r.seldom(&mut u.killed);
                r.set(&mut u.min_rnr);
            },
        ),
        BlockCheck::new(
            "rx/judge_progress",
            JudgeProgress::default,
            |u| Some(&mut u.clock),
            |u, r| {
                u.request.next = request(r);
                r.set(&mut u.kind);
                r.set(&mut u.facts);
                r.set(&mut u.ruling);
                u.progress.next = progress(r);
                r.set(&mut u.enters);
            },
        ),
        BlockCheck::new(
            "rx/judge_job",
            JudgeJob::default,
            |_| None,
            |u, r| {
                u.request.next = request(r);
                r.set(&mut u.kind);
                r.set(&mut u.facts);
                r.set(&mut u.ruling);
                r.set(&mut u.progress);
                r.set(&mut u.enters);
                r.set(&mut u.wqe);
            },
        ),
        BlockCheck::new(
            "rx/judge_entry",
            JudgeEntry::default,
            |_| None,
            |u, r| {
                u.request.next = request(r);
                r.set(&mut u.kind);
                r.set(&mut u.facts);
                r.set(&mut u.ruling);
                r.set(&mut u.progress);
                r.set(&mut u.after);
                r.set(&mut u.older_psn);
                r.set(&mut u.slot);
            },
        ),
        BlockCheck::new(
            "rx/judge",
            Judge::<2, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.clearing.next = r.chance(1, 64);
                r.set(&mut u.clear_index);
                r.sink(&mut u.request);
                u.request.data.next = request(r);
                order(r, &mut u.order_start, &mut u.order_index);
                u.order_clear.next = r.chance(1, 64);
                u.order_psn.next = bits(r.below(3));
                u.kill.next = r.chance(1, 64);
                u.kill_index.next = bits(r.below(4));
                r.set(&mut u.served);
                r.mostly(&mut u.rq_ready);
                r.set(&mut u.rq_pending);
                r.seldom(&mut u.rq_failed);
                r.set(&mut u.rq_wqe);
                r.set(&mut u.rq_slot);
                r.source(&mut u.job);
                r.source(&mut u.entry);
                r.source(&mut u.drop);
            },
        )
        .vectors(1000),
    ]
}

fn commit_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "rx/failure_hold",
            FailureHold::<2, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.failed);
                u.failed.data.next.qp = bits(r.below(4));
                r.set(&mut u.taken);
                u.taken_index.next = bits(r.below(4));
                r.set(&mut u.answer);
                u.answer.next.syndrome = bits([0x1F, 0x60, 0x61, 0x63][r.below(4) as usize]);
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new(
            "rx/landing",
            Landing::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.landed);
                r.seldom(&mut u.landed_failed);
                u.writes.next = bits(r.below(64));
                r.set(&mut u.advance);
            },
        ),
        BlockCheck::new(
            "rx/commit_outcome",
            CommitOutcome::default,
            |_| None,
            |u, r| {
                u.entry.next = entry(r);
                u.verdict.next = verdict(r);
                r.seldom(&mut u.dead);
                r.seldom(&mut u.burst_failed);
            },
        ),
        BlockCheck::new(
            "rx/commit",
            Commit::<2, 4, 3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.entry);
                u.entry.data.next = entry(r);
                r.sink(&mut u.verdict);
                u.verdict.data.next = verdict(r);
                r.mostly(&mut u.landed);
                r.seldom(&mut u.landed_failed);
                order(r, &mut u.order, &mut u.order_index);
                r.source(&mut u.invalidate);
                r.sink(&mut u.invalidated);
                r.source(&mut u.cqe);
                r.source(&mut u.push);
                r.source(&mut u.owe);
                r.source(&mut u.failed);
                r.source(&mut u.notice);
                r.source(&mut u.drop);
                r.source(&mut u.lost);
            },
        )
        .vectors(1000),
        BlockCheck::new(
            "rx/owed",
            Owed::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.sink(&mut u.store);
                let psn = r.below(4).wrapping_sub(2) & 0xFF_FFFF;
                u.store.data.next.qp = bits(r.below(4));
                u.store.data.next.psn = bits(psn);
                order(r, &mut u.order, &mut u.order_index);
                u.index.next = bits(r.below(4));
                r.set(&mut u.taken);
            },
        ),
    ]
}

fn whole() -> BlockCheck {
    BlockCheck::new(
        "rx/responder",
        Responder::<2, 4, 3>::default,
        |u| Some(&mut u.clock),
        |u, r| {
            r.reset(&mut u.reset);
            u.clearing.next = r.chance(1, 64);
            r.set(&mut u.clear_index);
            r.sink(&mut u.frame);
            u.frame.data.next = frame(r);
            r.seldom(&mut u.context_write);
            u.context_index.next = bits(r.below(4));
            u.context_row.next = context(r);
            order(r, &mut u.order_start, &mut u.order_index);
            u.order_clear.next = r.chance(1, 64);
            u.order_psn.next = bits(r.below(3));
            r.seldom(&mut u.drain_mark);
            r.source(&mut u.response);
            r.sink(&mut u.response_job);
            r.set(&mut u.response_span);
            r.source(&mut u.raw);
            r.sink(&mut u.raw_job);
            r.source(&mut u.job);
            r.sink(&mut u.verdict);
            u.verdict.data.next = verdict(r);
            r.mostly(&mut u.landed);
            r.seldom(&mut u.landed_failed);
            r.mostly(&mut u.rq_ready);
            r.set(&mut u.rq_pending);
            r.seldom(&mut u.rq_failed);
            r.set(&mut u.rq_wqe);
            r.set(&mut u.rq_slot);
            r.source(&mut u.invalidate);
            r.sink(&mut u.invalidated);
            r.source(&mut u.cqe);
            r.source(&mut u.push);
            r.set(&mut u.served);
            u.served_index.next = bits(r.below(4));
            r.set(&mut u.served_duplicate);
            u.owed_index.next = bits(r.below(4));
            r.set(&mut u.owed_taken);
            r.source(&mut u.failed);
            r.source(&mut u.notice);
            r.source(&mut u.drop_dispatch);
            r.source(&mut u.drop_judge);
            r.source(&mut u.drop_commit);
        },
    )
    .vectors(1000)
}

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    [dispatch_blocks(), judge_blocks(), commit_blocks(), vec![whole()]].into_iter().flatten().collect()
}
