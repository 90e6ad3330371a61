//! The blocks of this subsystem with the instances and inputs of their checks.
use super::*;
use crate::check::RandomDrive;
use rnic_abi::link::frame;
use rust_hdl::prelude::*;

/// Setup of the checks: short microseconds, numbers near their wrap.
const SETUP: LinkSetup = LinkSetup {
    address: 0x0252_4E49_0001,
    build: 0xB01D_0042,
    ticks_per_us: 1,
    beacon_ms: 3,
    window: 4,
    first: 0xFFFE,
};

/// Bytes of a frame's word, often such as a parser accepts.
fn frame_word(r: &mut RandomDrive) -> Bits<64> {
    let bytes = match r.below(6) {
        0 => [0x02, 0x52, 0x4E, 0x49, 0x00, 0x01, 0x02, 0x00],
        1 => [0x00, 0x00, 0x00, 0x01, 0x88, 0xB5, 0x10 + r.below(9) as u8, r.below(4) as u8],
        2 => [0x00, [0x10, 0x0C, 0x20, 0x00][r.below(4) as usize], 0x12, 0x34, 0xAB, 0xCD, 0xFF, 0xFE],
        3 => [0xFF, 0xFE, 0x00, 0x10, 0x00, 0x08, 0x00, 0x00],
        4 => [0x40, 0, 0, 1, 0, 0, 0, 0x0F],
        _ => r.below(u64::MAX).to_le_bytes(),
    };
    bits(u64::from_le_bytes(bytes))
}

/// A whole frame, one beat a step: `place` counts up to its length.
fn drive_frames(r: &mut RandomDrive, axis: &mut crate::widgets::AxiStreamSubordinate<64, 8>) {
    axis.tdata.next = frame_word(r);
    axis.tkeep.next = bits([0xFF, 0xFF, 0xFF, 0x0F][r.below(4) as usize]);
    axis.tvalid.next = r.chance(7, 8);
    axis.tlast.next = r.chance(1, 7);
    axis.tuser.next = r.chance(1, 16);
}

fn near(r: &mut RandomDrive, signal: &mut Signal<In, Bits<16>>) {
    signal.next = bits((0xFFFC + r.below(8)) & 0xFFFF);
}

fn receive_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "link/ticker",
            || Ticker::new(2),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
            },
        ),
        BlockCheck::new(
            "link/frame_fields",
            || FrameFields::new(SETUP.address),
            |u| Some(&mut u.clock),
            |u, r| {
                r.mostly(&mut u.takes);
                u.place.next = bits(r.below(5));
                r.set(&mut u.big);
                r.set(&mut u.first);
            },
        ),
        BlockCheck::new(
            "link/frame_parse",
            || FrameParse::new(SETUP.address),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                drive_frames(r, &mut u.axis);
                r.seldom(&mut u.hold);
                r.mostly(&mut u.done);
            },
        )
        .vectors(600),
        BlockCheck::new(
            "link/receive_judge",
            ReceiveJudge::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.valid);
                let mut head: FrameHead = r.value();
                head.kind = bits(r.below(9));
                head.session = bits(r.below(3));
                head.source = bits(r.below(2));
                head.sequence = bits((0xFFFC + r.below(8)) & 0xFFFF);
                head.ack = bits((0xFFFC + r.below(8)) & 0xFFFF);
                head.sound = r.chance(7, 8);
                u.head.next = head;
                r.seldom(&mut u.listening);
                r.mostly(&mut u.open);
                u.session.next = bits(r.below(2));
                u.replaced.next = bits(r.below(3));
                u.peer.next = bits(r.below(2));
                near(r, &mut u.expected);
                near(r, &mut u.oldest);
                near(r, &mut u.highest);
                r.seldom(&mut u.posted_full);
                r.seldom(&mut u.nonposted_full);
                r.seldom(&mut u.overflow);
            },
        )
        .vectors(600),
        BlockCheck::new(
            "link/bar_hit",
            BarHit::default,
            |_| None,
            |u, r| {
                r.set(&mut u.four);
                u.data.next = bits([0x0000_01E0_0000_00E0, 0x0000_00E0, 0x0000_00E0_8000_0000][r.below(3) as usize]);
                u.bar.next = bits([0xE000, 0x80_E000, 0xE000_0000_E001][r.below(3) as usize]);
            },
        ),
        BlockCheck::new(
            "link/receive_store",
            ReceiveStore::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                let mut head: FrameHead = r.value();
                head.kind = bits(frame::TYPE_TLP.into());
                head.dwords = bits(3 + r.below(20));
                u.head.next = head;
                r.set(&mut u.body);
                r.set(&mut u.body_valid);
                r.seldom(&mut u.body_half);
                r.seldom(&mut u.body_last);
                u.body_place.next = bits(r.below(4));
                r.set(&mut u.bar);
                r.seldom(&mut u.done);
                let mut verdict = Verdict::default();
                verdict.accepted = r.chance(2, 3);
                u.verdict.next = verdict;
                r.source(&mut u.main);
                r.source(&mut u.requests);
            },
        ),
        BlockCheck::new(
            "link/receive_order",
            ReceiveOrder::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.main);
                r.sink(&mut u.requests);
                r.mostly(&mut u.nonposted_room);
                r.mostly(&mut u.axis.tready);
            },
        ),
        BlockCheck::new(
            "link/open_fields",
            OpenFields::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.body);
                r.set(&mut u.body_valid);
                u.body_place.next = bits(r.below(4));
            },
        ),
    ]
}

