//! Latencies of one WRITE of 64 bytes between two idle devices.
//!
//! Memory answers in one cycle and the wire adds one, so that what is left is the devices' own.
use super::pair::{Pair, PairSettings};
use super::BenchError;
use crate::{Simulator, Variant};
use rnic_abi::wqe::Sge;
use rnic_driver::{PathMtu, Remote, SendRequest};
use serde::Serialize;

/// Bytes of the message.
const MESSAGE: u32 = 64;
/// Cycles that any step may take.
const LIMIT: u64 = 20_000;

/// Cycles of one WRITE.
#[derive(Clone, Debug, Serialize)]
pub struct LatencyRow {
    /// Bus width, bits.
    pub data: u32,
    /// From the answer to the doorbell's write to the first beat of the frame.
    pub doorbell_to_frame: u64,
    /// From the last beat of the frame at the peer to the last beat of its payload on the peer's memory bus.
    pub frame_to_memory: u64,
    /// From the last beat of the frame at the peer to the first beat of its acknowledgement.
    pub frame_to_ack: u64,
    /// From the answer to the doorbell's write to the last beat of the CQE.
    pub round_trip: u64,
}

/// Measures on two fresh devices; the second of two equal messages counts, so that everything is warm.
///
/// # Errors
/// What the driver reports; also when something does not happen.
pub fn bench_latency(variant: Variant) -> Result<LatencyRow, BenchError> {
    let mtu = PathMtu::from_bytes(1024).expect("an MTU");
    let settings = PairSettings { variant, qps: 1, mtu, memory_latency: 1, wire_delay: 1, bytes: MESSAGE, slots: 64 };
    let pair = Pair::new(&settings)?;
    measure(&pair, variant)?;
    measure(&pair, variant)
}

fn measure(pair: &Pair, variant: Variant) -> Result<LatencyRow, BenchError> {
    let own = vec![Sge { address: pair.own_address(), length: MESSAGE, lkey: pair.own_key() }];
    let remote = Remote { address: pair.peer_address(), rkey: pair.peer_key() };
    let sender = &pair.workers[0].sender;
    sender.stage_unchecked(SendRequest::write(0, own, remote)).map_err(|bad| bad.error)?;
    let before = received(&pair.simulator.borrow(), 1);
    sender.ring_send().map_err(|bad| bad.error)?;
    let mut simulator = pair.simulator.borrow_mut();
    let start = simulator.cycle();
    let mut when = |what: &str, condition: &dyn Fn(&Simulator) -> bool| {
        simulator.run_until(what, LIMIT, condition).map(|()| simulator.cycle())
    };
    let sends = |nic: usize| move |simulator: &Simulator| simulator.nics()[nic].outputs().tx_tvalid != 0;
    let stores = |nic: usize| {
        move |simulator: &Simulator| {
            let outputs = simulator.nics()[nic].outputs();
            outputs.wvalid != 0 && outputs.wlast != 0
        }
    };
    let frame = when("the frame", &sends(0))?;
    let arrival = when("its arrival", &|simulator| received(simulator, 1) > before)?;
    let memory = when("the payload in memory", &stores(1))?;
    let acknowledgement = when("the acknowledgement", &sends(1))?;
    let completion = when("the completion", &stores(0))?;
    drop(simulator);
    pair.collect(1)?;
    Ok(LatencyRow {
        data: variant.preset().data,
        doorbell_to_frame: frame - start,
        frame_to_memory: memory - arrival,
        frame_to_ack: acknowledgement - arrival,
        round_trip: completion - start,
    })
}

/// Frames that the end of a NIC has been handed.
fn received(simulator: &Simulator, nic: usize) -> u64 {
    simulator.wire().counters(simulator.nics()[nic].end()).received
}
