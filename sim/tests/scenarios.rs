//! Every built-in scenario on the Verilog of both presets.
use rnic_abi::preset::{Preset, LARGE, SMALL};
use rnic_sim::scenario::{simulate, Overrides, BUILTIN};

/// All failures at once: one test a preset, since the models are fast and the names are in the report.
fn all_pass(preset: &'static Preset) {
    let mut failures = String::new();
    for builtin in BUILTIN {
        let scenario = builtin.scenario().unwrap_or_else(|error| panic!("{}: {error}", builtin.name));
        let overrides = Overrides { preset: Some(preset), ..Overrides::default() };
        let report = simulate(&scenario, &overrides).unwrap_or_else(|error| panic!("{}: {error}", builtin.name));
        if !report.passed {
            failures += &format!("{report}\n");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn every_builtin_scenario_passes_on_small() {
    all_pass(&SMALL);
}

#[test]
fn every_builtin_scenario_passes_on_large() {
    all_pass(&LARGE);
}
