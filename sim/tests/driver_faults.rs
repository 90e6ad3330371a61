//! Fault sweeps of the driver on the Verilog: each DMA operation of a short run fails in turn, and the device goes silent at each
//! register access in turn. The driver reports it, recovers, the run completes, and nothing is left.
use rnic_abi::axi::{READ_GATHER, READ_PAGE_LIST, READ_RECEIVE_WQE, READ_SQ_WQE, WRITE_CQE, WRITE_PAYLOAD};
use rnic_driver::{
    Access, Bar, BusError, Completion, CompletionQueue, ConnectOptions, Device, Direction, Error, MrTableState,
    OpenOptions, Parts, Platform, ProtectionDomain, QpOptions, QueuePair, ReceiveRequest, SendRequest, SlotOptions,
    SlotPool, TimeLimits, Unmap,
};
use rnic_sim::host::{Fault, Way};
use rnic_sim::platform::{attach, HostPages, Shared, SimBar, SimClock, SimMemory, SimPlatform};
use rnic_sim::wire::WireSettings;
use rnic_sim::{Settings, Simulator};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

/// 20,000 cycles: more than anything takes here.
const LIMIT: Duration = Duration::from_micros(400);
/// More than the pages that ride in a request.
const BYTES: u64 = 5 * 4096;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn simulator() -> Shared {
    let wire = WireSettings { loopback: true, ..WireSettings::default() };
    Rc::new(RefCell::new(Simulator::new(&Settings { wire, ..Settings::default() }).unwrap()))
}

fn options() -> OpenOptions {
    OpenOptions {
        mac: Some([2, 0, 0, 0, 0, 1]),
        addresses: vec![[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1]],
        limits: TimeLimits { reset: LIMIT, admin: LIMIT, drain: LIMIT },
        ..OpenOptions::default()
    }
}

/// What must be made anew when a completion queue is broken.
struct Queues<P: Platform> {
    links: Vec<(SlotPool<P>, QueuePair<P>)>,
    cq: CompletionQueue<P>,
}

/// A device whose frames come back to it.
struct Rig<P: Platform> {
    device: Device<P>,
    pd: ProtectionDomain<P>,
    psn: Cell<u32>,
}

impl<P: Platform + 'static> Rig<P>
where
    P::Memory: rnic_driver::DmaMemory<Memory = HostPages>,
{
    fn open(platform: P) -> Outcome<Self> {
        let device = Device::open_with(platform, options())?;
        Ok(Self { pd: device.alloc_pd()?, device, psn: Cell::new(100) })
    }

    fn queues(&self) -> Outcome<Queues<P>> {
        let cq = self.device.create_cq(64, 1)?;
        let mut links = vec![];
        for _ in 0..2 {
            let options = QpOptions { send_slots: 16, receive_slots: 4, ..QpOptions::default() };
            let qp = self.device.create_qp(&self.pd, &cq, &cq, options)?;
            let pool = SlotPool::new(&qp, &self.pd, SlotOptions { local: 1, remote: 1, ..SlotOptions::default() })?;
            links.push((pool, qp));
        }
        Ok(Queues { links, cq })
    }

    fn connect(&self, queues: &Queues<P>) -> Outcome {
        let (a, b) = (&queues.links[0].1, &queues.links[1].1);
        self.psn.set(self.psn.get() + 1000);
        let options = ConnectOptions { access: Access::REMOTE_WRITE, timeout: 4, ..ConnectOptions::default() };
        let (own, peer) = (a.endpoint(0, self.psn.get())?, b.endpoint(0, self.psn.get() + 7)?);
        a.connect(&own, &peer.endpoint(), &options)?;
        b.connect(&peer, &own.endpoint(), &options)?;
        Ok(())
    }

    /// One I/O: memory is lent, written by the peer, and taken back by it. What fails leaves its mappings to the device.
    fn transfer(&self, queues: &Queues<P>) -> Outcome {
        let Queues { links, cq } = queues;
        let ((ours, a), (theirs, b)) = (&links[0], &links[1]);
        let (source, target) = (HostPages::new(BYTES, 12), HostPages::new(BYTES, 12));
        let data: Vec<u8> = (0..BYTES).map(|byte| (byte * 5 + byte / 4096) as u8).collect();
        source.region().write(0, &data);
        b.post_receive(&ReceiveRequest::new(1, []))?;
        a.post_receive(&ReceiveRequest::new(2, []))?;
        let mut remote = theirs.rkey_slot()?.make_remote(&target, Access::REMOTE_WRITE)?;
        remote.post([SendRequest::send(3, [])])?;
        wait(cq, &[2, 3])?;
        let mut local = ours.lkey_slot()?.make_sge(&source, Direction::ToDevice, 4)?;
        let write = SendRequest::write(4, local.sges(), remote.remote());
        local.post([write, SendRequest::send_inv(5, [], remote.rkey())])?;
        wait(cq, &[1, 4, 5])?;
        let Unmap::Done(_) = remote.unmap(6)? else { return Err("the key is not known to be gone".into()) };
        let Unmap::Pending(end) = local.unmap(7)? else { return Err("the element was registered".into()) };
        wait(cq, &[7])?;
        end.finish()?;
        let mut found = vec![0; BYTES as usize];
        target.region().read(0, &mut found);
        if found == data {
            Ok(())
        } else {
            Err("other bytes".into())
        }
    }

    /// After an error: both queue pairs, and nothing else.
    fn recover(&self, queues: &Queues<P>) -> Outcome {
        for (_, qp) in &queues.links {
            qp.recover()?;
        }
        match self.device.reclaim()? {
            0 => self.connect(queues),
            left => Err(format!("{left} mappings cannot be ended").into()),
        }
    }

    /// Ends everything but the device.
    fn close(self, queues: Queues<P>) -> Outcome<Device<P>> {
        self.end(queues)?;
        self.pd.free()?;
        Ok(self.device)
    }

    fn end(&self, queues: Queues<P>) -> Outcome {
        let Queues { links, cq } = queues;
        for (pool, qp) in links {
            qp.destroy()?;
            self.device.reclaim()?;
            pool.close()?;
        }
        Ok(cq.destroy()?)
    }
}

