//! Checks of the page entries of a beat: B18 (alignment) and B19 (range), all entries of the list, surplus ones included.
//! Combinational.
use rust_hdl::prelude::*;

/// LANES entries of 64 bits.
#[derive(LogicBlock)]
pub struct PageChecks<const DATA: usize, const LANES: usize> {
    /// The beat.
    pub pages: Signal<In, Bits<DATA>>,
    /// Entries of the list left from this beat on.
    pub left: Signal<In, Bits<16>>,
    /// Log2 of the page size.
    pub page_shift: Signal<In, Bits<5>>,
    /// Entries that belong to the list.
    pub used: Signal<Out, Bits<LANES>>,
    /// Used entries that are not page aligned.
    pub misaligned: Signal<Out, Bits<LANES>>,
    /// Used entries beyond 2^52; with alignment this is entry + page size > 2^52.
    pub beyond: Signal<Out, Bits<LANES>>,
    above: Signal<Local, Bits<21>>,
    below: Signal<Local, Bits<21>>,
    low: [Signal<Local, Bits<21>>; LANES],
    high: [Signal<Local, Bits<12>>; LANES],
    taken: [Signal<Local, Bit>; LANES],
    ones: Signal<Local, Bits<21>>,
    number: [Constant<Bits<16>>; LANES],
}

impl<const DATA: usize, const LANES: usize> Default for PageChecks<DATA, LANES> {
    fn default() -> Self {
        Self {
            pages: Default::default(),
            left: Default::default(),
            page_shift: Default::default(),
            used: Default::default(),
            misaligned: Default::default(),
            beyond: Default::default(),
            above: Default::default(),
            below: Default::default(),
            low: std::array::from_fn(|_| Default::default()),
            high: std::array::from_fn(|_| Default::default()),
            taken: std::array::from_fn(|_| Default::default()),
            ones: Default::default(),
            number: std::array::from_fn(|i| Constant::new(i.to_bits())),
        }
    }
}

impl<const DATA: usize, const LANES: usize> Logic for PageChecks<DATA, LANES> {
    #[hdl_gen]
    fn update(&mut self) {
        self.ones.next = 0x1F_FFFF.into();
        self.above.next = self.ones.val() << self.page_shift.val();
        self.below.next = !self.above.val();
        self.used.next = 0.into();
        self.misaligned.next = 0.into();
        self.beyond.next = 0.into();
        for i in 0..LANES {
            self.taken[i].next = self.left.val() > self.number[i].val();
            self.low[i].next = self.pages.val().get_bits::<21>(i * 64);
            self.high[i].next = self.pages.val().get_bits::<12>(i * 64 + 52);
            self.used.next = self.used.val().replace_bit(i, self.taken[i].val());
            self.misaligned.next = self
                .misaligned
                .val()
                .replace_bit(i, self.taken[i].val() & (self.low[i].val() & self.below.val()).any());
            self.beyond.next = self.beyond.val().replace_bit(i, self.taken[i].val() & self.high[i].val().any());
        }
    }
}
