//! Export of the core as one Verilog file.
use super::Rnic;
use crate::check::verilog;
use thiserror::Error;

/// Names of the presets.
pub const PRESETS: [&str; 3] = ["tiny", "small", "large"];

/// Why an export failed.
#[derive(Debug, Error)]
pub enum ExportError {
    /// There is no such preset.
    #[error("unknown preset `{0}`: there are tiny, small, large")]
    UnknownPreset(String),
    /// rust-hdl refuses the design.
    #[error("the design does not translate: {0}")]
    Translation(String),
}

/// The Verilog of the core at a preset; its top module is `rnic_<preset>`, those below it `rnic_<preset>$...`.
///
/// # Errors
/// An unknown preset, or a design that `check_all` refuses.
pub fn export(preset: &str) -> Result<String, ExportError> {
    let text = match preset {
        "tiny" | "small" => verilog(&mut Rnic::<64, 8>::default()),
        "large" => verilog(&mut Rnic::<512, 64>::default()),
        other => return Err(ExportError::UnknownPreset(other.into())),
    };
    Ok(rename_top(&text.map_err(ExportError::Translation)?, &format!("rnic_{preset}")))
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
