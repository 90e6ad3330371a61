//! Send queues: doorbells, fair scheduling, batched fetch, decode, retirement.
use crate::check::{BlockCheck, RandomDrive};
use crate::types::{Doorbell, QpControl, SqContext, WorkOutcome};
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

mod assemble;
mod batch;
mod choice;
mod choose;
mod classify;
mod clear;
mod cursor;
#[cfg(test)]
mod cursor_bench;
mod cursor_bits;
mod cursor_blocks;
mod cursor_step;
mod cursor_tables;
#[cfg(test)]
mod cursor_tests;
mod cursor_view;
mod cursor_wakes;
mod decode;
mod doorbell;
mod epoch_watch;
mod frame_maker;
pub mod kind;
mod outcomes;
mod piece;
mod pool;
mod prefetch;
mod queue;
mod ready;
mod records;
mod report;
mod retire;
#[cfg(test)]
mod retire_bench;
mod retire_tables;
#[cfg(test)]
mod retire_tests;
mod retire_verdict;
mod retire_view;
mod retire_walk;
mod returned;
mod rewind_walk;
mod rivals;
mod scheduler;
mod tables;
mod turn;
mod wake_set;
mod walk;
mod wqe_fields;

pub use assemble::SlotAssembler;
pub use batch::BatchSize;
pub use choice::Choice;
pub use choose::Chooser;
pub use classify::Classify;
pub use clear::ClearOrder;
pub use cursor::{Cursor, CursorState};
pub use cursor_bits::CursorBits;
pub use cursor_step::CursorStep;
pub use cursor_tables::CursorTables;
pub use cursor_view::CursorView;
pub use cursor_wakes::CursorWakes;
pub use decode::Decoder;
pub use doorbell::{DoorbellJudge, DoorbellReasons, RQ_REASONS, SQ_REASONS};
pub use epoch_watch::EpochWatch;
pub use frame_maker::{FrameMaker, ACK_EVERY};
pub use outcomes::Outcomes;
pub use piece::PieceMaker;
pub use pool::Pool;
pub use prefetch::Prefetch;
pub use queue::SendQueue;
pub use ready::ReadyQueue;
pub use records::*;
pub use report::Report;
pub use retire::{Retire, RetireState};
pub use retire_tables::RetireTables;
pub use retire_verdict::RetireVerdict;
pub use retire_view::RetireView;
pub use retire_walk::{RetireWalk, WalkerState};
pub use returned::Returned;
pub use rewind_walk::RewindWalk;
pub use rivals::Rivals;
pub use scheduler::Scheduler;
pub use tables::SendTables;
pub use turn::{Turn, TurnState};
pub use wake_set::WakeSet;
pub use walk::BatchWalk;
pub use wqe_fields::{WqeFields, WqeFilled};

/// Random orders of `qp`: few, and of any kind.
pub(crate) fn drive_control(control: &mut Signal<In, QpControl>, random: &mut RandomDrive) {
    let mut orders: QpControl = random.value();
    orders.clear &= random.chance(1, 8);
    orders.wake &= random.chance(1, 2);
    control.next = orders;
}

/// A random doorbell, mostly one of a ring of 4 to 32 slots that was not used for long.
pub(crate) fn drive_doorbell(doorbell: &mut ChannelSink<Doorbell>, random: &mut RandomDrive) {
    random.sink(doorbell);
    if random.chance(7, 8) {
        let rung = Doorbell { index: random.below(8).into(), value: random.below(32).into() };
        doorbell.data.next = rung;
    }
}

/// A random context, mostly in a state in which something happens.
pub(crate) fn drive_context(context: &mut Signal<In, SqContext>, random: &mut RandomDrive) {
    let mut row: SqContext = random.value();
    if random.chance(7, 8) {
        row.state = [3u64, 3, 4, 6][random.below(4) as usize].into();
        row.log2 = (2 + random.below(4)).into();
    }
    context.next = row;
}

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    let mut list = scheduling();
    list.extend(fetching());
    list.extend(retiring());
    list.extend(cursor_blocks::blocks());
    list
}

