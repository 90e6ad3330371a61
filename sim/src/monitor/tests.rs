//! The monitor alone, on traffic made by hand: right traffic passes, and each wrong one is named.
use super::*;
use crate::host::{Permission, Region, DECERR, PAGE, SLVERR};
use rnic_abi::admin::{create_cq, create_qp, destroy_cq, destroy_qp, modify_qp, Command, COMMAND_WORDS};
use rnic_abi::cqe::{self, Cqe};
use rnic_abi::wqe::{LocalInv, PageList, RegMr};
use rnic_abi::{event, opcode, preset, qp, status};
use std::rc::Rc;

const CQN: u32 = 3;
const QPN: u32 = 0x12;
const QP: u32 = 2;

struct Bench {
    monitor: Monitor,
    log: Log,
    memory: HostMemory,
    inputs: Inputs,
    outputs: Outputs,
    cycle: u64,
    cq: u64,
    sq: u64,
    rq: u64,
    token: u32,
}

impl Bench {
    /// A CQ of 4 entries and a queue pair with rings of 4 slots.
    fn new() -> Self {
        let memory = HostMemory::new(1);
        let page = || memory.map(&Rc::new(Region::new(PAGE)), 0..PAGE, PAGE, Permission::ALL).unwrap();
        let (cq, sq, rq) = (page(), page(), page());
        let monitor = Monitor::new(&preset::SMALL, memory.clone());
        let inputs =
            Inputs { m_arready: 1, m_awready: 1, m_wready: 1, irq_ready: 1, bready: 1, rready: 1, ..Inputs::default() };
        let [ar, aw] = [(3, 1, 3, 2), (3, 1, 3, 2)];
        let outputs = Outputs {
            rready: 1,
            bready: 1,
            arsize: ar.0,
            arburst: ar.1,
            arcache: ar.2,
            arprot: ar.3,
            awsize: aw.0,
            awburst: aw.1,
            awcache: aw.2,
            awprot: aw.3,
            ..Outputs::default()
        };
        let mut bench = Self { monitor, log: Log::new(50), memory, inputs, outputs, cycle: 0, cq, sq, rq, token: 0 };
        bench.create_cq(CQN, cq);
        bench.admin(Command::CreateQp, true, |words| {
            create_qp::QPN.put(words, QPN.into());
            create_qp::SEND_CQN.put(words, CQN.into());
            create_qp::RECEIVE_CQN.put(words, CQN.into());
            create_qp::SQ_LOG2.put(words, 2);
            create_qp::RQ_LOG2.put(words, 2);
            create_qp::SQ_BASE.put(words, sq);
            create_qp::RQ_BASE.put(words, rq);
        });
        bench.fine();
        bench
    }

    fn create_cq(&mut self, cqn: u32, base: u64) {
        self.admin(Command::CreateCq, true, |words| {
            create_cq::CQN.put(words, cqn.into());
            create_cq::LOG2.put(words, 2);
            create_cq::BASE.put(words, base);
        });
    }

    fn edge(&mut self) {
        self.monitor.observe(self.cycle, &self.inputs, &self.outputs, &mut self.log);
        self.cycle += 1;
    }

