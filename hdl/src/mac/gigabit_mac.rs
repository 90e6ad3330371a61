//! Gigabit MAC from the streams of the core to GMII, with its counters: what a board with a GMII PHY needs.
use super::{EventCount, FrameByte, GmiiMac, MacCrossing};
use crate::widgets::{AxiStreamManager, AxiStreamSubordinate, ChannelSource};
use rust_hdl::prelude::*;

/// Bytes of the longest frame, FCS included, on the port of the host link (MC4).
pub const LONGEST_LINK_FRAME: usize = 1518;
/// Bytes of the longest frame, FCS included, on the port of RoCE with its MTU of 4,096 (MC4).
pub const LONGEST_ROCE_FRAME: usize = 4352;

/// MAC with FIFOs of 2^A words each way; P = A + 1. All counts are modulo 2^16, in the core's clock domain.
#[derive(LogicBlock)]
pub struct GigabitMac<const A: usize, const P: usize> {
    /// Clock of the core.
    pub core_clock: Signal<In, Clock>,
    /// Forgets what the core has not finished, and drops what it has not taken.
    pub core_reset: Signal<In, Bit>,
    /// Frames of the core to be sent.
    pub tx_axis: AxiStreamSubordinate<64, 8>,
    /// Received frames for the core.
    pub rx_axis: AxiStreamManager<64, 8>,
    /// Frames sent.
    pub tx_sent: Signal<Out, Bits<16>>,
    /// Frames of the core that were bad (tuser) or too long and not sent.
    pub tx_refused: Signal<Out, Bits<16>>,
    /// Good frames received, those dropped included.
    pub rx_good: Signal<Out, Bits<16>>,
    /// Bad frames received.
    pub rx_bad: Signal<Out, Bits<16>>,
    /// Received frames dropped for want of room.
    pub rx_dropped: Signal<Out, Bits<16>>,
    /// Transmit clock, 125 MHz.
    pub tx_clock: Signal<In, Clock>,
    /// Drops what is to be sent.
    pub tx_reset: Signal<In, Bit>,
    /// GMII.
    pub gmii_txd: Signal<Out, Bits<8>>,
    /// GMII.
    pub gmii_tx_en: Signal<Out, Bit>,
    /// GMII.
    pub gmii_tx_er: Signal<Out, Bit>,
    /// Receive clock, from the PHY.
    pub rx_clock: Signal<In, Clock>,
    /// Forgets the frame being received.
    pub rx_reset: Signal<In, Bit>,
    /// GMII.
    pub gmii_rxd: Signal<In, Bits<8>>,
    /// GMII.
    pub gmii_rx_dv: Signal<In, Bit>,
    /// GMII.
    pub gmii_rx_er: Signal<In, Bit>,
    mac: GmiiMac,
    crossing: MacCrossing<A, P>,
    sent_count: EventCount,
    good_count: EventCount,
    bad_count: EventCount,
    dropped_count: EventCount,
    refused: DFF<Bits<16>>,
}

impl<const A: usize, const P: usize> GigabitMac<A, P> {
    /// For frames of up to `longest` bytes with FCS.
    pub fn new(longest: usize) -> Self {
        Self {
            core_clock: Default::default(),
            core_reset: Default::default(),
            tx_axis: Default::default(),
            rx_axis: Default::default(),
            tx_sent: Default::default(),
            tx_refused: Default::default(),
            rx_good: Default::default(),
            rx_bad: Default::default(),
            rx_dropped: Default::default(),
            tx_clock: Default::default(),
            tx_reset: Default::default(),
            gmii_txd: Default::default(),
            gmii_tx_en: Default::default(),
            gmii_tx_er: Default::default(),
            rx_clock: Default::default(),
            rx_reset: Default::default(),
            gmii_rxd: Default::default(),
            gmii_rx_dv: Default::default(),
            gmii_rx_er: Default::default(),
            mac: GmiiMac::new(longest),
            crossing: MacCrossing::new(longest),
            sent_count: Default::default(),
            good_count: Default::default(),
            bad_count: Default::default(),
            dropped_count: Default::default(),
            refused: Default::default(),
        }
    }
}

impl<const A: usize, const P: usize> Logic for GigabitMac<A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        self.refused.clock.next = self.core_clock.val();
        self.crossing.core_clock.next = self.core_clock.val();
        self.crossing.core_reset.next = self.core_reset.val();
        AxiStreamSubordinate::<64, 8>::link(&mut self.tx_axis, &mut self.crossing.tx_axis);
        AxiStreamManager::<64, 8>::link(&mut self.rx_axis, &mut self.crossing.rx_axis);
        self.crossing.tx_clock.next = self.tx_clock.val();
        self.crossing.tx_reset.next = self.tx_reset.val();
        self.mac.tx_clock.next = self.tx_clock.val();
        self.mac.tx_reset.next = self.tx_reset.val();
        ChannelSource::<FrameByte>::join(&mut self.crossing.tx_frame, &mut self.mac.tx_frame);
        self.gmii_txd.next = self.mac.gmii_txd.val();
        self.gmii_tx_en.next = self.mac.gmii_tx_en.val();
        self.gmii_tx_er.next = self.mac.gmii_tx_er.val();
        self.mac.rx_clock.next = self.rx_clock.val();
        self.mac.rx_reset.next = self.rx_reset.val();
        self.mac.gmii_rxd.next = self.gmii_rxd.val();
        self.mac.gmii_rx_dv.next = self.gmii_rx_dv.val();
        self.mac.gmii_rx_er.next = self.gmii_rx_er.val();
        self.crossing.rx_clock.next = self.rx_clock.val();
        self.crossing.rx_reset.next = self.rx_reset.val();
        self.crossing.rx_frame.next = self.mac.rx_frame.val();
        self.crossing.rx_frame_valid.next = self.mac.rx_frame_valid.val();
        self.crossing.rx_frame_bad.next = self.mac.rx_frame_bad.val();

        self.sent_count.event_clock.next = self.tx_clock.val();
        self.sent_count.pulse.next = self.mac.tx_sent.val();
        self.good_count.event_clock.next = self.rx_clock.val();
        self.good_count.pulse.next = self.mac.rx_good.val();
        self.bad_count.event_clock.next = self.rx_clock.val();
        self.bad_count.pulse.next = self.mac.rx_bad.val();
        self.dropped_count.event_clock.next = self.rx_clock.val();
        self.dropped_count.pulse.next = self.crossing.rx_dropped.val();
        self.sent_count.clock.next = self.core_clock.val();
        self.good_count.clock.next = self.core_clock.val();
        self.bad_count.clock.next = self.core_clock.val();
        self.dropped_count.clock.next = self.core_clock.val();
        self.tx_sent.next = self.sent_count.count.val();
        self.rx_good.next = self.good_count.count.val();
        self.rx_bad.next = self.bad_count.count.val();
        self.rx_dropped.next = self.dropped_count.count.val();
        self.refused.d.next = self.refused.q.val();
        if self.crossing.tx_refused.val() {
            self.refused.d.next = self.refused.q.val() + 1;
        }
        self.tx_refused.next = self.refused.q.val();
    }
}
