//! `rnic bench`: measurements on the Verilog, with the bound beside each figure.
use crate::output;
use clap::{Args, Subcommand};
use rnic_sim::bench::{bench_registration, Case, ListKind, Operation, RegistrationRow};
use rnic_sim::Variant;
use std::process::ExitCode;

/// Arguments of `rnic bench`.
#[derive(Args)]
pub struct BenchArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Cycles a REG_MR and a REG_MR + LOCAL_INV pair, at DATA 64 and 512
    Registration {
        /// Print a JSON array of rows instead of the table
        #[arg(long)]
        json: bool,
        /// Cycles from the address of a read to its first beat
        #[arg(long, default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        memory_latency: u32,
    },
}

/// Runs the command.
pub fn run(arguments: &BenchArguments) -> ExitCode {
    let What::Registration { json, memory_latency } = arguments.what;
    let cases: Vec<_> =
        [Variant::Small, Variant::Large].into_iter().flat_map(|variant| cases(variant, memory_latency)).collect();
    let bar = output::progress(cases.len());
    let mut rows = vec![];
    for (variant, case) in &cases {
        bar.set_message(format!("{} {} pages, {} QPs", variant.preset().name, case.pages, case.qps));
        match bench_registration(*variant, case) {
            Ok(row) => rows.push(row),
            Err(error) => {
                bar.finish_and_clear();
                eprintln!("rnic: {}: {case:?}: {error}", variant.preset().name);
                return output::verdict(false);
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if json {
        println!("{}", serde_json::to_string_pretty(&rows).expect("rows are plain data"));
    } else {
        print(&rows);
    }
    ExitCode::SUCCESS
}

/// Every page count that the preset allows, inline where it fits, on one queue pair and on 16; then the pairs again with all
/// other regions registered.
fn cases(variant: Variant, memory_latency: u32) -> Vec<(Variant, Case)> {
    let preset = variant.preset();
    let mut cases = vec![];
    for operation in [Operation::Register, Operation::Pair] {
        for pages in [1, 4, 8, 64, 512].into_iter().filter(|pages| *pages <= u32::from(preset.max_page_list)) {
            for list in [ListKind::Inline, ListKind::Pointer] {
                for qps in [1, 16] {
                    if list == ListKind::Pointer || pages <= 4 {
                        let case = Case { operation, pages: pages as u16, list, qps, memory_latency, crowded: false };
                        cases.push((variant, case));
                    }
                }
            }
        }
    }
    let crowded =
        Case { operation: Operation::Pair, pages: 8, list: ListKind::Pointer, qps: 1, memory_latency, crowded: true };
    cases.push((variant, crowded));
    cases
}

fn print(rows: &[RegistrationRow]) {
    let mut table = output::table(&["op", "DATA", "pages", "list", "QPs", "registered", "cycles/op", "bound", "ratio"]);
    for row in rows {
        table.add_row([
            if row.op == Operation::Pair { "reg+inv" } else { "reg" }.to_string(),
            row.data.to_string(),
            row.pages.to_string(),
            if row.list == ListKind::Inline { "inline" } else { "pointer" }.to_string(),
            row.qps.to_string(),
            row.registered.to_string(),
            format!("{:.2}", row.cycles_per_op),
            row.bound.to_string(),
            format!("{:.2}", row.ratio),
        ]);
    }
    println!("{table}");
    if let Some(row) = rows.first() {
        println!("memory latency {} cycles; bound: beats of WQEs and lists by pointer", row.memory_latency);
    }
    for data in [64, 512] {
        let speeds: Vec<_> = rows.iter().filter(|row| row.data == data).map(|row| row.simulated_per_second).collect();
        if !speeds.is_empty() {
            let mean = speeds.iter().sum::<f64>() / speeds.len() as f64;
            println!("simulation at DATA {data}: {:.0} k cycles a second", mean / 1e3);
        }
    }
}
