//! The format and its errors, and every built-in scenario on the reference model.

use super::*;
use rnic_abi::preset::{LARGE, SMALL};
use std::collections::BTreeSet;

#[test]
fn every_builtin_scenario_passes_on_the_model_of_both_presets() {
    for builtin in BUILTIN {
        let scenario = builtin.scenario().unwrap_or_else(|error| panic!("{}: {error}", builtin.name));
        assert_eq!(scenario.name, builtin.name);
        // It looks at a registration half way; on the model, which has no time, there is no half way.
        if builtin.name == "a9-c8-slow-list" {
            continue;
        }
        for preset in [&SMALL, &LARGE] {
            let overrides = Overrides { preset: Some(preset), ..Overrides::default() };
            let report = simulate_reference(&scenario, &overrides);
            assert!(report.passed, "{report}");
        }
    }
}

/// A small scenario with one more step.
fn with_step(step: &str) -> String {
    format!(
        "name = \"t\"\ntitle = \"t\"\n[memory.data]\n[pd.p]\n[cq.c]\n[qp.q]\npd = \"p\"\ncq = \"c\"\n[mr.a]\npd = \"p\"\n[[step]]\n{step}\n"
    )
}

fn mistake(text: &str) -> (usize, String) {
    let error = Scenario::parse(text).expect_err(text);
    (error.line, error.message)
}

