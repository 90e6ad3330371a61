//! Two devices that saturate each other in both directions (T108, V55): no circle of waiting, every queue pair goes on.
//!
//! Three connections. On the first both ends WRITE and READ, on the second they READ and add atomically, on the third each
//! takes a key of the other away with every SEND, and gets a new one. And all queue pairs at once, each with its share.
use rnic_driver::{
    Access, Completion, CompletionQueue, ConnectOptions, Device, DmaBuffer, DmaMemory, MemoryRegion, OpenOptions,
    Pages, PathMtu, ProtectionDomain, QpOptions, QueuePair, ReceiveRequest, RegMr, Remote, SendRequest,
};
use rnic_sim::host::Timing;
use rnic_sim::monitor::Role;
use rnic_sim::platform::{attach_nic, HostBuffer, Shared, SimPlatform};
use rnic_sim::wire::WireSettings;
use rnic_sim::{Settings, Simulator, Variant};
use std::cell::RefCell;
use std::rc::Rc;

/// Connections.
const LINES: usize = 3;
/// The one with SENDs that invalidate.
const SENDS: usize = 2;
/// Bytes of the memory of a connection, on each side.
const BYTES: u32 = 16384;
/// Where every region begins.
const VIRTUAL: u64 = 0x7000_0000;
/// Requests that a queue pair has outstanding.
const DEPTH: u32 = 12;
/// Cycles within which every queue pair completes something.
const WINDOW: u64 = 50_000;

/// One end of a connection.
struct End {
    qp: QueuePair<SimPlatform>,
    cq: CompletionQueue<SimPlatform>,
    region: MemoryRegion<SimPlatform>,
    memory: HostBuffer,
    /// Local key of everything.
    lkey: u32,
    posted: u32,
    done: u32,
    /// What was done at the last look.
    seen: u32,
    /// The peer may use the key.
    open: bool,
}

impl End {
    /// The region of this end for the peer.
    fn remote(&self, offset: u64) -> Remote {
        Remote { address: VIRTUAL + offset, rkey: self.region.key() }
    }

    fn sge(&self, offset: u64, length: u32) -> rnic_abi::wqe::Sge {
        rnic_abi::wqe::Sge { address: self.memory.bus_address() + offset, length, lkey: self.lkey }
    }

    /// Registers the region, with a new key.
    fn register(&self) {
        let pages: Vec<u64> =
            (0..u64::from(BYTES) / 4096).map(|page| self.memory.bus_address() + 4096 * page).collect();
        let access = Access::LOCAL_WRITE | Access::REMOTE_WRITE | Access::REMOTE_READ | Access::REMOTE_ATOMIC;
        let request = RegMr::new(&self.region, access, VIRTUAL, BYTES.into(), Pages::Inline(pages));
        self.qp.post_send(SendRequest::reg_mr(u64::MAX, request)).unwrap();
    }

    fn receive(&self) {
        self.qp.post_receive(&ReceiveRequest::new(0, vec![self.sge(0, 512)])).unwrap();
    }

    /// Keeps the queue pair busy. The second half of the memory is what the peer writes and adds to.
    fn fill(&mut self, line: usize, peer: &End) {
        while self.posted - self.done < DEPTH && line != SENDS {
            let (number, half) = (self.posted, u64::from(BYTES / 2));
            let request = match (line, number % 2) {
                (0, 0) => SendRequest::write(0, vec![self.sge(number as u64 % 7, 4096)], peer.remote(half)),
                (0, _) => SendRequest::read(0, vec![self.sge(0, 3000)], peer.remote(number as u64 % 64)),
                (_, 0) => SendRequest::read(0, vec![self.sge(64, 1500)], peer.remote(5)),
                _ => SendRequest::fetch_add(0, self.memory.bus_address(), self.lkey, peer.remote(half), 1),
            };
            self.qp.post_send(request).unwrap();
            self.posted += 1;
        }
    }

    /// Keeps the queue full of WRITEs of 4 KiB.
    fn write_on(&mut self, peer: &End) {
        while self.posted - self.done < DEPTH {
            let request = SendRequest::write(0, vec![self.sge(0, 4096)], peer.remote(u64::from(BYTES / 2)));
            self.qp.post_send(request).unwrap();
            self.posted += 1;
        }
    }

