//! The NIC of a board in the core's clock domain: a core and its host link between two streams of frames.
use super::{HostLink, CORE_KHZ};
use crate::link::LinkSetup;
use crate::top::presets::Small;
use crate::widgets::*;
use rnic_abi::preset::{Preset, SMALL};
use rust_hdl::prelude::*;

/// With the core `small`: on ECP5, `tiny` is no smaller (docs, fit).
#[derive(LogicBlock)]
pub struct Nic {
    /// Clock of the core.
    pub clock: Signal<In, Clock>,
    /// Reset, synchronous.
    pub reset: Signal<In, Bit>,
    /// Frames of the host link, from the MAC.
    pub link_rx: AxiStreamSubordinate<64, 8>,
    /// Frames of the host link, for the MAC.
    pub link_tx: AxiStreamManager<64, 8>,
    /// Frames of the RoCE wire, from the MAC.
    pub wire_rx: AxiStreamSubordinate<64, 8>,
    /// Frames of the RoCE wire, for the MAC.
    pub wire_tx: AxiStreamManager<64, 8>,
    /// There is a session.
    pub up: Signal<Out, Bit>,
    /// Something went wrong on the link in this cycle.
    pub trouble: Signal<Out, Bit>,
    /// No DMA read is possible until the next session (RD7).
    pub fatal: Signal<Out, Bit>,
    host: HostLink,
    core: Small,
}

impl Nic {
    /// With the link of a board.
    pub fn new(setup: LinkSetup) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            link_rx: Default::default(),
            link_tx: Default::default(),
            wire_rx: Default::default(),
            wire_tx: Default::default(),
            up: Default::default(),
            trouble: Default::default(),
            fatal: Default::default(),
            host: HostLink::new(setup),
            core: Small::new(&Preset { core_khz: CORE_KHZ, ..SMALL }),
        }
    }
}

impl Logic for Nic {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, host, core);
        self.host.reset.next = self.reset.val();
        self.core.reset.next = self.host.core_reset.val();
        AxiStreamSubordinate::<64, 8>::link(&mut self.link_rx, &mut self.host.rx);
        AxiStreamManager::<64, 8>::link(&mut self.link_tx, &mut self.host.tx);
        self.up.next = self.host.up.val();
        self.trouble.next = self.host.trouble.val();
        self.fatal.next = self.host.fatal.val();

        // Registers.
        self.core.s_axil_awaddr.next = self.host.registers.awaddr.val();
        self.core.s_axil_awprot.next = 0.into();
        self.core.s_axil_awvalid.next = self.host.registers.awvalid.val();
        self.host.registers.awready.next = self.core.s_axil_awready.val();
        self.core.s_axil_wdata.next = self.host.registers.wdata.val();
        self.core.s_axil_wstrb.next = self.host.registers.wstrb.val();
        self.core.s_axil_wvalid.next = self.host.registers.wvalid.val();
        self.host.registers.wready.next = self.core.s_axil_wready.val();
        self.host.registers.bresp.next = self.core.s_axil_bresp.val();
        self.host.registers.bvalid.next = self.core.s_axil_bvalid.val();
        self.core.s_axil_bready.next = self.host.registers.bready.val();
        self.core.s_axil_araddr.next = self.host.registers.araddr.val();
        self.core.s_axil_arprot.next = 0.into();
        self.core.s_axil_arvalid.next = self.host.registers.arvalid.val();
        self.host.registers.arready.next = self.core.s_axil_arready.val();
        self.host.registers.rdata.next = self.core.s_axil_rdata.val();
        self.host.registers.rresp.next = self.core.s_axil_rresp.val();
        self.host.registers.rvalid.next = self.core.s_axil_rvalid.val();
        self.core.s_axil_rready.next = self.host.registers.rready.val();

        // Memory; bursts are of one kind and all beats full, so the constant signals say nothing.
        self.host.read.arid.next = self.core.m_axi_arid.val();
        self.host.read.araddr.next = self.core.m_axi_araddr.val();
        self.host.read.arlen.next = self.core.m_axi_arlen.val();
        self.host.read.arvalid.next = self.core.m_axi_arvalid.val();
        self.core.m_axi_arready.next = self.host.read.arready.val();
        self.core.m_axi_rid.next = self.host.read.rid.val();
        self.core.m_axi_rdata.next = self.host.read.rdata.val();
        self.core.m_axi_rresp.next = self.host.read.rresp.val();
        self.core.m_axi_rlast.next = self.host.read.rlast.val();
        self.core.m_axi_rvalid.next = self.host.read.rvalid.val();
        self.host.read.rready.next = self.core.m_axi_rready.val();
        self.host.write.awid.next = self.core.m_axi_awid.val();
        self.host.write.awaddr.next = self.core.m_axi_awaddr.val();
        self.host.write.awlen.next = self.core.m_axi_awlen.val();
        self.host.write.awvalid.next = self.core.m_axi_awvalid.val();
        self.core.m_axi_awready.next = self.host.write.awready.val();
        self.host.write.wdata.next = self.core.m_axi_wdata.val();
        self.host.write.wstrb.next = self.core.m_axi_wstrb.val();
        self.host.write.wlast.next = self.core.m_axi_wlast.val();
        self.host.write.wvalid.next = self.core.m_axi_wvalid.val();
        self.core.m_axi_wready.next = self.host.write.wready.val();
        self.core.m_axi_bid.next = self.host.write.bid.val();
        self.core.m_axi_bresp.next = self.host.write.bresp.val();
        self.core.m_axi_bvalid.next = self.host.write.bvalid.val();
        self.host.write.bready.next = self.core.m_axi_bready.val();
        self.host.irq_valid.next = self.core.irq_valid.val();
        self.host.irq_vector.next = self.core.irq_vector.val();
        self.core.irq_ready.next = self.host.irq_ready.val();

        // The RoCE wire.
        self.wire_tx.tdata.next = self.core.m_axis_tx_tdata.val();
        self.wire_tx.tkeep.next = self.core.m_axis_tx_tkeep.val();
        self.wire_tx.tvalid.next = self.core.m_axis_tx_tvalid.val();
        self.wire_tx.tlast.next = self.core.m_axis_tx_tlast.val();
        self.wire_tx.tuser.next = self.core.m_axis_tx_tuser.val();
        self.core.m_axis_tx_tready.next = self.wire_tx.tready.val();
        self.core.s_axis_rx_tdata.next = self.wire_rx.tdata.val();
        self.core.s_axis_rx_tkeep.next = self.wire_rx.tkeep.val();
        self.core.s_axis_rx_tvalid.next = self.wire_rx.tvalid.val();
        self.core.s_axis_rx_tlast.next = self.wire_rx.tlast.val();
        self.core.s_axis_rx_tuser.next = self.wire_rx.tuser.val();
        self.wire_rx.tready.next = self.core.s_axis_rx_tready.val();
    }
}
