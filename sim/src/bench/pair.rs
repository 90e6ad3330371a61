//! Two devices with connected queue pairs, as the measurements of transfers need them.
use super::BenchError;
use crate::host::Timing;
use crate::monitor::Role;
use crate::platform::{attach_nic, HostBuffer, Shared, SimPlatform};
use crate::wire::WireSettings;
use crate::{Settings, Simulator, Variant};
use rnic_abi::register;
use rnic_driver::{
    Access, Completion, CompletionQueue, ConnectOptions, Device, DmaBuffer, DmaMemory, MemoryRegion, OpenOptions,
    Pages, PathMtu, QpOptions, QueuePair, RegMr, SendRequest,
};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// Page of the peer's region, bytes.
const PAGE: u32 = 4096;
/// Time that a measurement may wait for one completion.
const PATIENCE: Duration = Duration::from_millis(100);
/// Cycles between two samples.
const STEP: u64 = 256;
/// Cycles without a completion that end a measurement.
const STANDSTILL: u64 = 5_000_000;

/// What the devices shall be like.
pub(super) struct PairSettings {
    pub variant: Variant,
    pub qps: u32,
    pub mtu: PathMtu,
    pub memory_latency: u32,
    pub wire_delay: u32,
    /// Bytes of the memory on either side.
    pub bytes: u32,
    /// Slots of each ring.
    pub slots: u32,
}

/// A queue pair of each side.
pub(super) struct Workers {
    pub sender: QueuePair<SimPlatform>,
    pub receiver: QueuePair<SimPlatform>,
    pub completions: CompletionQueue<SimPlatform>,
    _received: CompletionQueue<SimPlatform>,
}

/// Two devices, all their queue pairs connected. All transfers use the same memory of either side.
pub(super) struct Pair {
    pub simulator: Shared,
    pub workers: Vec<Workers>,
    own: HostBuffer,
    _peer: HostBuffer,
    region: MemoryRegion<SimPlatform>,
    own_key: u32,
    _devices: [Device<SimPlatform>; 2],
}

impl Pair {
    /// Brings them up; TICK of both is one cycle.
    pub fn new(settings: &PairSettings) -> Result<Self, BenchError> {
        let timing = Timing::latency(settings.memory_latency);
        let wire = WireSettings { delay: settings.wire_delay, ..WireSettings::default() };
        let nics = vec!["a".into(), "b".into()];
        let simulator: Shared = Rc::new(RefCell::new(Simulator::new(&Settings {
            variant: settings.variant,
            timing,
            nics,
            wire,
            ..Settings::default()
        })?));
        let open = |nic: usize| -> Result<_, BenchError> {
            let last = nic as u8 + 1;
            let address = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, last];
            let options =
                OpenOptions { mac: Some([2, 0, 0, 0, 0, last]), addresses: vec![address], ..OpenOptions::default() };
            let device = Device::open_with(attach_nic(&simulator, nic), options)?;
            device.write_register(register::TICK, 1 << 16)?;
            Ok(device)
        };
        let devices = [open(0)?, open(1)?];
        let pds = [devices[0].alloc_pd()?, devices[1].alloc_pd()?];
        let workers = (0..settings.qps).map(|_| {
            let options = QpOptions {
                send_slots: settings.slots,
                receive_slots: settings.slots,
                privileged: true,
                ..QpOptions::default()
            };
            let make = |side: usize| -> Result<_, BenchError> {
                let cq = devices[side].create_cq(2 * settings.slots, 0)?;
                Ok((devices[side].create_qp(&pds[side], &cq, &cq, options)?, cq))
            };
            let ((sender, completions), (receiver, received)) = (make(0)?, make(1)?);
            connect(&sender, &receiver, settings.mtu)?;
            Ok(Workers { sender, receiver, completions, _received: received })
        });
        let workers = workers.collect::<Result<Vec<_>, BenchError>>()?;
        let buffer = |side: usize| {
            devices[side].platform().memory.allocate(settings.bytes as usize).map_err(rnic_driver::Error::from)
        };
        let (own, peer) = (buffer(0)?, buffer(1)?);
        for (nic, buffer) in [&own, &peer].into_iter().enumerate() {
            let first = buffer.bus_address();
            simulator.borrow_mut().nic(nic).monitor().lend(first..first + buffer.len() as u64, Role::Payload);
        }
        let region = register_buffer(&devices[1], &pds[1], &workers[0].receiver, &workers[0]._received, &peer)?;
        let own_key = devices[0].capabilities().local_dma_lkey;
        Ok(Self { simulator, workers, own, _peer: peer, region, own_key, _devices: devices })
    }

    /// Bus address of the sender's memory.
    pub fn own_address(&self) -> u64 {
        self.own.bus_address()
    }

    /// Its key.
    pub fn own_key(&self) -> u32 {
        self.own_key
    }

    /// Virtual address of the receiver's memory.
    pub fn peer_address(&self) -> u64 {
        VIRTUAL
    }

    /// Its key.
    pub fn peer_key(&self) -> u32 {
        self.region.key()
    }

    /// Waits for the completions of all senders, so many of each.
    pub fn collect(&self, count: u32) -> Result<(), BenchError> {
        for workers in &self.workers {
            for _ in 0..count {
                check(&workers.completions.next(PATIENCE)?)?;
            }
        }
        Ok(())
    }

    /// Runs until all senders have so many completions each; cycle and bytes that `nic` has received, sampled all along.
    pub fn watch(&self, count: u32, nic: usize) -> Result<Vec<Sample>, BenchError> {
        let (mut samples, mut missing) = (vec![], vec![count; self.workers.len()]);
        let mut last = 0;
        while missing.iter().any(|missing| *missing > 0) {
            let mut simulator = self.simulator.borrow_mut();
            simulator.run(STEP)?;
            let end = simulator.nics()[nic].end();
            let sample = Sample { cycle: simulator.cycle(), bytes: simulator.wire().counters(end).received_bytes };
            drop(simulator);
            samples.push(sample);
            for (workers, missing) in self.workers.iter().zip(&mut missing) {
                while let Some(completion) = workers.completions.poll()? {
                    check(&completion)?;
                    *missing -= 1;
                    last = sample.cycle;
                }
            }
            if sample.cycle > samples[0].cycle.max(last) + STANDSTILL {
                return Err(BenchError::Completion(format!("none for {STANDSTILL} cycles, {missing:?} are missing")));
            }
        }
        Ok(samples)
    }
}

