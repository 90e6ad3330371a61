//! The host's side of BAR0: one AXI4-Lite access at a time.
use super::fault::Response;
use super::shared::Shared;
use crate::core::{Inputs, Outputs};

/// An access to BAR0. Offsets are bytes, values 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarRequest {
    /// Reads a register.
    Read {
        /// Byte offset.
        offset: u16,
    },
    /// Writes the bytes of a register whose strobe is set.
    Write {
        /// Byte offset.
        offset: u16,
        /// The value.
        value: u32,
        /// One bit a byte; 15 is the whole register.
        strobes: u8,
    },
}

/// What the device answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarAnswer {
    /// Value read; 0 for a write.
    pub value: u32,
    /// OKAY, SLVERR or DECERR.
    pub response: Response,
    /// Cycles from the request to the response's handshake.
    pub cycles: u32,
}

/// The access on its way.
#[derive(Debug, Default)]
pub(super) struct BarMaster {
    request: Option<BarRequest>,
    answer: Option<BarAnswer>,
    cycles: u32,
    data_offered: bool,
}

impl BarMaster {
    /// Begins an access; the one before must have been answered.
    pub fn start(&mut self, request: BarRequest, inputs: &mut Inputs, shared: &mut Shared) {
        assert!(self.request.is_none(), "one BAR access at a time");
        (self.request, self.answer, self.cycles) = (Some(request), None, 0);
        match request {
            BarRequest::Read { offset } => {
                inputs.araddr = offset;
                inputs.arvalid = 1;
                inputs.rready = 1;
            }
            BarRequest::Write { offset, value, strobes } => {
                inputs.awaddr = offset;
                inputs.awvalid = 1;
                inputs.wdata = value;
                inputs.wstrb = strobes & 15;
                // The two channels are independent: under back-pressure the data may come later.
                inputs.wvalid = u8::from(!shared.stall());
                inputs.bready = 1;
            }
        }
        self.data_offered = inputs.wvalid == 1;
    }

    /// The answer, once.
    pub fn take_answer(&mut self) -> Option<BarAnswer> {
        self.answer.take()
    }

    /// The access that has no answer yet.
    pub fn waiting(&self) -> Option<BarRequest> {
        self.request
    }

    /// One rising edge: takes the handshakes and sets the inputs of the next cycle.
    pub fn clock(&mut self, outputs: &Outputs, inputs: &mut Inputs, shared: &mut Shared) {
        let Some(request) = self.request else { return };
        self.cycles += 1;
        let cycles = self.cycles;
        match request {
            BarRequest::Read { .. } => {
                inputs.arvalid &= 1 ^ outputs.s_arready;
                if outputs.s_rvalid & inputs.rready == 1 {
                    self.finish(BarAnswer { value: outputs.s_rdata, response: outputs.s_rresp, cycles });
                    inputs.rready = 0;
                }
            }
            BarRequest::Write { .. } => {
                inputs.awvalid &= 1 ^ outputs.s_awready;
                if !self.data_offered {
                    self.data_offered = !shared.stall();
                    inputs.wvalid = self.data_offered.into();
                } else {
                    inputs.wvalid &= 1 ^ outputs.s_wready;
                }
                if outputs.s_bvalid & inputs.bready == 1 {
                    self.finish(BarAnswer { value: 0, response: outputs.s_bresp, cycles });
                    inputs.bready = 0;
                }
            }
        }
    }

    fn finish(&mut self, answer: BarAnswer) {
        self.answer = Some(answer);
        self.request = None;
    }
}