fn scheduling() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "sq/batch",
            BatchSize::default,
            |u| Some(&mut u.clock),
            |u, r| {
                let posted = r.below(64);
                u.posted.next = posted.into();
                u.fetched.next = ((posted + 65536 - r.below(20)) & 0xFFFF).into();
                r.set(&mut u.base);
                r.set(&mut u.log2);
                u.few.next = r.chance(1, 3);
            },
        ),
        BlockCheck::new(
            "sq/rivals",
            Rivals::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                u.current.next = bits(r.below(3));
                u.batch.next = r.chance(1, 2);
                u.batch_qp.next = bits(r.below(3));
                u.newest_qp.next = bits(r.below(3));
                u.ready.next = r.chance(1, 2);
                u.ready_qp.next = bits(r.below(3));
            },
        ),
        BlockCheck::new(
            "sq/choose",
            Chooser::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.doorbell);
                r.mostly(&mut u.doorbell_room);
                r.sink(&mut u.ready);
                r.mostly(&mut u.ready_room);
            },
        ),
        BlockCheck::new(
            "sq/clear",
            ClearOrder::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                drive_control(&mut u.control, r);
                r.set(&mut u.busy);
            },
        ),
        BlockCheck::new(
            "sq/doorbell",
            || DoorbellJudge::new(SQ_REASONS),
            |u| Some(&mut u.clock),
            |u, r| {
                let done = r.below(0x1_0000);
                let posted = done + r.below(40);
                let value = if r.chance(1, 8) { r.below(1 << 32) } else { (done + r.below(40)) & 0xFFFF };
                u.done.next = done.into();
                u.posted.next = (posted & 0xFFFF).into();
                u.value.next = value.into();
                u.log2.next = (2 + r.below(4)).into();
                r.mostly(&mut u.takes);
                r.seldom(&mut u.unknown);
            },
        ),
        BlockCheck::new(
            "sq/ready",
            ReadyQueue::<3, 8>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.push);
                r.seldom(&mut u.wake);
                r.set(&mut u.wake_index);
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new(
            "sq/scheduler",
            Scheduler::<3, 8, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                drive_doorbell(&mut u.doorbell, r);
                r.source(&mut u.drop);
                drive_control(&mut u.control, r);
                r.sink(&mut u.ready);
                r.set(&mut u.rewind.data);
                u.rewind.valid.next = r.chance(1, 4);
                u.parked_all.next = (1u64 << r.below(8)).into();
                r.set(&mut u.engaged_all);
                let limit = r.below(16);
                u.point.next = FetchPoint { slot: r.below(16).into(), limit: limit.into() };
                r.source(&mut u.push);
                let retired = r.below(16);
                let fetched = retired + r.below(8);
                u.retired.next = retired.into();
                u.fetched.next = fetched.into();
                u.posted.next = (fetched + r.below(12)).into();
                drive_context(&mut u.context_row, r);
                r.mostly(&mut u.room);
                r.source(&mut u.command);
            },
        ),
        BlockCheck::new(
            "sq/turn",
            Turn::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.doorbell);
                r.set(&mut u.ready);
            },
        ),
    ]
}

fn fetching() -> Vec<BlockCheck> {
    vec![
        assembler::<64>("sq/assemble"),
        assembler::<512>("sq/assemble_512").vectors(60),
        BlockCheck::new(
            "sq/classify",
            Classify::default,
            |_| None,
            |u, r| {
                drive_slot(&mut u.wqe, r);
                r.seldom(&mut u.error);
                r.set(&mut u.mark);
                drive_context(&mut u.context_row, r);
                r.seldom(&mut u.second);
            },
        )
        .vectors(200),
        BlockCheck::new(
            "sq/decode",
            Decoder::<3, 8>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                let mut slot: FetchedSlot = r.value();
                slot.wqe = slot_bits(r);
                u.slot.data.next = slot;
                u.slot.valid.next = r.chance(2, 3);
                drive_batch(&mut u.batch, r);
                drive_context(&mut u.context_row, r);
                drive_control(&mut u.control, r);
                r.set(&mut u.engaged_all);
                u.dropping_all.next = (1u64 << r.below(8)).into();
                r.source(&mut u.held);
                r.seldom(&mut u.pass);
                r.source(&mut u.work);
            },
        )
        .vectors(150),
        BlockCheck::new(
            "sq/pool",
            Pool::<64, 6>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.reserve);
                r.set(&mut u.slots);
                r.set(&mut u.beat_valid);
                r.set(&mut u.beat_data);
                r.seldom(&mut u.beat_error);
                r.source(&mut u.source);
                r.set(&mut u.leaves);
            },
        ),
        BlockCheck::new(
            "sq/prefetch",
            Prefetch::<64, 3, 8, 6, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.starts);
                let mut batch: Batch = r.value();
                batch.slots = (1 + r.below(3)).into();
                u.batch.next = batch;
                r.set(&mut u.beat_valid);
                r.set(&mut u.beat_data);
                r.seldom(&mut u.beat_error);
                drive_context(&mut u.context_row, r);
                drive_control(&mut u.control, r);
                r.set(&mut u.engaged_all);
                u.dropping_all.next = (1u64 << r.below(8)).into();
                r.source(&mut u.held);
                r.seldom(&mut u.pass);
                r.source(&mut u.work);
            },
        )
        .vectors(150),
        BlockCheck::new(
            "sq/walk",
            BatchWalk::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                drive_batch(&mut u.batch, r);
                r.mostly(&mut u.advance);
            },
        ),
    ]
}

