//! Steps that post work and ring doorbells.

use super::super::value::{AccessBits, Code, Hex, Number, Place};
use rnic_driver::Errno;
use serde::Deserialize;

/// Bytes of a slot to change before it is posted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// Offset in the slot.
    pub at: u8,
    /// Bytes to put there.
    pub bytes: Hex,
}

/// `reg_mr`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegMr {
    /// Queue pair.
    pub qp: String,
    /// Memory region.
    pub mr: String,
    /// Key in full; else the region's key with the byte below.
    pub key: Option<Number>,
    /// Key byte; else one more than the last (rule A13).
    pub key_byte: Option<u8>,
    /// Rights.
    #[serde(default)]
    pub access: AccessBits,
    /// log2 of the page size.
    #[serde(default = "shift")]
    pub page_shift: u8,
    /// Pages in the request itself.
    pub pages: Option<Vec<Place>>,
    /// A page list.
    pub list: Option<String>,
    /// Bus address of a list that the driver does not own.
    pub list_at: Option<Place>,
    /// Number of pages; else as many as the list has.
    pub npages: Option<u16>,
    /// First byte offset; else what `iova` says.
    pub fbo: Option<u32>,
    /// First address.
    #[serde(default)]
    pub iova: Number,
    /// Bytes; else all pages behind the offset.
    pub length: Option<Number>,
    /// A success has a completion.
    #[serde(default = "yes")]
    pub signaled: bool,
    /// Fence flag.
    #[serde(default)]
    pub fence: bool,
    /// Solicited flag (not allowed).
    #[serde(default)]
    pub solicited: bool,
    /// Data in the request (not offered).
    #[serde(default)]
    pub inline_data: bool,
    /// Consumer's number.
    pub wr_id: Option<u64>,
    /// Bytes of the slot to change before it is posted.
    #[serde(default)]
    pub patch: Vec<Patch>,
    /// Leave the judgement to the hardware.
    #[serde(default)]
    pub unchecked: bool,
    /// Ring the doorbell.
    #[serde(default = "yes")]
    pub ring: bool,
    /// Expected error of the post.
    pub errno: Option<Code<Errno>>,
}

/// `local_inv`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalInv {
    /// Queue pair.
    pub qp: String,
    /// Memory region: its present key.
    pub mr: Option<String>,
    /// Key byte instead of the present one.
    pub key_byte: Option<u8>,
    /// Key in full.
    pub key: Option<Number>,
    /// A success has a completion.
    #[serde(default = "yes")]
    pub signaled: bool,
    /// Fence flag.
    #[serde(default)]
    pub fence: bool,
    /// Consumer's number.
    pub wr_id: Option<u64>,
    /// Bytes of the slot to change before it is posted.
    #[serde(default)]
    pub patch: Vec<Patch>,
    /// Leave the judgement to the hardware.
    #[serde(default)]
    pub unchecked: bool,
    /// Ring the doorbell.
    #[serde(default = "yes")]
    pub ring: bool,
    /// Expected error of the post.
    pub errno: Option<Code<Errno>>,
}

/// `raw`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Raw {
    /// Queue pair.
    pub qp: String,
    /// Bytes of one or two slots; missing ones at the end are 0.
    pub slot: Hex,
    /// Consumer's number.
    pub wr_id: Option<u64>,
    /// How often.
    #[serde(default = "once")]
    pub times: u32,
    /// Ring the doorbell.
    #[serde(default = "yes")]
    pub ring: bool,
    /// Expected error of the post.
    pub errno: Option<Code<Errno>>,
}

/// `receive`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receive {
    /// Queue pair.
    pub qp: String,
    /// Where the message goes, at most four pieces.
    #[serde(default)]
    pub sges: Vec<SgeTable>,
    /// How many.
    #[serde(default = "once")]
    pub times: u32,
    /// Consumer's number of the first; the others count on.
    pub wr_id: Option<u64>,
    /// Ring the doorbell.
    #[serde(default = "yes")]
    pub ring: bool,
    /// Expected error of the post.
    pub errno: Option<Code<Errno>>,
}

