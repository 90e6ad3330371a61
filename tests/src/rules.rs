//! The rules of the specification, and which tests check them.
//!
//! A test is named after the rules it checks: rule numbers in lower case first, then what must hold
//! (`b18_b19_every_page_is_checked`). The same goes for scenario files in `sim/scenarios`, which may also name rules in their
//! descriptions.
use crate::scan::{self, Test};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

mod list;
mod transport;

pub use list::RULES;
pub use transport::TRANSPORT;

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().chain(TRANSPORT)
}

/// Whether a rule needs a test now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It does.
    Required,
    /// It does, in a block test that writes the table directly: no command makes such a region.
    Block,
    /// It is an invariant: how it is checked is told on a page of its own.
    Invariant,
    /// The device does not offer what it speaks of (capability 0).
    NotOffered,
}

impl Need {
    fn remark(self) -> &'static str {
        match self {
            Self::Required => "",
            Self::Block => "block test",
            Self::Invariant => "invariant",
            Self::NotOffered => "not offered",
        }
    }
}

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Number, such as `B13`.
    pub id: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// Whether it needs a test now.
    pub need: Need,
}

impl Rule {
    /// Whether the rule, or the range of rules (`G1 to G13`), has this number.
    fn holds(&self, id: &str) -> bool {
        match self.id.split_once(" to ") {
            Some((first, last)) => id[..1] == first[..1] && (number(first)..=number(last)).contains(&number(id)),
            None => self.id == id,
        }
    }
}

/// The rules that a test's name begins with, upper case except for a letter behind the number (`D9a`).
pub fn named_rules(test: &str) -> Vec<String> {
    test.split('_').map_while(rule_id).collect()
}

fn rule_id(part: &str) -> Option<String> {
    let section = part.chars().next().filter(char::is_ascii_lowercase)?;
    let number = &part[1..];
    let digits = number.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let is_number = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit()) && number.len() - digits.len() < 2;
    is_number.then(|| format!("{}{number}", section.to_ascii_uppercase()))
}

/// Tests by rule.
#[derive(Debug)]
pub struct Coverage {
    by_rule: BTreeMap<String, Vec<Test>>,
}

impl Coverage {
    /// Finds the tests below `root`.
    pub fn of(root: &Path) -> Self {
        let mut by_rule = BTreeMap::<String, Vec<Test>>::new();
        for test in scan::tests(root) {
            let mut rules = named_rules(&test.name);
            rules.extend(test.described.iter().cloned());
            rules.sort();
            rules.dedup();
            for id in rules {
                by_rule.entry(id).or_default().push(test.clone());
            }
        }
        Self { by_rule }
    }

    /// Rules that need a test and have none, whether allowed to or not.
    pub fn missing(&self) -> Vec<&'static str> {
        let needed = all().filter(|rule| matches!(rule.need, Need::Required | Need::Block));
        needed.map(|rule| rule.id).filter(|id| !self.by_rule.contains_key(*id)).collect()
    }

    /// Names of tests that begin with the number of a rule that does not exist, in the sections that are listed.
    pub fn unknown(&self) -> Vec<String> {
        let listed = |id: &String| all().any(|rule| rule.holds(id));
        let section = |id: &String| all().any(|rule| rule.id.chars().next() == id.chars().next());
        let unknown = self.by_rule.iter().filter(|(id, _)| section(id) && !listed(id));
        unknown.flat_map(|(id, tests)| tests.iter().map(move |test| format!("{id}: {}", test.name))).collect()
    }

    /// The reference page.
    pub fn page(&self) -> String {
        let mut page = String::from(INTRODUCTION);
        let mut section = None;
        for rule in all() {
            if section != rule.id.chars().next() {
                section = rule.id.chars().next();
                let title = section.map_or("", title);
                write!(page, "\n## {title}\n\n| Rule | About | Tests |\n| --- | --- | --- |\n").expect("text");
            }
            writeln!(page, "| {} | {} | {} |", rule.id, rule.title, self.cell(rule)).expect("text");
        }
        page
    }

    fn cell(&self, rule: &Rule) -> String {
        let remark = rule.need.remark();
        let held = self.by_rule.iter().filter(|(id, _)| rule.holds(id));
        let tests = by_file(&held.flat_map(|(_, tests)| tests.clone()).collect::<Vec<_>>());
        match (remark.is_empty(), tests.is_empty()) {
            (true, true) => "**none yet**".into(),
            (true, false) => tests,
            (false, true) => format!("*{remark}*"),
            (false, false) => format!("*{remark}*; {tests}"),
        }
    }
}

const INTRODUCTION: &str = "# Rules and their tests

<!-- Made by the test reference_pages of rnic-tests; changes here are lost. -->

Every rule of the specification and the tests that are named after it. A test's name begins with the numbers of the rules \
that it checks. Files are relative to the root of the repository; a `.toml` file is a scenario, which `./rnic sim` takes \
by name, and names its rules in its description.
";

fn title(section: char) -> &'static str {
    match section {
        'A' => "A: objects and their life",
        'B' => "B: registration",
        'C' => "C: invalidation",
        'D' => "D: order, completions, errors",
        'E' => "E: access check and translation",
        'F' => "F: mapping in the driver",
        'G' => "G: wire",
        'I' => "I: invariants",
        'M' => "M: layouts inside",
        'T' => "T: transport",
        'V' => "V: packet sequences",
        _ => "",
    }
}

fn number(id: &str) -> u32 {
    id.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0)
}

fn by_file(tests: &[Test]) -> String {
    let mut files = BTreeMap::<&str, Vec<String>>::new();
    for test in tests {
        files.entry(&test.file).or_default().push(format!("`{}`", test.name));
    }
    let file = |(file, names): (&str, Vec<String>)| match file.ends_with(".toml") {
        true => format!("`{file}`"),
        false => format!("{file}: {}", names.join(", ")),
    };
    files.into_iter().map(file).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_numbers_are_read_from_the_front_of_a_name() {
        assert_eq!(named_rules("b18_b19_every_page"), ["B18", "B19"]);
        assert_eq!(named_rules("d9a_a_failure_waits"), ["D9a"]);
        assert_eq!(named_rules("every_b1_rule"), [""; 0]);
        assert_eq!(named_rules("crc32_of_b1"), [""; 0]);
        assert_eq!(named_rules("b_1"), [""; 0]);
    }

    #[test]
    fn numbers_of_the_list_are_unique_and_readable() {
        for (index, rule) in all().enumerate() {
            assert!(all().take(index).all(|other| other.id != rule.id), "{} twice", rule.id);
            let first = rule.id.split(' ').next().unwrap_or_default();
            assert_eq!(named_rules(&first.to_lowercase()), [first]);
        }
    }
}
