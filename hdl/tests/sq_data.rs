//! The send queues with data work requests: a peer in software acknowledges what reaches it, by rule.
use rnic_abi::wqe::{Data, Sge};
use rnic_abi::{opcode, qp, status, syndrome};
use rnic_hdl::check::RandomDrive;
use rnic_hdl::rx::AckState;
use rnic_hdl::sq::LostFrame;
use std::collections::VecDeque;

#[path = "sq/bench.rs"]
#[allow(dead_code)]
mod bench;
use bench::{Bench, Tiny, World, FAST, SLOW};

const OK: u64 = status::SUCCESS as u64;
const FLUSH: u64 = status::WR_FLUSH as u64;
const FIRST: u64 = 500;

fn wr(opcode: u8, length: u32) -> Data {
    let mut wr = Data { opcode, num_sge: 1, flags: 1, ..Data::default() };
    wr.sges[0] = Sge { address: 0x7000_0000, length, lkey: 0x2A01 };
    wr
}

/// A peer and the engine of acknowledgements, as far as the send queue sees them.
struct Peer {
    ack: Vec<AckState>,
    expected: Vec<u64>,
    stored: Vec<u64>,
    nak: Vec<bool>,
    /// Messages that have arrived, by cycle: queue pair, PSN behind, READ.
    coming: VecDeque<(usize, usize, u64, u64, bool)>,
    seen: usize,
    quiet: Vec<usize>,
    loss: u32,
    random: RandomDrive,
    /// PSNs taken in order, with opcodes.
    taken: Vec<Vec<u64>>,
}

impl Peer {
    fn new(qps: usize, loss: u32) -> Self {
        let una = AckState { una: FIRST.into(), ..Default::default() };
        Self {
            ack: vec![una; qps],
            expected: vec![FIRST; qps],
            stored: vec![0; qps],
            nak: vec![false; qps],
            coming: VecDeque::new(),
            seen: 0,
            quiet: vec![0; qps],
            loss,
            random: RandomDrive::new(77),
            taken: vec![vec![]; qps],
        }
    }

    /// One cycle: new frames set out, and those whose time has come arrive.
    fn step<
        const D: usize,
        const Q: usize,
        const N: usize,
        const P: usize,
        const B: usize,
        const O: usize,
        const R: usize,
    >(
        &mut self,
        bench: &mut Bench<D, Q, N, P, B, O, R>,
    ) {
        bench.run(1);
        while self.seen < bench.frames.len() {
            let (cycle, frame, _) = bench.frames[self.seen];
            self.seen += 1;
            let read = frame.opcode.to_u64() == 0x0C;
            let packets = if read { frame.length.to_u64().div_ceil(1024).max(1) } else { 1 };
            if !self.random.chance(self.loss, 100) {
                let qp = frame.qp.to_u64() as usize;
                self.coming.push_back((cycle + 60, qp, frame.psn.to_u64(), packets, read));
            }
        }
        for qp in 0..self.ack.len() {
            self.quiet[qp] += 1;
            // The timer.
            if self.quiet[qp] > 1500 && self.ack[qp].una.to_u64() != bench.hpsn[qp] && bench.hpsn[qp] != 0 {
                self.restart(bench, qp);
            }
        }
        while self.coming.front().is_some_and(|frame| frame.0 <= bench.cycle) {
            let (_, qp, psn, packets, read) = self.coming.pop_front().unwrap();
            self.arrive(bench, qp, psn, packets, read);
        }
    }

    fn restart<
        const D: usize,
        const Q: usize,
        const N: usize,
        const P: usize,
        const B: usize,
        const O: usize,
        const R: usize,
    >(
        &mut self,
        bench: &mut Bench<D, Q, N, P, B, O, R>,
        qp: usize,
    ) {
        self.quiet[qp] = 0;
        self.ack[qp].epoch = ((self.ack[qp].epoch.to_u64() + 1) % 16).into();
        bench.acks.push_back((qp as u64, self.ack[qp]));
    }

