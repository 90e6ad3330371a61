//! Two-word register stage.
use super::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

/// Cuts data, valid and ready of a channel: latency one cycle, one word a cycle.
#[derive(LogicBlock, Default)]
pub struct Stage<T: Synth> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what the stage holds.
    pub reset: Signal<In, Bit>,
    /// Words in.
    pub sink: ChannelSink<T>,
    /// Words out.
    pub source: ChannelSource<T>,
    shown: DFF<T>,
    shows: DFF<Bit>,
    kept: DFF<T>,
    keeps: DFF<Bit>,
    moves: Signal<Local, Bit>,
}

impl<T: Synth> Logic for Stage<T> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, shown, shows, kept, keeps);
        self.moves.next = self.source.ready.val() | !self.shows.q.val();
        self.sink.ready.next = !self.keeps.q.val();
        self.source.data.next = self.shown.q.val();
        self.source.valid.next = self.shows.q.val();
        if !self.keeps.q.val() {
            self.kept.d.next = self.sink.data.val();
        }
        if self.moves.val() {
            self.shown.d.next = self.sink.data.val();
            if self.keeps.q.val() {
                self.shown.d.next = self.kept.q.val();
            }
            self.shows.d.next = self.keeps.q.val() | self.sink.valid.val();
            self.keeps.d.next = false;
        } else {
            self.keeps.d.next = self.keeps.q.val() | self.sink.valid.val();
        }
        if self.reset.val() {
            self.shows.d.next = false;
            self.keeps.d.next = false;
        }
    }
}
