//! Export of the core as one Verilog file.
use super::presets::{Large, Small, Tiny};
use crate::check::{on_a_large_stack, verilog, VERILATOR_LINT};
use rnic_abi::preset::{Preset, LARGE, SMALL, TINY};
use thiserror::Error;

/// Names of the presets.
pub const PRESETS: [&str; 3] = ["tiny", "small", "large"];

/// Why an export failed.
#[derive(Debug, Error)]
pub enum ExportError {
    /// There is no such preset.
    #[error("unknown preset `{0}`: there are tiny, small, large")]
    UnknownPreset(String),
    /// There is no such part.
    #[error("unknown part `{0}`")]
    UnknownPart(String),
    /// rust-hdl refuses the design.
    #[error("the design does not translate: {0}")]
    Translation(String),
}

/// The Verilog of the core at a preset; its top module is `rnic_<preset>`, those below it `rnic_<preset>$...`.
///
/// # Errors
/// An unknown preset, or a design that `check_all` refuses.
pub fn export(preset: &str) -> Result<String, ExportError> {
    export_at(preset, None)
}

/// As [`export`], for a clock of `core_khz` instead of the preset's.
///
/// # Errors
/// As [`export`].
pub fn export_at(preset: &str, core_khz: Option<u32>) -> Result<String, ExportError> {
    let at = move |preset: Preset| Preset { core_khz: core_khz.unwrap_or(preset.core_khz), ..preset };
    match preset {
        "tiny" => export_with(preset, move || verilog(&mut Tiny::new(&at(TINY)))),
        "small" => export_with(preset, move || verilog(&mut Small::new(&at(SMALL)))),
        "large" => export_with(preset, move || verilog(&mut Large::new(&at(LARGE)))),
        other => Err(ExportError::UnknownPreset(other.into())),
    }
}

/// What `translate` gives, its top module called `rnic_<name>`.
pub(crate) fn export_with(
    name: &str,
    translate: impl FnOnce() -> Result<String, String> + Send + 'static,
) -> Result<String, ExportError> {
    let text = on_a_large_stack(translate);
    Ok(rename_top(&text.map_err(ExportError::Translation)?, &format!("rnic_{name}")))
}

/// Renames module `top` and the modules below it, and nothing else.
fn rename_top(text: &str, name: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut rest = text;
    while let Some(at) = rest.find("top") {
        let (before, from) = rest.split_at(at);
        let after = &from[3..];
        let starts = !before.chars().next_back().is_some_and(is_word);
        let ends = after.starts_with('$') || !after.chars().next().is_some_and(is_word);
        out.push_str(before);
        out.push_str(if starts && ends { name } else { "top" });
        rest = after;
    }
    out + rest
}

/// The files of an export: Verilog, FuseSoC core file, port list; names and texts.
///
/// # Errors
/// As [`export`].
pub fn export_files(preset: &str) -> Result<Vec<(String, String)>, ExportError> {
    let verilog = export(preset)?;
    let ports = port_list(&verilog, &format!("rnic_{preset}"));
    let core = format!(
        "CAPI=2:
name: ::rnic_{preset}:{version}
description: FPGA RDMA NIC with fast memory registration, preset {preset}

filesets:
  rtl:
    files:
      - rnic_{preset}.v
    file_type: verilogSource

targets:
  default:
    filesets: [rtl]
    toplevel: rnic_{preset}
  lint:
    filesets: [rtl]
    toplevel: rnic_{preset}
    default_tool: verilator
    tools:
      verilator:
        mode: lint-only
        verilator_options: [{flags}]
",
        version = env!("CARGO_PKG_VERSION"),
        flags = VERILATOR_LINT[1..].join(", "),
    );
    Ok(vec![
        (format!("rnic_{preset}.v"), verilog),
        (format!("rnic_{preset}.core"), core),
        (format!("rnic_{preset}.ports.txt"), ports),
    ])
}

/// Direction, bits and name of each port of the top module, one a line.
fn port_list(verilog: &str, top: &str) -> String {
    let Some(at) = verilog.find(&format!("module {top}(")) else { return String::new() };
    let mut list = format!("# ports of {top}: direction, bits, name\n");
    for line in verilog[at..].lines().take_while(|line| !line.contains("endmodule")) {
        let mut words = line.trim().trim_end_matches([',', ';', ')']).split_whitespace();
        let direction = match words.next() {
            Some(word @ ("input" | "output")) => word,
            _ => continue,
        };
        let rest: Vec<_> = words.filter(|word| !matches!(*word, "wire" | "reg")).collect();
        let bits = rest
            .iter()
            .find_map(|word| word.strip_prefix('[')?.split(':').next()?.parse::<usize>().ok())
            .map_or(1, |high| high + 1);
        if let Some(name) = rest.last() {
            list += &format!("{direction:<6} {bits:>4} {name}\n");
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_holds_every_port() {
        // That two exports of each preset are the same is a test of the command line.
        let files = export_files("tiny").unwrap();
        let ports = &files[2].1;
        for port in ["clock", "s_axil_awaddr", "m_axi_arvalid", "m_axis_tx_tvalid", "s_axis_rx_tready", "irq_vector"] {
            assert!(ports.lines().any(|line| line.ends_with(&format!(" {port}"))), "{port} in {ports}");
        }
        assert!(!files[0].1.contains("module top"), "the top is renamed");
    }

    #[test]
    fn an_unknown_preset_is_refused() {
        assert!(matches!(export_files("medium"), Err(ExportError::UnknownPreset(name)) if name == "medium"));
    }

    #[test]
    fn only_the_top_module_is_renamed() {
        assert_eq!(
            rename_top("module top(stop, top$a, desktop, top_b);", "rnic"),
            "module rnic(stop, rnic$a, desktop, top_b);"
        );
    }
}
