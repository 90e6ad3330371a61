//! Gigabit MAC on GMII: transmitter and receiver, each in its own clock, no vendor's cell in it.
use super::{FrameByte, GmiiReceive, GmiiTransmit};
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// Both directions; their latencies are those of [`GmiiTransmit`] and [`GmiiReceive`].
#[derive(LogicBlock)]
pub struct GmiiMac {
    /// Transmit clock, 125 MHz.
    pub tx_clock: Signal<In, Clock>,
    /// Ends what is being sent.
    pub tx_reset: Signal<In, Bit>,
    /// Frames to send; no gap inside a frame once its first byte is offered.
    pub tx_frame: ChannelSink<FrameByte>,
    /// A frame was sent whole.
    pub tx_sent: Signal<Out, Bit>,
    /// A frame was spoilt for want of a byte.
    pub tx_starved: Signal<Out, Bit>,
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
    /// Byte of a received frame,
    pub rx_frame: Signal<Out, FrameByte>,
    /// if it counts.
    pub rx_frame_valid: Signal<Out, Bit>,
    /// The frame is bad; counts in its last byte.
    pub rx_frame_bad: Signal<Out, Bit>,
    /// A good frame is over.
    pub rx_good: Signal<Out, Bit>,
    /// A bad frame, or something that was no frame, is over.
    pub rx_bad: Signal<Out, Bit>,
    transmit: GmiiTransmit,
    receive: GmiiReceive,
}

impl GmiiMac {
    /// Receives frames of up to `longest` bytes with FCS.
    pub fn new(longest: usize) -> Self {
        Self {
            tx_clock: Default::default(),
            tx_reset: Default::default(),
            tx_frame: Default::default(),
            tx_sent: Default::default(),
            tx_starved: Default::default(),
            gmii_txd: Default::default(),
            gmii_tx_en: Default::default(),
            gmii_tx_er: Default::default(),
            rx_clock: Default::default(),
            rx_reset: Default::default(),
            gmii_rxd: Default::default(),
            gmii_rx_dv: Default::default(),
            gmii_rx_er: Default::default(),
            rx_frame: Default::default(),
            rx_frame_valid: Default::default(),
            rx_frame_bad: Default::default(),
            rx_good: Default::default(),
            rx_bad: Default::default(),
            transmit: Default::default(),
            receive: GmiiReceive::new(longest),
        }
    }
}

impl Logic for GmiiMac {
    #[hdl_gen]
    fn update(&mut self) {
        self.transmit.clock.next = self.tx_clock.val();
        self.transmit.reset.next = self.tx_reset.val();
        ChannelSink::<FrameByte>::link(&mut self.tx_frame, &mut self.transmit.sink);
        self.tx_sent.next = self.transmit.sent.val();
        self.tx_starved.next = self.transmit.starved.val();
        self.gmii_txd.next = self.transmit.gmii_txd.val();
        self.gmii_tx_en.next = self.transmit.gmii_tx_en.val();
        self.gmii_tx_er.next = self.transmit.gmii_tx_er.val();
        self.receive.clock.next = self.rx_clock.val();
        self.receive.reset.next = self.rx_reset.val();
        self.receive.gmii_rxd.next = self.gmii_rxd.val();
        self.receive.gmii_rx_dv.next = self.gmii_rx_dv.val();
        self.receive.gmii_rx_er.next = self.gmii_rx_er.val();
        self.rx_frame.next = self.receive.frame.val();
        self.rx_frame_valid.next = self.receive.frame_valid.val();
        self.rx_frame_bad.next = self.receive.frame_bad.val();
        self.rx_good.next = self.receive.good_frame.val();
        self.rx_bad.next = self.receive.bad_frame.val();
    }
}
