//! The BAR as its master sees it: each class of register, every error response, counters, doorbells, reset.
mod bar_bench;
use bar_bench::{Bench, DECERR, OKAY, SLVERR};
use rnic_abi::register::{self as map, Access, Register, Reset};
use rnic_abi::{drop, limits, preset};

fn registers(access: Access) -> impl Iterator<Item = &'static Register> {
    map::REGISTERS.iter().filter(move |r| r.access == access)
}

/// Registers of the low part that any value fits except the one given, with a value that fits and one that does not.
const RULED: [(u32, u32, u32); 15] = [
    (map::CONTROL, 0x1C, 0x20),
    (map::TICK, 0x8_0000, 0),
    (map::WINDOW, 65_536, 65_537),
    (map::EVENT_BASE_LOW, 0xABCD_E000, 0xABCD_E800),
    (map::EVENT_BASE_HIGH, 0xF_FFFF, 0x10_0000),
    (map::EVENT_LOG2, 12, 13),
    (map::EVENT_CONSUMER, 0xFFFF, 0x1_0000),
    (map::RAW_RECEIVE_BASE_LOW, 0x1000, 1),
    (map::RAW_RECEIVE_BASE_HIGH, 0x12345, 0x8000_0000),
    (map::RAW_RECEIVE_LOG2, 4, 3),
    (map::RAW_RECEIVE_PRODUCER, 7, 0xFFFF_FFFF),
    (map::RAW_SEND_BASE_LOW, 0xFFFF_F000, 0x10),
    (map::RAW_SEND_LOG2, 5, 1),
    (map::RAW_SEND_PRODUCER, 0x8000, 0x8_0000),
    (map::MAC_HIGH, 0x0605, 0x1_0605),
];

#[test]
fn registers_have_their_reset_values_and_keep_what_is_written() {
    let mut bench = Bench::ready();
    for register in registers(Access::RW).chain(registers(Access::RO)) {
        let expected = match register.reset {
            Reset::Value(value) => value,
            _ => map::build_value(register.offset, &preset::TINY, 50_000).unwrap(),
        };
        let expected = if register.offset == map::STATUS { 1 } else { expected };
        for i in [0, register.count - 1] {
            let address = register.offset + i * register.stride;
            assert_eq!(bench.value(address), expected, "{} {i}", register.name);
        }
    }
    for (address, good, bad) in RULED {
        assert_eq!(bench.write(address, good), OKAY, "{address:04x}");
        assert_eq!(bench.write(address, bad), SLVERR, "{address:04x}");
        assert_eq!(bench.value(address), good, "{address:04x}");
    }
    for (number, address) in
        [map::MAC_LOW, map::own_address(0, 0), map::own_address(7, 3), map::admin_command(31)].into_iter().enumerate()
    {
        let value = 0xF00D_0000 + number as u32;
        assert_eq!(bench.write(address, value), OKAY);
        assert_eq!(bench.value(address), value, "{address:04x}");
    }
    assert_eq!(bench.uut.event_base.val().to_u64(), 0xF_FFFF_ABCD_E);
    assert_eq!(bench.uut.event_log2.val().to_u64(), 12);
    assert_eq!(bench.uut.event_consumer.val().to_u64(), 0xFFFF);
    assert_eq!(bench.uut.window.val().to_u64(), 65_536);
}

#[test]
fn every_class_of_register_answers_wrong_accesses_with_its_code() {
    let mut bench = Bench::enabled();
    for address in
        [0x0044, 0x00FC, 0x0110, 0x0150, 0x0180, 0x02C8, 0x0308, 0x0400, 0x0FFC, 0x1400, 0x7FFC, 0x8000, 0xFFFC]
    {
        assert_eq!(bench.read(address), (DECERR, 0), "{address:04x}");
        assert_eq!(bench.write(address, 0), DECERR, "{address:04x}");
        assert_eq!(bench.write_with(address, 0, 1, [0, 0]), DECERR, "{address:04x}");
    }
    for register in registers(Access::RO) {
        assert_eq!(bench.write(register.offset, 0), SLVERR, "{}", register.name);
    }
    for register in registers(Access::WO) {
        assert_eq!(bench.read(register.offset), (SLVERR, 0), "{}", register.name);
    }
    // Doorbells exist as far as there are queues.
    for (last, response) in [(map::sq_doorbell(7), OKAY), (map::rq_doorbell(7), OKAY), (map::cq_doorbell(15), OKAY)] {
        assert_eq!(bench.write(last, 0), response);
        assert_eq!(bench.write(last + 4, 0), DECERR);
        assert_eq!(bench.read(last + 4).0, DECERR);
    }
    assert_eq!(bench.doorbells.len(), 3);
}