fn session_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "link/ack_keeper",
            || AckKeeper::new(SETUP.first),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.microsecond);
                r.seldom(&mut u.accepted);
                r.seldom(&mut u.answer);
                r.seldom(&mut u.gap);
                r.seldom(&mut u.told);
                r.seldom(&mut u.told_nak);
            },
        ),
        BlockCheck::new(
            "link/limit_keeper",
            || LimitKeeper::new(SETUP.first, 3),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.accepted);
                r.seldom(&mut u.taken);
                r.seldom(&mut u.skipped);
                r.seldom(&mut u.told);
            },
        ),
        BlockCheck::new(
            "link/session",
            Session::default,
            |u| Some(&mut u.clock),
            |u, r| {
                u.reset.next = r.chance(1, 300);
                let mut verdict = Verdict::default();
                verdict.opens = r.chance(1, 8);
                verdict.reopens = r.chance(1, 8);
                verdict.closes = r.chance(1, 32);
                verdict.overrun = r.chance(1, 32);
                u.verdict.next = verdict;
                r.set(&mut u.head);
                r.set(&mut u.fields);
                u.lost.next = r.chance(1, 64);
                r.set(&mut u.idle);
                r.set(&mut u.opened_taken);
            },
        )
        .vectors(1200),
        BlockCheck::new(
            "link/keep_alive",
            || KeepAlive::new(SETUP.beacon_ms),
            |u| Some(&mut u.clock),
            |u, r| {
                r.mostly(&mut u.millisecond);
                r.mostly(&mut u.open);
                r.mostly(&mut u.listening);
                u.keep_alive.next = bits(r.below(6));
                r.seldom(&mut u.heard);
                r.seldom(&mut u.told);
                r.seldom(&mut u.beacon_taken);
            },
        ),
        BlockCheck::new(
            "link/notice_keeper",
            NoticeKeeper::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.microsecond);
                let mut verdict = Verdict::default();
                verdict.refused = r.chance(1, 4);
                verdict.stray = r.chance(1, 4);
                u.verdict.next = verdict;
                r.set(&mut u.head);
                r.seldom(&mut u.ended);
                r.set(&mut u.overran);
                r.set(&mut u.session);
                r.set(&mut u.peer);
                r.seldom(&mut u.taken);
            },
        ),
        BlockCheck::new(
            "link/counters",
            LinkCounters::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.pulses);
                r.set(&mut u.index);
            },
        ),
    ]
}

