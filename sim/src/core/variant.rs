//! Which of the built models to run.
use super::ports::{Inputs, Outputs};
use rnic_abi::preset::{self, Preset};
use std::ffi::{c_char, c_int};
use std::str::FromStr;

/// A preset of the core of which there is a model in this build (`tiny` needs the feature of that name).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// DATA = 64, 8 queue pairs.
    #[cfg(feature = "tiny")]
    Tiny,
    /// DATA = 64, 16 queue pairs.
    #[default]
    Small,
    /// DATA = 512, 256 queue pairs.
    Large,
}

impl Variant {
    /// Every model of this build.
    pub const ALL: &'static [Self] = &[
        #[cfg(feature = "tiny")]
        Self::Tiny,
        Self::Small,
        Self::Large,
    ];

    /// The numbers of the preset.
    #[must_use]
    pub fn preset(self) -> &'static Preset {
        match self {
            #[cfg(feature = "tiny")]
            Self::Tiny => &preset::TINY,
            Self::Small => &preset::SMALL,
            Self::Large => &preset::LARGE,
        }
    }

    /// Name of the preset.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.preset().name
    }

    pub(super) fn functions(self) -> Functions {
        match self {
            #[cfg(feature = "tiny")]
            Self::Tiny => tiny(),
            Self::Small => small(),
            Self::Large => large(),
        }
    }
}

impl FromStr for Variant {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.iter().copied().find(|variant| variant.name() == name).ok_or_else(|| {
            let known = Self::ALL.iter().map(|variant| variant.name()).collect::<Vec<_>>().join(", ");
            format!("no simulation model of preset `{name}`: there are {known}")
        })
    }
}

/// The C++ object; only its address is known here.
#[repr(C)]
pub(super) struct Simulation {
    _private: [u8; 0],
}

/// The C functions of one preset.
#[derive(Clone, Copy)]
pub(super) struct Functions {
    pub new: unsafe extern "C" fn(c_int, c_int) -> *mut Simulation,
    pub trace: unsafe extern "C" fn(*mut Simulation, *const c_char) -> c_int,
    pub settle: unsafe extern "C" fn(*mut Simulation, *const Inputs, *mut Outputs, u64),
    pub rise: unsafe extern "C" fn(*mut Simulation, u64),
    pub errors: unsafe extern "C" fn(*mut Simulation) -> c_int,
    pub delete: unsafe extern "C" fn(*mut Simulation),
}

macro_rules! functions {
    ($preset:ident: $new:ident $trace:ident $settle:ident $rise:ident $errors:ident $delete:ident) => {
        fn $preset() -> Functions {
            extern "C" {
                fn $new(seed: c_int, tracing: c_int) -> *mut Simulation;
                fn $trace(simulation: *mut Simulation, file: *const c_char) -> c_int;
                fn $settle(simulation: *mut Simulation, inputs: *const Inputs, outputs: *mut Outputs, cycle: u64);
                fn $rise(simulation: *mut Simulation, cycle: u64);
                fn $errors(simulation: *mut Simulation) -> c_int;
                fn $delete(simulation: *mut Simulation);
            }
            Functions { new: $new, trace: $trace, settle: $settle, rise: $rise, errors: $errors, delete: $delete }
        }
    };
}

#[cfg(feature = "tiny")]
functions!(tiny: rnic_tiny_new rnic_tiny_trace rnic_tiny_settle rnic_tiny_rise rnic_tiny_errors rnic_tiny_delete);
functions!(small: rnic_small_new rnic_small_trace rnic_small_settle rnic_small_rise rnic_small_errors rnic_small_delete);
functions!(large: rnic_large_new rnic_large_trace rnic_large_settle rnic_large_rise rnic_large_errors rnic_large_delete);
