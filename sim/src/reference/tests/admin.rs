//! Sections A, T1, T2, T5 and the admin commands.

use super::*;

/// A command that must be refused, and must change nothing that a query shows.
fn refused(bench: &mut Bench, opcode: u8, given: &[u32], errno: Errno) {
    let regions = bench.nic.regions.clone();
    let states: Vec<_> = bench.nic.queue_pairs.iter().flatten().map(|qp| (qp.state, qp.attributes)).collect();
    assert_eq!(bench.admin(opcode, given), Err(errno), "command {opcode:#x} {given:x?}");
    assert_eq!(bench.nic.regions, regions);
    let after: Vec<_> = bench.nic.queue_pairs.iter().flatten().map(|qp| (qp.state, qp.attributes)).collect();
    assert_eq!(after, states);
}

#[test]
fn a5_alloc_mr_refuses_bad_fields() {
    let mut bench = Bench::new();
    let good = [9, 1, 0x110, 4, 24];
    let bad = [
        (0, 0),
        (0, 32),
        (0, u32::MAX),
        (1, 1 << 24),
        (2, 0x010),
        (2, 0x310),
        (2, 0x1_0110),
        (3, 0),
        (3, 33),
        (3, 0x1_0004),
        (4, 4),
        (4, 512),
        (4, u32::MAX & !7),
    ];
    for (word, value) in bad {
        let mut words = good;
        words[word] = value;
        refused(&mut bench, command::ALLOC_MR, &words, Errno::Einval);
    }
    refused(&mut bench, command::ALLOC_MR, &[9, 1, 0x110, 4, 24, 1], Errno::Einval);
    refused(&mut bench, command::ALLOC_MR, &[9, 1, 0x210, 4, 24], Errno::Eopnotsupp);
    bench.admin(command::ALLOC_MR, &good).unwrap();
    refused(&mut bench, command::ALLOC_MR, &good, Errno::Ebusy);
}

