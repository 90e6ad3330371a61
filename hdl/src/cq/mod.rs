//! Completion queues, the event ring and interrupt requests.
//!
//! [`CompletionQueues`] has two sides, so that each table has one writer (rule T8). `CqeProduction` owns the produced
//! counts: `CqeSelect`, `CqeProducer`, `ProducerTables` with `CqeJudge`, `CqeFormat`. `CqConsumption` owns the visible and
//! consumed counts and the arming: `ProgressSelect`, `CqProgress`, `CqArming`,
//! `ProgressTables` with `ProgressJudge`. `CqAdmin` with
//! `CqCommand` and `CqEntries` owns which queues exist. [`EventRing`] and [`InterruptRequests`] stand beside.
use crate::check::BlockCheck;

mod admin;
mod arming;
mod blocks;
mod command;
mod consumption;
mod drops;
mod entries;
mod event_ring;
mod fence;
mod format;
mod interrupts;
mod judge;
mod producer;
mod producer_tables;
mod production;
mod progress;
mod progress_judge;
mod progress_select;
mod progress_tables;
mod queues;
mod record_write;
mod records;
mod select;

pub use admin::CqAdmin;
pub use arming::CqArming;
pub use command::CqCommand;
pub use consumption::CqConsumption;
pub use drops::CqDrops;
pub use entries::CqEntries;
pub use event_ring::EventRing;
pub use fence::Fence;
pub use format::CqeFormat;
pub use interrupts::InterruptRequests;
pub use judge::CqeJudge;
pub use producer::CqeProducer;
pub use producer_tables::ProducerTables;
pub use production::CqeProduction;
pub use progress::CqProgress;
pub use progress_judge::ProgressJudge;
pub use progress_select::ProgressSelect;
pub use progress_tables::ProgressTables;
pub use queues::CompletionQueues;
pub use record_write::RecordWrite;
pub use records::*;
pub use select::CqeSelect;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    blocks::list()
}