    fn rule(&self) -> &'static str {
        self.monitor.violation().map_or("none", |violation| violation.rule)
    }

    /// The rule that is broken now, after nothing was before.
    fn breaks(&mut self, act: impl FnOnce(&mut Self)) -> &'static str {
        self.fine();
        act(self);
        self.rule()
    }

    fn fine(&self) {
        assert_eq!(self.monitor.violation(), None);
    }

    fn bar_write(&mut self, offset: u32, value: u32, response: u8) {
        let request = BarRequest::Write { offset: offset as u16, value, strobes: 15 };
        self.monitor.bar_begins(self.cycle, request);
        self.monitor.bar_ends(self.cycle, request, BarAnswer { value: 0, response, cycles: 3 }, &mut self.log);
    }

    fn bar_read(&mut self, offset: u32, value: u32) {
        let request = BarRequest::Read { offset: offset as u16 };
        self.monitor.bar_begins(self.cycle, request);
        self.monitor.bar_ends(self.cycle, request, BarAnswer { value, response: OKAY, cycles: 3 }, &mut self.log);
    }

    fn admin(&mut self, command: Command, success: bool, fill: impl FnOnce(&mut [u32])) {
        let mut words = [0; COMMAND_WORDS];
        fill(&mut words);
        for (index, word) in (0..).zip(words) {
            self.bar_write(reg::admin_command(index), word, OKAY);
        }
        self.token += 1;
        self.bar_write(reg::GO, reg::GO_OPCODE.put(command.code().into()) | reg::GO_TOKEN.put(self.token), OKAY);
        let errno = reg::ADMIN_STATUS_ERRNO.put(if success { 0 } else { 22 });
        self.bar_read(
            reg::ADMIN_STATUS,
            reg::ADMIN_STATUS_DONE.put(1) | errno | reg::ADMIN_STATUS_TOKEN.put(self.token),
        );
    }

    fn post(&mut self, slots: &[wqe::Slot], from: u64) {
        for (count, slot) in (from..).zip(slots) {
            assert!(self.memory.write(self.sq + count % 4 * 64, slot));
        }
        self.bar_write(reg::sq_doorbell(QP), (from + slots.len() as u64) as u32, OKAY);
    }

    fn ask(&mut self, id: u8, address: u64, beats: u8) {
        (self.outputs.arvalid, self.outputs.arid) = (1, id);
        (self.outputs.araddr, self.outputs.arlen) = (address, beats - 1);
        self.edge();
        self.outputs.arvalid = 0;
    }

    /// The data of a read, as memory holds it.
    fn deliver(&mut self, id: u8, address: u64, beats: u8, response: u8) {
        for beat in 0..beats {
            let mut bytes = [0; 8];
            self.memory.read(address + u64::from(beat) * 8, &mut bytes);
            self.inputs.m_rdata[0] = u64::from_le_bytes(bytes);
            (self.inputs.m_rvalid, self.inputs.m_rid, self.inputs.m_rresp) = (1, id, response);
            self.inputs.m_rlast = u8::from(beat + 1 == beats);
            self.edge();
        }
        self.inputs.m_rvalid = 0;
    }

    fn fetch(&mut self, from: u64, slots: u8) {
        let address = self.sq + from % 4 * 64;
        self.ask(0, address, 8 * slots);
        self.deliver(0, address, 8 * slots, OKAY);
    }

    /// Address and data of a write, all strobes set.
    fn offer(&mut self, id: u8, address: u64, bytes: &[u8]) {
        let beats = bytes.len() / 8;
        (self.outputs.awvalid, self.outputs.awid) = (1, id);
        (self.outputs.awaddr, self.outputs.awlen) = (address, beats as u8 - 1);
        for (index, word) in bytes.chunks_exact(8).enumerate() {
            self.outputs.wdata[0] = u64::from_le_bytes(word.try_into().unwrap());
            (self.outputs.wvalid, self.outputs.wstrb) = (1, 0xFF);
            self.outputs.wlast = u8::from(index + 1 == beats);
            self.edge();
            self.outputs.awvalid = 0;
        }
        self.outputs.wvalid = 0;
    }

    fn answer(&mut self, id: u8, address: u64, bytes: &[u8]) {
        assert!(self.memory.write(address, bytes));
        self.monitor.write_done(self.cycle, &WriteDone { id, address, response: OKAY }, &mut self.log);
        (self.inputs.m_bvalid, self.inputs.m_bid) = (1, id);
        self.edge();
        self.inputs.m_bvalid = 0;
    }

    fn cqe(&mut self, count: u64, entry: Cqe) {
        let (address, bytes) = (self.cq + count % 4 * 32, Cqe { phase: count / 4 % 2 == 0, ..entry }.encode());
        self.offer(0, address, &bytes);
        if self.monitor.violation().is_none() {
            self.answer(0, address, &bytes);
        }
    }
}

fn done(slot: u16) -> Cqe {
    Cqe { qpn: QPN, opcode: opcode::LOCAL_INV, slot, ..Cqe::default() }
}

fn inv() -> wqe::Slot {
    LocalInv { flags: wqe::FLAG_SIGNALLED, key: 0x100 }.encode()
}

