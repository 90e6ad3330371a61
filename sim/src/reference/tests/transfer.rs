//! Data transfers between two devices: QP 0x11 of each is the other's peer, MTU 256, region A registered at 0x10000 on both.

use super::super::transfer::{Network, Progress};
use super::*;
use rnic_abi::wqe::{Data, Receive, Sge};
use rnic_abi::{cqe, event, limits};

/// Bus address of the only page of region A.
const PAGE: u64 = 0xA000;

struct Pair {
    network: Network,
    rings: [Words; 2],
}

impl Pair {
    fn new() -> Self {
        let mut benches = [Bench::new(), Bench::new()];
        for bench in &mut benches {
            bench.modify(QP1, State::Reset).unwrap();
            for mut command in bring_up(QP1) {
                command[4] = if command[1] == 2 { QP1 } else { 0 };
                bench.nic.admin(super::command::MODIFY_QP, &command).unwrap();
            }
            bench.succeed(Reg { access: 0x0F, ..Reg::default() }.slot());
        }
        let [first, second] = benches;
        let mut network = Network::new([first.nic, second.nic]);
        network.memories.iter_mut().for_each(|memory| memory.add_page(PAGE));
        Self { network, rings: [first.memory, second.memory] }
    }

    fn post(&mut self, side: usize, data: Data) {
        let qp = self.network.nics[side].queue_pair(QP1).unwrap();
        let count = qp.sends_retired.wrapping_add(qp.pending_sends() as u16);
        let blocks = data.blocks();
        let base = qp.sq_base;
        for (number, slot) in data.encode()[..blocks].iter().enumerate() {
            let address = base + 64 * ((u64::from(count) + number as u64) & 15);
            let words = slot.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
            self.rings[side].write(address, &words.collect::<Vec<_>>());
        }
        let value = u32::from(count) + blocks as u32;
        self.network.nics[side].ring_send(QP1 as usize & 7, value, &self.rings[side]).unwrap();
    }

    fn receive(&mut self, side: usize, length: u32) {
        let qp = self.network.nics[side].queue_pair(QP1).unwrap();
        let (posted, base) = (qp.receives_posted, qp.rq_base);
        let receive = Receive { sges: [sge(0x800, length), Sge::default(), Sge::default(), Sge::default()] };
        let words = receive
            .encode()
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
            .collect::<Vec<_>>();
        self.rings[side].write(base + 64 * u64::from(posted & 3), &words);
        self.network.nics[side].ring_receive(QP1 as usize & 7, u32::from(posted) + 1).unwrap();
    }

    fn step(&mut self, side: usize) -> Progress {
        self.network.execute(side, QP1, [&self.rings[0], &self.rings[1]])
    }

    /// Posts and executes a request: its status and syndrome, and those of a receive of the peer.
    fn run(&mut self, side: usize, data: Data) -> ((Status, u8), Option<Step>) {
        self.post(side, data);
        match self.step(side) {
            Progress::Ended(step, received) => ((step.status, step.syndrome), received),
            progress => panic!("{progress:?}"),
        }
    }

    fn bytes(&self, side: usize, offset: u64, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.network.memories[side].read(PAGE + offset, &mut bytes).unwrap();
        bytes
    }
}

fn sge(offset: u64, length: u32) -> Sge {
    Sge { address: 0x10000 + offset, length, lkey: 0x511 }
}

fn request(code: u8, sges: &[Sge]) -> Data {
    let mut data = Data { opcode: code, flags: wqe::FLAG_SIGNALLED, num_sge: sges.len() as u8, ..Data::default() };
    data.sges[..sges.len()].copy_from_slice(sges);
    data
}

fn remote(code: u8, sges: &[Sge], offset: u64) -> Data {
    Data { remote_address: 0x10000 + offset, rkey: 0x511, ..request(code, sges) }
}

const GOOD: (Status, u8) = (Status::Success, 0);

#[test]
fn a_write_arrives_and_a_read_brings_it_back() {
    let mut pair = Pair::new();
    let pattern: Vec<u8> = (0..700).map(|byte| byte as u8).collect();
    pair.network.memories[0].write(PAGE, &pattern);
    let pieces = [sge(0, 3), sge(3, 0), sge(3, 600), sge(603, 97)];
    assert_eq!(pair.run(0, remote(opcode::WRITE, &pieces, 0x101)).0, GOOD);
    assert_eq!(pair.bytes(1, 0x101, 700), pattern);
    assert_eq!(pair.run(0, remote(opcode::READ, &[sge(0x800, 700)], 0x101)).0, GOOD);
    assert_eq!(pair.bytes(0, 0x800, 700), pattern);
}

