//! The event ring and the interrupt requests.
mod bench;
use bench::*;
use rnic_abi::event::{Event, BYTES};
use rnic_hdl::cq::{EventRing, InterruptRequests};
use rust_hdl::prelude::*;
use std::collections::VecDeque;

impl<const DATA: usize, const STRB: usize> Clocked for EventRing<DATA, STRB> {
    fn clock(&mut self) -> &mut Signal<In, Clock> {
        &mut self.clock
    }
}

impl Clocked for InterruptRequests {
    fn clock(&mut self) -> &mut Signal<In, Clock> {
        &mut self.clock
    }
}

const BASE: u64 = 0x3_0000_1000;

struct Bench<const DATA: usize, const STRB: usize> {
    uut: EventRing<DATA, STRB>,
    memory: WriteMemory,
    events: VecDeque<Event>,
    interrupts: usize,
    overflows: usize,
    lost: usize,
}

impl<const DATA: usize, const STRB: usize> Bench<DATA, STRB> {
    fn new(log2: u64) -> Self {
        let mut uut = EventRing::default();
        uut.connect_all();
        uut.reset.next = true;
        settle(&mut uut);
        edge(&mut uut);
        uut.reset.next = false;
        uut.base.next = bits(BASE >> 12);
        uut.log2.next = bits(log2);
        let mut memory = WriteMemory::new(1, 3..20, 5);
        memory.bytes.zero(BASE, 16 << log2);
        Self { uut, memory, events: VecDeque::new(), interrupts: 0, overflows: 0, lost: 0 }
    }

    fn step(&mut self) {
        self.memory.drive(&mut self.uut.events);
        self.uut.requests.valid.next = !self.events.is_empty();
        if let Some(event) = self.events.front() {
            self.uut.requests.data.next.kind = bits(event.kind.into());
            self.uut.requests.data.next.number = bits(event.number.into());
            self.uut.requests.data.next.detail = bits(event.detail.into());
        }
        settle(&mut self.uut);
        self.memory.take(&self.uut.events);
        if self.uut.requests.valid.val() && self.uut.requests.ready.val() {
            self.events.pop_front();
        }
        self.interrupts += self.uut.interrupt_request.val() as usize;
        self.overflows += self.uut.overflow.val() as usize;
        self.lost += self.uut.lost.val() as usize;
        edge(&mut self.uut);
        self.uut.restart.next = false;
    }

    fn drain(&mut self) {
        let mut calm = 0;
        while calm < 10 {
            self.step();
            calm = if self.events.is_empty() && self.memory.waiting.is_empty() { calm + 1 } else { 0 };
        }
    }

    fn send(&mut self, first: u32, count: u32) {
        self.events.extend((first..first + count).map(|i| Event {
            kind: i % 9,
            number: 0xABCD00 + i,
            detail: i << 20,
            phase: false,
        }));
        self.drain();
    }

    fn poll(&self, log2: u32, count: u64) -> Option<Event> {
        let at = BASE + 16 * (count % (1 << log2));
        let event = Event::decode(&self.memory.bytes.read(at, BYTES).try_into().unwrap());
        (event.phase == ((count >> log2) % 2 == 0)).then_some(event)
    }
}

fn rounds<const DATA: usize, const STRB: usize>() {
    let mut bench = Bench::<DATA, STRB>::new(4);
    for round in 0..10u64 {
        bench.send(round as u32 * 8, 8);
        for count in round * 8..round * 8 + 8 {
            let event = bench.poll(4, count).expect("written");
            assert_eq!(
                (event.kind, event.number, event.detail),
                (count as u32 % 9, 0xABCD00 + count as u32, (count as u32) << 20)
            );
        }
        bench.uut.consumer.next = bits(round * 8 + 8);
    }
    assert_eq!((bench.interrupts, bench.overflows, bench.lost), (80, 0, 0));
}

#[test]
fn t76_events_of_several_rounds_arrive_in_order_each_with_an_interrupt() {
    rounds::<64, 8>();
    rounds::<128, 16>();
    rounds::<512, 64>();
}

