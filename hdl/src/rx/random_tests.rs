//! The responder against a plain model of section 3, written from the rules: one frame at a time, near what is expected.
use super::bench::{frame, Bench, Out, KEY, MTU};
use crate::check::RandomDrive;
use crate::wire::RxFrame;
use rnic_abi::bth::{self, Frame};
use rnic_abi::{drop, event, opcode, status, syndrome};
use rust_hdl::prelude::*;
use std::collections::VecDeque;

type Receives = VecDeque<(u64, [u64; 4])>;

/// What section 3 keeps of a connection.
#[derive(Default, Debug)]
struct Model {
    epsn: u64,
    msn: u64,
    /// Name of the message in progress.
    open: &'static str,
    nak_sent: bool,
    closing: bool,
    va: u64,
    left: u64,
    total: u64,
    bytes: u64,
}

impl Model {
    fn refuse(&mut self, code: u8, in_use: Option<u64>) -> Vec<Out> {
        self.closing = true;
        let status = if code == syndrome::RECV_TOO_SMALL { status::LOC_LEN } else { status::REM_INV_REQ };
        let cqe = in_use.map(|slot| Out::Cqe(0, status.into(), code.into(), slot, 0, 0, 0));
        let failed = Out::Failed(code.into(), event::QP_REQ_ERR.into());
        cqe.into_iter().chain([Out::Answer(0x61, self.epsn, self.msn), failed]).collect()
    }

    fn take(&mut self, f: &RxFrame, receives: &Receives, consumed: &mut bool) -> Vec<Out> {
        let name = format!("{:?}", Frame::from_u8(f.opcode.to_u64() as u8).unwrap());
        let is = |part: &str| name.contains(part);
        let (send, write, read) = (is("Send"), is("Write"), is("Read"));
        let atomic = !send && !write && !read;
        let (starts, ends) = (!is("Middle") && !is("Last"), !is("First") && !is("Middle"));
        let (psn, payload, length) = (f.psn.to_u64(), f.payload.to_u64(), f.length.to_u64());
        let packets = if read { length.div_ceil(MTU).max(1) } else { 1 };
        let kind = if read { 0 } else { 1 + u64::from(name == "FetchAdd") };
        if self.closing {
            return vec![Out::Drop(drop::QP_CLOSED.into())];
        }
        let distance = psn.wrapping_sub(self.epsn) & 0xFF_FFFF;
        if distance >= 1 << 23 {
            let fits = distance + packets <= 1 << 24 && length <= 1 << 31;
            return vec![match () {
                () if send || write => Out::Answer(0x1F, self.epsn.wrapping_sub(1) & 0xFF_FFFF, self.msn),
                () if read && !fits => Out::Drop(drop::DUPLICATE_READ.into()),
                () => Out::Push(kind, true, psn, packets, self.msn),
            }];
        }
        if distance > 0 {
            let nak = (!self.nak_sent).then_some(Out::Answer(0x60, self.epsn, self.msn));
            self.nak_sent = true;
            return [Out::Drop(drop::PSN_AHEAD.into())].into_iter().chain(nak).collect();
        }
        let follows = if starts { self.open.is_empty() } else { !self.open.is_empty() && is(self.open) };
        let head = receives.front().copied();
        if !follows {
            let in_use = (self.open == "Send").then(|| head.unwrap().0);
            return self.refuse(syndrome::OPCODE_ORDER, in_use);
        }
        if ((send && starts) || (write && is("Imm"))) && head.is_none() {
            self.nak_sent = true;
            return vec![Out::Answer(0x2C, self.epsn, self.msn)];
        }
        let in_use = if send { head.map(|(slot, _)| slot) } else { None };
        let left = if starts { length } else { self.left };
        let pad = f.pad.to_u64();
        let by_position = if ends { payload <= MTU && (starts || payload > 0) } else { payload == MTU && pad == 0 };
        let legal = if send {
            by_position
        } else if write {
            by_position && (length <= 1 << 31 || !starts) && if ends { payload == left } else { payload < left }
        } else {
            payload == 0 && pad == 0 && (atomic || length <= 1 << 31)
        };
        if !legal {
            return self.refuse(syndrome::PKT_LENGTH, in_use);
        }
        if atomic && f.va.to_u64() % 8 != 0 {
            return self.refuse(syndrome::ATOMIC_ALIGN, None);
        }
        let before = if starts { 0 } else { self.bytes };
        if send && before + payload > head.unwrap().1.iter().sum::<u64>() {
            return self.refuse(syndrome::RECV_TOO_SMALL, in_use);
        }

        let mut out = vec![];
        let va = if starts { f.va.to_u64() } else { self.va };
        if payload > 0 {
            out.push(Out::Place(payload, if send { 0x10_0000 } else { va }));
        }
        self.nak_sent = false;
        self.epsn = (self.epsn + packets) & 0xFF_FFFF;
        self.msn += u64::from(ends);
        self.open = if ends { "" } else { ["Write", "Send"][usize::from(send)] };
        (self.va, self.left) = (va.wrapping_add(payload), left.wrapping_sub(payload));
        self.total = if starts { length } else { self.total };
        self.bytes = before + payload;
        if ends && (send || is("Imm")) {
            *consumed = true;
            if is("Inv") {
                out.push(Out::Invalidate(f.immediate.to_u64()));
            }
            let opcode = if send { opcode::RECV } else { opcode::RECV_WRITE_IMM };
            let flags = 8 + u64::from(is("Imm")) + 2 * u64::from(is("Inv")) + 4 * u64::from(f.solicited);
            let bytes = if send { self.bytes } else { self.total };
            // The field of a frame that has neither is not told.
            let imm = if is("Imm") || is("Inv") { f.immediate.to_u64() } else { 0 };
            let slot = head.unwrap().0;
            out.push(Out::Cqe(opcode.into(), 0, 0, slot, bytes, imm, flags));
        }
        if read || atomic {
            out.push(Out::Push(kind, false, psn, packets, self.msn));
        } else if f.ack_request {
            out.push(Out::Answer(0x1F, psn, self.msn));
        }
        out
    }
}