    fn arrive<
        const D: usize,
        const Q: usize,
        const N: usize,
        const P: usize,
        const B: usize,
        const O: usize,
        const R: usize,
    >(
        &mut self,
        bench: &mut Bench<D, Q, N, P, B, O, R>,
        qp: usize,
        psn: u64,
        packets: u64,
        read: bool,
    ) {
        if psn > self.expected[qp] {
            if !self.nak[qp] {
                self.nak[qp] = true;
                self.restart(bench, qp);
            }
            return;
        }
        if psn < self.expected[qp] {
            return;
        }
        self.nak[qp] = false;
        self.quiet[qp] = 0;
        self.expected[qp] = psn + packets;
        self.taken[qp].push(psn);
        self.ack[qp].una = self.expected[qp].into();
        if read {
            self.stored[qp] += 1;
            self.ack[qp].rd_head = (self.stored[qp] % 32).into();
            bench.stored.push_back((qp as u64, self.stored[qp]));
        }
        bench.acks.push_back((qp as u64, self.ack[qp]));
    }
}

/// Puts a WR at `count` and returns the count behind it.
fn put(bench: &mut Tiny, qp: u64, count: u64, wr: &Data) -> u64 {
    let [first, second] = wr.encode();
    let address = bench.address(qp, count);
    bench.memory.insert(address, first);
    if wr.blocks() == 2 {
        let address = bench.address(qp, count + 1);
        bench.memory.insert(address, second);
    }
    count + wr.blocks() as u64
}

fn run(bench: &mut Tiny, peer: &mut Peer, limit: usize, done: impl Fn(&Tiny) -> bool) {
    for _ in 0..limit {
        if done(bench) {
            return;
        }
        peer.step(bench);
    }
    let hpsn = &bench.hpsn;
    panic!("stuck at cycle {}: {:?}, hpsn {hpsn:?}, una {:?}", bench.cycle, bench.completions(), peer.expected);
}

fn start(world: World, loss: u32, qps: u64) -> (Tiny, Peer) {
    let mut bench = Tiny::new(world, 4);
    for qp in 0..qps {
        bench.connect(qp, FIRST);
    }
    (bench, Peer::new(qps as usize, loss))
}

#[test]
fn d1_d2_v27_registrations_and_data_complete_in_posting_order() {
    let (mut b, mut peer) = start(FAST, 0, 2);
    b.put(1, 0, [opcode::REG_MR, 1, 1]);
    let mut at = put(&mut b, 1, 1, &wr(opcode::SEND, 3000));
    b.put(1, at, [opcode::REG_MR, 1, 1]);
    let mut long = wr(opcode::WRITE, 100);
    long.num_sge = 3;
    (1..3).for_each(|n| long.sges[n] = long.sges[0]);
    at = put(&mut b, 1, at + 1, &long);
    at = put(&mut b, 1, at, &wr(opcode::READ, 2048));
    b.put(1, at, [opcode::LOCAL_INV, 1, 1]);
    b.ring(1, at + 1);
    run(&mut b, &mut peer, 4000, |b| b.cqes.len() == 6);
    assert_eq!(b.completions(), [0, 1, 2, 3, 5, 6].map(|slot| (1, slot, OK)));
    let lengths: Vec<_> = b.cqes.iter().map(|cqe| cqe.byte_len.to_u64()).collect();
    assert_eq!(lengths, [0, 0, 0, 0, 2048, 0], "T70");
    let sent: Vec<_> = b.frames.iter().map(|(_, f, _)| (f.opcode.to_u64(), f.psn.to_u64())).collect();
    assert_eq!(sent, [(0, 500), (1, 501), (2, 502), (0x0A, 503), (0x0C, 504)]);
    assert_eq!(b.frames[3].2.length2.to_u64(), 100);
    // C8: the invalidation came last, behind the data of the READ.
    let last = b.items.last().unwrap();
    assert!(last.0 > b.frames[4].0 + 60);
    assert_eq!(b.status(1), (7, 7, 7));
}

