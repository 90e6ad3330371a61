//! Cost of registrations and of registration-invalidation pairs (architecture, section 6).
//!
//! All WQEs are in the rings before the doorbells are rung, so that the device alone is measured. Every k-th request is
//! signalled and TICK is set to one cycle, which makes the CQEs' time stamps exact cycle numbers; the cost is taken between
//! the completions at 30 % and 95 % of the run, when the pipeline is neither filling nor running dry.
//!
//! A run of single registrations is no longer than the device has regions: on `small` the WQEs of all of them fit in the
//! prefetch pool while the first list is awaited, so those rows can fall below the bound. Pairs run for 1,024 operations.
use crate::host::Timing;
use crate::platform::{attach, SimPlatform};
use crate::{Settings, SimError, Simulator, Variant};
use rnic_abi::register;
use rnic_driver::{
    Access, BusError, CompletionQueue, Device, MemoryRegion, PageList, Pages, PostError, ProtectionDomain, QpOptions,
    QueuePair, RegMr, SendRequest,
};
use serde::Serialize;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// Why a measurement failed.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The simulation stopped.
    #[error(transparent)]
    Simulation(#[from] SimError),
    /// The driver reports an error.
    #[error(transparent)]
    Driver(#[from] rnic_driver::Error),
    /// A register access failed.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// A request was not accepted.
    #[error(transparent)]
    Post(#[from] PostError),
    /// A request of the measurement ended with an error.
    #[error("a measured request failed: {0}")]
    Completion(String),
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Operation {
    /// REG_MR of one region after another.
    #[serde(rename = "reg")]
    Register,
    /// REG_MR and LOCAL_INV, both counted as one operation.
    #[serde(rename = "reg+inv")]
    Pair,
}

/// Where the page list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ListKind {
    /// In the WQE.
    Inline,
    /// In host memory, read by DMA.
    Pointer,
}

/// One measurement to make.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// What is measured.
    pub operation: Operation,
    /// Pages of each registration.
    pub pages: u16,
    /// Where the list is.
    pub list: ListKind,
    /// Queue pairs that work at once.
    pub qps: u32,
    /// Cycles from a read's address to its first beat.
    pub memory_latency: u32,
    /// Register all other regions of the device beforehand (invariant I10).
    pub crowded: bool,
}

/// One measurement made.
#[derive(Clone, Debug, Serialize)]
pub struct RegistrationRow {
    /// What was measured.
    pub op: Operation,
    /// Bus width, bits.
    pub data: u32,
    /// Pages of each registration.
    pub pages: u16,
    /// Where the list was.
    pub list: ListKind,
    /// Queue pairs that worked at once.
    pub qps: u32,
    /// Cycles from a read's address to its first beat.
    pub memory_latency: u32,
    /// Regions of the device that were registered meanwhile, beside those measured.
    pub registered: u32,
    /// Cycles an operation.
    pub cycles_per_op: f64,
    /// Beats of WQEs and page lists that an operation must read.
    pub bound: u32,
    /// `cycles_per_op` / `bound`.
    pub ratio: f64,
    /// How fast the simulation ran, cycles a second of wall clock.
    pub simulated_per_second: f64,
}

impl Case {
    /// Beats that the bus needs for one operation: each WQE, and the list if it is not in the WQE.
    pub fn bound(&self, data: u32) -> u32 {
        let wqes = if self.operation == Operation::Pair { 2 } else { 1 };
        let list = if self.list == ListKind::Pointer { (64 * u32::from(self.pages)).div_ceil(data) } else { 0 };
        wqes * 512u32.div_ceil(data) + list
    }
}

/// One queue pair at work, with its regions.
struct Worker {
    qp: QueuePair<SimPlatform>,
    cq: CompletionQueue<SimPlatform>,
    regions: Vec<MemoryRegion<SimPlatform>>,
}

/// Makes one measurement on a fresh device.
///
/// # Errors
/// What the driver reports; also when a completion is an error or does not come.
pub fn bench_registration(variant: Variant, case: &Case) -> Result<RegistrationRow, BenchError> {
    let preset = variant.preset();
    let timing = Timing::latency(case.memory_latency);
    let simulator = Rc::new(RefCell::new(Simulator::new(&Settings { variant, timing, ..Settings::default() })?));
    let device = Device::open(attach(&simulator))?;
    device.write_register(register::TICK, 1 << 16)?;
    let pd = device.alloc_pd()?;
    // Regions that the measurement itself uses: few for pairs, all that there are for single registrations.
    let (mr_room, page_room) = (preset.mr_entries - 1, preset.pages / u32::from(case.pages).next_multiple_of(8));
    let used = match case.operation {
        Operation::Register => mr_room.min(page_room).min(2048) / case.qps * case.qps,
        Operation::Pair => (4 * case.qps).max(16).min(mr_room).min(page_room) / case.qps * case.qps,
    };
    let mut workers = vec![];
    for _ in 0..case.qps {
        let cq = device.create_cq(1 << 12, 0)?;
        let qp = device.create_qp(&pd, &cq, &cq, QpOptions { send_slots: 1 << 13, ..QpOptions::default() })?;
        qp.activate()?;
        let regions =
            (0..used / case.qps).map(|_| device.alloc_fast_reg_mr(&pd, case.pages)).collect::<Result<Vec<_>, _>>()?;
        workers.push(Worker { qp, cq, regions });
    }
    let registered = if case.crowded { crowd(&device, &pd, &workers[0])? } else { 0 };
    let list = Arc::new(page_list(&device, case.pages)?);
    let mut signalled_every = 1;
    for worker in &workers {
        signalled_every = stage(worker, case, &list)?;
    }
    for worker in &workers {
        worker.qp.ring_send().map_err(|bad| bad.error)?;
    }
    let mut ticks = vec![];
    for worker in &workers {
        ticks.extend(collect(worker, case, signalled_every)?);
    }
    ticks.sort_unstable();
    let (first, last) = (ticks.len() * 3 / 10, ticks.len() * 95 / 100);
    let cycles = f64::from(ticks[last].wrapping_sub(ticks[first]));
    let cycles_per_op = cycles / ((last - first) * signalled_every) as f64;
    let bound = case.bound(preset.data);
    let simulated_per_second = simulator.borrow().speed();
    Ok(RegistrationRow {
        op: case.operation,
        data: preset.data,
        pages: case.pages,
        list: case.list,
        qps: case.qps,
        memory_latency: case.memory_latency,
        registered,
        cycles_per_op,
        bound,
        ratio: cycles_per_op / f64::from(bound),
        simulated_per_second,
    })
}

/// A list of pages that nobody ever touches; their addresses only have to be aligned.
fn page_list(device: &Device<SimPlatform>, pages: u16) -> Result<PageList<SimPlatform>, BenchError> {
    let mut list = device.alloc_page_list(pages.into())?;
    let addresses: Vec<u64> = (0..u64::from(pages)).map(|page| PAGES_AT + (page << 12)).collect();
    list.fill(&addresses)?;
    Ok(list)
}

/// Where the pages of all registrations are.
const PAGES_AT: u64 = 0x10_0000_0000;

/// Puts a worker's requests in its ring; one operation in how many is signalled.
fn stage(worker: &Worker, case: &Case, list: &Arc<PageList<SimPlatform>>) -> Result<usize, BenchError> {
    let operations = match case.operation {
        Operation::Register => worker.regions.len(),
        Operation::Pair => 1024 / case.qps as usize,
    };
    let every = if operations >= 64 { 8 } else { 1 };
    let length = u64::from(case.pages) << 12;
    for number in 0..operations {
        let region = &worker.regions[number % worker.regions.len()];
        let pages = match case.list {
            ListKind::Inline => Pages::Inline(list.entries()),
            ListKind::Pointer => Pages::Shared(list.clone()),
        };
        let register =
            SendRequest::reg_mr(number as u64, RegMr::new(region, Access::LOCAL_WRITE, PAGES_AT, length, pages));
        let signalled = (number + 1) % every == 0;
        let mut requests = vec![];
        if case.operation == Operation::Pair {
            requests.push(register.unsignaled());
            requests.push(SendRequest::local_inv(number as u64, region.key()));
        } else {
            requests.push(register);
        }
        if !signalled {
            let last = requests.pop().expect("there is one");
            requests.push(last.unsignaled());
        }
        for request in requests {
            worker.qp.stage_unchecked(request).map_err(|bad| bad.error)?;
        }
    }
    Ok(every)
}

/// Waits for a worker's completions; their time stamps.
fn collect(worker: &Worker, case: &Case, every: usize) -> Result<Vec<u32>, BenchError> {
    let operations = match case.operation {
        Operation::Register => worker.regions.len(),
        Operation::Pair => 1024 / case.qps as usize,
    };
    (0..operations / every)
        .map(|_| {
            let completion = worker.cq.next(Duration::from_secs(1))?;
            if !completion.is_success() {
                return Err(BenchError::Completion(format!("{completion:?}")));
            }
            Ok(completion.entry.ticks)
        })
        .collect()
}

/// Registers every region that is left; how many.
fn crowd(device: &Device<SimPlatform>, pd: &ProtectionDomain<SimPlatform>, worker: &Worker) -> Result<u32, BenchError> {
    let mut count = 0;
    while let Ok(region) = device.alloc_fast_reg_mr(pd, 1) {
        let request = RegMr::new(&region, Access::LOCAL_WRITE, PAGES_AT, 4096, Pages::Inline(vec![PAGES_AT]));
        worker.qp.post_send(SendRequest::reg_mr(0, request)).map_err(|bad| bad.error)?;
        let completion = worker.cq.next(Duration::from_secs(1))?;
        if !completion.is_success() {
            return Err(BenchError::Completion(format!("{completion:?}")));
        }
        count += 1;
    }
    Ok(count)
}