/// How far a run was at a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub cycle: u64,
    /// Bytes of whole frames.
    pub bytes: u64,
}

fn check(completion: &Completion<SimPlatform>) -> Result<(), BenchError> {
    match completion.is_success() {
        true => Ok(()),
        false => Err(BenchError::Completion(format!("{completion:?}"))),
    }
}

/// Where the peer's region begins.
const VIRTUAL: u64 = 0x7000_0000;

fn connect(sender: &QueuePair<SimPlatform>, receiver: &QueuePair<SimPlatform>, mtu: PathMtu) -> Result<(), BenchError> {
    let access = Access::REMOTE_WRITE | Access::REMOTE_READ | Access::REMOTE_ATOMIC;
    // A tick is a cycle here: the READs of all queue pairs together take longer than the usual timeout in cycles.
    let timeout = 22;
    let options = ConnectOptions { mtu, access, max_rd: 16, max_dest_rd: 16, timeout, ..ConnectOptions::default() };
    let (own, peer) = (sender.endpoint(0, 100)?, receiver.endpoint(0, 200)?);
    sender.connect(&own, &peer.endpoint(), &options)?;
    receiver.connect(&peer, &own.endpoint(), &options)?;
    Ok(())
}

/// Registers the peer's memory with all rights that the transfers need.
fn register_buffer(
    device: &Device<SimPlatform>,
    pd: &rnic_driver::ProtectionDomain<SimPlatform>,
    qp: &QueuePair<SimPlatform>,
    cq: &CompletionQueue<SimPlatform>,
    buffer: &HostBuffer,
) -> Result<MemoryRegion<SimPlatform>, BenchError> {
    let pages = (buffer.len() as u32).div_ceil(PAGE);
    let region = device.alloc_fast_reg_mr(pd, pages as u16)?;
    let mut list = device.alloc_page_list(pages as usize)?;
    let addresses: Vec<u64> = (0..pages).map(|page| buffer.bus_address() + u64::from(page * PAGE)).collect();
    list.fill(&addresses)?;
    let access = Access::LOCAL_WRITE | Access::REMOTE_WRITE | Access::REMOTE_READ;
    let length = u64::from(pages * PAGE);
    let request = RegMr::new(&region, access, VIRTUAL, length, Pages::List(list));
    qp.post_send(SendRequest::reg_mr(0, request)).map_err(|bad| bad.error)?;
    let completion = cq.next(PATIENCE)?;
    if !completion.is_success() {
        return Err(BenchError::Completion(format!("{completion:?}")));
    }
    Ok(region)
}
