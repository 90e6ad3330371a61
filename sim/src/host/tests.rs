//! The host alone: the tests play the core.
use super::*;
use std::rc::Rc;

struct Bench {
    host: Host,
    inputs: Inputs,
    outputs: Outputs,
    now: u64,
}

/// (cycle, id, first word, response, last) of a beat.
type Beat = (u64, u8, u64, u8, bool);

impl Bench {
    fn new(data_bits: u32, timing: Timing) -> Self {
        let outputs = Outputs { rready: 1, bready: 1, ..Outputs::default() };
        let mut bench = Self { host: Host::new(data_bits, timing, 1), inputs: Inputs::default(), outputs, now: 0 };
        bench.edge();
        bench
    }

    fn page(&self, permission: Permission) -> (u64, Rc<Region>) {
        let region = Rc::new(Region::new(PAGE));
        (self.host.memory().map(&region, 0..PAGE, PAGE, permission).unwrap(), region)
    }

    fn edge(&mut self) -> Option<WriteDone> {
        let done = self.host.clock(self.now, &self.outputs, &mut self.inputs);
        self.now += 1;
        done
    }

    fn ask(&mut self, id: u8, address: u64, beats: u8) -> u64 {
        (self.outputs.arvalid, self.outputs.arid) = (1, id);
        (self.outputs.araddr, self.outputs.arlen) = (address, beats - 1);
        while self.inputs.m_arready == 0 {
            self.edge();
        }
        let at = self.now;
        self.edge();
        self.outputs.arvalid = 0;
        at
    }

    fn collect(&mut self, cycles: u64) -> Vec<Beat> {
        let mut beats = vec![];
        for _ in 0..cycles {
            let i = &self.inputs;
            if i.m_rvalid & self.outputs.rready == 1 {
                beats.push((self.now, i.m_rid, i.m_rdata[0], i.m_rresp, i.m_rlast == 1));
            }
            self.edge();
        }
        beats
    }

    /// One burst of one beat; answers the response and the cycles from its handshake to the response.
    fn put(&mut self, id: u8, address: u64, words: &[u64], strobes: u64) -> (u8, u64) {
        (self.outputs.awvalid, self.outputs.awid, self.outputs.awaddr, self.outputs.awlen) = (1, id, address, 0);
        (self.outputs.wvalid, self.outputs.wlast, self.outputs.wstrb) = (1, 1, strobes);
        self.outputs.wdata[..words.len()].copy_from_slice(words);
        let at = self.now;
        self.edge();
        (self.outputs.awvalid, self.outputs.wvalid) = (0, 0);
        while self.inputs.m_bvalid == 0 {
            self.edge();
        }
        let answer = (self.inputs.m_bresp, self.now - at);
        self.edge();
        answer
    }
}

#[test]
fn a_read_has_its_latency_and_then_a_beat_a_cycle() {
    let mut bench = Bench::new(64, Timing::latency(7));
    let (base, region) = bench.page(Permission::ALL);
    (0..4).for_each(|n| region.store(8 * n, 100 + n, 0xFF));
    let at = bench.ask(3, base, 4);
    let expected = (0..4).map(|n| (at + 7 + n, 3, 100 + n, OKAY, n == 3)).collect::<Vec<_>>();
    assert_eq!(bench.collect(30), expected);
    assert!(bench.host.is_idle(&bench.inputs));
}

#[test]
fn two_reads_in_flight_share_the_latency() {
    let mut bench = Bench::new(64, Timing::latency(50));
    let (base, _) = bench.page(Permission::ALL);
    let at = bench.ask(0, base, 2);
    bench.ask(0, base, 2);
    let cycles = bench.collect(80).iter().map(|beat| beat.0 - at).collect::<Vec<_>>();
    assert_eq!(cycles, [50, 51, 52, 53]);
}

#[test]
fn a_wide_beat_carries_eight_words_and_an_unaligned_read_its_whole_beat() {
    let mut bench = Bench::new(512, Timing::latency(1));
    let (base, region) = bench.page(Permission::ALL);
    (0..16).for_each(|n| region.store(8 * n, n, 0xFF));
    bench.ask(0, base + 70, 1);
    assert_eq!((bench.inputs.m_rvalid, bench.inputs.m_rdata), (1, [8, 9, 10, 11, 12, 13, 14, 15]));
}

#[test]
fn data_is_that_of_the_moment_when_it_is_offered() {
    let mut bench = Bench::new(64, Timing::latency(10));
    let (base, region) = bench.page(Permission::ALL);
    bench.ask(0, base, 1);
    region.store(0, 77, 0xFF);
    assert_eq!(bench.collect(20)[0].2, 77);
}

#[test]
fn memory_that_is_not_mapped_or_not_for_reading_answers_an_error_and_is_recorded() {
    let mut bench = Bench::new(64, Timing::latency(2));
    let (base, _) = bench.page(Permission::WRITE);
    bench.ask(2, base, 1);
    bench.ask(2, base - PAGE, 2);
    let responses = bench.collect(10).iter().map(|beat| beat.3).collect::<Vec<_>>();
    assert_eq!(responses, [SLVERR, DECERR, DECERR]);
    let seen = bench.host.bus_faults();
    assert_eq!(seen.len(), 2, "one a burst");
    assert!((seen[0].address, seen[0].way, seen[0].injected) == (base, Way::Read, false));
    assert!(seen[1].to_string().contains("not mapped"), "{}", seen[1]);
}

