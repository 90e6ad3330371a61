//! The format and its errors, and every built-in scenario on the reference model.

use super::*;
use crate::host::HostMemory;
use crate::platform::SimMemory;
use crate::reference::device::ModelDevice;
use rnic_abi::preset::{Preset, ALL};
use std::cell::RefCell;
use std::rc::Rc;

fn on_model(scenario: &Scenario, preset: &'static Preset) -> Report {
    let memory = HostMemory::new(scenario.device.seed);
    let model = Rc::new(RefCell::new(ModelDevice::new(preset, memory.clone())));
    run(scenario, model_machine(&model, SimMemory::new(memory)), scenario.device.seed)
}

#[test]
fn every_builtin_scenario_passes_on_the_model_of_every_preset() {
    for builtin in BUILTIN {
        let scenario = builtin.scenario().unwrap_or_else(|error| panic!("{}: {error}", builtin.name));
        assert_eq!(scenario.name, builtin.name);
        for preset in ALL {
            let report = on_model(&scenario, preset);
            assert!(report.passed, "{report}");
        }
    }
}
