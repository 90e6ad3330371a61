//! Section C as far as it needs no wire.

use super::*;

#[test]
fn c1_a_valid_region_becomes_free_and_grants_nothing() {
    let mut bench = Bench::new();
    bench.succeed(Reg::default().slot());
    bench.succeed(local_inv(0x511));
    assert_eq!(bench.nic.region(5).unwrap().state, RegionState::Free);
    assert_eq!(bench.probe(0x511, 0x10000, 1, 0), Err(Syndrome::AccState));
}

#[test]
fn c2_a_free_region_with_the_key_it_last_held_is_a_success() {
    let mut bench = Bench::new();
    bench.succeed(local_inv(KEY_A));
    bench.succeed(Reg::default().slot());
    bench.succeed(local_inv(0x511));
    let before = bench.nic.region(5).unwrap().clone();
    bench.succeed(local_inv(0x511));
    assert_eq!(*bench.nic.region(5).unwrap(), before);
    bench.fail(local_inv(KEY_A), Syndrome::InvKey);
}

#[test]
fn c3_unknown_reserved_and_stale_keys() {
    let mut bench = Bench::new();
    bench.succeed(Reg::default().slot());
    for (key, syndrome) in [
        (0x2011, Syndrome::KeyIndex),
        (0x811, Syndrome::KeyIndex),
        (0, Syndrome::KeyReserved),
        (0xFF, Syndrome::KeyReserved),
        (0x510, Syndrome::InvKey),
        (0x512, Syndrome::InvKey),
    ] {
        bench.fail(local_inv(key), syndrome);
    }
    assert_eq!(bench.nic.region(5).unwrap().state, RegionState::Valid);
}

#[test]
fn c4_only_mem_reg_regions_can_be_invalidated() {
    let mut bench = Bench::new();
    bench.nic.regions[5].kind = 3;
    bench.fail(local_inv(KEY_A), Syndrome::MrType);
}

#[test]
fn c6_a_region_of_another_pd_is_named_before_its_key_byte() {
    Bench::new().fail(local_inv(0x710), Syndrome::MrPd);
    Bench::new().fail(local_inv(0x755), Syndrome::MrPd);
}

#[test]
fn c7_a_region_without_remote_rights_can_be_invalidated() {
    let mut bench = Bench::new();
    bench.succeed(Reg { access: 1, ..Reg::default() }.slot());
    assert_eq!(bench.nic.region(5).unwrap().access, 1, "no remote right, no REMOTE_INV");
    bench.succeed(local_inv(0x511));
}

#[test]
fn c10_reg_behind_local_inv_needs_no_completion_in_between() {
    let mut bench = Bench::new();
    bench.succeed(Reg::default().slot());
    bench.post(QP1, &[local_inv(0x511), Reg { key: 0x512, ..Reg::default() }.slot()]).unwrap();
    assert_eq!(bench.step(QP1).unwrap().status, Status::Success);
    assert_eq!(bench.step(QP1).unwrap().status, Status::Success);
    assert_eq!(bench.nic.region(5).unwrap().key, 0x512);
}

#[test]
fn b1_local_inv_with_anything_else_set_is_a_format_error() {
    for at in [0x03, 0x08, 0x10, 0x18, 0x20, 0x3F] {
        let mut slot = local_inv(KEY_A);
        slot[at] = 1;
        Bench::new().fail(slot, Syndrome::WqeFormat);
    }
    for (at, value) in [(1, 0x04), (1, 0x08), (1, 0x80), (2, 0), (2, 2)] {
        let mut slot = local_inv(KEY_A);
        slot[at] = value;
        Bench::new().fail(slot, Syndrome::WqeFormat);
    }
}

#[test]
fn c24_every_registration_has_a_generation_of_its_own() {
    let mut bench = Bench::new();
    for generation in 1..4 {
        bench.succeed(Reg::default().slot());
        assert_eq!(bench.nic.region(5).unwrap().generation, generation);
        bench.succeed(local_inv(0x511));
    }
    bench.admin(command::DEREG_MR, &[5]).unwrap();
    bench.admin(command::ALLOC_MR, &[5, 1, 0x120, 4, 0]).unwrap();
    assert_eq!(bench.nic.region(5).unwrap().generation, 3);
}
