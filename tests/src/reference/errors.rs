//! Page of the driver's errors: which there are, what they are to Linux, and which calls name them.
use super::{code, Page};
use crate::root;
use rnic_driver::{error_table, Errno, ErrorRow};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What a kind of error means, and what the caller can do.
const KINDS: [(&str, &str); 11] = [
    ("Error", "The device is not there, or has refused a command. Of a refusal the errno is the device's own answer."),
    ("Wait", "`Error::Timeout`: the device did not do this in time. What it was doing may still take effect; most calls may be repeated."),
    ("Invalid", "`Error::Invalid`: an argument is not allowed. Nothing has changed, and the same call fails again."),
    ("Busy", "`Error::Busy`: the object is in use. Nothing has changed; end what uses it first."),
    ("Again", "`Error::Again`: not yet. Nothing has changed; the same call succeeds when completions have been polled."),
    ("Resource", "`Error::Exhausted`: everything of this kind is in use. Nothing has changed; free one."),
    ("Feature", "`Error::NotSupported`: the device's capabilities exclude it."),
    ("Protocol", "`Error::Protocol`: the device broke its own rules. The driver does not guess; reset the device."),
    ("BusError", "`Error::Bus`: a register access failed."),
    ("DmaError", "`Error::Dma`: the platform has no memory, or cannot lend it to the device."),
    ("PostError", "A request was not posted; it comes back, and nothing has changed, unless only the doorbell failed. Hardware makes the same checks."),
];

pub(super) fn page() -> String {
    let (rows, calls) = (error_table(), calls_by_error(&root().join("sw/driver/src")));
    let mut page = Page::new("Errors of the driver");
    page.text(
        "Every error that a call of `rnic-driver` can answer. The documentation of each call names its own; the last column tells \
         which do. Errors of completions are another matter: see status and syndromes in [codes](codes.md).",
    );
    page.section("Linux error numbers");
    page.table(
        ["Name", "Number", "Errors"],
        Errno::ALL.map(|errno| {
            let count = rows.iter().filter(|row| row.errno == errno).count();
            [code(errno.name()), errno.number().to_string(), count.to_string()]
        }),
    );
    for (kind, text) in KINDS {
        page.section(kind);
        page.text(text);
        let of_kind = rows.iter().filter(|row| row.name.split("::").next() == Some(kind));
        page.table(["Error", "errno", "What it says, for example", "Named by"], of_kind.map(|row| cells(row, &calls)));
    }
    page.finish()
}

fn cells(row: &ErrorRow, calls: &BTreeMap<String, BTreeSet<String>>) -> [String; 4] {
    let named = calls.get(&row.name).map(|calls| calls.iter().map(|call| code(call)).collect::<Vec<_>>().join(", "));
    [code(&row.name), code(row.errno.name()), row.text.clone(), named.unwrap_or_default()]
}

/// Public calls by the errors that their documentation names.
pub fn calls_by_error(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut calls = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the sources are there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                scan(&std::fs::read_to_string(&path).expect("sources are text"), &mut calls);
            }
        }
    }
    calls
}

/// The calls of one file.
fn scan(source: &str, calls: &mut BTreeMap<String, BTreeSet<String>>) {
    let (mut owner, mut named) = (String::new(), BTreeSet::new());
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            // In code type and linked: [`Invalid::PageCount`].
            let links = text.split("[`").skip(1).filter_map(|link| link.split("`]").next());
            named.extend(links.filter(|link| link.contains("::")).map(String::from));
        } else if let Some(call) = line.strip_prefix("pub fn ") {
            let name = call.split(['(', '<']).next().unwrap_or_default();
            let call = if owner.is_empty() { name.to_string() } else { format!("{owner}::{name}") };
            for error in std::mem::take(&mut named) {
                calls.entry(error).or_insert_with(BTreeSet::new).insert(call.clone());
            }
        } else if line.starts_with("impl") {
            owner = implemented(line);
        } else if !line.starts_with("#[") {
            named.clear();
        }
    }
}

/// The type that an `impl` line is for, without its parameters.
fn implemented(line: &str) -> String {
    let mut depth = 0;
    let outside: String = line
        .trim_start_matches("impl")
        .chars()
        .filter(|c| {
            depth += i32::from(*c == '<');
            let keep = depth == 0;
            depth -= i32::from(*c == '>');
            keep
        })
        .collect();
    let target = outside.rsplit(" for ").next().unwrap_or_default();
    target.trim().split([' ', '{']).next().unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_with_their_type_and_their_errors() {
        let mut calls = BTreeMap::new();
        let source =
            "impl<P: Platform> Device<P> {\n/// Text.\n/// - [`Invalid::Psn`], [`Busy::RawRings`] (EBUSY): so.\n\
                      #[must_use]\npub fn one(&self) {}\n/// [`Invalid::Psn`]\nfn private() {}\npub fn two() {}\n}\n";
        scan(source, &mut calls);
        let of = |error: &str| calls[error].iter().cloned().collect::<Vec<_>>();
        assert_eq!(
            (of("Invalid::Psn"), of("Busy::RawRings")),
            (vec!["Device::one".into()], vec!["Device::one".into()])
        );
        assert_eq!(implemented("impl<P: Platform, T: Into<X<P>>> From<X<P>> for Pages<P> {"), "Pages");
    }

    #[test]
    fn every_error_is_named_by_the_documentation_of_a_call() {
        let calls = calls_by_error(&root().join("sw/driver/src"));
        let missing: Vec<_> =
            error_table().into_iter().map(|row| row.name).filter(|name| !calls.contains_key(name)).collect();
        assert!(missing.is_empty(), "no call's documentation names {missing:#?}");
    }
}