fn retiring() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "sq/report",
            Report::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.load);
                r.set(&mut u.request);
                r.source(&mut u.cqe);
                r.source(&mut u.syndrome);
            },
        ),
        BlockCheck::new(
            "sq/retire",
            Retire::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                drive_completion(&mut u.outcome, r);
                drive_control(&mut u.control, r);
                drive_context(&mut u.context_row, r);
                r.set(&mut u.retired);
                r.source(&mut u.cqe);
                r.source(&mut u.syndrome);
            },
        ),
        BlockCheck::new(
            "sq/tables",
            SendTables::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.set(&mut u.context_write);
                r.set(&mut u.context_index);
                drive_context(&mut u.context_row, r);
                r.set(&mut u.write_index);
                r.set(&mut u.posted_write);
                r.set(&mut u.posted_next);
                r.set(&mut u.fetched_write);
                r.set(&mut u.fetched_next);
                r.set(&mut u.retired_write);
                r.set(&mut u.retired_index);
                r.set(&mut u.retired_next);
                r.set(&mut u.point_write);
                r.set(&mut u.point_index);
                r.set(&mut u.point_row);
                r.set(&mut u.scheduler_index);
                r.set(&mut u.decoder_index);
                r.set(&mut u.retire_index);
                r.set(&mut u.status_index);
            },
        ),
        send_queue::<64, 6>("sq/queue"),
        send_queue::<512, 4>("sq/queue_512"),
    ]
}

fn assembler<const DATA: usize>(name: &'static str) -> BlockCheck {
    BlockCheck::new(
        name,
        SlotAssembler::<DATA>::default,
        |u| Some(&mut u.clock),
        |u, r| {
            r.reset(&mut u.reset);
            r.sink(&mut u.sink);
            r.seldom(&mut u.sink_error);
            r.source(&mut u.source);
        },
    )
}

fn send_queue<const DATA: usize, const PA: usize>(name: &'static str) -> BlockCheck {
    BlockCheck::new(
        name,
        SendQueue::<DATA, 3, 8, PA, 4, 4, 7>::default,
        |u| Some(&mut u.clock),
        |u, r| {
            r.reset(&mut u.reset);
            r.seldom(&mut u.clearing);
            r.set(&mut u.clear_index);
            drive_doorbell(&mut u.doorbell, r);
            r.set(&mut u.context_write);
            r.set(&mut u.context_index);
            drive_context(&mut u.context_row, r);
            drive_control(&mut u.control, r);
            cursor_blocks::drive_requester(u, r);
            r.source(&mut u.fetch.command);
            r.set(&mut u.fetch.beat_valid);
            r.set(&mut u.fetch.beat_data);
            r.seldom(&mut u.fetch.beat_error);
            r.source(&mut u.work);
            drive_outcome(&mut u.outcome, r);
            r.source(&mut u.cqe);
            r.source(&mut u.syndrome);
            r.source(&mut u.drop);
            r.set(&mut u.status_index);
        },
    )
    .vectors(100)
}

fn slot_bits(random: &mut RandomDrive) -> Bits<512> {
    let word: Bits<512> = random.value();
    let opcode = [0x00, 0x04, 0x0C, 0x0D, 0x20, 0x21, 0x20, 0xFF][random.below(8) as usize];
    let head: Bits<512> = (opcode | random.below(256) << 8 | random.below(4) << 16).into();
    ((word >> 24) << 24) | head
}

fn drive_slot(wqe: &mut Signal<In, Bits<512>>, random: &mut RandomDrive) {
    wqe.next = slot_bits(random);
}

fn drive_batch(batch: &mut ChannelSink<Batch>, random: &mut RandomDrive) {
    let mut fields: Batch = random.value();
    fields.slots = random.below(4).into();
    batch.data.next = fields;
    batch.valid.next = random.chance(7, 8);
}

fn drive_outcome(outcome: &mut ChannelSink<WorkOutcome>, random: &mut RandomDrive) {
    let mut fields: WorkOutcome = random.value();
    if random.chance(1, 2) {
        fields.status = 0.into();
    }
    if random.chance(1, 4) {
        fields.status = u64::from(rnic_abi::status::WR_FLUSH).into();
    }
    outcome.data.next = fields;
    outcome.valid.next = random.chance(7, 8);
}

fn drive_completion(outcome: &mut ChannelSink<Completion>, random: &mut RandomDrive) {
    let mut fields: Completion = random.value();
    if random.chance(1, 2) {
        fields.status = 0.into();
    }
    if random.chance(1, 4) {
        fields.status = u64::from(rnic_abi::status::WR_FLUSH).into();
    }
    outcome.data.next = fields;
    outcome.valid.next = random.chance(7, 8);
}
