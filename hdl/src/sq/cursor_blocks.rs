//! Checks of the blocks of the cursor and of retirement.
use super::*;
use crate::check::{BlockCheck, RandomDrive};
use rnic_abi::opcode;
use rust_hdl::prelude::Bits;

/// A WQE that is mostly well formed: opcode, one SGE, small lengths.
fn block(random: &mut RandomDrive) -> Bits<512> {
    let code = [0u8, 1, 2, 4, 5, 8, 0x0C, 0x0D, 0x20, 0x21, 0x33][random.below(11) as usize];
    let mut wr = rnic_abi::wqe::Data { opcode: code, num_sge: 1, flags: random.below(8) as u8, ..Default::default() };
    wr.sges[0].length = [0, 8, 8, 100, 5000, 1 << 21][random.below(6) as usize];
    if code != opcode::CMP_SWAP && code != opcode::FETCH_ADD && random.chance(1, 4) {
        wr.num_sge = 2;
    }
    if random.chance(1, 8) {
        return random.value();
    }
    num_bigint::BigUint::from_bytes_le(&wr.encode()[0]).into()
}

/// A WQE of one of a few queue pairs.
pub(crate) fn drive_held(held: &mut crate::widgets::ChannelSink<HeldWqe>, random: &mut RandomDrive) {
    let mut wqe: HeldWqe = random.value();
    wqe.item.wqe = block(random);
    wqe.item.qp = random.below(4).into();
    wqe.double = random.chance(1, 4);
    wqe.broken = random.chance(1, 16);
    held.data.next = wqe;
    held.valid.next = random.chance(7, 8);
}

/// What the send queues see of acknowledgements and frames.
pub(crate) fn drive_requester<const DATA: usize, const PA: usize>(
    u: &mut SendQueue<DATA, 3, 8, PA, 4, 4, 7>,
    r: &mut RandomDrive,
) {
    u.order.data.next = crate::rx::AckOrder { qp: r.below(8).into(), start: true, psn: r.below(8).into() };
    u.order.valid.next = r.chance(1, 32);
    r.seldom(&mut u.attributes_write);
    u.attributes_index.next = r.below(8).into();
    r.set(&mut u.attributes_row);
    u.window.next = (2 + r.below(16)).into();
    r.seldom(&mut u.state_write);
    u.state_index.next = r.below(8).into();
    let mut ack: crate::rx::AckState = r.value();
    (ack.una, ack.epoch) = (r.below(8).into(), r.below(2).into());
    u.state_row.next = ack;
    r.seldom(&mut u.done_write);
    u.done_index.next = r.below(8).into();
    r.set(&mut u.done_count);
    u.landing_all.next = (1u64 << r.below(8)).into();
    r.seldom(&mut u.landed);
    u.landed_index.next = r.below(8).into();
    r.seldom(&mut u.frame_done);
    u.frame_tag.next = r.below(8).into();
    r.set(&mut u.lost.data);
    u.lost.valid.next = r.chance(1, 32);
    r.source(&mut u.frame);
}

fn retiring() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "sq/returned",
            Returned::<3, 6>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.seldom(&mut u.done);
                r.set(&mut u.done_tag);
            },
        ),
        BlockCheck::new(
            "sq/outcomes",
            Outcomes::<3, 8>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                drive_control(&mut u.control, r);
                drive_outcome(&mut u.outcome, r);
                r.set(&mut u.engaged_all);
                r.source(&mut u.noted);
                r.sink(&mut u.walked);
                r.source(&mut u.completion);
            },
        ),
        BlockCheck::new(
            "sq/retire_view",
            RetireView::default,
            |u| Some(&mut u.clock),
            |u, r| {
                let base = r.below(1 << 24);
                let mut near = || ((base + r.below(12)) & 0xFF_FFFF).into();
                let (una, fail_psn, lost_psn, first) = (near(), near(), near(), near());
                let row: RetireRow = r.value();
                u.row.next = RetireRow { lost_psn, ..row };
                let entry: Outstanding = r.value();
                u.entry.next = Outstanding { first, packets: r.below(6).into(), kind: r.below(5).into(), ..entry };
                let ack: crate::rx::AckState = r.value();
                u.ack.next = crate::rx::AckState { una, fail_psn, ..ack };
                r.set(&mut u.rd_done);
                let issued = r.below(4096);
                u.tail.next = SendTail {
                    hseq: row.rseq,
                    issued: issued.into(),
                    resent: ((issued + 4096 - r.below(5)) % 4096).into(),
                };
                u.returned.next = ((issued + 4096 - r.below(5)) % 4096).into();
                r.set(&mut u.state);
            },
        ),
        BlockCheck::new(
            "sq/retire_verdict",
            RetireVerdict::default,
            |_| None,
            |u, r| {
                let mut flags: RetireFlags = r.value();
                flags.none = r.chance(1, 8);
                u.flags.next = flags;
                let mut row: RetireRow = r.value();
                row.over = r.chance(1, 4);
                u.row.next = row;
                r.set(&mut u.entry);
                r.set(&mut u.ack);
                r.seldom(&mut u.landing);
                r.seldom(&mut u.busy);
                r.seldom(&mut u.resends);
                r.mostly(&mut u.held);
            },
        ),
        BlockCheck::new(
            "sq/retire_tables",
            RetireTables::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.set(&mut u.index);
                r.set(&mut u.row_write);
                r.set(&mut u.row_index);
                r.set(&mut u.row_data);
                r.set(&mut u.state_write);
                r.set(&mut u.state_index);
                r.set(&mut u.state_row);
                r.set(&mut u.done_write);
                r.set(&mut u.done_index);
                r.set(&mut u.done_count);
                r.set(&mut u.tail_write);
                r.set(&mut u.tail_index);
                r.set(&mut u.tail_row);
                r.set(&mut u.returned_write);
                r.set(&mut u.returned_index);
                r.set(&mut u.returned_count);
                r.set(&mut u.context_write);
                r.set(&mut u.context_index);
                r.set(&mut u.context_row);
            },
        )
        .vectors(100),
        walker(),
    ]
}

