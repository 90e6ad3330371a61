//! A Gigabit port of a board: MAC, RGMII pads, and the resets of their clocks.
use crate::mac::{Cells, GigabitMac, ResetRelease, RgmiiDelays, RgmiiPhy};
use crate::widgets::*;
use rust_hdl::prelude::*;

/// Port with FIFOs of 2^A words each way; P = A + 1.
#[derive(LogicBlock)]
pub struct Port<const A: usize, const P: usize> {
    /// Clock of the core.
    pub core_clock: Signal<In, Clock>,
    /// Reset of the core's side, synchronous.
    pub core_reset: Signal<In, Bit>,
    /// Transmit clock, 125 MHz.
    pub tx_clock: Signal<In, Clock>,
    /// Reset of the clocks of the line, of any clock (CK2); as long as it lasts the port is down (MC6).
    pub down: Signal<In, Bit>,
    /// Frames of the core to be sent.
    pub tx_axis: AxiStreamSubordinate<64, 8>,
    /// Received frames for the core.
    pub rx_axis: AxiStreamManager<64, 8>,
    /// Bad frames received, modulo 2^16 (core's clock).
    pub rx_bad: Signal<Out, Bits<16>>,
    /// Pin.
    pub rgmii_txc: Signal<Out, Bit>,
    /// Pins.
    pub rgmii_txd: Signal<Out, Bits<4>>,
    /// Pin.
    pub rgmii_tx_ctl: Signal<Out, Bit>,
    /// Pin.
    pub rgmii_rxc: Signal<In, Clock>,
    /// Pins.
    pub rgmii_rxd: Signal<In, Bits<4>>,
    /// Pin.
    pub rgmii_rx_ctl: Signal<In, Bit>,
    mac: GigabitMac<A, P>,
    phy: RgmiiPhy,
    tx_release: ResetRelease,
    rx_release: ResetRelease,
}

impl<const A: usize, const P: usize> Port<A, P> {
    /// For frames of up to `longest` bytes with FCS, with the delays of a board.
    pub fn new(longest: usize, delays: RgmiiDelays, cells: Cells) -> Self {
        Self {
            core_clock: Default::default(),
            core_reset: Default::default(),
            tx_clock: Default::default(),
            down: Default::default(),
            tx_axis: Default::default(),
            rx_axis: Default::default(),
            rx_bad: Default::default(),
            rgmii_txc: Default::default(),
            rgmii_txd: Default::default(),
            rgmii_tx_ctl: Default::default(),
            rgmii_rxc: Default::default(),
            rgmii_rxd: Default::default(),
            rgmii_rx_ctl: Default::default(),
            mac: GigabitMac::new(longest),
            phy: RgmiiPhy::new(delays, cells),
            tx_release: Default::default(),
            rx_release: Default::default(),
        }
    }
}

impl<const A: usize, const P: usize> Logic for Port<A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        self.tx_release.clock.next = self.tx_clock.val();
        self.tx_release.asynchronous.next = self.down.val();
        self.rx_release.clock.next = self.rgmii_rxc.val();
        self.rx_release.asynchronous.next = self.down.val();
        self.mac.core_clock.next = self.core_clock.val();
        self.mac.core_reset.next = self.core_reset.val();
        AxiStreamSubordinate::<64, 8>::link(&mut self.tx_axis, &mut self.mac.tx_axis);
        AxiStreamManager::<64, 8>::link(&mut self.rx_axis, &mut self.mac.rx_axis);
        self.rx_bad.next = self.mac.rx_bad.val();
        self.mac.tx_clock.next = self.tx_clock.val();
        self.mac.tx_reset.next = self.tx_release.reset.val();
        self.mac.rx_clock.next = self.rgmii_rxc.val();
        self.mac.rx_reset.next = self.rx_release.reset.val();
        self.phy.tx_clock.next = self.tx_clock.val();
        self.phy.gmii_txd.next = self.mac.gmii_txd.val();
        self.phy.gmii_tx_en.next = self.mac.gmii_tx_en.val();
        self.phy.gmii_tx_er.next = self.mac.gmii_tx_er.val();
        self.mac.gmii_rxd.next = self.phy.gmii_rxd.val();
        self.mac.gmii_rx_dv.next = self.phy.gmii_rx_dv.val();
        self.mac.gmii_rx_er.next = self.phy.gmii_rx_er.val();
        self.rgmii_txc.next = self.phy.rgmii_txc.val();
        self.rgmii_txd.next = self.phy.rgmii_txd.val();
        self.rgmii_tx_ctl.next = self.phy.rgmii_tx_ctl.val();
        self.phy.rgmii_rxc.next = self.rgmii_rxc.val();
        self.phy.rgmii_rxd.next = self.rgmii_rxd.val();
        self.phy.rgmii_rx_ctl.next = self.rgmii_rx_ctl.val();
    }
}
