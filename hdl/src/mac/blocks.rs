//! The blocks of this subsystem and how their inputs are driven at random.
use super::*;
use crate::check::{BlockCheck, RandomDrive};
use crate::widgets::AxiStreamSubordinate;
use rust_hdl::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Moves the further clocks of a block in every other step, in which the other inputs must not change: so no edge meets a
/// change of what it samples. True in the steps in which the inputs may change.
pub(crate) fn further_clocks(r: &mut RandomDrive, odd: &AtomicBool, clocks: &mut [&mut Signal<In, Clock>]) -> bool {
    let moves = odd.fetch_xor(true, Ordering::Relaxed);
    for clock in clocks {
        if moves && r.chance(2, 3) {
            clock.next = Clock { clk: !clock.val().clk };
        }
    }
    !moves
}

/// A byte that is seldom anything but preamble or start delimiter, a GMII that is mostly in a frame.
fn gmii(r: &mut RandomDrive, rxd: &mut Signal<In, Bits<8>>, rx_dv: &mut Signal<In, Bit>, rx_er: &mut Signal<In, Bit>) {
    let data = [0x55, 0x55, 0xD5, r.below(256)][r.below(4) as usize];
    r.put(rxd, data.into());
    rx_dv.next = r.chance(15, 16);
    rx_er.next = r.chance(1, 32);
}

/// A stream of words that are mostly whole.
fn axis(r: &mut RandomDrive, axis: &mut AxiStreamSubordinate<64, 8>) {
    r.set(&mut axis.tdata);
    axis.tkeep.next = (0xFF >> (r.below(16).saturating_sub(8))).into();
    r.mostly(&mut axis.tvalid);
    r.seldom(&mut axis.tlast);
    r.seldom(&mut axis.tuser);
}

