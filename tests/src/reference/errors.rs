//! Page of the driver's errors: which there are, what they are to Linux, and which calls name them.
use super::{code, Page};
use crate::root;
use rnic_driver::{error_table, Errno, ErrorRow};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What a kind of error means, and what the caller can do.
const KINDS: [(&str, &str); 12] = [
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
    ("Unsettled", "A region whose state is part of its type is not where its posted request leads to. It comes back, as what it is."),
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

/// What the documentation of a call says of its errors.
#[derive(Default)]
struct Documented {
    /// Errors, by name.
    named: BTreeSet<String>,
    /// Calls whose errors it has too: `as [...]`.
    same_as: BTreeSet<String>,
    /// Errors of those that it does not have: `but for [...]`.
    but_for: BTreeSet<String>,
}

/// Calls by their names.
type Calls = BTreeMap<String, Documented>;

/// Public calls by the errors that their documentation names, itself or by naming another call.
pub fn calls_by_error(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut calls = Calls::new();
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
    by_error(&calls)
}

fn by_error(calls: &Calls) -> BTreeMap<String, BTreeSet<String>> {
    let bus: Vec<_> =
        error_table().into_iter().map(|row| row.name).filter(|name| name.starts_with("BusError")).collect();
    let mut found = BTreeMap::<_, BTreeSet<_>>::new();
    for call in calls.keys() {
        let mut errors = resolve(call, calls, &mut BTreeSet::new());
        if errors.contains("Error::Bus") {
            errors.extend(bus.iter().cloned());
        }
        for error in errors {
            found.entry(error).or_default().insert(call.clone());
        }
    }
    found
}

/// The errors of a call and of those that it names. `seen`: calls on the way here, so that a circle ends.
fn resolve(call: &str, calls: &Calls, seen: &mut BTreeSet<String>) -> BTreeSet<String> {
    let Some(documented) = calls.get(call).filter(|_| seen.insert(call.to_string())) else { return BTreeSet::new() };
    let others = documented.same_as.iter().flat_map(|other| resolve(other, calls, seen)).collect::<BTreeSet<_>>();
    documented.named.iter().cloned().chain(others.difference(&documented.but_for).cloned()).collect()
}

/// The calls of one file.
fn scan(source: &str, calls: &mut Calls) {
    let (mut owner, mut documented) = (String::new(), Documented::default());
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            documented.read(text);
        } else if let Some(call) = line.strip_prefix("pub fn ") {
            let name = call.split(['(', '<']).next().unwrap_or_default();
            let call = if owner.is_empty() { name.to_string() } else { format!("{owner}::{name}") };
            calls.insert(call, std::mem::take(&mut documented));
        } else if line.starts_with("impl") {
            owner = implemented(line);
        } else if !line.starts_with("#[") {
            documented = Documented::default();
        }
    }
}

impl Documented {
    /// One line: `[`Invalid::PageCount`]` names an error, `as [`alloc_mr`](Device::alloc_mr), but for [`Busy::RawRings`]` a call.
    fn read(&mut self, line: &str) {
        let (line, but_for) = line.split_once("but for").unwrap_or((line, ""));
        self.but_for.extend(links(but_for).map(|(text, _)| text));
        let of_a_call = line.contains("as [`") || line.contains("error of [`");
        for (text, target) in links(line) {
            let target = target.unwrap_or_else(|| text.clone());
            let target = target.trim_start_matches("crate::").to_string();
            // Variants begin with a capital, calls do not.
            let is_call = target.rsplit("::").next().is_some_and(|name| name.starts_with(char::is_lowercase));
            if is_call && of_a_call {
                self.same_as.insert(target);
            } else if !is_call && text.contains("::") {
                self.named.insert(text);
            }
        }
    }
}

/// Text and target of the links in code type.
fn links(line: &str) -> impl Iterator<Item = (String, Option<String>)> + '_ {
    line.split("[`").skip(1).filter_map(|link| {
        let (text, rest) = link.split_once("`]")?;
        let target = rest.strip_prefix('(').and_then(|rest| rest.split(')').next());
        Some((text.to_string(), target.map(String::from)))
    })
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
        let mut calls = Calls::new();
        let source =
            "impl<P: Platform> Device<P> {\n/// Text.\n/// - [`Invalid::Psn`], [`Busy::RawRings`] (EBUSY): so.\n\
                      #[must_use]\npub fn one(&self) {}\n/// [`Invalid::Psn`]\nfn private() {}\npub fn two() {}\n}\n";
        scan(source, &mut calls);
        let calls = by_error(&calls);
        let of = |error: &str| calls[error].iter().cloned().collect::<Vec<_>>();
        assert_eq!(
            (of("Invalid::Psn"), of("Busy::RawRings")),
            (vec!["Device::one".into()], vec!["Device::one".into()])
        );
        assert_eq!(implemented("impl<P: Platform, T: Into<X<P>>> From<X<P>> for Pages<P> {"), "Pages");
    }

    #[test]
    fn a_call_has_the_errors_of_those_that_it_names() {
        let mut calls = Calls::new();
        let source = "impl<P: Platform> Device<P> {\n\
                      /// - [`Wait::AdminCommand`](crate::Wait) (ETIMEDOUT), [`Error::Bus`]: so; see [`three`](Device::three).\n\
                      pub fn one(&self) {}\n\
                      /// - as [`one`](crate::Device::one), but for [`Wait::AdminCommand`].\npub fn two(&self) {}\n\
                      /// - as [`Device::two`].\n/// - [`Invalid::Psn`] (EINVAL): so.\npub fn three(&self) {}\n\
                      /// as [`five`](Device::five).\npub fn four(&self) {}\n\
                      /// as [`four`](Device::four).\npub fn five(&self) {}\n}\n";
        scan(source, &mut calls);
        let calls = by_error(&calls);
        let of = |error: &str| calls[error].iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        assert_eq!(of("Wait::AdminCommand"), "Device::one");
        assert_eq!(of("BusError::Gone"), "Device::one Device::three Device::two");
        assert_eq!(of("Invalid::Psn"), "Device::three");
    }

    #[test]
    fn errors_that_many_calls_have_are_named_by_all_of_them() {
        let calls = calls_by_error(&root().join("sw/driver/src"));
        for (error, call) in [
            ("BusError::NoAnswer", "CompletionQueue::next"),
            ("Wait::AdminCommand", "QueuePair::to_rts"),
            ("Protocol::AdminErrno", "MemoryRegion::dereg"),
            ("PostError::Full", "Mapping::post"),
            ("Resource::MemoryRegion", "RkeySlot::make_remote"),
            ("Unsettled::Before", "Pending::settle"),
        ] {
            assert!(calls[error].contains(call), "{error}: {:?}", calls[error]);
        }
        assert!(!calls["Wait::Drain"].contains("QueuePair::recover"), "it goes on then");
    }

    #[test]
    fn every_error_is_named_by_the_documentation_of_a_call() {
        let calls = calls_by_error(&root().join("sw/driver/src"));
        let missing: Vec<_> =
            error_table().into_iter().map(|row| row.name).filter(|name| !calls.contains_key(name)).collect();
        assert!(missing.is_empty(), "no call's documentation names {missing:#?}");
    }
}
