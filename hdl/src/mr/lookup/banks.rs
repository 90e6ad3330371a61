//! The page buffer: 40-bit frame numbers in LANES banks, as wide as a list beat. Latency four cycles, one read a cycle.
//!
//! Entries are written only while no access that was granted can reach them, so a colliding read is of no consequence.
//! Bank, output register (which block RAM has built in), lane mask, union: no long multiplexer.
use crate::widgets::LooseMemory;
use rust_hdl::prelude::*;

/// 2^RA rows of LANES entries; DATA = 64 LANES.
#[derive(LogicBlock)]
pub struct PageBanks<const DATA: usize, const LANES: usize, const RA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Entry to read.
    pub slot: Signal<In, Bits<24>>,
    /// Its frame number, four cycles later.
    pub frame: Signal<Out, Bits<40>>,
    /// Entries to write,
    pub write: Signal<In, Bits<LANES>>,
    /// row,
    pub row: Signal<In, Bits<RA>>,
    /// page addresses.
    pub pages: Signal<In, Bits<DATA>>,
    bank: [LooseMemory<Bits<40>, RA>; LANES],
    drawn: [DFF<Bits<40>>; LANES],
    masked: [DFF<Bits<40>>; LANES],
    read_lane: DFF<Bits<3>>,
    drawn_lane: DFF<Bits<3>>,
    merged: DFF<Bits<40>>,
    read_row: Signal<Local, Bits<24>>,
    lane: Signal<Local, Bits<3>>,
    sum: Signal<Local, Bits<40>>,
    lane_mask: Constant<Bits<3>>,
    lane_bits: Constant<Bits<2>>,
    numbers: [Constant<Bits<3>>; LANES],
    lane_flags: [Constant<Bits<LANES>>; LANES],
}

impl<const DATA: usize, const LANES: usize, const RA: usize> Default for PageBanks<DATA, LANES, RA> {
    fn default() -> Self {
        assert!(LANES.is_power_of_two() && LANES <= 8 && DATA == 64 * LANES, "{LANES} lanes of {DATA} bits");
        Self {
            clock: Default::default(),
            slot: Default::default(),
            frame: Default::default(),
            write: Default::default(),
            row: Default::default(),
            pages: Default::default(),
            bank: std::array::from_fn(|_| Default::default()),
            drawn: std::array::from_fn(|_| Default::default()),
            masked: std::array::from_fn(|_| Default::default()),
            read_lane: Default::default(),
            drawn_lane: Default::default(),
            merged: Default::default(),
            read_row: Default::default(),
            lane: Default::default(),
            sum: Default::default(),
            lane_mask: Constant::new((LANES - 1).to_bits()),
            lane_bits: Constant::new((LANES.ilog2() as usize).to_bits()),
            lane_flags: std::array::from_fn(|i| Constant::new((1usize << i).to_bits())),
            numbers: std::array::from_fn(|i| Constant::new(i.to_bits())),
        }
    }
}

impl<const DATA: usize, const LANES: usize, const RA: usize> Logic for PageBanks<DATA, LANES, RA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, read_lane, drawn_lane, merged);
        self.read_row.next = self.slot.val() >> self.lane_bits.val();
        self.lane.next = bit_cast::<3, 24>(self.slot.val());
        self.read_lane.d.next = self.lane.val() & self.lane_mask.val();
        self.drawn_lane.d.next = self.read_lane.q.val();
        self.sum.next = 0.into();
        for i in 0..LANES {
            self.bank[i].clock.next = self.clock.val();
            self.drawn[i].clock.next = self.clock.val();
            self.masked[i].clock.next = self.clock.val();
            self.bank[i].read.next = true;
            self.bank[i].read_address.next = bit_cast::<RA, 24>(self.read_row.val());
            // Not a bit select: Verilog has none of a one-bit signal.
            self.bank[i].write.next = (self.write.val() & self.lane_flags[i].val()).any();
            self.bank[i].write_address.next = self.row.val();
            self.bank[i].data.next = self.pages.val().get_bits::<40>(i * 64 + 12);
            self.drawn[i].d.next = self.bank[i].out.val();
            self.masked[i].d.next = 0.into();
            if self.drawn_lane.q.val() == self.numbers[i].val() {
                self.masked[i].d.next = self.drawn[i].q.val();
            }
            self.sum.next = self.sum.val() | self.masked[i].q.val();
        }
        self.merged.d.next = self.sum.val();
        self.frame.next = self.merged.q.val();
    }
}
