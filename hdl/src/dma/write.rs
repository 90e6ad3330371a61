//! Write engine: writes of host memory for N buffered clients over one AXI port.
//!
//! The clients' bursts come from `WriteBuffer`s, whose depth is the client's own. Rules: credits (I8), AW and W stable
//! (I7), B always sunk (T107), exact strobes. From a complete burst to AW one cycle, to W two.
use super::{Credits, WriteBeats, WriteBurst, WriteIssue, WriteReturn};
use crate::widgets::{AxiWriteManager, ChannelSink};
use rnic_abi::axi;
use rust_hdl::prelude::*;

/// Engine of N clients (numbered with A bits) on a bus of DATA bits, STRB = DATA / 8.
#[derive(LogicBlock)]
pub struct WriteEngine<const DATA: usize, const STRB: usize, const N: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub reset: Signal<In, Bit>,
    /// Starts no burst; what has begun goes on.
    pub stop: Signal<In, Bit>,
    /// No burst is on the bus.
    pub idle: Signal<Out, Bit>,
    /// Complete bursts of the clients.
    pub bursts: [ChannelSink<WriteBurst>; N],
    /// Their beats.
    pub beats: [ChannelSink<Bits<DATA>>; N],
    /// Client whose oldest burst has ended.
    pub done: Signal<Out, Bits<N>>,
    /// It ended with an error.
    pub failed: Signal<Out, Bit>,
    /// AXI.
    pub bus: AxiWriteManager<DATA, STRB>,
    credits: Credits<N>,
    issue: WriteIssue<N, A>,
    out: WriteBeats<DATA, STRB, N>,
    returns: WriteReturn<N>,
}

impl<const DATA: usize, const STRB: usize, const N: usize, const A: usize> WriteEngine<DATA, STRB, N, A> {
    /// Engine for clients with these AXI ids, with `writes` bursts in flight of which each client of the finished NIC
    /// owns `share`.
    pub fn new(ids: [u8; N], writes: usize, share: usize) -> Self {
        assert_eq!(DATA, 8 * STRB, "lanes of the bus");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            stop: Default::default(),
            idle: Default::default(),
            bursts: std::array::from_fn(|_| Default::default()),
            beats: std::array::from_fn(|_| Default::default()),
            done: Default::default(),
            failed: Default::default(),
            bus: Default::default(),
            credits: Credits::new(writes, share, axi::WRITE_IDS.len()),
            issue: WriteIssue::new(ids),
            out: Default::default(),
            returns: WriteReturn::new(ids),
        }
    }
}

impl<const DATA: usize, const STRB: usize, const N: usize, const A: usize> Logic for WriteEngine<DATA, STRB, N, A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, credits, issue, out, returns);
        self.credits.reset.next = self.reset.val();
        self.issue.reset.next = self.reset.val();
        self.out.reset.next = self.reset.val();
        self.returns.reset.next = self.reset.val();
        self.issue.stop.next = self.stop.val();
        self.issue.may.next = self.credits.may.val();
        self.issue.free.next = self.out.free.val();
        self.out.start.next = self.issue.start.val();
        self.out.burst.next = self.issue.granted.val();
        self.credits.start.next = self.issue.start.val();
        self.credits.finish.next = self.returns.finish.val();
        self.returns.live.next = self.credits.live.val();
        self.done.next = self.returns.finish.val();
        self.failed.next = self.returns.error.val();
        // A burst counts until its B, so AW and W are empty when none counts.
        self.idle.next = self.credits.live.val() == 0;
        for i in 0..N {
            ChannelSink::<WriteBurst>::link(&mut self.bursts[i], &mut self.issue.bursts[i]);
            ChannelSink::<Bits<DATA>>::link(&mut self.beats[i], &mut self.out.beats[i]);
        }
        self.bus.awid.next = self.issue.awid.val();
        self.bus.awaddr.next = self.issue.awaddr.val();
        self.bus.awlen.next = self.issue.awlen.val();
        self.bus.awvalid.next = self.issue.awvalid.val();
        self.issue.awready.next = self.bus.awready.val();
        self.bus.wdata.next = self.out.wdata.val();
        self.bus.wstrb.next = self.out.wstrb.val();
        self.bus.wlast.next = self.out.wlast.val();
        self.bus.wvalid.next = self.out.wvalid.val();
        self.out.wready.next = self.bus.wready.val();
        self.returns.bid.next = self.bus.bid.val();
        self.returns.bresp.next = self.bus.bresp.val();
        self.returns.bvalid.next = self.bus.bvalid.val();
        self.bus.bready.next = true;
    }
}
