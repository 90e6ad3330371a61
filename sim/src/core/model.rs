//! One instance of the verilated core.
//!
//! A cycle is [`Core::settle`] (clock low; combinational paths from the inputs take effect; outputs are those that the
//! edge will see), then [`Core::rise`]. Each core has a context of its own, so cores in several threads do not meet.
use super::ports::{Inputs, Outputs};
use super::variant::{Functions, Simulation, Variant};
use std::ffi::CString;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a core could not be made.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CoreError {
    /// The trace cannot be written.
    #[error("cannot write the trace `{}`", .0.display())]
    Trace(PathBuf),
}

/// The hardware of one preset, to be clocked.
pub struct Core {
    simulation: *mut Simulation,
    functions: Functions,
    variant: Variant,
    outputs: Outputs,
    cycle: u64,
}

impl Core {
    /// A core before its first clock. Registers and RAM hold random values of the seed, as after power-up.
    ///
    /// # Errors
    /// The trace (FST, all levels) cannot be written.
    pub fn new(variant: Variant, seed: u32, trace: Option<&Path>) -> Result<Self, CoreError> {
        let functions = variant.functions();
        // Verilator takes seed 0 as "choose one yourself" and wants 31 bits.
        let seed = (seed % 0x7fff_fffe + 1) as i32;
        // SAFETY: `new` takes plain numbers and answers an object that this struct owns until `delete`.
        let simulation = unsafe { (functions.new)(seed, i32::from(trace.is_some())) };
        let core = Self { simulation, functions, variant, outputs: Outputs::default(), cycle: 0 };
        if let Some(path) = trace {
            core.open(path)?;
        }
        Ok(core)
    }

    fn open(&self, path: &Path) -> Result<(), CoreError> {
        let failed = || CoreError::Trace(path.into());
        // The FST writer does not report a file that it cannot make, so that is tried first.
        std::fs::File::create(path).map_err(|_| failed())?;
        let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| failed())?;
        // SAFETY: the object is alive and the name ends with a zero byte.
        match unsafe { (self.functions.trace)(self.simulation, name.as_ptr()) } {
            0 => Err(failed()),
            _ => Ok(()),
        }
    }

    /// Takes the inputs and answers the outputs that the next rising edge sees.
    #[inline]
    pub fn settle(&mut self, inputs: &Inputs) -> &Outputs {
        // SAFETY: the object is alive, and both structs have the layout of the C++ side.
        unsafe { (self.functions.settle)(self.simulation, inputs, &mut self.outputs, self.cycle) };
        &self.outputs
    }

    /// The rising edge, with the inputs of the last [`Core::settle`].
    #[inline]
    pub fn rise(&mut self) {
        // SAFETY: the object is alive.
        unsafe { (self.functions.rise)(self.simulation, self.cycle) };
        self.cycle += 1;
    }

    /// One whole cycle; answers the outputs that its rising edge saw.
    pub fn tick(&mut self, inputs: &Inputs) -> Outputs {
        let outputs = *self.settle(inputs);
        self.rise();
        outputs
    }

    /// Outputs of the last [`Core::settle`].
    #[must_use]
    pub fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// Rising edges so far.
    #[must_use]
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Which model this is.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Errors that the Verilog runtime has reported.
    #[must_use]
    pub fn errors(&self) -> u32 {
        // SAFETY: the object is alive.
        unsafe { (self.functions.errors)(self.simulation) }.unsigned_abs()
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        // SAFETY: the only call of `delete`; the pointer is not used after it.
        unsafe { (self.functions.delete)(self.simulation) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_clocks_and_answers_a_read() {
        for &variant in Variant::ALL {
            let mut core = Core::new(variant, 1, None).unwrap();
            let mut inputs = Inputs { reset: 1, ..Inputs::default() };
            for _ in 0..20 {
                core.tick(&inputs);
            }
            inputs.reset = 0;
            inputs.arvalid = 1;
            inputs.rready = 1;
            let answered = (0..64).any(|_| {
                let outputs = core.tick(&inputs);
                inputs.arvalid &= u8::from(outputs.s_arready == 0);
                outputs.s_rvalid == 1
            });
            assert!(answered, "{}", variant.name());
            assert_eq!(core.errors(), 0);
        }
    }

    #[test]
    fn a_trace_that_cannot_be_written_is_an_error() {
        let path = Path::new("no/such/directory/a.fst");
        assert_eq!(Core::new(Variant::Small, 1, Some(path)).err(), Some(CoreError::Trace(path.into())));
    }

    #[test]
    fn the_trace_is_an_fst_file() {
        let path = std::env::temp_dir().join(format!("rnic-core-{}.fst", std::process::id()));
        let mut core = Core::new(Variant::Small, 1, Some(&path)).unwrap();
        for _ in 0..10 {
            core.tick(&Inputs::default());
        }
        drop(core);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(bytes.len() > 100, "{} bytes", bytes.len());
    }
}
