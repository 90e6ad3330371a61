//! DMA reads: what completions bring, and what R gets (rules RD2 to RD8).
//!
//! Payload is stored while it comes if header and slot agree, and counts when the TLP ends well. Completions are never held up.
use super::read_check::CompletionCheck;
use super::read_return::ReadReturn;
use super::read_slots::ReadSlots;
use super::read_store::ReadStore;
use super::records::{OwedPiece, PayloadBeat, TlpHead};
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// Slots, their data, and R.
#[derive(LogicBlock)]
pub struct ReadCompletion {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops all.
    pub reset: Signal<In, Bit>,
    /// Reads may be under way.
    pub enabled: Signal<In, Bit>,
    /// Header of the TLP that comes in.
    pub head: Signal<In, TlpHead>,
    /// It begins.
    pub begins: Signal<In, Bit>,
    /// It is a completion.
    pub is_completion: Signal<In, Bit>,
    /// Its payload.
    pub payload: Signal<In, PayloadBeat>,
    /// It is a completion, and has ended well.
    pub completion_valid: Signal<In, Bit>,
    /// A slot is free,
    pub free: Signal<Out, Bit>,
    /// this one.
    pub free_tag: Signal<Out, Bits<3>>,
    /// Takes it,
    pub start: Signal<In, Bit>,
    /// from here,
    pub start_address: Signal<In, Bits<9>>,
    /// so many bytes.
    pub start_bytes: Signal<In, Bits<10>>,
    /// What is owed to R.
    pub owed: ChannelSink<OwedPiece>,
    /// AXI id.
    pub rid: Signal<Out, Bits<4>>,
    /// Beat.
    pub rdata: Signal<Out, Bits<64>>,
    /// Response.
    pub rresp: Signal<Out, Bits<2>>,
    /// Last of its burst.
    pub rlast: Signal<Out, Bit>,
    /// The beat counts.
    pub rvalid: Signal<Out, Bit>,
    /// It is taken.
    pub rready: Signal<In, Bit>,
    /// All tags are retired.
    pub fatal: Signal<Out, Bit>,
    /// A timeout has struck.
    pub timeout: Signal<Out, Bit>,
    /// A completion was not expected.
    pub unexpected: Signal<Out, Bit>,
    slots: ReadSlots,
    check: CompletionCheck,
    store: ReadStore,
    back: ReadReturn,
    tag: Signal<Local, Bits<8>>,
    known: Signal<Local, Bit>,
}

impl ReadCompletion {
    /// As [`ReadSlots::new`].
    pub fn new(timeout: u64) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            enabled: Default::default(),
            head: Default::default(),
            begins: Default::default(),
            is_completion: Default::default(),
            payload: Default::default(),
            completion_valid: Default::default(),
            free: Default::default(),
            free_tag: Default::default(),
            start: Default::default(),
            start_address: Default::default(),
            start_bytes: Default::default(),
            owed: Default::default(),
            rid: Default::default(),
            rdata: Default::default(),
            rresp: Default::default(),
            rlast: Default::default(),
            rvalid: Default::default(),
            rready: Default::default(),
            fatal: Default::default(),
            timeout: Default::default(),
            unexpected: Default::default(),
            slots: ReadSlots::new(timeout),
            check: Default::default(),
            store: Default::default(),
            back: Default::default(),
            tag: Default::default(),
            known: Default::default(),
        }
    }
}

impl Logic for ReadCompletion {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, slots, store, back);
        self.slots.reset.next = self.reset.val();
        self.back.reset.next = self.reset.val();
        self.slots.enabled.next = self.enabled.val();
        self.free.next = self.slots.free.val();
        self.free_tag.next = self.slots.free_tag.val();
        self.slots.start.next = self.start.val();
        self.slots.start_address.next = self.start_address.val();
        self.slots.start_bytes.next = self.start_bytes.val();
        // The completion and its slot.
        self.tag.next = self.head.val().return_tag;
        self.slots.tag.next = self.tag.val().get_bits::<3>(0);
        self.check.head.next = self.head.val();
        self.check.missing.next = self.slots.missing.val();
        self.check.address.next = self.slots.address.val();
        self.known.next =
            self.slots.expects.val() & (self.tag.val() < 8) & self.head.val().returns & !self.head.val().locked;
        self.unexpected.next = self.completion_valid.val() & !self.known.val();
        self.slots.complete.next = self.completion_valid.val() & self.known.val();
        self.slots.good.next = self.check.good.val();
        self.slots.bytes.next = self.check.bytes.val();
        self.slots.ends.next = self.check.ends.val();
        self.slots.response.next = self.check.response.val();
        self.store.begins.next = self.begins.val();
        self.store.start.next = self.slots.address.val().get_bits::<7>(2);
        self.store.tag.next = self.tag.val().get_bits::<3>(0);
        self.store.payload.next = self.payload.val();
        self.store.write.next =
            self.is_completion.val() & self.known.val() & !self.slots.dead.val() & self.check.good.val();
        // R.
        ChannelSink::<OwedPiece>::link(&mut self.owed, &mut self.back.owed);
        self.slots.owed_tag.next = self.back.tag.val();
        self.back.ready.next = self.slots.ready.val();
        self.back.outcome.next = self.slots.outcome.val();
        self.slots.drained.next = self.back.drained.val();
        self.store.read.next = self.back.read.val();
        self.store.read_tag.next = self.back.tag.val();
        self.store.read_beat.next = self.back.read_beat.val();
        self.back.beat.next = self.store.beat.val();
        self.rid.next = self.back.rid.val();
        self.rdata.next = self.back.rdata.val();
        self.rresp.next = self.back.rresp.val();
        self.rlast.next = self.back.rlast.val();
        self.rvalid.next = self.back.rvalid.val();
        self.back.rready.next = self.rready.val();
        self.fatal.next = self.slots.fatal.val();
        self.timeout.next = self.slots.timeout.val();
    }
}
