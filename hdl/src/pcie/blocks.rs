//! The blocks of this subsystem with the instances and inputs of their checks.
use super::*;
// rust-hdl has a block of that name, too.
use super::Bridge;
use crate::check::RandomDrive;
use rust_hdl::prelude::*;

/// First DWs of TLPs of all kinds with short lengths; anything else would be malformed nearly always.
const KINDS: [u64; 12] = [0x40, 0x00, 0x60, 0x20, 0x4A, 0x0A, 0x02, 0x44, 0x30, 0x01, 0x80, 0x4B];

/// Bytes of the two first DWs of a header.
fn header(r: &mut RandomDrive) -> u64 {
    let kind = KINDS[r.below(12) as usize];
    let length = r.below(6);
    let enables = [0x0F, 0xFF, 0x7E, 0x03, 0x18, 0x00][r.below(6) as usize];
    kind | (length << 24) | (enables << 56) | (r.below(4) << 48)
}

fn stream_word(r: &mut RandomDrive) -> Bits<64> {
    let word = if r.chance(1, 2) { header(r) } else { r.below(u64::MAX) };
    bits(word)
}

fn receive_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new("pcie/swap", SwapDwords::default, |_| None, |u, r| r.set(&mut u.data)),
        BlockCheck::new(
            "pcie/byte_count",
            ByteCount::default,
            |_| None,
            |u, r| {
                u.length.next = bits(1 + r.below(3));
                r.set(&mut u.first);
                r.set(&mut u.last);
            },
        ),
        BlockCheck::new(
            "pcie/receive_enables",
            EnableCheck::default,
            |_| None,
            |u, r| {
                u.length.next = bits(1 + r.below(4));
                r.set(&mut u.first);
                r.set(&mut u.last);
            },
        ),
        BlockCheck::new(
            "pcie/commit_fifo",
            CommitFifo::<Bits<9>, 3, 2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.write);
                r.set(&mut u.data);
                r.seldom(&mut u.commit);
                r.seldom(&mut u.revert);
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new(
            "pcie/limits",
            SizeLimits::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.mps);
                r.set(&mut u.mrrs);
            },
        ),
        BlockCheck::new(
            "pcie/receive_frame",
            ReceiveFrame::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.beat);
                u.beat.data.next.data = stream_word(r);
                u.beat.data.next.half = r.chance(1, 4);
                r.mostly(&mut u.write_room);
                r.mostly(&mut u.request_room);
            },
        ),
        BlockCheck::new(
            "pcie/receive_decode",
            ReceiveDecode::default,
            |_| None,
            |u, r| {
                let word = header(r);
                u.dw[0].next = bits((word as u32).swap_bytes().into());
                u.dw[1].next = bits(((word >> 32) as u32).swap_bytes().into());
                r.set(&mut u.dw[2]);
                r.set(&mut u.dw[3]);
                r.set(&mut u.hits);
                r.set(&mut u.device_id);
                u.payload_dwords.next = bits(r.below(8));
                u.read_dwords.next = bits(r.below(8));
            },
        ),
        BlockCheck::new(
            "pcie/receive_sort",
            ReceiveSort::default,
            |_| None,
            |u, r| {
                r.set(&mut u.head);
                r.mostly(&mut u.finish);
                r.mostly(&mut u.agrees);
            },
        ),
        BlockCheck::new(
            "pcie/receive",
            TlpReceive::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.stream.tdata.next = stream_word(r);
                let half = r.chance(1, 4);
                u.stream.tkeep.next = bits(if half { 0x0F } else { 0xFF });
                u.stream.tlast.next = r.chance(1, 3);
                u.stream.tuser.next = r.chance(1, 8);
                u.stream.tvalid.next = r.chance(3, 4);
                r.mostly(&mut u.bar_hit);
                u.device_id.next = bits(r.below(3) << 8);
                u.payload_dwords.next = bits(4 + r.below(4));
                u.read_dwords.next = bits(4 + r.below(4));
                r.mostly(&mut u.write_room);
                r.mostly(&mut u.request_room);
            },
        )
        .vectors(800),
    ]
}

