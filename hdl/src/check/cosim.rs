//! Random co-simulation: a block against its own exported Verilog.
use super::{tools, Outcome, RandomDrive};
use crate::widgets::UNDEFINED_START;
use rust_hdl::prelude::*;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

/// Ports of the top block, in declaration order, with their settled values in hexadecimal.
#[derive(Default)]
struct PortProbe {
    depth: usize,
    namespace: Vec<String>,
    ports: Vec<Port>,
}

struct Port {
    name: String,
    kind: AtomKind,
    width: usize,
    value: String,
}

impl Probe for PortProbe {
    fn visit_start_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth += 1;
    }
    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth -= 1;
    }
    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        self.namespace.push(name.into());
    }
    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        self.namespace.pop();
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        if self.depth == 1 && signal.kind().is_parameter() {
            let mut full = self.namespace.clone();
            full.push(name.into());
            let literal = format!("{:x}", signal.verilog());
            let value = literal.split("'h").nth(1).unwrap_or("0").to_string();
            self.ports.push(Port { name: full.join("$"), kind: signal.kind(), width: signal.bits(), value });
        }
    }
}

fn ports(uut: &dyn Block) -> Vec<Port> {
    let mut probe = PortProbe::default();
    uut.accept("top", &mut probe);
    probe.ports
}

/// The Verilog with zeros in its memories, as the Rust model has them.
fn with_defined_start(text: &str) -> String {
    let mut lines = vec![];
    for line in text.lines() {
        match line.trim().strip_prefix(UNDEFINED_START) {
            Some(rest) => {
                let mut words = rest.split_whitespace();
                let (memory, last, out) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
                lines.push(format!("integer start; initial begin {out} = 0; for (start = 0; start <= {last}; start = start + 1) {memory}[start] = 0; end"));
            }
            None => lines.push(line.into()),
        }
    }
    lines.join("\n")
}

/// Runs the block for `vectors` clock periods on random inputs in Rust, then its Verilog on the same inputs in Icarus, and
/// compares all outputs after every change of the clock.
pub(super) fn cosim<U: Block>(
    uut: &mut U,
    text: &str,
    clock: &dyn Fn(&mut U) -> Option<&mut Signal<In, Clock>>,
    drive: &dyn Fn(&mut U, &mut RandomDrive),
    vectors: usize,
    directory: &Path,
) -> Outcome {
    let mut random = RandomDrive::new(7);
    let mut body = String::new();
    let mut seen: HashMap<String, (String, bool)> = HashMap::new();
    let clocked = clock(uut).is_some();
    for step in 0..vectors {
        random.start_step(step);
        drive(uut, &mut random);
        for level in [false, true] {
            match clock(uut) {
                Some(clock) => clock.next = Clock { clk: level },
                None if level => continue,
                None => {}
            }
            let settled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| simulate(uut, 1000)));
            match settled {
                Err(_) => return Err(format!("the Rust model panicked in step {step}")),
                Ok(false) => return Err(format!("no convergence in step {step}")),
                Ok(true) => {}
            }
            write_vector(&mut body, &ports(uut), step, level, &mut seen);
        }
    }
    let still = seen.iter().filter(|(_, (_, moved))| !moved).map(|(name, _)| name.as_str()).collect::<Vec<_>>();
    if !still.is_empty() && vectors > 20 {
        return Err(format!("inputs never driven: {}", still.join(", ")));
    }
    let bench = bench(&ports(uut), &body);
    tools::write(directory, "start.v", &with_defined_start(text))?;
    tools::write(directory, "bench.v", &bench)?;
    let printed = tools::icarus(directory, &["start.v", "bench.v"])?;
    let bad = printed.lines().find_map(|line| line.strip_prefix("BAD ")).ok_or(format!("no verdict: {printed}"))?;
    match bad.trim() {
        "0" => Ok(format!("{vectors} {}", if clocked { "cycles" } else { "vectors" })),
        bad => Err(format!("{bad} mismatches\n{}", printed.lines().take(6).collect::<Vec<_>>().join("\n"))),
    }
}

fn write_vector(
    body: &mut String,
    ports: &[Port],
    step: usize,
    level: bool,
    seen: &mut HashMap<String, (String, bool)>,
) {
    for port in ports.iter().filter(|port| port.kind == AtomKind::InputParameter) {
        let (before, moved) = seen.entry(port.name.clone()).or_insert_with(|| (port.value.clone(), false));
        *moved |= *before != port.value;
        writeln!(body, "{} = {}'h{};", port.name, port.width, port.value).unwrap();
    }
    writeln!(body, "#1;").unwrap();
    for port in ports.iter().filter(|port| port.kind == AtomKind::OutputParameter) {
        let Port { name, width, value, .. } = port;
        writeln!(
            body,
            "if ({name} !== {width}'h{value}) begin mismatches = mismatches + 1; if (mismatches < 6) $display(\"cycle {step} clock {} {name}: Verilog %h Rust {value}\", {name}); end",
            level as u8
        )
        .unwrap();
    }
}

fn bench(ports: &[Port], body: &str) -> String {
    let mut text = String::from("module bench;\ninteger mismatches = 0;\n");
    for port in ports {
        let kind = if port.kind == AtomKind::InputParameter { "reg" } else { "wire" };
        writeln!(text, "{kind} [{}:0] {};", port.width - 1, port.name).unwrap();
    }
    let connections = ports.iter().map(|port| format!(".{0}({0})", port.name)).collect::<Vec<_>>().join(", ");
    write!(text, "top dut({connections});\ninitial begin\n{body}$display(\"BAD %0d\", mismatches);\nend\nendmodule\n")
        .unwrap();
    text
}
