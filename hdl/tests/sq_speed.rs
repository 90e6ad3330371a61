//! How fast the send queues feed the memory-management pipeline.

use rnic_abi::preset;
use rnic_hdl::check::verilog;
use rnic_hdl::sq::{Pool, SendQueue};

#[path = "sq/bench.rs"]
#[allow(dead_code)]
mod bench;
use bench::{Bench, World};

const FAR: World = World { latency: 250, beat_gap: 0, pipeline: 0, ready: 8 };

/// Cycles a slot in steady state, from slot `from` to slot `to`.
fn pace<
    const DATA: usize,
    const QA: usize,
    const QPS: usize,
    const PA: usize,
    const BA: usize,
    const OA: usize,
    const RA: usize,
>(
    bench: &Bench<DATA, QA, QPS, PA, BA, OA, RA>,
    from: usize,
    to: usize,
) -> f64 {
    (bench.items[to].0 - bench.items[from].0) as f64 / (to - from) as f64
}

/// Unsignalled slots without end on `qps` queue pairs with rings of 512 slots.
fn stream<
    const DATA: usize,
    const QA: usize,
    const QPS: usize,
    const PA: usize,
    const BA: usize,
    const OA: usize,
    const RA: usize,
>(
    qps: u64,
    each: u64,
) -> Bench<DATA, QA, QPS, PA, BA, OA, RA> {
    let mut bench = Bench::new(FAR, 9);
    for qp in 0..qps {
        for slot in 0..each {
            bench.put(qp, slot, [0x20, 0, 1]);
        }
        bench.ring(qp, each);
    }
    while bench.items.len() < (qps * each) as usize {
        bench.run(1);
        assert!(bench.cycle < 20_000, "{} slots", bench.items.len());
    }
    bench
}

#[test]
fn t22_one_queue_pair_gets_a_slot_a_cycle_at_512_bits_and_250_cycles_of_latency() {
    let bench = stream::<512, 3, 8, 8, 6, 4, 7>(1, 512);
    println!("{:.3} cycles a slot", pace(&bench, 16, 500));
    assert!(pace(&bench, 16, 500) <= 1.05, "{}", pace(&bench, 16, 500));
}

#[test]
fn t22_sixteen_queue_pairs_get_a_slot_a_cycle_together() {
    let bench = stream::<512, 4, 16, 8, 6, 4, 8>(16, 32);
    println!("{:.3} cycles a slot", pace(&bench, 16, 500));
    assert!(pace(&bench, 16, 500) <= 1.05, "{}", pace(&bench, 16, 500));
}

#[test]
fn t22_at_64_bits_the_bus_is_the_limit() {
    let bench = stream::<64, 3, 8, 9, 5, 4, 7>(2, 40);
    println!("{:.3} cycles a slot", pace(&bench, 8, 79));
    assert!(pace(&bench, 8, 79) <= 8.05, "{}", pace(&bench, 8, 79));
}

/// Translates a queue, in a thread with room for it.
fn translates<
    const DATA: usize,
    const QA: usize,
    const QPS: usize,
    const PA: usize,
    const BA: usize,
    const OA: usize,
    const RA: usize,
>() -> bool {
    let translate = || verilog(&mut *Box::<SendQueue<DATA, QA, QPS, PA, BA, OA, RA>>::default()).is_ok();
    std::thread::Builder::new().stack_size(64 << 20).spawn(translate).unwrap().join().unwrap()
}

#[test]
fn t22_every_preset_and_bus_width_translates_with_the_pool_of_its_preset() {
    assert!(translates::<64, 3, 8, 7, 4, 4, 7>());
    assert!(translates::<64, 4, 16, 9, 5, 5, 9>());
    assert!(translates::<128, 3, 8, 7, 5, 4, 7>());
    assert!(translates::<256, 3, 8, 7, 5, 4, 7>());
    assert!(translates::<512, 8, 256, 8, 6, 7, 15>());
    let pools = [Pool::<64, 7>::SLOTS, Pool::<64, 9>::SLOTS, Pool::<512, 8>::SLOTS];
    assert_eq!(pools, [preset::TINY, preset::SMALL, preset::LARGE].map(|preset| preset.wqe_pool as usize));
}
