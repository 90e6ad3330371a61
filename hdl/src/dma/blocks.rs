//! The blocks of this subsystem with the instances and inputs of their checks.
use super::*;
use crate::check::RandomDrive;
use crate::types::{ReadServer, WriteCommand, WriteServer};
use crate::widgets::{AxiReadManager, AxiWriteManager, ChannelSink};
use rust_hdl::prelude::*;

/// A read now and then, with lengths that cross cuts.
fn reads<const DATA: usize>(r: &mut RandomDrive, server: &mut ReadServer<DATA>) {
    r.sink(&mut server.command);
    let command = &mut server.command.data;
    command.next.length = bits(1 + r.below(9000));
}

fn write_command(r: &mut RandomDrive, sink: &mut ChannelSink<WriteCommand>, lanes: u64) {
    r.sink(sink);
    // A burst of at most four beats.
    let length = 1 + r.below(3 * lanes);
    sink.data.next.length = bits(length);
}

fn writes<const DATA: usize>(r: &mut RandomDrive, server: &mut WriteServer<DATA>) {
    write_command(r, &mut server.command, DATA as u64 / 8);
    r.sink(&mut server.beat);
}

fn read_bus<const DATA: usize>(r: &mut RandomDrive, bus: &mut AxiReadManager<DATA>) {
    r.mostly(&mut bus.arready);
    bus.rid.next = bits(r.below(4));
    r.set(&mut bus.rdata);
    r.set(&mut bus.rresp);
    r.mostly(&mut bus.rlast);
    bus.rvalid.next = r.chance(1, 3);
}

fn write_bus<const DATA: usize, const STRB: usize>(r: &mut RandomDrive, bus: &mut AxiWriteManager<DATA, STRB>) {
    r.mostly(&mut bus.awready);
    r.mostly(&mut bus.wready);
    bus.bid.next = bits(r.below(3));
    r.set(&mut bus.bresp);
    bus.bvalid.next = r.chance(1, 2);
}

fn dma<const DATA: usize, const STRB: usize, const READS: usize, const SHARE: usize>(
    u: &mut Dma<DATA, STRB, READS, SHARE>,
    r: &mut RandomDrive,
) {
    r.reset(&mut u.reset);
    r.seldom(&mut u.stop);
    reads(r, &mut u.wqe);
    reads(r, &mut u.receive);
    reads(r, &mut u.list);
    reads(r, &mut u.payload);
    reads(r, &mut u.atomic_read);
    reads(r, &mut u.raw_read);
    writes(r, &mut u.cqe);
    writes(r, &mut u.events);
    writes(r, &mut u.placed);
    writes(r, &mut u.read_data);
    writes(r, &mut u.atomic_write);
    writes(r, &mut u.raw_write);
    read_bus(r, &mut u.read);
    write_bus(r, &mut u.write);
}

fn read_blocks() -> Vec<BlockCheck> {
    let splitter = |u: &mut ReadSplitter<8>, r: &mut RandomDrive| {
        r.reset(&mut u.reset);
        r.sink(&mut u.command);
        let length = 1 + r.below(9000);
        u.command.data.next.length = bits(length);
        r.source(&mut u.burst);
    };
    let wide_splitter = |u: &mut ReadSplitter<64>, r: &mut RandomDrive| {
        r.reset(&mut u.reset);
        r.sink(&mut u.command);
        r.source(&mut u.burst);
    };
    vec![
        BlockCheck::new("dma/splitter", ReadSplitter::<8>::default, |u| Some(&mut u.clock), splitter),
        BlockCheck::new("dma/splitter_512", ReadSplitter::<64>::default, |u| Some(&mut u.clock), wide_splitter),
        BlockCheck::new(
            "dma/credits",
            || Credits::<3>::new(9, 2, 3),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.start.next = bits((1 << r.below(4)) & 7);
                u.finish.next = bits((1 << r.below(5)) & 7);
            },
        ),
        BlockCheck::new(
            "dma/read_issue",
            || ReadIssue::<3, 2>::new([0, 1, 2]),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.stop);
                u.bursts.iter_mut().for_each(|sink| r.sink(sink));
                r.set(&mut u.may);
                r.mostly(&mut u.arready);
            },
        ),
        BlockCheck::new(
            "dma/read_return",
            || ReadReturn::<64, 3>::new([0, 1, 2]),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.rid);
                r.set(&mut u.rdata);
                r.set(&mut u.rresp);
                r.set(&mut u.rlast);
                r.mostly(&mut u.rvalid);
                r.set(&mut u.live);
            },
        ),
        BlockCheck::new(
            "dma/read",
            || ReadEngine::<64, 8, 3, 2>::new([0, 1, 2], 8, 1),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.stop);
                u.clients.iter_mut().for_each(|client| reads(r, client));
                read_bus(r, &mut u.bus);
            },
        ),
    ]
}

fn write_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "dma/write_buffer",
            WriteBuffer::<64, 3, 3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                write_command(r, &mut u.command, 8);
                r.sink(&mut u.beat);
                r.source(&mut u.burst);
                r.source(&mut u.beats);
            },
        ),
        BlockCheck::new(
            "dma/strobes",
            Strobes::<8>::default,
            |_| None,
            |u, r| {
                r.set(&mut u.first);
                r.set(&mut u.last);
                u.first_lane.next = bits(r.below(8));
                u.spare_lanes.next = bits(r.below(8));
            },
        ),
        BlockCheck::new(
            "dma/write_issue",
            || WriteIssue::<2, 1>::new([0, 1]),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.stop);
                u.bursts.iter_mut().for_each(|sink| r.sink(sink));
                r.set(&mut u.may);
                r.mostly(&mut u.free);
                r.mostly(&mut u.awready);
            },
        ),
        BlockCheck::new(
            "dma/write_beats",
            WriteBeats::<64, 8, 2>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.start.next = bits((1 << r.below(8)) & 3);
                r.set(&mut u.burst);
                u.burst.next.last = bits(r.below(4));
                u.beats.iter_mut().for_each(|sink| r.sink(sink));
                r.mostly(&mut u.wready);
            },
        ),
        BlockCheck::new(
            "dma/write_return",
            || WriteReturn::<2>::new([0, 1]),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.bid.next = bits(r.below(3));
                r.set(&mut u.bresp);
                r.mostly(&mut u.bvalid);
                r.set(&mut u.live);
            },
        ),
        BlockCheck::new(
            "dma/write",
            || WriteEngine::<64, 8, 2, 1>::new([0, 1], 16, 2),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.stop);
                u.bursts.iter_mut().for_each(|sink| {
                    r.sink(sink);
                    sink.data.next.last = bits(r.below(3));
                });
                u.beats.iter_mut().for_each(|sink| r.sink(sink));
                write_bus(r, &mut u.bus);
            },
        ),
    ]
}

pub(super) fn list() -> Vec<BlockCheck> {
    let mut list = read_blocks();
    list.extend(write_blocks());
    list.push(BlockCheck::new("dma/engine", Dma::<64, 8, 8, 1>::default, |u| Some(&mut u.clock), dma));
    list.push(
        BlockCheck::new("dma/engine_512", Dma::<512, 64, 128, 4>::default, |u| Some(&mut u.clock), dma).vectors(40),
    );
    list
}