fn reg_mr(list: u64, npages: u16) -> wqe::Slot {
    let pages = PageList::Pointer(list);
    let length = u64::from(npages) << 12;
    RegMr { flags: 1, access: 1, key: 0x100, page_shift: 12, npages, fbo: 0, iova: 0, length, pages }.encode()
}

#[test]
fn right_traffic_passes() {
    let mut bench = Bench::new();
    let list = bench.memory.map(&Rc::new(Region::new(PAGE)), 0..PAGE, PAGE, Permission::ALL).unwrap();
    for round in 0..5 {
        bench.post(&[reg_mr(list, 8), inv()], 2 * round);
        bench.fetch(2 * round, 2);
        bench.ask(2, list, 8);
        bench.deliver(2, list, 8, OKAY);
        bench.cqe(2 * round, Cqe { opcode: opcode::REG_MR, ..done((2 * round % 4) as u16) });
        bench.cqe(2 * round + 1, done((2 * round % 4 + 1) as u16));
        bench.bar_write(reg::cq_doorbell(CQN), 2 * round as u32 + 2, OKAY);
        bench.fine();
    }
    bench.monitor.end(bench.cycle);
    bench.fine();
    assert!(bench.log.tail(50).contains("WQE   QP 2 slot 1: LOCAL_INV"), "{}", bench.log.tail(50));
}

#[test]
fn i7_what_is_offered_stays() {
    let withdrawn = |bench: &mut Bench| {
        bench.inputs.m_arready = 0;
        bench.ask(0, bench.sq, 8);
        bench.edge();
    };
    assert_eq!(Bench::new().breaks(withdrawn), "I7");
    let changed = |bench: &mut Bench| {
        bench.inputs.m_wready = 0;
        bench.offer(0, bench.cq, &[0; 16]);
    };
    assert_eq!(Bench::new().breaks(changed), "I7");
    let interrupt = |bench: &mut Bench| {
        bench.inputs.irq_ready = 0;
        bench.outputs.irq_valid = 1;
        bench.edge();
        bench.outputs.irq_vector = 1;
        bench.edge();
    };
    assert_eq!(Bench::new().breaks(interrupt), "I7");
}

#[test]
fn i7_bursts_have_the_one_shape() {
    let wrong: [fn(&mut Bench); 5] = [
        |bench| bench.ask(0, bench.sq + PAGE - 64, 9),
        |bench| bench.ask(6, bench.sq, 8),
        |bench| bench.ask(0, 1 << 52, 8),
        |bench| {
            bench.outputs.arsize = 2;
            bench.ask(0, bench.sq, 8);
        },
        |bench| {
            bench.outputs.awprot = 0;
            bench.offer(0, bench.cq, &[0; 32]);
        },
    ];
    for (index, wrong) in wrong.into_iter().enumerate() {
        let mut bench = Bench::new();
        bench.bar_write(reg::sq_doorbell(QP), 4, OKAY);
        assert_eq!(bench.breaks(wrong), "I7", "{index}");
    }
}

#[test]
fn i7_the_data_of_a_write_fits_its_address() {
    let beat = |bench: &mut Bench, strobes: u64, last: u8| {
        (bench.outputs.wvalid, bench.outputs.wstrb, bench.outputs.wlast) = (1, strobes, last);
        bench.edge();
        (bench.outputs.awvalid, bench.outputs.wvalid) = (0, 0);
    };
    for (strobes, offset, broken) in [
        (vec![0xFF; 4], 0, false),
        (vec![0xF0, 0xFF, 0xFF, 0x0F], 4, false),
        (vec![0xF0, 0xFF, 0xFF, 0x0F], 0, true),
        (vec![0xFF; 3], 0, true),
        (vec![0xFF; 5], 0, true),
        (vec![0xFF, 0xFE, 0xFF, 0xFF], 0, true),
        (vec![0xFF, 0x0F, 0xFF, 0xFF], 0, true),
        (vec![0xFF, 0x00, 0xFF, 0xFF], 0, true),
        (vec![0xBF, 0xFF, 0xFF, 0xFF], 0, true),
    ] {
        let mut bench = Bench::new();
        bench.monitor.lend(bench.rq..bench.rq + PAGE, Role::Payload);
        (bench.outputs.awvalid, bench.outputs.awid) = (1, 2);
        (bench.outputs.awaddr, bench.outputs.awlen) = (bench.rq + offset, 3);
        let last = strobes.len() - 1;
        strobes.iter().enumerate().for_each(|(index, strobe)| beat(&mut bench, *strobe, u8::from(index == last)));
        assert_eq!(bench.rule(), if broken { "I7" } else { "none" }, "{strobes:x?} at {offset}");
    }
}

