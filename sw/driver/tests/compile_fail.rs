//! Mistakes that the types do not let through (F21). Each file must fail to compile, with the error beside it.
//! To renew the errors after a change of the compiler: `TRYBUILD=overwrite`.

#[test]
fn f21_f8_a23_classic_mistakes_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
