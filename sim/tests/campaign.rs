//! Random operations on the Verilog against the reference model: 20,000 on each preset, in four seeds.
use rnic_abi::preset::{Preset, LARGE, SMALL};
use rnic_sim::campaign;

/// Operations of one test.
const OPERATIONS: u64 = 5_000;

fn agree(preset: &'static Preset, seed: u64) {
    let summary = campaign(preset, seed, OPERATIONS).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    println!("{} seed {seed}: {summary}", preset.name);
}

macro_rules! seeds {
    ($($name:ident: $preset:expr, $seed:literal;)+) => {
        $(#[test]
        fn $name() {
            agree($preset, $seed);
        })+
    };
}

seeds! {
    small_agrees_with_the_model_seed_1: &SMALL, 1;
    small_agrees_with_the_model_seed_2: &SMALL, 2;
    small_agrees_with_the_model_seed_3: &SMALL, 3;
    small_agrees_with_the_model_seed_4: &SMALL, 4;
    large_agrees_with_the_model_seed_1: &LARGE, 1;
    large_agrees_with_the_model_seed_2: &LARGE, 2;
    large_agrees_with_the_model_seed_3: &LARGE, 3;
    large_agrees_with_the_model_seed_4: &LARGE, 4;
}
