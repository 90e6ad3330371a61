//! The small vocabulary from which all blocks are built.
use crate::check::BlockCheck;
use rust_hdl::prelude::*;

mod arbiter;
mod axi;
mod channel;
mod delay;
mod fifo;
mod first;
mod flags;
mod loose_memory;
mod memory;
mod merge;
mod pulse_counts;
mod slot;
mod stage;
mod table;

pub use arbiter::RoundRobin;
pub use axi::*;
pub use channel::{ChannelSink, ChannelSource};
pub use delay::Delay;
pub use fifo::{Fifo, SlackFifo};
pub use first::First;
pub use flags::FlagVector;
pub use loose_memory::LooseMemory;
pub use memory::{ByteMemory, Memory, UNDEFINED_START};
pub use merge::Merge;
pub use pulse_counts::PulseCounts;
pub use slot::Slot;
pub use stage::Stage;
pub use table::Table;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "widgets/arbiter",
            RoundRobin::<5, 3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.requests);
                r.set(&mut u.advance);
            },
        ),
        BlockCheck::new("widgets/delay", Delay::<Bits<9>, 3>::default, |u| Some(&mut u.clock), |u, r| r.set(&mut u.d)),
        BlockCheck::new(
            "widgets/fifo",
            Fifo::<Bits<9>, 3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.sink);
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new(
            "widgets/slack_fifo",
            SlackFifo::<Bits<9>, 3, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.write);
                r.set(&mut u.data);
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new("widgets/first", || First::<5>::new(3), |_| None, |u, r| r.set(&mut u.flags)),
        BlockCheck::new(
            "widgets/flags",
            FlagVector::<8, 3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.set_flag);
                r.set(&mut u.set_index);
                r.set(&mut u.clear_flag);
                r.set(&mut u.clear_index);
                r.set(&mut u.index);
            },
        ),
        BlockCheck::new(
            "widgets/merge",
            Merge::<Bits<9>, 3, 2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.sinks.iter_mut().for_each(|sink| r.sink(sink));
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new(
            "widgets/pulse_counts",
            PulseCounts::<2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.mostly(&mut u.pulse);
                r.set(&mut u.pulse_index);
                r.set(&mut u.index);
            },
        ),
        BlockCheck::new(
            "widgets/memory",
            Memory::<Bits<9>, 3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.read);
                r.set(&mut u.read_address);
                r.set(&mut u.write);
                r.set(&mut u.write_address);
                r.set(&mut u.data);
            },
        ),
        BlockCheck::new(
            "widgets/loose_memory",
            LooseMemory::<Bits<9>, 3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.read);
                r.set(&mut u.read_address);
                r.set(&mut u.write);
                r.set(&mut u.write_address);
                r.set(&mut u.data);
            },
        ),
        BlockCheck::new(
            "widgets/byte_memory",
            ByteMemory::<24, 3, 3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.read);
                r.set(&mut u.read_address);
                r.set(&mut u.write);
                r.set(&mut u.write_address);
                r.set(&mut u.data);
            },
        ),
        BlockCheck::new(
            "widgets/slot",
            Slot::<Bits<9>>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.sink);
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new(
            "widgets/stage",
            Stage::<Bits<9>>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.sink);
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new(
            "widgets/table",
            Table::<Bits<9>, 3, 2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.write);
                r.set(&mut u.write_index);
                r.set(&mut u.data);
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                u.index.iter_mut().for_each(|index| r.set(index));
            },
        ),
    ]
}
