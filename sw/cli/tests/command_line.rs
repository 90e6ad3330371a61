//! The command line as a user meets it: bad input gives one clear line and exit status 2, `--json` prints JSON alone.
use std::path::PathBuf;
use std::process::{Command, Output};

fn rnic(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rnic"))
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .expect("the binary runs")
}

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// One line on stderr that contains `words`, nothing on stdout, exit status 2.
#[track_caller]
fn refused(arguments: &[&str], words: &str) {
    let output = rnic(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{arguments:?}");
    assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().expect("a pair of sockets");
    drop(ours);
    let mut command = Command::new(env!("CARGO_BIN_EXE_rnic"));
    let output = command.args(["sim", "--list"]).stdout(std::os::fd::OwnedFd::from(theirs)).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn an_unknown_preset_is_refused() {
    let out = scratch("unknown_preset");
    refused(&["export", "--preset", "medium", "--out", out.to_str().unwrap()], "unknown preset `medium`");
    refused(&["sim", "--preset", "medium"], "medium");
}

#[test]
fn an_unknown_board_is_refused() {
    let out = scratch("unknown_board");
    let out = out.to_str().unwrap();
    refused(&["export", "--board", "kc7", "--out", out], "no project for board `kc7`: there are kc705, alveo-u50");
    refused(&["export", "--board", "kc705", "--preset", "tiny", "--out", out], "cannot be used with");
}

#[test]
fn an_unknown_command_or_block_is_refused() {
    refused(&["fly"], "unrecognized subcommand");
    refused(&["check", "no-such-block"], "no block is called `no-such-block");
    refused(&["prove", "no-such-proof"], "no proof or mutant is called `...no-such-proof");
}

#[test]
fn a_missing_or_wrong_scenario_file_is_refused() {
    refused(&["sim", "no-such-scenario"], "no-such-scenario");
    refused(&["sim", "does/not/exist.toml"], "does/not/exist.toml");
    let wrong = scratch("wrong_scenario").join("wrong.toml");
    std::fs::write(&wrong, "name = \"wrong\"\n\n[[step]]\nfly = true\n").unwrap();
    refused(&["sim", wrong.to_str().unwrap()], "wrong.toml");
}

#[test]
fn an_absurd_size_is_refused() {
    refused(&["bench", "registration", "--memory-latency", "99999999999"], "memory-latency");
    refused(&["sim", "--seed=-1"], "seed");
}

#[test]
fn an_output_folder_that_cannot_be_made_is_refused() {
    let file = scratch("no_folder").join("file");
    std::fs::write(&file, "a file").unwrap();
    let below = file.join("below");
    refused(&["export", "--out", below.to_str().unwrap()], "below");
}

#[test]
fn exports_are_complete_and_two_of_them_identical() {
    // One of `large`: it takes as long as all others together.
    for (preset, times) in [("tiny", 2), ("small", 2), ("large", 1)] {
        let folders = [scratch(&format!("{preset}_a")), scratch(&format!("{preset}_b"))];
        for folder in &folders[..times] {
            let output = rnic(&["export", "--preset", preset, "--out", folder.to_str().unwrap(), "--json"]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON alone on stdout");
            assert_eq!(report["passed"], true);
            assert_eq!(report["files"].as_array().map(Vec::len), Some(3));
        }
        for file in [format!("rnic_{preset}.v"), format!("rnic_{preset}.core"), format!("rnic_{preset}.ports.txt")] {
            let texts: Vec<_> =
                folders[..times].iter().map(|folder| std::fs::read(folder.join(&file)).unwrap()).collect();
            assert!(texts.iter().all(|text| *text == texts[0]), "{file} differs between two exports");
        }
    }
}

#[test]
fn the_project_of_a_board_is_complete() {
    let folder = scratch("kc705");
    let output = rnic(&["export", "--board", "kc705", "--out", folder.to_str().unwrap()]);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout.contains("Never run"), "{stdout}");
    for file in
        ["rnic_small.v", "rnic_tlp_bridge.v", "rnic_gigabit_mac.v", "rnic_mdio.v", "top.v", "board.xdc", "project.tcl"]
    {
        assert!(folder.join(file).exists(), "{file}");
    }
}

#[test]
fn the_default_scenario_passes_and_says_so() {
    let output = rnic(&["sim"]);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(stdout.trim_end().lines().last().map(str::trim), Some("passed"), "{stdout}");
}

#[test]
fn a_capture_of_a_run_is_written_and_one_that_cannot_be_is_refused() {
    let file = scratch("capture").join("run.pcapng");
    // What an earlier run has left behind proves nothing.
    let _ = std::fs::remove_file(&file);
    let output = rnic(&["sim", "bring-up", "--pcap", file.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The section header of pcapng, and the interface of the only NIC.
    let bytes = std::fs::read(&file).unwrap();
    assert_eq!(bytes[..4], [0x0A, 0x0D, 0x0D, 0x0A]);
    let named = bytes.windows(8).any(|bytes| bytes == [2, 0, 3, 0, b'n', b'i', b'c', 0]);
    assert!(named, "{bytes:?}");
    refused(&["sim", "--pcap", "no/such/folder/run.pcapng"], "no/such/folder/run.pcapng");
    refused(&["sim", "--wire", "no/such/folder/socket"], "no/such/folder/socket");
}

#[test]
fn json_of_a_scenario_is_one_object_with_the_promised_keys() {
    let output = rnic(&["sim", "registration", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON alone on stdout");
    for key in ["scenario", "preset", "seed", "cycles", "steps", "passed"] {
        assert!(report.get(key).is_some(), "{key} in {report}");
    }
    assert_eq!(report["passed"], true);
}

#[test]
fn a_storage_run_keeps_its_promises_and_refuses_files_that_cannot_be_written() {
    let few = ["sim", "storage", "--ios", "20", "--depth", "4", "--loss", "0", "--aborts", "0"];
    let output = rnic(&[&few[..], &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON alone on stdout");
    assert_eq!((output.status.code(), &report["passed"], &report["ios"]), (Some(0), &true.into(), &20.into()));
    for (option, file) in [("--pcap", "no/such/folder/run.pcapng"), ("--trace", "no/such/folder/run.fst")] {
        refused(&[&few[..], &[option, file]].concat(), file);
        refused(&[&few[..], &[option, file, "--json"]].concat(), file);
    }
    refused(&["sim", "storage", "--wire", "socket"], "--wire");
    refused(&["sim", "storage", "--depth", "61"], "depth");
}

#[test]
fn devices_are_listed_whether_there_are_any_or_not() {
    let output = rnic(&["devices", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON alone on stdout");
    assert_eq!(output.status.success(), report["passed"] == true);
    let devices = report["devices"].as_array().expect("a list").len();
    let table = String::from_utf8_lossy(&rnic(&["devices"]).stdout).into_owned();
    assert_eq!(table.contains("no rnic in this machine"), devices == 0, "{table}");
}

#[test]
fn the_smoke_test_needs_a_device_and_passes_on_the_simulation() {
    refused(&["smoke"], "--device");
    refused(&["smoke", "--device", "nowhere"], "no PCI device at `nowhere`");
    let output = rnic(&["smoke", "--device", "sim", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON alone on stdout");
    assert_eq!((output.status.code(), &report["passed"]), (Some(0), &true.into()), "{report}");
    assert!(report["steps"].as_array().is_some_and(|steps| steps.iter().all(|step| step["passed"] == true)));
}
