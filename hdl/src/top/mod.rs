//! The core with its flat ports, and its export as Verilog.
use crate::check::{BlockCheck, RandomDrive};
use rnic_abi::preset::TINY;

mod core;
mod events;
mod export;
pub mod presets;
mod transport;

pub use core::Rnic;
pub use events::EventMerge;
pub use transport::Transport;
pub use export::{export, export_files, ExportError, PRESETS};

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "top/events",
            EventMerge::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.qp);
                r.seldom(&mut u.fatal);
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new("top/core", || presets::Tiny::new(&TINY), |u| Some(&mut u.clock), drive_core).vectors(40),
    ]
}

/// Random values at every pin: the core must treat nonsense alike in Rust and in Verilog.
fn drive_core(u: &mut presets::Tiny, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    r.set(&mut u.s_axil_awaddr);
    r.set(&mut u.s_axil_awprot);
    r.set(&mut u.s_axil_awvalid);
    r.set(&mut u.s_axil_wdata);
    r.set(&mut u.s_axil_wstrb);
    r.set(&mut u.s_axil_wvalid);
    r.mostly(&mut u.s_axil_bready);
    r.set(&mut u.s_axil_araddr);
    r.set(&mut u.s_axil_arprot);
    r.set(&mut u.s_axil_arvalid);
    r.mostly(&mut u.s_axil_rready);
    r.mostly(&mut u.m_axi_awready);
    r.mostly(&mut u.m_axi_wready);
    r.set(&mut u.m_axi_bid);
    r.set(&mut u.m_axi_bresp);
    r.seldom(&mut u.m_axi_bvalid);
    r.mostly(&mut u.m_axi_arready);
    r.set(&mut u.m_axi_rid);
    r.set(&mut u.m_axi_rdata);
    r.set(&mut u.m_axi_rresp);
    r.set(&mut u.m_axi_rlast);
    r.seldom(&mut u.m_axi_rvalid);
    r.set(&mut u.m_axis_tx_tready);
    r.set(&mut u.s_axis_rx_tdata);
    r.set(&mut u.s_axis_rx_tkeep);
    r.set(&mut u.s_axis_rx_tvalid);
    r.set(&mut u.s_axis_rx_tlast);
    r.set(&mut u.s_axis_rx_tuser);
    r.set(&mut u.irq_ready);
}