#[test]
fn a_partial_write_changes_nothing() {
    let mut bench = Bench::enabled();
    for strobes in 0..15 {
        for (address, value) in [(map::WINDOW, 7), (map::MAC_LOW, 7), (map::EVENT_LOG2, 7), (map::admin_command(0), 7)]
        {
            let before = bench.value(address);
            assert_eq!(bench.write_with(address, value, strobes, [0, 0]), SLVERR, "{strobes:04b}");
            assert_eq!(bench.value(address), before);
        }
    }
    assert_eq!(bench.write_with(map::sq_doorbell(1), 1, 3, [0, 0]), SLVERR);
    assert_eq!(bench.write_with(map::GO, 1, 1, [0, 0]), SLVERR);
    bench.steps(60);
    assert!(bench.doorbells.is_empty() && bench.commands.is_empty());
    // An address inside a word cannot carry a whole one, but reads the word.
    assert_eq!(bench.write(map::WINDOW + 2, 7), SLVERR);
    assert_eq!(bench.value(map::WINDOW + 3), limits::WINDOW_DEFAULT);
}

#[test]
fn address_and_data_of_a_write_come_in_any_order() {
    let mut bench = Bench::ready();
    for (value, delays) in (100..).zip([[0, 0], [0, 1], [1, 0], [0, 9], [9, 0], [2, 3]]) {
        assert_eq!(bench.write_with(map::WINDOW, value, 15, delays), OKAY);
        assert_eq!(bench.value(map::WINDOW), value, "{delays:?}");
    }
}

#[test]
fn a_held_up_write_response_does_not_hold_up_reads() {
    let mut bench = Bench::ready();
    bench.uut.bus.bready.next = false;
    bench.uut.bus.awaddr.next = u64::from(map::WINDOW).into();
    bench.uut.bus.wdata.next = 55.into();
    bench.uut.bus.awvalid.next = true;
    bench.uut.bus.wvalid.next = true;
    bench.step();
    bench.uut.bus.awvalid.next = false;
    bench.uut.bus.wvalid.next = false;
    bench.steps(20);
    for _ in 0..3 {
        assert!(bench.uut.bus.bvalid.val(), "valid holds until ready");
        assert_eq!(bench.value(map::WINDOW), 55);
    }
    bench.uut.bus.bready.next = true;
    bench.step();
    assert!(!bench.uut.bus.bvalid.val());
}

#[test]
fn i9_every_access_ends_in_64_cycles_even_when_no_queue_takes_doorbells() {
    let mut bench = Bench::enabled();
    bench.takes = [false; 3];
    for count in 0..30 {
        for address in [map::sq_doorbell(0), map::rq_doorbell(1), map::cq_doorbell(2)] {
            assert_eq!(bench.write(address, count), OKAY);
        }
        bench.value(map::drop_counter(0));
        bench.value(map::MAGIC);
    }
    assert!(bench.longest <= u64::from(limits::BAR_CYCLES), "{} cycles", bench.longest);
    bench.takes = [true; 3];
    bench.steps(40);
    // What was not taken was counted.
    let dropped = bench.value(map::drop_counter(drop::DOORBELL_DISABLED));
    assert_eq!(bench.doorbells.len() as u32 + dropped, 90);
    assert!(bench.doorbells.len() >= 21 && dropped > 0);
}

#[test]
fn i9_doorbells_reach_their_queues_in_order_or_are_dropped_and_counted() {
    let mut bench = Bench::ready();
    assert_eq!(bench.write(map::sq_doorbell(3), 1), OKAY);
    assert_eq!(bench.write(map::cq_doorbell(3), 1), OKAY);
    assert_eq!(bench.value(map::drop_counter(drop::DOORBELL_DISABLED)), 2);
    assert_eq!(bench.write(map::CONTROL, map::CONTROL_ENABLE.mask()), OKAY);
    for (address, value) in [
        (map::sq_doorbell(7), 0xFFFF),
        (map::rq_doorbell(0), 0x1234),
        (map::cq_doorbell(15), 0x03FF_FFFF),
        (map::sq_doorbell(7), 0x0001),
        // Reserved bits.
        (map::sq_doorbell(2), 0x1_0000),
        (map::rq_doorbell(2), 0x8000_0000),
        (map::rq_doorbell(2), 0xFFFF_0000),
        (map::cq_doorbell(2), 0x0400_0000),
    ] {
        assert_eq!(bench.write(address, value), OKAY);
    }
    bench.steps(10);
    assert_eq!(bench.doorbells, [(0, 7, 0xFFFF), (1, 0, 0x1234), (2, 15, 0x03FF_FFFF), (0, 7, 1)]);
    let counts = [drop::DOORBELL_DISABLED, drop::SQ_DOORBELL_VALUE, drop::RQ_DOORBELL_VALUE, drop::CQ_DOORBELL_VALUE]
        .map(|reason| bench.value(map::drop_counter(reason)));
    assert_eq!(counts, [2, 1, 2, 1]);
}

