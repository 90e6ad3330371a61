//! The engine of acknowledgements against a plain model of the rules T26 to T41 and T81 to T83, on random traffic.
//!
//! The model is written from the specification: PSNs are integers that never wrap, the window is a range, and each rule is
//! a function that calls the others, as the text does.
use super::ack_bench::*;
use super::{AckState, TimerEvent};
use crate::check::RandomDrive;
use rnic_abi::{bth::*, status, syndrome};
use rust_hdl::prelude::*;
use std::collections::VecDeque;

const MTU: u64 = 1024;

#[derive(Clone, Debug)]
struct Open {
    first: u64,
    packets: u64,
    offset: u64,
    length: u64,
    atomic: bool,
}

impl Open {
    fn holds(&self, psn: u64) -> bool {
        (self.first..self.first + self.packets).contains(&psn)
    }
}

/// State of one queue pair; PSNs do not wrap.
#[derive(Clone, Debug, Default)]
struct Model {
    una: u64,
    next: u64,
    epoch: u64,
    answered: u64,
    retries: u64,
    waits: u64,
    retry_cnt: u64,
    rnr_retry: u64,
    waiting: bool,
    code: u64,
    started: bool,
    fail: Option<(u64, u8, u8)>,
    open: VecDeque<Open>,
}

/// What is placed: bytes of the message before it, bytes, last of its entry.
type Placed = Option<(u64, u64, bool)>;

