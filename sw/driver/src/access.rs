//! Access rights of memory regions and queue pairs.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

use rnic_abi::access as bit;

/// A set of access rights. Reading by the own side is implied and has no bit.
///
/// ```
/// # use rnic_driver::Access;
/// let access = Access::LOCAL_WRITE | Access::REMOTE_READ;
/// assert!(access.contains(Access::REMOTE_READ) && !access.intersects(Access::REMOTE_WRITE));
/// assert_eq!(access.to_string(), "LW RR");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Access(u8);

impl Access {
    /// Reading by the own side only.
    pub const NONE: Access = Access(0);
    /// Writing by the own side: receive buffers, READ sinks, results of atomics.
    pub const LOCAL_WRITE: Access = Access(bit::LW);
    /// Writing by the peer.
    pub const REMOTE_WRITE: Access = Access(bit::RW);
    /// Reading by the peer.
    pub const REMOTE_READ: Access = Access(bit::RR);
    /// Atomic operations by the peer.
    pub const REMOTE_ATOMIC: Access = Access(bit::RA);
    /// The peer may invalidate: set by hardware when a registration grants a remote right, never asked for.
    pub const REMOTE_INVALIDATE: Access = Access(bit::RINV);
    /// Addresses of the region start at 0.
    pub const ZERO_BASED: Access = Access(bit::ZB);

    /// The set with these bits, whatever they mean.
    pub const fn from_bits(bits: u8) -> Access {
        Access(bits)
    }

    /// The bits as the device has them.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether every right of `other` is in this set.
    pub const fn contains(self, other: Access) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether some right of `other` is in this set.
    pub const fn intersects(self, other: Access) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Access {
    type Output = Access;

    fn bitor(self, other: Access) -> Access {
        Access(self.0 | other.0)
    }
}

impl BitOrAssign for Access {
    fn bitor_assign(&mut self, other: Access) {
        self.0 |= other.0;
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [(Access, &str); 6] = [
            (Access::LOCAL_WRITE, "LW"),
            (Access::REMOTE_WRITE, "RW"),
            (Access::REMOTE_READ, "RR"),
            (Access::REMOTE_ATOMIC, "RA"),
            (Access::REMOTE_INVALIDATE, "RINV"),
            (Access::ZERO_BASED, "ZB"),
        ];
        let names: Vec<&str> = NAMES.iter().filter(|(right, _)| self.contains(*right)).map(|(_, name)| *name).collect();
        f.write_str(if names.is_empty() { "-" } else { "" })?;
        f.write_str(&names.join(" "))
    }
}
