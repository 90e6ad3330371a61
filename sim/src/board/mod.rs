//! A simulated board: the verilated board top with both its ports, and a host at the other end of the host link.
//!
//! ```text
//! driver -> rnic-link -> frames, with faults -> RGMII pins of port B -> MAC -> link -> TLP bridge -> core -> MAC -> port A
//! ```
//!
//! Port A has a loop-back plug. Nothing of the hardware is left out but the PLL and the delays of the pads. The link counts
//! 16 cycles a microsecond instead of 84 (HO9), so that its time limits pass faster; the clock that the host sees agrees with that.
mod bench;
mod line;
mod model;
mod phys;

pub use bench::{open, BoardClock, BoardError, BoardLink, BoardTransport, Faults};
