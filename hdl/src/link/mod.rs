//! Device side of TLPs over Ethernet: the frames of a MAC below, the TLP streams of the bridge above.
//!
//! `Receive` parses frames, judges them and keeps their TLPs for the bridge; `Transmit` keeps the bridge's TLPs until they are
//! acknowledged and makes frames of them; `Session` says whose they are. [`Link`] joins them. It knows nothing of AXI
//! registers, and nothing of a TLP but its class and whether it hits BAR0.
use crate::check::BlockCheck;

mod ack_keeper;
mod bar_hit;
#[cfg(test)]
mod bench;
mod blocks;
mod counters;
mod credit_gate;
#[cfg(test)]
mod fault_tests;
mod frame_fields;
mod frame_header;
mod frame_parse;
mod frame_send;
#[cfg(test)]
mod join_tests;
mod keep_alive;
mod limit_keeper;
mod link;
mod notice_keeper;
mod open_fields;
#[cfg(test)]
mod peer;
mod receive;
mod receive_judge;
mod receive_order;
mod receive_store;
mod records;
mod retry_store;
mod retry_window;
#[cfg(test)]
mod rule_tests;
mod session;
#[cfg(test)]
mod session_tests;
mod ticker;
mod tlp_admit;
mod tlp_sort;
mod transmit;
mod transmit_choose;

pub use ack_keeper::AckKeeper;
pub use bar_hit::BarHit;
pub use counters::LinkCounters;
pub use credit_gate::CreditGate;
pub use frame_fields::FrameFields;
pub use frame_header::FrameHeader;
pub use frame_parse::FrameParse;
pub use frame_send::FrameSend;
pub use keep_alive::KeepAlive;
pub use limit_keeper::LimitKeeper;
pub use link::{Link, LinkSetup};
pub use notice_keeper::NoticeKeeper;
pub use open_fields::OpenFields;
pub use receive::Receive;
pub use receive_judge::{JudgeStep, ReceiveJudge};
pub use receive_order::{OrderStep, ReceiveOrder};
pub use receive_store::ReceiveStore;
pub use records::*;
pub use retry_store::{RetryStep, RetryStore};
pub use retry_window::RetryWindow;
pub use session::{Session, SessionStep};
pub use ticker::Ticker;
pub use tlp_admit::{AdmitStep, TlpAdmit};
pub use tlp_sort::TlpSort;
pub use transmit::Transmit;
pub use transmit_choose::TransmitChoose;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    blocks::list()
}
