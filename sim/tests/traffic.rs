//! Random data traffic between two devices against the reference model (`campaign::traffic`).
use rnic_abi::preset::{Preset, LARGE, SMALL};
use rnic_sim::traffic;

/// Requests of one run.
const OPERATIONS: u64 = 40;

fn agree(preset: &'static Preset, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        println!("{} seed {seed}", preset.name);
        let summary = traffic(preset, seed, OPERATIONS).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        println!("{} seed {seed}: {summary}", preset.name);
    }
}

#[test]
fn two_small_devices_agree_with_the_model() {
    agree(&SMALL, 1..9);
}

#[test]
fn two_large_devices_agree_with_the_model() {
    agree(&LARGE, 1..9);
}
