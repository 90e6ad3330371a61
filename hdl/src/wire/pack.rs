//! Packer: joins headers and payload into the beats of a frame, one beat a cycle. The place of the ICRC holds zeros.
//!
//! ```text
//!  1 sequence   2-3 rotation, masks   4 merge   5 out
//! ```
//!
//! Five cycles from a header or payload beat that is taken to the output beat; the pipeline never stops, so `room` must
//! leave space for what is in it.
use super::headers::FrameHeader;
use super::pack_masks::PackMasks;
use super::pack_rotate::PackRotate;
use super::pack_sequence::{PackMark, PackSequence};
use crate::types::PayloadSink;
use crate::widgets::{ChannelSink, Delay};
use rust_hdl::prelude::*;

/// Packer for beats of DATA bits (STRB bytes).
#[derive(LogicBlock, Default)]
pub struct Packer<const DATA: usize, const STRB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame.
    pub reset: Signal<In, Bit>,
    /// Headers of the next frame.
    pub header: ChannelSink<FrameHeader>,
    /// Payload.
    pub payload: PayloadSink<DATA>,
    /// There is room for beats; six more may come after it falls.
    pub room: Signal<In, Bit>,
    /// There is room for another frame.
    pub room_for_frame: Signal<In, Bit>,
    /// A frame begins.
    pub starts: Signal<Out, Bit>,
    /// `mark` counts.
    pub active: Signal<Out, Bit>,
    /// What this cycle brings.
    pub mark: Signal<Out, PackMark>,
    /// The beat, if `mark` emits one.
    pub beat: Signal<Out, Bits<DATA>>,
    sequencer: PackSequence<DATA, STRB>,
    rotate: PackRotate<DATA>,
    masks: PackMasks<DATA>,
    marks: Delay<PackMark, 3>,
    plains: Delay<Bits<DATA>, 3>,
    rests: Delay<Bits<DATA>, 2>,
    alive: DFF<Bits<3>>,
    merged: DFF<Bits<DATA>>,
    spilled: DFF<Bits<DATA>>,
    kept: DFF<Bits<DATA>>,
    out: DFF<Bits<DATA>>,
    out_mark: DFF<PackMark>,
    out_active: DFF<Bit>,
    present: Signal<Local, PackMark>,
    word: Signal<Local, Bits<DATA>>,
    lives: Signal<Local, Bit>,
}

impl<const DATA: usize, const STRB: usize> Logic for Packer<DATA, STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, alive, merged, spilled, kept, out, out_mark, out_active);
        clock!(self, clock, sequencer, rotate, masks, marks, plains, rests);
        self.sequencer.reset.next = self.reset.val();
        ChannelSink::<FrameHeader>::link(&mut self.header, &mut self.sequencer.header);
        PayloadSink::<DATA>::link(&mut self.payload, &mut self.sequencer.payload);
        self.sequencer.room.next = self.room.val();
        self.sequencer.room_for_frame.next = self.room_for_frame.val();
        self.starts.next = self.sequencer.starts.val();
        self.rotate.beat.next = self.sequencer.piece.val();
        self.rotate.rotation.next = self.sequencer.rotation.val();
        self.masks.low.next = self.sequencer.low.val();
        self.masks.high.next = self.sequencer.high.val();
        self.marks.d.next = self.sequencer.mark.val();
        self.plains.d.next = self.sequencer.plain.val();
        self.rests.d.next = self.sequencer.rest.val();
        self.alive.d.next = (self.alive.q.val() << 1) | bit_cast::<3, 1>(self.sequencer.active.val().into());

        self.merged.d.next = (self.rotate.out.val() & self.masks.here.val()) | self.rests.q.val();
        self.spilled.d.next = self.rotate.out.val() & self.masks.beyond.val();

        self.present.next = self.marks.q.val();
        self.lives.next = self.alive.q.val().get_bit(2);
        self.word.next = self.kept.q.val() | self.merged.q.val();
        self.out.d.next = self.word.val();
        if self.present.val().plain {
            self.out.d.next = self.plains.q.val();
        }
        if self.lives.val() {
            self.kept.d.next = self.word.val();
            if self.present.val().emits & !self.present.val().plain {
                self.kept.d.next = self.spilled.q.val();
            }
            if self.present.val().fails {
                self.kept.d.next = 0.into();
            }
        }
        self.out_mark.d.next = self.present.val();
        self.out_active.d.next = self.lives.val();
        self.beat.next = self.out.q.val();
        self.mark.next = self.out_mark.q.val();
        self.active.next = self.out_active.q.val();
        if self.reset.val() {
            self.alive.d.next = 0.into();
            self.kept.d.next = 0.into();
            self.out_active.d.next = false;
        }
    }
}
