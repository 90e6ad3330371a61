//! Command line of the rnic project.
//!
//! Exit status: 0 passed, 1 a check failed, 2 bad input or a missing tool.
#![deny(missing_docs)]

use clap::{Parser, Subcommand};
use std::process::ExitCode;

mod bench;
mod check;
mod devices;
mod export;
mod fit;
mod output;
mod prove;
mod sim;
mod smoke;
mod storage;
mod test;

/// FPGA RDMA NIC in a Rust HDL: simulate, test, check, measure and export it.
#[derive(Parser)]
#[command(name = "rnic", bin_name = "./rnic", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure cycles an operation on the Verilog
    Bench(bench::BenchArguments),
    /// Check the blocks of the hardware: translation, names, lint, yosys, co-simulation, Verilator
    Check(check::CheckArguments),
    /// List the rnics of this machine
    Devices(devices::DevicesArguments),
    /// Write the core as one Verilog file, with a FuseSoC core file and a port list, or the project of a board of AMD
    Export(export::ExportArguments),
    /// Area and clock of the core on real parts, by synthesis, place and route
    Fit(fit::FitArguments),
    /// Prove properties of the hardware, and find deliberate mistakes in it
    Prove(prove::ProveArguments),
    /// Run a scenario on the verilated core
    Sim(sim::SimArguments),
    /// Test everything once, on a device or on the simulation
    Smoke(smoke::SmokeArguments),
    /// Run all tests
    Test(test::TestArguments),
}

fn main() -> ExitCode {
    // Who closes our output has seen enough: `./rnic sim --list | head` ends like any other command, without a panic.
    sigpipe::reset();
    match Arguments::parse().command {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Devices(arguments) => devices::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Fit(arguments) => fit::run(&arguments),
        Command::Prove(arguments) => prove::run(&arguments),
        Command::Sim(arguments) => sim::run(&arguments),
        Command::Smoke(arguments) => smoke::run(&arguments),
        Command::Test(arguments) => test::run(&arguments),
    }
}
