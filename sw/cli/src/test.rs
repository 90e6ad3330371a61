//! `rnic test`: every test of the project, with one line at the end that counts them.
use crate::output;
use clap::Args;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};

/// Arguments of `rnic test`.
#[derive(Args)]
pub struct TestArguments {
    /// Also run the long campaigns
    #[arg(long)]
    thorough: bool,
    /// Print one JSON object instead of the tests' output
    #[arg(long)]
    json: bool,
}

/// Tests counted so far.
#[derive(Default)]
struct Count {
    passed: u64,
    failed: u64,
    failures: Vec<String>,
}

impl Count {
    /// Counts a summary line of the test harness, `test result: ok. 3 passed; 0 failed; ...`.
    fn read(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("test result: ") {
            for part in rest.split([';', '.']).map(str::trim) {
                let mut words = part.split(' ');
                if let (Some(Ok(number)), Some(what)) = (words.next().map(str::parse::<u64>), words.next()) {
                    match what {
                        "passed" => self.passed += number,
                        "failed" => self.failed += number,
                        _ => {}
                    }
                }
            }
        } else if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            self.failures.push(name.into());
        }
    }

    /// One step that is a test by itself.
    fn step(&mut self, name: &str, passed: bool) {
        if passed {
            self.passed += 1;
        } else {
            self.failed += 1;
            self.failures.push(name.into());
        }
    }
}

/// Runs the command.
pub fn run(arguments: &TestArguments) -> ExitCode {
    let mut count = Count::default();
    let quiet = arguments.json;
    let mut steps: Vec<(&str, Vec<&str>)> = vec![
        ("format", vec!["fmt", "--all", "--", "--check"]),
        ("tests", vec!["test", "--workspace", "--no-fail-fast"]),
        ("documentation", vec!["doc", "--workspace", "--no-deps", "--quiet"]),
    ];
    if arguments.thorough {
        steps.push((
            "thorough tests",
            vec!["test", "--workspace", "--no-fail-fast", "--", "--ignored", "--show-output"],
        ));
    }
    for (name, words) in steps {
        if !quiet {
            println!("== {name}: cargo {}", words.join(" "));
        }
        let before = count.failed;
        let succeeded = match cargo(&words, |line| {
            if !quiet {
                println!("{line}");
            }
            count.read(line);
        }) {
            Ok(succeeded) => succeeded,
            Err(error) => return output::bad_input(format!("cargo: {error}")),
        };
        // A step without tests of its own counts as one; so does a run that broke before its tests.
        if words[0] != "test" || (!succeeded && count.failed == before) {
            count.step(name, succeeded);
        }
    }
    let passed = count.failed == 0 && count.passed > 0;
    if arguments.json {
        let report = serde_json::json!({ "passed": passed, "count": { "passed": count.passed, "failed": count.failed }, "failures": count.failures });
        println!("{report}");
    } else {
        count.failures.iter().for_each(|name| println!("FAILED {name}"));
        println!("{} passed, {} failed", count.passed, count.failed);
    }
    output::verdict(passed)
}

/// Runs cargo and hands over each line of its standard output; whether it succeeded.
fn cargo(words: &[&str], mut each: impl FnMut(&str)) -> std::io::Result<bool> {
    let mut child =
        Command::new("cargo").args(words).env("RUSTDOCFLAGS", "-D warnings").stdout(Stdio::piped()).spawn()?;
    let stdout = child.stdout.take().expect("stdout is piped");
    for line in BufReader::new(stdout).lines() {
        each(&line?);
    }
    Ok(child.wait()?.success())
}