#[test]
fn m3_counters_count_everything_clear_on_write_and_keep_apart() {
    let mut bench = Bench::ready();
    bench.counts[0] = [vec![6; 20], vec![0x7F; 3], vec![0x40; 1]].concat();
    bench.counts[1] = vec![drop::SQ_DOORBELL_COUNT.into(); 17];
    bench.counts[2] = vec![drop::RQ_DOORBELL_STATE.into(); 2];
    bench.counts[3] = vec![drop::CQE_FAILED.into(); 9];
    // The bus reads while they come; no increment is lost by it.
    for _ in 0..40 {
        bench.value(map::syndrome_counter(6));
    }
    let value = |bench: &mut Bench, table: fn(u8) -> u32, code| bench.value(table(code));
    assert_eq!(value(&mut bench, map::syndrome_counter, 6), 20);
    assert_eq!(value(&mut bench, map::syndrome_counter, 0x7F), 3);
    assert_eq!(value(&mut bench, map::syndrome_counter, 0x40), 1);
    assert_eq!(value(&mut bench, map::drop_counter, drop::SQ_DOORBELL_COUNT), 17);
    assert_eq!(value(&mut bench, map::drop_counter, drop::RQ_DOORBELL_STATE), 2);
    assert_eq!(value(&mut bench, map::drop_counter, drop::CQE_FAILED), 9);
    // Any value clears, that counter alone, and not by half a word.
    assert_eq!(bench.write_with(map::syndrome_counter(6), 0, 8, [0, 0]), SLVERR);
    assert_eq!(bench.value(map::syndrome_counter(6)), 20);
    assert_eq!(bench.write(map::syndrome_counter(6), 0x1234_5678), OKAY);
    assert_eq!(bench.value(map::syndrome_counter(6)), 0);
    assert_eq!(bench.value(map::syndrome_counter(0x7F)), 3);
    bench.counts[0] = vec![6];
    bench.steps(10);
    assert_eq!(bench.value(map::syndrome_counter(6)), 1);
}

#[test]
fn m3_drops_of_a_reset_are_counted_after_the_sweep() {
    let mut bench = Bench::cold();
    let mut rung = 0;
    while bench.value(map::STATUS) & 1 == 0 {
        assert_eq!(bench.write(map::sq_doorbell(0), 1), OKAY);
        rung += 1;
    }
    assert!(rung > 10);
    bench.steps(3 * u64::from(rung) + 10);
    assert_eq!(bench.value(map::drop_counter(drop::DOORBELL_DISABLED)), rung);
}

#[test]
fn t76_a_lost_event_is_counted_and_shown_until_written_with_1() {
    let mut bench = Bench::ready();
    bench.uut.event_overflow.next = true;
    bench.steps(3);
    bench.uut.event_overflow.next = false;
    bench.uut.event_missed.next = true;
    bench.steps(2);
    bench.uut.event_missed.next = false;
    assert_eq!(bench.value(map::STATUS), 0b101);
    for wrong in [1, 2, 5, 8, 0x8000_0004] {
        assert_eq!(bench.write(map::STATUS, wrong), SLVERR);
    }
    assert_eq!(bench.write(map::STATUS, 0), OKAY);
    assert_eq!(bench.value(map::STATUS), 0b101);
    assert_eq!(bench.write(map::STATUS, 4), OKAY);
    assert_eq!(bench.value(map::STATUS), 0b001);
    assert_eq!(bench.value(map::drop_counter(drop::EVENT_RING_FULL)), 3);
    assert_eq!(bench.value(map::drop_counter(drop::EVENT_NO_RING)), 2);
    bench.uut.fatal.next = true;
    bench.step();
    bench.uut.fatal.next = false;
    assert_eq!(bench.value(map::STATUS), 0b011);
    assert_eq!(bench.write(map::CONTROL, 1), OKAY);
    bench.await_ready();
    assert_eq!(bench.value(map::STATUS), 0b001);
}

