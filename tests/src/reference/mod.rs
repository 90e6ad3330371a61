//! The reference pages of the documentation, printed from the tables of `rnic-abi`.

mod admin;
mod codes;
mod errors;
pub use errors::calls_by_error;
mod layouts;
mod presets;
mod registers;

use std::fmt::Write;

/// Every generated page: file name under `docs/src/reference`, and text.
pub fn pages() -> Vec<(&'static str, String)> {
    vec![
        ("registers.md", registers::page()),
        ("admin.md", admin::page()),
        ("layouts.md", layouts::page()),
        ("codes.md", codes::page()),
        ("errors.md", errors::page()),
        ("presets.md", presets::page()),
    ]
}

/// A Markdown page that grows.
pub(crate) struct Page(String);

impl Page {
    pub(crate) fn new(title: &str) -> Self {
        let note = "<!-- Made by the test reference_pages of rnic-tests; changes here are lost. -->";
        Self(format!("# {title}\n\n{note}\n"))
    }

    pub(crate) fn section(&mut self, title: &str) {
        writeln!(self.0, "\n## {title}").expect("a string takes text");
    }

    pub(crate) fn text(&mut self, text: &str) {
        writeln!(self.0, "\n{text}").expect("a string takes text");
    }

    pub(crate) fn table<const N: usize>(&mut self, header: [&str; N], rows: impl IntoIterator<Item = [String; N]>) {
        let line = |cells: &[String; N]| {
            format!("| {} |\n", cells.each_ref().map(|cell| cell.replace('|', "\\|")).join(" | "))
        };
        self.0.push('\n');
        self.0.push_str(&line(&header.map(String::from)));
        self.0.push_str(&line(&header.map(|_| "---".to_string())));
        for row in rows {
            self.0.push_str(&line(&row));
        }
    }

    pub(crate) fn finish(self) -> String {
        self.0
    }
}

/// A name in code type.
pub(crate) fn code(name: &str) -> String {
    format!("`{name}`")
}

/// Bits as `31:16`, or `3` for a single one.
pub(crate) fn bits(lsb: u32, width: u32) -> String {
    if width == 1 {
        format!("{lsb}")
    } else {
        format!("{}:{lsb}", lsb + width - 1)
    }
}
