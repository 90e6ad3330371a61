//! Registers of the event ring.
//!
//! Writes are checked before they come here. Reads: one cycle after `word`. A write to the base or the size starts the ring
//! afresh (`restart`, one cycle later).
use super::value::word_of;
use rnic_abi::register as map;
use rust_hdl::prelude::*;

/// The registers.
#[derive(LogicBlock)]
pub struct EventRegisters {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// No ring.
    pub reset: Signal<In, Bit>,
    /// Stores `data` in the register of `word`.
    pub write: Signal<In, Bit>,
    /// Word of the map.
    pub word: Signal<In, Bits<8>>,
    /// The value.
    pub data: Signal<In, Bits<32>>,
    /// Value of the register of one cycle ago, 0 if it is not here.
    pub out: Signal<Out, Bits<32>>,
    /// Base of the ring in units of 4 KiB.
    pub base: Signal<Out, Bits<40>>,
    /// Log2 of its entries, 0 for no ring.
    pub log2: Signal<Out, Bits<4>>,
    /// Events consumed.
    pub consumer: Signal<Out, Bits<16>>,
    /// The ring was defined anew.
    pub restart: Signal<Out, Bit>,
    base_low: DFF<Bits<20>>,
    base_high: DFF<Bits<20>>,
    size: DFF<Bits<4>>,
    consumed: DFF<Bits<16>>,
    restarts: DFF<Bit>,
    read: DFF<Bits<32>>,
    ring: Signal<Local, Bits<6>>,
    place: Signal<Local, Bits<2>>,
    hit: Signal<Local, Bit>,
    ring_here: Constant<Bits<6>>,
}

impl Default for EventRegisters {
    fn default() -> Self {
        // The kernel cuts the word number into ring and place.
        assert_eq!(
            [map::EVENT_BASE_LOW, map::EVENT_BASE_HIGH, map::EVENT_LOG2, map::EVENT_CONSUMER].map(|o| o / 4 % 4),
            [0, 1, 2, 3]
        );
        let word: Bits<8> = word_of(map::EVENT_BASE_LOW).val();
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write: Default::default(),
            word: Default::default(),
            data: Default::default(),
            out: Default::default(),
            base: Default::default(),
            log2: Default::default(),
            consumer: Default::default(),
            restart: Default::default(),
            base_low: Default::default(),
            base_high: Default::default(),
            size: Default::default(),
            consumed: Default::default(),
            restarts: Default::default(),
            read: Default::default(),
            ring: Default::default(),
            place: Default::default(),
            hit: Default::default(),
            ring_here: Constant::new(word.get_bits::<6>(2)),
        }
    }
}

impl Logic for EventRegisters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, base_low, base_high, size, consumed, restarts, read);
        self.ring.next = self.word.val().get_bits::<6>(2);
        self.place.next = self.word.val().get_bits::<2>(0);
        self.hit.next = self.ring.val() == self.ring_here.val();
        self.restarts.d.next = false;
        self.read.d.next = 0.into();
        if self.hit.val() {
            if self.place.val() == 0 {
                self.read.d.next = bit_cast::<32, 20>(self.base_low.q.val()) << 12;
            } else if self.place.val() == 1 {
                self.read.d.next = bit_cast::<32, 20>(self.base_high.q.val());
            } else if self.place.val() == 2 {
                self.read.d.next = bit_cast::<32, 4>(self.size.q.val());
            } else {
                self.read.d.next = bit_cast::<32, 16>(self.consumed.q.val());
            }
        }
        if self.hit.val() & self.write.val() {
            self.restarts.d.next = true;
            if self.place.val() == 0 {
                self.base_low.d.next = self.data.val().get_bits::<20>(12);
            } else if self.place.val() == 1 {
                self.base_high.d.next = self.data.val().get_bits::<20>(0);
            } else if self.place.val() == 2 {
                self.size.d.next = self.data.val().get_bits::<4>(0);
            } else {
                self.consumed.d.next = self.data.val().get_bits::<16>(0);
                self.restarts.d.next = false;
            }
        }
        if self.reset.val() {
            self.base_low.d.next = 0.into();
            self.base_high.d.next = 0.into();
            self.size.d.next = 0.into();
            self.consumed.d.next = 0.into();
        }
        self.out.next = self.read.q.val();
        self.base.next = (bit_cast::<40, 20>(self.base_high.q.val()) << 20) | bit_cast::<40, 20>(self.base_low.q.val());
        self.log2.next = self.size.q.val();
        self.consumer.next = self.consumed.q.val();
        self.restart.next = self.restarts.q.val();
    }
}
