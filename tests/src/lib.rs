//! What the whole-system tests share: the generated reference pages and the table from rules to tests.
#![deny(missing_docs)]

pub mod guide;
pub mod reference;
pub mod rules;
mod scan;

use std::path::{Path, PathBuf};

/// Root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Compares a generated page with the one in `docs/src/reference`; with RNIC_BLESS=1 in the environment writes it instead.
///
/// # Panics
/// When the page is out of date.
pub fn expect_page(name: &str, text: &str) {
    let path = root().join("docs/src/reference").join(name);
    if std::env::var_os("RNIC_BLESS").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(path.parent().expect("the path has a folder")).expect("the folder can be made");
        std::fs::write(&path, text).expect("the page can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = found.lines().zip(text.lines()).position(|(a, b)| a != b);
    assert!(
        found == text,
        "docs/src/reference/{name} is out of date from line {}; run: RNIC_BLESS=1 cargo test -p rnic-tests --test reference_pages",
        differs.unwrap_or(found.lines().count().min(text.lines().count())) + 1
    );
}
