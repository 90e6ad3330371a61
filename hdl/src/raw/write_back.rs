//! Writes descriptors back, in the order of their ring (T95): length and flags in one burst, the phase with them.
//!
//! A received frame is written back only after its last write has its B, so that the host never sees a flag before the bytes
//! (T105). A write with a bus error is counted as a drop (I9). Two cycles a descriptor.
use super::RawNote;
use crate::cq::RecordWrite;
use crate::types::{WriteClient, WriteCommand};
use crate::widgets::{ChannelSink, ChannelSource, Fifo, SlackFifo};
use rnic_abi::{drop, raw};
use rust_hdl::prelude::*;

/// Writer on a bus of DATA bits.
#[derive(LogicBlock)]
pub struct RawWriteBack<const DATA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all notes.
    pub reset: Signal<In, Bit>,
    /// Descriptors to write back.
    pub note: ChannelSink<RawNote>,
    /// The bytes of the oldest frame that waits are in memory,
    pub landed: Signal<In, Bit>,
    /// or not all of them: there was a bus error.
    pub landed_failed: Signal<In, Bit>,
    /// Writes.
    pub write: WriteClient<DATA>,
    /// Reason of each descriptor that is lost.
    pub drop: ChannelSource<Bits<8>>,
    notes: Fifo<RawNote, 4>,
    outcomes: SlackFifo<Bits<1>, 5, 2>,
    writer: RecordWrite<64, DATA>,
    losses: SlackFifo<Bits<8>, 4, 2>,
    head: Signal<Local, RawNote>,
    known: Signal<Local, Bit>,
    flags: Signal<Local, Bits<32>>,
    goes: Signal<Local, Bit>,
    outcome: Signal<Local, Bits<1>>,
    offset: Constant<Bits<52>>,
    error: Constant<Bits<32>>,
    phase: Constant<Bits<32>>,
    reason: Constant<Bits<8>>,
}

impl<const DATA: usize> Default for RawWriteBack<DATA> {
    fn default() -> Self {
        assert_eq!((raw::LENGTH.byte, raw::FLAGS.byte), (8, 12), "they are written together");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            note: Default::default(),
            landed: Default::default(),
            landed_failed: Default::default(),
            write: Default::default(),
            drop: Default::default(),
            notes: Default::default(),
            outcomes: Default::default(),
            writer: Default::default(),
            losses: Default::default(),
            head: Default::default(),
            known: Default::default(),
            flags: Default::default(),
            goes: Default::default(),
            outcome: Default::default(),
            offset: Constant::new(bits(raw::LENGTH.byte as u64)),
            error: Constant::new(bits(raw::ERROR.into())),
            phase: Constant::new(bits(raw::PHASE.into())),
            reason: Constant::new(bits(drop::RAW_LOST.into())),
        }
    }
}

impl<const DATA: usize> Logic for RawWriteBack<DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, notes, outcomes, writer, losses);
        self.notes.reset.next = self.reset.val();
        self.outcomes.reset.next = self.reset.val();
        self.writer.reset.next = self.reset.val();
        self.losses.reset.next = self.reset.val();
        ChannelSink::<RawNote>::link(&mut self.note, &mut self.notes.sink);
        // There are never more outcomes than notes.
        self.outcomes.write.next = self.landed.val();
        self.outcomes.data.next = 0.into();
        if self.landed_failed.val() {
            self.outcomes.data.next = 1.into();
        }
        self.head.next = self.notes.source.data.val();
        self.outcome.next = self.outcomes.source.data.val();
        self.known.next = self.notes.source.valid.val() & (!self.head.val().waits | self.outcomes.source.valid.val());
        self.goes.next = self.known.val() & self.writer.record.ready.val();
        self.notes.source.ready.next = self.goes.val();
        self.outcomes.source.ready.next = self.goes.val() & self.head.val().waits;

        self.flags.next = bit_cast::<32, 5>(self.head.val().flags);
        if self.head.val().waits & self.outcome.val().any() {
            self.flags.next = self.flags.val() | self.error.val();
        }
        if self.head.val().phase {
            self.flags.next = self.flags.val() | self.phase.val();
        }
        self.writer.address.next = self.head.val().place + self.offset.val();
        self.writer.record.data.next =
            (bit_cast::<64, 32>(self.flags.val()) << 32) | bit_cast::<64, 13>(self.head.val().bytes);
        self.writer.record.valid.next = self.known.val();
        self.losses.write.next = self.write.done.val() & self.write.failed.val();
        self.losses.data.next = self.reason.val();
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.losses.source);
        ChannelSource::<WriteCommand>::link(&mut self.write.command, &mut self.writer.command);
        ChannelSource::<Bits<DATA>>::link(&mut self.write.beat, &mut self.writer.beat);
    }
}
