//! The bridge's half of BAR0: MSI-X table and pending bits, status, counters (rule BA5).
//!
//! Three cycles an access. Unassigned offsets answer DECERR, partial writes and writes to read-only words SLVERR.
use super::counters::BridgeCounters;
use rnic_abi::link::bridge;
use rust_hdl::prelude::*;

/// Registers of the bridge.
#[derive(LogicBlock, Default)]
pub struct BridgeRegisters {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clears the counters.
    pub reset: Signal<In, Bit>,
    /// Starts an access, all of which holds until `done`.
    pub start: Signal<In, Bit>,
    /// It is a write.
    pub write: Signal<In, Bit>,
    /// Offset in BAR0.
    pub address: Signal<In, Bits<16>>,
    /// All bytes are written.
    pub whole: Signal<In, Bit>,
    /// The access has ended.
    pub done: Signal<Out, Bit>,
    /// AXI response.
    pub response: Signal<Out, Bits<2>>,
    /// Data of a read.
    pub value: Signal<Out, Bits<32>>,
    /// Writes word `table_word` of entry `table_index` of the table.
    pub table_write: Signal<Out, Bit>,
    /// Reads the entry.
    pub table_read: Signal<Out, Bit>,
    /// Entry.
    pub table_index: Signal<Out, Bits<5>>,
    /// Word.
    pub table_word: Signal<Out, Bits<2>>,
    /// Lower half of the entry's address, one cycle after the read.
    pub address_low: Signal<In, Bits<32>>,
    /// Upper half.
    pub address_high: Signal<In, Bits<32>>,
    /// Data.
    pub message: Signal<In, Bits<32>>,
    /// Masks of all vectors.
    pub masks: Signal<In, Bits<32>>,
    /// Pending vectors.
    pub pending: Signal<In, Bits<32>>,
    /// Status word, bits as in `rnic_abi::link::bridge`.
    pub status: Signal<In, Bits<3>>,
    /// Events to count.
    pub pulses: Signal<In, Bits<8>>,
    counters: BridgeCounters,
    opened: DFF<Bit>,
    ended: DFF<Bit>,
    code: DFF<Bits<2>>,
    shown: DFF<Bits<32>>,
    page: Signal<Local, Bits<4>>,
    offset: Signal<Local, Bits<12>>,
    word: Signal<Local, Bits<4>>,
    counter: Signal<Local, Bits<4>>,
    of_table: Signal<Local, Bit>,
    of_pending: Signal<Local, Bit>,
    of_status: Signal<Local, Bit>,
    mask: Signal<Local, Bits<32>>,
    assigned: Signal<Local, Bit>,
}

impl Logic for BridgeRegisters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, opened, ended, code, shown);
        clock!(self, clock, counters);
        self.counters.reset.next = self.reset.val();
        self.counters.pulses.next = self.pulses.val();
        self.page.next = self.address.val().get_bits::<4>(12);
        self.offset.next = self.address.val().get_bits::<12>(0);
        self.word.next = self.address.val().get_bits::<4>(2);
        self.of_table.next = (self.page.val() == 8) & (self.offset.val() < 0x200);
        self.of_pending.next = (self.page.val() == 12) & (self.offset.val() < 8);
        self.of_status.next = (self.page.val() == 14) & (self.offset.val() < 36);
        self.assigned.next = self.of_table.val() | self.of_pending.val() | self.of_status.val();
        self.counter.next = self.word.val() - 1;
        self.counters.index.next = self.counter.val().get_bits::<3>(0);
        self.table_index.next = self.address.val().get_bits::<5>(4);
        self.table_word.next = self.address.val().get_bits::<2>(2);
        self.table_read.next = self.start.val() & self.of_table.val() & !self.write.val();
        self.table_write.next = self.start.val() & self.of_table.val() & self.write.val() & self.whole.val();
        self.opened.d.next = self.start.val();
        self.ended.d.next = self.opened.q.val();
        self.code.d.next = 0.into();
        if !self.assigned.val() {
            self.code.d.next = 3.into();
        } else if self.write.val() & !(self.of_table.val() & self.whole.val()) {
            self.code.d.next = 2.into();
        }
        self.mask.next = self.masks.val() >> self.table_index.val();
        self.shown.d.next = self.address_low.val();
        if self.table_word.val() == 1 {
            self.shown.d.next = self.address_high.val();
        } else if self.table_word.val() == 2 {
            self.shown.d.next = self.message.val();
        } else if self.table_word.val() == 3 {
            self.shown.d.next = bit_cast::<32, 1>(self.mask.val().get_bits::<1>(0));
        }
        if self.of_pending.val() {
            // The pending bits of 32 vectors; the upper half of the quadword is empty.
            self.shown.d.next = self.pending.val();
            if self.word.val().get_bit(0) {
                self.shown.d.next = 0.into();
            }
        }
        if self.of_status.val() {
            self.shown.d.next = bit_cast::<32, 16>(self.counters.value.val());
            if self.word.val() == 0 {
                self.shown.d.next = bit_cast::<32, 3>(self.status.val());
            }
        }
        if self.reset.val() {
            self.opened.d.next = false;
            self.ended.d.next = false;
        }
        self.done.next = self.ended.q.val();
        self.response.next = self.code.q.val();
        self.value.next = self.shown.q.val();
    }
}

const _: () = assert!(bridge::MSIX_TABLE == 0x8000 && bridge::VECTORS * 16 == 0x200);
const _: () = assert!(bridge::MSIX_PENDING == 0xC000 && bridge::STATUS == 0xE000 && bridge::COUNTERS == 0xE004);
const _: () = assert!(4 + 4 * bridge::COUNTER_COUNT == 36);