#[test]
fn memory_taken_away_under_a_read_answers_an_error() {
    let mut bench = Bench::new(64, Timing::latency(10));
    let (base, _) = bench.page(Permission::ALL);
    bench.ask(0, base, 1);
    bench.host.memory().unmap(base);
    assert_eq!(bench.collect(20)[0].3, DECERR);
}

#[test]
fn an_injected_error_hits_the_beats_it_names() {
    let mut bench = Bench::new(64, Timing::latency(2));
    let (base, _) = bench.page(Permission::ALL);
    bench.host.faults().inject(Fault::once(Way::Read).at(base + 8..base + 16));
    bench.ask(0, base, 3);
    bench.ask(0, base, 3);
    let responses = bench.collect(20).iter().map(|beat| beat.3).collect::<Vec<_>>();
    assert_eq!(responses, [OKAY, SLVERR, OKAY, OKAY, OKAY, OKAY]);
    assert!(bench.host.bus_faults()[0].injected);
}

#[test]
fn i5_written_bytes_are_visible_with_the_response_and_not_before() {
    let mut bench = Bench::new(64, Timing { write_latency: 9, ..Timing::CALM });
    let (base, region) = bench.page(Permission::ALL);
    region.store(8, u64::MAX, 0xFF);
    (bench.outputs.awvalid, bench.outputs.awaddr) = (1, base + 8);
    bench.edge();
    bench.outputs.awvalid = 0;
    (bench.outputs.wvalid, bench.outputs.wlast, bench.outputs.wstrb) = (1, 1, 0b0011_1100);
    let at = bench.now;
    let mut done = bench.edge();
    bench.outputs.wvalid = 0;
    while done.is_none() {
        assert_eq!(region.load(8), u64::MAX);
        done = bench.edge();
    }
    assert_eq!(done, Some(WriteDone { id: 0, address: base + 8, response: OKAY }));
    assert_eq!((bench.inputs.m_bvalid, bench.now - at), (1, 9));
    assert_eq!(region.load(8), 0xFFFF_0000_0000_FFFF);
}

#[test]
fn a_write_that_fails_changes_nothing() {
    let mut bench = Bench::new(64, Timing::CALM);
    let (base, region) = bench.page(Permission::READ);
    assert_eq!(bench.put(1, base, &[5], 0xFF).0, SLVERR);
    assert_eq!(bench.put(1, base + PAGE, &[5], 0xFF).0, DECERR);
    let (other, memory) = bench.page(Permission::ALL);
    bench.host.faults().inject(Fault::once(Way::Write).id(1));
    assert_eq!(bench.put(0, other, &[5], 0xFF), (OKAY, 10));
    assert_eq!(bench.put(1, other, &[6], 0xFF).0, SLVERR);
    assert_eq!((region.load(0), memory.load(0)), (0, 5));
    assert_eq!(bench.host.bus_faults().len(), 3);
}

#[test]
fn responses_overtake_across_ids_and_stay_in_order_within_one() {
    for interleave in [false, true] {
        let timing = Timing { interleave, stall: 20, gap: 30, ..Timing::HARSH };
        let mut bench = Bench::new(64, timing);
        let (base, region) = bench.page(Permission::ALL);
        (0..512).for_each(|n| region.store(8 * n, n, 0xFF));
        for n in 0..64 {
            bench.ask((n % 4) as u8, base + n * 32, 4);
        }
        let beats = bench.collect(5_000);
        assert_eq!(beats.len(), 256);
        for id in 0..4 {
            let words: Vec<u64> = beats.iter().filter(|beat| beat.1 == id).map(|beat| beat.2).collect();
            assert_eq!(words.len(), 64);
            assert!(words.is_sorted(), "id {id} out of order");
        }
        let overtakes = beats.windows(2).filter(|pair| pair[1].2 < pair[0].2).count();
        assert!(overtakes > 5, "{overtakes}");
        let mixed = beats.windows(2).filter(|pair| !pair[0].4 && pair[0].1 != pair[1].1).count();
        assert_eq!(mixed > 0, interleave, "{mixed}");
        let gaps = beats.windows(2).filter(|pair| pair[1].0 - pair[0].0 > 1).count();
        assert!(gaps > 20, "{gaps}");
    }
}

#[test]
fn an_offered_beat_waits_for_ready_unchanged() {
    let mut bench = Bench::new(64, Timing { gap: 50, ..Timing::latency(1) });
    let (base, region) = bench.page(Permission::ALL);
    region.store(0, 42, 0xFF);
    bench.outputs.rready = 0;
    bench.ask(5, base, 1);
    while bench.inputs.m_rvalid == 0 {
        bench.edge();
    }
    for _ in 0..20 {
        bench.edge();
        assert_eq!((bench.inputs.m_rvalid, bench.inputs.m_rid, bench.inputs.m_rdata[0]), (1, 5, 42));
    }
    bench.outputs.rready = 1;
    bench.edge();
    assert_eq!(bench.inputs.m_rvalid, 0);
}

#[test]
fn interrupts_are_counted_by_vector() {
    let mut bench = Bench::new(64, Timing::CALM);
    (bench.outputs.irq_valid, bench.outputs.irq_vector) = (1, 3);
    bench.edge();
    bench.edge();
    bench.outputs.irq_valid = 0;
    bench.edge();
    assert_eq!((bench.host.interrupts(3), bench.host.interrupts(0)), (2, 0));
}
