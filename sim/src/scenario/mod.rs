//! Scenario files: a device, its objects and what happens to them, in TOML. `docs/src/scenarios.md` is the reference page.
//!
//! The same file runs on the Verilog and on the reference model. Everything the driver can do goes through `rnic-driver`;
//! what it would refuse can be posted unchecked, word by word or byte by byte.

mod builtin;
mod check;
mod file;
mod machine;
mod report;
mod run;
mod simulation;
mod step;
mod value;

#[cfg(test)]
mod tests;

pub use builtin::{builtin, Builtin, BUILTIN, TRANSPORT};
pub use file::{BadScenario, DeviceTable, PresetName, Scenario, TimingName};
pub use machine::{model_machine, Machine, ModelMachine};
pub use report::{Failure, Report, Row};
pub use run::run;
pub use simulation::{simulate, simulate_reference, Overrides, StartError};
pub use step::ACTIONS;