    /// Takes all completions.
    fn poll(&mut self) -> Vec<Completion<SimPlatform>> {
        let mut all = vec![];
        while let Some(completion) = self.cq.poll().unwrap() {
            assert!(completion.is_success(), "{completion:?}");
            all.push(completion);
        }
        all
    }
}

fn end(device: &Device<SimPlatform>, pd: &ProtectionDomain<SimPlatform>) -> End {
    let cq = device.create_cq(64, 0).unwrap();
    let options = QpOptions { send_slots: 32, receive_slots: 8, privileged: true, ..QpOptions::default() };
    let qp = device.create_qp(pd, &cq, &cq, options).unwrap();
    let region = device.alloc_fast_reg_mr(pd, 4).unwrap();
    let memory = device.platform().memory.allocate(BYTES as usize).unwrap();
    let lkey = device.capabilities().local_dma_lkey;
    End { qp, cq, region, memory, lkey, posted: 0, done: 0, seen: 0, open: false }
}

fn open(simulator: &Shared, nic: usize) -> Device<SimPlatform> {
    let last = nic as u8 + 1;
    let mut address = [0; 16];
    address[10..].copy_from_slice(&[0xFF, 0xFF, 10, 0, 0, last]);
    let options = OpenOptions { mac: Some([2, 0, 0, 0, 0, last]), addresses: vec![address], ..OpenOptions::default() };
    Device::open_with(attach_nic(simulator, nic), options).unwrap()
}

/// Both ends of a connection, by side.
type Line = [End; 2];

fn connect(line: &Line, mtu: PathMtu) {
    let options = ConnectOptions {
        mtu,
        access: Access::REMOTE_WRITE | Access::REMOTE_READ | Access::REMOTE_ATOMIC,
        max_rd: 8,
        max_dest_rd: 8,
        timeout: 14,
        ..ConnectOptions::default()
    };
    let own = [0, 1].map(|side| line[side].qp.endpoint(0, 0xFF_FF00 + side as u32).unwrap());
    for side in [0, 1] {
        line[side].qp.connect(&own[side], &own[1 - side].endpoint(), &options).unwrap();
    }
}

/// A SEND to the peer takes the key that the peer has opened; the peer opens another.
fn exchange(line: &mut Line) {
    for side in [0, 1] {
        for completion in line[side].poll() {
            if completion.invalidated_key.is_some() {
                line[side].region.bump_key();
                line[side].register();
                line[side].receive();
            } else if completion.wr_id == u64::MAX {
                line[side].open = true;
            } else {
                line[side].done += 1;
            }
        }
        if line[1 - side].open {
            let key = line[1 - side].region.key();
            let request = SendRequest::send_inv(0, vec![line[side].sge(1024, 512)], key);
            line[side].qp.post_send(request).unwrap();
            line[side].posted += 1;
            line[1 - side].open = false;
        }
    }
}

/// Two devices on one wire.
struct Bed {
    simulator: Shared,
    devices: [Device<SimPlatform>; 2],
    pds: [ProtectionDomain<SimPlatform>; 2],
}

impl Bed {
    fn new(variant: Variant) -> Self {
        let nics = vec!["a".into(), "b".into()];
        let wire = WireSettings { delay: 50, ..WireSettings::default() };
        let timing = Timing::latency(100);
        let settings = Settings { variant, timing, nics, wire, ..Settings::default() };
        let simulator: Shared = Rc::new(RefCell::new(Simulator::new(&settings).unwrap()));
        let devices = [0, 1].map(|nic| open(&simulator, nic));
        let pds = devices.each_ref().map(|device| device.alloc_pd().unwrap());
        Self { simulator, devices, pds }
    }

    /// The device may reach the payload in this memory.
    fn lend(&self, nic: usize, memory: &HostBuffer) {
        let first = memory.bus_address();
        self.simulator.borrow_mut().nic(nic).monitor().lend(first..first + memory.len() as u64, Role::Payload);
    }

    /// A connection; both regions are registered.
    fn line(&self, mtu: PathMtu) -> Line {
        let line = [0, 1].map(|side| end(&self.devices[side], &self.pds[side]));
        line.iter().enumerate().for_each(|(nic, end)| self.lend(nic, &end.memory));
        connect(&line, mtu);
        line.iter().for_each(End::register);
        line
    }

    fn run(&self, cycles: u64) {
        self.simulator.borrow_mut().run(cycles).unwrap();
    }

