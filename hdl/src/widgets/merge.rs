//! N channels into one, in turn.
use super::{ChannelSink, ChannelSource, RoundRobin, Slot};
use rust_hdl::prelude::*;

/// Round robin over N channels (A bits number them): latency one cycle, a word every second cycle; `source.ready` goes no further than
/// its register stage.
#[derive(LogicBlock)]
pub struct Merge<T: Synth, const N: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the words held.
    pub reset: Signal<In, Bit>,
    /// Words in.
    pub sinks: [ChannelSink<T>; N],
    /// All of them.
    pub source: ChannelSource<T>,
    arbiter: RoundRobin<N, A>,
    stage: Slot<T>,
    wants: Signal<Local, Bits<N>>,
    mask: [Constant<Bits<N>>; N],
}

impl<T: Synth, const N: usize, const A: usize> Default for Merge<T, N, A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            sinks: std::array::from_fn(|_| Default::default()),
            source: Default::default(),
            arbiter: Default::default(),
            stage: Default::default(),
            wants: Default::default(),
            mask: std::array::from_fn(|i| Constant::new(bits(1 << i))),
        }
    }
}

impl<T: Synth, const N: usize, const A: usize> Logic for Merge<T, N, A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, arbiter, stage);
        self.arbiter.reset.next = self.reset.val();
        self.stage.reset.next = self.reset.val();
        self.wants.next = 0.into();
        for i in 0..N {
            if self.sinks[i].valid.val() {
                self.wants.next = self.wants.val() | self.mask[i].val();
            }
        }
        self.arbiter.requests.next = self.wants.val();
        self.arbiter.advance.next = self.arbiter.some.val() & self.stage.sink.ready.val();
        self.stage.sink.valid.next = self.arbiter.some.val();
        self.stage.sink.data.next = self.sinks[0].data.val();
        for i in 0..N {
            self.sinks[i].ready.next = self.arbiter.grant.val().get_bit(i) & self.stage.sink.ready.val();
            if self.arbiter.grant.val().get_bit(i) {
                self.stage.sink.data.next = self.sinks[i].data.val();
            }
        }
        ChannelSource::<T>::link(&mut self.source, &mut self.stage.source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::RandomDrive;

    #[test]
    fn i8_every_word_arrives_once_in_the_order_of_its_channel_and_nobody_starves() {
        let mut uut = Merge::<Bits<16>, 3, 2>::default();
        uut.connect_all();
        let mut random = RandomDrive::new(5);
        let (mut sent, mut seen) = ([0u64; 3], [0u64; 3]);
        let mut waited = [0; 3];
        for cycle in 0..4000 {
            uut.reset.next = cycle == 0;
            uut.source.ready.next = cycle > 0 && random.chance(2, 3);
            for i in 0..3 {
                // `valid` holds until `ready` (I7).
                if !uut.sinks[i].valid.val() || waited[i] == 0 {
                    uut.sinks[i].valid.next = cycle > 0 && random.chance(1, 2);
                }
                uut.sinks[i].data.next = bits((i as u64) << 12 | sent[i] & 0xFFF);
            }
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            for i in 0..3 {
                let offered = uut.sinks[i].valid.val();
                let taken = offered && uut.sinks[i].ready.val() && cycle > 0;
                sent[i] += u64::from(taken);
                waited[i] = if offered && !taken { waited[i] + 1 } else { 0 };
                assert!(waited[i] < 40, "channel {i} waits in cycle {cycle}");
            }
            if cycle > 0 && uut.source.valid.val() && uut.source.ready.val() {
                let word = uut.source.data.val().to_u64();
                let i = (word >> 12) as usize;
                assert_eq!(word & 0xFFF, seen[i] & 0xFFF, "channel {i}");
                seen[i] += 1;
            }
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
        }
        assert!(seen.iter().all(|count| *count > 500), "{seen:?}");
        assert!((0..3).all(|i| sent[i] - seen[i] <= 2));
    }
}
