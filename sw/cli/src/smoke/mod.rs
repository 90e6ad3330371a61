//! `rnic smoke`: a short test of everything once, the same on hardware and on the simulation.
mod machine;
mod steps;

use crate::output;
use clap::Args;
use machine::Machine;
use rnic_sim::platform::{attach, Shared};
use rnic_sim::wire::WireSettings;
use rnic_sim::Simulator;
use serde::Serialize;
use std::cell::RefCell;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Instant;
use steps::Bench;

/// The device that is no hardware.
const SIMULATION: &str = "sim";

/// Arguments of `rnic smoke`.
#[derive(Args)]
pub struct SmokeArguments {
    /// PCI address of the device, such as 0000:03:00.0, or `sim`. Its port needs a loop-back plug
    #[arg(long, value_name = "ADDRESS|sim")]
    device: String,
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
}

/// What has come of one step.
#[derive(Debug, Serialize)]
struct Row {
    step: &'static str,
    /// Null: not run, because an earlier one failed.
    passed: Option<bool>,
    /// What was seen, or what is wrong.
    detail: String,
    milliseconds: u128,
}

/// Runs the command.
pub fn run(arguments: &SmokeArguments) -> ExitCode {
    let rows = match arguments.device.as_str() {
        SIMULATION => simulated(),
        address => rnic_linux::open(address).map(test).map_err(|error| error.to_string()),
    };
    let rows = match rows {
        Ok(rows) => rows,
        Err(message) => return output::bad_input(message),
    };
    let passed = rows.iter().all(|row| row.passed == Some(true));
    if arguments.json {
        println!("{}", serde_json::json!({ "passed": passed, "device": arguments.device, "steps": rows }));
        return output::verdict(passed);
    }
    let mut table = output::table(&["step", "", "ms", "what was seen"]);
    for Row { step, passed, detail, milliseconds } in rows {
        let verdict = match passed {
            Some(true) => "passed",
            Some(false) => "FAILED",
            None => "not run",
        };
        table.add_row([step.to_string(), verdict.to_string(), milliseconds.to_string(), detail]);
    }
    println!("{table}");
    output::verdict(passed)
}

/// A verilated core whose frames come back to it.
fn simulated() -> Result<Vec<Row>, String> {
    let wire = WireSettings { loopback: true, ..WireSettings::default() };
    let settings = rnic_sim::Settings { wire, ..rnic_sim::Settings::default() };
    let simulator: Shared = Rc::new(RefCell::new(Simulator::new(&settings).map_err(|error| error.to_string())?));
    let mut rows = test(attach(&simulator));
    let mut simulator = simulator.borrow_mut();
    let failure = simulator.failure().map(ToString::to_string);
    let end = failure.map_or_else(|| simulator.finish().map_err(|error| error.to_string()), Err);
    let (passed, detail) = match end {
        Ok(()) => (true, "no rule broken, the buses are at rest".into()),
        Err(error) => (false, error),
    };
    rows.push(Row { step: "monitor", passed: Some(passed), detail, milliseconds: 0 });
    Ok(rows)
}

/// All steps, until one fails; what it leaves is ended with the device.
fn test<M: Machine>(machine: M) -> Vec<Row> {
    let spinner = output::spinner();
    let mut rows = vec![];
    let mut machine = Some(machine);
    let mut bench: Option<Bench<M>> = None;
    for (step, action) in steps::all::<M>() {
        if rows.iter().any(|row: &Row| row.passed != Some(true)) {
            rows.push(Row { step, passed: None, detail: String::new(), milliseconds: 0 });
            continue;
        }
        spinner.set_message(step);
        let start = Instant::now();
        let result = action(&mut machine, &mut bench);
        let (passed, detail) = match result {
            Ok(detail) => (true, detail),
            Err(error) => (false, error.to_string()),
        };
        rows.push(Row { step, passed: Some(passed), detail, milliseconds: start.elapsed().as_millis() });
    }
    spinner.finish_and_clear();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_a_wire(loopback: bool) -> Vec<Row> {
        let wire = WireSettings { loopback, ..WireSettings::default() };
        let settings = rnic_sim::Settings { wire, ..rnic_sim::Settings::default() };
        test(attach(&Rc::new(RefCell::new(Simulator::new(&settings).unwrap()))))
    }

    #[test]
    fn the_simulation_passes_every_step() {
        let rows = simulated().unwrap();
        assert!(rows.len() == 7 && rows.iter().all(|row| row.passed == Some(true)), "{rows:#?}");
    }

    #[test]
    fn without_a_loop_back_plug_the_transfer_fails_by_name_and_nothing_is_run_after_it() {
        let rows = on_a_wire(false);
        let verdicts: Vec<_> = rows.iter().map(|row| row.passed).collect();
        let passed = Some(true);
        assert_eq!(verdicts, [passed, passed, passed, Some(false), None, None], "{rows:#?}");
        assert!(rows[3].detail.contains("loop-back plug"), "{}", rows[3].detail);
    }
}