pub(super) fn list() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "mac/fcs",
            FcsStep::default,
            |_| None,
            |u, r| {
                r.set(&mut u.state);
                r.set(&mut u.octet);
            },
        ),
        BlockCheck::new(
            "mac/gmii_transmit",
            GmiiTransmit::default,
            |u| Some(&mut u.clock),
            |u, r| {
                u.reset.next = r.chance(1, 256);
                r.set(&mut u.sink.data);
                u.sink.valid.next = r.chance(31, 32);
            },
        )
        .vectors(2000),
        BlockCheck::new(
            "mac/receive_hunt",
            ReceiveHunt::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                gmii(r, &mut u.gmii_rxd, &mut u.gmii_rx_dv, &mut u.gmii_rx_er);
            },
        )
        .vectors(1000),
        BlockCheck::new(
            "mac/receive_judge",
            || ReceiveJudge::new(70),
            |u| Some(&mut u.clock),
            |u, r| {
                u.reset.next = r.chance(1, 256);
                r.set(&mut u.octet);
                r.mostly(&mut u.valid);
                u.ends.next = r.chance(1, 64);
                r.seldom(&mut u.error);
            },
        )
        .vectors(2000),
        BlockCheck::new(
            "mac/gmii_receive",
            || GmiiReceive::new(70),
            |u| Some(&mut u.clock),
            |u, r| {
                u.reset.next = r.chance(1, 256);
                gmii(r, &mut u.gmii_rxd, &mut u.gmii_rx_dv, &mut u.gmii_rx_er);
            },
        )
        .vectors(2000),
        BlockCheck::new("mac/gray", FromGray::<5>::default, |_| None, |u, r| r.set(&mut u.gray)),
        BlockCheck::new(
            "mac/synchronizer",
            Synchronizer::<Bits<3>>::default,
            |u| Some(&mut u.clock),
            |u, r| r.set(&mut u.d),
        ),
        BlockCheck::new(
            "mac/reset_release",
            ResetRelease::default,
            |u| Some(&mut u.clock),
            |u, r| u.asynchronous.next = r.chance(1, 4),
        ),
        BlockCheck::new("mac/crossing_memory", CrossingMemory::<Bits<9>, 3>::default, |u| Some(&mut u.write_clock), {
            let odd = AtomicBool::new(false);
            move |u: &mut CrossingMemory<Bits<9>, 3>, r: &mut RandomDrive| {
                if further_clocks(r, &odd, &mut [&mut u.read_clock]) {
                    r.set(&mut u.read);
                    r.set(&mut u.write);
                    r.set(&mut u.data);
                    // Apart, as the pointers keep them.
                    let address = r.below(8);
                    u.read_address.next = address.into();
                    u.write_address.next = ((address + 1 + r.below(7)) % 8).into();
                }
            }
        }),
        BlockCheck::new("mac/event_count", EventCount::default, |u| Some(&mut u.event_clock), {
            let odd = AtomicBool::new(false);
            move |u: &mut EventCount, r: &mut RandomDrive| {
                if further_clocks(r, &odd, &mut [&mut u.clock]) {
                    r.set(&mut u.pulse);
                }
            }
        }),
        BlockCheck::new(
            "mac/fifo_writer",
            FifoWriter::<3, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.write);
                r.seldom(&mut u.commit);
                r.seldom(&mut u.rollback);
                r.set(&mut u.head);
            },
        ),
        BlockCheck::new(
            "mac/fifo_reader",
            FifoReader::<3, 4>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.published);
                r.set(&mut u.word);
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new("mac/frame_fifo", FrameFifo::<3, 4>::default, |u| Some(&mut u.write_clock), {
            let odd = AtomicBool::new(false);
            move |u: &mut FrameFifo<3, 4>, r: &mut RandomDrive| {
                if further_clocks(r, &odd, &mut [&mut u.read_clock]) {
                    u.write_reset.next = r.chance(1, 64);
                    u.read_reset.next = r.chance(1, 64);
                    r.seldom(&mut u.write);
                    r.set(&mut u.word);
                    r.seldom(&mut u.commit);
                    u.rollback.next = r.chance(1, 32);
                    r.source(&mut u.source);
                }
            }
        })
        .vectors(1200),
        BlockCheck::new(
            "mac/transmit_store",
            || TransmitStore::new(68),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                axis(r, &mut u.axis);
                r.seldom(&mut u.full);
            },
        )
        .vectors(600),
        BlockCheck::new(
            "mac/receive_store",
            ReceiveStore::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.frame);
                r.mostly(&mut u.frame_valid);
                r.set(&mut u.frame_bad);
                r.seldom(&mut u.full);
            },
        )
        .vectors(600),
        BlockCheck::new(
            "mac/words_to_bytes",
            WordsToBytes::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.sink);
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new(
            "mac/words_to_axis",
            WordsToAxis::default,
            |_| None,
            |u, r| {
                r.sink(&mut u.sink);
                r.set(&mut u.axis.tready);
            },
        ),
        BlockCheck::new("mac/mac_crossing", || MacCrossing::<4, 5>::new(68), |u| Some(&mut u.core_clock), {
            let odd = AtomicBool::new(false);
            move |u: &mut MacCrossing<4, 5>, r: &mut RandomDrive| {
                if further_clocks(r, &odd, &mut [&mut u.tx_clock, &mut u.rx_clock]) {
                    u.core_reset.next = r.chance(1, 128);
                    axis(r, &mut u.tx_axis);
                    r.mostly(&mut u.rx_axis.tready);
                    u.tx_reset.next = r.chance(1, 128);
                    r.source(&mut u.tx_frame);
                    u.rx_reset.next = r.chance(1, 128);
                    r.set(&mut u.rx_frame);
                    r.mostly(&mut u.rx_frame_valid);
                    r.set(&mut u.rx_frame_bad);
                }
            }
        })
        .vectors(1200),
        BlockCheck::new("mac/gmii_mac", || GmiiMac::new(70), |u| Some(&mut u.tx_clock), {
            let odd = AtomicBool::new(false);
            move |u: &mut GmiiMac, r: &mut RandomDrive| {
                if further_clocks(r, &odd, &mut [&mut u.rx_clock]) {
                    u.tx_reset.next = r.chance(1, 256);
                    r.set(&mut u.tx_frame.data);
                    u.tx_frame.valid.next = r.chance(31, 32);
                    u.rx_reset.next = r.chance(1, 256);
                    gmii(r, &mut u.gmii_rxd, &mut u.gmii_rx_dv, &mut u.gmii_rx_er);
                }
            }
        })
        .vectors(1200),
        BlockCheck::new("mac/gigabit_mac", || GigabitMac::<4, 5>::new(68), |u| Some(&mut u.core_clock), {
            let odd = AtomicBool::new(false);
            move |u: &mut GigabitMac<4, 5>, r: &mut RandomDrive| {
                if further_clocks(r, &odd, &mut [&mut u.tx_clock, &mut u.rx_clock]) {
                    u.core_reset.next = r.chance(1, 128);
                    axis(r, &mut u.tx_axis);
                    r.mostly(&mut u.rx_axis.tready);
                    u.tx_reset.next = r.chance(1, 128);
                    u.rx_reset.next = r.chance(1, 128);
                    gmii(r, &mut u.gmii_rxd, &mut u.gmii_rx_dv, &mut u.gmii_rx_er);
                }
            }
        })
        .vectors(1200),
        BlockCheck::new(
            "mac/ecp5_ddr_input",
            || DdrInput::<3>::new(80, Cells::Modelled),
            // Both edges sample: the pads move between them.
            |_| None,
            {
                let odd = AtomicBool::new(false);
                move |u: &mut DdrInput<3>, r: &mut RandomDrive| {
                    if further_clocks(r, &odd, &mut [&mut u.clock]) {
                        r.set(&mut u.pads);
                    }
                }
            },
        ),
        BlockCheck::new(
            "mac/ecp5_ddr_output",
            || DdrOutput::<3>::new([0, 0, 80], Cells::Modelled),
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.rise);
                r.set(&mut u.fall);
            },
        ),
        BlockCheck::new("mac/rgmii_phy", || RgmiiPhy::new(RgmiiDelays::default(), Cells::Modelled), |_| None, {
            let odd = AtomicBool::new(false);
            move |u: &mut RgmiiPhy, r: &mut RandomDrive| {
                if further_clocks(r, &odd, &mut [&mut u.tx_clock, &mut u.rgmii_rxc]) {
                    r.set(&mut u.gmii_txd);
                    r.set(&mut u.gmii_tx_en);
                    r.set(&mut u.gmii_tx_er);
                    r.set(&mut u.rgmii_rxd);
                    r.set(&mut u.rgmii_rx_ctl);
                }
            }
        }),
        BlockCheck::new(
            "mac/in_band_status",
            InBandStatus::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.gmii_rxd);
                r.set(&mut u.gmii_rx_dv);
                r.set(&mut u.gmii_rx_er);
            },
        ),
        BlockCheck::new(
            "mac/phy_reset",
            || PhyReset::new(2),
            |u| Some(&mut u.clock),
            |u, r| u.reset.next = r.chance(1, 256),
        ),
        BlockCheck::new(
            "mac/mdio_frame",
            || MdioFrame::new(4),
            |u| Some(&mut u.clock),
            |u, r| {
                u.reset.next = r.chance(1, 512);
                r.set(&mut u.start);
                r.set(&mut u.command);
                r.set(&mut u.mdio_in);
            },
        )
        .vectors(3000),
        BlockCheck::new(
            "mac/mdio",
            || Mdio::with_timing(2, 4, [0, 5], [SetupWrite { register: 0x1C, value: 0x8C00 }]),
            |u| Some(&mut u.clock),
            |u, r| {
                u.reset.next = r.chance(1, 1500);
                r.set(&mut u.mdio_in);
            },
        )
        .vectors(6000),
    ]
}