/// A piece of local memory: of a memory region, or of a memory behind the local DMA lkey.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SgeTable {
    /// Memory region: its present key.
    pub mr: Option<String>,
    /// Key in full.
    pub key: Option<Number>,
    /// Address in the region.
    #[serde(default)]
    pub va: Number,
    /// Bus address, for the local DMA lkey.
    pub at: Option<Place>,
    /// Bytes.
    pub length: Number,
}

/// Memory of the peer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteTable {
    /// Memory region: its present key.
    pub mr: Option<String>,
    /// Key in full.
    pub key: Option<Number>,
    /// Address in the region.
    #[serde(default)]
    pub va: Number,
}

/// `send`, `write`, `read`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataWr {
    /// Queue pair.
    pub qp: String,
    /// The pieces of local memory, at most four.
    #[serde(default)]
    pub sges: Vec<SgeTable>,
    /// Memory of the peer: `write` and `read`.
    pub remote: Option<RemoteTable>,
    /// Immediate data, four bytes in wire order: `send` and `write`.
    pub imm: Option<Hex>,
    /// Memory region of the peer to invalidate: `send`.
    pub invalidate: Option<String>,
    /// Key of the peer to invalidate, in full: `send`.
    pub invalidate_key: Option<Number>,
    /// Invalidate the region of the only piece: `read`.
    #[serde(default)]
    pub invalidate_sink: bool,
    /// A success has a completion.
    #[serde(default = "yes")]
    pub signaled: bool,
    /// Fence flag.
    #[serde(default)]
    pub fence: bool,
    /// Solicited flag.
    #[serde(default)]
    pub solicited: bool,
    /// How often.
    #[serde(default = "once")]
    pub times: u32,
    /// Consumer's number of the first; the others count on.
    pub wr_id: Option<u64>,
    /// Leave the judgement to the hardware.
    #[serde(default)]
    pub unchecked: bool,
    /// Ring the doorbell.
    #[serde(default = "yes")]
    pub ring: bool,
    /// Expected error of the post.
    pub errno: Option<Code<Errno>>,
}

/// `cmp_swap`, `fetch_add`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtomicWr {
    /// Queue pair.
    pub qp: String,
    /// Where the old value goes.
    pub sge: SgeTable,
    /// The 8 bytes of the peer.
    pub remote: RemoteTable,
    /// Value to compare with: `cmp_swap`.
    #[serde(default)]
    pub compare: Number,
    /// Value to swap in: `cmp_swap`.
    #[serde(default)]
    pub swap: Number,
    /// Value to add: `fetch_add`.
    #[serde(default)]
    pub add: Number,
    /// A success has a completion.
    #[serde(default = "yes")]
    pub signaled: bool,
    /// Fence flag.
    #[serde(default)]
    pub fence: bool,
    /// Consumer's number.
    pub wr_id: Option<u64>,
    /// Leave the judgement to the hardware.
    #[serde(default)]
    pub unchecked: bool,
    /// Ring the doorbell.
    #[serde(default = "yes")]
    pub ring: bool,
    /// Expected error of the post.
    pub errno: Option<Code<Errno>>,
}

/// Which queue of a queue pair.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Queue {
    /// Send queue.
    #[default]
    Send,
    /// Receive queue.
    Receive,
}

/// `ring`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ring {
    /// Queue pair.
    pub qp: String,
    /// Which doorbell.
    #[serde(default)]
    pub queue: Queue,
    /// Value of the register; else the right one.
    pub value: Option<u32>,
}

/// `arm`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// Completion queue.
    pub cq: String,
    /// Only for solicited and error completions.
    #[serde(default)]
    pub solicited: bool,
}

fn yes() -> bool {
    true
}

fn once() -> u32 {
    1
}

fn shift() -> u8 {
    12
}