#[test]
fn ba4_a_bar_access_is_answered_within_64_cycles() {
    let mut bench = Bench::new();
    bench.inputs.arvalid = 1;
    (0..64).for_each(|_| bench.edge());
    assert_eq!(bench.breaks(Bench::edge), "BA4");
    let mut bench = Bench::new();
    (bench.inputs.awvalid, bench.inputs.wvalid) = (1, 1);
    (bench.outputs.s_awready, bench.outputs.s_wready) = (1, 1);
    bench.edge();
    (bench.inputs.awvalid, bench.inputs.wvalid) = (0, 0);
    (0..60).for_each(|_| bench.edge());
    bench.outputs.s_bvalid = 1;
    bench.edge();
    bench.fine();
    assert_eq!(bench.breaks(Bench::edge), "I7", "one answer is enough");
}

#[test]
fn i7_no_response_is_lost() {
    let mut bench = Bench::new();
    bench.post(&[inv()], 0);
    bench.ask(0, bench.sq, 8);
    assert_eq!(bench.breaks(|bench| bench.monitor.end(0)), "I7");
    let mut bench = Bench::new();
    bench.offer(0, bench.cq, &Cqe { phase: true, ..done(0) }.encode());
    assert_eq!(bench.breaks(|bench| bench.monitor.end(0)), "I7");
}

#[test]
fn i1_nothing_is_touched_that_is_not_lent_for_it() {
    let wrong: [fn(&mut Bench); 7] = [
        |bench| bench.ask(0, bench.rq, 8),
        |bench| bench.ask(0, bench.sq + 256, 8),
        |bench| bench.ask(1, bench.sq, 8),
        |bench| bench.ask(2, bench.sq, 8),
        |bench| bench.ask(8, bench.sq, 8),
        |bench| bench.offer(0, bench.sq, &[0; 32]),
        |bench| bench.offer(1, bench.cq, &[0; 16]),
    ];
    for (index, wrong) in wrong.into_iter().enumerate() {
        let mut bench = Bench::new();
        bench.bar_write(reg::sq_doorbell(QP), 4, OKAY);
        assert_eq!(bench.breaks(wrong), "I1", "{index}");
    }
}

#[test]
fn i11_a_list_is_read_only_between_its_fetch_and_its_completion() {
    let list_page =
        |bench: &Bench| bench.memory.map(&Rc::new(Region::new(PAGE)), 0..PAGE, PAGE, Permission::ALL).unwrap();
    let mut bench = Bench::new();
    let list = list_page(&bench);
    bench.post(&[reg_mr(list, 8), inv()], 0);
    assert_eq!(bench.breaks(|bench| bench.ask(2, list, 8)), "I1", "not fetched yet");

    let mut bench = Bench::new();
    let list = list_page(&bench);
    bench.post(&[reg_mr(list, 8), inv()], 0);
    bench.fetch(0, 2);
    assert_eq!(bench.breaks(|bench| bench.ask(2, list, 9)), "I1", "too long");

    let mut bench = Bench::new();
    let list = list_page(&bench);
    bench.post(&[reg_mr(list, 8), inv()], 0);
    bench.fetch(0, 2);
    bench.ask(2, list, 8);
    assert_eq!(bench.breaks(|bench| bench.cqe(0, done(0))), "I11", "its read is still on the way");

    let mut bench = Bench::new();
    let list = list_page(&bench);
    bench.post(&[reg_mr(list, 8), inv()], 0);
    bench.fetch(0, 2);
    bench.cqe(0, done(0));
    assert_eq!(bench.breaks(|bench| bench.ask(2, list, 8)), "I1", "completed");
}

