//! The generated pages of the documentation are current. RNIC_BLESS=1 writes them.
use rnic_tests::rules::Coverage;
use rnic_tests::{expect_page, reference, root};

#[test]
fn reference_pages_are_current() {
    for (name, text) in reference::pages() {
        expect_page(name, &text);
    }
}

#[test]
fn rule_table_is_current() {
    expect_page("rules.md", &Coverage::of(&root()).page());
}

#[test]
fn every_rule_has_a_test() {
    let missing = Coverage::of(&root()).missing();
    assert!(missing.is_empty(), "rules without a test: {missing:?}");
}

#[test]
fn every_number_in_a_name_is_a_rule() {
    let unknown = Coverage::of(&root()).unknown();
    assert!(unknown.is_empty(), "tests named after rules that do not exist: {unknown:#?}");
}
