//! AXI4-Lite side of the BAR: takes AW and W in any order, and hands one access at a time to the access sequencer.
//!
//! Responses wait in registers of their own, so that a master that holds up B does not hold up a read, nor R a write; a read
//! and a write that wait together take turns, so that neither starves. Latency from the last of AW and W, or from AR, to
//! `access`: two cycles; from `finish` to B or R: one.
use crate::widgets::AxiLiteSubordinate;
use rust_hdl::prelude::*;

/// One access at a time from AXI4-Lite.
#[derive(LogicBlock, Default)]
pub struct Front {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all accesses (the port reset alone: a reset by register must still be answered).
    pub reset: Signal<In, Bit>,
    /// The bus.
    pub bus: AxiLiteSubordinate,
    /// An access is to be served; held with all that follows until `finish`.
    pub access: Signal<Out, Bit>,
    /// It is a write.
    pub write: Signal<Out, Bit>,
    /// Its byte address.
    pub address: Signal<Out, Bits<16>>,
    /// What it writes.
    pub data: Signal<Out, Bits<32>>,
    /// It writes a whole word: all strobes, and an address that allows them.
    pub whole: Signal<Out, Bit>,
    /// The access ends with `response` and, for a read, `answer`.
    pub finish: Signal<In, Bit>,
    /// AXI response code.
    pub response: Signal<In, Bits<2>>,
    /// Data of a read.
    pub answer: Signal<In, Bits<32>>,
    write_address: DFF<Bits<16>>,
    has_write_address: DFF<Bit>,
    write_data: DFF<Bits<32>>,
    write_whole: DFF<Bit>,
    has_write_data: DFF<Bit>,
    read_address: DFF<Bits<16>>,
    has_read_address: DFF<Bit>,
    /// An access is with the sequencer.
    serving: DFF<Bit>,
    /// It, or else the last one, is a write.
    writing: DFF<Bit>,
    write_response: DFF<Bits<2>>,
    has_write_response: DFF<Bit>,
    read_response: DFF<Bits<2>>,
    read_data: DFF<Bits<32>>,
    has_read_response: DFF<Bit>,
    can_write: Signal<Local, Bit>,
    can_read: Signal<Local, Bit>,
}

impl Logic for Front {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_address, has_write_address, write_data, write_whole, has_write_data);
        dff_setup!(self, clock, read_address, has_read_address, serving, writing);
        dff_setup!(self, clock, write_response, has_write_response, read_response, read_data, has_read_response);
        self.bus.awready.next = !self.has_write_address.q.val();
        self.bus.wready.next = !self.has_write_data.q.val();
        self.bus.arready.next = !self.has_read_address.q.val();
        self.bus.bvalid.next = self.has_write_response.q.val();
        self.bus.bresp.next = self.write_response.q.val();
        self.bus.rvalid.next = self.has_read_response.q.val();
        self.bus.rresp.next = self.read_response.q.val();
        self.bus.rdata.next = self.read_data.q.val();
        self.access.next = self.serving.q.val();
        self.write.next = self.writing.q.val();
        self.data.next = self.write_data.q.val();
        self.whole.next = self.write_whole.q.val() & (self.write_address.q.val().get_bits::<2>(0) == 0);
        self.address.next = self.read_address.q.val();
        if self.writing.q.val() {
            self.address.next = self.write_address.q.val();
        }
        // Intake.
        if self.bus.awvalid.val() & !self.has_write_address.q.val() {
            self.write_address.d.next = self.bus.awaddr.val();
            self.has_write_address.d.next = true;
        }
        if self.bus.wvalid.val() & !self.has_write_data.q.val() {
            self.write_data.d.next = self.bus.wdata.val();
            self.write_whole.d.next = self.bus.wstrb.val().all();
            self.has_write_data.d.next = true;
        }
        if self.bus.arvalid.val() & !self.has_read_address.q.val() {
            self.read_address.d.next = self.bus.araddr.val();
            self.has_read_address.d.next = true;
        }
        // Responses leave.
        if self.bus.bready.val() {
            self.has_write_response.d.next = false;
        }
        if self.bus.rready.val() {
            self.has_read_response.d.next = false;
        }
        // Choice: only an access whose response has a place.
        self.can_write.next =
            self.has_write_address.q.val() & self.has_write_data.q.val() & !self.has_write_response.q.val();
        self.can_read.next = self.has_read_address.q.val() & !self.has_read_response.q.val();
        if !self.serving.q.val() & (self.can_write.val() | self.can_read.val()) {
            self.serving.d.next = true;
            self.writing.d.next = self.can_write.val() & (!self.can_read.val() | !self.writing.q.val());
        }
        if self.serving.q.val() & self.finish.val() {
            self.serving.d.next = false;
            if self.writing.q.val() {
                self.has_write_address.d.next = false;
                self.has_write_data.d.next = false;
                self.has_write_response.d.next = true;
                self.write_response.d.next = self.response.val();
            } else {
                self.has_read_address.d.next = false;
                self.has_read_response.d.next = true;
                self.read_response.d.next = self.response.val();
                self.read_data.d.next = self.answer.val();
            }
        }
        if self.reset.val() {
            self.has_write_address.d.next = false;
            self.has_write_data.d.next = false;
            self.has_read_address.d.next = false;
            self.serving.d.next = false;
            self.has_write_response.d.next = false;
            self.has_read_response.d.next = false;
        }
    }
}
