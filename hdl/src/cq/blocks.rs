//! The blocks of this subsystem with the instances and inputs of their checks.
use super::*;
use crate::check::RandomDrive;
use crate::types::{AdminUnit, CqeRequest, Doorbell, WriteClient};
use crate::widgets::ChannelSink;
use rnic_abi::admin::{CREATE_CQ, DESTROY_CQ};
use rust_hdl::prelude::*;

/// Number of a queue, mostly one of few.
fn cqn(r: &mut RandomDrive) -> Bits<12> {
    if r.chance(1, 16) {
        r.value()
    } else {
        bits(r.below(4))
    }
}

fn request(r: &mut RandomDrive, sink: &mut ChannelSink<CqeRequest>) {
    r.sink(sink);
    sink.data.next.cqn = cqn(r);
}

fn doorbell(r: &mut RandomDrive, sink: &mut ChannelSink<Doorbell>) {
    r.sink(sink);
    sink.data.next.index = bits(r.below(5));
    let value = r.below(4) | r.below(4) << 24 | if r.chance(1, 16) { 1 << 30 } else { 0 };
    sink.data.next.value = bits(value);
}

fn order(r: &mut RandomDrive, sink: &mut ChannelSink<Bits<12>>) {
    sink.valid.next = r.chance(1, 8);
    sink.data.next = cqn(r);
}

/// Words of which many make a good command, and its start.
fn admin(r: &mut RandomDrive, unit: &mut AdminUnit) {
    unit.word_valid.next = r.chance(1, 3);
    let index = r.below(4);
    unit.word_index.next = bits(if r.chance(1, 64) { 9 } else { index });
    unit.word.next = match index {
        _ if r.chance(1, 64) => r.value(),
        0 => bits(r.below(4)),
        1 => bits(2 + r.below(4) | r.below(8) << 8),
        2 => bits(r.below(1 << 20) << 12),
        _ => bits(r.below(1 << 20)),
    };
    unit.start.next = r.chance(1, 12);
    let (create, destroy) = (bits(CREATE_CQ.into()), bits(DESTROY_CQ.into()));
    unit.opcode.next = match r.below(8) {
        0 => r.value(),
        1..=2 => destroy,
        _ => create,
    };
}

fn write_client<const DATA: usize>(r: &mut RandomDrive, client: &mut WriteClient<DATA>) {
    r.source(&mut client.command);
    r.source(&mut client.beat);
    client.done.next = r.chance(1, 4);
    client.failed.next = r.chance(1, 8);
}

fn queues<const DATA: usize, const STRB: usize, const CA: usize>(
    u: &mut CompletionQueues<DATA, STRB, CA>,
    r: &mut RandomDrive,
) {
    r.reset(&mut u.reset);
    u.clearing.next = r.chance(1, 64);
    r.set(&mut u.clear_index);
    admin(r, &mut u.admin);
    request(r, &mut u.send);
    request(r, &mut u.receive);
    doorbell(r, &mut u.doorbell);
    r.source(&mut u.drop);
    r.set(&mut u.ticks);
    write_client(r, &mut u.cqe);
    r.seldom(&mut u.fence);
    u.use_cqn.next = cqn(r);
    r.seldom(&mut u.use_take);
    r.seldom(&mut u.use_release);
    r.source(&mut u.failed);
}

fn events<const DATA: usize, const STRB: usize>(u: &mut EventRing<DATA, STRB>, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    r.sink(&mut u.requests);
    r.set(&mut u.base);
    u.log2.next = bits([0, 4, 5, 12][r.below(4) as usize]);
    u.consumer.next = bits(r.below(8));
    u.restart.next = r.chance(1, 8);
    write_client(r, &mut u.events);
}

