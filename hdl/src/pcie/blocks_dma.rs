//! Checks of the blocks of DMA.
use super::blocks::write_bus;
use super::*;
use rust_hdl::prelude::*;

fn read_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "pcie/read_split",
            ReadSplit::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.read_beats.next = bits([15, 31, 63][r.below(3) as usize]);
                r.set(&mut u.arid);
                r.set(&mut u.araddr);
                r.set(&mut u.arlen);
                r.set(&mut u.arvalid);
                r.source(&mut u.piece);
            },
        ),
        BlockCheck::new(
            "pcie/read_header",
            ReadHeader::default,
            |_| None,
            |u, r| {
                r.set(&mut u.device_id);
                r.set(&mut u.piece);
                r.set(&mut u.tag);
            },
        ),
        BlockCheck::new(
            "pcie/read_request",
            ReadRequest::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.device_id);
                r.mostly(&mut u.enabled);
                r.seldom(&mut u.fatal);
                u.read_beats.next = bits([15, 31, 63][r.below(3) as usize]);
                r.set(&mut u.arid);
                r.set(&mut u.araddr);
                r.set(&mut u.arlen);
                r.set(&mut u.arvalid);
                r.mostly(&mut u.free);
                r.set(&mut u.free_tag);
                r.source(&mut u.header);
                r.source(&mut u.owed);
            },
        ),
        BlockCheck::new(
            "pcie/read_slot",
            ReadSlot::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.start);
                r.set(&mut u.start_address);
                r.set(&mut u.start_bytes);
                r.seldom(&mut u.complete);
                r.mostly(&mut u.good);
                r.set(&mut u.bytes);
                r.set(&mut u.ends);
                r.set(&mut u.response);
                u.enabled.next = r.chance(63, 64);
                r.set(&mut u.tick);
                r.seldom(&mut u.drained);
            },
        )
        .vectors(1000),
        BlockCheck::new(
            "pcie/read_slots",
            || ReadSlots::new(32),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.enabled.next = r.chance(63, 64);
                r.seldom(&mut u.start);
                r.set(&mut u.start_address);
                r.set(&mut u.start_bytes);
                u.tag.next = bits(r.below(3));
                r.seldom(&mut u.complete);
                r.mostly(&mut u.good);
                r.set(&mut u.bytes);
                r.set(&mut u.ends);
                r.set(&mut u.response);
                u.owed_tag.next = bits(r.below(3));
                r.seldom(&mut u.drained);
            },
        ),
        BlockCheck::new(
            "pcie/read_check",
            CompletionCheck::default,
            |_| None,
            |u, r| {
                r.set(&mut u.head);
                u.head.next.length = bits(1 + r.below(4));
                u.head.next.byte_count = bits(r.below(17));
                u.head.next.status = bits(r.below(8) / 5);
                u.head.next.lower = bits(r.below(2));
                u.missing.next = bits(r.below(17));
                u.address.next = bits(r.below(2));
            },
        ),
        BlockCheck::new(
            "pcie/read_store",
            ReadStore::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.seldom(&mut u.begins);
                u.start.next = bits(r.below(4));
                u.tag.next = bits(r.below(2));
                r.set(&mut u.payload);
                r.mostly(&mut u.write);
                r.mostly(&mut u.read);
                u.read_tag.next = bits(r.below(2));
                u.read_beat.next = bits(r.below(8));
            },
        ),
        BlockCheck::new(
            "pcie/read_return",
            ReadReturn::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.owed);
                u.owed.data.next.more = bits(r.below(3));
                r.mostly(&mut u.ready);
                u.outcome.next = bits(r.below(8) / 5);
                r.set(&mut u.beat);
                r.mostly(&mut u.rready);
            },
        ),
        BlockCheck::new(
            "pcie/read_completion",
            || ReadCompletion::new(64),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.enabled.next = r.chance(63, 64);
                r.set(&mut u.head);
                u.head.next.return_tag = bits(r.below(3));
                u.head.next.length = bits(1 + r.below(4));
                u.head.next.byte_count = bits(4 * (1 + r.below(4)));
                u.head.next.status = bits(r.below(8) / 6);
                u.head.next.lower = bits(0);
                r.seldom(&mut u.begins);
                r.mostly(&mut u.is_completion);
                r.set(&mut u.payload);
                r.seldom(&mut u.completion_valid);
                r.seldom(&mut u.start);
                u.start_address.next = bits(128 * r.below(4));
                u.start_bytes.next = bits(4 * (1 + r.below(4)));
                r.sink(&mut u.owed);
                u.owed.data.next.more = bits(r.below(3));
                u.owed.data.next.tag = bits(r.below(3));
                r.mostly(&mut u.rready);
            },
        )
        .vectors(800),
    ]
}

fn write_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "pcie/write_strobes",
            StrobeShape::default,
            |_| None,
            |u, r| {
                r.set(&mut u.data);
                r.set(&mut u.strobes);
            },
        ),
        BlockCheck::new(
            "pcie/write_run",
            WriteRun::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.seldom(&mut u.clear);
                r.mostly(&mut u.takes);
                r.set(&mut u.strobes);
                r.mostly(&mut u.one_run);
            },
        ),
        BlockCheck::new(
            "pcie/write_header",
            WriteHeader::default,
            |_| None,
            |u, r| {
                r.set(&mut u.device_id);
                r.set(&mut u.address);
                r.set(&mut u.upper);
                u.dwords.next = bits(1 + r.below(4));
                r.set(&mut u.first);
                r.set(&mut u.last);
            },
        ),
        BlockCheck::new(
            "pcie/write_gather",
            WriteGather::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.device_id);
                u.enabled.next = r.chance(31, 32);
                u.payload_beats.next = bits([1, 3, 15][r.below(3) as usize]);
                write_bus(&mut u.bus, r);
                r.source(&mut u.header);
                r.mostly(&mut u.room);
            },
        )
        .vectors(800),
        BlockCheck::new(
            "pcie/write_request",
            WriteRequest::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.device_id);
                u.enabled.next = r.chance(31, 32);
                u.payload_beats.next = bits([1, 3, 15][r.below(3) as usize]);
                write_bus(&mut u.bus, r);
                r.source(&mut u.header);
                r.source(&mut u.payload);
            },
        )
        .vectors(800),
    ]
}

pub(super) fn list() -> Vec<BlockCheck> {
    let mut list = read_blocks();
    list.extend(write_blocks());
    list
}
