//! Steps about the raw rings.

use super::super::value::{Code, Hex};
use rnic_driver::{Errno, LONGEST_FRAME};
use serde::Deserialize;

/// `open_raw`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenRaw {
    /// NIC; else the first.
    pub nic: Option<String>,
    /// log2 of the receive ring's descriptors.
    #[serde(default = "smallest")]
    pub receive_log2: u8,
    /// log2 of the send ring's descriptors.
    #[serde(default = "smallest")]
    pub send_log2: u8,
    /// Bytes of a receive buffer.
    #[serde(default = "longest")]
    pub receive_bytes: usize,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `send_raw`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SendRaw {
    /// NIC; else the first.
    pub nic: Option<String>,
    /// The frame.
    pub hex: Hex,
    /// Zeros behind it up to so many bytes.
    pub length: Option<usize>,
    /// The device appends the ICRC.
    #[serde(default)]
    pub icrc: bool,
    /// How often.
    #[serde(default = "once")]
    pub times: u32,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `receive_raw`. Fields that are not given are not compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiveRaw {
    /// NIC; else the first.
    pub nic: Option<String>,
    /// The whole frame.
    pub hex: Option<Hex>,
    /// Its beginning.
    pub begins: Option<Hex>,
    /// Its bytes.
    pub bytes: Option<usize>,
    /// It ended with a right ICRC.
    #[serde(default)]
    pub icrc_ok: bool,
    /// It has a VLAN tag.
    #[serde(default)]
    pub vlan: bool,
    /// It came to the broadcast address.
    #[serde(default)]
    pub broadcast: bool,
    /// It is only the beginning of the frame.
    #[serde(default)]
    pub truncated: bool,
    /// It could not be written to memory.
    #[serde(default)]
    pub error: bool,
    /// How many such frames.
    #[serde(default = "once")]
    pub times: u32,
    /// Cycles to wait for each.
    pub within: Option<u64>,
}

/// `raw_unsent`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawUnsent {
    /// NIC; else the first.
    pub nic: Option<String>,
    /// Frames that have not left.
    #[serde(default)]
    pub unsent: u32,
    /// Frames that never left, because the device could not read them.
    #[serde(default)]
    pub failed: u64,
    /// Looks again for up to so many cycles.
    pub within: Option<u64>,
}

fn smallest() -> u8 {
    4
}

fn longest() -> usize {
    LONGEST_FRAME
}

fn once() -> u32 {
    1
}
