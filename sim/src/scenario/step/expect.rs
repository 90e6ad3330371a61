//! Steps that expect completions, events, and what the device tells of its objects.

use super::super::value::{AccessBits, Code, Hex, Number, Place};
use rnic_abi::drop::Drop;
use rnic_abi::event::Kind;
use rnic_abi::mr;
use rnic_abi::opcode::Opcode;
use rnic_abi::qp::State;
use rnic_abi::status::Status;
use rnic_abi::syndrome::Syndrome;
use serde::Deserialize;

/// `completion`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Completion {
    /// Queue pair that it must be of.
    pub qp: Option<String>,
    /// Completion queue; else that of the queue pair.
    pub cq: Option<String>,
    /// Status.
    #[serde(default = "success")]
    pub status: Code<Status>,
    /// Syndrome; 0 for success and flush.
    pub syndrome: Option<Code<Syndrome>>,
    /// Consumer's number.
    pub wr_id: Option<u64>,
    /// Opcode.
    pub opcode: Option<Code<Opcode>>,
    /// Of the receive queue.
    #[serde(default)]
    pub receive: bool,
    /// Slot of the first block.
    pub slot: Option<u16>,
    /// byte_len.
    pub byte_len: Option<u32>,
    /// Immediate data, four bytes in wire order.
    pub imm: Option<Hex>,
    /// Memory region whose present key the peer has invalidated.
    pub invalidated: Option<String>,
    /// Key in full that the peer has invalidated.
    pub invalidated_key: Option<Number>,
    /// A solicited one.
    pub solicited: Option<bool>,
    /// So many of them, one after another.
    #[serde(default = "once")]
    pub times: u32,
    /// Cycles to wait for each.
    pub within: Option<u64>,
}

/// `no_completion`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoCompletion {
    /// Completion queue.
    pub cq: String,
    /// For so many cycles.
    pub within: Option<u64>,
}

/// `probe`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Queue pair.
    pub qp: String,
    /// Memory region: its present key.
    pub mr: Option<String>,
    /// Key byte instead of the present one.
    pub key_byte: Option<u8>,
    /// Key in full.
    pub key: Option<Number>,
    /// First address.
    #[serde(default)]
    pub va: Number,
    /// Bytes.
    pub length: u32,
    /// Rights that the access needs.
    #[serde(default)]
    pub access: AccessBits,
    /// As a remote access.
    #[serde(default)]
    pub remote: bool,
    /// Expected syndrome.
    pub syndrome: Option<Code<Syndrome>>,
    /// Expected pieces: bus address and bytes of each, in order.
    pub pieces: Option<Vec<(Place, u32)>>,
}

/// `query_mr`. Fields that are not given are not compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryMr {
    /// Memory region.
    pub mr: Option<String>,
    /// Index, for an entry without a name.
    pub index: Option<u32>,
    /// NIC of that index; else the first.
    pub nic: Option<String>,
    /// State.
    pub state: Option<Code<mr::State>>,
    /// Type.
    pub kind: Option<Code<mr::Type>>,
    /// Key in full.
    pub key: Option<Number>,
    /// Key byte.
    pub key_byte: Option<u8>,
    /// Granted rights.
    pub access: Option<AccessBits>,
    /// Protection domain.
    pub pd: Option<String>,
    /// log2 of the page size.
    pub page_shift: Option<u8>,
    /// Pages registered.
    pub npages: Option<u16>,
    /// Largest number of pages.
    pub max_pages: Option<u16>,
    /// First address.
    pub iova: Option<Number>,
    /// Bytes.
    pub length: Option<Number>,
    /// First byte offset.
    pub fbo: Option<u32>,
    /// Registrations so far.
    pub generation: Option<u32>,
    /// Accesses in flight.
    pub in_flight: Option<u32>,
}

/// `query_qp`. Fields that are not given are not compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryQp {
    /// Queue pair.
    pub qp: String,
    /// State.
    pub state: Option<Code<State>>,
    /// Drained in SQD.
    pub drained: Option<bool>,
    /// Send slots retired.
    pub sq_retired: Option<u16>,
    /// Receive slots used.
    pub rq_used: Option<u16>,
    /// Requests in flight.
    pub in_flight: Option<u32>,
    /// Next PSN to send.
    pub hpsn: Option<u32>,
    /// Oldest PSN not acknowledged.
    pub una: Option<u32>,
    /// Expected PSN.
    pub epsn: Option<u32>,
    /// Requests served.
    pub msn: Option<u32>,
    /// Asks again for up to so many cycles.
    pub within: Option<u64>,
}

/// `counter`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counter {
    /// NIC; else the first.
    pub nic: Option<String>,
    /// Errors with this syndrome.
    pub syndrome: Option<Code<Syndrome>>,
    /// Drops for this reason.
    pub drop: Option<Code<Drop>>,
    /// Expected value.
    pub value: u32,
}

/// `event`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// NIC; else that of the queue, or the first.
    pub nic: Option<String>,
    /// What happened.
    pub kind: Code<Kind>,
    /// Completion queue whose number it carries.
    pub cq: Option<String>,
    /// Queue pair whose number it carries.
    pub qp: Option<String>,
    /// Detail.
    pub detail: Option<u32>,
    /// Cycles to wait.
    pub within: Option<u64>,
}

/// `no_event`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Within {
    /// NIC; else the first.
    pub nic: Option<String>,
    /// For so many cycles.
    pub within: Option<u64>,
}

fn once() -> u32 {
    1
}

fn success() -> Code<Status> {
    Code(Status::Success)
}
