//! IPv4 header checksum of received frames. Three cycles, one frame a cycle.
//!
//! The one's complement sum does not depend on the byte order, so the words are added as they stand. With the checksum in it
//! the right sum is k x FFFF for some k <= 10, whose two halves add up to FFFF at once: one fold decides, also where the sum
//! without the checksum has to be folded twice (V53).
use super::HeaderWords;
use rust_hdl::prelude::*;

/// Checks the sum of the ten halfwords of an IPv4 header.
#[derive(LogicBlock)]
pub struct ParseChecksum {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Headers.
    pub headers: Signal<In, HeaderWords>,
    /// The header of three cycles ago has the right sum.
    pub right: Signal<Out, Bit>,
    words: [Signal<Local, Bits<32>>; 5],
    low: Signal<Local, Bits<16>>,
    high: Signal<Local, Bits<16>>,
    pairs: [DFF<Bits<20>>; 5],
    total: DFF<Bits<20>>,
    folded: DFF<Bits<17>>,
    goal: Constant<Bits<17>>,
}

impl Default for ParseChecksum {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            headers: Default::default(),
            right: Default::default(),
            words: Default::default(),
            low: Default::default(),
            high: Default::default(),
            pairs: Default::default(),
            total: Default::default(),
            folded: Default::default(),
            goal: Constant::new(bits(0xFFFF)),
        }
    }
}

impl Logic for ParseChecksum {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, total, folded);
        self.words[0].next = self.headers.val().ip0;
        self.words[1].next = self.headers.val().ip1;
        self.words[2].next = self.headers.val().ip2;
        self.words[3].next = self.headers.val().ip3;
        self.words[4].next = self.headers.val().ip4;
        for i in 0..5 {
            self.pairs[i].clock.next = self.clock.val();
            self.low.next = self.words[i].val().get_bits::<16>(0);
            self.high.next = self.words[i].val().get_bits::<16>(16);
            self.pairs[i].d.next = bit_cast::<20, 16>(self.low.val()) + bit_cast::<20, 16>(self.high.val());
        }
        self.total.d.next = ((self.pairs[0].q.val() + self.pairs[1].q.val())
            + (self.pairs[2].q.val() + self.pairs[3].q.val()))
            + self.pairs[4].q.val();
        self.folded.d.next = bit_cast::<17, 16>(self.total.q.val().get_bits::<16>(0))
            + bit_cast::<17, 4>(self.total.q.val().get_bits::<4>(16));
        self.right.next = self.folded.q.val() == self.goal.val();
    }
}