    fn cycle(&self) -> u64 {
        self.simulator.borrow().cycle()
    }
}

fn saturate(variant: Variant, cycles: u64) {
    let bed = Bed::new(variant);
    let mut lines: Vec<Line> = (0..LINES).map(|_| bed.line(PathMtu::Bytes1024)).collect();
    lines[SENDS].iter().for_each(End::receive);
    // The first keys; those of the SENDs are looked for with the others.
    bed.run(5_000);
    for line in &mut lines[..SENDS] {
        assert!(line.iter_mut().all(|end| end.poll().len() == 1), "registration");
    }
    let start = bed.cycle();
    let mut look = start + WINDOW;
    while bed.cycle() < start + cycles {
        bed.run(100);
        for (number, line) in lines.iter_mut().enumerate() {
            if number == SENDS {
                exchange(line);
                continue;
            }
            let [a, b] = line;
            a.done += a.poll().len() as u32;
            b.done += b.poll().len() as u32;
            a.fill(number, b);
            b.fill(number, a);
        }
        if bed.cycle() >= look {
            look += WINDOW;
            for (number, end) in lines.iter_mut().flatten().enumerate() {
                let cycle = bed.cycle();
                assert!(end.done > end.seen, "T108: end {number} stands at {} at cycle {cycle}", end.done);
                end.seen = end.done;
            }
        }
    }
    // Memory is given back below, so nothing may be under way.
    for _ in 0..400 {
        bed.run(500);
        for (number, line) in lines.iter_mut().enumerate() {
            line.iter_mut().for_each(|end| {
                let completions = end.poll().len() as u32;
                end.done += if number == SENDS { 0 } else { completions };
            });
        }
        if lines[..SENDS].iter().flatten().all(|end| end.done == end.posted) {
            break;
        }
    }
    assert!(lines[..SENDS].iter().flatten().all(|end| end.done == end.posted), "requests without an end");
    bed.run(20_000);
    let done: Vec<u32> = lines.iter().flatten().map(|end| end.done).collect();
    println!("{}: {done:?} in {cycles} cycles", variant.preset().name);
    // V55 is about saturation: both directions of the wire are busy with the two large connections.
    let simulator = bed.simulator.borrow();
    let moved: u64 = simulator.wire().counters(simulator.nics()[0].end()).received_bytes;
    let share = moved as f64 / ((bed.cycle() - start) as f64 * f64::from(variant.preset().data / 8));
    assert!(share > 0.3, "{moved} bytes are {share:.2} of the wire");
}

/// All queue pairs of both devices write to each other at once, for so many cycles.
fn share(variant: Variant, cycles: u64) {
    const MESSAGE: u32 = 512;
    let bed = Bed::new(variant);
    let mut lines: Vec<Line> = (0..variant.preset().qps).map(|_| bed.line(PathMtu::Bytes1024)).collect();
    bed.run(5_000);
    for end in lines.iter_mut().flatten() {
        assert_eq!(end.poll().len(), 1, "registration");
    }
    let end = bed.cycle() + cycles;
    loop {
        let ends = bed.cycle() >= end;
        for line in &mut lines {
            for side in [0, 1] {
                line[side].done += line[side].poll().len() as u32;
                while !ends && line[side].posted - line[side].done < DEPTH {
                    let remote = line[1 - side].remote(u64::from(BYTES / 2));
                    let request = SendRequest::write(0, vec![line[side].sge(0, MESSAGE)], remote);
                    line[side].qp.post_send(request).unwrap();
                    line[side].posted += 1;
                }
                if !ends {
                    line[side].seen = line[side].done;
                }
            }
        }
        if ends && lines.iter().flatten().all(|end| end.done == end.posted) {
            break;
        }
        assert!(bed.cycle() < end + 400_000, "requests without an end");
        bed.run(100);
    }
    // Memory is given back below.
    bed.run(20_000);
    let done = || lines.iter().flatten().map(|end| end.seen);
    let (least, mean) = (done().min().unwrap(), done().sum::<u32>() / (2 * lines.len() as u32));
    println!("{}: {} queue pairs, {least} at least and {mean} on average", variant.preset().name, lines.len());
    assert!(least >= DEPTH && 2 * least >= mean, "one stands at {least}, the mean is {mean}");
}

#[test]
fn t20_t21_all_queue_pairs_of_a_small_device_have_their_share() {
    share(Variant::Small, 60_000);
}