impl Model {
    fn progress(&mut self, to: u64) {
        if to > self.una {
            self.una = to;
            self.retries = self.retry_cnt;
            self.waits = self.rnr_retry;
            self.started = false;
            self.waiting = false;
        }
    }
    fn fail_at(&mut self, psn: u64, status: u8, syndrome: u8) {
        if self.fail.is_none_or(|(old, ..)| psn < old) {
            self.fail = Some((psn, status, syndrome));
        }
    }
    /// T40: sending again from `una` lets a WQE before the failed one finish.
    fn helps(&self) -> bool {
        match self.fail {
            None => true,
            Some((at, ..)) => {
                let same = self.open.front().is_some_and(|e| e.holds(at) && self.una >= e.first);
                self.una < at && !same
            }
        }
    }
    /// T34.
    fn restart(&mut self) {
        if self.retries == 0 {
            self.fail_at(self.una, status::RETRY_EXC, syndrome::RETRY);
        } else {
            self.retries -= 1;
            self.epoch += 1;
        }
    }
    /// T31, T33.
    fn nak_restart(&mut self) {
        if self.helps() && !self.waiting && !self.started {
            self.started = true;
            self.restart();
        }
    }
    /// T27: everything before `end` has arrived; tells whether that implies a NAK.
    fn acknowledge(&mut self, end: u64) -> bool {
        let end = self.fail.map_or(end, |(at, ..)| end.min(at));
        if end <= self.una {
            return false;
        }
        match self.open.front().map(|e| e.first).filter(|first| *first < end) {
            Some(first) => {
                self.progress(first);
                self.nak_restart();
                true
            }
            None => {
                self.progress(end);
                false
            }
        }
    }
    /// T26, T40.
    fn counts(&self, psn: u64) -> bool {
        (self.una..self.next).contains(&psn) && self.fail.is_none_or(|(at, ..)| self.una < at)
    }
    fn ack(&mut self, psn: u64, code: u64) {
        if !self.counts(psn) {
            return;
        }
        match code {
            0x00..=0x1F => {
                self.acknowledge(psn + 1);
            }
            0x20..=0x3F => {
                if !self.acknowledge(psn) && self.helps() && !self.waiting {
                    if self.waits == 0 && self.rnr_retry != 7 {
                        self.fail_at(psn, status::RNR_RETRY_EXC, syndrome::RNR_RETRY);
                    } else {
                        self.waits -= u64::from(self.rnr_retry != 7);
                        self.waiting = true;
                        self.code = code - 0x20;
                    }
                }
            }
            0x60 => {
                if !self.acknowledge(psn) {
                    self.nak_restart();
                }
            }
            0x61..=0x63 => {
                let (status, syndrome) = [
                    (status::REM_INV_REQ, syndrome::NAK_61),
                    (status::REM_ACCESS, syndrome::NAK_62),
                    (status::REM_OP, syndrome::NAK_63),
                ][code as usize - 0x61];
                match self.open.front().filter(|e| e.holds(psn)).map(|e| e.first) {
                    Some(first) => {
                        let first = self.fail.map_or(first, |(at, ..)| first.min(at));
                        self.progress(first);
                        self.fail_at(psn, status, syndrome);
                    }
                    None => {
                        if !self.acknowledge(psn) {
                            self.fail_at(psn, status, syndrome);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    fn response(&mut self, psn: u64, opcode: u8, ack_type: bool, payload: u64) -> Placed {
        if !self.counts(psn) {
            return None;
        }
        let bad = |model: &mut Self, syndrome| model.fail_at(psn, status::BAD_RESP, syndrome);
        let Some(entry) = self.open.front().filter(|e| e.first <= psn).cloned() else {
            bad(self, syndrome::RESP_OPCODE);
            return None;
        };
        self.progress(self.fail.map_or(entry.first, |(at, ..)| entry.first.min(at)));
        if entry.holds(psn) && entry.atomic != (opcode == ATOMIC_ACKNOWLEDGE) {
            bad(self, syndrome::RESP_OPCODE);
            return None;
        }
        let stops = self.fail.is_some_and(|(at, ..)| at <= entry.first || entry.holds(at));
        if psn != self.una {
            // Behind a failure `una` is not moved to the entry, and such a response is none that is due either.
            if !stops {
                self.nak_restart();
            }
            return None;
        }
        let (at, last) = ((psn - entry.first) * MTU, psn + 1 == entry.first + entry.packets);
        let fits = match opcode {
            ATOMIC_ACKNOWLEDGE => payload == 0 && ack_type,
            READ_RESPONSE_FIRST => !last && payload == MTU && ack_type,
            READ_RESPONSE_MIDDLE => !last && payload == MTU,
            _ => last && payload == entry.length - at && ack_type,
        };
        if !fits {
            bad(self, syndrome::RESP_LENGTH);
            return None;
        }
        if stops {
            return None;
        }
        self.progress(psn + 1);
        if last {
            self.open.pop_front();
            self.answered += 1;
        }
        Some((entry.offset + at, if entry.atomic { 8 } else { payload }, last))
    }
    fn timeout(&mut self, epoch: u64, una: u64) {
        if epoch == self.epoch % 16 && una == self.una && self.una < self.next && !self.waiting && self.helps() {
            self.started = false;
            self.restart();
        }
    }
    fn rnr_done(&mut self, epoch: u64, una: u64) {
        if epoch == self.epoch % 16 && una == self.una && self.una < self.next && self.waiting {
            self.epoch += u64::from(self.helps());
            self.waiting = false;
        }
    }
    fn check(&self, state: &AckState, told: &str) {
        let wrapped = |psn: u64| bits::<24>(psn & 0xFF_FFFF);
        let fail = state.fail.then_some((state.fail_psn, state.status.to_u64() as u8, state.syndrome.to_u64() as u8));
        let ours = (
            (wrapped(self.una), bits::<4>(self.epoch % 16), bits::<5>(self.answered % 32), self.started, self.waiting),
            (bits::<3>(self.retries), bits::<3>(self.waits), self.fail.map(|(psn, s, y)| (wrapped(psn), s, y))),
        );
        let theirs = (
            (state.una, state.epoch, state.rd_head, state.started, state.rnr_wait),
            (state.retry_left, state.rnr_left, fail),
        );
        assert_eq!(theirs, ours, "{told}: {self:?}");
        assert!(!self.waiting || state.rnr_code == bits(self.code), "{told}: code");
    }
}

struct Run {
    bench: Bench,
    model: Model,
    random: RandomDrive,
    placed: usize,
    failures: usize,
}

impl Run {
    fn start(&mut self) {
        let (retry_cnt, rnr_retry) = (self.random.below(8), self.random.below(8));
        let base = [500, 0xFF_FFF0, 0x7F_FFF8][self.random.below(3) as usize] + self.random.below(16);
        self.bench.context(1, 3, retry_cnt, rnr_retry);
        self.bench.order(1, true, base & 0xFF_FFFF);
        let (una, retries, waits) = (base + (1 << 24), retry_cnt, rnr_retry);
        self.model = Model { una, next: una, retries, waits, retry_cnt, rnr_retry, ..Default::default() };
        self.publish();
    }
    fn publish(&mut self) {
        let tail = self.model.answered + self.model.open.len() as u64;
        self.bench.publish(1, self.model.next & 0xFF_FFFF, tail);
    }
    fn send(&mut self) {
        let packets = match self.random.below(4) {
            0 | 1 => 1 + self.random.below(4),
            kind if self.model.open.len() < 5 => {
                let atomic = kind == 2 && self.random.chance(1, 2);
                let length: u64 =
                    if atomic { 8 } else { [0, 1, 1024, 1025, 3000, 4096][self.random.below(6) as usize] };
                let (first, packets) = (self.model.next, length.div_ceil(MTU).max(1));
                let offset = self.random.below(3) << 20;
                let slot = self.model.answered + self.model.open.len() as u64;
                let code = if atomic { 1 + self.random.below(2) } else { READ };
                self.bench.open(1, slot, first & 0xFF_FFFF, packets, offset, length, code);
                self.model.open.push_back(Open { first, packets, offset, length, atomic });
                packets
            }
            _ => 1,
        };
        self.model.next += packets;
        self.publish();
    }
    /// A frame for a PSN in or near the window; mostly the one that a good peer would send.
    fn frame(&mut self) -> String {
        let (una, next) = (self.model.una, self.model.next);
        let psn = match self.random.below(8) {
            0 => una - 3 + self.random.below(next - una + 6),
            1..=3 => una,
            _ => una + self.random.below((next - una).max(1)),
        };
        let entry = self.model.open.iter().find(|e| e.holds(psn)).cloned();
        let mut payload = 0;
        let mut code = 0x1F;
        let mut opcode = ACKNOWLEDGE;
        match entry {
            Some(entry) if self.random.chance(3, 4) => {
                let left = entry.length - (psn - entry.first) * MTU;
                let last = psn + 1 == entry.first + entry.packets;
                payload = left.min(MTU);
                opcode = match (entry.atomic, last, psn == entry.first || self.random.chance(1, 4)) {
                    (true, ..) => ATOMIC_ACKNOWLEDGE,
                    (_, true, true) => READ_RESPONSE_ONLY,
                    (_, true, false) => READ_RESPONSE_LAST,
                    (_, false, true) => READ_RESPONSE_FIRST,
                    (_, false, false) => READ_RESPONSE_MIDDLE,
                };
                if entry.atomic {
                    payload = 0;
                }
            }
            _ => {
                code = [0x1F, 0x1F, 0x00, 0x60, 0x60, 0x2A, 0x21, 0x64][self.random.below(8) as usize];
                if self.random.chance(1, 8) {
                    code = 0x61 + self.random.below(3);
                }
            }
        }
        if self.random.chance(1, 25) {
            payload += 1 + self.random.below(4);
        }
        if self.random.chance(1, 25) {
            opcode = READ_RESPONSE_FIRST + self.random.below(6) as u8;
        }
        if self.random.chance(1, 100) {
            code = 0x60;
        }
        let frame = response(1, opcode, psn & 0xFF_FFFF, code, payload);
        let job = self.bench.frame(frame);
        let placed = if opcode == ACKNOWLEDGE {
            self.model.ack(psn, code);
            None
        } else {
            self.model.response(psn, opcode, code < 0x20, payload)
        };
        let told = format!("frame {opcode:x} psn {psn:x} code {code:x} payload {payload}");
        let tag = job.tag();
        assert_eq!(tag.counts, placed.is_some(), "{told}: {:?}", self.model);
        let (skip, bytes, ends) = placed.unwrap_or((job.span.skip.to_u64(), 0, false));
        assert_eq!((job.span.skip, job.span.bytes, tag.ends), (skip.into(), bits(bytes), ends), "{told}");
        self.placed += usize::from(placed.is_some());
        told
    }
    fn event(&mut self) -> String {
        let epoch = (self.model.epoch + u64::from(self.random.chance(1, 8))) % 16;
        let una = self.model.una - u64::from(self.random.chance(1, 8));
        let rnr = self.random.chance(1, 4) || (self.model.waiting && self.random.chance(3, 4));
        self.bench.event(TimerEvent { qp: bits(1), rnr, epoch: bits(epoch), una: bits(una & 0xFF_FFFF) });
        if rnr {
            self.model.rnr_done(epoch, una);
        } else {
            self.model.timeout(epoch, una);
        }
        format!("event {rnr} epoch {epoch} una {una:x}")
    }
    fn step(&mut self) {
        if self.model.fail.is_some() && self.random.chance(1, 16) {
            self.failures += 1;
            self.start();
        }
        let told = match self.random.below(8) {
            0 | 1 if self.model.next - self.model.una < 20 => {
                self.send();
                "send".into()
            }
            2 if self.random.chance(1, 2) => self.event(),
            _ => self.frame(),
        };
        self.model.check(&self.bench.states[1], &told);
    }
}

#[test]
fn t26_to_t41_random_traffic_follows_the_model() {
    let (mut placed, mut failures) = (0, 0);
    for seed in 0..3 {
        let (bench, random) = (Bench::new(), RandomDrive::new(seed));
        let mut run = Run { bench, random, model: Model::default(), placed: 0, failures: 0 };
        run.start();
        (0..500).for_each(|_| run.step());
        placed += run.placed;
        failures += run.failures;
    }
    assert!(placed > 60 && failures > 15, "{placed} placed, {failures} failures");
}
