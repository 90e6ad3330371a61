//! `rnic sim`: runs a scenario on the Verilog, and says step by step what happened.
use crate::{output, storage};
use clap::Args;
use rnic_abi::preset::{Preset, ALL};
use rnic_sim::scenario::{builtin, simulate, simulate_reference, Overrides, Report, Scenario, BUILTIN, TRANSPORT};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The scenario that runs when none is named.
const DEFAULT: &str = "registration";

/// Arguments of `rnic sim`.
#[derive(Args)]
pub struct SimArguments {
    /// A built-in scenario (see --list), or a scenario file
    #[arg(default_value = DEFAULT)]
    scenario: String,
    /// Preset of the device, instead of the file's: tiny, small, large
    #[arg(long)]
    preset: Option<String>,
    /// Seed of everything random, instead of the file's
    #[arg(long)]
    seed: Option<u64>,
    /// Write all signals to this FST file
    #[arg(long, value_name = "FILE.fst")]
    trace: Option<PathBuf>,
    /// Write all frames to this capture file
    #[arg(long, value_name = "FILE.pcapng")]
    pcap: Option<PathBuf>,
    /// Add this unix datagram socket to the wire, one frame a datagram
    #[arg(long, value_name = "PATH")]
    wire: Option<PathBuf>,
    /// Run on the reference model instead of the Verilog
    #[arg(long, conflicts_with_all = ["trace", "pcap", "wire"])]
    reference: bool,
    /// Name the built-in scenarios
    #[arg(long)]
    list: bool,
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    storage: storage::StorageArguments,
}

/// Runs the command.
pub fn run(arguments: &SimArguments) -> ExitCode {
    if arguments.list {
        list(arguments.json);
        return ExitCode::SUCCESS;
    }
    if arguments.scenario == storage::NAME && !Path::new(storage::NAME).is_file() {
        return storage(arguments);
    }
    match report(arguments) {
        Err(message) => output::bad_input(message),
        Ok(report) => {
            if arguments.json {
                println!("{}", serde_json::to_string_pretty(&report).expect("a report is plain data"));
            } else {
                print!("{report}");
            }
            output::verdict(report.passed)
        }
    }
}

/// The storage protocol is no scenario file, but a program on two devices.
fn storage(arguments: &SimArguments) -> ExitCode {
    if arguments.reference || arguments.wire.is_some() {
        return output::bad_input("`storage` runs on two verilated cores, without --reference and --wire");
    }
    let settings = || -> Result<_, String> {
        let preset = arguments.preset.as_deref().map(preset).transpose()?;
        let mut settings = arguments.storage.settings(preset)?;
        settings.seed = arguments.seed.unwrap_or(settings.seed);
        settings.trace.clone_from(&arguments.trace);
        settings.pcap.clone_from(&arguments.pcap);
        Ok(settings)
    };
    match settings() {
        Ok(settings) => storage::run(&settings, arguments.json),
        Err(message) => output::bad_input(message),
    }
}

fn report(arguments: &SimArguments) -> Result<Report, String> {
    let overrides = Overrides {
        preset: arguments.preset.as_deref().map(preset).transpose()?,
        seed: arguments.seed,
        trace: arguments.trace.clone(),
        pcap: arguments.pcap.clone(),
        socket: arguments.wire.clone(),
    };
    let scenario = scenario(&arguments.scenario)?;
    if arguments.reference {
        return Ok(simulate_reference(&scenario, &overrides));
    }
    simulate(&scenario, &overrides).map_err(|error| error.to_string())
}

fn preset(name: &str) -> Result<&'static Preset, String> {
    let known = || ALL.map(|preset| preset.name).join(", ");
    Preset::by_name(name).ok_or_else(|| format!("no preset is called `{name}`; there are {}", known()))
}

/// A file if there is one of that name or it looks like one, else a built-in scenario.
fn scenario(name: &str) -> Result<Scenario, String> {
    let path = Path::new(name);
    if let (Some(builtin), false) = (builtin(name), path.is_file()) {
        return builtin.scenario().map_err(|error| format!("built-in scenario `{name}`, {error}"));
    }
    if !path.is_file() && path.extension().is_none() {
        return Err(format!("no scenario is called `{name}`; `./rnic sim --list` names them"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read `{name}`: {error}"))?;
    Scenario::parse(&text).map_err(|error| format!("{name}, {error}"))
}

fn list(json: bool) {
    let rows = BUILTIN.iter().chain(TRANSPORT).map(|builtin| {
        let scenario = builtin.scenario();
        (builtin.name, scenario.map_or_else(|error| error.to_string(), |scenario| scenario.title))
    });
    let rows = rows.chain([(storage::NAME, storage::TITLE.to_string())]);
    if json {
        let rows: Vec<_> = rows.map(|(name, title)| serde_json::json!({ "name": name, "title": title })).collect();
        println!("{}", serde_json::json!({ "passed": true, "scenarios": rows }));
        return;
    }
    let mut table = output::table(&["scenario", "what it shows"]);
    for (name, title) in rows {
        table.add_row([name.to_string(), title]);
    }
    println!("{table}");
}