#[test]
fn t42_t45_t46_over_a_lossy_wire_everything_arrives_once_and_completes_in_order() {
    for (seed, world, loss) in [(1, FAST, 4), (2, SLOW, 2)] {
        let (mut b, mut peer) = start(world, loss, 3);
        let mut random = RandomDrive::new(seed);
        let mut posted = [0u64; 3];
        let mut expected: Vec<Vec<u64>> = vec![vec![]; 3];
        let mut wqes = 0;
        while wqes < 60 {
            let qp = random.below(3) as usize;
            let retired = b.completions().iter().filter(|cqe| cqe.0 == qp as u64).count() as u64;
            // Two slots at most for each WQE that has not completed.
            if expected[qp].len() as u64 - retired < 7 {
                wqes += 1;
                let at = posted[qp];
                expected[qp].push(at % 16);
                let length = [10, 1024, 1500, 4000][random.below(4) as usize];
                match random.below(6) {
                    0 => {
                        b.put(qp as u64, at, [opcode::REG_MR, 1, 1]);
                        posted[qp] += 1;
                    }
                    1 => {
                        b.put(qp as u64, at, [opcode::LOCAL_INV, 1, 1]);
                        posted[qp] += 1;
                    }
                    2 => posted[qp] = put(&mut b, qp as u64, at, &wr(opcode::READ, length)),
                    3 => {
                        let mut long = Data { num_sge: 4, flags: 3, ..wr(opcode::WRITE, length) };
                        (1..4).for_each(|n| long.sges[n] = long.sges[0]);
                        posted[qp] = put(&mut b, qp as u64, at, &long);
                    }
                    _ => posted[qp] = put(&mut b, qp as u64, at, &wr(opcode::SEND, length)),
                }
                b.ring(qp as u64, posted[qp]);
            }
            for _ in 0..random.below(80) {
                peer.step(&mut b);
            }
        }
        run(&mut b, &mut peer, 60_000, |b| b.cqes.len() == 60);
        for qp in 0..3u64 {
            let mine: Vec<_> = b.completions().into_iter().filter(|cqe| cqe.0 == qp).collect();
            assert!(mine.iter().all(|cqe| cqe.2 == OK));
            assert_eq!(mine.iter().map(|cqe| cqe.1).collect::<Vec<_>>(), expected[qp as usize]);
            let count = posted[qp as usize];
            assert_eq!(b.status(qp), (count, count, count));
            assert_eq!(peer.expected[qp as usize], b.hpsn[qp as usize]);
        }
        assert!(b.drops.is_empty() && b.failed.is_empty());
        println!("{} frames for {} taken", b.frames.len(), peer.taken.iter().map(Vec::len).sum::<usize>());
    }
}

#[test]
fn t71_d11_a_refused_wqe_reports_and_the_rest_is_flushed_in_order() {
    let (mut b, mut peer) = start(SLOW, 0, 2);
    let mut at = 0;
    for _ in 0..3 {
        at = put(&mut b, 1, at, &wr(opcode::SEND, 100));
    }
    let mut long = Data { num_sge: 3, ..wr(opcode::WRITE, 100) };
    (1..3).for_each(|n| long.sges[n] = long.sges[0]);
    at = put(&mut b, 1, at, &long);
    b.put(1, at, [opcode::REG_MR, 1, 1]);
    b.ring(1, at + 1);
    for _ in 0..4000 {
        if b.frames.len() == 4 {
            break;
        }
        b.run(1);
    }
    assert_eq!(b.frames.len(), 4);
    peer.ack[1].una = 501.into();
    (peer.ack[1].fail, peer.ack[1].fail_psn) = (true, 501.into());
    (peer.ack[1].status, peer.ack[1].syndrome) =
        (u64::from(status::REM_ACCESS).into(), u64::from(syndrome::NAK_62).into());
    b.acks.push_back((1, peer.ack[1]));
    for _ in 0..4000 {
        if b.cqes.len() == 5 {
            break;
        }
        b.run(1);
    }
    let refused = u64::from(status::REM_ACCESS);
    assert_eq!(b.completions(), [(1, 0, OK), (1, 1, refused), (1, 2, FLUSH), (1, 3, FLUSH), (1, 5, FLUSH)]);
    assert_eq!((b.failed.clone(), b.syndromes.clone()), (vec![1], vec![u64::from(syndrome::NAK_62)]));
    // Posts behind it are flushed as well (D15), two blocks as one.
    at = put(&mut b, 1, at + 1, &long);
    at = put(&mut b, 1, at, &wr(opcode::SEND, 100));
    b.ring(1, at);
    for _ in 0..4000 {
        if b.cqes.len() == 7 {
            break;
        }
        b.run(1);
    }
    assert_eq!(b.completions()[5..], [(1, 6, FLUSH), (1, 8, FLUSH)]);
    assert_eq!(b.status(1), (9, 9, 9));
}

