//! The format and its errors, and every built-in scenario on the reference model.

use super::*;
use rnic_abi::preset::{LARGE, SMALL};

#[test]
fn every_builtin_scenario_passes_on_the_model_of_both_presets() {
    for builtin in BUILTIN {
        let scenario = builtin.scenario().unwrap_or_else(|error| panic!("{}: {error}", builtin.name));
        assert_eq!(scenario.name, builtin.name);
        for preset in [&SMALL, &LARGE] {
            let overrides = Overrides { preset: Some(preset), ..Overrides::default() };
            let report = simulate_reference(&scenario, &overrides);
            assert!(report.passed, "{report}");
        }
    }
}
