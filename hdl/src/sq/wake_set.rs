//! Queue pairs that somebody has to look at: any number of pulses, each queue pair once (rule T21).
//!
//! A wake-up that meets one that is still waiting is the same wake-up; one that comes after its queue pair was taken comes
//! again. So none is lost, whatever the pace, and whoever takes a queue pair sees all that was written before the pulse.
//! Served in rounds over groups of 16, so none starves. Latency four cycles, and one more for each further 16 queue pairs.
use crate::widgets::{ChannelSource, First};
use rust_hdl::prelude::*;

/// Set of QPS = 2^QA queue pairs with N inputs.
#[derive(LogicBlock)]
pub struct WakeSet<const QPS: usize, const QA: usize, const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Empties the set.
    pub reset: Signal<In, Bit>,
    /// Pulse of each input.
    pub wake: [Signal<In, Bit>; N],
    /// Its queue pair.
    pub index: [Signal<In, Bits<8>>; N],
    /// The queue pair whose turn it is.
    pub source: ChannelSource<Bits<8>>,
    flags: DFF<Bits<QPS>>,
    group: DFF<Bits<8>>,
    round: DFF<Bits<16>>,
    base: DFF<Bits<8>>,
    shown: DFF<Bits<8>>,
    shows: DFF<Bit>,
    first: First<16>,
    one: Constant<Bits<QPS>>,
    nobody: Constant<Bits<QPS>>,
    all: Constant<Bits<QPS>>,
    wrap: Constant<Bits<8>>,
    one_16: Constant<Bits<16>>,
    marks: [Signal<Local, Bits<QPS>>; N],
    woken: Signal<Local, Bits<QPS>>,
    moved: Signal<Local, Bits<QPS>>,
    window: Signal<Local, Bits<16>>,
    members: Signal<Local, Bits<QPS>>,
    cleared: Signal<Local, Bits<QPS>>,
    empty: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    code: Signal<Local, Bits<8>>,
    taken: Signal<Local, Bits<16>>,
    after: Signal<Local, Bits<8>>,
}

impl<const QPS: usize, const QA: usize, const N: usize> Default for WakeSet<QPS, QA, N> {
    fn default() -> Self {
        assert!(QPS == 1 << QA && QA <= 8, "{QPS} queue pairs");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            wake: std::array::from_fn(|_| Default::default()),
            index: std::array::from_fn(|_| Default::default()),
            source: Default::default(),
            flags: Default::default(),
            group: Default::default(),
            round: Default::default(),
            base: Default::default(),
            shown: Default::default(),
            shows: Default::default(),
            first: First::new(0),
            one: Constant::new(1usize.to_bits()),
            nobody: Constant::new(0usize.to_bits()),
            all: Constant::new(
                (0..16.min(QPS)).fold(Bits::default(), |mask: Bits<QPS>, bit| mask.replace_bit(bit, true)),
            ),
            wrap: Constant::new((QPS - 1).to_bits()),
            one_16: Constant::new(1usize.to_bits()),
            marks: std::array::from_fn(|_| Default::default()),
            woken: Default::default(),
            moved: Default::default(),
            window: Default::default(),
            members: Default::default(),
            cleared: Default::default(),
            empty: Default::default(),
            takes: Default::default(),
            code: Default::default(),
            taken: Default::default(),
            after: Default::default(),
        }
    }
}

impl<const QPS: usize, const QA: usize, const N: usize> Logic for WakeSet<QPS, QA, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, flags, group, round, base, shown, shows);
        self.woken.next = self.nobody.val();
        for i in 0..N {
            self.marks[i].next = self.nobody.val();
            if self.wake[i].val() {
                self.marks[i].next = self.one.val() << self.index[i].val();
            }
            self.woken.next = self.woken.val() | self.marks[i].val();
        }
        // A round: the members of one group.
        self.moved.next = self.flags.q.val() >> self.group.q.val();
        self.window.next = bit_cast::<16, QPS>(self.moved.val());
        self.empty.next = self.round.q.val() == 0;
        self.cleared.next = self.nobody.val();
        self.members.next = self.all.val() << self.group.q.val();
        self.after.next = self.group.q.val() + 16;
        if self.empty.val() {
            self.cleared.next = self.members.val();
            self.round.d.next = self.window.val();
            self.base.d.next = self.group.q.val();
            self.group.d.next = self.after.val() & self.wrap.val();
        }
        self.flags.d.next = (self.flags.q.val() & !self.cleared.val()) | self.woken.val();

        self.first.flags.next = self.round.q.val();
        self.code.next = self.first.code.val();
        self.takes.next = !self.empty.val() & (!self.shows.q.val() | self.source.ready.val());
        self.taken.next = self.one_16.val() << self.code.val();
        if self.source.ready.val() {
            self.shows.d.next = false;
        }
        if self.takes.val() {
            self.shown.d.next = self.base.q.val() + self.code.val();
            self.shows.d.next = true;
            self.round.d.next = self.round.q.val() & !self.taken.val();
        }
        self.source.data.next = self.shown.q.val();
        self.source.valid.next = self.shows.q.val();
        if self.reset.val() {
            self.flags.d.next = self.nobody.val();
            self.round.d.next = 0.into();
            self.group.d.next = 0.into();
            self.shows.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::RandomDrive;

    fn run<const QPS: usize, const QA: usize>() {
        let mut uut = WakeSet::<QPS, QA, 3>::default();
        uut.connect_all();
        let mut random = RandomDrive::new(9);
        let mut owed = vec![false; QPS];
        let mut taken = 0;
        for cycle in 0..3000 {
            uut.reset.next = cycle == 0;
            let busy = cycle > 0 && cycle % 600 < 400;
            let mut woken = vec![];
            for input in 0..3 {
                let index = random.below(QPS as u64);
                let wakes = busy && random.chance(1, 4);
                uut.wake[input].next = wakes;
                uut.index[input].next = index.into();
                if wakes {
                    woken.push(index as usize);
                }
            }
            uut.source.ready.next = random.chance(1, 2);
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            if uut.source.valid.val() && uut.source.ready.val() {
                owed[uut.source.data.val().index()] = false;
                taken += 1;
            }
            // What is woken in the cycle in which it leaves is still owed.
            woken.into_iter().for_each(|index| owed[index] = true);
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
            if cycle % 600 == 599 {
                assert!(owed.iter().all(|owed| !owed), "cycle {cycle}: {owed:?}");
                assert!(!uut.source.valid.val(), "nobody comes uncalled for long");
            }
        }
        assert!(taken > 500, "{taken}");
    }

    #[test]
    fn t21_every_wake_up_is_answered_after_it_came() {
        run::<8, 3>();
        run::<32, 5>();
    }
}
