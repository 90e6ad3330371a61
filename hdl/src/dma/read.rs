//! Read engine: reads of host memory for N clients over one AXI port.
//!
//! Rules: at most 256 beats and no 4 KiB crossing (`ReadSplitter`), credits (I8, `Credits`), AR stable (I7, `ReadIssue`),
//! R always sunk (T107, `ReadReturn`). From a command to its AR four cycles; one AR and one beat a cycle.
use super::{Credits, ReadBurst, ReadIssue, ReadReturn, ReadSplitter};
use crate::types::{ReadCommand, ReadServer};
use crate::widgets::{AxiReadManager, ChannelSource, Slot};
use rnic_abi::axi;
use rust_hdl::prelude::*;

/// Engine of N clients (numbered with A bits) on a bus of DATA bits, STRB = DATA / 8.
#[derive(LogicBlock)]
pub struct ReadEngine<const DATA: usize, const STRB: usize, const N: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub reset: Signal<In, Bit>,
    /// Starts no burst; what is on the bus goes on.
    pub stop: Signal<In, Bit>,
    /// No burst is on the bus.
    pub idle: Signal<Out, Bit>,
    /// The clients.
    pub clients: [ReadServer<DATA>; N],
    /// AXI.
    pub bus: AxiReadManager<DATA>,
    /// They keep the sums of the splitters out of the clients' `ready`.
    commands: [Slot<ReadCommand>; N],
    splitters: [ReadSplitter<STRB>; N],
    credits: Credits<N>,
    issue: ReadIssue<N, A>,
    returns: ReadReturn<DATA, N>,
}

impl<const DATA: usize, const STRB: usize, const N: usize, const A: usize> ReadEngine<DATA, STRB, N, A> {
    /// Engine for clients with these AXI ids, with `reads` bursts in flight of which each client of the finished NIC
    /// owns `share`.
    pub fn new(ids: [u8; N], reads: usize, share: usize) -> Self {
        assert_eq!(DATA, 8 * STRB, "lanes of the bus");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            stop: Default::default(),
            idle: Default::default(),
            clients: std::array::from_fn(|_| Default::default()),
            bus: Default::default(),
            commands: std::array::from_fn(|_| Default::default()),
            splitters: std::array::from_fn(|_| Default::default()),
            credits: Credits::new(reads, share, axi::READ_CLIENTS as usize),
            issue: ReadIssue::new(ids),
            returns: ReadReturn::new(ids),
        }
    }
}

impl<const DATA: usize, const STRB: usize, const N: usize, const A: usize> Logic for ReadEngine<DATA, STRB, N, A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, credits, issue, returns);
        self.credits.reset.next = self.reset.val();
        self.issue.reset.next = self.reset.val();
        self.returns.reset.next = self.reset.val();
        self.issue.stop.next = self.stop.val();
        self.issue.may.next = self.credits.may.val();
        self.credits.start.next = self.issue.start.val();
        self.credits.finish.next = self.returns.finish.val();
        self.returns.live.next = self.credits.live.val();
        // A burst counts from the cycle in which AR is first shown.
        self.idle.next = self.credits.live.val() == 0;
        for i in 0..N {
            self.splitters[i].clock.next = self.clock.val();
            self.splitters[i].reset.next = self.reset.val();
            self.commands[i].clock.next = self.clock.val();
            self.commands[i].reset.next = self.reset.val();
            self.commands[i].sink.data.next = self.clients[i].command.data.val();
            self.commands[i].sink.valid.next = self.clients[i].command.valid.val();
            self.clients[i].command.ready.next = self.commands[i].sink.ready.val();
            ChannelSource::<ReadCommand>::join(&mut self.commands[i].source, &mut self.splitters[i].command);
            ChannelSource::<ReadBurst>::join(&mut self.splitters[i].burst, &mut self.issue.bursts[i]);
            self.clients[i].beat_valid.next = self.returns.valid.val().get_bit(i);
            self.clients[i].beat_data.next = self.returns.data.val();
            self.clients[i].beat_error.next = self.returns.error.val();
        }
        self.bus.arid.next = self.issue.arid.val();
        self.bus.araddr.next = self.issue.araddr.val();
        self.bus.arlen.next = self.issue.arlen.val();
        self.bus.arvalid.next = self.issue.arvalid.val();
        self.issue.arready.next = self.bus.arready.val();
        self.returns.rid.next = self.bus.rid.val();
        self.returns.rdata.next = self.bus.rdata.val();
        self.returns.rresp.next = self.bus.rresp.val();
        self.returns.rlast.next = self.bus.rlast.val();
        self.returns.rvalid.next = self.bus.rvalid.val();
        self.bus.rready.next = true;
    }
}