#[test]
fn t76_a_full_ring_drops_tells_and_interrupts() {
    let mut bench = Bench::<64, 8>::new(4);
    bench.send(0, 18);
    assert_eq!((bench.interrupts, bench.overflows), (18, 2));
    assert_eq!(bench.memory.log.len(), 16);
    bench.uut.consumer.next = bits(1);
    bench.send(18, 2);
    assert_eq!((bench.overflows, bench.memory.log.len()), (3, 17));
    assert_eq!(bench.poll(4, 16).unwrap().detail, 18 << 20);
}

#[test]
fn t76_counts_are_free_running_modulo_2_pow_16() {
    let mut bench = Bench::<512, 64>::new(4);
    for round in 0..(0x1_0000 / 16 + 2) {
        bench.uut.consumer.next = bits(round * 16 & 0xFFFF);
        bench.memory.latency = 1..2;
        bench.memory.ready = 8;
        bench.send(round as u32 * 16, 16);
    }
    assert_eq!((bench.overflows, bench.memory.log.len()), (0, 0x1_0000 + 32));
    // Size divides 2^16, so place and phase go on across the wrap.
    assert!((0x1_0010..0x1_0020).all(|count| bench.poll(4, count).is_some()));
}

#[test]
fn t76_without_a_ring_or_with_a_failed_write_an_event_is_lost_and_told() {
    let mut bench = Bench::<64, 8>::new(0);
    bench.send(0, 3);
    assert_eq!((bench.lost, bench.overflows, bench.memory.log.len()), (3, 0, 0));
    let mut bench = Bench::<64, 8>::new(4);
    bench.memory.bad = BASE + 16..BASE + 32;
    bench.send(0, 3);
    assert_eq!((bench.lost, bench.overflows, bench.memory.log.len()), (1, 0, 3));
}

#[test]
fn new_ring_registers_start_at_entry_0_in_the_first_round() {
    let mut bench = Bench::<64, 8>::new(4);
    bench.send(0, 5);
    bench.uut.restart.next = true;
    bench.step();
    bench.memory.bytes.zero(BASE, 256);
    bench.send(7, 1);
    assert_eq!(bench.poll(4, 0).unwrap().detail, 7 << 20);
}

/// Every request is followed by an interrupt of its vector; a shown one holds until ready.
#[test]
fn no_interrupt_request_is_lost_and_one_shown_holds_until_ready() {
    let mut uut = InterruptRequests::default();
    uut.connect_all();
    uut.reset.next = true;
    settle(&mut uut);
    edge(&mut uut);
    uut.reset.next = false;
    let mut owed = [false; 8];
    let mut held = None;
    let (mut taken, mut asked) = (0, 0);
    for cycle in 0..4000u64 {
        let quiet = cycle >= 3900;
        let random = cycle.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        uut.cq_request.next = !quiet && random % 3 == 0;
        uut.cq_vector.next = bits(random >> 8 & 7);
        uut.event_request.next = !quiet && random >> 12 & 7 == 0;
        uut.irq_ready.next = quiet || random >> 16 & 3 == 0;
        settle(&mut uut);
        let shown = uut.irq_valid.val().then(|| number(uut.irq_vector.val()));
        assert!(held.is_none() || held == shown, "I7");
        held = shown.filter(|_| !uut.irq_ready.val());
        if let Some(vector) = shown.filter(|_| uut.irq_ready.val()) {
            owed[vector as usize] = false;
            taken += 1;
        }
        if uut.cq_request.val() {
            owed[number(uut.cq_vector.val()) as usize] = true;
            asked += 1;
        }
        if uut.event_request.val() {
            owed[0] = true;
            asked += 1;
        }
        edge(&mut uut);
    }
    assert_eq!(owed, [false; 8]);
    assert!(taken > 500 && taken <= asked, "{taken} of {asked}: requests of one vector merge");
}
