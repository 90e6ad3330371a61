//! `rnic devices`: the rnics of this machine.
use crate::output;
use clap::Args;
use rnic_abi::register::MAGIC_VALUE;
use rnic_linux::Function;
use std::process::ExitCode;

/// Arguments of `rnic devices`.
#[derive(Args)]
pub struct DevicesArguments {
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
}

/// Runs the command. No device is no failure, nor is one that sleeps or that this process may not look at; one whose MAGIC is
/// wrong is.
pub fn run(arguments: &DevicesArguments) -> ExitCode {
    let functions = match rnic_linux::devices() {
        Ok(functions) => functions,
        Err(error) => return output::bad_input(error),
    };
    let magics: Vec<_> = functions.iter().map(|function| function.magic().map_err(|error| error.to_string())).collect();
    let passed = magics.iter().all(|magic| *magic == Ok(MAGIC_VALUE) || magic.is_err());
    if arguments.json {
        let rows: Vec<_> = functions.iter().zip(&magics).map(|(function, magic)| json(function, magic)).collect();
        println!("{}", serde_json::json!({ "passed": passed, "devices": rows }));
        return output::verdict(passed);
    }
    if functions.is_empty() {
        println!("no rnic in this machine");
        return output::verdict(true);
    }
    let mut table = output::table(&["address", "id", "class", "driver", "BAR0", "MAGIC"]);
    for (function, magic) in functions.iter().zip(&magics) {
        table.add_row([
            function.address.clone(),
            format!("{:04x}:{:04x}", function.vendor, function.device),
            format!("{:04x}", function.class),
            function.driver.clone().unwrap_or_else(|| "-".into()),
            format!("{} KiB", function.bar0_bytes >> 10),
            match magic {
                Ok(MAGIC_VALUE) => "RNIC".into(),
                Ok(other) => format!("{other:#010x}, which is wrong"),
                Err(error) => error.clone(),
            },
        ]);
    }
    println!("{table}");
    output::verdict(passed)
}

fn json(function: &Function, magic: &Result<u32, String>) -> serde_json::Value {
    serde_json::json!({
        "address": function.address,
        "vendor": format!("{:04x}", function.vendor),
        "device": format!("{:04x}", function.device),
        "class": format!("{:04x}", function.class),
        "driver": function.driver,
        "bar0_bytes": function.bar0_bytes,
        "magic": magic.as_ref().ok().map(|magic| format!("{magic:08x}")),
        "error": magic.as_ref().err(),
    })
}
