//! The devices of a flood: the victim with its queue pairs, and a peer that shows that it still works.

use super::super::bed::broken;
use super::super::Disagreement;
use super::frames::Target;
use super::Summary;
use crate::host::{Permission, Region as HostRegion};
use crate::platform::{attach_nic, Shared, SimPlatform};
use crate::random::Random;
use crate::scenario::Machine;
use crate::wire::frame::{map, opcode, Network};
use crate::wire::Frame;
use rnic_abi::mr::State as RegionState;
use rnic_abi::qp::State;
use rnic_abi::wqe::Sge;
use rnic_driver::{
    Access, CompletionQueue, ConnectOptions, Device, Endpoint, MemoryRegion, OpenOptions, PathMtu, ProtectionDomain,
    QpOptions, QueuePair, ReceiveRequest, RegMr, Remote, SendRequest, TimeLimits,
};
use std::rc::Rc;
use std::time::Duration;

/// Number of the NIC that gets the frames.
pub(super) const VICTIM: usize = 1;
/// Queue pairs of it that get them.
const COUNT: usize = 4;
/// The peer that does not exist.
const STRANGER: ([u8; 6], [u8; 4]) = ([2, 0, 0, 0, 0, 99], [10, 0, 0, 99]);
/// First PSN of the victims' requests.
const PSN: u32 = 0x70_0000;
const START: u64 = 0x7000_0000;
const BYTES: u64 = 8192;
/// A queue pair that is not drained by then never is: the device has nothing else to do.
const DRAIN_LIMIT: Duration = Duration::from_millis(2);

type Qp = QueuePair<SimPlatform>;

/// Memory behind a region.
struct Memory {
    base: u64,
    region: MemoryRegion<SimPlatform>,
    access: Access,
    contents: Vec<u8>,
}

struct Victim {
    qp: Qp,
    /// Everything a peer may do; only what it may read; nothing of it but receives.
    memories: [Memory; 3],
    connections: u32,
}

/// Everything.
pub(super) struct Bed {
    simulator: Shared,
    devices: [Device<SimPlatform>; 2],
    victims: Vec<Victim>,
    cq: CompletionQueue<SimPlatform>,
    pub targets: Vec<Target>,
    control: [Qp; 2],
    control_cqs: [CompletionQueue<SimPlatform>; 2],
    control_memory: [Memory; 2],
    _pds: [ProtectionDomain<SimPlatform>; 2],
}

fn memory(
    device: &Device<SimPlatform>,
    pd: &ProtectionDomain<SimPlatform>,
    access: Access,
) -> Result<Memory, Disagreement> {
    let host = device.platform().memory.host();
    let base = host.map(&Rc::new(HostRegion::new(BYTES)), 0..BYTES, 4096, Permission::ALL).expect("bus addresses");
    let contents: Vec<u8> = (0..BYTES).map(|byte| (byte * 7 + base) as u8).collect();
    host.write(base, &contents);
    let region = device.alloc_fast_reg_mr(pd, 2).map_err(broken)?;
    Ok(Memory { base, region, access, contents })
}

impl Memory {
    fn register(&self, qp: &Qp) -> Result<(), Disagreement> {
        let pages = rnic_driver::Pages::Inline(vec![self.base, self.base + 4096]);
        let request = SendRequest::reg_mr(0, RegMr::new(&self.region, self.access, START, BYTES, pages));
        qp.post_unchecked(request).map_err(|bad| Disagreement::new("a registration posted", bad.to_string()))
    }

    fn sge(&self, offset: u64, length: u32) -> Sge {
        Sge { address: START + offset, length, lkey: self.region.key() }
    }
}

fn wait(cq: &CompletionQueue<SimPlatform>, what: &str) -> Result<(), Disagreement> {
    let completion = cq.next(Duration::from_millis(20)).map_err(broken)?;
    match completion.is_success() {
        true => Ok(()),
        false => Err(Disagreement::new(format!("success of {what}"), format!("{completion:?}"))),
    }
}

