//! Rules T79 to T84 and the sequences of the timers. One tick is eight cycles, and a scan of the four queue pairs sixteen.
use super::timer::Timers;
use crate::rx::{AckState, RequesterContext, SendPublic, TimerEvent};
use rust_hdl::prelude::*;

const TICK: u64 = 8;
const SCAN: u64 = 16;

struct Bench {
    uut: Timers<2, 4>,
    cycles: u64,
    /// Cycle in which each event was taken.
    events: Vec<(u64, TimerEvent)>,
}

impl Bench {
    /// All queue pairs: nothing outstanding, timeout code 1 (8 ticks).
    fn new() -> Self {
        let mut uut = Timers::default();
        uut.connect_all();
        let mut bench = Self { uut, cycles: 0, events: vec![] };
        bench.uut.reset.next = true;
        bench.uut.clearing.next = true;
        for row in 0..4u64 {
            bench.uut.clear_index.next = bits(row);
            bench.cycle();
        }
        bench.uut.reset.next = false;
        bench.uut.clearing.next = false;
        bench.uut.event_out.ready.next = true;
        for qp in 0..4 {
            bench.context(qp, 1);
            bench.state(qp, 500, 0, None);
            bench.public(qp, 500, 0);
        }
        bench
    }
    fn cycle(&mut self) {
        let uut = &mut self.uut;
        uut.now.next = bits((self.cycles / TICK) & ((1 << 36) - 1));
        uut.clock.next = Clock { clk: false };
        assert!(simulate(uut, 100), "combinational loop");
        if uut.event_out.valid.val() && uut.event_out.ready.val() {
            self.events.push((self.cycles, uut.event_out.data.val()));
        }
        uut.clock.next = Clock { clk: true };
        assert!(simulate(uut, 100), "combinational loop");
        self.cycles += 1;
        uut.context_write.next = false;
        uut.public_write.next = false;
        uut.state_write.next = false;
    }
    fn run(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.cycle());
    }
    fn context(&mut self, qp: u64, timeout: u64) {
        self.uut.context_write.next = true;
        self.uut.context_index.next = bits(qp);
        self.uut.context_row.next = RequesterContext { timeout: bits(timeout), ..Default::default() };
        self.cycle();
    }
    fn state(&mut self, qp: u64, una: u64, epoch: u64, rnr: Option<u64>) {
        self.uut.state_write.next = true;
        self.uut.state_index.next = bits(qp);
        self.uut.state_row.next = AckState {
            una: bits(una),
            epoch: bits(epoch),
            rnr_wait: rnr.is_some(),
            rnr_code: bits(rnr.unwrap_or(0)),
            ..Default::default()
        };
        self.cycle();
    }
    fn public(&mut self, qp: u64, hpsn: u64, epoch_seen: u64) {
        self.uut.public_write.next = true;
        self.uut.public_index.next = bits(qp);
        self.uut.public_row.next = SendPublic { hpsn: bits(hpsn), epoch_seen: bits(epoch_seen), ..Default::default() };
        self.cycle();
    }
    fn event(&self, n: usize) -> (u64, u64, bool, u64, u64) {
        let (cycle, event) = self.events[n];
        (cycle, event.qp.to_u64(), event.rnr, event.epoch.to_u64(), event.una.to_u64())
    }
}

#[test]
fn t80_t81_a_timeout_comes_after_its_time_and_at_most_a_scan_and_a_tick_later() {
    for phase in 0..24 {
        let mut b = Bench::new();
        b.run(phase);
        b.public(2, 501, 0);
        let start = b.cycles;
        b.run(8 * TICK + 4 * SCAN);
        let (cycle, qp, rnr, epoch, una) = b.event(0);
        assert_eq!((qp, rnr, epoch, una), (2, false, 0, 500));
        let wait = cycle - start;
        // One scan more until the packet is noticed; two cycles from the decision to the event.
        assert!((8 * TICK..=9 * TICK + 2 * SCAN + 4).contains(&wait), "{wait} cycles from phase {phase}");
    }
}

#[test]
fn t80_a_timer_that_has_fired_waits_anew() {
    let mut b = Bench::new();
    b.public(1, 501, 0);
    b.run(40 * TICK);
    assert!((3..=4).contains(&b.events.len()), "{} events", b.events.len());
    for n in 1..b.events.len() {
        assert!(b.event(n).0 - b.event(n - 1).0 > 8 * TICK);
    }
}

