//! The hand-written Verilog: elaborated against stubs of the vendor's cells and of the exported modules, and its small modules
//! simulated, with Icarus.
use super::{broken, project, source};
use rnic_abi::preset::{LARGE, SMALL};
use rnic_hdl::top::{export_part, presets};
use rust_hdl::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Ports of module `top`, bit by bit, as constraints name them.
pub fn port_bits(top: &str) -> Vec<String> {
    let header = top.split("module top (\n").nth(1).and_then(|rest| rest.split(");").next()).expect("module top");
    let mut bits = vec![];
    for line in header.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<_> = line.trim().trim_end_matches(',').split_whitespace().collect();
        let name = words.last().expect("a name");
        let range = words.iter().find_map(|word| word.strip_prefix('[')?.strip_suffix(":0]")?.parse::<usize>().ok());
        match range {
            Some(high) => bits.extend((0..=high).map(|bit| format!("{name}[{bit}]"))),
            None => bits.push((*name).into()),
        }
    }
    bits
}

/// Ports of a block at its outermost level, as a module without contents.
struct Ports {
    depth: usize,
    list: Vec<String>,
}

impl Probe for Ports {
    fn visit_start_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth += 1;
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth -= 1;
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let direction = match signal.kind() {
            AtomKind::InputParameter => "input",
            AtomKind::OutputParameter => "output",
            _ => return,
        };
        if self.depth == 1 {
            self.list.push(format!("{direction} [{}:0] {name}", signal.bits() - 1));
        }
    }
}

fn ports_of<B: Block>(name: &str, block: &B) -> String {
    let mut ports = Ports { depth: 0, list: vec![] };
    block.accept("top", &mut ports);
    format!("module {name} (\n{}\n);\nendmodule\n", ports.list.join(",\n"))
}

/// The core without contents: its whole export takes half a minute, its ports are there at once.
fn core_stub(preset: &'static str) -> String {
    let build = move || match preset {
        "small" => ports_of("rnic_small", &presets::Small::new(&SMALL)),
        _ => ports_of("rnic_large", &presets::Large::new(&LARGE)),
    };
    let worker = std::thread::Builder::new().stack_size(256 << 20).spawn(build);
    worker.expect("a thread").join().expect("the ports")
}

/// A folder of this test alone.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vendor").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

/// What Icarus says of these files.
fn icarus(folder: &Path, top: &str, files: &[PathBuf], more: &[&str]) -> String {
    let mut command = Command::new("iverilog");
    command.current_dir(folder).args(["-g2005", "-Wall", "-s", top]).args(more).args(files);
    let output = command.output().expect("iverilog");
    let text = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success() || !said.is_empty(), "iverilog fails without a word");
    said
}

/// What Icarus says of a project whose `top.v` is this text; nothing if all is well.
fn elaborated(name: &'static str, test: &str, top: &str) -> String {
    let (project, folder) = (project(name), folder(test));
    let mut files = vec![written(&folder, "top.v", top)];
    for (file, text) in project.sources.iter().filter(|(file, _)| file.ends_with(".v") && *file != "top.v") {
        files.push(written(&folder, file, text));
    }
    for part in project.parts {
        files.push(written(&folder, &format!("rnic_{part}.v"), &export_part(part, project.core_khz).expect("a part")));
    }
    files.push(written(&folder, "core.v", &core_stub(project.preset)));
    let stubs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vendor/stubs");
    files.extend([stubs.join("common.v"), stubs.join(format!("{name}.v"))]);
    icarus(&folder, "top", &files, &["-t", "null"])
}

#[test]
fn vp1_the_wrapper_of_the_kc705_elaborates_without_a_warning() {
    assert_eq!(elaborated("kc705", "kc705", source("kc705", "top.v")), "");
}

#[test]
fn vp2_the_wrapper_of_the_u50_elaborates_without_a_warning() {
    assert_eq!(elaborated("alveo-u50", "alveo-u50", source("alveo-u50", "top.v")), "");
}

