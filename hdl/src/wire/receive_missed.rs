//! Drops of frames that never entered the receiver, told beside those that it judged.
//!
//! A frame that is swallowed at the intake has no place in the queues of the receiver, so these drops are counted here until
//! the `drop` channel has time for them (I9); up to 65,535 of each reason can wait. Latency one cycle, one drop a cycle.
use crate::widgets::{ChannelSink, ChannelSource};
use rnic_abi::drop;
use rust_hdl::prelude::*;

/// Adds drops without room and drops while not enabled to a channel of drops.
#[derive(LogicBlock)]
pub struct RxMissed {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub reset: Signal<In, Bit>,
    /// Drops of judged frames; they go first.
    pub sink: ChannelSink<Bits<8>>,
    /// A frame found no room.
    pub full: Signal<In, Bit>,
    /// A frame came while the device was not enabled.
    pub disabled: Signal<In, Bit>,
    /// All drops.
    pub source: ChannelSource<Bits<8>>,
    shown: DFF<Bits<8>>,
    shows: DFF<Bit>,
    fulls: DFF<Bits<16>>,
    disableds: DFF<Bits<16>>,
    free: Signal<Local, Bit>,
    tells_full: Signal<Local, Bit>,
    tells_disabled: Signal<Local, Bit>,
    frame_full: Constant<Bits<8>>,
    frame_disabled: Constant<Bits<8>>,
}

impl Default for RxMissed {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            sink: Default::default(),
            full: Default::default(),
            disabled: Default::default(),
            source: Default::default(),
            shown: Default::default(),
            shows: Default::default(),
            fulls: Default::default(),
            disableds: Default::default(),
            free: Default::default(),
            tells_full: Default::default(),
            tells_disabled: Default::default(),
            frame_full: Constant::new(bits(drop::FRAME_FULL.into())),
            frame_disabled: Constant::new(bits(drop::FRAME_DISABLED.into())),
        }
    }
}

impl Logic for RxMissed {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, shown, shows, fulls, disableds);
        self.free.next = !self.shows.q.val() | self.source.ready.val();
        self.sink.ready.next = self.free.val();
        self.tells_full.next = self.free.val() & !self.sink.valid.val() & self.fulls.q.val().any();
        self.tells_disabled.next =
            self.free.val() & !self.sink.valid.val() & (self.fulls.q.val() == 0) & self.disableds.q.val().any();
        if self.free.val() {
            self.shows.d.next = self.sink.valid.val() | self.fulls.q.val().any() | self.disableds.q.val().any();
            self.shown.d.next = self.sink.data.val();
        }
        if self.tells_full.val() {
            self.shown.d.next = self.frame_full.val();
        }
        if self.tells_disabled.val() {
            self.shown.d.next = self.frame_disabled.val();
        }
        if self.full.val() & !self.tells_full.val() {
            self.fulls.d.next = self.fulls.q.val() + 1;
        }
        if !self.full.val() & self.tells_full.val() {
            self.fulls.d.next = self.fulls.q.val() - 1;
        }
        if self.disabled.val() & !self.tells_disabled.val() {
            self.disableds.d.next = self.disableds.q.val() + 1;
        }
        if !self.disabled.val() & self.tells_disabled.val() {
            self.disableds.d.next = self.disableds.q.val() - 1;
        }
        self.source.data.next = self.shown.q.val();
        self.source.valid.next = self.shows.q.val();
        if self.reset.val() {
            self.shows.d.next = false;
            self.fulls.d.next = 0.into();
            self.disableds.d.next = 0.into();
        }
    }
}
