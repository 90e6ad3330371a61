//! Between the core's streams of 64-bit words and the bytes of GMII (MC2, MC4, MC5): only whole words cross a clock.
use super::{FrameByte, FrameFifo, MacWord, ReceiveStore, TransmitStore, WordsToAxis, WordsToBytes};
use crate::widgets::{AxiStreamManager, AxiStreamSubordinate, ChannelSource};
use rust_hdl::prelude::*;

/// Both directions, with a FIFO of 2^A words each; P = A + 1. A frame to send waits until it is there whole; a received one
/// that finds no room is dropped whole.
///
/// Latency from the last word of the core to the first byte: six cycles of the transmit clock and two of the core.
#[derive(LogicBlock)]
pub struct MacCrossing<const A: usize, const P: usize> {
    /// Clock of the core.
    pub core_clock: Signal<In, Clock>,
    /// Forgets what the core has not finished, and drops what it has not taken.
    pub core_reset: Signal<In, Bit>,
    /// Frames of the core to be sent.
    pub tx_axis: AxiStreamSubordinate<64, 8>,
    /// Received frames for the core.
    pub rx_axis: AxiStreamManager<64, 8>,
    /// A frame of the core was bad (tuser) or too long, and is not sent.
    pub tx_refused: Signal<Out, Bit>,
    /// Transmit clock.
    pub tx_clock: Signal<In, Clock>,
    /// Drops what is to be sent.
    pub tx_reset: Signal<In, Bit>,
    /// Frames to send.
    pub tx_frame: ChannelSource<FrameByte>,
    /// Receive clock.
    pub rx_clock: Signal<In, Clock>,
    /// Forgets the frame being received.
    pub rx_reset: Signal<In, Bit>,
    /// Byte of a received frame,
    pub rx_frame: Signal<In, FrameByte>,
    /// if it counts.
    pub rx_frame_valid: Signal<In, Bit>,
    /// The frame is bad; counts in its last byte.
    pub rx_frame_bad: Signal<In, Bit>,
    /// A received frame was dropped for want of room.
    pub rx_dropped: Signal<Out, Bit>,
    tx_store: TransmitStore,
    tx_fifo: FrameFifo<A, P>,
    tx_bytes: WordsToBytes,
    rx_store: ReceiveStore,
    rx_fifo: FrameFifo<A, P>,
    rx_words: WordsToAxis,
}

impl<const A: usize, const P: usize> MacCrossing<A, P> {
    /// For frames of up to `longest` bytes with FCS; a FIFO holds one such frame more than the one leaving.
    pub fn new(longest: usize) -> Self {
        assert!(8usize << A >= 2 * (longest - 4), "2^{A} words do not hold two frames of {longest} bytes");
        Self {
            core_clock: Default::default(),
            core_reset: Default::default(),
            tx_axis: Default::default(),
            rx_axis: Default::default(),
            tx_refused: Default::default(),
            tx_clock: Default::default(),
            tx_reset: Default::default(),
            tx_frame: Default::default(),
            rx_clock: Default::default(),
            rx_reset: Default::default(),
            rx_frame: Default::default(),
            rx_frame_valid: Default::default(),
            rx_frame_bad: Default::default(),
            rx_dropped: Default::default(),
            tx_store: TransmitStore::new(longest),
            tx_fifo: Default::default(),
            tx_bytes: Default::default(),
            rx_store: Default::default(),
            rx_fifo: Default::default(),
            rx_words: Default::default(),
        }
    }
}

impl<const A: usize, const P: usize> Logic for MacCrossing<A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        // Core to wire.
        self.tx_store.clock.next = self.core_clock.val();
        self.tx_store.reset.next = self.core_reset.val();
        AxiStreamSubordinate::<64, 8>::link(&mut self.tx_axis, &mut self.tx_store.axis);
        self.tx_store.full.next = self.tx_fifo.full.val();
        self.tx_refused.next = self.tx_store.rollback.val();
        self.tx_fifo.write_clock.next = self.core_clock.val();
        self.tx_fifo.write_reset.next = self.core_reset.val();
        self.tx_fifo.word.next = self.tx_store.word.val();
        self.tx_fifo.write.next = self.tx_store.write.val();
        self.tx_fifo.commit.next = self.tx_store.commit.val();
        self.tx_fifo.rollback.next = self.tx_store.rollback.val();
        self.tx_fifo.read_clock.next = self.tx_clock.val();
        self.tx_fifo.read_reset.next = self.tx_reset.val();
        self.tx_bytes.clock.next = self.tx_clock.val();
        self.tx_bytes.reset.next = self.tx_reset.val();
        ChannelSource::<MacWord>::join(&mut self.tx_fifo.source, &mut self.tx_bytes.sink);
        ChannelSource::<FrameByte>::link(&mut self.tx_frame, &mut self.tx_bytes.source);
        // Wire to core.
        self.rx_store.clock.next = self.rx_clock.val();
        self.rx_store.reset.next = self.rx_reset.val();
        self.rx_store.frame.next = self.rx_frame.val();
        self.rx_store.frame_valid.next = self.rx_frame_valid.val();
        self.rx_store.frame_bad.next = self.rx_frame_bad.val();
        self.rx_store.full.next = self.rx_fifo.full.val();
        self.rx_dropped.next = self.rx_store.rollback.val();
        self.rx_fifo.write_clock.next = self.rx_clock.val();
        self.rx_fifo.write_reset.next = self.rx_reset.val();
        self.rx_fifo.word.next = self.rx_store.word.val();
        self.rx_fifo.write.next = self.rx_store.write.val();
        self.rx_fifo.commit.next = self.rx_store.commit.val();
        self.rx_fifo.rollback.next = self.rx_store.rollback.val();
        self.rx_fifo.read_clock.next = self.core_clock.val();
        self.rx_fifo.read_reset.next = self.core_reset.val();
        ChannelSource::<MacWord>::join(&mut self.rx_fifo.source, &mut self.rx_words.sink);
        AxiStreamManager::<64, 8>::link(&mut self.rx_axis, &mut self.rx_words.axis);
    }
}