fn walker() -> BlockCheck {
    BlockCheck::new(
        "sq/retire_walk",
        RetireWalk::<3, 8, 4, 7>::default,
        |u| Some(&mut u.clock),
        |u, r| {
            r.reset(&mut u.reset);
            u.clearing.next = r.chance(1, 64);
            r.set(&mut u.clear_index);
            u.control.next = crate::types::QpControl {
                index: r.below(8).into(),
                wake: r.chance(1, 8),
                clear: r.chance(1, 64),
                ..Default::default()
            };
            r.seldom(&mut u.context_write);
            u.context_index.next = r.below(4).into();
            drive_context(&mut u.context_row, r);
            r.seldom(&mut u.state_write);
            u.state_index.next = r.below(4).into();
            let ack: crate::rx::AckState = r.value();
            u.state_row.next = crate::rx::AckState { una: r.below(8).into(), fail: r.chance(1, 8), ..ack };
            r.seldom(&mut u.done_write);
            u.done_index.next = r.below(4).into();
            r.set(&mut u.done_count);
            r.seldom(&mut u.tail_write);
            u.tail_index.next = r.below(4).into();
            u.tail_row.next =
                SendTail { hseq: r.below(6).into(), issued: r.below(4).into(), resent: r.below(4).into() };
            r.seldom(&mut u.returned_write);
            u.returned_index.next = r.below(4).into();
            u.returned_count.next = r.below(4).into();
            r.set(&mut u.entry_write);
            r.set(&mut u.entry_index);
            let entry: Outstanding = r.value();
            u.entry_data.next =
                Outstanding { first: r.below(8).into(), packets: r.below(4).into(), kind: r.below(5).into(), ..entry };
            r.seldom(&mut u.entry_failed);
            u.landing_all.next = (1u64 << r.below(8)).into();
            r.seldom(&mut u.cursor_busy);
            u.cursor_index.next = r.below(4).into();
            r.set(&mut u.cursor_resends);
            r.seldom(&mut u.landed);
            u.landed_index.next = r.below(4).into();
            drive_outcome(&mut u.outcome, r);
            u.outcome.data.next = crate::types::WorkOutcome { qp: r.below(4).into(), ..r.value() };
            u.lost.data.next = LostFrame { qp: r.below(4).into(), psn: r.below(8).into(), syndrome: 0x31.into() };
            u.lost.valid.next = r.chance(1, 16);
            r.source(&mut u.completion);
        },
    )
    .vectors(400)
}

