//! Every built-in scenario on the Verilog of both presets.
use rnic_abi::preset::{Preset, LARGE, SMALL};
use rnic_sim::scenario::{simulate, Builtin, Overrides, BUILTIN, TRANSPORT};

/// All failures at once: one test a preset, since the models are fast and the names are in the report.
fn all_pass(preset: &'static Preset, scenarios: &[Builtin]) {
    let mut failures = String::new();
    for builtin in scenarios {
        let scenario = builtin.scenario().unwrap_or_else(|error| panic!("{}: {error}", builtin.name));
        let overrides = Overrides { preset: Some(preset), ..Overrides::default() };
        let report = simulate(&scenario, &overrides).unwrap_or_else(|error| panic!("{}: {error}", builtin.name));
        println!("{}, {}: {} cycles", builtin.name, preset.name, report.cycles);
        if !report.passed {
            failures += &format!("{report}\n");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn every_builtin_scenario_passes_on_small() {
    all_pass(&SMALL, BUILTIN);
}

#[test]
fn every_builtin_scenario_passes_on_large() {
    all_pass(&LARGE, BUILTIN);
}

#[test]
fn every_transport_scenario_passes_on_small() {
    all_pass(&SMALL, TRANSPORT);
}

#[test]
fn every_transport_scenario_passes_on_large() {
    all_pass(&LARGE, TRANSPORT);
}
