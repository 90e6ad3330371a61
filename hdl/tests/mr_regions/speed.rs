//! Cycles per operation at DATA 512 (`architecture.md` section 6), and eight lanes in use.
use super::bench::*;

/// Posts and returns the cycles from the first to the last outcome, divided by the operations between.
fn cycles_per_operation(bench: &mut WideBench, wqes: Vec<(u64, [u8; 64])>) -> f64 {
    let seen = bench.outcomes.len();
    let count = wqes.len();
    for (qp, wqe) in wqes {
        bench.post(qp, wqe);
    }
    bench.wait_outcomes(seen + count);
    assert!((seen..seen + count).all(|i| bench.result(i) == OK));
    (bench.outcomes[seen + count - 1].0 - bench.outcomes[seen].0) as f64 / (count - 1) as f64
}

fn ready() -> WideBench {
    let mut bench = WideBench::new();
    for index in 1..16 {
        bench.alloc(index, 0, 8, 8 * index);
    }
    bench
}

#[test]
fn b7_inline_registrations_of_different_mrs_take_one_cycle() {
    let mut bench = ready();
    let wqes = (1..16).map(|index| (index % 3, Reg::new((index as u32) << 8 | 1).bytes())).collect();
    let cycles = cycles_per_operation(&mut bench, wqes);
    assert!(cycles <= 1.0, "{cycles} cycles");
    for index in 1..16 {
        assert_eq!(bench.probe(0, index << 8 | 1, 0x1FFF, 1, 0), (0, 1, 0xAFFF));
    }
}

#[test]
fn b7_lists_of_eight_pages_take_one_cycle_of_sixteen_two() {
    for (pages, most) in [(8u16, 1.0), (16, 2.0)] {
        let mut bench = WideBench::new();
        bench.latency = 40;
        for index in 1..8u32 {
            bench.alloc(index, 0, u32::from(pages), 16 * (index - 1));
            let list: Vec<u64> = (0..u64::from(pages)).map(|i| (u64::from(index) * 0x100 + i) << 12).collect();
            bench.store(u64::from(index) * 0x1000, &list);
        }
        let wqes = (1..8u32)
            .map(|index| {
                let reg = Reg { length: u64::from(pages) << 12, ..Reg::new(index << 8 | 1) };
                (0, reg.by_pointer(u64::from(index) * 0x1000, pages).bytes())
            })
            .collect();
        let cycles = cycles_per_operation(&mut bench, wqes);
        assert!(cycles <= most, "{pages} pages: {cycles} cycles");
        for index in 1..8u32 {
            for page in 0..u64::from(pages) {
                let address = (u64::from(index) * 0x100 + page) << 12;
                assert_eq!(bench.probe(0, index << 8 | 1, 0x1000 + (page << 12), 8, 0), (0, 8, address));
            }
        }
    }
}

#[test]
fn c10_pairs_on_one_queue_take_four_cycles() {
    let mut bench = ready();
    let wqes =
        (1..16u32).flat_map(|i| [Reg::new(i << 8 | 1).bytes(), invalidate(i << 8 | 1)]).map(|w| (0, w)).collect();
    let cycles = 2.0 * cycles_per_operation(&mut bench, wqes);
    assert!(cycles <= 4.5, "{cycles} cycles a pair");
}

#[test]
fn c10_pairs_spread_over_mrs_take_two_cycles() {
    let mut bench = ready();
    let reg = |i: u32, byte: u32| Reg::new(i << 8 | byte).bytes();
    // The invalidation of each MR comes seven operations after its registration.
    let mut wqes = vec![];
    for i in 0..30u32 {
        wqes.push((0, reg(1 + i % 15, i)));
        if i >= 7 {
            let old = i - 7;
            wqes.push((0, invalidate((1 + old % 15) << 8 | old)));
        }
    }
    let cycles = cycles_per_operation(&mut bench, wqes);
    assert!(cycles <= 1.1, "{cycles} cycles an operation");
}

#[test]
fn b18_b19_every_lane_is_judged() {
    let mut bench = ready();
    for lane in 0..8 {
        for (page, expected) in [(0x1800u64, bind(0x11)), (1 << 60, bind(0x12))] {
            let mut pages = [0x1000u64; 8];
            pages[lane] = page;
            bench.store(0x4000, &pages);
            let used = Reg::new(0x101).by_pointer(0x4000, lane as u16 + 1);
            assert_eq!(bench.attempt(0, used.bytes()), expected, "lane {lane}");
            if lane > 0 {
                let unused = Reg::new(0x101).by_pointer(0x4000, lane as u16);
                assert_eq!(bench.attempt(0, unused.bytes()), OK, "M2: padding of lane {lane} is not checked");
                assert_eq!(bench.execute(0, invalidate(0x101)), OK);
            }
        }
    }
}