/// Blocks without the cursor itself.
fn parts() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "sq/wqe_fields",
            WqeFields::default,
            |u| Some(&mut u.clock),
            |u, r| {
                u.block.next = block(r);
                r.set(&mut u.second);
                r.seldom(&mut u.two_blocks);
            },
        )
        .vectors(200),
        BlockCheck::new(
            "sq/piece",
            PieceMaker::default,
            |u| Some(&mut u.clock),
            |u, r| {
                let mut wqe: DataWqe = r.value();
                wqe.kind = r.below(4).into();
                wqe.total = r.below(1 << 22).into();
                u.wqe.next = wqe;
                u.offset.next = (r.below(1 << 12) << 10).into();
                u.mtu.next = (1 + r.below(5)).into();
            },
        ),
        BlockCheck::new(
            "sq/frame_maker",
            FrameMaker::default,
            |_| None,
            |u, r| {
                r.set(&mut u.wqe);
                r.set(&mut u.held);
                r.set(&mut u.piece);
                r.set(&mut u.offset);
                r.set(&mut u.psn);
                r.set(&mut u.issued);
                u.unasked.next = [64u64, 65, 66, 0][r.below(4) as usize].into();
                r.seldom(&mut u.fills);
                r.set(&mut u.attributes);
            },
        )
        .vectors(200),
        BlockCheck::new(
            "sq/cursor_step",
            CursorStep::default,
            |_| None,
            |u, r| {
                let mut row: CursorRow = r.value();
                if r.chance(1, 2) {
                    row.hseq = row.seq;
                    row.hpsn = row.psn;
                }
                u.row.next = row;
                r.set(&mut u.wqe);
                r.set(&mut u.held);
                r.set(&mut u.piece);
                r.set(&mut u.asks);
                r.set(&mut u.span);
                r.seldom(&mut u.is_local);
                r.set(&mut u.changed);
                r.set(&mut u.entry);
            },
        )
        .vectors(200),
        BlockCheck::new(
            "sq/cursor_view",
            CursorView::<4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                let mut row: CursorRow = r.value();
                let base = r.below(1 << 24);
                row.psn = ((base + r.below(40)) & 0xFF_FFFF).into();
                row.hpsn = ((base + r.below(40)) & 0xFF_FFFF).into();
                row.rd_end = ((base + r.below(40)) & 0xFF_FFFF).into();
                u.row.next = row;
                let mut ack: crate::rx::AckState = r.value();
                ack.una = ((base + r.below(40)) & 0xFF_FFFF).into();
                ack.fail_psn = ((base + r.below(40)) & 0xFF_FFFF).into();
                u.ack.next = ack;
                let mut retire: RetireRow = r.value();
                retire.rseq = ((row.hseq.to_u64() + 0x1_0000 - r.below(20)) & 0xFFFF).into();
                u.retire.next = retire;
                r.set(&mut u.rd_done);
                r.set(&mut u.retired);
                r.set(&mut u.state);
                r.set(&mut u.max_rd);
                r.set(&mut u.engaged);
                r.seldom(&mut u.halted);
                r.seldom(&mut u.hold);
                u.window.next = (2 + r.below(30)).into();
            },
        ),
        BlockCheck::new(
            "sq/choice",
            Choice::default,
            |_| None,
            |u, r| {
                r.set(&mut u.woken);
                r.seldom(&mut u.cleared);
                r.set(&mut u.asleep);
                r.set(&mut u.dropping);
                r.mostly(&mut u.engaged);
                r.seldom(&mut u.tired);
                let mut flags: CursorFlags = r.value();
                if r.chance(1, 2) {
                    (flags.sends, flags.rts, flags.moves, flags.free) = (true, true, false, true);
                }
                u.flags.next = flags;
                r.set(&mut u.row);
                let mut wqe: DataWqe = r.value();
                wqe.kind = r.below(4).into();
                u.wqe.next = wqe;
                r.seldom(&mut u.broken);
                let mut entry: Outstanding = r.value();
                entry.kind = r.below(5).into();
                u.entry.next = entry;
                let mut piece: Piece = r.value();
                if r.chance(2, 3) {
                    piece.packets = entry.packets;
                }
                u.piece.next = piece;
            },
        )
        .vectors(600),
        BlockCheck::new(
            "sq/rewind_walk",
            RewindWalk::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.start);
                u.from.next = r.below(3).into();
                u.limit.next = (3 + r.below(6)).into();
                u.una.next = r.below(64).into();
                let mut row: Outstanding = r.value();
                row.first = r.below(64).into();
                row.packets = r.below(16).into();
                u.row.next = row;
            },
        ),
    ]
}

