//! Capability bits: the CAPS register as masks, and what this version offers (A1, A2).
use crate::register;

/// REG_MR and LOCAL_INV work.
pub const MEM_MGT_EXT: u32 = register::CAPS_MEM_MGT_EXT.mask();
/// Reliable connections: data WRs and SEND with invalidate work.
pub const RC: u32 = register::CAPS_RC.mask();
/// READ with invalidate works.
pub const READ_INV: u32 = register::CAPS_READ_INV.mask();
/// SG_GAPS regions work.
pub const SG_GAPS: u32 = register::CAPS_SG_GAPS.mask();
/// Memory windows work.
pub const MW: u32 = register::CAPS_MW.mask();
/// The right RA can be granted, and atomics exclude each other within this device.
pub const ATOMIC_HCA: u32 = register::CAPS_ATOMIC_HCA.mask();
/// Raw rings work.
pub const RAW: u32 = register::CAPS_RAW.mask();

/// What hardware of this version reports.
pub const OFFERED: u32 = MEM_MGT_EXT | RC | READ_INV | ATOMIC_HCA | RAW;