impl Bed {
    pub fn new(simulator: &Shared) -> Result<Self, Disagreement> {
        let open = |nic: usize| {
            let last = nic as u8 + 1;
            let options = OpenOptions {
                mac: Some([2, 0, 0, 0, 0, last]),
                addresses: vec![map([10, 0, 0, last])],
                limits: TimeLimits { drain: DRAIN_LIMIT, ..TimeLimits::default() },
                ..OpenOptions::default()
            };
            Device::open_with(attach_nic(simulator, nic), options).map_err(broken)
        };
        let devices = [open(0)?, open(1)?];
        let pds = [devices[0].alloc_pd().map_err(broken)?, devices[1].alloc_pd().map_err(broken)?];
        let cq = devices[VICTIM].create_cq(1024, 0).map_err(broken)?;
        let control_cqs = [devices[0].create_cq(64, 0).map_err(broken)?, devices[1].create_cq(64, 0).map_err(broken)?];
        let control = [0, 1].map(|side| {
            devices[side].create_qp(&pds[side], &control_cqs[side], &control_cqs[side], QpOptions::default())
        });
        let [first, second] = control;
        let control = [first.map_err(broken)?, second.map_err(broken)?];
        let own = [0, 1].map(|side| control[side].endpoint(0, 500 + side as u32));
        let [first, second] = own;
        let own = [first.map_err(broken)?, second.map_err(broken)?];
        let options = ConnectOptions { access: Access::REMOTE_WRITE, ..ConnectOptions::default() };
        for side in 0..2 {
            control[side].connect(&own[side], &own[1 - side].endpoint(), &options).map_err(broken)?;
        }
        let control_memory = [
            memory(&devices[0], &pds[0], Access::LOCAL_WRITE)?,
            memory(&devices[1], &pds[1], Access::LOCAL_WRITE | Access::REMOTE_WRITE)?,
        ];
        for side in 0..2 {
            control_memory[side].register(&control[side])?;
            wait(&control_cqs[side], "a registration")?;
        }
        let mut bed = Self {
            simulator: simulator.clone(),
            devices,
            victims: vec![],
            cq,
            targets: vec![],
            control,
            control_cqs,
            control_memory,
            _pds: pds,
        };
        (0..COUNT).try_for_each(|number| bed.add(number))?;
        Ok(bed)
    }

    fn add(&mut self, number: usize) -> Result<(), Disagreement> {
        let (device, pd) = (&self.devices[VICTIM], &self._pds[VICTIM]);
        let qp = device.create_qp(pd, &self.cq, &self.cq, QpOptions::default()).map_err(broken)?;
        let all = Access::LOCAL_WRITE | Access::REMOTE_WRITE | Access::REMOTE_READ | Access::REMOTE_ATOMIC;
        let memories = [
            memory(device, pd, all)?,
            memory(device, pd, Access::REMOTE_READ)?,
            memory(device, pd, Access::LOCAL_WRITE)?,
        ];
        let (mac, address) = STRANGER;
        self.targets.push(Target {
            qpn: qp.number(),
            network: Network::v4(address, [10, 0, 0, VICTIM as u8 + 1]),
            macs: [[2, 0, 0, 0, 0, VICTIM as u8 + 1], mac],
            mtu: 256 << (number % 3),
            expected: 0,
            outstanding: PSN..PSN + 8,
            regions: vec![],
        });
        self.victims.push(Victim { qp, memories, connections: 0 });
        self.connect(number)
    }

    /// From RESET to a queue pair with receives and requests.
    fn connect(&mut self, number: usize) -> Result<(), Disagreement> {
        let (victim, target) = (&mut self.victims[number], &mut self.targets[number]);
        victim.connections += 1;
        target.expected = 100 * victim.connections;
        let (mac, address) = STRANGER;
        let peer = Endpoint { qpn: 0x99, psn: target.expected, mac, address: map(address) };
        let options = ConnectOptions {
            mtu: PathMtu::from_bytes(target.mtu as u32).expect("a path MTU"),
            access: Access::REMOTE_WRITE | Access::REMOTE_READ | Access::REMOTE_ATOMIC,
            max_rd: 4,
            max_dest_rd: 4,
            timeout: 0,
            ..ConnectOptions::default()
        };
        let own = victim.qp.endpoint(0, PSN).map_err(broken)?;
        victim.qp.connect(&own, &peer, &options).map_err(broken)?;
        for memory in &victim.memories {
            if memory.region.query().map_err(broken)?.state == RegionState::Free {
                memory.region.bump_key();
                memory.register(&victim.qp)?;
            }
        }
        let posted = |result: Result<(), rnic_driver::PostError>| {
            result.map_err(|error| Disagreement::new("a receive posted", error.to_string()))
        };
        for receive in 0..12 {
            let sges =
                vec![victim.memories[2].sge(300 * receive, 200), victim.memories[2].sge(300 * receive + 200, 100)];
            posted(victim.qp.post_receive(&ReceiveRequest::new(receive, sges)))?;
        }
        let remote = Remote { address: START, rkey: 0x4711 };
        // The first answer decides which of them the frames can meet.
        let (sink, first) = (victim.memories[2].sge(5000, 700), victim.connections % 3);
        let read = SendRequest::read(1, vec![sink], remote);
        let atomic = SendRequest::fetch_add(2, START + 4000, victim.memories[2].region.key(), remote, 1);
        let write = SendRequest::write(3, vec![victim.memories[1].sge(0, 400)], remote);
        let mut requests = [read, atomic, write];
        requests.rotate_left(first as usize);
        victim.qp.post_send_list(requests).map_err(|bad| Disagreement::new("requests posted", bad.to_string()))?;
        let known = |memory: &Memory| (memory.region.key(), START, BYTES);
        target.regions = victim.memories.iter().map(known).collect();
        Ok(())
    }

