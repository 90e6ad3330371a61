//! The blocks of the responder's answers with the instances and inputs of their checks.
use super::*;
use crate::check::RandomDrive;
use crate::mr::layout::LookupAnswer;
use crate::types::QpControl;
use rust_hdl::prelude::*;

pub(super) fn list() -> Vec<BlockCheck> {
    let mut list = responding();
    list.extend(atomics());
    list
}

/// Random orders of `qp`, few of them.
fn drive_control(control: &mut Signal<In, QpControl>, random: &mut RandomDrive) {
    let mut orders: QpControl = random.value();
    orders.clear &= random.chance(1, 16);
    orders.discard &= random.chance(1, 16);
    control.next = orders;
}

/// A random context, mostly with a legal MTU.
fn drive_context(context: &mut Signal<In, RespondContext>, random: &mut RandomDrive) {
    let mut row: RespondContext = random.value();
    if random.chance(7, 8) {
        row.mtu = (1 + random.below(5)).into();
    }
    context.next = row;
}

/// A random entry of a few packets, mostly a READ.
fn entry(random: &mut RandomDrive) -> ResponseEntry {
    let mut entry: ResponseEntry = random.value();
    entry.kind = [0u64, 0, 1, 2][random.below(4) as usize].into();
    entry.length = random.below(2000).into();
    entry
}

/// Progress of an entry of a few packets.
fn progress(random: &mut RandomDrive) -> ResponseProgress {
    let mut progress: ResponseProgress = random.value();
    progress.head = random.below(4).into();
    progress.offset = [0, 256, 512, random.below(1 << 20)][random.below(4) as usize].into();
    progress.way = random.below(3).into();
    progress.closing &= random.chance(1, 4);
    progress.nak &= random.chance(1, 2);
    progress
}

fn responding() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "tx/ledger",
            WireLedger::<4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.done);
                r.seldom(&mut u.done_failed);
                r.set(&mut u.done_tag);
                u.left.next = r.chance(1, 10);
                r.seldom(&mut u.mark);
                r.source(&mut u.sent);
            },
        ),
        BlockCheck::new(
            "tx/respond_flight",
            ResponseFlight::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.clearing);
                u.clear_index.next = r.below(4).into();
                r.set(&mut u.issue);
                r.seldom(&mut u.fail);
                u.skip.next = r.chance(1, 16);
                r.set(&mut u.index);
                r.sink(&mut u.sent);
                r.sink(&mut u.gone);
                r.source(&mut u.drop);
                r.set(&mut u.read);
                r.set(&mut u.read_index);
                r.set(&mut u.status_index);
            },
        ),
        BlockCheck::new(
            "tx/respond_step",
            ResponseStep::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.qp);
                u.entry.next = entry(r);
                u.progress.next = progress(r);
                drive_context(&mut u.context_row, r);
            },
        ),
        BlockCheck::new(
            "tx/respond_turn",
            ResponseTurn::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.room);
                r.seldom(&mut u.failure);
                r.mostly(&mut u.ready);
                r.set(&mut u.again);
                r.set(&mut u.taken_back);
            },
        ),
        BlockCheck::new(
            "tx/respond_judge",
            ResponseJudge::default,
            |_| None,
            |u, r| {
                r.seldom(&mut u.failing);
                r.seldom(&mut u.dead);
                r.mostly(&mut u.some);
                r.set(&mut u.quiet);
                u.progress.next = progress(r);
                u.entry.next = entry(r);
                r.seldom(&mut u.empty);
                r.set(&mut u.owes);
                r.set(&mut u.gather_room);
                r.set(&mut u.atomic_room);
                r.mostly(&mut u.report_room);
                u.failed_head.next = r.below(4).into();
                r.set(&mut u.failed_duplicate);
            },
        )
        .vectors(900),
        BlockCheck::new(
            "tx/respond_reply",
            ResponseReply::default,
            |_| None,
            |u, r| {
                r.set(&mut u.qp);
                let mut now = progress(r);
                if r.chance(1, 2) {
                    now.nak_syndrome = 0x40.into();
                }
                u.progress.next = now;
                u.entry.next = entry(r);
                r.set(&mut u.failure);
                r.set(&mut u.owed);
                r.set(&mut u.packet);
                r.set(&mut u.last);
                r.set(&mut u.offset);
                r.set(&mut u.sent);
                r.set(&mut u.sends_nak);
                r.set(&mut u.sends_data);
                r.set(&mut u.sends_empty);
                r.set(&mut u.sends_owed);
                r.set(&mut u.starts_atomic);
                r.set(&mut u.fails);
                r.set(&mut u.skips);
            },
        ),
        BlockCheck::new(
            "tx/respond_ring",
            ResponseRing::<3, 8>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                drive_control(&mut u.control, r);
                r.sink(&mut u.push);
                r.source(&mut u.entered);
                r.set(&mut u.index);
                r.set(&mut u.entry_index);
                u.entry_count.next = r.below(8).into();
            },
        )
        .vectors(200),
        BlockCheck::new("tx/respond", ResponseEngine::<2, 7, 4>::default, |u| Some(&mut u.clock), drive_engine)
            .vectors(400),
        BlockCheck::new(
            "tx/response_unit",
            ResponseUnit::<64, 2, 4, 7, 6>::default,
            |u| Some(&mut u.clock),
            drive_responder,
        )
        .vectors(400),
    ]
}

