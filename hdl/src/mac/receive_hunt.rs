//! Finds frames in what comes from the PHY: at least one byte of preamble, the start delimiter, bytes while RX_DV is set (MC3).
//!
//! PHYs eat preamble, so its length counts for nothing. After reset a frame under way is left out. Latency one cycle.
use rust_hdl::prelude::*;

/// Where in a frame the receiver is.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum HuntState {
    /// In something that is no frame; waits for its end.
    Skip,
    /// Between frames.
    Idle,
    /// In the preamble.
    Preamble,
    /// Behind the start delimiter.
    Data,
}

/// Hunter; `clock` is the receive clock of the PHY.
#[derive(LogicBlock, Default)]
pub struct ReceiveHunt {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Leaves out what is under way.
    pub reset: Signal<In, Bit>,
    /// Byte on the wire.
    pub gmii_rxd: Signal<In, Bits<8>>,
    /// It belongs to a frame.
    pub gmii_rx_dv: Signal<In, Bit>,
    /// The PHY saw an error.
    pub gmii_rx_er: Signal<In, Bit>,
    /// Byte of a frame or its FCS,
    pub octet: Signal<Out, Bits<8>>,
    /// if it counts.
    pub valid: Signal<Out, Bit>,
    /// The frame whose last byte came one or more cycles ago is over.
    pub ends: Signal<Out, Bit>,
    /// RX_ER was set in it.
    pub error: Signal<Out, Bit>,
    /// Something that was no frame is over.
    pub no_frame: Signal<Out, Bit>,
    state: DFF<HuntState>,
    rxd: DFF<Bits<8>>,
    rx_dv: DFF<Bit>,
    rx_er: DFF<Bit>,
    erred: DFF<Bit>,
    foreign: DFF<Bit>,
}

impl Logic for ReceiveHunt {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, rxd, rx_dv, rx_er, erred, foreign);
        self.rxd.d.next = self.gmii_rxd.val();
        self.rx_dv.d.next = self.gmii_rx_dv.val();
        self.rx_er.d.next = self.gmii_rx_er.val();
        self.octet.next = self.rxd.q.val();
        self.valid.next = false;
        self.ends.next = false;
        self.error.next = self.erred.q.val();
        self.no_frame.next = false;
        self.erred.d.next = self.rx_dv.q.val() & (self.erred.q.val() | self.rx_er.q.val());
        match self.state.q.val() {
            HuntState::Skip => {}
            HuntState::Idle => {
                if self.rx_dv.q.val() {
                    self.state.d.next = HuntState::Skip;
                    self.foreign.d.next = true;
                    if self.rxd.q.val() == 0x55 {
                        self.state.d.next = HuntState::Preamble;
                    }
                }
            }
            HuntState::Preamble => {
                if self.rxd.q.val() == 0xD5 {
                    self.state.d.next = HuntState::Data;
                } else if self.rxd.q.val() != 0x55 {
                    self.state.d.next = HuntState::Skip;
                }
            }
            HuntState::Data => {
                self.valid.next = self.rx_dv.q.val();
                self.ends.next = !self.rx_dv.q.val();
                self.foreign.d.next = false;
            }
        }
        if !self.rx_dv.q.val() {
            self.state.d.next = HuntState::Idle;
            self.no_frame.next = self.foreign.q.val() & (self.state.q.val() != HuntState::Data);
            self.foreign.d.next = false;
        }
        if self.reset.val() {
            self.state.d.next = HuntState::Skip;
            self.foreign.d.next = false;
        }
    }
}