fn bar_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "pcie/bar_port",
            BarPort::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.start);
                r.set(&mut u.write);
                r.set(&mut u.address);
                r.set(&mut u.data);
                r.set(&mut u.strobes);
                core(&mut u.core, r);
                r.seldom(&mut u.own_done);
                r.set(&mut u.own_response);
                r.set(&mut u.own_value);
            },
        ),
        BlockCheck::new(
            "pcie/bar_answer",
            BarAnswer::default,
            |_| None,
            |u, r| {
                r.set(&mut u.request);
                u.status.next = bits([0, 1, 4][r.below(3) as usize]);
                r.set(&mut u.device_id);
            },
        ),
        BlockCheck::new(
            "pcie/bar_sequence",
            BarSequence::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.device_id);
                r.sink(&mut u.write);
                u.write.data.next.length = bits(1 + r.below(4));
                r.sink(&mut u.beat);
                r.seldom(&mut u.stored);
                r.sink(&mut u.request);
                u.request.data.next.length = bits(1 + r.below(4));
                u.request.data.next.verdict = bits(r.below(4) & 1);
                r.mostly(&mut u.answer_room);
                r.set(&mut u.done);
                u.response.next = bits(r.below(8) / 5);
                r.set(&mut u.value);
            },
        )
        .vectors(800),
        BlockCheck::new(
            "pcie/bar_access",
            BarAccess::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.device_id);
                r.set(&mut u.payload);
                r.seldom(&mut u.payload_valid);
                r.seldom(&mut u.commit);
                r.seldom(&mut u.revert);
                r.set(&mut u.write);
                u.write.next.length = bits(1 + r.below(3));
                r.seldom(&mut u.request_valid);
                r.set(&mut u.request);
                u.request.next.length = bits(1 + r.below(3));
                r.source(&mut u.answer);
                r.source(&mut u.answer_data);
                core(&mut u.core, r);
                r.set(&mut u.own_done);
                r.set(&mut u.own_response);
                r.set(&mut u.own_value);
            },
        ),
        BlockCheck::new(
            "pcie/counters",
            BridgeCounters::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.pulses);
                r.set(&mut u.index);
            },
        ),
        BlockCheck::new(
            "pcie/registers",
            BridgeRegisters::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.start);
                r.set(&mut u.write);
                let page = [0x8000, 0xC000, 0xE000, 0xE200][r.below(4) as usize];
                u.address.next = bits(page + 4 * r.below(12));
                r.mostly(&mut u.whole);
                r.set(&mut u.address_low);
                r.set(&mut u.address_high);
                r.set(&mut u.message);
                r.set(&mut u.masks);
                r.set(&mut u.pending);
                r.set(&mut u.status);
                r.set(&mut u.pulses);
            },
        ),
        BlockCheck::new(
            "pcie/msix_table",
            MsixTable::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.write);
                u.write_index.next = bits(r.below(3));
                r.set(&mut u.write_word);
                r.set(&mut u.data);
                u.index.next = bits(r.below(3));
            },
        ),
        BlockCheck::new(
            "pcie/interrupt",
            Interrupt::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.device_id);
                r.mostly(&mut u.enabled);
                r.seldom(&mut u.irq_valid);
                u.irq_vector.next = bits(r.below(3));
                r.set(&mut u.write);
                u.index.next = bits(r.below(3));
                r.set(&mut u.write_word);
                r.set(&mut u.data);
                r.seldom(&mut u.read);
                r.source(&mut u.header);
                r.source(&mut u.payload);
            },
        )
        .vectors(800),
    ]
}

/// The core's side of AXI4-Lite.
fn core(port: &mut crate::widgets::AxiLiteManager, r: &mut RandomDrive) {
    r.set(&mut port.awready);
    r.set(&mut port.wready);
    r.set(&mut port.bresp);
    r.set(&mut port.bvalid);
    r.set(&mut port.arready);
    r.set(&mut port.rdata);
    r.set(&mut port.rresp);
    r.set(&mut port.rvalid);
}