fn small_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "cq/command",
            CqCommand::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                let mut unit = AdminUnit::default();
                r.reset(&mut u.reset);
                admin(r, &mut unit);
                u.word_valid.next = unit.word_valid.next;
                u.word_index.next = unit.word_index.next;
                u.word.next = unit.word.next;
                u.forget.next = r.chance(1, 24);
            },
        ),
        BlockCheck::new(
            "cq/admin",
            CqAdmin::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                admin(r, &mut u.admin);
                r.set(&mut u.found);
                u.found.next.uses = bits(r.below(2));
                r.source(&mut u.restart_producer);
                r.source(&mut u.restart_progress);
                r.seldom(&mut u.fenced);
            },
        ),
        BlockCheck::new(
            "cq/entries",
            CqEntries::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                u.clearing.next = r.chance(1, 64);
                r.set(&mut u.clear_index);
                u.use_cqn.next = cqn(r);
                r.seldom(&mut u.use_take);
                r.seldom(&mut u.use_release);
                u.cqn.next = cqn(r);
                r.seldom(&mut u.look);
                r.seldom(&mut u.store);
                r.mostly(&mut u.exists);
            },
        ),
        BlockCheck::new(
            "cq/drops",
            CqDrops::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.producer);
                r.sink(&mut u.doorbell);
                r.source(&mut u.drop);
            },
        ),
        BlockCheck::new(
            "cq/fence",
            Fence::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.request);
                r.set(&mut u.settled);
                r.set(&mut u.issued);
                r.set(&mut u.completed);
            },
        ),
        BlockCheck::new(
            "cq/interrupts",
            InterruptRequests::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.cq_request);
                r.set(&mut u.cq_vector);
                r.seldom(&mut u.event_request);
                r.set(&mut u.irq_ready);
            },
        ),
    ]
}

fn producer_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "cq/select",
            CqeSelect::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                request(r, &mut u.send);
                request(r, &mut u.receive);
                order(r, &mut u.broken);
                order(r, &mut u.restart);
                r.mostly(&mut u.free);
                r.mostly(&mut u.room);
            },
        ),
        BlockCheck::new(
            "cq/judge",
            CqeJudge::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.mostly(&mut u.known);
                r.set(&mut u.ring);
                u.ring.next.log2 = bits(2 + r.below(15));
                r.set(&mut u.produced);
                r.set(&mut u.consumed);
            },
        ),
        BlockCheck::new(
            "cq/format",
            CqeFormat::default,
            |_| None,
            |u, r| {
                r.set(&mut u.request);
                if r.chance(1, 2) {
                    u.request.next.status = 0.into();
                }
                r.set(&mut u.ticks);
                r.set(&mut u.phase);
            },
        ),
        BlockCheck::new(
            "cq/producer",
            CqeProducer::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.begins);
                u.job.next = match r.below(6) {
                    0 => ProducerTask::MarkFailed,
                    1 => ProducerTask::Restart,
                    _ => ProducerTask::Produce,
                };
                r.set(&mut u.request);
                r.mostly(&mut u.lives);
                r.seldom(&mut u.full);
                r.set(&mut u.phase);
                r.set(&mut u.ticks);
                r.source(&mut u.record);
                r.source(&mut u.failed);
                r.source(&mut u.drop);
            },
        ),
        BlockCheck::new(
            "cq/producer_tables",
            ProducerTables::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                u.clearing.next = r.chance(1, 64);
                r.set(&mut u.clear_index);
                r.seldom(&mut u.ring_store);
                r.set(&mut u.ring_index);
                r.set(&mut u.ring);
                u.ring.next.log2 = bits(2 + r.below(2));
                r.seldom(&mut u.consumed_store);
                r.set(&mut u.consumed_index);
                r.set(&mut u.consumed);
                u.cqn.next = cqn(r);
                r.mostly(&mut u.read);
                r.mostly(&mut u.raise);
                u.mark_failed.next = r.chance(1, 16);
                u.restart.next = r.chance(1, 16);
            },
        ),
        BlockCheck::new(
            "cq/production",
            CqeProduction::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.clearing.next = r.chance(1, 64);
                r.set(&mut u.clear_index);
                request(r, &mut u.send);
                request(r, &mut u.receive);
                order(r, &mut u.broken);
                order(r, &mut u.restart);
                r.seldom(&mut u.ring_store);
                r.set(&mut u.ring_index);
                r.set(&mut u.ring);
                u.ring.next.log2 = bits(2 + r.below(2));
                u.ring.next.exists = r.chance(7, 8);
                r.seldom(&mut u.consumed_store);
                r.set(&mut u.consumed_index);
                u.consumed.next = bits(r.below(4));
                r.set(&mut u.ticks);
                r.source(&mut u.record);
                r.mostly(&mut u.room);
                r.seldom(&mut u.settle);
                r.source(&mut u.failed);
                r.source(&mut u.drop);
            },
        ),
        record_write::<256, 64>("cq/record_write"),
        record_write::<128, 512>("cq/record_write_512"),
    ]
}

