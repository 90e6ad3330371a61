//! The scenarios that come with the simulation, in the order of `--list`.

use super::{BadScenario, Scenario};

/// A scenario file inside the program.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Name on the command line.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

macro_rules! scenarios {
    ($($name:literal)+) => {
        /// All of them.
        pub const BUILTIN: &[Builtin] =
            &[$(Builtin { name: $name, text: include_str!(concat!("../../scenarios/", $name, ".toml")) },)+];
    };
}

scenarios! {
    "registration"
}

impl Builtin {
    /// Reads it.
    ///
    /// # Errors
    /// Never in a tested build.
    pub fn scenario(&self) -> Result<Scenario, BadScenario> {
        Scenario::parse(self.text)
    }
}

/// The scenario of this name.
pub fn builtin(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().find(|builtin| builtin.name == name)
}
