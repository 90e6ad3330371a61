//! Every number that the hardware and the software of `rnic` share, once: register map, admin commands, layouts in host
//! memory, codes, presets and limits.
//!
//! Everything in host memory and in the BAR is little-endian. A field, flag or word that is not named here is 0 and is
//! checked where hardware reads it. Rule numbers (B1, T2, ...) are those of the project's specification; the reference
//! pages of the documentation are generated from the tables in this crate.
#![no_std]
#![deny(missing_docs)]

#[cfg(test)]
extern crate std;

#[macro_use]
mod table;

pub mod access;
pub mod admin;
pub mod aeth;
pub mod axi;
pub mod bth;
pub mod caps;
pub mod cqe;
pub mod drop;
pub mod errno;
pub mod event;
pub mod key;
pub mod limits;
pub mod link;
pub mod mr;
pub mod opcode;
pub mod pci;
pub mod preset;
pub mod qp;
pub mod raw;
pub mod register;
pub mod status;
pub mod syndrome;
pub mod wqe;

pub use table::{Field, NamedField, NamedPlace, NamedWordField, Place, WordField};
