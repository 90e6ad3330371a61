//! All proofs hold, all covers are reached, all mutants are found.

#[test]
fn every_proof_holds_and_every_mutant_is_found() {
    let report = rnic_formal::run("", &|name| println!("{name}")).unwrap();
    for property in &report.properties {
        assert!(property.passed && property.cover, "{property:?}");
    }
    for mutant in &report.mutants {
        assert!(mutant.caught, "{mutant:?}");
    }
    assert!(report.passed);
    assert!(report.properties.len() >= 15 && report.mutants.len() >= 10);
}
