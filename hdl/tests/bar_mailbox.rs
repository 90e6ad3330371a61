//! The admin mailbox as its master and its units see it.
mod bar_bench;
use bar_bench::{Bench, OKAY, SLVERR};
use rnic_abi::admin::{self, Command};
use rnic_abi::errno;
use rnic_abi::register as map;

/// Words that a command may carry: 1, 2, 3 ... in the used ones.
fn words(command: Command) -> Vec<u32> {
    (0..32).map(|i| if command.used_words() >> i & 1 == 1 { i + 1 } else { 0 }).collect()
}

#[test]
fn a_command_reaches_the_units_with_all_words_and_its_answer_comes_back() {
    for (number, command) in Command::ALL.iter().enumerate() {
        let mut bench = Bench::ready();
        bench.answers = vec![(0, 0x1111_0000), (2, 0x2222_0000), (15, 0xFFFF_FFFF)];
        bench.latency = Some(1 + number as u64);
        let sent = words(*command);
        assert_eq!(bench.command(command.code(), 0xBEE0 + number as u32, &sent), OKAY);
        assert_eq!(bench.outcome(), (0, 0xBEE0 + number as u32));
        let [seen] = &bench.commands[..] else { panic!("{:?}", bench.commands) };
        assert_eq!(seen.opcode, u64::from(command.code()));
        let expected: Vec<_> = sent.iter().enumerate().map(|(i, word)| (i as u64, u64::from(*word))).collect();
        assert_eq!(seen.words, expected, "{command}");
        let answers: Vec<_> = (0..16).map(|i| bench.value(map::admin_answer(i))).collect();
        let mut expected = vec![0; 16];
        (expected[0], expected[2], expected[15]) = (0x1111_0000, 0x2222_0000, 0xFFFF_FFFF);
        assert_eq!(answers, expected, "{command}");
    }
}

#[test]
fn the_answer_of_a_command_is_not_that_of_the_one_before() {
    let mut bench = Bench::ready();
    bench.answers = vec![(0, 1), (5, 6)];
    assert_eq!(bench.command(admin::QUERY_MR, 1, &[3]), OKAY);
    assert_eq!(bench.outcome(), (0, 1));
    assert_eq!(bench.value(map::admin_answer(5)), 6);
    bench.answers = vec![];
    bench.errno = errno::EBUSY.into();
    assert_eq!(bench.command(admin::DESTROY_CQ, 2, &[3]), OKAY);
    assert_eq!(bench.outcome(), (16, 2));
    assert_eq!((bench.value(map::admin_answer(0)), bench.value(map::admin_answer(5))), (0, 0));
}

#[test]
fn an_unknown_opcode_or_an_unused_word_is_einval_and_reaches_no_unit() {
    let mut bench = Bench::ready();
    for opcode in (0..=255).filter(|code| Command::from_u8(*code).is_none()) {
        assert_eq!(bench.write(map::GO, map::GO_OPCODE.put(opcode.into()) | 7 << 16), OKAY);
        assert_eq!(bench.outcome(), (22, 7), "{opcode:02x}");
    }
    for command in Command::ALL {
        for unused in (0..32).filter(|i| command.used_words() >> i & 1 == 0) {
            for (word, bit) in [(unused, 0), (unused, 31)] {
                assert_eq!(bench.write(map::admin_command(word), 1 << bit), OKAY);
                assert_eq!(bench.write(map::GO, map::GO_OPCODE.put(command.code().into())), OKAY);
                assert_eq!(bench.outcome().0, 22, "{command} word {word} bit {bit}");
            }
            assert_eq!(bench.write(map::admin_command(unused), 0), OKAY);
        }
    }
    assert!(bench.commands.is_empty());
    // Reserved bits of GO are a bad value.
    for bit in 8..16 {
        assert_eq!(bench.write(map::GO, 1 << bit | u32::from(admin::QUERY_MR)), SLVERR);
    }
    bench.steps(60);
    assert!(bench.commands.is_empty());
    assert_eq!(bench.command(admin::QUERY_MR, 9, &[1]), OKAY);
    assert_eq!(bench.outcome(), (0, 9));
}

#[test]
fn before_ready_commands_answer_eagain() {
    let mut bench = Bench::cold();
    bench.uut.bus_idle.next = false;
    for _ in 0..3 {
        assert_eq!(bench.command(admin::QUERY_QP, 3, &[0x12]), OKAY);
        assert_eq!(bench.outcome(), (11, 3));
    }
    assert_eq!(bench.write(map::GO, 0xFF), OKAY);
    assert_eq!(bench.outcome().0, 22, "an unknown opcode is wrong at any time");
    bench.uut.bus_idle.next = true;
    // The words written before are still there.
    bench.await_ready();
    assert!(bench.commands.is_empty());
    assert_eq!(bench.write(map::GO, map::GO_OPCODE.put(admin::QUERY_QP.into())), OKAY);
    assert_eq!(bench.outcome().0, 0);
    assert_eq!(bench.commands[0].words[0], (0, 0x12));
}

#[test]
fn while_a_command_runs_its_words_and_go_are_refused() {
    let mut bench = Bench::ready();
    bench.latency = None;
    assert_eq!(bench.command(admin::QUERY_MR, 5, &[0x77]), OKAY);
    for round in 0..2 {
        let status = bench.value(map::ADMIN_STATUS);
        assert_eq!((status & 3, map::ADMIN_STATUS_TOKEN.get(status)), (1, 5), "round {round}");
        for word in 0..32 {
            assert_eq!(bench.write(map::admin_command(word), 1), SLVERR);
        }
        assert_eq!(bench.write(map::GO, map::GO_OPCODE.put(admin::QUERY_MR.into())), SLVERR);
        // Other registers go on.
        assert_eq!(bench.write(map::WINDOW, 3 + round), OKAY);
        assert_eq!(bench.value(map::admin_command(0)), 0x77);
        bench.steps(100);
    }
    assert_eq!(bench.commands.len(), 1);
}

#[test]
fn a_reset_while_a_command_runs_drops_it() {
    let mut bench = Bench::ready();
    bench.latency = Some(60);
    bench.answers = vec![(0, 0xDEAD)];
    for pause in [0, 10, 34, 36, 38, 50, 90, 96] {
        assert_eq!(bench.command(admin::QUERY_MR, 5, &[0x77]), OKAY);
        bench.steps(pause);
        assert_eq!(bench.write(map::CONTROL, 1), OKAY);
        assert_eq!(bench.value(map::ADMIN_STATUS), 0, "after {pause}");
        bench.latency = None;
        bench.await_ready();
        assert_eq!(bench.value(map::ADMIN_STATUS), 0);
        assert_eq!(bench.value(map::admin_answer(0)), 0);
        bench.latency = Some(60);
        assert_eq!(bench.command(admin::QUERY_QP, 6, &[0x12]), OKAY);
        bench.steps(200);
        assert_eq!(bench.outcome(), (0, 6));
    }
}