#[test]
fn a_file_with_a_mistake_is_refused_with_its_line() {
    for (step, line, message) in [
        ("reg_mr = { qp = \"q\", mr = \"a\", pages = [\"data\"], colour = 1 }", 12, "unknown field `colour`"),
        ("registers = {}", 12, "unknown field `registers`"),
        ("run = { cycles = \"many\" }", 12, "invalid type: string"),
        ("run = { cycles = -1 }", 12, "run: `cycles`: invalid value"),
        ("run = { cycles = -1 }", 12, "a number from 0 to 18446744073709551615"),
        (
            "local_inv = { qp = \"q\", mr = \"a\", key_byte = 256 }",
            12,
            "local_inv: `key_byte`: invalid value: integer `256`",
        ),
        ("local_inv = { qp = \"q\", mr = \"a\", key_byte = 256 }", 12, "from 0 to 255"),
        (
            "write = { qp = \"q\", sges = [{ mr = \"a\", length = 0x1_0000_0001 }], remote = { mr = \"a\" } }",
            11,
            "write: `length` is 4294967297; it goes from 0 to 4294967295",
        ),
        (
            "write = { qp = \"q\", remote = { key = 0x1_0000_0000 } }",
            11,
            "write: `remote.key` is 4294967296; it goes from",
        ),
        (
            "fetch_add = { qp = \"q\", sge = { mr = \"a\", length = 1_0000_0000_0000 }, remote = { mr = \"a\" } }",
            11,
            "fetch_add: `length`",
        ),
        ("local_inv = { qp = \"q\", key = 0x1_0000_0511 }", 11, "local_inv: `key` is"),
        ("connect = { qp = \"q\", qpn = 9, timeout = 32 }", 11, "connect: `timeout` is 32; it goes from 0 to 31"),
        (
            "connect = { qp = \"q\", qpn = 9, psn = 0x100_0000 }",
            11,
            "connect: `psn` is 16777216; it goes from 0 to 16777215",
        ),
        ("wire = { loss = 1001 }", 11, "wire: `loss` is 1001; it goes from 0 to 1000"),
        ("wire = { gap = 100 }", 11, "wire: `gap` is 100; it goes from 0 to 99"),
        (
            "inject_frame = { hex = \"00010203040506070809AABBCC\" }",
            11,
            "inject_frame: `hex` has 13 bytes; it has from 14 to 16384",
        ),
        (
            "inject_frame = { hex = \"00010203040506070809AABBCCDD\", flip = [112] }",
            11,
            "`flip` is 112; it goes from 0 to 111",
        ),
        (
            "inject_frame = { nic = \"b\", hex = \"00010203040506070809AABBCCDD\" }",
            11,
            "inject_frame: there is no NIC `b`",
        ),
        ("inject_frame = { to = \"q\", frame = { opcode = 4, psn = 0x100_0000 } }", 11, "`frame.psn` is"),
        ("inject_frame = { to = \"q\", frame = { opcode = 4, psn = 1, bytes = 16385 } }", 11, "`frame.bytes` is 16385"),
        (
            "inject_frame = { to = \"q\", frame = { opcode = 5, psn = 1, imm = \"01\" } }",
            11,
            "`imm` has four bytes, not 1",
        ),
        ("inject_frame = { capture = \"x\", number = 0 }", 11, "`number` is 0"),
        ("completion = { qp = \"r\" }", 11, "there is no queue pair `r`"),
        ("completion = { qp = \"a\" }", 11, "`a` is a memory region, not a queue pair"),
        ("completion = { qp = \"q\", status = \"BROKEN\" }", 12, "found `BROKEN`, expected a completion status"),
        ("reg_mr = { qp = \"q\", mr = \"a\" }", 11, "give one of `pages`"),
        ("probe = { qp = \"q\", mr = \"a\", length = 1 }", 11, "expect one of"),
        ("raw = { qp = \"q\", slot = \"123\" }", 12, "hexadecimal"),
        ("title = \"nothing\"", 11, "a step has an action"),
        ("run = { cycles = 1 }\ndrain = { qp = \"q\" }", 11, "a step has one action"),
        ("run = ", 12, ""),
        ("counter = { nic = \"b\", drop = \"FRAME_MAC\", value = 0 }", 11, "there is no NIC `b`"),
        ("write = { qp = \"q\" }", 11, "`remote` belongs to `write` and `read`"),
        ("send = { qp = \"q\", remote = { mr = \"a\" } }", 11, "`remote` belongs to"),
        ("send = { qp = \"q\", imm = \"0102\" }", 11, "`imm` has four bytes"),
        ("send = { qp = \"q\", sges = [{ length = 1 }] }", 11, "a piece of memory has one of"),
        ("read = { qp = \"q\", remote = { mr = \"q\" } }", 11, "`q` is a queue pair, not a memory region"),
        (
            "fetch_add = { qp = \"q\", sge = { mr = \"a\", length = 8 }, remote = { mr = \"a\" }, swap = 1 }",
            11,
            "go with `cmp_swap`",
        ),
        ("connect = { qp = \"q\" }", 11, "give one of `to`, `qpn`"),
        ("connect = { qp = \"q\", to = \"q\" }", 11, "another one"),
        ("connect = { qp = \"q\", qpn = 9, mtu = 1500 }", 11, "an MTU is"),
        ("inject_frame = { frame = { opcode = \"SEND_ONLY\", psn = 1 } }", 11, "`frame` needs `to`"),
        ("inject_frame = { to = \"q\" }", 11, "give one of `hex`"),
        ("wire = { rate = [0, 1] }", 11, "wire: `rate` is bytes and cycles, neither"),
        ("wire_fault = { what = \"melt\" }", 12, "unknown variant `melt`"),
        ("wire_counter = { counter = \"melted\", value = 1 }", 11, "no such counter"),
        ("fill_memory = { at = \"data\", bytes = 1 }", 11, "give one of `seed`, `with`, `value`"),
        ("repeat = { times = 1, step = [{ run = { cycle = 1 } }] }", 12, "unknown field `cycle`"),
    ] {
        let (found_line, found) = mistake(&with_step(step));
        assert_eq!(found_line, line, "{step}: {found}");
        assert!(found.contains(message), "{step}: {found}");
    }
}

#[test]
fn tables_are_checked_too() {
    for (table, message) in [
        ("[qp.x]\npd = \"nobody\"\ncq = \"c\"", "there is no protection domain `nobody`"),
        ("[qp.x]\npd = \"p\"", "needs `cq`"),
        ("[mr.q]\npd = \"p\"", "name of a"),
        ("[memory.x]\npage_size = 5000", "power of two"),
        ("[memory.x]\npages = 2\nat = [0x1000]", "every page"),
        ("[list.l]\nentries = []", "at least one entry"),
        ("[list.l]\nentries = [\"data[7]\"]", "has 1 pages"),
        ("[device]\npreset = \"huge\"", "no preset `huge`"),
        ("[device]\nspeed = 3", "unknown field `speed`"),
        ("[pd.x]\nnic = \"b\"", "there is no NIC `b`"),
        ("[nic.data]", "`data` is the name of a memory already"),
        ("[nic.a2]\nmac = \"02:00\"", "expected a MAC address"),
        ("[wire]\nrate = [1, 0]", "neither of them 0"),
    ] {
        let text = format!("{}{table}\n", with_step("run = { cycles = 1 }"));
        let (line, found) = mistake(&text);
        assert!(found.contains(message), "{table}: {found}");
        assert!(line > 12, "{table}: line {line}");
    }
}

