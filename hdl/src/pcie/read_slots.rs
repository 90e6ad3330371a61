//! All read tags: choice of a free one, look-up by completion and by R, timeout (rules RD2, RD7).
use super::read_slot::ReadSlot;
use crate::widgets::First;
use rust_hdl::prelude::*;

/// Eight slots.
#[derive(LogicBlock)]
pub struct ReadSlots {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Frees all.
    pub reset: Signal<In, Bit>,
    /// Reads may be under way.
    pub enabled: Signal<In, Bit>,
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
    /// Tag of the completion under way.
    pub tag: Signal<In, Bits<3>>,
    /// It is expected.
    pub expects: Signal<Out, Bit>,
    /// Its read has failed already.
    pub dead: Signal<Out, Bit>,
    /// Bytes that are missing.
    pub missing: Signal<Out, Bits<10>>,
    /// Where it has to begin.
    pub address: Signal<Out, Bits<9>>,
    /// It has ended,
    pub complete: Signal<In, Bit>,
    /// rightly,
    pub good: Signal<In, Bit>,
    /// with so many bytes,
    pub bytes: Signal<In, Bits<10>>,
    /// as the last of its request;
    pub ends: Signal<In, Bit>,
    /// what beats say if it is not good.
    pub response: Signal<In, Bits<2>>,
    /// Tag whose beats R is to get.
    pub owed_tag: Signal<In, Bits<3>>,
    /// They are known.
    pub ready: Signal<Out, Bit>,
    /// Their response.
    pub outcome: Signal<Out, Bits<2>>,
    /// R has them all.
    pub drained: Signal<In, Bit>,
    /// All tags are retired.
    pub fatal: Signal<Out, Bit>,
    /// A timeout has struck.
    pub timeout: Signal<Out, Bit>,
    slots: [ReadSlot; 8],
    first: First<8>,
    age: DFF<Bits<32>>,
    tick: DFF<Bit>,
    frees: Signal<Local, Bits<8>>,
    deads: Signal<Local, Bits<8>>,
    struck: Signal<Local, Bits<8>>,
    chosen: Signal<Local, Bits<3>>,
    masks: [Constant<Bits<8>>; 8],
    numbers: [Constant<Bits<3>>; 8],
    period: Constant<Bits<32>>,
}

impl ReadSlots {
    /// Slots whose reads fail after `timeout` cycles, or up to a sixteenth later.
    ///
    /// # Panics
    /// When `timeout` is less than 16 cycles or more than 2^32.
    pub fn new(timeout: u64) -> Self {
        assert!((16..1 << 32).contains(&timeout), "a timeout of {timeout} cycles");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            enabled: Default::default(),
            free: Default::default(),
            free_tag: Default::default(),
            start: Default::default(),
            start_address: Default::default(),
            start_bytes: Default::default(),
            tag: Default::default(),
            expects: Default::default(),
            dead: Default::default(),
            missing: Default::default(),
            address: Default::default(),
            complete: Default::default(),
            good: Default::default(),
            bytes: Default::default(),
            ends: Default::default(),
            response: Default::default(),
            owed_tag: Default::default(),
            ready: Default::default(),
            outcome: Default::default(),
            drained: Default::default(),
            fatal: Default::default(),
            timeout: Default::default(),
            slots: std::array::from_fn(|_| Default::default()),
            first: First::new(0),
            age: Default::default(),
            tick: Default::default(),
            frees: Default::default(),
            deads: Default::default(),
            struck: Default::default(),
            chosen: Default::default(),
            masks: std::array::from_fn(|i| Constant::new((1usize << i).to_bits())),
            numbers: std::array::from_fn(|i| Constant::new(i.to_bits())),
            period: Constant::new(bits(timeout.div_ceil(16) - 1)),
        }
    }
}

impl Logic for ReadSlots {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, age, tick);
        self.age.d.next = self.age.q.val() + 1;
        self.tick.d.next = false;
        if self.age.q.val() == self.period.val() {
            self.age.d.next = 0.into();
            self.tick.d.next = true;
        }
        if self.reset.val() {
            self.age.d.next = 0.into();
        }
        self.frees.next = 0.into();
        self.deads.next = 0.into();
        self.struck.next = 0.into();
        self.expects.next = false;
        self.dead.next = false;
        self.missing.next = 0.into();
        self.address.next = 0.into();
        self.ready.next = false;
        self.outcome.next = 0.into();
        for i in 0..8 {
            if self.slots[i].free.val() {
                self.frees.next = self.frees.val() | self.masks[i].val();
            }
            if self.slots[i].dead.val() {
                self.deads.next = self.deads.val() | self.masks[i].val();
            }
            if self.slots[i].timeout.val() {
                self.struck.next = self.struck.val() | self.masks[i].val();
            }
            if self.tag.val() == self.numbers[i].val() {
                self.expects.next = self.slots[i].expects.val();
                self.dead.next = self.slots[i].dead.val();
                self.missing.next = self.slots[i].missing.val();
                self.address.next = self.slots[i].address.val();
            }
            if self.owed_tag.val() == self.numbers[i].val() {
                self.ready.next = self.slots[i].ready.val();
                self.outcome.next = self.slots[i].outcome.val();
            }
        }
        self.first.flags.next = self.frees.val();
        self.chosen.next = self.first.code.val().get_bits::<3>(0);
        self.free_tag.next = self.chosen.val();
        self.free.next = self.frees.val().any();
        self.fatal.next = self.deads.val().all();
        self.timeout.next = self.struck.val().any();
        for i in 0..8 {
            self.slots[i].clock.next = self.clock.val();
            self.slots[i].reset.next = self.reset.val();
            self.slots[i].enabled.next = self.enabled.val();
            self.slots[i].tick.next = self.tick.q.val();
            self.slots[i].start.next = self.start.val() & (self.chosen.val() == self.numbers[i].val());
            self.slots[i].start_address.next = self.start_address.val();
            self.slots[i].start_bytes.next = self.start_bytes.val();
            self.slots[i].complete.next = self.complete.val() & (self.tag.val() == self.numbers[i].val());
            self.slots[i].good.next = self.good.val();
            self.slots[i].bytes.next = self.bytes.val();
            self.slots[i].ends.next = self.ends.val();
            self.slots[i].response.next = self.response.val();
            self.slots[i].drained.next = self.drained.val() & (self.owed_tag.val() == self.numbers[i].val());
        }
    }
}
