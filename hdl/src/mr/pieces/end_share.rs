//! Brings the ends of holds together: several sources, one end a cycle to the counts of `mr` (T98).
//!
//! A source cannot be held up, so each has a FIFO as deep as its holds in flight: then none is lost. Latency three cycles
//! or more.
use crate::widgets::{RoundRobin, SlackFifo};
use rust_hdl::prelude::*;

/// N sources, numbered with NA bits, each with at most 2^A - 1 holds in flight.
#[derive(LogicBlock)]
pub struct EndShare<const N: usize, const NA: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all ends.
    pub reset: Signal<In, Bit>,
    /// A hold of this source has ended,
    pub ends: [Signal<In, Bit>; N],
    /// of this MR.
    pub indices: [Signal<In, Bits<24>>; N],
    /// A hold has ended,
    pub ended: Signal<Out, Bit>,
    /// of this MR.
    pub ended_index: Signal<Out, Bits<24>>,
    fifos: [SlackFifo<Bits<24>, A, 2>; N],
    arbiter: RoundRobin<N, NA>,
    shown: DFF<Bits<24>>,
    shows: DFF<Bit>,
    wants: Signal<Local, Bits<N>>,
    mask: [Constant<Bits<N>>; N],
}

impl<const N: usize, const NA: usize, const A: usize> Default for EndShare<N, NA, A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            ends: std::array::from_fn(|_| Default::default()),
            indices: std::array::from_fn(|_| Default::default()),
            ended: Default::default(),
            ended_index: Default::default(),
            fifos: std::array::from_fn(|_| Default::default()),
            arbiter: Default::default(),
            shown: Default::default(),
            shows: Default::default(),
            wants: Default::default(),
            mask: std::array::from_fn(|i| Constant::new(bits(1 << i))),
        }
    }
}

impl<const N: usize, const NA: usize, const A: usize> Logic for EndShare<N, NA, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, shown, shows);
        clock!(self, clock, arbiter);
        self.arbiter.reset.next = self.reset.val();
        self.wants.next = 0.into();
        for i in 0..N {
            self.fifos[i].clock.next = self.clock.val();
            self.fifos[i].reset.next = self.reset.val();
            self.fifos[i].write.next = self.ends[i].val();
            self.fifos[i].data.next = self.indices[i].val();
            if self.fifos[i].source.valid.val() {
                self.wants.next = self.wants.val() | self.mask[i].val();
            }
        }
        self.arbiter.requests.next = self.wants.val();
        self.arbiter.advance.next = self.arbiter.some.val();
        self.shows.d.next = self.arbiter.some.val();
        for i in 0..N {
            self.fifos[i].source.ready.next = self.arbiter.grant.val().get_bit(i);
            if self.arbiter.grant.val().get_bit(i) {
                self.shown.d.next = self.fifos[i].source.data.val();
            }
        }
        self.ended.next = self.shows.q.val();
        self.ended_index.next = self.shown.q.val();
        if self.reset.val() {
            self.shows.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{tick, RandomDrive};

    #[test]
    fn t98_no_end_is_lost_when_all_sources_end_at_once() {
        let mut uut = EndShare::<3, 2, 5>::default();
        uut.connect_all();
        uut.reset.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.reset.next = false;
        let mut random = RandomDrive::new(1);
        let mut missing = std::collections::HashMap::new();
        for cycle in 0..2100 {
            // Bursts of at most 31 in each of the three, then a pause to drain them.
            for i in 0..3 {
                let ends = cycle % 150 < 31 && (cycle > 1000 || random.chance(1, 2));
                let index = random.below(1 << 24);
                uut.ends[i].next = ends;
                uut.indices[i].next = bits(index);
                if ends {
                    *missing.entry(index).or_insert(0) += 1;
                }
            }
            tick(&mut uut, |u| &mut u.clock);
            if uut.ended.val() {
                *missing.get_mut(&uut.ended_index.val().to_u64()).expect("an end that nobody told") -= 1;
            }
        }
        let lost = missing.values().filter(|count| **count != 0).count();
        assert_eq!(lost, 0, "of {} ends", missing.len());
    }
}