fn run_text(text: &str) -> Report {
    let scenario = Scenario::parse(text).unwrap_or_else(|error| panic!("{error}"));
    simulate_reference(&scenario, &Overrides::default())
}

/// Each expectation must be able to fail, and say what it expected and found.
#[test]
fn every_expectation_can_fail() {
    let registered =
        "reg_mr = { qp = \"q\", mr = \"a\", pages = [\"data\"], iova = 0x1000, access = \"LW\" }\n[[step]]\n\
                      completion = { qp = \"q\" }\n[[step]]\n";
    for (step, expected, found) in [
        ("completion = { qp = \"q\", within = 100 }", "completion 1 of 1 with SUCCESS", "none within 100"),
        ("query_mr = { mr = \"a\", state = \"FREE\", npages = 2 }", "state FREE, npages 2", "state VALID, npages 1"),
        ("query_qp = { qp = \"q\", state = \"ERR\" }", "state ERR", "state RTS"),
        ("probe = { qp = \"q\", mr = \"a\", va = 0, length = 1, pieces = [] }", "pieces []", "ACC_BOUNDS"),
        ("probe = { qp = \"q\", mr = \"a\", va = 0x1000, length = 1, syndrome = \"ACC_PD\" }", "ACC_PD", "pieces [0x"),
        ("read_register = { register = \"MAGIC\", value = 1 }", "0x00000001", "0x43494e52"),
        ("read_register = { register = \"MAGIC\", response = \"SLVERR\" }", "SLVERR", "OKAY"),
        ("write_register = { register = \"MAGIC\", value = 1 }", "OKAY", "SLVERR"),
        ("counter = { syndrome = \"PL_LEN\", value = 3 }", "count 3", "count 0"),
        ("event = { kind = \"CQ_ERR\", within = 10 }", "event CQ_ERR", "none within 10"),
        ("interrupt = { vector = 2, within = 10 }", "interrupt of vector 2", "none within 10"),
        ("expect_memory = { at = \"data+1\", bytes = \"0001\" }", "byte 0x1", "00"),
        ("dereg_mr = { mr = \"a\", errno = \"EBUSY\" }", "EBUSY", "success"),
        ("alloc_mr = { mr = \"b\", pd = \"p\", max_pages = 0 }", "success", "EINVAL"),
        ("admin = { command = \"QUERY_QP\", words = [\"q.qpn\"], answer = [4] }", "answer word 0 0x00000004", "0x00000003"),
        (
            "local_inv = { qp = \"q\", mr = \"a\", key_byte = 9, unchecked = true }\n[[step]]\nno_completion = { cq = \"c\" }",
            "no completion on c",
            "LOCAL_INV of wr_id 2 with MW_BIND INV_KEY",
        ),
        (
            "no_access_from_here = { pages = [\"q.send\"] }\n[[step]]\nlocal_inv = { qp = \"q\", mr = \"a\" }\n[[step]]\n\
             completion = { qp = \"q\" }",
            "no bus access to q.send",
            "Read at",
        ),
        ("compare_memory = { at = \"data\", bytes = 3, seed = 1 }", "from byte 0x0", "3 of 3 bytes differ"),
        ("fill_memory = { at = \"data\", bytes = 4097, seed = 1 }", "4097 bytes of memory at data", "less is there"),
        ("wire = { loss = 10 }", "a wire", "the reference model has none"),
        ("inject_frame = { hex = \"00010203040506070809AABBCCDD\" }", "a wire", "has none"),
        ("compare_memory = { at = \"data\", bytes = 3, value = 1 }", "from byte 0x0 behind data on: 010101", "3 of 3 bytes"),
        (
            "send = { qp = \"q\", sges = [{ at = \"0xFFFF_FFFF_FFFF_FFF0\", length = 17 }] }",
            "`at` and `length` within 2^64",
            "17 bytes at 0xfffffffffffffff0",
        ),
        ("compare_memory = { at = \"data[0xFFFF_FFFF_FFFF]+1\", bytes = 3, value = 1 }", "3 bytes of memory", "less is there"),
        ("inject_frame = { to = \"q\", frame = { opcode = 4, psn = 1 } }", "`q` connected by a step", "it is not"),
        ("inject_frame = { capture = \"no/such.pcap\" }", "capture no/such.pcap", "No such file"),
        ("expect_frame = { within = 5 }", "a wire", "has none"),
        ("wire_counter = { counter = \"lost\", value = 1 }", "a wire", "has none"),
        (
            "read = { qp = \"q\", sges = [{ mr = \"a\", length = 8 }, { mr = \"a\", length = 8 }], remote = { mr = \"a\" }, \
             invalidate_sink = true }",
            "success",
            "EINVAL",
        ),
        ("connect = { qp = \"q\", qpn = 9 }", "an answer of the device", "no such own address"),
        ("repeat = { times = 3, step = [{ dereg_mr = { mr = \"a\" } }] }", "round 2, dereg_mr in line 16", "does not exist"),
    ] {
        let report = run_text(&with_step(&format!("{registered}{step}")));
        let failure = report.failure.as_ref().unwrap_or_else(|| panic!("passed: {step}"));
        assert!(!report.passed && report.steps.last().is_some_and(|row| row.status == "failed"));
        assert!(failure.expected.contains(expected), "{step}: expected {}", failure.expected);
        assert!(failure.found.contains(found), "{step}: found {}", failure.found);
        assert!(failure.step.contains("line 1"), "{}", failure.step);
        assert!(failure.state.iter().any(|line| line.contains("queue pair q")), "{step}: {:?}", failure.state);
    }
}