fn write_bus(bus: &mut crate::widgets::AxiWriteSubordinate<64, 8>, r: &mut RandomDrive) {
    r.set(&mut bus.awid);
    r.set(&mut bus.awaddr);
    r.set(&mut bus.awlen);
    r.set(&mut bus.awvalid);
    r.set(&mut bus.wdata);
    // Mostly whole beats, or the run of the burst would be over at once.
    let strobes = [0xFF, 0xFF, 0xFF, 0xF0, 0x0F, 0x00, 0x3C, 0x5A][r.below(8) as usize];
    bus.wstrb.next = bits(strobes);
    bus.wlast.next = r.chance(1, 4);
    bus.wvalid.next = r.chance(3, 4);
    r.mostly(&mut bus.bready);
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

/// A header whose length fits into a short test.
fn sent(sink: &mut crate::widgets::ChannelSink<TlpHeader>, r: &mut RandomDrive) {
    r.sink(sink);
    let length = r.below(5);
    sink.data.next.dw0 = bits(0x4000_0000 | length.max(1));
    sink.data.next.queue = bits(r.below(3));
}

fn transmit_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "pcie/transmit_order",
            TransmitOrder::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.posted.iter_mut().for_each(|sink| sent(sink, r));
                sent(&mut u.request, r);
                r.set(&mut u.nonposted_ok);
                r.mostly(&mut u.link_up);
                r.source(&mut u.header);
            },
        ),
        BlockCheck::new(
            "pcie/transmit_build",
            TransmitBuild::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                sent(&mut u.header, r);
                r.seldom(&mut u.drops);
                r.sink(&mut u.payload);
                r.source(&mut u.beat);
            },
        ),
        BlockCheck::new(
            "pcie/transmit",
            TlpTransmit::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.posted.iter_mut().for_each(|sink| sent(sink, r));
                r.sink(&mut u.writes);
                r.sink(&mut u.answers);
                r.sink(&mut u.messages);
                sent(&mut u.request, r);
                r.set(&mut u.nonposted_ok);
                r.mostly(&mut u.link_up);
                r.mostly(&mut u.stream.tready);
            },
        ),
    ]
}

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
                r.seldom(&mut u.release);
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
                r.seldom(&mut u.release);
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
                r.mostly(&mut u.completion);
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

fn bridge() -> BlockCheck {
    let drive = |u: &mut Bridge, r: &mut RandomDrive| {
        r.reset(&mut u.reset);
        u.sink.tdata.next = stream_word(r);
        let half = r.chance(1, 4);
        u.sink.tkeep.next = bits(if half { 0x0F } else { 0xFF });
        u.sink.tlast.next = r.chance(1, 3);
        u.sink.tuser.next = r.chance(1, 16);
        r.mostly(&mut u.sink.tvalid);
        u.bar_hit.next = bits(r.below(8));
        r.mostly(&mut u.source.tready);
        r.mostly(&mut u.nonposted_ok);
        u.device_id.next = bits(r.below(2) << 8);
        u.mps.next = bits(r.below(4));
        u.mrrs.next = bits(r.below(4));
        u.bus_master_enable.next = r.chance(31, 32);
        u.link_up.next = r.chance(31, 32);
        core(&mut u.registers, r);
        r.set(&mut u.read.arid);
        r.set(&mut u.read.araddr);
        u.read.arlen.next = bits(r.below(4));
        r.seldom(&mut u.read.arvalid);
        r.mostly(&mut u.read.rready);
        write_bus(&mut u.write, r);
        r.seldom(&mut u.irq_valid);
        r.set(&mut u.irq_vector);
    };
    BlockCheck::new("pcie/bridge", || Bridge::new(400), |u| Some(&mut u.clock), drive).vectors(600)
}

pub(super) fn list() -> Vec<BlockCheck> {
    let mut list = receive_blocks();
    list.extend(bar_blocks());
    list.extend(read_blocks());
    list.extend(write_blocks());
    list.extend(transmit_blocks());
    list.push(bridge());
    list
}