#[test]
fn t50_v42_a_wqe_with_a_bad_key_fails_in_its_turn() {
    let (mut b, mut peer) = start(FAST, 0, 1);
    let mut at = 0;
    for _ in 0..3 {
        at = put(&mut b, 0, at, &wr(opcode::SEND, 100));
    }
    b.ring(0, at);
    for _ in 0..2000 {
        if b.frames.len() == 3 {
            break;
        }
        b.run(1);
    }
    b.lost.push_back(LostFrame { qp: 0.into(), psn: 501.into(), syndrome: 0x30.into() });
    b.run(200);
    assert!(b.cqes.is_empty(), "D9a");
    // The first frame was lost on the wire: it is sent again, and nothing of what failed.
    peer.ack[0].epoch = 1.into();
    b.acks.push_back((0, peer.ack[0]));
    b.run(400);
    assert_eq!(b.frames[3..].iter().map(|f| f.1.psn.to_u64()).collect::<Vec<_>>(), [500]);
    peer.ack[0].una = 501.into();
    b.acks.push_back((0, peer.ack[0]));
    b.run(600);
    assert_eq!(b.completions(), [(0, 0, OK), (0, 1, u64::from(status::LOC_PROT)), (0, 2, FLUSH)]);
}

#[test]
fn t6_v44_a_reset_with_data_in_flight_ends_and_a_new_life_begins() {
    let (mut b, _) = start(SLOW, 0, 1);
    b.building = 300;
    let mut at = put(&mut b, 0, 0, &wr(opcode::WRITE, 20_000));
    for _ in 0..3 {
        at = put(&mut b, 0, at, &wr(opcode::SEND, 100));
    }
    b.ring(0, at);
    for _ in 0..4000 {
        if b.frames.len() == 5 {
            break;
        }
        b.run(1);
    }
    b.discarding.insert(0);
    b.set_state(0, qp::RESET);
    let mut rests = 0;
    for cycle in 0..6000 {
        let (_, fetched, retired) = b.status(0);
        rests = cycle;
        if fetched == retired && b.uut.status_settled.val() {
            break;
        }
    }
    assert!(rests > 30 && rests < 5999, "{rests}: the frames in flight were waited for");
    let frames = b.frames.len();
    b.clear(0);
    b.run(400);
    assert_eq!((b.frames.len(), b.status(0)), (frames, (0, 0, 0)));
    assert!(b.cqes.is_empty());
    b.connect(0, FIRST);
    b.set_state(0, qp::RTS);
    b.building = 20;
    let mut peer = Peer::new(1, 0);
    peer.seen = b.frames.len();
    at = put(&mut b, 0, 0, &wr(opcode::SEND, 100));
    b.ring(0, at);
    run(&mut b, &mut peer, 4000, |b| b.cqes.len() == 1);
    assert_eq!(b.completions(), [(0, 0, OK)]);
    assert_eq!(b.frames.last().unwrap().1.psn.to_u64(), FIRST);
}

#[test]
fn t110_64_byte_messages_of_four_queue_pairs_take_at_most_8_cycles() {
    let world = World { latency: 60, beat_gap: 0, pipeline: 0, ready: 8 };
    let mut b = Bench::<512, 3, 8, 8, 6, 5, 8>::new(world, 6);
    let mut peer = Peer::new(4, 0);
    let block = Data { flags: 0, ..wr(opcode::WRITE, 64) }.encode()[0];
    for qp in 0..4 {
        b.connect(qp, FIRST);
    }
    for qp in 0..4 {
        for slot in 0..48 {
            let address = b.address(qp, slot);
            b.memory.insert(address, block);
        }
        b.ring(qp, 48);
    }
    for _ in 0..6000 {
        if b.frames.len() == 192 {
            break;
        }
        peer.step(&mut b);
    }
    assert_eq!(b.frames.len(), 192, "{:?}", b.hpsn);
    let pace = (b.frames[150].0 - b.frames[30].0) as f64 / 120.0;
    println!("{pace:.2} cycles a message");
    assert!(pace <= 8.05, "{pace}");
}
