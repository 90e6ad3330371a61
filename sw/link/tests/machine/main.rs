//! In the time of the machine: threads, processes, and raw sockets over a virtual cable in a network namespace of its own. What is
//! checked does not depend on the speed of the machine, but its load does harm, so the tests run one after the other. Where a
//! namespace is not allowed it says so: it never passes without a word, so it has no harness that would hide what it prints.

#[path = "../link/support/mod.rs"]
#[allow(dead_code)]
mod support;

mod threaded;
mod threads;
mod veth;

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use rnic_driver::BusError;

/// A test, or why it was not run.
type Test = fn() -> Option<&'static str>;

/// Runs one test after the other. A panic ends the program and is the failure.
fn run(tests: &[(&str, Test)]) {
    for (name, test) in tests {
        match test() {
            None => println!("test {name} ... ok"),
            Some(reason) => println!("test {name} ... skipped: {reason}"),
        }
    }
}

/// Asks a register again when a machine that is busy with other things took longer than a register may.
fn patiently<R>(mut ask: impl FnMut() -> Result<R, BusError>) -> R {
    let start = Instant::now();
    loop {
        match ask() {
            Ok(answer) => return answer,
            Err(BusError::NoAnswer { .. }) if start.elapsed() < Duration::from_secs(60) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// This program again, for another part.
fn again(launcher: &[&str], part: &str) -> Command {
    let mut command = Command::new(launcher[0]);
    command.args(&launcher[1..]).arg(std::env::current_exe().expect("this program has a path")).arg(part);
    command
}

/// The first way into a namespace that is allowed here, or why there is none.
fn namespace() -> Result<&'static [&'static str], String> {
    let ways: [&[&str]; 2] = [&["unshare", "-n"], &["unshare", "-Urn"]];
    let mut reasons = Vec::new();
    for way in ways {
        let script = "ip link add rnic0 type veth peer name rnic1";
        match Command::new(way[0]).args(&way[1..]).args(["sh", "-c", script]).output() {
            Ok(output) if output.status.success() => return Ok(way),
            Ok(output) => reasons.push(format!("{way:?}: {}", String::from_utf8_lossy(&output.stderr).trim())),
            Err(error) => reasons.push(format!("{way:?}: {error}")),
        }
    }
    Err(reasons.join("; "))
}

fn main() -> ExitCode {
    let part = std::env::args().nth(1).unwrap_or_default();
    match part.as_str() {
        "veth" => veth::all(),
        "host" => veth::host_that_is_killed(),
        "unprivileged" => veth::unprivileged(),
        "socket" => threads::host_at_a_path(),
        "--list" => println!("machine: test"),
        _ => {
            threads::all();
            match namespace() {
                Err(reasons) => println!("test veth ... skipped: no CAP_NET_ADMIN ({reasons})"),
                Ok(way) => {
                    let status = again(way, "veth").status().expect("the program starts");
                    return if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
                }
            }
        }
    }
    ExitCode::SUCCESS
}
