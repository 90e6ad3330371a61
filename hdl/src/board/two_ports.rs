//! A board with two Gigabit PHYs (Colorlight i5 and i9): port A is the RoCE wire, port B the host link.
//!
//! Below the PLL, so that a simulation drives each clock by itself (MC13). Port names are those of the board's constraints.
use super::{BoardSetup, Nic, Port, StatusLed};
use crate::mac::{Mdio, ResetRelease, LONGEST_LINK_FRAME};
use crate::widgets::*;
use rust_hdl::prelude::*;

/// The NIC `small` on two ports that share their management bus.
///
/// Frames of the wire may have 1,514 bytes: a path MTU of 1,024. Longer ones would take eight block RAMs more (MC4).
#[derive(LogicBlock)]
pub struct TwoPorts {
    /// Clock of the core.
    pub core_clock: Signal<In, Clock>,
    /// Transmit clock, 125 MHz.
    pub tx_clock: Signal<In, Clock>,
    /// Not locked, or the button: of any clock (CK2).
    pub reset: Signal<In, Bit>,
    pub led_n: Signal<Out, Bit>,
    pub phy_rst_n: Signal<Out, Bit>,
    pub mdc: Signal<Out, Bit>,
    pub mdio_out: Signal<Out, Bit>,
    pub mdio_drive: Signal<Out, Bit>,
    pub mdio_in: Signal<In, Bit>,
    pub a_txc: Signal<Out, Bit>,
    pub a_txd: Signal<Out, Bits<4>>,
    pub a_tx_ctl: Signal<Out, Bit>,
    pub a_rxc: Signal<In, Clock>,
    pub a_rxd: Signal<In, Bits<4>>,
    pub a_rx_ctl: Signal<In, Bit>,
    pub b_txc: Signal<Out, Bit>,
    pub b_txd: Signal<Out, Bits<4>>,
    pub b_tx_ctl: Signal<Out, Bit>,
    pub b_rxc: Signal<In, Clock>,
    pub b_rxd: Signal<In, Bits<4>>,
    pub b_rx_ctl: Signal<In, Bit>,
    nic: Nic,
    a: Port<9, 10>,
    b: Port<9, 10>,
    management: Mdio<2, 0>,
    led: StatusLed,
    core_release: ResetRelease,
    held: DFF<Bit>,
    down_a: DFF<Bit>,
    down_b: DFF<Bit>,
    usable: Signal<Local, Bits<2>>,
}

impl TwoPorts {
    /// For a board.
    pub fn new(setup: &BoardSetup) -> Self {
        Self {
            core_clock: Default::default(),
            tx_clock: Default::default(),
            reset: Default::default(),
            led_n: Default::default(),
            phy_rst_n: Default::default(),
            mdc: Default::default(),
            mdio_out: Default::default(),
            mdio_drive: Default::default(),
            mdio_in: Default::default(),
            a_txc: Default::default(),
            a_txd: Default::default(),
            a_tx_ctl: Default::default(),
            a_rxc: Default::default(),
            a_rxd: Default::default(),
            a_rx_ctl: Default::default(),
            b_txc: Default::default(),
            b_txd: Default::default(),
            b_tx_ctl: Default::default(),
            b_rxc: Default::default(),
            b_rxd: Default::default(),
            b_rx_ctl: Default::default(),
            nic: Nic::new(setup.link),
            a: Port::new(LONGEST_LINK_FRAME, setup.delays, setup.cells),
            b: Port::new(LONGEST_LINK_FRAME, setup.delays, setup.cells),
            management: Mdio::with_timing(setup.cycles_per_ms, setup.mdc_half_period, [0, 1], []),
            led: StatusLed::new(setup.cycles_per_ms),
            core_release: Default::default(),
            held: Default::default(),
            down_a: Default::default(),
            down_b: Default::default(),
            usable: Default::default(),
        }
    }
}

impl Logic for TwoPorts {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, core_clock, held, down_a, down_b);
        self.core_release.clock.next = self.core_clock.val();
        self.core_release.asynchronous.next = self.reset.val();
        self.held.d.next = self.core_release.reset.val();
        self.nic.clock.next = self.core_clock.val();
        self.nic.reset.next = self.held.q.val();
        self.led.clock.next = self.core_clock.val();
        self.led.reset.next = self.held.q.val();
        self.led.up.next = self.nic.up.val();
        self.led.trouble.next = self.nic.trouble.val();
        self.led.fatal.next = self.nic.fatal.val();
        self.led_n.next = !self.led.lit.val();

        // PHYs: a port whose link is not one of 1000 Mb/s is down (MC6).
        self.management.clock.next = self.core_clock.val();
        self.management.reset.next = self.held.q.val();
        self.phy_rst_n.next = self.management.phy_reset_n.val();
        self.mdc.next = self.management.mdc.val();
        self.mdio_out.next = self.management.mdio_out.val();
        self.mdio_drive.next = self.management.mdio_drive.val();
        self.management.mdio_in.next = self.mdio_in.val();
        self.usable.next = self.management.link.val() & self.management.gigabit.val();
        self.down_a.d.next = self.held.q.val() | !self.usable.val().get_bit(0);
        self.down_b.d.next = self.held.q.val() | !self.usable.val().get_bit(1);

        // The RoCE wire.
        self.a.core_clock.next = self.core_clock.val();
        self.a.core_reset.next = self.held.q.val();
        self.a.tx_clock.next = self.tx_clock.val();
        self.a.down.next = self.down_a.q.val();
        AxiStreamManager::<64, 8>::join(&mut self.nic.wire_tx, &mut self.a.tx_axis);
        AxiStreamManager::<64, 8>::join(&mut self.a.rx_axis, &mut self.nic.wire_rx);
        self.a_txc.next = self.a.rgmii_txc.val();
        self.a_txd.next = self.a.rgmii_txd.val();
        self.a_tx_ctl.next = self.a.rgmii_tx_ctl.val();
        self.a.rgmii_rxc.next = self.a_rxc.val();
        self.a.rgmii_rxd.next = self.a_rxd.val();
        self.a.rgmii_rx_ctl.next = self.a_rx_ctl.val();

        // The host link.
        self.b.core_clock.next = self.core_clock.val();
        self.b.core_reset.next = self.held.q.val();
        self.b.tx_clock.next = self.tx_clock.val();
        self.b.down.next = self.down_b.q.val();
        AxiStreamManager::<64, 8>::join(&mut self.nic.link_tx, &mut self.b.tx_axis);
        AxiStreamManager::<64, 8>::join(&mut self.b.rx_axis, &mut self.nic.link_rx);
        self.b_txc.next = self.b.rgmii_txc.val();
        self.b_txd.next = self.b.rgmii_txd.val();
        self.b_tx_ctl.next = self.b.rgmii_tx_ctl.val();
        self.b.rgmii_rxc.next = self.b_rxc.val();
        self.b.rgmii_rxd.next = self.b_rxd.val();
        self.b.rgmii_rx_ctl.next = self.b_rx_ctl.val();
    }
}
