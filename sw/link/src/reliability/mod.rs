//! Delivery of TLPs over a wire that loses frames: sequence numbers, acknowledgements, resends, credits (LK5 to LK15).
//!
//! Nothing here knows frames or time sources: callers bring the time and send what is due.

pub(crate) mod credit;
pub(crate) mod receiver;
pub(crate) mod sender;

use std::time::Duration;

use rnic_abi::link::frame as abi;

/// Microseconds as the table of constants has them.
pub(crate) const fn us(microseconds: u32) -> Duration {
    Duration::from_micros(microseconds as u64)
}

pub(crate) const ACK_DELAY: Duration = us(abi::ACK_DELAY_US);
pub(crate) const NAK_REPEAT: Duration = us(abi::NAK_REPEAT_US);
pub(crate) const RESEND_GUARD: Duration = us(abi::RESEND_GUARD_US);
pub(crate) const RETRANSMIT: Duration = us(abi::RETRANSMIT_US);
pub(crate) const CREDIT_WAIT: Duration = us(abi::CREDIT_WAIT_US);