fn record_write<const W: usize, const DATA: usize>(name: &'static str) -> BlockCheck {
    BlockCheck::new(
        name,
        RecordWrite::<W, DATA>::default,
        |u| Some(&mut u.clock),
        |u, r| {
            r.reset(&mut u.reset);
            r.sink(&mut u.record);
            r.set(&mut u.address);
            r.source(&mut u.command);
            r.source(&mut u.beat);
        },
    )
}

fn progress_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "cq/arming",
            CqArming::default,
            |_| None,
            |u, r| {
                r.set(&mut u.rings);
                r.set(&mut u.wants);
                r.set(&mut u.wants_solicited);
                r.set(&mut u.solicited);
                r.seldom(&mut u.write_failed);
                r.mostly(&mut u.unread);
                r.set(&mut u.armed);
                r.set(&mut u.armed_solicited);
            },
        ),
        BlockCheck::new(
            "cq/progress_select",
            ProgressSelect::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.flight);
                r.sink(&mut u.answer);
                doorbell(r, &mut u.doorbell);
                order(r, &mut u.restart);
                r.mostly(&mut u.free);
            },
        ),
        BlockCheck::new(
            "cq/progress_judge",
            ProgressJudge::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.completes);
                r.set(&mut u.rings);
                r.set(&mut u.consumer);
                r.set(&mut u.earlier);
                r.set(&mut u.produced);
            },
        ),
        BlockCheck::new(
            "cq/progress_tables",
            ProgressTables::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                u.clearing.next = r.chance(1, 64);
                r.set(&mut u.clear_index);
                r.seldom(&mut u.signal_store);
                r.set(&mut u.signal_index);
                r.set(&mut u.signal);
                r.seldom(&mut u.produced_store);
                r.set(&mut u.produced_index);
                u.produced.next = bits(r.below(8));
                u.cqn.next = cqn(r);
                r.mostly(&mut u.read);
                r.set(&mut u.completes);
                r.set(&mut u.rings);
                u.consumer.next = bits(r.below(8));
                r.mostly(&mut u.store);
                r.set(&mut u.arm);
                r.set(&mut u.arm_solicited);
                u.restart.next = r.chance(1, 16);
            },
        ),
        BlockCheck::new(
            "cq/progress",
            CqProgress::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.begins);
                u.job.next = match r.below(6) {
                    0 => ProgressTask::Restart,
                    1..=2 => ProgressTask::Ring,
                    _ => ProgressTask::Complete,
                };
                r.set(&mut u.change);
                r.mostly(&mut u.exists);
                r.set(&mut u.irq_vector);
                r.set(&mut u.armed);
                r.set(&mut u.armed_solicited);
                r.mostly(&mut u.unread);
                r.seldom(&mut u.beyond);
                r.source(&mut u.broken);
                r.source(&mut u.drop);
            },
        ),
        BlockCheck::new(
            "cq/consumption",
            CqConsumption::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.clearing.next = r.chance(1, 64);
                r.set(&mut u.clear_index);
                r.seldom(&mut u.issued);
                r.set(&mut u.in_flight);
                u.in_flight.next.cqn = cqn(r);
                r.seldom(&mut u.done);
                r.seldom(&mut u.write_failed);
                doorbell(r, &mut u.doorbell);
                order(r, &mut u.restart);
                r.seldom(&mut u.signal_store);
                r.set(&mut u.signal_index);
                r.set(&mut u.signal);
                r.seldom(&mut u.produced_store);
                r.set(&mut u.produced_index);
                u.produced.next = bits(r.below(8));
                r.source(&mut u.broken);
                r.source(&mut u.drop);
            },
        ),
    ]
}

pub(super) fn list() -> Vec<BlockCheck> {
    let mut list = small_blocks();
    list.extend(producer_blocks());
    list.extend(progress_blocks());
    list.push(BlockCheck::new("cq/event_ring", EventRing::<64, 8>::default, |u| Some(&mut u.clock), events));
    list.push(
        BlockCheck::new("cq/event_ring_512", EventRing::<512, 64>::default, |u| Some(&mut u.clock), events).vectors(60),
    );
    list.push(BlockCheck::new("cq/queues", CompletionQueues::<64, 8, 2>::default, |u| Some(&mut u.clock), queues));
    list.push(
        BlockCheck::new("cq/queues_512", CompletionQueues::<512, 64, 9>::default, |u| Some(&mut u.clock), queues)
            .vectors(60),
    );
    list
}