#[test]
fn at_the_end_the_device_holds_what_the_completions_say() {
    let steps = "reg_mr = { qp = \"q\", mr = \"a\", pages = [\"data\"], access = \"LW\" }\n[[step]]\n\
                 completion = { qp = \"q\" }\n";
    assert!(run_text(&with_step(steps)).passed);
    // Behind the driver's back.
    let steps = format!(
        "{steps}[[step]]\nadmin = {{ command = \"DEREG_MR\", words = [\"a.index\"] }}\n[[step]]\n\
         admin = {{ command = \"ALLOC_MR\", words = [\"a.index\", \"p.pd\", 0x155, 4, 0] }}\n"
    );
    let failure = run_text(&with_step(&steps)).failure.expect("the driver takes it for VALID");
    assert_eq!((failure.step.as_str(), failure.found.as_str()), ("end of the run", "FREE"));
    assert!(failure.expected.contains("memory region a VALID"), "{}", failure.expected);
}

#[test]
fn the_report_is_a_table_and_data() {
    let report = run_text(&with_step("run = { cycles = 7 }"));
    let text = report.to_string();
    assert!(text.contains("7 cycles") && text.ends_with(" cycles\npassed\n"), "{text}");
    let data = serde_json::to_value(&report).unwrap();
    let keys: Vec<_> = data.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["cycles", "passed", "preset", "scenario", "seed", "steps"]);
    assert_eq!(data["steps"][1], serde_json::json!({ "step": "7 cycles", "status": "ok", "cycles": 7 }));
}

#[test]
fn every_action_is_on_the_reference_page() {
    let page = include_str!("../../../docs/src/scenarios.md");
    for (key, _) in ACTIONS {
        assert!(page.contains(&format!("`{key}`")), "docs/src/scenarios.md says nothing about `{key}`");
    }
}

#[test]
fn the_page_s_example_runs() {
    let page = include_str!("../../../docs/src/scenarios.md");
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let report = run_text(example);
    assert!(report.passed, "{report}");
}

