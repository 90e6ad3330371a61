//! Numbers of the host link: the bridge between PCIe and the core, and the frames that carry its TLPs.
pub mod bridge;
pub mod frame;