#[test]
fn i2_pages_are_out_of_reach_after_the_invalidation() {
    let mut bench = Bench::new();
    let page = 0x5000_0000;
    let mut slot = reg_mr(0, 1);
    slot[1] |= wqe::FLAG_INLINE;
    slot[0x20..0x28].copy_from_slice(&u64::to_le_bytes(page));
    bench.post(&[slot, inv()], 0);
    bench.fetch(0, 2);
    bench.ask(8, page, 4);
    bench.cqe(0, Cqe { opcode: opcode::REG_MR, ..done(0) });
    bench.ask(8, page + 64, 4);
    bench.fine();
    bench.cqe(1, done(1));
    assert_eq!(bench.breaks(|bench| bench.ask(8, page, 4)), "I1");
}

#[test]
fn i6_completions_are_whole_in_order_and_once() {
    let wrong: [(&str, fn(&mut Bench)); 8] = [
        ("I6", |bench| bench.cqe(1, done(0))),
        ("I6", |bench| bench.offer(0, bench.cq, &[0; 24])),
        ("I6", |bench| bench.cqe(0, Cqe { qpn: 0x22, ..done(0) })),
        ("I6", |bench| bench.cqe(0, done(1))),
        ("I6", |bench| {
            bench.cqe(0, done(0));
            bench.cqe(1, done(0));
        }),
        ("I6", |bench| bench.cqe(0, Cqe { flags: cqe::FLAG_RECEIVE, ..done(0) })),
        ("I6", |bench| {
            let bytes = done(0).encode();
            bench.offer(0, bench.cq, &bytes);
            bench.answer(0, bench.cq, &bytes);
        }),
        ("D17", |bench| {
            (0..2).for_each(|n| bench.cqe(n, done(n as u16)));
            bench.post(&[inv(), inv()], 4);
            bench.fetch(2, 2);
            bench.fetch(4, 2);
            (2..5).for_each(|n| bench.cqe(n, done((n % 4) as u16)));
        }),
    ];
    for (index, (rule, wrong)) in wrong.into_iter().enumerate() {
        let mut bench = Bench::new();
        bench.post(&[inv(), inv(), inv(), inv()], 0);
        bench.fetch(0, 2);
        assert_eq!(bench.breaks(wrong), rule, "{index}");
    }
}

#[test]
fn i6_a_receive_is_completed_in_its_turn() {
    let flush = |slot| Cqe { opcode: opcode::RECV, status: status::WR_FLUSH, flags: cqe::FLAG_RECEIVE, ..done(slot) };
    let mut bench = Bench::new();
    bench.bar_write(reg::rq_doorbell(QP), 2, OKAY);
    bench.cqe(0, flush(0));
    bench.cqe(1, flush(1));
    assert_eq!(bench.breaks(|bench| bench.cqe(2, flush(2))), "I6", "not posted");
    let mut bench = Bench::new();
    bench.bar_write(reg::rq_doorbell(QP), 2, OKAY);
    assert_eq!(bench.breaks(|bench| bench.cqe(0, flush(1))), "I6", "out of turn");
}

#[test]
fn t6_what_is_destroyed_is_still_and_out_of_reach() {
    let destroy =
        |bench: &mut Bench| bench.admin(Command::DestroyQp, true, |words| destroy_qp::QPN.put(words, QPN.into()));
    let mut bench = Bench::new();
    bench.post(&[inv()], 0);
    bench.ask(0, bench.sq, 8);
    assert_eq!(bench.breaks(destroy), "T6");
    let mut bench = Bench::new();
    bench.post(&[inv()], 0);
    destroy(&mut bench);
    assert_eq!(bench.breaks(|bench| bench.ask(0, bench.sq, 8)), "I1");
    let mut bench = Bench::new();
    bench.admin(Command::DestroyCq, true, |words| destroy_cq::CQN.put(words, CQN.into()));
    assert_eq!(bench.breaks(|bench| bench.cqe(0, done(0))), "I1");
}

#[test]
fn a_command_that_fails_lends_nothing_and_takes_nothing_away() {
    let mut bench = Bench::new();
    let (sq, rq) = (bench.sq, bench.rq);
    bench.admin(Command::CreateCq, false, |words| {
        create_cq::CQN.put(words, 9);
        create_cq::LOG2.put(words, 2);
        create_cq::BASE.put(words, rq);
    });
    bench.admin(Command::DestroyQp, false, |words| destroy_qp::QPN.put(words, QPN.into()));
    bench.post(&[inv()], 0);
    bench.ask(0, sq, 8);
    bench.fine();
    assert_eq!(bench.breaks(|bench| bench.offer(0, rq, &[0; 32])), "I1");
}

