//! The core with its flat ports, and its export as Verilog.
use crate::check::{BlockCheck, RandomDrive};
use rnic_abi::preset::TINY;

mod core;
mod events;
mod export;
mod parts;
pub mod presets;
mod transport;

pub use core::Rnic;
pub use events::EventMerge;
pub(crate) use export::export_with;
pub use export::{export, export_at, export_files, ExportError, PRESETS};
pub use parts::{export_part, HARD_BLOCK_TIMEOUT_MS, PARTS};
pub use transport::Transport;

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
        BlockCheck::new("top/transport", TinyTransport::default, |u| Some(&mut u.clock), drive_transport).vectors(30),
        BlockCheck::new("top/core", || presets::Tiny::new(&TINY), |u| Some(&mut u.clock), drive_core).vectors(40),
    ]
}

/// The transport at the sizes of `tiny`.
type TinyTransport = Transport<64, 8, 3, 8, 4, 7, 8, 11, 10, 5, 10, 1, 4, 2>;

fn drive_transport(u: &mut TinyTransport, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    r.seldom(&mut u.clearing);
    r.set(&mut u.clear_index);
    r.mostly(&mut u.wire_out.tready);
    r.seldom(&mut u.wire_stop);
    r.seldom(&mut u.voided);
    r.set(&mut u.voided_index);
    r.set(&mut u.wire_in.tdata);
    r.set(&mut u.wire_in.tkeep);
    r.mostly(&mut u.wire_in.tvalid);
    u.wire_in.tlast.next = r.chance(1, 10);
    r.seldom(&mut u.wire_in.tuser);
    r.mostly(&mut u.enable);
    r.mostly(&mut u.promiscuous);
    r.set(&mut u.drop_when_full);
    r.set(&mut u.migreq);
    r.set(&mut u.own_mac);
    u.own_addresses.iter_mut().for_each(|address| r.set(address));
    r.set(&mut u.now);
    r.source(&mut u.drop);
    r.source(&mut u.syndrome);
    r.set(&mut u.context_write);
    r.set(&mut u.context_index);
    r.set(&mut u.responder_context);
    r.set(&mut u.requester_context);
    r.set(&mut u.respond_context);
    r.set(&mut u.wire_path);
    r.set(&mut u.rq_context_write);
    r.set(&mut u.rq_context_index);
    r.set(&mut u.rq_context);
    r.set(&mut u.control);
    u.order_start.next = r.chance(1, 4);
    u.order_clear.next = r.chance(1, 4);
    r.set(&mut u.order_index);
    r.set(&mut u.order_psn);
    r.sink(&mut u.ack_order);
    r.set(&mut u.send.frame);
    r.set(&mut u.send.span);
    r.mostly(&mut u.send.valid);
    r.source(&mut u.lost);
    r.set(&mut u.public_write);
    r.set(&mut u.public_index);
    r.set(&mut u.public_row);
    r.set(&mut u.open_write);
    r.set(&mut u.open_index);
    r.set(&mut u.open_slot);
    r.set(&mut u.open_head);
    r.set(&mut u.open_sink);
    u.drain_mark.next = r.chance(1, 4);
    u.wire_mark.next = r.chance(1, 4);
    r.source(&mut u.failed);
    r.source(&mut u.notice);
    r.set(&mut u.rest_index);
    r.set(&mut u.posted_write);
    r.set(&mut u.posted_index);
    r.set(&mut u.posted_count);
    r.source(&mut u.cqe);
    r.source(&mut u.invalidate);
    r.sink(&mut u.invalidated);
    u.answered.next = r.chance(1, 4);
    r.set(&mut u.answer);
    u.crowded.next = r.chance(1, 4);
    u.raw_rings.iter_mut().for_each(|ring| r.set(ring));
    u.raw_restarts.iter_mut().for_each(|restart| r.set(restart));
    for read in [&mut u.receive, &mut u.payload, &mut u.atomic_read, &mut u.raw_read] {
        r.source(&mut read.command);
        read.beat_valid.next = r.chance(1, 3);
        r.set(&mut read.beat_data);
        read.beat_error.next = r.chance(1, 4);
    }
    for write in [&mut u.atomic_write, &mut u.placed, &mut u.read_data, &mut u.raw_write] {
        r.source(&mut write.command);
        r.source(&mut write.beat);
        write.done.next = r.chance(1, 4);
        write.failed.next = r.chance(1, 4);
    }
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
