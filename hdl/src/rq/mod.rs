//! Receive queues: doorbells, counts, and the flush of what is posted.
use crate::check::{BlockCheck, RandomDrive};
use crate::sq::{drive_control, drive_doorbell};
use crate::types::RqContext;
use rust_hdl::prelude::*;

mod offer;
mod queue;
mod step;

pub use offer::FlushOffer;
pub use queue::ReceiveQueue;
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
                r.source(&mut u.cqe);
                r.source(&mut u.drop);
                r.set(&mut u.status_index);
            },
        )
        .vectors(200),
    ]
}
