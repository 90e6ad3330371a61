//! Steps about connections and the wire.

use super::super::value::{AccessBits, Address, Hex, Mac, Number, WireOpcode};
use super::post::RemoteTable;
use serde::Deserialize;

/// `connect`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connect {
    /// Queue pair. One in INIT keeps its receives; else it starts from RESET.
    pub qp: String,
    /// The other queue pair, which is connected too.
    pub to: Option<String>,
    /// Without `to`: number of the peer's queue pair.
    pub qpn: Option<u32>,
    /// Without `to`: MAC address of the peer.
    pub mac: Option<Mac>,
    /// Without `to`: address of the peer.
    pub address: Option<Address>,
    /// Path MTU, bytes.
    #[serde(default = "mtu")]
    pub mtu: u32,
    /// Rights of each on the other.
    #[serde(default = "all_rights")]
    pub access: AccessBits,
    /// First PSN of `qp`.
    #[serde(default = "psn")]
    pub psn: u32,
    /// First PSN of the peer.
    #[serde(default = "peer_psn")]
    pub peer_psn: u32,
    /// Which own address of both.
    #[serde(default)]
    pub own_address: u8,
    /// Acknowledgement timeout code.
    #[serde(default = "timeout")]
    pub timeout: u8,
    /// Retries after a timeout.
    #[serde(default = "seven")]
    pub retry_cnt: u8,
    /// Retries after RNR.
    #[serde(default = "seven")]
    pub rnr_retry: u8,
    /// RNR timer code.
    #[serde(default = "min_rnr")]
    pub min_rnr: u8,
    /// READs and atomics in flight, each way.
    #[serde(default = "reads")]
    pub max_rd: u8,
    /// Partition key.
    #[serde(default = "pkey")]
    pub pkey: u16,
    /// VLAN tag.
    pub vlan: Option<u16>,
    /// Traffic class.
    #[serde(default)]
    pub traffic_class: u8,
    /// Hop limit.
    #[serde(default = "hop_limit")]
    pub hop_limit: u8,
    /// IPv6 flow label.
    #[serde(default)]
    pub flow_label: u32,
}

/// What happens to a frame.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum MishapName {
    /// It does not arrive.
    Lose,
    /// It arrives twice, `cycles` apart.
    Duplicate,
    /// It is `cycles` late.
    Delay,
    /// Bit `bit` is flipped.
    Flip,
    /// It is marked bad.
    Mark,
}

/// `wire_fault`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireFault {
    /// What happens.
    pub what: MishapName,
    /// Only frames of this NIC.
    pub from: Option<String>,
    /// Only frames to this queue pair.
    pub qp: Option<String>,
    /// Only frames with this opcode.
    pub opcode: Option<WireOpcode>,
    /// Only frames with this PSN.
    pub psn: Option<u32>,
    /// Frames to leave alone first.
    #[serde(default)]
    pub skip: u32,
    /// Frames to hit; 0 is all from then on.
    #[serde(default = "once")]
    pub times: u32,
    /// Cycles of a duplicate or delay.
    #[serde(default = "cycles")]
    pub cycles: u32,
    /// Bit to flip.
    #[serde(default)]
    pub bit: u32,
}

/// A frame in its parts, as the peer of a queue pair sends it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameTable {
    /// BTH opcode.
    pub opcode: WireOpcode,
    /// PSN.
    pub psn: u32,
    /// Destination queue pair, if not that of `to`.
    pub qpn: Option<u32>,
    /// An acknowledgement is asked for; else by opcode: in requests.
    pub ack: Option<bool>,
    /// Solicited event.
    #[serde(default)]
    pub solicited: bool,
    /// Partition key, if not that of the connection.
    pub pkey: Option<u16>,
    /// RETH or AtomicETH: memory of the NIC.
    pub remote: Option<RemoteTable>,
    /// RETH: bytes; else those of the payload.
    pub length: Option<u32>,
    /// AtomicETH: value to swap in or to add.
    #[serde(default)]
    pub swap_add: Number,
    /// AtomicETH: value to compare with.
    #[serde(default)]
    pub compare: Number,
    /// AETH: syndrome.
    #[serde(default = "acknowledged")]
    pub syndrome: u8,
    /// AETH: MSN.
    #[serde(default)]
    pub msn: u32,
    /// AtomicAckETH: the value before.
    #[serde(default)]
    pub original: Number,
    /// ImmDt: four bytes.
    pub imm: Option<Hex>,
    /// IETH: memory region of the NIC.
    pub invalidate: Option<String>,
    /// IETH: key in full.
    pub invalidate_key: Option<Number>,
    /// Payload.
    pub payload: Option<Hex>,
    /// Payload: so many random bytes of `seed`.
    #[serde(default)]
    pub bytes: Number,
    /// Seed of the random payload.
    #[serde(default)]
    pub seed: u64,
}

