//! Right, wrong and damaged frames into a device with live queue pairs (`campaign::fuzz`).
use rnic_abi::preset::{Preset, LARGE, SMALL};
use rnic_sim::fuzz;

fn survives(preset: &'static Preset, seed: u64, frames: u64) {
    let summary = fuzz(preset, seed, frames).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    println!("fuzz({}, seed {seed}, {frames} frames): {summary}", preset.name);
    // Frames that all die at the first check would show nothing.
    assert!(summary.answers > frames / 20 && summary.failures > frames / 200 && summary.received > frames / 200);
}

#[test]
fn a_small_device_survives_2500_frames() {
    survives(&SMALL, 1, 2500);
}

#[test]
fn a_large_device_survives_2500_frames() {
    survives(&LARGE, 2, 2500);
}

#[test]
#[ignore = "long: 160,000 frames"]
fn a_small_device_survives_160_000_frames() {
    (10..42).for_each(|seed| survives(&SMALL, seed, 5000));
}

#[test]
#[ignore = "long: 40,000 frames; one takes four times as long as on `small`"]
fn a_large_device_survives_40_000_frames() {
    (30..38).for_each(|seed| survives(&LARGE, seed, 5000));
}