#[test]
fn each_mistake_of_a_wrapper_is_found() {
    let kc705 = [
        (".sink_tkeep(rx_tkeep)", ".sink_keep(rx_tkeep)", "sink_keep"),
        (
            ".irq_vector(irq_vector)\n    );\n\n    wire [63:0] wire_tx",
            ".irq_vector(irq_valid)\n    );\n\n    wire [63:0] wire_tx",
            "expects 5 bits",
        ),
        (".nonposted_ok(tx_buf_av > 6'd3),", "", "nonposted_ok"),
        (".link_up(link_up),", ".link_up(link),", "link"),
        ("rnic_mdio mdio (", "rnic_mdio0 mdio (", "rnic_mdio0"),
    ];
    for (from, to, word) in kc705 {
        let said = elaborated("kc705", "kc705_broken", &broken(source("kc705", "top.v"), from, to));
        assert!(said.contains(word), "{from}: {said}");
    }
    let u50 = [
        ("wire [511:0] axi_wdata, axi_rdata;", "wire [255:0] axi_wdata, axi_rdata;", "expects 512 bits"),
        (".ctl_tx_rsfec_enable(1'b1), ", "", "ctl_tx_rsfec_enable"),
    ];
    for (from, to, word) in u50 {
        let said = elaborated("alveo-u50", "u50_broken", &broken(source("alveo-u50", "top.v"), from, to));
        assert!(said.contains(word), "{from}: {said}");
    }
}

/// What a bench prints with these files beside it; `DONE` alone if all is well.
fn simulated(bench: &str, test: &str, files: &[(&str, &str)]) -> String {
    let folder = folder(test);
    let sources = files.iter().map(|(name, text)| written(&folder, name, text));
    let sources: Vec<_> = sources.filter(|path| path.extension().is_some_and(|ending| ending == "v")).collect();
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/vendor/bench/{bench}.v"));
    let said = icarus(&folder, "bench", &[sources, vec![bench]].concat(), &["-o", "bench.vvp"]);
    assert_eq!(said, "");
    let output = Command::new("vvp").arg("-n").arg(folder.join("bench.vvp")).output().expect("vvp");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A bench passes on the module and fails on each mutant of it.
fn benched(module: &str, mutants: &[(&str, &str)]) {
    let text = source("alveo-u50", &format!("{module}.v"));
    assert_eq!(simulated(module, module, &[("module.v", text)]), "DONE\n");
    for (number, (from, to)) in mutants.iter().enumerate() {
        let mutant = broken(text, from, to);
        let said = simulated(module, &format!("{module}_{number}"), &[("module.v", &mutant)]);
        assert!(said.contains("WRONG"), "{module} {from}: {said}");
    }
}

#[test]
fn vp2_no_interrupt_is_lost_and_the_core_never_waits() {
    benched(
        "irq_lines",
        &[
            ("assign irq_ready = 1'b1", "assign irq_ready = ~usr_irq_req[irq_vector[2:0]]"),
            ("waiting & ~usr_irq_req", "waiting"),
            ("(usr_irq_req & ~usr_irq_ack) | raised", "raised"),
        ],
    );
}

#[test]
fn vp3_received_frames_are_dropped_whole() {
    benched(
        "frame_receive",
        &[
            ("begun ? taking : ~crowded", "~crowded"),
            (
                "        if (fifo_reset)\n            taking <= 1'b0;\n",
                "        if (fifo_reset)\n            begun <= 1'b0;\n",
            ),
            ("begun <= ~in_tlast", "begun <= 1'b1"),
        ],
    );
}

#[test]
fn vp3_sent_frames_are_padded_and_never_run_into_each_other() {
    benched(
        "frame_send",
        &[
            ("in_tkeep | 64'h0FFF_FFFF_FFFF_FFFF", "in_tkeep"),
            ("(begun & ~broken) ? in_tkeep : ", ""),
            ("in_tkeep[i] ? in_tdata[8*i +: 8] : 8'b0", "in_tdata[8*i +: 8]"),
            ("dropping | fifo_reset | ~link;", "dropping | fifo_reset;"),
            ("            broken <= 1'b1;\n", ""),
            ("(fifo_reset | ~link) & begun", "~link & begun"),
            ("dropping <= ~in_tlast", "dropping <= 1'b0"),
        ],
    );
}

#[test]
fn vp1_dwords_are_swapped_as_vector_v17_has_them() {
    let top = source("kc705", "top.v");
    let start = top.find("    function [63:0] swap_dwords").expect("the function");
    let length = top[start..].find("endfunction").expect("its end") + "endfunction\n".len();
    let function = &top[start..start + length];
    assert_eq!(simulated("swap", "swap", &[("swap_dwords.vh", function)]), "DONE\n");
    let mutant = broken(function, "d[39:32], d[47:40]", "d[47:40], d[39:32]");
    assert!(simulated("swap", "swap_mutant", &[("swap_dwords.vh", &mutant)]).contains("WRONG"));
    // All TLPs go through it, both ways.
    assert!(
        top.contains(".sink_tdata(swap_dwords(rx_tdata))") && top.contains(".s_axis_tx_tdata(swap_dwords(tx_tdata))")
    );
}