/// `inject_frame`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InjectFrame {
    /// NIC; else that of `to`, or the first.
    pub nic: Option<String>,
    /// A connected queue pair: frames of `frame` and `capture` come from its peer and go to it.
    pub to: Option<String>,
    /// The whole frame.
    pub hex: Option<Hex>,
    /// `hex`: zeros behind it up to so many bytes.
    pub length: Option<usize>,
    /// The frame in its parts; needs `to`.
    pub frame: Option<FrameTable>,
    /// A capture file.
    pub capture: Option<String>,
    /// Number of the frame in the capture, from 1 on.
    #[serde(default = "first")]
    pub number: usize,
    /// PSN for a frame of a capture, if not its own.
    pub psn: Option<u32>,
    /// Bits to flip, counted from the first byte's lowest bit on.
    #[serde(default)]
    pub flip: Vec<u32>,
    /// The MAC marks it bad.
    #[serde(default)]
    pub bad: bool,
}

/// `expect_frame`. Fields that are not given are not compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectFrame {
    /// NIC that sends it; else the one that `from` is on, or the first.
    pub nic: Option<String>,
    /// Queue pair that sends it: the frame goes to its peer.
    pub from: Option<String>,
    /// BTH opcode.
    pub opcode: Option<WireOpcode>,
    /// PSN.
    pub psn: Option<u32>,
    /// Destination queue pair, by number.
    pub qpn: Option<u32>,
    /// An acknowledgement is asked for.
    pub ack: Option<bool>,
    /// Solicited event.
    pub solicited: Option<bool>,
    /// RETH or AtomicETH: address.
    pub va: Option<Number>,
    /// RETH or AtomicETH: key in full.
    pub key: Option<Number>,
    /// RETH: bytes.
    pub length: Option<u32>,
    /// AETH: syndrome.
    pub syndrome: Option<u8>,
    /// AETH: MSN.
    pub msn: Option<u32>,
    /// AtomicAckETH: the value before.
    pub original: Option<Number>,
    /// ImmDt: four bytes.
    pub imm: Option<Hex>,
    /// Payload.
    pub payload: Option<Hex>,
    /// Bytes of the payload.
    pub bytes: Option<usize>,
    /// The whole frame.
    pub hex: Option<Hex>,
    /// Pass over frames that differ.
    #[serde(default)]
    pub search: bool,
    /// Cycles to wait.
    pub within: Option<u64>,
}

/// `wire_counter`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireCounter {
    /// NIC; else the first.
    pub nic: Option<String>,
    /// Name of the counter.
    pub counter: String,
    /// Expected value.
    pub value: Option<u64>,
    /// Smallest value expected.
    pub at_least: Option<u64>,
    /// Looks again for up to so many cycles.
    pub within: Option<u64>,
}

fn mtu() -> u32 {
    1024
}

fn all_rights() -> AccessBits {
    AccessBits(rnic_abi::access::QP)
}

fn psn() -> u32 {
    500
}

fn peer_psn() -> u32 {
    100
}

/// 1 ms: long against a round trip, short against a simulation.
fn timeout() -> u8 {
    8
}

fn seven() -> u8 {
    7
}

/// 10 us.
fn min_rnr() -> u8 {
    1
}

fn reads() -> u8 {
    4
}

fn pkey() -> u16 {
    0xFFFF
}

fn hop_limit() -> u8 {
    64
}

fn once() -> u32 {
    1
}

fn cycles() -> u32 {
    1000
}

fn first() -> usize {
    1
}

fn acknowledged() -> u8 {
    0x1F
}
