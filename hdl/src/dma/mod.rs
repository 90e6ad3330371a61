//! DMA: reads and writes of host memory over one AXI4 port.
//!
//! Reads: `ReadSplitter` a client, `Credits`, `ReadIssue` to AR, `ReadReturn` from R; together `ReadEngine`.
//! Writes: `WriteBuffer` a client, `Credits`, `WriteIssue` to AW, `WriteBeats` to W, `WriteReturn` from B; together
//! `WriteEngine`. [`Dma`] gives the clients their ids.
use crate::check::BlockCheck;

mod blocks;
mod credits;
mod engine;
mod read;
mod read_issue;
mod read_return;
mod records;
mod splitter;
mod strobes;
mod write;
mod write_beats;
mod write_buffer;
mod write_issue;
mod write_return;

pub use credits::Credits;
pub use engine::Dma;
pub use read::ReadEngine;
pub use read_issue::ReadIssue;
pub use read_return::ReadReturn;
pub use records::{ReadBurst, WriteBurst};
pub use splitter::ReadSplitter;
pub use strobes::Strobes;
pub use write::WriteEngine;
pub use write_beats::WriteBeats;
pub use write_buffer::WriteBuffer;
pub use write_issue::WriteIssue;
pub use write_return::WriteReturn;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    blocks::list()
}
