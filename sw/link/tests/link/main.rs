//! The host's side of the link against a device model that is written from the specification, on a virtual clock.

mod bar;
mod credits;
mod dma;
mod driver;
mod faults;
mod hostile;
mod opening;
mod reliability;
mod sessions;
mod support;
