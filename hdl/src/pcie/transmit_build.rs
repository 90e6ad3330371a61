//! Puts header and payload of a TLP on the stream (rule TL9).
//!
//! Two DW a cycle without a gap, since all payload of a TLP waits when its header comes. Payload lies in its queue as it lies
//! on the bus; it is shifted by one DW when its first DW and the end of the header do not meet at the same half of a beat.
use super::records::{StreamBeat, TlpHeader};
use super::swap::SwapDwords;
use crate::widgets::{ChannelSink, ChannelSource, Stage};
use rust_hdl::prelude::*;

/// Where a TLP stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum BuildStep {
    /// First two DWs of the header.
    Begin,
    /// Rest of the header.
    Address,
    /// Payload.
    Payload,
}

/// Builder of the stream.
#[derive(LogicBlock, Default)]
pub struct TransmitBuild {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops all.
    pub reset: Signal<In, Bit>,
    /// The TLP; taken with its last beat.
    pub header: ChannelSink<TlpHeader>,
    /// It is not to be seen below.
    pub drops: Signal<In, Bit>,
    /// Payload of the queue that the header names.
    pub payload: ChannelSink<Bits<64>>,
    /// The stream.
    pub beat: ChannelSource<StreamBeat>,
    stage: Stage<StreamBeat>,
    swap: SwapDwords,
    step: DFF<BuildStep>,
    /// Payload DW still to send.
    left: DFF<Bits<11>>,
    carry: DFF<Bits<32>>,
    tlp: Signal<Local, TlpHeader>,
    pair: Signal<Local, Bits<64>>,
    length: Signal<Local, Bits<11>>,
    rest: Signal<Local, Bits<11>>,
    low: Signal<Local, Bits<32>>,
    high: Signal<Local, Bits<32>>,
    shifts: Signal<Local, Bit>,
    needs: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    half: Signal<Local, Bit>,
    out: Signal<Local, Bits<64>>,
    dw0: Signal<Local, Bits<32>>,
}

impl Logic for TransmitBuild {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, left, carry);
        clock!(self, clock, stage);
        self.stage.reset.next = self.reset.val();
        self.tlp.next = self.header.data.val();
        self.dw0.next = self.tlp.val().dw0;
        self.length.next = bit_cast::<11, 10>(self.dw0.val().get_bits::<10>(0));
        if !self.tlp.val().data {
            self.length.next = 0.into();
        }
        self.low.next = self.payload.data.val().get_bits::<32>(0);
        self.high.next = self.payload.data.val().get_bits::<32>(32);
        self.shifts.next = self.tlp.val().long == self.tlp.val().upper;
        self.pair.next = (bit_cast::<64, 32>(self.tlp.val().dw1) << 32) | bit_cast::<64, 32>(self.tlp.val().dw0);
        if self.step.q.val() == BuildStep::Address {
            self.pair.next = (bit_cast::<64, 32>(self.tlp.val().dw3) << 32) | bit_cast::<64, 32>(self.tlp.val().dw2);
        }
        self.swap.data.next = self.pair.val();
        self.out.next = (bit_cast::<64, 32>(self.swap.high.val()) << 32) | bit_cast::<64, 32>(self.swap.low.val());
        self.needs.next = false;
        self.ends.next = false;
        self.half.next = false;
        self.rest.next = self.length.val();
        match self.step.q.val() {
            BuildStep::Begin => {}
            BuildStep::Address => {
                if self.tlp.val().long {
                    // The first DW of payload is already at hand when it has to wait for the next beat's.
                    self.needs.next = self.tlp.val().data & self.tlp.val().upper;
                } else if self.tlp.val().data {
                    self.needs.next = true;
                    self.rest.next = self.length.val() - 1;
                    self.out.next =
                        (bit_cast::<64, 32>(self.low.val()) << 32) | bit_cast::<64, 32>(self.swap.low.val());
                    if self.tlp.val().upper {
                        self.out.next =
                            (bit_cast::<64, 32>(self.high.val()) << 32) | bit_cast::<64, 32>(self.swap.low.val());
                    }
                } else {
                    self.half.next = true;
                }
                self.ends.next = self.rest.val() == 0;
            }
            BuildStep::Payload => {
                self.rest.next = self.left.q.val() - 2;
                self.half.next = self.left.q.val() == 1;
                self.ends.next = (self.left.q.val() == 1) | (self.left.q.val() == 2);
                self.needs.next = true;
                self.out.next = self.payload.data.val();
                if self.shifts.val() {
                    self.needs.next = self.left.q.val() != 1;
                    self.out.next = (bit_cast::<64, 32>(self.low.val()) << 32) | bit_cast::<64, 32>(self.carry.q.val());
                }
            }
        }
        self.free.next = self.stage.sink.ready.val() | self.drops.val();
        self.moves.next = self.header.valid.val() & self.free.val() & (self.payload.valid.val() | !self.needs.val());
        self.payload.ready.next = self.moves.val() & self.needs.val();
        self.header.ready.next = self.moves.val() & self.ends.val();
        if self.moves.val() {
            self.left.d.next = self.rest.val();
            self.carry.d.next = self.high.val();
            match self.step.q.val() {
                BuildStep::Begin => {
                    self.step.d.next = BuildStep::Address;
                }
                BuildStep::Address => {
                    self.step.d.next = BuildStep::Payload;
                }
                BuildStep::Payload => {}
            }
            if self.ends.val() {
                self.step.d.next = BuildStep::Begin;
            }
        }
        self.stage.sink.valid.next = self.moves.val() & !self.drops.val();
        self.stage.sink.data.next.data = self.out.val();
        self.stage.sink.data.next.half = self.half.val();
        self.stage.sink.data.next.last = self.ends.val();
        self.stage.sink.data.next.hits = false;
        self.stage.sink.data.next.broken = false;
        ChannelSource::<StreamBeat>::link(&mut self.beat, &mut self.stage.source);
        if self.reset.val() {
            self.step.d.next = BuildStep::Begin;
        }
    }
}