fn wait<P: Platform>(cq: &CompletionQueue<P>, wr_ids: &[u64]) -> Outcome {
    let mut left = wr_ids.to_vec();
    while !left.is_empty() {
        let completion: Completion<P> = cq.next(LIMIT)?;
        if !completion.is_success() {
            return Err(format!("{} {:?}", completion.status.name(), completion.syndrome).into());
        }
        left.retain(|wr_id| *wr_id != completion.wr_id);
    }
    Ok(())
}

/// A run with one fault. Answers whether it hit something, and what the driver said. Must complete in the end.
fn with_fault(fault: Fault) -> Outcome<(bool, Vec<String>)> {
    let simulator = simulator();
    let rig = Rig::<SimPlatform>::open(attach(&simulator))?;
    let memory = rig.device.platform().memory.clone();
    let mut queues = rig.queues()?;
    rig.connect(&queues)?;
    simulator.borrow_mut().inject(fault);
    let mut reports = vec![];
    if let Err(error) = rig.transfer(&queues) {
        reports.push(error.to_string());
        // A completion that could not be written breaks its queue for good (D17): then that is made anew.
        if let Err(error) = rig.recover(&queues).and_then(|()| rig.transfer(&queues)) {
            reports.push(error.to_string());
            rig.end(queues)?;
            queues = rig.queues()?;
            rig.connect(&queues)?;
            rig.transfer(&queues)?;
        }
    }
    let hit = !simulator.borrow().bus_faults().is_empty();
    let device = rig.close(queues)?;
    for index in 1..device.capabilities().mr_entries {
        let state = device.query_mr(index)?.state;
        if state != MrTableState::Unalloc {
            return Err(format!("region {index} is left: {state:?}").into());
        }
    }
    drop(device);
    if memory.mapped() != 0 {
        return Err(format!("{} mappings are left", memory.mapped()).into());
    }
    simulator.borrow_mut().clear_faults();
    simulator.borrow_mut().finish()?;
    Ok((hit, reports))
}

