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

/// The core's side of AXI4-Lite.
pub(super) fn core(port: &mut crate::widgets::AxiLiteManager, r: &mut RandomDrive) {
    r.set(&mut port.awready);
    r.set(&mut port.wready);
    r.set(&mut port.bresp);
    r.set(&mut port.bvalid);
    r.set(&mut port.arready);
    r.set(&mut port.rdata);
    r.set(&mut port.rresp);
    r.set(&mut port.rvalid);
}

/// Write channels of the core.
pub(super) fn write_bus(bus: &mut crate::widgets::AxiWriteSubordinate<64, 8>, r: &mut RandomDrive) {
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
    list.extend(blocks_bar::list());
    list.extend(blocks_dma::list());
    list.extend(transmit_blocks());
    list.push(bridge());
    list
}
