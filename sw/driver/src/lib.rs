//! Host driver of rnic: verbs-like objects over three small traits.
//!
//! A platform gives [`platform::Bar`] (registers and interrupts), [`platform::DmaMemory`] (memory that the device shares) and
//! [`platform::Clock`] (time, and a pause in every polling loop). The driver knows nothing else of the machine below it:
//! the same code runs on PCI Express hardware and on a simulation that runs its clock inside these calls.
#![deny(missing_docs)]

pub mod errno;
pub mod platform;

pub use errno::Errno;
pub use platform::{
    Bar, BusError, Clock, Direction, DmaBuffer, DmaError, DmaMemory, DmaSgEntry, DmaSgList, Parts, Platform,
};