#[test]
fn t55_a_send_waits_for_a_receive_and_takes_one() {
    let mut pair = Pair::new();
    pair.network.memories[0].write(PAGE, b"hello");
    pair.post(0, Data { imm: 7, ..request(opcode::SEND_IMM, &[sge(0, 5)]) });
    assert_eq!(pair.step(0), Progress::NotReady);
    pair.receive(1, 100);
    let Progress::Ended(step, Some(received)) = pair.step(0) else { panic!("the receive is there") };
    assert_eq!(step.status, Status::Success);
    let entry = received.cqe.unwrap();
    assert_eq!((entry.byte_len, entry.imm, entry.flags), (5, 7, cqe::FLAG_IMM | cqe::FLAG_RECEIVE));
    assert_eq!(pair.bytes(1, 0x800, 5), b"hello");
}

#[test]
fn v25_a_message_that_is_too_long_ends_both_sides_in_front_of_its_packet() {
    let mut pair = Pair::new();
    pair.network.memories[0].write(PAGE, &[9; 600]);
    pair.receive(1, 300);
    let (status, received) = pair.run(0, request(opcode::SEND, &[sge(0, 600)]));
    assert_eq!(status, (Status::RemInvReq, Syndrome::Nak61.code()));
    let received = received.unwrap();
    assert_eq!((received.status, received.syndrome), (Status::LocLen, Syndrome::RecvTooSmall.code()));
    assert_eq!(pair.bytes(1, 0x800, 300), [vec![9; 256], vec![0; 44]].concat());
    for side in 0..2 {
        assert_eq!(pair.network.nics[side].queue_pair(QP1).unwrap().state, State::Err);
    }
    assert_eq!(pair.network.nics[1].take_events()[0].kind, event::QP_REQ_ERR);
}

#[test]
fn c12_a_send_takes_a_key_away_and_a_wrong_key_does_not() {
    let mut pair = Pair::new();
    pair.receive(1, 100);
    let take = |key| Data { imm: key, ..request(opcode::SEND_INV, &[]) };
    let (status, received) = pair.run(0, take(0x511));
    assert_eq!((status, received.unwrap().cqe.unwrap().imm), (GOOD, 0x511));
    assert_eq!(pair.network.nics[1].region(5).unwrap().state, RegionState::Free);
    pair.receive(1, 0);
    let (status, received) = pair.run(0, take(0x512));
    assert_eq!(status, (Status::RemAccess, Syndrome::Nak62.code()));
    let received = received.unwrap();
    assert_eq!((received.status, received.syndrome), (Status::RemInvReq, Syndrome::InvKey.code()));
}

#[test]
fn e13_t66_atomics_answer_the_value_before_and_want_eight_bytes_aligned() {
    let mut pair = Pair::new();
    pair.network.memories[1].write(PAGE, &5u64.to_le_bytes());
    let add = Data { swap_add: 3, ..remote(opcode::FETCH_ADD, &[sge(0x100, 8)], 0) };
    assert_eq!(pair.run(0, add).0, GOOD);
    assert_eq!((pair.bytes(0, 0x100, 8), pair.bytes(1, 0, 8)), (5u64.to_le_bytes().into(), 8u64.to_le_bytes().into()));
    let swap = Data { swap_add: 1, compare: 5, ..remote(opcode::CMP_SWAP, &[sge(0x108, 8)], 0) };
    assert_eq!(pair.run(0, swap).0, GOOD);
    assert_eq!((pair.bytes(0, 0x108, 8), pair.bytes(1, 0, 8)), (8u64.to_le_bytes().into(), 8u64.to_le_bytes().into()));
    let odd = remote(opcode::FETCH_ADD, &[sge(0x100, 8)], 4);
    assert_eq!(pair.run(0, odd).0, (Status::RemInvReq, Syndrome::Nak61.code()));
}

#[test]
fn e14_of_a_message_that_fails_at_its_sender_whole_packets_may_have_arrived() {
    let mut pair = Pair::new();
    pair.network.memories[0].write(PAGE, &[9; 600]);
    let bad = Sge { lkey: limits::LOCAL_DMA_LKEY, ..sge(300, 300) };
    let (status, _) = pair.run(0, remote(opcode::WRITE, &[sge(0, 300), bad], 0x400));
    assert_eq!(status, (Status::LocProt, Syndrome::AccKey.code()));
    assert_eq!(pair.network.nics[1].queue_pair(QP1).unwrap().state, State::Rts);
    let memory = &mut pair.network.memories[1];
    assert_eq!(memory.open_bytes().count(), 256);
    assert!(memory.decide(PAGE + 0x400, 9) && !memory.decide(PAGE + 0x401, 8));
}

#[test]
fn a_wrong_remote_key_ends_both_sides_and_changes_nothing() {
    let mut pair = Pair::new();
    pair.network.memories[0].write(PAGE, &[9; 8]);
    let write = Data { rkey: 0x512, ..remote(opcode::WRITE, &[sge(0, 8)], 0) };
    assert_eq!(pair.run(0, write).0, (Status::RemAccess, Syndrome::Nak62.code()));
    assert_eq!(pair.bytes(1, 0, 8), [0; 8]);
    assert_eq!(pair.network.nics[1].take_events()[0].kind, event::QP_ACCESS_ERR);
}
