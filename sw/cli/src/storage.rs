//! `rnic sim storage`: a storage protocol over two simulated NICs, with every byte compared.
use crate::output;
use clap::Args;
use rnic_abi::preset::Preset;
use rnic_sim::storage::{run as simulate, Report, Settings, StorageError};
use rnic_sim::wire::Chances;
use rnic_sim::{SimError, Variant};
use std::process::ExitCode;

/// Its name among the scenarios.
pub const NAME: &str = "storage";
/// Its line in the list.
pub const TITLE: &str =
    "Storage protocol: I/Os under registered keys, with loss, aborts and reconnects; every byte compared";

/// Arguments that `rnic sim` takes for `storage` only.
#[derive(Args)]
#[command(next_help_heading = "Only for `sim storage`")]
pub struct StorageArguments {
    /// I/Os to do
    #[arg(long, default_value_t = 1000)]
    ios: u32,
    /// I/Os in flight
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Frames lost, percent
    #[arg(long, default_value_t = 2.0)]
    loss: f64,
    /// I/Os aborted in mid-transfer, percent
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=100))]
    aborts: u8,
    /// Lose the connection after each so many I/Os; 0 for never
    #[arg(long, default_value_t = 400)]
    reconnect_every: u32,
}

impl StorageArguments {
    /// The settings of a run.
    pub fn settings(&self, preset: Option<&Preset>) -> Result<Settings, String> {
        let variant = match preset {
            None => Variant::Small,
            Some(preset) => Variant::ALL
                .iter()
                .copied()
                .find(|variant| variant.preset().name == preset.name)
                .ok_or(format!("preset `{}` is not built into this program", preset.name))?,
        };
        if !(0.0..=100.0).contains(&self.loss) {
            return Err(format!("a loss of {} % cannot be", self.loss));
        }
        let chances = Chances { loss: (self.loss * 10.0).round() as u16, ..Chances::default() };
        let StorageArguments { ios, depth, aborts, reconnect_every, .. } = *self;
        Ok(Settings { variant, ios, depth, chances, aborts, reconnect_every, ..Settings::default() })
    }
}

/// Runs it.
pub fn run(settings: &Settings, json: bool) -> ExitCode {
    let bar = output::progress(settings.ios as usize);
    bar.set_message("I/Os");
    let result = simulate(settings, |done| bar.set_position(done));
    bar.finish_and_clear();
    match result {
        Ok(report) => {
            if json {
                println!("{}", serde_json::to_string_pretty(&report).expect("a report is plain data"));
            } else {
                print(&report);
            }
            output::verdict(report.passed)
        }
        // A file that cannot be written is bad input, as it is of any scenario.
        Err(StorageError::Simulation(error @ (SimError::Core(_) | SimError::Capture(_) | SimError::Socket(_)))) => {
            output::bad_input(error)
        }
        Err(error) => {
            if json {
                println!("{}", serde_json::json!({ "passed": false, "scenario": NAME, "error": error.to_string() }));
            }
            eprintln!("rnic: {error}");
            output::verdict(false)
        }
    }
}

fn print(report: &Report) {
    let figures = &report.figures;
    let rows = [
        ("I/Os", figures.ios.to_string()),
        ("I/Os in flight", report.depth.to_string()),
        ("KiB", (figures.bytes >> 10).to_string()),
        ("cycles", report.cycles.to_string()),
        ("I/Os per million cycles", format!("{:.1}", report.ios_per_million_cycles)),
        ("registrations", figures.registrations.to_string()),
        ("mappings without one", figures.plain.to_string()),
        ("invalidated by the peer", figures.invalidated_by_peer.to_string()),
        ("invalidated by ourselves", figures.invalidated_by_us.to_string()),
        ("frames lost", report.lost_frames.to_string()),
        ("aborts in mid-transfer", figures.aborts.to_string()),
        ("reconnects", figures.reconnects.to_string()),
        ("I/Os repeated", figures.repeated.to_string()),
        ("waits for a slot of the target", figures.waits.to_string()),
        ("EAGAIN beyond the bound", figures.eagain.to_string()),
        ("mismatches", figures.mismatches.to_string()),
        ("disk as written", if report.disk_verified { "yes" } else { "no" }.to_string()),
        ("mappings left", report.mappings_left.to_string()),
        ("regions left", report.regions_left.to_string()),
    ];
    let mut table = output::table(&["storage", report.preset]);
    for (name, value) in rows {
        table.add_row([name.to_string(), value]);
    }
    println!("{table}");
    println!("{}", if report.passed { "passed" } else { "failed" });
}