/// A frame that mostly continues what is going on.
fn next(r: &mut RandomDrive, model: &Model) -> RxFrame {
    let last = model.left <= MTU || r.chance(1, 16);
    let going: &[u8] = match (model.open, last, r.chance(1, 2)) {
        ("Write", false, _) => &[bth::WRITE_MIDDLE],
        ("Write", true, _) => &[bth::WRITE_LAST, bth::WRITE_LAST_IMM],
        ("Send", _, true) => &[bth::SEND_MIDDLE],
        ("Send", ..) => &[bth::SEND_LAST, bth::SEND_LAST_IMM, bth::SEND_LAST_INV],
        (_, _, true) => &[bth::SEND_FIRST, bth::WRITE_FIRST, bth::READ_REQUEST, bth::FETCH_ADD, bth::COMPARE_SWAP],
        _ => &[bth::SEND_ONLY, bth::SEND_ONLY_IMM, bth::SEND_ONLY_INV, bth::WRITE_ONLY, bth::WRITE_ONLY_IMM],
    };
    let all: Vec<u8> = Frame::ALL.iter().map(|f| f.code()).filter(|code| !(0x0D..=0x12).contains(code)).collect();
    let codes = if r.chance(1, 24) { &all } else { going };
    let code = codes[r.below(codes.len() as u64) as usize];
    let whole = [bth::SEND_FIRST, bth::SEND_MIDDLE, bth::WRITE_FIRST, bth::WRITE_MIDDLE].contains(&code);
    let carries = code < bth::READ_REQUEST || code >= bth::SEND_LAST_INV;
    let payload = match () {
        () if r.chance(1, 32) => r.below(2 * MTU),
        () if whole => MTU,
        () if !carries => 0,
        () if code == bth::WRITE_LAST || code == bth::WRITE_LAST_IMM => model.left,
        () => r.below(MTU + 1),
    };
    let length = match code {
        bth::WRITE_ONLY | bth::WRITE_ONLY_IMM if !r.chance(1, 16) => payload,
        bth::WRITE_FIRST => MTU + 1 + r.below(2 * MTU),
        _ => [r.below(5 * MTU), 0, 1 << 31, (1 << 31) + 1][if r.chance(1, 8) { r.below(4) as usize } else { 0 }],
    };
    let offset = [0, 0, 0, 0, 0, 0, 0, 1, 5, 0xFF_FFFF, 0xFF_FFFD, 0xFF_0000][r.below(12) as usize];
    RxFrame {
        solicited: r.chance(1, 2),
        ack_request: r.chance(1, 2),
        va: bits(r.below(1 << 40) << 3 | u64::from(r.chance(1, 32))),
        length: bits(length),
        immediate: bits(KEY),
        ..frame(code, (model.epsn + offset) & 0xFF_FFFF, payload)
    }
}

/// Fields of a CQE in error that mean nothing (D14) become 0; the order is that of the text.
fn plain(out: Vec<Out>) -> Vec<String> {
    let mut lines: Vec<_> = out
        .into_iter()
        .map(|one| match one {
            Out::Cqe(_, status, code, slot, ..) if status != 0 => Out::Cqe(0, status, code, slot, 0, 0, 0),
            other => other,
        })
        .map(|one| format!("{one:?}"))
        .collect();
    lines.sort();
    lines
}

#[test]
fn g4_section_3_random_frames_end_as_the_rules_say() {
    let mut r = RandomDrive::new(11);
    let mut b = Bench::at(0xFF_FFF0);
    let mut model = Model { epsn: 0xFF_FFF0, ..Default::default() };
    b.receives.clear();
    let (mut slot, mut good) = (0, 0);
    for number in 0..80 {
        if model.closing && r.chance(1, 2) {
            model = Model { epsn: r.below(1 << 24), ..Default::default() };
            b.order_start(model.epsn);
        }
        if r.chance(2, 3) && b.receives.len() < 3 {
            slot += 1;
            let length = |r: &mut RandomDrive| r.below(3) * r.below(1500);
            b.receives.push_back((slot, [length(&mut r), length(&mut r), length(&mut r), length(&mut r)]));
        }
        let frame = next(&mut r, &model);
        let was = format!("{model:?} {:?}", b.receives);
        let (receives, mut consumed) = (b.receives.clone(), false);
        let expected = model.take(&frame, &receives, &mut consumed);
        good += u64::from(expected.iter().any(|out| matches!(out, Out::Cqe(_, 0, ..) | Out::Push(..))));
        let out = b.send([frame]);
        assert_eq!(plain(out), plain(expected), "frame {number} {frame:?} at {was}");
        assert_eq!(b.receives.len(), receives.len() - usize::from(consumed), "frame {number}");
    }
    assert!(good > 15, "{good}");
}