fn wakes() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "sq/wake_set",
            WakeSet::<32, 5, 3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                for i in 0..3 {
                    r.seldom(&mut u.wake[i]);
                    u.index[i].next = r.below(32).into();
                }
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new(
            "sq/epoch_watch",
            EpochWatch::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.seldom(&mut u.state_write);
                u.state_index.next = r.below(8).into();
                r.set(&mut u.state_row);
            },
        ),
        BlockCheck::new(
            "sq/cursor_wakes",
            CursorWakes::<3, 8>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.set(&mut u.asleep_all);
                r.set(&mut u.watched_all);
                drive_control(&mut u.control, r);
                r.seldom(&mut u.state_write);
                u.state_index.next = r.below(8).into();
                r.set(&mut u.state_row);
                r.seldom(&mut u.done_write);
                u.done_index.next = r.below(8).into();
                r.seldom(&mut u.retire_write);
                u.retire_index.next = r.below(8).into();
                r.seldom(&mut u.retired_write);
                u.retired_index.next = r.below(8).into();
                r.seldom(&mut u.land);
                u.land_index.next = r.below(8).into();
                r.seldom(&mut u.voided);
                u.voided_index.next = r.below(8).into();
                r.seldom(&mut u.again);
                u.again_index.next = r.below(8).into();
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new(
            "sq/cursor_bits",
            CursorBits::<3, 8>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                drive_control(&mut u.control, r);
                r.set(&mut u.index);
                for port in [
                    &mut u.engage,
                    &mut u.disengage,
                    &mut u.sleep,
                    &mut u.rouse,
                    &mut u.meet,
                    &mut u.stop,
                    &mut u.forget,
                    &mut u.calm,
                    &mut u.hurry,
                    &mut u.unpark,
                    &mut u.land,
                ] {
                    r.seldom(port);
                }
                r.set(&mut u.hurry_index);
                r.set(&mut u.unpark_index);
                r.set(&mut u.land_index);
            },
        ),
        BlockCheck::new(
            "sq/cursor_tables",
            CursorTables::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.set(&mut u.index);
                r.set(&mut u.row_write);
                r.set(&mut u.row_index);
                r.set(&mut u.row_data);
                r.set(&mut u.state_write);
                r.set(&mut u.state_index);
                r.set(&mut u.state_row);
                r.set(&mut u.done_write);
                r.set(&mut u.done_index);
                r.set(&mut u.done_count);
                r.set(&mut u.retire_write);
                r.set(&mut u.retire_index);
                r.set(&mut u.retire_row);
                r.set(&mut u.retired_write);
                r.set(&mut u.retired_index);
                r.set(&mut u.retired_count);
                r.set(&mut u.context_write);
                r.set(&mut u.context_index);
                r.set(&mut u.context_row);
                r.set(&mut u.attributes_write);
                r.set(&mut u.attributes_index);
                r.set(&mut u.attributes_row);
                r.set(&mut u.returned_write);
                r.set(&mut u.returned_index);
                r.set(&mut u.returned_count);
            },
        )
        .vectors(100),
    ]
}

fn cursor() -> BlockCheck {
    BlockCheck::new(
        "sq/cursor",
        || Cursor::<3, 8, 4, 7>::new(64),
        |u| Some(&mut u.clock),
        |u, r| {
            r.reset(&mut u.reset);
            u.clearing.next = r.chance(1, 64);
            r.set(&mut u.clear_index);
            if r.chance(1, 16) {
                drive_control(&mut u.control, r);
            } else {
                u.control.next = Default::default();
            }
            u.order.data.next = crate::rx::AckOrder { qp: r.below(8).into(), start: true, psn: r.below(8).into() };
            u.order.valid.next = r.chance(1, 32);
            u.window.next = (2 + r.below(16)).into();
            r.seldom(&mut u.others);
            r.seldom(&mut u.context_write);
            u.context_index.next = r.below(4).into();
            drive_context(&mut u.context_row, r);
            r.seldom(&mut u.attributes_write);
            u.attributes_index.next = r.below(4).into();
            let mut attributes: crate::rx::RequesterContext = r.value();
            attributes.mtu = (1 + r.below(5)).into();
            u.attributes_row.next = attributes;
            r.seldom(&mut u.state_write);
            u.state_index.next = r.below(4).into();
            let mut ack: crate::rx::AckState = r.value();
            ack.una = r.below(16).into();
            ack.epoch = r.below(2).into();
            (ack.fail, ack.rnr_wait) = (r.chance(1, 16), r.chance(1, 8));
            u.state_row.next = ack;
            r.seldom(&mut u.done_write);
            u.done_index.next = r.below(4).into();
            r.set(&mut u.done_count);
            r.seldom(&mut u.retire_write);
            u.retire_index.next = r.below(4).into();
            let mut retire: RetireRow = r.value();
            (retire.rseq, retire.lost, retire.total) = (r.below(4).into(), false, 0.into());
            u.retire_row.next = retire;
            r.seldom(&mut u.retired_write);
            u.retired_index.next = r.below(4).into();
            r.set(&mut u.retired_count);
            r.seldom(&mut u.returned_write);
            u.returned_index.next = r.below(4).into();
            r.set(&mut u.returned_count);
            u.hold_all.next = (1u64 << r.below(8)).into();
            u.voided.next = r.chance(1, 16);
            u.voided_index.next = r.below(4).into();
            u.halted_all.next = (1u64 << (4 + r.below(4))).into();
            drive_held(&mut u.held, r);
            r.mostly(&mut u.pass_free);
            r.seldom(&mut u.land);
            u.land_index.next = r.below(4).into();
            r.seldom(&mut u.unpark);
            u.unpark_index.next = r.below(4).into();
            r.source(&mut u.frame);
        },
    )
    .vectors(400)
}

/// Blocks of the cursor and of retirement.
pub fn blocks() -> Vec<BlockCheck> {
    let mut list = parts();
    list.extend(wakes());
    list.extend(retiring());
    list.push(cursor());
    list
}
