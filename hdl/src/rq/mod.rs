//! Receive queues: doorbells, counts, prefetched WQEs, and the flush of what no message has completed.
use crate::check::{BlockCheck, RandomDrive};
use crate::sq::{drive_control, drive_doorbell};
use crate::types::RqContext;
use rust_hdl::prelude::*;

mod complete;
mod offer;
mod prefetch;
mod prefetch_batch;
mod prefetch_store;
#[cfg(test)]
mod prefetch_tests;
mod queue;
mod records;
mod step;

pub use complete::UseCount;
pub use offer::FlushOffer;
pub use prefetch::{FetchState, ReceivePrefetch};
pub use prefetch_batch::ReceiveBatch;
pub use prefetch_store::ReceiveStore;
pub use queue::ReceiveQueue;
pub use records::{ReceiveFetch, ReceiveWqe};
pub use step::FlushStep;

/// A random context, mostly in ERR.
fn drive_context(context: &mut Signal<In, RqContext>, random: &mut RandomDrive) {
    let mut row: RqContext = random.value();
    if random.chance(7, 8) {
        row.state = [3u64, 6, 6, 6][random.below(4) as usize].into();
        row.log2 = (2 + random.below(4)).into();
    }
    context.next = row;
}

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "rq/offer",
            FlushOffer::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.load);
                r.set(&mut u.qp);
                r.set(&mut u.request);
                r.set(&mut u.after);
                r.source(&mut u.cqe);
            },
        ),
        BlockCheck::new(
            "rq/prefetch_batch",
            ReceiveBatch::<4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                let taken = r.below(64);
                let asked = taken + r.below(5);
                u.taken.next = taken.into();
                u.asked.next = asked.into();
                u.posted.next = (asked + r.below(9)).into();
                r.set(&mut u.base);
                r.set(&mut u.log2);
            },
        ),
        BlockCheck::new(
            "rq/prefetch_store",
            ReceiveStore::<2, 4, 2, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                drive_control(&mut u.control, r);
                r.seldom(&mut u.context_write);
                r.set(&mut u.context_index);
                drive_context(&mut u.context_row, r);
                r.seldom(&mut u.posted_write);
                r.set(&mut u.posted_index);
                u.posted_count.next = r.below(16).into();
                r.set(&mut u.store);
                r.set(&mut u.store_index);
                u.store_count.next = r.below(8).into();
                r.set(&mut u.wqe);
                r.set(&mut u.rq_index);
                r.seldom(&mut u.rq_take);
                r.set(&mut u.taken_index);
                r.set(&mut u.arrived_index);
            },
        ),
        prefetch::<64>("rq/prefetch"),
        prefetch::<512>("rq/prefetch_512").vectors(150),
        BlockCheck::new(
            "rq/complete",
            UseCount::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.completed);
                r.set(&mut u.completed_index);
                r.set(&mut u.used);
                r.set(&mut u.busy);
            },
        ),
        BlockCheck::new(
            "rq/step",
            FlushStep::default,
            |u| Some(&mut u.clock),
            |u, r| {
                let used = r.below(0x1_0000);
                u.used.next = used.into();
                u.posted.next = ((used + r.below(4)) & 0xFFFF).into();
                drive_context(&mut u.context_row, r);
            },
        ),
        BlockCheck::new(
            "rq/queue",
            ReceiveQueue::<3, 8>::default,
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
                u.completed.next = r.chance(1, 6);
                r.set(&mut u.completed_index);
                r.source(&mut u.cqe);
                r.source(&mut u.drop);
                r.set(&mut u.status_index);
            },
        )
        .vectors(200),
    ]
}

fn prefetch<const DATA: usize>(name: &'static str) -> BlockCheck {
    BlockCheck::new(
        name,
        ReceivePrefetch::<DATA, 2, 4, 2, 4, 4, 3>::default,
        |u| Some(&mut u.clock),
        |u, r| {
            r.reset(&mut u.reset);
            r.set(&mut u.context_write);
            r.set(&mut u.context_index);
            let mut row: RqContext = r.value();
            row.state = [1u64, 2, 3, 6][r.below(4) as usize].into();
            row.log2 = (2 + r.below(3)).into();
            u.context_row.next = row;
            drive_control(&mut u.control, r);
            u.posted_write.next = r.chance(1, 4);
            r.set(&mut u.posted_index);
            u.posted_count.next = r.below(16).into();
            r.source(&mut u.fetch.command);
            r.set(&mut u.fetch.beat_valid);
            r.set(&mut u.fetch.beat_data);
            r.seldom(&mut u.fetch.beat_error);
            r.set(&mut u.rq_index);
            r.seldom(&mut u.rq_take);
            r.set(&mut u.status_index);
        },
    )
}
