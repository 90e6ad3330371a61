//! The TLP bridge before its judges, and mistakes that they must find.
use rnic_cocotb::{clock_nets, mutate, run, Judge, Options, Tools, JUDGES, MUTANTS};
use std::sync::OnceLock;

fn tools() -> &'static Tools {
    static TOOLS: OnceLock<Tools> = OnceLock::new();
    TOOLS.get_or_init(|| Tools::install().unwrap_or_else(|error| panic!("{error}")))
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

/// Fails with what Python said.
fn convinces(module: &str, name: &str, verilog: &str, options: Options<'_>) {
    let verdicts = run(tools(), Judge::named(module), verilog, name, options).unwrap_or_else(|error| panic!("{error}"));
    let failures: Vec<_> =
        verdicts.iter().filter_map(|v| v.failure.as_ref().map(|text| format!("{}:\n{text}", v.name))).collect();
    println!("{module}: seed {}, {} tests", options.seed, verdicts.len());
    assert!(failures.is_empty(), "{module}, RNIC_SEED={} runs it again:\n{}", options.seed, failures.join("\n\n"));
}

fn bridge(module: &str) -> String {
    clock_nets(&Judge::named(module).verilog().unwrap()).unwrap()
}

fn judged(module: &str) {
    let options = Options { seed: number("RNIC_SEED").unwrap_or(1), rounds: None, filter: None };
    convinces(module, module, &bridge(module), options);
}

#[test]
fn vectors() {
    judged("test_vectors");
}

#[test]
fn completions() {
    judged("test_completions");
}

#[test]
fn malformed_and_register_accesses() {
    judged("test_malformed");
}

#[test]
fn order_and_deadlock() {
    judged("test_order");
}

#[test]
fn random_traffic_of_the_independent_host() {
    judged("test_random");
}

#[test]
fn root_complex() {
    judged("test_root_complex");
}

#[test]
fn every_mutant_is_found() {
    for mutant in MUTANTS {
        let text = mutate(&bridge(mutant.judge), mutant).unwrap();
        let options = Options { seed: 1, rounds: None, filter: Some(mutant.test) };
        let name = format!("mutant-{}", mutant.name.replace(' ', "-"));
        let verdicts = run(tools(), Judge::named(mutant.judge), &text, &name, options);
        let verdicts = verdicts.unwrap_or_else(|error| panic!("{}: {error}", mutant.name));
        assert!(verdicts.iter().all(|verdict| verdict.name == mutant.test), "{}: {verdicts:?}", mutant.name);
        let found = verdicts.iter().find_map(|verdict| verdict.failure.as_ref());
        let found = found.unwrap_or_else(|| panic!("{}: not found by {}", mutant.name, mutant.test));
        let words = found.lines().rev().find(|line| line.contains("Error") || line.contains("Broken"));
        println!("{}: {}: {}", mutant.name, mutant.test, words.unwrap_or(found));
    }
}

/// Every judge for every mutant: which of them would have found it.
#[test]
#[ignore = "a table, and long"]
fn which_judges_find_a_mutant() {
    for mutant in MUTANTS {
        let mut found = false;
        for judge in JUDGES {
            let text = mutate(&bridge(judge.module), mutant).unwrap();
            let options = Options { seed: 1, rounds: None, filter: None };
            let said = match run(tools(), &judge, &text, "table", options) {
                Ok(verdicts) => {
                    let failed: Vec<_> = verdicts.iter().filter(|v| v.failure.is_some()).map(|v| &v.name[..]).collect();
                    found |= !failed.is_empty();
                    format!("{} of {}: {}", failed.len(), verdicts.len(), failed.join(", "))
                }
                Err(error) => format!("no report: {error}"),
            };
            println!("{} | {} | {said}", mutant.name, judge.module);
        }
        assert!(found, "no judge finds {}", mutant.name);
    }
}

#[test]
#[ignore = "long campaign"]
fn long_campaign() {
    // The Verilog as it is exported, clocks in the combinational blocks.
    let untouched = Judge::named("test_vectors").verilog().unwrap();
    convinces("test_vectors", "untouched", &untouched, Options { seed: 1, rounds: None, filter: None });
    let first = number("RNIC_SEED").unwrap_or(2);
    for seed in first..first + 4 {
        for judge in JUDGES {
            convinces(judge.module, "long", &bridge(judge.module), Options { seed, rounds: Some(60), filter: None });
        }
    }
}
