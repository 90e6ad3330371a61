//! `rnic fit`: area and clock of the core on real parts, with the slowest path in the source's own names.
use crate::output;
use clap::Args;
use rnic_synth::{fit, Area, Fit, FitOptions, SynthError, Timing, XilinxArea};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of `rnic fit`.
#[derive(Args)]
pub struct FitArguments {
    /// Core to place: tiny or small
    #[arg(long, default_value = "small")]
    preset: String,
    /// Seed of the placer
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Leave out the estimate of `large` on UltraScale+
    #[arg(long)]
    no_estimate: bool,
    /// Print one JSON object instead of the tables
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &FitArguments) -> ExitCode {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let options =
        FitOptions { preset: arguments.preset.clone(), seed: arguments.seed, estimate: !arguments.no_estimate };
    let spinner = output::spinner();
    spinner.enable_steady_tick(Duration::from_millis(200));
    let result = fit(&options, &target, &|step| spinner.set_message(step.to_string()));
    spinner.finish_and_clear();
    match result {
        Ok(result) => {
            if arguments.json {
                println!("{}", serde_json::to_string_pretty(&result).expect("a report is plain data"));
            } else {
                print(&result);
            }
            output::verdict(result.passed)
        }
        Err(SynthError::Failed(message)) => {
            eprintln!("rnic: {message}");
            output::verdict(false)
        }
        Err(error) => output::bad_input(error),
    }
}

fn print(fit: &Fit) {
    println!("{} on ECP5, by subsystem:", fit.preset);
    let mut table = output::table(&["subsystem", "LUT4", "carry LUTs", "RAM LUTs", "FF", "DP16KD"]);
    let rows = fit.area.iter().map(|row| (row.subsystem.as_str(), row.area));
    for (name, area) in rows.chain([("all", fit.total)]) {
        let Area { lut4, carry_luts, ram_luts, ff, dp16kd } = area;
        let numbers = [lut4, carry_luts, ram_luts, ff, dp16kd].map(|number| number.to_string());
        table.add_row(std::iter::once(name.to_string()).chain(numbers));
    }
    println!("{table}");
    let mut table = output::table(&["part", "LUTs", "DP16KD", "target MHz", "Fmax MHz", ""]);
    for timing in &fit.timing {
        table.add_row([
            timing.part.name.to_string(),
            format!("{} of {}", timing.luts.0, timing.luts.1),
            format!("{} of {}", timing.block_rams.0, timing.block_rams.1),
            format!("{:.0}", timing.part.target_mhz),
            format!("{:.1}", timing.fmax_mhz),
            if timing.passed { "reached" } else { "MISSED" }.to_string(),
        ]);
    }
    println!("{table}");
    fit.timing.iter().for_each(print_path);
    if !fit.large_estimate.is_empty() {
        print_estimate(fit);
    }
    println!("{}", if fit.passed { "passed" } else { "FAILED: a target was missed" });
}

fn print_path(timing: &Timing) {
    println!("slowest path on {} (logic + routing, ns):", timing.part.name);
    for hop in &timing.critical_path {
        println!("  {:5.2} + {:5.2}  {}", hop.logic_ns, hop.routing_ns, hop.at);
    }
}

fn print_estimate(fit: &Fit) {
    println!("large on UltraScale+, an estimate by synthesis alone (not placed, no timing):");
    let mut table = output::table(&["subsystem", "LUT", "RAM LUTs", "SRL", "FF", "RAMB36", "RAMB18"]);
    let rows = fit.large_estimate.iter().map(|row| (row.subsystem.as_str(), row.area));
    for (name, area) in rows.chain([("all", XilinxArea::total(&fit.large_estimate))]) {
        let XilinxArea { lut, ram_luts, srl, ff, ramb36, ramb18 } = area;
        let numbers = [lut, ram_luts, srl, ff, ramb36, ramb18].map(|number| number.to_string());
        table.add_row(std::iter::once(name.to_string()).chain(numbers));
    }
    println!("{table}");
}
