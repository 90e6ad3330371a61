//! Words of the admin commands CREATE_CQ and DESTROY_CQ, and the check of their fields.
//!
//! Every field must be in range and every unused bit and word 0. A ring lies below 2^52 to its last entry, so that no
//! address beyond DMA_ADDR_WIDTH reaches the bus. The verdict on the words kept is registered.
use super::CqRing;
use rnic_abi::admin::Command;
use rnic_abi::limits;
use rust_hdl::prelude::*;

/// Keeps the words of one command for 2^CA completion queues.
#[derive(LogicBlock)]
pub struct CqCommand<const CA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all words.
    pub reset: Signal<In, Bit>,
    /// A word comes.
    pub word_valid: Signal<In, Bit>,
    /// Its number.
    pub word_index: Signal<In, Bits<5>>,
    /// The word.
    pub word: Signal<In, Bits<32>>,
    /// The command is over: all words are 0 again.
    pub forget: Signal<In, Bit>,
    /// Completion queue.
    pub cqn: Signal<Out, Bits<12>>,
    /// Ring of CREATE_CQ.
    pub ring: Signal<Out, CqRing>,
    /// Vector of CREATE_CQ.
    pub irq_vector: Signal<Out, Bits<3>>,
    /// The words make a good CREATE_CQ.
    pub create_good: Signal<Out, Bit>,
    /// The words make a good DESTROY_CQ.
    pub destroy_good: Signal<Out, Bit>,
    words: [DFF<Bits<32>>; 4],
    /// A word that CREATE_CQ does not have is not 0.
    more: DFF<Bit>,
    may_create: DFF<Bit>,
    may_destroy: DFF<Bit>,
    number: Signal<Local, Bits<32>>,
    shape: Signal<Local, Bits<32>>,
    low: Signal<Local, Bits<32>>,
    high: Signal<Local, Bits<32>>,
    stray_number: Signal<Local, Bits<32>>,
    stray_shape: Signal<Local, Bits<32>>,
    stray_low: Signal<Local, Bits<32>>,
    stray_high: Signal<Local, Bits<32>>,
    log2: Signal<Local, Bits<8>>,
    base: Signal<Local, Bits<41>>,
    slots: Signal<Local, Bits<41>>,
    last_slot: Signal<Local, Bits<41>>,
    last_frame: Signal<Local, Bits<41>>,
    ring_end: Signal<Local, Bits<41>>,
    fits: Signal<Local, Bit>,
    numbers: [Constant<Bits<5>>; 4],
    one: Constant<Bits<41>>,
    no_cqn: Constant<Bits<32>>,
    no_shape: Constant<Bits<32>>,
    no_low: Constant<Bits<32>>,
    no_high: Constant<Bits<32>>,
    log2_min: Constant<Bits<8>>,
    log2_max: Constant<Bits<8>>,
}

impl<const CA: usize> Default for CqCommand<CA> {
    fn default() -> Self {
        // Bits 15:8 are the vector, of which there are 8; base bits 11:0 and 63:52 are 0.
        let shape = Command::CreateCq.used_bits(1) & !((0xFF - (limits::VECTORS - 1)) << 8);
        let (low, high) = (!(limits::RING_ALIGN as u32 - 1), (limits::DMA_LIMIT >> 32) as u32 - 1);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            word_valid: Default::default(),
            word_index: Default::default(),
            word: Default::default(),
            forget: Default::default(),
            cqn: Default::default(),
            ring: Default::default(),
            irq_vector: Default::default(),
            create_good: Default::default(),
            destroy_good: Default::default(),
            words: std::array::from_fn(|_| Default::default()),
            more: Default::default(),
            may_create: Default::default(),
            may_destroy: Default::default(),
            number: Default::default(),
            shape: Default::default(),
            low: Default::default(),
            high: Default::default(),
            stray_number: Default::default(),
            stray_shape: Default::default(),
            stray_low: Default::default(),
            stray_high: Default::default(),
            log2: Default::default(),
            base: Default::default(),
            slots: Default::default(),
            last_slot: Default::default(),
            last_frame: Default::default(),
            ring_end: Default::default(),
            fits: Default::default(),
            numbers: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            one: Constant::new(bits(1)),
            no_cqn: Constant::new(bits(!((1u32 << CA) - 1) as u64)),
            no_shape: Constant::new(bits(!shape as u64)),
            no_low: Constant::new(bits(!low as u64)),
            no_high: Constant::new(bits(!high as u64)),
            log2_min: Constant::new(bits(limits::CQ_LOG2_MIN as u64)),
            log2_max: Constant::new(bits(limits::CQ_LOG2_MAX as u64)),
        }
    }
}

impl<const CA: usize> Logic for CqCommand<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, more, may_create, may_destroy);
        for i in 0..4 {
            self.words[i].clock.next = self.clock.val();
            self.words[i].d.next = self.words[i].q.val();
            if self.word_valid.val() & (self.word_index.val() == self.numbers[i].val()) {
                self.words[i].d.next = self.word.val();
            }
            if self.forget.val() | self.reset.val() {
                self.words[i].d.next = 0.into();
            }
        }
        if self.word_valid.val() & (self.word_index.val() > 3) & (self.word.val() != 0) {
            self.more.d.next = true;
        }
        if self.forget.val() | self.reset.val() {
            self.more.d.next = false;
        }
        self.number.next = self.words[0].q.val();
        self.shape.next = self.words[1].q.val();
        self.low.next = self.words[2].q.val();
        self.high.next = self.words[3].q.val();
        // Bits that no field has.
        self.stray_number.next = self.number.val() & self.no_cqn.val();
        self.stray_shape.next = self.shape.val() & self.no_shape.val();
        self.stray_low.next = self.low.val() & self.no_low.val();
        self.stray_high.next = self.high.val() & self.no_high.val();
        self.log2.next = self.shape.val().get_bits::<8>(0);
        // Frame of the last entry: 128 entries of 32 bytes are 4 KiB.
        self.base.next =
            (bit_cast::<41, 32>(self.high.val()) << 20) | bit_cast::<41, 20>(self.low.val().get_bits::<20>(12));
        self.slots.next = self.one.val() << self.log2.val();
        self.last_slot.next = self.slots.val() - 1;
        self.last_frame.next = self.last_slot.val() >> 7;
        self.ring_end.next = self.base.val() + self.last_frame.val();
        self.fits.next = (self.stray_low.val() == 0) & (self.stray_high.val() == 0) & !self.ring_end.val().get_bit(40);
        // Registered: a unit judges three cycles after the last word at the earliest.
        self.may_create.d.next = (self.stray_number.val() == 0)
            & (self.stray_shape.val() == 0)
            & (self.log2.val() >= self.log2_min.val())
            & (self.log2.val() <= self.log2_max.val())
            & self.fits.val()
            & !self.more.q.val();
        self.may_destroy.d.next = (self.stray_number.val() == 0)
            & (self.shape.val() == 0)
            & (self.low.val() == 0)
            & (self.high.val() == 0)
            & !self.more.q.val();
        self.create_good.next = self.may_create.q.val();
        self.destroy_good.next = self.may_destroy.q.val();
        self.cqn.next = self.number.val().get_bits::<12>(0);
        self.ring.next.base = self.base.val().get_bits::<40>(0);
        self.ring.next.log2 = self.log2.val().get_bits::<5>(0);
        self.ring.next.exists = true;
        self.irq_vector.next = self.shape.val().get_bits::<3>(8);
    }
}
