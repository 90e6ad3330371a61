//! The blocks of this subsystem and how their inputs are driven at random.
use super::*;
use crate::check::{BlockCheck, RandomDrive};
use crate::link::LinkSetup;
use crate::mac::blocks::further_clocks;
use crate::mac::{Cells, RgmiiDelays};
use crate::widgets::AxiStreamSubordinate;
use rust_hdl::prelude::*;
use std::sync::atomic::AtomicBool;

fn link() -> LinkSetup {
    BoardSetup::simulated().link
}

/// Frames of nonsense: what counts is that both models do the same.
fn frames(r: &mut RandomDrive, axis: &mut AxiStreamSubordinate<64, 8>) {
    r.set(&mut axis.tdata);
    axis.tkeep.next = bits(0xFF >> r.below(8));
    r.mostly(&mut axis.tvalid);
    r.seldom(&mut axis.tlast);
    r.seldom(&mut axis.tuser);
}

pub(super) fn list() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "board/status_led",
            || StatusLed::new(2),
            |u| Some(&mut u.clock),
            |u, r| {
                u.reset.next = r.chance(1, 2000);
                u.trouble.next = r.chance(1, 3000);
                u.up.next = r.chance(1, 2);
                u.fatal.next = r.chance(1, 4);
            },
        )
        .vectors(6000),
        BlockCheck::new(
            "board/host_link",
            || HostLink::new(link()),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                frames(r, &mut u.rx);
                r.mostly(&mut u.tx.tready);
                r.mostly(&mut u.registers.awready);
                r.mostly(&mut u.registers.wready);
                r.set(&mut u.registers.bresp);
                r.mostly(&mut u.registers.bvalid);
                r.mostly(&mut u.registers.arready);
                r.set(&mut u.registers.rdata);
                r.set(&mut u.registers.rresp);
                r.mostly(&mut u.registers.rvalid);
                r.set(&mut u.read.arid);
                r.set(&mut u.read.araddr);
                u.read.arlen.next = bits(r.below(4));
                r.seldom(&mut u.read.arvalid);
                r.mostly(&mut u.read.rready);
                r.set(&mut u.write.awid);
                r.set(&mut u.write.awaddr);
                u.write.awlen.next = bits(r.below(4));
                r.seldom(&mut u.write.awvalid);
                r.set(&mut u.write.wdata);
                r.set(&mut u.write.wstrb);
                r.seldom(&mut u.write.wlast);
                r.mostly(&mut u.write.wvalid);
                r.mostly(&mut u.write.bready);
                r.seldom(&mut u.irq_valid);
                r.set(&mut u.irq_vector);
            },
        )
        .vectors(200),
        BlockCheck::new(
            "board/port",
            || Port::<4, 5>::new(68, RgmiiDelays::default(), Cells::Modelled),
            |u| Some(&mut u.core_clock),
            {
                let odd = AtomicBool::new(false);
                move |u: &mut Port<4, 5>, r: &mut RandomDrive| {
                    if further_clocks(r, &odd, &mut [&mut u.tx_clock, &mut u.rgmii_rxc]) {
                        u.core_reset.next = r.chance(1, 128);
                        u.down.next = r.chance(1, 128);
                        frames(r, &mut u.tx_axis);
                        r.mostly(&mut u.rx_axis.tready);
                        r.set(&mut u.rgmii_rxd);
                        r.mostly(&mut u.rgmii_rx_ctl);
                    }
                }
            },
        )
        .vectors(1200),
        BlockCheck::new(
            "board/nic",
            || Nic::new(link()),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                frames(r, &mut u.link_rx);
                frames(r, &mut u.wire_rx);
                r.mostly(&mut u.link_tx.tready);
                r.mostly(&mut u.wire_tx.tready);
            },
        )
        .vectors(12),
        BlockCheck::new("board/two_ports", || TwoPorts::new(&modelled()), |u| Some(&mut u.core_clock), {
            let odd = AtomicBool::new(false);
            move |u: &mut TwoPorts, r: &mut RandomDrive| {
                if further_clocks(r, &odd, &mut [&mut u.tx_clock, &mut u.a_rxc, &mut u.b_rxc]) {
                    r.reset(&mut u.reset);
                    r.set(&mut u.mdio_in);
                    r.set(&mut u.a_rxd);
                    r.mostly(&mut u.a_rx_ctl);
                    r.set(&mut u.b_rxd);
                    r.mostly(&mut u.b_rx_ctl);
                }
            }
        })
        .vectors(24),
    ]
}

fn modelled() -> BoardSetup {
    BoardSetup { cells: Cells::Modelled, ..BoardSetup::simulated() }
}