#[test]
fn after_reset_the_send_queue_begins_anew() {
    let mut bench = Bench::new();
    bench.post(&[inv(); 3], 0);
    bench.fetch(0, 3);
    bench.admin(Command::ModifyQp, true, |words| {
        modify_qp::QPN.put(words, QPN.into());
        modify_qp::STATE.put(words, qp::RESET.into());
    });
    bench.post(&[inv()], 0);
    bench.fetch(0, 1);
    bench.cqe(0, done(0));
    bench.fine();
}

#[test]
fn a_failed_read_of_wqes_still_ends_in_completions() {
    let mut bench = Bench::new();
    bench.post(&[inv(), inv()], 0);
    bench.ask(0, bench.sq, 16);
    bench.deliver(0, bench.sq, 16, DECERR);
    bench.cqe(0, Cqe { status: status::LOC_QP_OP, ..done(0) });
    bench.cqe(1, Cqe { status: status::WR_FLUSH, ..done(1) });
    bench.fine();
}

#[test]
fn d17_nothing_is_expected_of_a_cq_whose_write_failed() {
    let mut bench = Bench::new();
    bench.post(&[inv()], 0);
    bench.fetch(0, 1);
    let address = bench.cq;
    bench.offer(0, address, &done(0).encode());
    bench.monitor.write_done(0, &WriteDone { id: 0, address, response: SLVERR }, &mut bench.log);
    bench.fine();
    assert!(bench.log.tail(1).contains("SLVERR"), "{}", bench.log.tail(1));
}

#[test]
fn i6_events_come_in_order_with_their_phase() {
    let make = || {
        let mut bench = Bench::new();
        bench.bar_write(reg::EVENT_BASE_LOW, bench.rq as u32, OKAY);
        bench.bar_write(reg::EVENT_BASE_HIGH, (bench.rq >> 32) as u32, OKAY);
        bench.bar_write(reg::EVENT_LOG2, 4, OKAY);
        bench
    };
    let event = |bench: &mut Bench, count: u64, phase: bool| {
        let (address, bytes) = (bench.rq + count % 16 * 16, event::Event { phase, ..event::Event::default() }.encode());
        bench.offer(1, address, &bytes);
        if bench.monitor.violation().is_none() {
            bench.answer(1, address, &bytes);
        }
    };
    let mut bench = make();
    (0..40).for_each(|count| event(&mut bench, count, count / 16 % 2 == 0));
    bench.fine();
    assert_eq!(bench.breaks(|bench| event(bench, 40, false)), "I6", "phase");
    assert_eq!(make().breaks(|bench| event(bench, 1, true)), "I6", "place");
}

#[test]
fn memory_lent_by_hand_is_admitted_for_its_role_only() {
    let mut bench = Bench::new();
    let range = bench.rq..bench.rq + PAGE;
    bench.monitor.lend(range.clone(), Role::Payload);
    bench.ask(9, range.start, 4);
    bench.fine();
    assert!(bench.monitor.take_back(&range) && !bench.monitor.take_back(&range));
    assert_eq!(bench.breaks(|bench| bench.ask(9, range.start, 4)), "I1");
    let mut bench = Bench::new();
    bench.monitor.lend(range.clone(), Role::PageList);
    assert_eq!(bench.breaks(|bench| bench.ask(9, range.start, 4)), "I1");
}

#[test]
fn a_reset_of_the_device_takes_everything_back_when_it_is_ready() {
    let mut bench = Bench::new();
    bench.post(&[inv()], 0);
    bench.bar_write(reg::CONTROL, reg::CONTROL_RESET.put(1), OKAY);
    bench.ask(0, bench.sq, 8);
    bench.deliver(0, bench.sq, 8, OKAY);
    bench.fine();
    bench.bar_read(reg::STATUS, reg::STATUS_READY.put(1));
    assert_eq!(bench.breaks(|bench| bench.ask(0, bench.sq + 64, 8)), "I1");
}