fn transmit_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "link/credit_gate",
            || CreditGate::new(SETUP.first),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.microsecond);
                r.seldom(&mut u.load);
                r.seldom(&mut u.update);
                near(r, &mut u.limit);
                r.seldom(&mut u.sent);
                r.mostly(&mut u.waits);
            },
        ),
        BlockCheck::new(
            "link/tlp_sort",
            TlpSort::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                drive_frames(r, &mut u.axis);
                u.axis.tlast.next = r.chance(1, 2);
                r.source(&mut u.direct);
                r.source(&mut u.requests);
            },
        ),
        BlockCheck::new(
            "link/tlp_admit",
            TlpAdmit::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.open);
                r.sink(&mut u.direct);
                r.sink(&mut u.requests);
                r.mostly(&mut u.room);
                r.mostly(&mut u.posted_credit);
                r.mostly(&mut u.nonposted_credit);
            },
        ),
        BlockCheck::new(
            "link/retry_store",
            || RetryStore::new(4, 66),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.beat);
                r.seldom(&mut u.write);
                near(r, &mut u.entry);
                near(r, &mut u.oldest);
                r.seldom(&mut u.start);
                near(r, &mut u.cursor);
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new(
            "link/retry_window",
            || RetryWindow::new(SETUP.first),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.microsecond);
                r.seldom(&mut u.stored);
                r.seldom(&mut u.sent);
                r.seldom(&mut u.update);
                near(r, &mut u.ack);
                r.seldom(&mut u.nak);
            },
        ),
        BlockCheck::new(
            "link/frame_header",
            || FrameHeader::new(SETUP.address, SETUP.build),
            |_| None,
            |u, r| {
                let mut order: SendOrder = r.value();
                order.content = bits(r.below(5));
                u.order.next = order;
                r.set(&mut u.place);
                r.set(&mut u.dwords);
                r.set(&mut u.ack);
                r.set(&mut u.posted_limit);
                r.set(&mut u.nonposted_limit);
                u.mps.next = bits(r.below(3));
                u.mrrs.next = bits(r.below(3));
            },
        ),
        BlockCheck::new(
            "link/frame_send",
            || FrameSend::new(SETUP.address, SETUP.build),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.order);
                r.set(&mut u.dwords);
                r.sink(&mut u.tlp);
                r.set(&mut u.ack);
                r.set(&mut u.posted_limit);
                r.set(&mut u.nonposted_limit);
                u.mps.next = bits(r.below(3));
                u.mrrs.next = bits(r.below(3));
                r.mostly(&mut u.axis.tready);
            },
        ),
        BlockCheck::new(
            "link/transmit_choose",
            TransmitChoose::default,
            |_| None,
            |u, r| {
                r.set(&mut u.listening);
                r.set(&mut u.open);
                r.set(&mut u.session);
                r.set(&mut u.peer);
                r.seldom(&mut u.notice_due);
                r.set(&mut u.notice);
                r.seldom(&mut u.opened_due);
                r.seldom(&mut u.nak_due);
                r.seldom(&mut u.ask_due);
                r.set(&mut u.tlp_due);
                r.set(&mut u.again);
                r.set(&mut u.cursor);
                r.set(&mut u.highest);
                r.set(&mut u.ack_due);
                r.set(&mut u.beacon_due);
                u.order.ready.next = r.chance(7, 8);
            },
        ),
    ]
}

/// Random input hardly opens a session: the checks of the whole look at names and widths, the behaviour is tested in Rust.
fn whole_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "link/receive",
            || Receive::new(SETUP.address),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.clear.next = r.chance(1, 64);
                drive_frames(r, &mut u.frames);
                r.seldom(&mut u.hold);
                r.seldom(&mut u.listening);
                r.mostly(&mut u.open);
                u.session.next = bits(0x1234_ABCC + r.below(2));
                r.set(&mut u.replaced);
                r.set(&mut u.peer);
                r.set(&mut u.bar);
                near(r, &mut u.expected);
                near(r, &mut u.oldest);
                near(r, &mut u.highest);
                r.seldom(&mut u.posted_full);
                r.seldom(&mut u.nonposted_full);
                r.mostly(&mut u.nonposted_room);
                r.mostly(&mut u.tlps.tready);
            },
        )
        .vectors(200),
        BlockCheck::new(
            "link/transmit",
            || Transmit::new(SETUP.address, SETUP.build, SETUP.first, SETUP.window),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.clear.next = r.chance(1, 64);
                r.mostly(&mut u.microsecond);
                drive_frames(r, &mut u.tlps);
                r.seldom(&mut u.listening);
                r.mostly(&mut u.open);
                r.set(&mut u.session);
                r.set(&mut u.peer);
                u.mps.next = bits(r.below(3));
                u.mrrs.next = bits(r.below(3));
                r.seldom(&mut u.load);
                r.seldom(&mut u.update);
                near(r, &mut u.ack);
                r.seldom(&mut u.nak);
                near(r, &mut u.posted_limit);
                near(r, &mut u.nonposted_limit);
                r.set(&mut u.own_ack);
                r.set(&mut u.own_posted);
                r.set(&mut u.own_nonposted);
                r.seldom(&mut u.nak_due);
                r.seldom(&mut u.ack_due);
                r.seldom(&mut u.notice_due);
                r.set(&mut u.notice);
                r.seldom(&mut u.opened_due);
                r.seldom(&mut u.beacon_due);
                r.mostly(&mut u.frames.tready);
            },
        )
        .vectors(200),
        BlockCheck::new(
            "link/link",
            || Link::new(SETUP),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                drive_frames(r, &mut u.rx);
                drive_frames(r, &mut u.from_bridge);
                r.mostly(&mut u.tx.tready);
                r.mostly(&mut u.to_bridge.tready);
                r.mostly(&mut u.nonposted_room);
                r.set(&mut u.counter);
            },
        )
        .vectors(120),
    ]
}

/// All blocks.
pub fn list() -> Vec<BlockCheck> {
    [receive_blocks(), session_blocks(), transmit_blocks(), whole_blocks()].into_iter().flatten().collect()
}
