//! Numbers of the host link: what the bridge between PCIe and the core shares with software.
pub mod bridge;
