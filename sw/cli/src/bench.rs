//! `rnic bench`: measurements on the Verilog, with the bound beside each figure.
use crate::output;
use clap::{Args, Subcommand};
use rnic_sim::bench::{
    bench_latency, bench_registration, bench_wire, BenchError, Case, LatencyRow, ListKind, Operation, RegistrationRow,
    Transfer, WireCase, WireRow,
};
use rnic_sim::Variant;
use serde::Serialize;
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
    /// Cycles a WRITE, SEND and READ between two NICs, at DATA 64 and 512
    Wire {
        /// Only this operation: write, send or read
        #[arg(long, value_parser = transfer)]
        op: Option<Transfer>,
        /// Only this preset
        #[arg(long, value_parser = ["small", "large"])]
        preset: Option<String>,
        /// Only messages of so many bytes
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
        message: Option<u32>,
        /// Path MTU, bytes
        #[arg(long, default_value_t = 4096)]
        mtu: u32,
        /// Print a JSON array of rows instead of the table
        #[arg(long)]
        json: bool,
        /// Cycles from the address of a read to its first beat
        #[arg(long, default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        memory_latency: u32,
        /// Cycles that the wire adds to a frame and its acknowledgement together
        #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(2..=100_000))]
        ack_delay: u32,
    },
    /// Cycles from doorbell to frame, frame to memory, frame to acknowledgement, and around
    Latency {
        /// Print a JSON array of rows instead of the table
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command.
pub fn run(arguments: &BenchArguments) -> ExitCode {
    match arguments.what {
        What::Registration { json, memory_latency } => {
            let cases = [Variant::Small, Variant::Large].into_iter().flat_map(|variant| cases(variant, memory_latency));
            let label = |case: &Case| format!("{} pages, {} QPs", case.pages, case.qps);
            measure(cases.collect(), label, |variant, case| bench_registration(variant, case), json, print)
        }
        What::Wire { json, memory_latency, ack_delay, op, ref preset, message, mtu } => {
            if rnic_driver::PathMtu::from_bytes(mtu).is_none() {
                return output::bad_input(format!("no path MTU has {mtu} bytes; there are 256, 512, 1024, 2048, 4096"));
            }
            let label = |case: &WireCase| format!("{:?} of {} bytes, {} QPs", case.op, case.message, case.qps);
            let mut cases = wire_cases(memory_latency, ack_delay, mtu, message);
            cases.retain(|(variant, case)| {
                op.is_none_or(|op| op == case.op) && preset.as_ref().is_none_or(|name| name == variant.preset().name)
            });
            measure(cases, label, |variant, case| bench_wire(variant, case), json, print_wire)
        }
        What::Latency { json } => {
            let cases = [Variant::Small, Variant::Large].map(|variant| (variant, ())).to_vec();
            measure(cases, |()| "one WRITE".into(), |variant, ()| bench_latency(variant), json, print_latency)
        }
    }
}

/// Makes all measurements, then prints them; ends at the first that fails.
fn measure<C: std::fmt::Debug, R: Serialize>(
    cases: Vec<(Variant, C)>,
    label: impl Fn(&C) -> String,
    make: impl Fn(Variant, &C) -> Result<R, BenchError>,
    json: bool,
    print: impl Fn(&[R]),
) -> ExitCode {
    let bar = output::progress(cases.len());
    let mut rows = vec![];
    for (variant, case) in &cases {
        bar.set_message(format!("{} {}", variant.preset().name, label(case)));
        match make(*variant, case) {
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

/// An operation by name.
fn transfer(name: &str) -> Result<Transfer, String> {
    let found = [Transfer::Write, Transfer::Send, Transfer::Read].into_iter();
    let found = found.zip(["write", "send", "read"]).find(|(_, known)| *known == name);
    found.map(|(transfer, _)| transfer).ok_or_else(|| "there are write, send and read".into())
}

/// WRITE, SEND and READ of 64 bytes to 64 KiB (or of one length) on one, four and all queue pairs.
fn wire_cases(memory_latency: u32, ack_delay: u32, mtu: u32, message: Option<u32>) -> Vec<(Variant, WireCase)> {
    let messages = message.map_or(vec![64, 256, 1024, 4096, 65536], |message| vec![message]);
    let mut cases = vec![];
    for variant in [Variant::Small, Variant::Large] {
        for op in [Transfer::Write, Transfer::Send, Transfer::Read] {
            for &message in &messages {
                for qps in [1, 4, variant.preset().qps - 1] {
                    cases.push((variant, WireCase { op, message, mtu, qps, memory_latency, ack_delay }));
                }
            }
        }
    }
    cases
}

fn print_wire(rows: &[WireRow]) {
    let mut table =
        output::table(&["op", "DATA", "message", "MTU", "QPs", "cycles/message", "beats needed", "efficiency"]);
    for row in rows {
        table.add_row([
            format!("{:?}", row.op).to_uppercase(),
            row.data.to_string(),
            row.message.to_string(),
            row.mtu.to_string(),
            row.qps.to_string(),
            format!("{:.2}", row.cycles_per_message),
            row.beats_needed.to_string(),
            format!("{:.3}", row.efficiency),
        ]);
    }
    println!("{table}");
    println!("beats needed: those of the frames with the data; the wire has one a cycle");
}

fn print_latency(rows: &[LatencyRow]) {
    let mut table = output::table(&["DATA", "doorbell to frame", "frame to memory", "frame to ACK", "doorbell to CQE"]);
    for row in rows {
        let columns =
            [u64::from(row.data), row.doorbell_to_frame, row.frame_to_memory, row.frame_to_ack, row.round_trip];
        table.add_row(columns.map(|column| column.to_string()));
    }
    println!("{table}");
    println!("cycles of one WRITE of 64 bytes; memory answers in one cycle, the wire adds one");
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