/// Two NICs with an object of each kind on the second.
const TWO: &str = r#"
name = "two"
title = "t"
[nic.left]
[nic.right]
addresses = ["10.0.0.7"]
[memory.data]
[memory.far]
nic = "right"
contents = "0102"
[pd.p]
[pd.r]
nic = "right"
[cq.c]
[cq.d]
nic = "right"
[qp.q]
pd = "p"
cq = "c"
[qp.s]
pd = "r"
cq = "d"
[mr.a]
pd = "p"
[mr.b]
pd = "r"
"#;

#[test]
fn objects_are_on_their_nic_and_steps_find_them_there() {
    let report = run_text(&format!(
        r#"{TWO}
[[step]]
reg_mr = {{ qp = "s", mr = "b", pages = ["far"], iova = 0x1000, access = "LW RW" }}
[[step]]
completion = {{ qp = "s" }}
[[step]]
title = "the same index on the other NIC is another region"
query_mr = {{ mr = "a", state = "FREE" }}
[[step]]
query_mr = {{ mr = "b", state = "VALID" }}
[[step]]
query_mr = {{ index = 1, nic = "right", state = "VALID" }}
[[step]]
query_mr = {{ index = 1, state = "FREE" }}
[[step]]
probe = {{ qp = "s", mr = "b", va = 0x1001, length = 1, access = "RW", remote = true, pieces = [["far+1", 1]] }}
[[step]]
expect_memory = {{ at = "far", bytes = "0102" }}
[[step]]
fill_memory = {{ at = "data+7", bytes = 1000, seed = 3 }}
[[step]]
compare_memory = {{ at = "data+7", bytes = 1000, seed = 3 }}
[[step]]
fill_memory = {{ at = "far+9", bytes = 1000, with = "data+7" }}
[[step]]
compare_memory = {{ at = "data+7", bytes = 1000, with = "far+9" }}
[[step]]
connect = {{ qp = "q", to = "s" }}
[[step]]
query_qp = {{ qp = "q", state = "RTS" }}
[[step]]
query_qp = {{ qp = "s", state = "RTS" }}
[[step]]
read_register = {{ nic = "right", register = "MAC_HIGH", value = 0x0200 }}
[[step]]
read_register = {{ register = "MAC_HIGH", value = 0x0100 }}
[[step]]
read_register = {{ nic = "right", register = "OWN_ADDRESS[3]", value = 0x0700_000A }}
[[step]]
counter = {{ nic = "right", syndrome = "PL_LEN", value = 0 }}
[[step]]
no_event = {{ nic = "right" }}
"#
    ));
    assert!(report.passed, "{report}");
}

#[test]
fn objects_of_two_nics_do_not_mix() {
    let text = TWO.replace("[qp.s]\npd = \"r\"", "[qp.s]\npd = \"p\"");
    let report = run_text(&text);
    let failure = report.failure.expect("a queue pair with a completion queue of another NIC");
    assert!(failure.found.contains("object of another device"), "{}", failure.found);
}

/// Every data transfer reaches the device, in one or two slots. The model has no transport: it refuses the first.
const UNCHECKED: &str = include_str!("../../tests/unchecked.toml");

#[test]
fn data_transfers_reach_the_device() {
    let refused = "status = \"LOC_QP_OP\", syndrome = \"WQE_FORMAT\"";
    let report = run_text(&UNCHECKED.replace("status = \"LOC_PROT\", syndrome = \"ACC_STATE\"", refused));
    assert!(report.passed, "{report}");
}

/// The model has no wire, so all that can be shown without the Verilog is that every name in them is known, and that none of
/// them is forgotten.
#[test]
fn scenarios_of_the_transport_are_built_in() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/transport");
    let mut files = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        files.insert(path.file_stem().unwrap().to_str().unwrap().to_string());
    }
    assert_eq!(files, TRANSPORT.iter().map(|builtin| builtin.name.to_string()).collect());
    for builtin in TRANSPORT {
        let scenario = builtin.scenario().unwrap_or_else(|error| panic!("{}: {error}", builtin.name));
        assert_eq!(scenario.name, builtin.name);
        // Where the frames of the peer are given one by one, there is no second device.
        assert!((1..=2).contains(&scenario.nics().len()), "{}", builtin.name);
        assert_eq!(super::builtin(builtin.name).map(|found| found.text), Some(builtin.text));
    }
}
