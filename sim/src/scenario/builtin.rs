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
    ($(#[doc = $doc:literal])+ $list:ident $folder:literal: $($name:literal)+) => {
        $(#[doc = $doc])+
        pub const $list: &[Builtin] =
            &[$(Builtin { name: $name, text: include_str!(concat!("../../scenarios/", $folder, $name, ".toml")) },)+];
    };
}

scenarios! {
    /// Those that need no wire: they run on the reference model too.
    BUILTIN "":
    "registration"
    "bring-up"
    "commands"
    "registration-vectors"
    "translation-vectors"
    "syndromes"
    "batch"
    "wrap-around"
    "zero-based"
    "dma-lkey"
    "errors"
    "reset"
    "drained"
    "race"
    "interrupts"
    "doorbells"
    "cq-overflow"
    "list-faults"
    "wqe-fault"
    "harsh-host"
    "a9-c8-slow-list"
    "a10-a27-m2-what-exists"
    "b26-d4-other-queue"
    "bug-09"
    "bug-10"
    "bug-11"
    "bug-12"
    "bug-16"
    "bug-17"
    "bug-18"
    "bug-23"
    "bug-28"
    "bug-30"
    "bug-31"
    "bug-34"
    "bug-35"
    "bug-36"
    "bug-37"
    "bug-41"
    "bug-49"
    "bug-50"
    "bug-52"
    "bug-58"
    "bug-61"
}

scenarios! {
    /// Those of two NICs and a wire: data transfers.
    TRANSPORT "transport/":
    "write"
    "read"
    "send"
    "invalidate"
    "atomics"
    "lossy"
    "many-qps"
    "drain"
    "order-on-the-wire"
    "payload-fault"
    "raw"
    "e13-zero-based-atomic"
    "t49-lost-frame-of-an-acknowledged-request"
    "t59-failed-writes-of-another"
    "t62-nak-before-err"
    "t64-failed-response"
    "t69-many-reads-behind-slow-completions"
    "t73-err-silences-the-responder"
    "v10-v12-v13-wrong-requests"
    "v27-v32-v40-acknowledgements"
    "v30-v58-v60-v61-read-answers"
    "v34-resending-read-open"
    "v35-v59-timeouts"
    "v37-v38-v39-receiver-not-ready"
    "v42-v43-local-failure-behind-open-requests"
    "v44-reset-while-sending"
    "v49-long-read-beside-writes"
    "bug-02"
    "bug-11-remote"
    "bug-13"
    "bug-14"
    "bug-15"
    "bug-32"
    "bug-40"
    "bug-45"
    "bug-53"
    "bug-66"
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
    BUILTIN.iter().chain(TRANSPORT).find(|builtin| builtin.name == name)
}