    /// What the victims' answers tell of their state.
    pub fn learn(&mut self, summary: &mut Summary) {
        let mut simulator = self.simulator.borrow_mut();
        let end = simulator.nics()[VICTIM].end();
        while let Some(record) = simulator.wire_mut().take_sent(end) {
            summary.answers += 1;
            let Ok(frame) = Frame::parse(&record.bytes) else { continue };
            let port = |target: &&mut Target| rnic_driver::source_port(target.qpn, 0x99) == frame.source_port;
            let Some(target) = self.targets.iter_mut().find(port) else { continue };
            let code = frame.bth.opcode;
            let sequence = frame.extensions.aeth.is_some_and(|aeth| aeth.syndrome >> 5 != 0);
            if opcode::is_response(code) {
                target.expected = frame.bth.psn.wrapping_add(u32::from(!sequence)) & 0xFF_FFFF;
            }
        }
    }

    /// Takes completions and events; connects again what has failed or has used its receives up.
    pub fn revive(&mut self, summary: &mut Summary) -> Result<(), Disagreement> {
        while let Some(completion) = self.cq.poll().map_err(broken)? {
            summary.received += u64::from(completion.receive && completion.is_success());
        }
        while self.devices[VICTIM].poll_event().map_err(broken)?.is_some() {}
        for number in 0..COUNT {
            let state = self.victims[number].qp.query().map_err(broken)?.state;
            if state == State::Rts && self.victims[number].qp.receive_credits() < 60 {
                continue;
            }
            summary.failures += u64::from(state == State::Err);
            if let Err(error) = self.victims[number].qp.drain() {
                let state = format!("{error}; then {:?}", self.victims[number].qp.query());
                return Err(Disagreement::new(format!("victim {number} drained"), state));
            }
            self.victims[number].qp.reset().map_err(broken)?;
            self.connect(number)?;
        }
        Ok(())
    }

    /// A WRITE between the two devices works, and what no frame could change is as it was.
    pub fn check(&mut self, random: &mut Random) -> Result<(), Disagreement> {
        let bytes = 1 + random.below(5000) as u32;
        let contents: Vec<u8> = (0..bytes).map(|_| random.next() as u8).collect();
        let [from, to] = &self.control_memory;
        self.devices[0].platform().memory.host().write(from.base, &contents);
        let remote = Remote { address: START, rkey: to.region.key() };
        let write = SendRequest::write(0, vec![from.sge(0, bytes)], remote);
        self.control[0].post_send(write).map_err(|bad| Disagreement::new("a WRITE posted", bad.to_string()))?;
        wait(&self.control_cqs[0], "a WRITE")?;
        let host = self.devices[1].platform().memory.host();
        let mut found = vec![0; bytes as usize];
        host.read(to.base, &mut found);
        if found != contents {
            return Err(Disagreement::new("the bytes of the WRITE", "others"));
        }
        for victim in &self.victims {
            let unwritable = &victim.memories[1];
            let mut found = vec![0; BYTES as usize];
            host.read(unwritable.base, &mut found);
            let changed = found.iter().zip(&unwritable.contents).position(|(found, wanted)| found != wanted);
            if let Some(at) = changed {
                return Err(Disagreement::new(
                    "a region without the right to write keeps its bytes",
                    format!("byte {at}"),
                ));
            }
        }
        let failure = self.devices[1].platform().failure();
        failure.map_or(Ok(()), |failure| Err(Disagreement::new("no violation", failure)))
    }
}
