//! Each public type, trait and free function of the software's crates has an example in its documentation. That the examples run
//! is checked by `cargo test --doc`.

use std::path::{Path, PathBuf};

/// The crates, by folder beside the driver's.
const CRATES: [&str; 3] = ["driver", "linux", "mock"];
/// What an example must say that compiles but does not run.
const WHY_NOT_RUN: &str = "hardware";

/// Names of the public items at the left margin, with their documentation. Modules inside a file, and methods, are indented.
fn items(source: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let lines: Vec<&str> = source.lines().collect();
    let names: Vec<_> = lines.iter().enumerate().filter_map(|(at, line)| Some((at, item_name(line)?))).collect();
    names.into_iter().map(move |(at, name)| {
        let above = lines[..at].iter().rev().take_while(|line| line.starts_with("///") || line.starts_with('#'));
        let mut docs: Vec<_> = above.filter_map(|line| line.strip_prefix("///")).map(str::trim).collect();
        docs.reverse();
        (name, docs)
    })
}

fn item_name(line: &str) -> Option<&str> {
    let words = line.strip_prefix("pub ")?.trim_start_matches("const ").trim_start_matches("unsafe ");
    let (kind, rest) = words.split_once(' ')?;
    let is_item = ["struct", "enum", "union", "trait", "fn", "type"].contains(&kind);
    is_item.then(|| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default())
}

/// Whether one of the examples runs, or says why it does not.
fn has_example(docs: &[&str]) -> bool {
    // Fences alternate, so every second part between them is the inside of an example, after its attributes.
    let text = docs.join("\n");
    text.split("```").skip(1).step_by(2).any(|example| {
        let (attributes, body) = example.split_once('\n').unwrap_or((example, ""));
        match attributes {
            "" => !body.is_empty(),
            "no_run" => body.contains(WHY_NOT_RUN),
            _ => false,
        }
    })
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_public_item_has_an_example() {
    let (mut without, mut count) = (Vec::new(), 0);
    for name in CRATES {
        let mut files = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src"), &mut files);
        for file in files {
            let source = std::fs::read_to_string(&file).unwrap();
            for (item, docs) in items(&source) {
                count += 1;
                if !has_example(&docs) {
                    without.push(format!("{item} in {}", file.display()));
                }
            }
        }
    }
    assert!(without.is_empty(), "no example that runs, or that says `{WHY_NOT_RUN}`: {without:#?}");
    assert!(count > 110, "only {count} items were found");
}

#[test]
fn what_is_an_example_is_found_with_its_item() {
    let source = "/// Text.\n///\n/// ```\n/// assert!(true);\n/// ```\n#[derive(Clone)]\npub struct One<P> {\n    pub two: u8,\n}\n\
                  /// ```no_run\n/// open();\n/// ```\npub fn three() {}\npub(crate) struct Four;\n/// Text.\npub enum Five {}\n\
                  /// ```no_run\n/// // hardware\n/// ```\npub trait Six: Sized {}\n/// ```compile_fail\n/// x\n/// ```\npub type Seven = u8;";
    let found: Vec<_> = items(source).map(|(name, docs)| (name, has_example(&docs))).collect();
    assert_eq!(found, [("One", true), ("three", false), ("Five", false), ("Six", true), ("Seven", false)]);
}
