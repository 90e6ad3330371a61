//! One register access at a time, to the core over AXI4-Lite or to the bridge's own half of BAR0 (rules BA1, BA5).
//!
//! The answer comes at least three cycles after `start`; the core takes at most 64 (BA4).
use crate::widgets::AxiLiteManager;
use rust_hdl::prelude::*;

/// Access port of BAR0.
#[derive(LogicBlock, Default)]
pub struct BarPort {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the access.
    pub reset: Signal<In, Bit>,
    /// Starts an access; none is under way.
    pub start: Signal<In, Bit>,
    /// It is a write.
    pub write: Signal<In, Bit>,
    /// Offset in BAR0.
    pub address: Signal<In, Bits<16>>,
    /// Data of a write.
    pub data: Signal<In, Bits<32>>,
    /// Its bytes.
    pub strobes: Signal<In, Bits<4>>,
    /// The access has ended.
    pub done: Signal<Out, Bit>,
    /// AXI response.
    pub response: Signal<Out, Bits<2>>,
    /// Data of a read.
    pub value: Signal<Out, Bits<32>>,
    /// The core's registers.
    pub core: AxiLiteManager,
    /// Starts an access to the bridge's registers, which look at `own_*` from then on.
    pub own_start: Signal<Out, Bit>,
    /// It is a write.
    pub own_write: Signal<Out, Bit>,
    /// Offset.
    pub own_address: Signal<Out, Bits<16>>,
    /// Data.
    pub own_data: Signal<Out, Bits<32>>,
    /// Bytes.
    pub own_strobes: Signal<Out, Bits<4>>,
    /// The access has ended.
    pub own_done: Signal<In, Bit>,
    /// AXI response.
    pub own_response: Signal<In, Bits<2>>,
    /// Data of a read.
    pub own_value: Signal<In, Bits<32>>,
    place: DFF<Bits<16>>,
    word: DFF<Bits<32>>,
    bytes: DFF<Bits<4>>,
    writes: DFF<Bit>,
    starts_own: DFF<Bit>,
    address_out: DFF<Bit>,
    word_out: DFF<Bit>,
    read_out: DFF<Bit>,
    awaits_write: DFF<Bit>,
    awaits_read: DFF<Bit>,
    ended: DFF<Bit>,
    code: DFF<Bits<2>>,
    shown: DFF<Bits<32>>,
}

impl Logic for BarPort {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, place, word, bytes, writes, starts_own, address_out, word_out, read_out);
        dff_setup!(self, clock, awaits_write, awaits_read, ended, code, shown);
        self.starts_own.d.next = false;
        self.ended.d.next = false;
        if self.core.awready.val() {
            self.address_out.d.next = false;
        }
        if self.core.wready.val() {
            self.word_out.d.next = false;
        }
        if self.core.arready.val() {
            self.read_out.d.next = false;
        }
        if self.start.val() {
            self.place.d.next = self.address.val();
            self.word.d.next = self.data.val();
            self.bytes.d.next = self.strobes.val();
            self.writes.d.next = self.write.val();
            if self.address.val().get_bit(15) {
                self.starts_own.d.next = true;
            } else {
                self.address_out.d.next = self.write.val();
                self.word_out.d.next = self.write.val();
                self.awaits_write.d.next = self.write.val();
                self.read_out.d.next = !self.write.val();
                self.awaits_read.d.next = !self.write.val();
            }
        }
        if self.awaits_write.q.val() & self.core.bvalid.val() {
            self.awaits_write.d.next = false;
            self.ended.d.next = true;
            self.code.d.next = self.core.bresp.val();
        }
        if self.awaits_read.q.val() & self.core.rvalid.val() {
            self.awaits_read.d.next = false;
            self.ended.d.next = true;
            self.code.d.next = self.core.rresp.val();
            self.shown.d.next = self.core.rdata.val();
        }
        if self.own_done.val() {
            self.ended.d.next = true;
            self.code.d.next = self.own_response.val();
            self.shown.d.next = self.own_value.val();
        }
        if self.reset.val() {
            self.starts_own.d.next = false;
            self.address_out.d.next = false;
            self.word_out.d.next = false;
            self.read_out.d.next = false;
            self.awaits_write.d.next = false;
            self.awaits_read.d.next = false;
            self.ended.d.next = false;
        }
        self.core.awaddr.next = self.place.q.val();
        self.core.awvalid.next = self.address_out.q.val();
        self.core.wdata.next = self.word.q.val();
        self.core.wstrb.next = self.bytes.q.val();
        self.core.wvalid.next = self.word_out.q.val();
        self.core.bready.next = self.awaits_write.q.val();
        self.core.araddr.next = self.place.q.val();
        self.core.arvalid.next = self.read_out.q.val();
        self.core.rready.next = self.awaits_read.q.val();
        self.own_start.next = self.starts_own.q.val();
        self.own_write.next = self.writes.q.val();
        self.own_address.next = self.place.q.val();
        self.own_data.next = self.word.q.val();
        self.own_strobes.next = self.bytes.q.val();
        self.done.next = self.ended.q.val();
        self.response.next = self.code.q.val();
        self.value.next = self.shown.q.val();
    }
}
