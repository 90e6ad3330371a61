//! The format and its errors, and every built-in scenario on the reference model.

use super::*;
use rnic_abi::preset::{LARGE, SMALL};

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
        ("run = { cycles = -1 }", 12, "invalid value"),
        ("completion = { qp = \"r\" }", 11, "there is no queue pair `r`"),
        ("completion = { qp = \"a\" }", 11, "`a` is a memory region, not a queue pair"),
        ("completion = { qp = \"q\", status = \"BROKEN\" }", 12, "found `BROKEN`, expected a completion status"),
        ("reg_mr = { qp = \"q\", mr = \"a\" }", 11, "give one of `pages`"),
        ("probe = { qp = \"q\", mr = \"a\", length = 1 }", 11, "expect one of"),
        ("raw = { qp = \"q\", slot = \"123\" }", 12, "hexadecimal"),
        ("title = \"nothing\"", 11, "a step has an action"),
        ("run = { cycles = 1 }\ndrain = { qp = \"q\" }", 11, "a step has one action"),
        ("run = ", 12, ""),
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
        ("repeat = { times = 3, step = [{ dereg_mr = { mr = \"a\" } }] }", "round 2, dereg_mr in line 16", "does not exist"),
    ] {
        let report = run_text(&with_step(&format!("{registered}{step}")));
        let failure = report.failure.as_ref().unwrap_or_else(|| panic!("passed: {step}"));
        assert!(!report.passed && report.steps.last().is_some_and(|row| row.status == "failed"));
        assert!(failure.expected.contains(expected), "{step}: expected {}", failure.expected);
        assert!(failure.found.contains(found), "{step}: found {}", failure.found);
        assert!(failure.step.contains("line 1"), "{}", failure.step);
    }
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
