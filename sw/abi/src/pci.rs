//! PCI identity.

/// Vendor (unassigned, for development).
pub const VENDOR: u16 = 0xFADE;
/// Device.
pub const DEVICE: u16 = 0x4E1C;
/// Class and subclass: other network controller.
pub const CLASS: u16 = 0x0280;
/// Bytes of BAR0, a 64-bit one.
pub const BAR0_BYTES: u64 = 64 << 10;