fn drive_engine(u: &mut ResponseEngine<2, 7, 4>, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    r.seldom(&mut u.clearing);
    u.clear_index.next = r.below(4).into();
    r.seldom(&mut u.context_write);
    r.set(&mut u.context_index);
    drive_context(&mut u.context_row, r);
    drive_control(&mut u.control, r);
    r.sink(&mut u.push);
    let mut order: crate::types::ResponseOrder = r.value();
    order.kind = [0u64, 0, 1, 2][r.below(4) as usize].into();
    order.length = r.below(1200).into();
    u.push.data.next = order;
    r.seldom(&mut u.owed_wake);
    r.set(&mut u.owed_wake_index);
    r.set(&mut u.owed);
    r.source(&mut u.control_frame);
    r.source(&mut u.gather);
    r.set(&mut u.failure.data);
    u.failure.valid.next = r.chance(1, 16);
    r.sink(&mut u.sent);
    r.source(&mut u.atomic);
    r.set(&mut u.atomic_answer.data);
    r.seldom(&mut u.atomic_answer.valid);
    r.set(&mut u.atomic_failure.data);
    u.atomic_failure.valid.next = r.chance(1, 16);
    r.sink(&mut u.atomic_gone);
    r.source(&mut u.failed);
    r.source(&mut u.drop);
    r.set(&mut u.status_index);
}

fn drive_responder(u: &mut ResponseUnit<64, 2, 4, 7, 6>, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    r.seldom(&mut u.clearing);
    u.clear_index.next = r.below(4).into();
    r.seldom(&mut u.context_write);
    r.set(&mut u.context_index);
    drive_context(&mut u.context_row, r);
    drive_control(&mut u.control, r);
    r.sink(&mut u.push);
    let mut order: crate::types::ResponseOrder = r.value();
    order.kind = [0u64, 0, 1, 2][r.below(4) as usize].into();
    order.length = r.below(1200).into();
    u.push.data.next = order;
    r.seldom(&mut u.owed_wake);
    r.set(&mut u.owed_wake_index);
    r.set(&mut u.owed);
    r.source(&mut u.control_frame);
    r.source(&mut u.gather);
    r.set(&mut u.failure.data);
    u.failure.valid.next = r.chance(1, 16);
    r.sink(&mut u.sent);
    r.source(&mut u.failed);
    r.source(&mut u.drop);
    r.set(&mut u.status_index);
    r.source(&mut u.lookup);
    r.set(&mut u.answered);
    drive_found(&mut u.found, r);
    r.source(&mut u.read.command);
    r.mostly(&mut u.read.beat_valid);
    r.set(&mut u.read.beat_data);
    r.seldom(&mut u.read.beat_error);
    r.source(&mut u.write.command);
    r.source(&mut u.write.beat);
    r.set(&mut u.write.done);
    r.seldom(&mut u.write.failed);
}

/// An answer of the lookup, mostly a good one.
fn drive_found(found: &mut Signal<In, LookupAnswer>, random: &mut RandomDrive) {
    let mut answer: LookupAnswer = random.value();
    answer.syndrome = [0, 0, 0, 0x32u64][random.below(4) as usize].into();
    answer.generation = random.below(2).into();
    found.next = answer;
}

fn atomics() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "tx/atomic_results",
            AtomicResults::<1, 5>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                drive_control(&mut u.control, r);
                r.set(&mut u.index);
                let psn = r.below(3);
                u.result.next = AtomicResult { psn: psn.into(), adds: r.chance(1, 2), value: r.value() };
                r.seldom(&mut u.search);
                r.seldom(&mut u.store);
            },
        )
        .vectors(600),
        operate::<64>("tx/atomic_operate"),
        operate::<512>("tx/atomic_operate_512").vectors(100),
        unit::<64>("tx/atomic").vectors(900),
        unit::<512>("tx/atomic_512").vectors(200),
    ]
}

/// A job whose compare value meets memory now and then.
fn drive_job(random: &mut RandomDrive) -> AtomicJob {
    let mut job: AtomicJob = random.value();
    job.psn = random.below(4).into();
    job.generation = random.below(2).into();
    job
}

fn operate<const DATA: usize>(name: &'static str) -> BlockCheck {
    BlockCheck::new(
        name,
        AtomicOperate::<DATA>::default,
        |u| Some(&mut u.clock),
        |u, r| {
            u.job.next = drive_job(r);
            r.set(&mut u.address);
            r.set(&mut u.beat);
        },
    )
}

fn unit<const DATA: usize>(name: &'static str) -> BlockCheck {
    BlockCheck::new(
        name,
        AtomicUnit::<DATA, 2, 6>::default,
        |u| Some(&mut u.clock),
        |u, r| {
            u.reset.next = r.chance(1, 128);
            drive_control(&mut u.control, r);
            u.job.data.next = drive_job(r);
            r.mostly(&mut u.job.valid);
            r.source(&mut u.lookup);
            r.set(&mut u.answered);
            drive_found(&mut u.found, r);
            r.source(&mut u.read.command);
            r.mostly(&mut u.read.beat_valid);
            r.set(&mut u.read.beat_data);
            r.seldom(&mut u.read.beat_error);
            r.source(&mut u.write.command);
            r.source(&mut u.write.beat);
            r.set(&mut u.write.done);
            r.seldom(&mut u.write.failed);
            r.source(&mut u.answer);
            r.source(&mut u.failure);
            r.source(&mut u.gone);
        },
    )
}
