//! Steps at registers, interrupts, host memory and the bus.

use super::super::value::{Hex, Number, Place, RegisterOffset, Word};
use serde::Deserialize;

/// Response of a register access.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub enum Response {
    /// Done.
    #[default]
    Okay,
    /// Refused.
    Slverr,
    /// No such register.
    Decerr,
}

/// `read_register`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadRegister {
    /// NIC; else the first.
    pub nic: Option<String>,
    /// Register.
    pub register: RegisterOffset,
    /// Expected value of the bits in `mask`.
    pub value: Option<u32>,
    /// Bits that are compared.
    #[serde(default = "all_bits")]
    pub mask: u32,
    /// Expected response.
    #[serde(default)]
    pub response: Response,
    /// Reads again for up to so many cycles.
    pub within: Option<u64>,
}

/// `write_register`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteRegister {
    /// NIC; else the first.
    pub nic: Option<String>,
    /// Register.
    pub register: RegisterOffset,
    /// Value.
    pub value: Word,
    /// One bit for each byte to write.
    #[serde(default = "all_strobes")]
    pub strobes: u8,
    /// Expected response.
    #[serde(default)]
    pub response: Response,
}

/// `interrupt`, `no_interrupt`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interrupt {
    /// NIC; else the first.
    pub nic: Option<String>,
    /// Vector.
    #[serde(default)]
    pub vector: u8,
    /// Cycles to wait.
    pub within: Option<u64>,
}

/// `expect_memory`, `write_memory`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Where.
    pub at: Place,
    /// The bytes.
    pub bytes: Option<Hex>,
    /// 64-bit words, little-endian; places stand for their bus address.
    pub words: Option<Vec<Place>>,
}

/// `fill_memory`, `compare_memory`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// Where.
    pub at: Place,
    /// So many bytes.
    pub bytes: Number,
    /// They are the random bytes of this seed.
    pub seed: Option<u64>,
    /// They are those of another place.
    #[serde(rename = "with")]
    pub other: Option<Place>,
    /// Each has this value.
    pub value: Option<u8>,
}

/// `clear_faults`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnNic {
    /// NIC; else the first.
    pub nic: Option<String>,
}

/// Which way a bus access goes.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// The device reads.
    #[default]
    Read,
    /// The device writes.
    Write,
}

/// `inject_fault`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InjectFault {
    /// NIC; else that of the memory, or the first.
    pub nic: Option<String>,
    /// Reads or writes.
    #[serde(default)]
    pub way: Way,
    /// Only accesses to this memory.
    pub at: Option<Place>,
    /// Bytes of it.
    pub bytes: Option<u64>,
    /// Only bursts of this AXI id.
    pub id: Option<u8>,
    /// Bursts to leave alone first.
    #[serde(default)]
    pub skip: u32,
    /// Bursts to hit; 0 is all from then on.
    #[serde(default = "once")]
    pub times: u32,
    /// SLVERR or DECERR.
    #[serde(default = "slverr")]
    pub response: Response,
}

/// `unmap`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unmap {
    /// Memory.
    pub memory: String,
    /// Only this page of it.
    pub page: Option<u32>,
}

/// `no_access_from_here`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoAccess {
    /// Whole memories, or pages of them.
    pub pages: Vec<Place>,
}

fn once() -> u32 {
    1
}

fn all_bits() -> u32 {
    u32::MAX
}

fn all_strobes() -> u8 {
    0xF
}

fn slverr() -> Response {
    Response::Slverr
}