#[test]
fn t80_progress_and_restarts_put_the_timer_off() {
    let mut b = Bench::new();
    b.public(1, 600, 0);
    for una in 501..560 {
        b.run(4 * TICK);
        b.state(1, una, 0, None);
    }
    assert_eq!(b.events.len(), 0);
    for epoch in 1..10 {
        b.state(1, 560, epoch, None);
        b.public(1, 600, epoch);
        b.run(4 * TICK);
    }
    assert_eq!(b.events.len(), 0);
    b.run(12 * TICK);
    assert_eq!(b.event(0).4, 560);
}

#[test]
fn t80_nothing_outstanding_and_the_dead_never_time_out() {
    let mut b = Bench::new();
    b.run(40 * TICK);
    assert_eq!(b.events.len(), 0);
    b.uut.dead.next = bits(1 << 3);
    b.public(3, 501, 0);
    b.state(3, 500, 0, Some(1));
    b.run(40 * TICK);
    assert_eq!(b.events.len(), 0);
    b.uut.dead.next = bits(0);
    b.run(20 * TICK);
    assert_eq!(b.event(0).1, 3);
}

#[test]
fn t82_v36_timeout_0_never_fires_but_the_rnr_timer_does() {
    let mut b = Bench::new();
    b.context(1, 0);
    b.public(1, 501, 0);
    b.run(60 * TICK);
    assert_eq!(b.events.len(), 0);
    b.state(1, 500, 0, Some(1));
    b.run(14 * TICK);
    assert_eq!((b.events.len(), b.event(0).2), (1, true));
}

#[test]
fn t82_the_timer_is_frozen_until_the_restart_is_on_its_way() {
    let mut b = Bench::new();
    b.public(1, 501, 0);
    b.state(1, 500, 1, None);
    b.run(60 * TICK);
    assert_eq!(b.events.len(), 0);
    b.public(1, 501, 1);
    b.run(13 * TICK);
    assert_eq!((b.events.len(), b.event(0).3), (1, 1));
}

#[test]
fn t83_v38_an_rnr_wait_has_its_own_time_and_the_timeout_rests() {
    for (code, ticks) in [(1, 10), (5, 59), (9, 235)] {
        let mut b = Bench::new();
        b.public(1, 501, 0);
        b.run(4 * TICK);
        b.state(1, 500, 0, Some(code));
        let start = b.cycles;
        b.run(ticks * TICK + 6 * SCAN);
        assert_eq!(b.events.len(), 1, "only the wait, though the timeout of 8 ticks is shorter");
        let (cycle, qp, rnr, ..) = b.event(0);
        assert_eq!((qp, rnr), (1, true));
        assert!(cycle - start >= ticks * TICK && cycle - start <= (ticks + 1) * TICK + 2 * SCAN + 4);
    }
}

#[test]
fn t83_a_second_wait_has_its_whole_time() {
    let mut b = Bench::new();
    b.public(1, 510, 0);
    b.state(1, 500, 0, Some(1));
    b.run(9 * TICK);
    // An ACK has ended the first wait, and the next packet found no buffer: all between two visits.
    b.state(1, 501, 0, Some(1));
    let start = b.cycles;
    b.run(20 * TICK);
    let (cycle, .., una) = b.event(0);
    assert!(una == 501 && cycle - start >= 10 * TICK, "{} cycles, una {una}", cycle - start);
}

#[test]
fn t84_all_queue_pairs_in_one_scan_and_none_is_lost() {
    let mut b = Bench::new();
    b.uut.event_out.ready.next = false;
    for qp in 0..4 {
        b.public(qp, 501, 0);
    }
    b.run(30 * TICK);
    assert!(b.uut.event_out.valid.val());
    let held = b.uut.event_out.data.val();
    b.run(30 * TICK);
    assert_eq!(b.uut.event_out.data.val(), held);
    b.uut.event_out.ready.next = true;
    b.run(5 * TICK);
    let mut all: Vec<_> = (0..b.events.len()).map(|n| b.event(n).1).collect();
    all.sort_unstable();
    assert_eq!(all, [0, 1, 2, 3]);
}

#[test]
fn t80_the_time_may_wrap() {
    let mut b = Bench::new();
    b.cycles = ((1 << 36) - 4) * TICK;
    b.public(1, 501, 0);
    let start = b.cycles;
    b.run(13 * TICK);
    assert_eq!(b.events.len(), 1);
    assert!(b.event(0).0 - start >= 8 * TICK);
}