#[test]
fn a6_a8_a_new_region_is_free_and_empty() {
    let mut bench = Bench::new();
    let answer = bench.admin(command::QUERY_MR, &[5]).unwrap();
    assert_eq!(answer[..12], [0x0000_0101, KEY_A, 1, 4 << 16, 0, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn a8_a14_a18_dereg_from_free_and_from_valid() {
    let mut bench = Bench::new();
    bench.succeed(Reg::default().slot());
    for index in [5, 6] {
        bench.admin(command::DEREG_MR, &[index]).unwrap();
        assert_eq!(bench.admin(command::QUERY_MR, &[index]).unwrap()[0] & 0xFF, 0);
        refused(&mut bench, command::DEREG_MR, &[index], Errno::Einval);
    }
    assert_eq!(bench.probe(0x511, 0x10000, 1, 0), Err(Syndrome::AccKey));
}

#[test]
fn a19_a_stale_key_of_the_previous_owner_fails() {
    let mut bench = Bench::new();
    bench.succeed(Reg::default().slot());
    bench.admin(command::DEREG_MR, &[5]).unwrap();
    bench.admin(command::ALLOC_MR, &[5, 1, 0x112, 4, 0]).unwrap();
    assert_eq!(bench.probe(0x511, 0x10000, 1, 0), Err(Syndrome::AccKey));
}

#[test]
fn a20_every_index_can_be_allocated_once() {
    let mut bench = Bench::new();
    for index in (1..32).filter(|index| !(5..8).contains(index)) {
        bench.admin(command::ALLOC_MR, &[index, 1, 0x100, 8, 8 * index]).unwrap();
    }
    refused(&mut bench, command::ALLOC_MR, &[31, 1, 0x100, 8, 0], Errno::Ebusy);
    refused(&mut bench, command::QUERY_MR, &[32], Errno::Einval);
}

#[test]
fn t5_a_queue_pair_is_found_by_its_full_number() {
    let mut bench = Bench::new();
    for opcode in [command::QUERY_QP, command::DESTROY_QP] {
        refused(&mut bench, opcode, &[QP1 + 8], Errno::Einval);
    }
    refused(&mut bench, command::PROBE, &[QP1 + 8, 0, 0, 0, 0, 0], Errno::Einval);
    let create = |qpn| [qpn, 1, 0, 0, 0x202, 0, 0x1000, 0, 0x2000, 0];
    for qpn in [0, 1, 1 << 24] {
        refused(&mut bench, command::CREATE_QP, &create(qpn), Errno::Einval);
    }
    refused(&mut bench, command::CREATE_QP, &create(QP1 + 8), Errno::Ebusy);
    bench.admin(command::CREATE_QP, &create(8)).unwrap();
}

#[test]
fn t2_ring_sizes_and_bases() {
    let mut bench = Bench::new();
    let good = [0x13, 1, 0, 0, 0x202, 0, 0x1000, 0, 0x2000, 0];
    for (word, value) in [
        (1, 1 << 24),
        (2, 1),
        (3, 40),
        (4, 0x201),
        (4, 0x210),
        (4, 0x1002),
        (4, 0x4_0202),
        (5, 1),
        (6, 0x1040),
        (7, 1 << 20),
        (8, 0x800),
        (9, 1 << 31),
    ] {
        let mut words = good;
        words[word] = value;
        refused(&mut bench, command::CREATE_QP, &words, Errno::Einval);
    }
    for words in [[1, 1, 0x1000, 0], [1, 17, 0x1000, 0], [1, 0x802, 0x1000, 0], [1, 2, 0x20, 0], [16, 2, 0x1000, 0]] {
        refused(&mut bench, command::CREATE_CQ, &words, Errno::Einval);
    }
    refused(&mut bench, command::CREATE_CQ, &[0, 2, 0x1000, 0], Errno::Ebusy);
}

#[test]
fn a_cq_in_use_cannot_be_destroyed() {
    let mut bench = Bench::new();
    refused(&mut bench, command::DESTROY_CQ, &[0], Errno::Ebusy);
    refused(&mut bench, command::DESTROY_CQ, &[1], Errno::Einval);
    bench.admin(command::DESTROY_QP, &[QP1]).unwrap();
    bench.admin(command::DESTROY_QP, &[QP2]).unwrap();
    bench.admin(command::DESTROY_CQ, &[0]).unwrap();
}

#[test]
fn unknown_commands_are_refused() {
    for opcode in [0x00, 0x05, 0x07, 0x0E, 0xFF] {
        refused(&mut Bench::new(), opcode, &[], Errno::Einval);
    }
}

/// Required and optional attribute bits of every transition, written down a second time straight from the table of T1.
fn t1_table(from: u32, to: u32) -> Option<(u32, u32)> {
    match (from, to) {
        (_, 0 | 6) => Some((0, 0)),
        (0, 1) => Some((0b11, 0)),
        (1, 1) => Some((0, 0b11)),
        (1, 2) => Some((0b1111_1100, 0b11)),
        (2, 3) => Some((0b1_1111_0000_0000, 0b1000_0001)),
        (3 | 4, 3) => Some((0, 0b1000_0001)),
        (3, 4) => Some((0, 1 << 13)),
        (4, 4) => Some((0, 0b1_0111_1100_0111 & !0b1000)),
        _ => None,
    }
}

/// Words of a MODIFY_QP that gives every attribute of `mask` a value in range.
fn modify_words(qpn: u32, to: u32, mask: u32) -> [u32; 32] {
    let mut command = words(&[qpn, to, mask]);
    let given = |bit: u32, value: u32| if mask >> bit & 1 != 0 { value } else { 0 };
    command[3] = given(0, 0x000E_0000) | given(1, 0xFFFF) | given(3, 5 << 24);
    command[4] = given(4, 2);
    command[5] = given(5, 0xFF_FFFF);
    command[6] = given(11, 1);
    command[7] = given(8, 31) | given(9, 7 << 8) | given(10, 7 << 16) | given(7, 31 << 24);
    command[8] = given(12, 4) | given(6, 4 << 8) | given(13, 1 << 16);
    for word in 0x09..0x12 {
        command[word] = given(2, 1);
    }
    command
}

/// A bench whose QP1 is in `state`.
fn in_state(state: u32) -> Bench {
    let mut bench = Bench::new();
    let reached = match state {
        4 | 6 => bench.modify(QP1, State::try_from(state as u8).unwrap()).map(|_| ()),
        3 => Ok(()),
        _ => bench.modify(QP1, State::Reset).map(|_| ()),
    };
    reached.unwrap();
    if state < 3 {
        for command in &bring_up(QP1)[..state as usize] {
            bench.nic.admin(command::MODIFY_QP, command).unwrap();
        }
    }
    bench
}

#[test]
fn t1_every_transition_with_each_attribute_more_and_less() {
    for from in [0, 1, 2, 3, 4, 6] {
        for to in 0..8 {
            let bench = in_state(from);
            let (required, optional) = t1_table(from, to).unwrap_or((0, 0));
            let try_mask = |mask: u32| {
                let mut bench = Bench { nic: bench.nic.clone(), memory: Words::default() };
                let result = bench.nic.admin(command::MODIFY_QP, &modify_words(QP1, to, mask));
                let now = bench.nic.queue_pair(QP1).unwrap().state as u32;
                assert_eq!(now, if result.is_ok() { to } else { from });
                result.is_ok()
            };
            let exists = t1_table(from, to).is_some();
            assert_eq!(try_mask(required), exists, "{from} to {to}");
            for bit in (0..14).map(|bit| 1 << bit) {
                let legal = exists && required & bit == 0 && optional & bit != 0;
                assert_eq!(try_mask(required ^ bit), legal, "{from} to {to} with {bit:#x} changed");
            }
        }
    }
}

#[test]
fn t2_attribute_ranges() {
    let bad_at = |state: u32, to: u32, word: usize, value: u32| {
        let (required, _) = t1_table(state, to).unwrap();
        let mut command = modify_words(QP1, to, required);
        command[word] = value;
        let mut bench = in_state(state);
        assert_eq!(bench.nic.admin(command::MODIFY_QP, &command), Err(Errno::Einval), "word {word:#x} = {value:#x}");
    };
    bad_at(0, 1, 3, 0x0001_FFFF);
    bad_at(0, 1, 3, 0x0010_FFFF);
    bad_at(0, 1, 8, 0x0100_0000);
    for (word, value) in [
        (3, 0),
        (3, 6 << 24),
        (4, 0),
        (4, 1),
        (4, 1 << 24),
        (5, 1 << 24),
        (7, 32 << 24),
        (8, 5 << 8),
        (0x0B, 8 << 16),
        (0x0B, 1 << 26),
        (0x10, 1 << 20),
        (0x11, 1 << 16),
        (0x12, 1),
        (0x1F, 1),
    ] {
        bad_at(1, 2, word, value);
    }
    for (word, value) in [(6, 1 << 24), (7, 32), (7, 8 << 8), (7, 8 << 16), (8, 5), (8, 1 << 24)] {
        bad_at(2, 3, word, value);
    }
}

#[test]
fn t1_attributes_that_were_given_are_kept() {
    let mut bench = Bench::new();
    assert_eq!(bench.nic.queue_pair(QP1).unwrap().attributes.words[3], 0x010E_FFFF);
    let mut command = words(&[QP1, 3, 1, 4 << 16]);
    bench.nic.admin(command::MODIFY_QP, &command).unwrap();
    assert_eq!(bench.nic.queue_pair(QP1).unwrap().attributes.words[3], 0x0104_FFFF);
    command[3] = 0;
    command[1] = 0;
    command[2] = 0;
    bench.nic.admin(command::MODIFY_QP, &command).unwrap();
    assert_eq!(bench.nic.queue_pair(QP1).unwrap().attributes, Attributes::default());
}
