//! `rnic prove`: the proofs of the hardware and the mutants that they must find.
use crate::output;
use clap::Args;
use rnic_formal::Report;
use std::process::ExitCode;

/// Arguments of `rnic prove`.
#[derive(Args)]
pub struct ProveArguments {
    /// Only proofs and mutants whose name holds this (`lookup`, `fifo: bound`)
    filter: Option<String>,
    /// Print one JSON object instead of the tables
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &ProveArguments) -> ExitCode {
    let filter = arguments.filter.as_deref().unwrap_or("");
    let jobs = rnic_formal::jobs(filter);
    if jobs == 0 {
        return output::bad_input(format!("no proof or mutant is called `...{filter}...`; `./rnic prove` runs all"));
    }
    let bar = output::progress(jobs);
    let report = rnic_formal::run(filter, &|name| {
        bar.set_message(name.to_string());
        bar.inc(1);
    });
    bar.finish_and_clear();
    let report = match report {
        Ok(report) => report,
        Err(error) => return output::bad_input(error),
    };
    if arguments.json {
        println!("{}", serde_json::to_value(&report).expect("a report is plain data"));
    } else {
        print(&report);
    }
    output::verdict(report.passed)
}

fn print(report: &Report) {
    let mut table = output::table(&["proof", "method", "cycles", "proved", "covers", "s"]);
    for found in &report.properties {
        let word = |good: bool| if good { "yes" } else { "NO" };
        table.add_row([
            &found.name,
            found.method,
            &found.depth.to_string(),
            word(found.passed),
            word(found.cover),
            &format!("{:.1}", found.seconds),
        ]);
    }
    if !report.properties.is_empty() {
        println!("{table}");
    }
    let mut table = output::table(&["mutant", "caught by", "s"]);
    for found in &report.mutants {
        let by = if found.caught { found.by.clone() } else { "NOT CAUGHT".into() };
        table.add_row([&found.name, &by, &format!("{:.1}", found.seconds)]);
    }
    if !report.mutants.is_empty() {
        println!("{table}");
    }
    for found in &report.properties {
        if let Some(failure) = &found.failure {
            println!("{}: {failure}", found.name);
        }
    }
    for found in report.mutants.iter().filter(|found| !found.caught) {
        println!("{}: {}", found.name, found.by);
    }
    let proved = report.properties.iter().filter(|found| found.passed && found.cover).count();
    let caught = report.mutants.iter().filter(|found| found.caught).count();
    println!(
        "{proved} of {} proved with all covers reached, {caught} of {} mutants caught",
        report.properties.len(),
        report.mutants.len()
    );
}
