//! Transaction-layer packets in PCIe wire order: what the host sends and what it understands.
//!
//! Header words go most significant byte first, payload in address order. What the device sends is hostile input: parsing
//! neither panics nor allocates.

mod build;
pub(crate) mod byte_enable;
mod parse;
#[cfg(test)]
mod vectors;

pub(crate) use build::{completion_with_data, completion_without_data, memory_read, memory_write};
pub(crate) use parse::{class, parse, Class, Limits, Tlp};

/// Format and type, the first byte of a TLP.
pub(crate) mod kind {
    /// Bit of a header of four words.
    pub const FOUR_DW: u8 = 0x20;
    /// Bit of a TLP with payload.
    pub const DATA: u8 = 0x40;
    pub const MEMORY_READ: u8 = 0x00;
    pub const MEMORY_READ_LOCKED: u8 = 0x01;
    pub const MEMORY_WRITE: u8 = 0x40;
    pub const IO_READ: u8 = 0x02;
    pub const IO_WRITE: u8 = 0x42;
    pub const CONFIG_READ_0: u8 = 0x04;
    pub const CONFIG_READ_1: u8 = 0x05;
    pub const CONFIG_WRITE_0: u8 = 0x44;
    pub const CONFIG_WRITE_1: u8 = 0x45;
    pub const FETCH_ADD: u8 = 0x4C;
    pub const SWAP: u8 = 0x4D;
    pub const COMPARE_SWAP: u8 = 0x4E;
    pub const COMPLETION: u8 = 0x0A;
    pub const COMPLETION_LOCKED: u8 = 0x0B;
    pub const COMPLETION_DATA: u8 = 0x4A;
    pub const COMPLETION_LOCKED_DATA: u8 = 0x4B;
    pub const MESSAGE: u8 = 0x30;
    pub const MESSAGE_DATA: u8 = 0x70;
}

/// A memory request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub requester: u16,
    pub tag: u8,
    /// Of the first DW.
    pub address: u64,
    /// 1 to 1024.
    pub dwords: usize,
    /// Byte enables of the first DW.
    pub first: u8,
    /// Byte enables of the last DW; 0 if there is but one.
    pub last: u8,
}

/// Status of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Success,
    UnsupportedRequest,
    /// Configuration retry; no answer to a memory read.
    Retry,
    CompleterAbort,
    /// Reserved codes.
    Other(u8),
}

impl Status {
    fn from_code(code: u8) -> Status {
        match code {
            0 => Status::Success,
            1 => Status::UnsupportedRequest,
            2 => Status::Retry,
            4 => Status::CompleterAbort,
            code => Status::Other(code),
        }
    }

    fn code(self) -> u8 {
        match self {
            Status::Success => 0,
            Status::UnsupportedRequest => 1,
            Status::Retry => 2,
            Status::CompleterAbort => 4,
            Status::Other(code) => code,
        }
    }
}

/// Header of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    pub completer: u16,
    pub requester: u16,
    pub tag: u8,
    pub status: Status,
    /// Bytes of the read that are still missing, with those of this completion; 1 to 4096.
    pub byte_count: usize,
    pub lower_address: u8,
}
