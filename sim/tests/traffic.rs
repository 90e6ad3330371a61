//! Random data traffic between two devices against the reference model (`campaign::traffic`).
//!
//! A run is named by its preset, seed and number of requests. `RNIC_SEEDS=17..18` chooses the seeds of the long tests.
use rnic_abi::preset::{Preset, LARGE, SMALL};
use rnic_sim::traffic;
use std::ops::Range;

/// Runs `operations` requests with each seed.
fn agree(preset: &'static Preset, seeds: Range<u64>, operations: u64) {
    for seed in seeds {
        let summary = traffic(preset, seed, operations).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        println!("traffic({}, seed {seed}, {operations} requests): {summary}", preset.name);
    }
}

/// The seeds of a long test: these, or what the environment says.
fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("RNIC_SEEDS") else { return usual };
    let ends = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    ends.unwrap_or_else(|| panic!("RNIC_SEEDS={text}: not of the form 17..18"))
}

#[test]
fn two_small_devices_agree_with_the_model() {
    agree(&SMALL, 1..9, 40);
}

#[test]
fn two_large_devices_agree_with_the_model() {
    agree(&LARGE, 1..9, 40);
}

#[test]
#[ignore = "long: 1,000 runs"]
fn two_small_devices_agree_with_the_model_in_a_thousand_runs() {
    agree(&SMALL, seeds(1000..2000), 60);
}

#[test]
#[ignore = "long: 1,000 runs"]
fn two_large_devices_agree_with_the_model_in_a_thousand_runs() {
    agree(&LARGE, seeds(2000..3000), 60);
}
