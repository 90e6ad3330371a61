//! `rnic check`: all checks of all blocks, as a table.
use crate::output;
use clap::Args;
use rnic_hdl::check::{BlockReport, CHECKS};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `rnic check`.
#[derive(Args)]
pub struct CheckArguments {
    /// Blocks to check: a name, or the beginning of names (`mr`, `widgets/fifo`); all without it
    block: Option<String>,
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &CheckArguments) -> ExitCode {
    let prefix = arguments.block.as_deref().unwrap_or("");
    let blocks: Vec<_> = rnic_hdl::blocks().into_iter().filter(|block| block.name.starts_with(prefix)).collect();
    if blocks.is_empty() {
        return output::bad_input(format!("no block is called `{prefix}...`; `./rnic check` lists all"));
    }
    let directory =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from).join("check/cli");
    let bar = output::progress(blocks.len());
    let reports: Vec<BlockReport> = blocks
        .iter()
        .map(|block| {
            bar.set_message(block.name);
            let report = block.run(&directory);
            bar.inc(1);
            report
        })
        .collect();
    bar.finish_and_clear();
    let passed = reports.iter().all(BlockReport::passed);
    if arguments.json {
        println!("{}", json(&reports, passed));
    } else {
        print(&reports);
    }
    output::verdict(passed)
}

fn json(reports: &[BlockReport], passed: bool) -> serde_json::Value {
    let blocks: Vec<_> = reports
        .iter()
        .map(|report| {
            let checks: serde_json::Map<_, _> = report
                .outcomes
                .iter()
                .map(|(check, outcome)| {
                    let (passed, remark) = match outcome {
                        Ok(remark) => (true, remark),
                        Err(remark) => (false, remark),
                    };
                    (check.to_string(), serde_json::json!({ "passed": passed, "remark": remark }))
                })
                .collect();
            serde_json::json!({ "name": report.name, "passed": report.passed(), "checks": checks })
        })
        .collect();
    serde_json::json!({ "passed": passed, "blocks": blocks })
}

fn print(reports: &[BlockReport]) {
    let mut header = vec!["block"];
    header.extend(CHECKS);
    let mut table = output::table(&header);
    for report in reports {
        let mut row = vec![report.name.clone()];
        row.extend(CHECKS.iter().map(|check| match report.outcomes.iter().find(|(name, _)| name == check) {
            Some((_, Ok(remark))) => remark.clone(),
            Some((_, Err(_))) => "FAILED".into(),
            None => "-".into(),
        }));
        table.add_row(row);
    }
    println!("{table}");
    for report in reports {
        for (check, outcome) in &report.outcomes {
            if let Err(error) = outcome {
                println!("{} {check}: {error}", report.name);
            }
        }
    }
    let failed = reports.iter().filter(|report| !report.passed()).count();
    println!("{} passed, {failed} failed", reports.len() - failed);
}