#[test]
#[ignore = "long: 256 queue pairs are set up"]
fn t20_t21_all_queue_pairs_of_a_large_device_have_their_share() {
    share(Variant::Large, 150_000);
}

#[test]
fn v55_t108_t109_every_queue_pair_goes_on_while_both_directions_are_full() {
    saturate(Variant::Small, 150_000);
}

#[test]
#[ignore = "long: a million cycles on each preset"]
fn v55_t108_for_a_million_cycles_on_every_preset() {
    for &variant in Variant::ALL {
        saturate(variant, 1_000_000);
    }
}

/// A READ of 64 MiB with packets of 256 bytes, while two other queue pairs write in the direction of its requests, and two of
/// the peer in the direction of its data.
#[test]
#[ignore = "long: some twenty million cycles, eleven minutes"]
fn v49_a_very_long_read_leaves_the_others_their_share() {
    const ALL: usize = 64 << 20;
    const LARGE_PAGE: u64 = 2 << 20;
    let bed = Bed::new(Variant::Small);
    let mut lines: Vec<Line> =
        (0..3).map(|number| bed.line([PathMtu::Bytes256, PathMtu::Bytes1024][number.min(1)])).collect();
    // The peer's memory in pages of 2 MiB, which the allocation is not aligned to.
    let memories = [0, 1].map(|nic| bed.devices[nic].platform().memory.allocate(ALL + LARGE_PAGE as usize).unwrap());
    memories.iter().enumerate().for_each(|(nic, memory)| bed.lend(nic, memory));
    let first = memories[1].bus_address().next_multiple_of(LARGE_PAGE);
    let offset = (first - memories[1].bus_address()) as usize;
    let pattern: Vec<u8> = (0..ALL as u32).map(|at| (at.wrapping_mul(0x9E37_79B1) >> 24) as u8).collect();
    memories[1].write_bytes(offset, &pattern);
    let region = bed.devices[1].alloc_fast_reg_mr(&bed.pds[1], 32).unwrap();
    let mut list = bed.devices[1].alloc_page_list(32).unwrap();
    list.fill(&(0..32).map(|page| first + page * LARGE_PAGE).collect::<Vec<_>>()).unwrap();
    let request = RegMr::new(&region, Access::REMOTE_READ, VIRTUAL, ALL as u64, Pages::List(list)).page_shift(21);
    lines[0][1].qp.post_send(SendRequest::reg_mr(0, request)).unwrap();
    bed.run(5_000);
    lines.iter_mut().flatten().for_each(|end| end.done += end.poll().len() as u32 - 1);

    let [reader, _] = &lines[0];
    let sink = rnic_abi::wqe::Sge { address: memories[0].bus_address(), length: ALL as u32, lkey: reader.lkey };
    let remote = Remote { address: VIRTUAL, rkey: region.key() };
    let start = bed.cycle();
    reader.qp.post_send(SendRequest::read(7, vec![sink], remote)).unwrap();
    let mut look = start + WINDOW;
    let done = loop {
        bed.run(500);
        if let Some(completion) = lines[0][0].poll().pop() {
            break completion;
        }
        assert!(bed.cycle() < start + 60_000_000, "the READ does not end: {:?}", lines[0][0].qp.query());
        for line in &mut lines[1..] {
            let [a, b] = line;
            a.done += a.poll().len() as u32;
            b.done += b.poll().len() as u32;
            a.write_on(b);
            b.write_on(a);
        }
        if bed.cycle() >= look {
            look += WINDOW;
            let info = lines[0][0].qp.query().unwrap();
            let open = info.hpsn.wrapping_sub(info.una) & 0xFF_FFFF;
            assert!(open <= 1 << 22, "T18: {open} PSNs open");
            for end in lines[1..].iter_mut().flatten() {
                assert!(end.done > end.seen, "no progress beside the READ at cycle {}", bed.cycle());
                end.seen = end.done;
            }
        }
    };
    assert_eq!((done.wr_id, done.byte_len as usize), (7, ALL));
    let mut found = vec![0; ALL];
    memories[0].read_bytes(0, &mut found);
    assert!(found == pattern, "the bytes of the READ");
    println!(
        "{} cycles; others: {:?}",
        bed.cycle() - start,
        lines[1..].iter().flatten().map(|end| end.done).collect::<Vec<_>>()
    );
}
