//! Interrupt requests become memory writes (rules IR1, IR2).
//!
//! A request sets its vector's pending bit; an unmasked pending vector is read from the table and sent, once, in turn with the
//! others. So requests of one vector merge while it waits, and a masked one is sent on unmasking. Four cycles from request to
//! the offered header. The header goes through the posted queue, behind the data that the core vouches for.
use super::msix_table::MsixTable;
use super::records::TlpHeader;
use crate::widgets::{ChannelSource, FlagVector, RoundRobin, SlackFifo};
use rust_hdl::prelude::*;

/// Where a message stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum InterruptStep {
    /// No vector is to be sent.
    Choose,
    /// The table is read.
    ReadTable,
    /// The entry is there.
    Build,
    /// The header is offered.
    Offer,
}

/// Interrupts and their table.
#[derive(LogicBlock, Default)]
pub struct Interrupt {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Masks all vectors and forgets what is pending.
    pub reset: Signal<In, Bit>,
    /// Requester id.
    pub device_id: Signal<In, Bits<16>>,
    /// Memory writes may be sent.
    pub enabled: Signal<In, Bit>,
    /// A request,
    pub irq_valid: Signal<In, Bit>,
    /// of this vector;
    pub irq_vector: Signal<In, Bits<5>>,
    /// always taken.
    pub irq_ready: Signal<Out, Bit>,
    /// Writes the table, as [`MsixTable`].
    pub write: Signal<In, Bit>,
    /// Entry to write or read.
    pub index: Signal<In, Bits<5>>,
    /// Word of the entry to write.
    pub write_word: Signal<In, Bits<2>>,
    /// Value to write.
    pub data: Signal<In, Bits<32>>,
    /// Reads the entry `index`; it shows one cycle later.
    pub read: Signal<In, Bit>,
    /// Lower half of its address.
    pub address_low: Signal<Out, Bits<32>>,
    /// Upper half.
    pub address_high: Signal<Out, Bits<32>>,
    /// Its data.
    pub message: Signal<Out, Bits<32>>,
    /// Masks of all vectors.
    pub masks: Signal<Out, Bits<32>>,
    /// Pending vectors.
    pub pending: Signal<Out, Bits<32>>,
    /// Message to send.
    pub header: ChannelSource<TlpHeader>,
    /// Its data.
    pub payload: ChannelSource<Bits<32>>,
    entries: MsixTable,
    waiting: FlagVector<32, 5>,
    arbiter: RoundRobin<32, 5>,
    messages: SlackFifo<Bits<32>, 2, 2>,
    step: DFF<InterruptStep>,
    chosen: DFF<Bits<5>>,
    built: DFF<TlpHeader>,
    chooses: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
}

impl Logic for Interrupt {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, chosen, built);
        clock!(self, clock, entries, waiting, arbiter, messages);
        self.entries.reset.next = self.reset.val();
        self.waiting.reset.next = self.reset.val();
        self.arbiter.reset.next = self.reset.val();
        self.messages.reset.next = self.reset.val();
        self.irq_ready.next = true;
        self.waiting.set_flag.next = self.irq_valid.val();
        self.waiting.set_index.next = self.irq_vector.val();
        self.waiting.index.next = 0.into();
        self.pending.next = self.waiting.all.val();
        self.masks.next = self.entries.masks.val();
        self.arbiter.requests.next = self.waiting.all.val() & !self.entries.masks.val();
        self.chooses.next = (self.step.q.val() == InterruptStep::Choose)
            & self.arbiter.some.val()
            & self.enabled.val()
            & !self.messages.crowded.val();
        self.arbiter.advance.next = self.chooses.val();
        // Cleared before the table is read: a request from now on is sent again. Set goes before clear.
        self.waiting.clear_flag.next = self.chooses.val();
        self.waiting.clear_index.next = self.arbiter.index.val();
        self.entries.write.next = self.write.val();
        self.entries.write_index.next = self.index.val();
        self.entries.write_word.next = self.write_word.val();
        self.entries.data.next = self.data.val();
        self.busy.next = self.read.val() | self.write.val();
        self.entries.index.next = self.chosen.q.val();
        if self.busy.val() {
            self.entries.index.next = self.index.val();
        }
        self.address_low.next = self.entries.address_low.val();
        self.address_high.next = self.entries.address_high.val();
        self.message.next = self.entries.message.val();
        match self.step.q.val() {
            InterruptStep::Choose => {
                self.chosen.d.next = self.arbiter.index.val();
                if self.chooses.val() {
                    self.step.d.next = InterruptStep::ReadTable;
                }
            }
            InterruptStep::ReadTable => {
                if !self.busy.val() {
                    self.step.d.next = InterruptStep::Build;
                }
            }
            InterruptStep::Build => {
                self.step.d.next = InterruptStep::Offer;
            }
            InterruptStep::Offer => {
                if self.header.ready.val() {
                    self.step.d.next = InterruptStep::Choose;
                }
            }
        }
        self.messages.write.next = self.step.q.val() == InterruptStep::Build;
        self.messages.data.next = self.entries.message.val();
        if self.step.q.val() == InterruptStep::Build {
            self.built.d.next.dw0 = 0x4000_0001.into();
            self.built.d.next.dw2 = self.entries.address_low.val();
            self.built.d.next.long = self.entries.address_high.val().any();
            if self.entries.address_high.val().any() {
                self.built.d.next.dw0 = 0x6000_0001.into();
                self.built.d.next.dw2 = self.entries.address_high.val();
            }
            self.built.d.next.dw1 = (bit_cast::<32, 16>(self.device_id.val()) << 16) | 0x0F;
            self.built.d.next.dw3 = self.entries.address_low.val();
            self.built.d.next.data = true;
            self.built.d.next.upper = false;
            // `queue::INTERRUPTS`.
            self.built.d.next.queue = 2.into();
        }
        self.header.data.next = self.built.q.val();
        self.header.valid.next = self.step.q.val() == InterruptStep::Offer;
        ChannelSource::<Bits<32>>::link(&mut self.payload, &mut self.messages.source);
        if self.reset.val() {
            self.step.d.next = InterruptStep::Choose;
        }
    }
}