/// Lets each operation of these clients of the bus fail in turn. A WQE that is fetched is only a guess of the device, so that may
/// go unnoticed; everything else must be told.
fn sweep(way: Way, ids: &[u8]) {
    let mut wrong = vec![];
    for id in ids {
        for skip in 0.. {
            match with_fault(Fault::once(way).id(*id).after(skip)) {
                Ok((false, reports)) => {
                    assert!(skip > 0 && reports.is_empty(), "{way:?} id {id} {skip}: {reports:?}");
                    break;
                }
                Ok((true, reports)) => {
                    let guess = way == Way::Read && [READ_SQ_WQE, READ_RECEIVE_WQE].contains(id);
                    println!("{way:?} id {id} {skip}: {reports:?}");
                    if reports.is_empty() && !guess {
                        wrong.push(format!("id {id} {skip}: nobody has said so"));
                    }
                }
                Err(error) => wrong.push(format!("id {id} {skip}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{way:?}: {wrong:#?}");
}

#[test]
fn b17_d13_every_read_of_a_request_or_list_may_fail_and_the_run_completes() {
    sweep(Way::Read, &[READ_SQ_WQE, READ_RECEIVE_WQE, READ_PAGE_LIST]);
}

#[test]
fn d13_every_read_of_a_payload_may_fail_and_the_run_completes() {
    sweep(Way::Read, &[READ_GATHER]);
}

#[test]
fn d13_d17_every_write_may_fail_and_the_run_completes() {
    sweep(Way::Write, &[WRITE_CQE, WRITE_PAYLOAD]);
}

/// A BAR that works for a number of accesses; then writes are lost and reads give all ones, or both are errors.
#[derive(Clone)]
struct Silent {
    bar: SimBar,
    left: Rc<Cell<u32>>,
    all_ones: bool,
}

impl Silent {
    fn works(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }
}

impl Bar for Silent {
    fn read(&self, offset: u32) -> Result<u32, BusError> {
        match (self.works(), self.all_ones) {
            (true, _) => self.bar.read(offset),
            (false, true) => Ok(u32::MAX),
            (false, false) => Err(BusError::NoAnswer { offset }),
        }
    }

    fn write(&self, offset: u32, value: u32) -> Result<(), BusError> {
        match (self.works(), self.all_ones) {
            (true, _) => self.bar.write(offset, value),
            (false, true) => Ok(()),
            (false, false) => Err(BusError::NoAnswer { offset }),
        }
    }

    fn wait_interrupt(&self, vector: u8, timeout: Duration) -> Result<bool, BusError> {
        self.bar.wait_interrupt(vector, timeout)
    }
}

type SilentPlatform = Parts<Silent, SimMemory, SimClock>;

/// The whole run on a device that goes silent after `accesses`. Answers the accesses that it made before the device was closed.
fn silent_run(accesses: u32, all_ones: bool) -> Outcome<u32> {
    let simulator = simulator();
    let SimPlatform { bar, memory, clock } = attach(&simulator);
    // Once the device has lost its driver, only time can pass.
    clock.set_pause(200);
    let left = Rc::new(Cell::new(accesses));
    let bar = Silent { bar, left: left.clone(), all_ones };
    let start = simulator.borrow().time();
    let result = Rig::<SilentPlatform>::open(Parts { bar, memory: memory.clone(), clock }).and_then(|rig| {
        let queues = rig.queues()?;
        rig.connect(&queues)?;
        rig.transfer(&queues)?;
        let _device = rig.close(queues)?;
        Ok(accesses - left.get())
    });
    let took = simulator.borrow().time() - start;
    assert!(took < 40 * LIMIT, "after {accesses} accesses: {result:?} took {took:?}");
    // D13: of a device that answers nothing, and so may not have stopped, the platform keeps the memory of dropped mappings.
    assert!(memory.mapped() == 0 || !all_ones, "after {accesses} accesses: {result:?}");
    // A device that nobody could stop may still reach for memory that is gone; the monitor says so, and is right.
    let _ = simulator.borrow().failure();
    result
}

#[test]
fn the_device_may_go_silent_at_every_seventh_register_access() {
    go_silent(7);
}

#[test]
#[ignore = "long: a run for each register access"]
fn the_device_may_go_silent_at_any_register_access() {
    go_silent(1);
}

fn go_silent(step: usize) {
    let accesses = silent_run(u32::MAX, true).unwrap();
    assert!(accesses > 200, "{accesses} accesses make no run");
    for all_ones in [true, false] {
        for at in (0..accesses).step_by(step) {
            let result = silent_run(at, all_ones);
            let error = result.expect_err("silent, and nobody said so");
            let words = ["answer", "within", "gone"];
            let named = error.is::<Error>() || words.iter().any(|word| error.to_string().contains(word));
            assert!(named, "silent after {at} accesses: {error}");
        }
    }
}
