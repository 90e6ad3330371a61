//! Frames on their way to the wire inside the NIC, and a register stage for them.
use crate::widgets::Stage;
use rust_hdl::prelude::*;

record! {
    /// What a beat of a frame holds.
    FrameMark, 8 {
        /// Bytes: DATA / 8, or fewer in the last beat.
        count: Bits<7>,
        /// Last beat of its frame.
        last: Bit,
    }
}

/// Whole frames: once the first beat of a frame is offered, the rest follows without a gap. First byte in the lowest lane,
/// zeros in the lanes behind the last byte.
#[derive(LogicInterface, Default)]
#[join = "FrameSink"]
pub struct FrameSource<const DATA: usize> {
    pub data: Signal<Out, Bits<DATA>>,
    pub mark: Signal<Out, FrameMark>,
    pub valid: Signal<Out, Bit>,
    pub ready: Signal<In, Bit>,
}

/// The other end of [`FrameSource`].
#[derive(LogicInterface, Default)]
#[join = "FrameSource"]
pub struct FrameSink<const DATA: usize> {
    pub data: Signal<In, Bits<DATA>>,
    pub mark: Signal<In, FrameMark>,
    pub valid: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
}

/// Cuts all paths of a beat stream whose marks are of type T: latency one cycle, one beat a cycle.
///
/// Two stages in step: both see the same valid and ready.
#[derive(LogicBlock, Default)]
pub struct BeatStage<T: Synth, const DATA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what the stage holds.
    pub reset: Signal<In, Bit>,
    /// Beat in: data,
    pub data_in: Signal<In, Bits<DATA>>,
    /// mark,
    pub mark_in: Signal<In, T>,
    /// they count,
    pub valid_in: Signal<In, Bit>,
    /// they are taken.
    pub ready_in: Signal<Out, Bit>,
    /// Beat out: data,
    pub data_out: Signal<Out, Bits<DATA>>,
    /// mark,
    pub mark_out: Signal<Out, T>,
    /// they count,
    pub valid_out: Signal<Out, Bit>,
    /// they are taken.
    pub ready_out: Signal<In, Bit>,
    data: Stage<Bits<DATA>>,
    mark: Stage<T>,
}

impl<T: Synth, const DATA: usize> Logic for BeatStage<T, DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, data, mark);
        self.data.reset.next = self.reset.val();
        self.mark.reset.next = self.reset.val();
        self.data.sink.data.next = self.data_in.val();
        self.mark.sink.data.next = self.mark_in.val();
        self.data.sink.valid.next = self.valid_in.val();
        self.mark.sink.valid.next = self.valid_in.val();
        self.ready_in.next = self.data.sink.ready.val() & self.mark.sink.ready.val();
        self.data_out.next = self.data.source.data.val();
        self.mark_out.next = self.mark.source.data.val();
        self.valid_out.next = self.data.source.valid.val() & self.mark.source.valid.val();
        self.data.source.ready.next = self.ready_out.val();
        self.mark.source.ready.next = self.ready_out.val();
    }
}