#[test]
fn a_write_to_base_or_size_of_the_event_ring_starts_it_afresh() {
    let mut bench = Bench::ready();
    for (address, restarts) in [
        (map::EVENT_BASE_LOW, 1),
        (map::EVENT_BASE_HIGH, 1),
        (map::EVENT_LOG2, 1),
        (map::EVENT_CONSUMER, 0),
        (map::TICK, 0),
    ] {
        let value = if address == map::EVENT_LOG2 || address == map::TICK { 4 } else { 0 };
        bench.uut.bus.awaddr.next = u64::from(address).into();
        bench.uut.bus.wdata.next = u64::from(value as u32).into();
        bench.uut.bus.awvalid.next = true;
        bench.uut.bus.wvalid.next = true;
        bench.step();
        bench.uut.bus.awvalid.next = false;
        bench.uut.bus.wvalid.next = false;
        let pulses = (0..20)
            .filter(|_| {
                bench.step();
                bench.uut.event_restart.val()
            })
            .count();
        assert_eq!(pulses, restarts, "{address:04x}");
    }
}

#[test]
fn t79_time_runs_by_tick_from_its_reset_value() {
    for (khz, cycles) in [(250_000, 256), (1_000, 1)] {
        let mut bench = Bench::of(&preset::TINY, khz);
        let ticks = |bench: &Bench| bench.uut.ticks.val().to_u64();
        while ticks(&bench) == 0 {
            bench.step();
        }
        let (first, begun) = (ticks(&bench), bench.cycle);
        while ticks(&bench) < first + 3 {
            bench.step();
        }
        let taken = bench.cycle - begun;
        assert!(taken.abs_diff(3 * cycles) <= 1, "{khz} kHz: {taken} cycles for three ticks");
    }
    let mut bench = Bench::ready();
    assert_eq!(bench.write(map::TICK, 0x1_0000), OKAY);
    bench.steps(4);
    let before = bench.uut.ticks.val().to_u64();
    bench.steps(100);
    assert_eq!(bench.uut.ticks.val().to_u64() - before, 100);
}

#[test]
fn reset_by_register_takes_all_registers_back_and_waits_for_the_bus() {
    let mut bench = Bench::enabled();
    for (address, value) in RULED.map(|(address, good, _)| (address, good)) {
        assert_eq!(bench.write(address, value), OKAY);
    }
    assert_eq!(bench.write(map::own_address(2, 1), 77), OKAY);
    bench.counts[0] = vec![5];
    bench.uut.bus_idle.next = false;
    // The write itself is answered.
    assert_eq!(bench.write(map::CONTROL, map::CONTROL_RESET.mask() | map::CONTROL_ENABLE.mask()), OKAY);
    for _ in 0..20 {
        assert!(bench.uut.bus_stop.val() && !bench.uut.core_reset.val());
        assert_eq!(bench.value(map::STATUS), 0);
        // Reads as 1 until the reset is over; the other bits are as after reset.
        assert_eq!(bench.value(map::CONTROL), map::CONTROL_RESET.mask());
    }
    bench.uut.bus_idle.next = true;
    bench.await_ready();
    assert_eq!(bench.value(map::CONTROL), 0);
    for (address, ..) in RULED {
        let register = map::REGISTERS.iter().find(|r| r.offset == address).unwrap();
        let expected = match register.reset {
            Reset::Value(value) => value,
            _ => map::build_value(address, &preset::TINY, 50_000).unwrap(),
        };
        assert_eq!(bench.value(address), expected, "{}", register.name);
    }
    assert_eq!(bench.value(map::own_address(2, 1)), 0);
    assert_eq!(bench.value(map::syndrome_counter(5)), 0);
}

#[test]
fn i8_reads_and_writes_that_wait_together_take_turns() {
    let mut bench = Bench::enabled();
    bench.takes = [false; 3];
    // Writes without a pause, and slow ones: the queue behind the doorbell is stuck.
    bench.uut.bus.awaddr.next = u64::from(map::sq_doorbell(0)).into();
    bench.uut.bus.awvalid.next = true;
    bench.uut.bus.wvalid.next = true;
    for _ in 0..40 {
        assert_eq!(bench.value(map::MAGIC), map::MAGIC_VALUE);
    }
    assert!(bench.longest <= u64::from(limits::BAR_CYCLES), "{} cycles", bench.longest);
    bench.uut.bus.awvalid.next = false;
    bench.uut.bus.wvalid.next = false;
    bench.steps(100);
    // At least one write went between two reads.
    assert!(bench.value(map::drop_counter(drop::DOORBELL_DISABLED)) >= 32);
}
