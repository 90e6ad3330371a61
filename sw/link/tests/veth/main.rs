//! Raw sockets over a virtual cable in a network namespace of its own. Where that is not allowed it says so: it never passes
//! without a word, so it has no harness that would hide what it prints.

#[path = "../link/support/mod.rs"]
#[allow(dead_code)]
mod support;

mod inside;

use std::process::{Command, ExitCode};

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
        "inside" => inside::all(),
        "host" => inside::host_that_is_killed(),
        "unprivileged" => inside::unprivileged(),
        "--list" => println!("veth: test"),
        _ => match namespace() {
            Err(reasons) => println!("test veth ... skipped: no CAP_NET_ADMIN ({reasons})"),
            Ok(way) => {
                let status = again(way, "inside").status().expect("the program starts");
                return if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
            }
        },
    }
    ExitCode::SUCCESS
}
