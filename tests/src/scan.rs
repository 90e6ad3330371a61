//! Finds the tests and scenario files of the repository by name.
use std::path::{Path, PathBuf};

/// A test function or a scenario file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Test {
    /// Path from the root, with forward slashes.
    pub file: String,
    /// Name of the function; for a scenario the name of the file without its ending.
    pub name: String,
    /// Rules that the description of a scenario names.
    pub described: Vec<String>,
}

/// Every test below `root`, sorted.
pub fn tests(root: &Path) -> Vec<Test> {
    let mut found = vec![];
    for path in files(root) {
        let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("rs") => {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                found.extend(test_names(&text).map(|name| Test { file: relative.clone(), name, described: vec![] }));
            }
            Some("toml") if relative.starts_with("sim/scenarios/") => {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_");
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                found.push(Test { file: relative, name, described: described(&text) });
            }
            _ => {}
        }
    }
    found.sort();
    found.dedup();
    found
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !path.is_dir() {
                found.push(path);
            } else if !name.starts_with('.') && name != "target" {
                folders.push(path);
            }
        }
    }
    found
}

/// Numbers of rules in the description at the head of a scenario (`Rules T77, B23.`).
fn described(text: &str) -> Vec<String> {
    let Some((_, rest)) = text.split_once("description = \"") else { return vec![] };
    let (rest, end) = rest.strip_prefix("\"\"").map_or((rest, "\""), |rest| (rest, "\"\"\""));
    let description = rest.split(end).next().unwrap_or_default();
    let is_rule = |word: &&str| {
        let number = word.strip_prefix(|c: char| c.is_ascii_uppercase());
        number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
    };
    description.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_rule).map(String::from).collect()
}

/// Names of the functions of a source text that carry `#[test]` and not `#[ignore]`.
fn test_names(text: &str) -> impl Iterator<Item = String> + '_ {
    let (mut is_test, mut is_ignored) = (false, false);
    text.lines().filter_map(move |line| {
        let line = line.trim();
        if let Some(signature) = function(line) {
            let counts = is_test && !is_ignored;
            (is_test, is_ignored) = (false, false);
            return counts.then(|| signature.split(['(', '<']).next().unwrap_or_default().trim().to_string());
        }
        is_test |= line.starts_with("#[test]");
        is_ignored |= line.starts_with("#[ignore");
        None
    })
}

fn function(line: &str) -> Option<&str> {
    let line = line.strip_prefix("#[test]").map_or(line, str::trim);
    line.strip_prefix("pub ").unwrap_or(line).strip_prefix("fn ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_a_description_are_found() {
        let text = "name = \"x\"\ndescription = \"Rules T77, B23 (SQD), D9a.\"\n# T1";
        assert_eq!(described(text), ["T77", "B23", "D9a"]);
        let text = "description = \"\"\"\nV1: a \"word\".\nT2\n\"\"\"\n[nic.a] # T3";
        assert_eq!(described(text), ["V1", "T2"]);
    }

    #[test]
    fn only_functions_that_run_as_tests_are_found() {
        let text = "
            fn helper() {}
            #[test]
            fn first() {}
            #[test]
            #[should_panic]
            fn second(seed in 0u64..9) {}
            fn not() {}
            #[test]
            #[ignore = \"slow\"]
            fn ignored() {}";
        assert_eq!(test_names(text).collect::<Vec<_>>(), ["first", "second"]);
    }
}
