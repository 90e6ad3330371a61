//! FIFO whose writer may take back what it has not yet committed.
use crate::widgets::{ChannelSource, LooseMemory};
use rust_hdl::prelude::*;

/// 2^A - 1 words. Written words stay hidden until `commit`; `revert` forgets them.
///
/// Latency two cycles from commit to `source.valid`, one word a cycle. `room` is registered and promises SPACE + 1 words, so
/// that the writer may start a TLP of SPACE words on it; a write into a full FIFO is the writer's defect.
#[derive(LogicBlock)]
pub struct CommitFifo<T: Synth, const A: usize, const SPACE: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Empties the FIFO.
    pub reset: Signal<In, Bit>,
    /// Takes `data`.
    pub write: Signal<In, Bit>,
    /// Word to append.
    pub data: Signal<In, T>,
    /// Shows all words to the reader, that of this cycle included.
    pub commit: Signal<In, Bit>,
    /// Forgets the words that are not committed, that of this cycle included.
    pub revert: Signal<In, Bit>,
    /// SPACE words may follow.
    pub room: Signal<Out, Bit>,
    /// Committed words.
    pub source: ChannelSource<T>,
    memory: LooseMemory<T, A>,
    head: DFF<Bits<A>>,
    tail: DFF<Bits<A>>,
    limit: DFF<Bits<A>>,
    shown: DFF<Bit>,
    roomy: DFF<Bit>,
    after: Signal<Local, Bits<A>>,
    fill: Signal<Local, Bits<A>>,
    some: Signal<Local, Bit>,
    read: Signal<Local, Bit>,
    most: Constant<Bits<A>>,
}

impl<T: Synth, const A: usize, const SPACE: usize> Default for CommitFifo<T, A, SPACE> {
    fn default() -> Self {
        assert!(SPACE + 3 < 1 << A, "{SPACE} words of room in {}", 1 << A);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write: Default::default(),
            data: Default::default(),
            commit: Default::default(),
            revert: Default::default(),
            room: Default::default(),
            source: Default::default(),
            memory: Default::default(),
            head: Default::default(),
            tail: Default::default(),
            limit: Default::default(),
            shown: Default::default(),
            roomy: Default::default(),
            after: Default::default(),
            fill: Default::default(),
            some: Default::default(),
            read: Default::default(),
            most: Constant::new(((1usize << A) - 2 - SPACE).to_bits()),
        }
    }
}

impl<T: Synth, const A: usize, const SPACE: usize> Logic for CommitFifo<T, A, SPACE> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, head, tail, limit, shown, roomy);
        clock!(self, clock, memory);
        self.memory.write.next = self.write.val();
        self.memory.write_address.next = self.tail.q.val();
        self.memory.data.next = self.data.val();
        self.after.next = self.tail.q.val();
        if self.write.val() {
            self.after.next = self.tail.q.val() + 1;
        }
        self.tail.d.next = self.after.val();
        if self.commit.val() {
            self.limit.d.next = self.after.val();
        } else if self.revert.val() {
            self.tail.d.next = self.limit.q.val();
        }
        self.fill.next = self.after.val() - self.head.q.val();
        self.roomy.d.next = self.fill.val() <= self.most.val();
        self.room.next = self.roomy.q.val();
        // The word at the end is the RAM's output register.
        self.some.next = self.limit.q.val() != self.head.q.val();
        self.read.next = !self.shown.q.val() | self.source.ready.val();
        self.memory.read.next = self.read.val();
        self.memory.read_address.next = self.head.q.val();
        if self.read.val() {
            self.shown.d.next = self.some.val();
            if self.some.val() {
                self.head.d.next = self.head.q.val() + 1;
            }
        }
        self.source.data.next = self.memory.out.val();
        self.source.valid.next = self.shown.q.val();
        if self.reset.val() {
            self.head.d.next = 0.into();
            self.tail.d.next = 0.into();
            self.limit.d.next = 0.into();
            self.shown.d.next = false;
            self.roomy.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::RandomDrive;
    use std::collections::VecDeque;

    #[test]
    fn wr2_only_committed_words_come_out_and_in_order() {
        let mut uut = CommitFifo::<Bits<16>, 4, 4>::default();
        uut.connect_all();
        let mut random = RandomDrive::new(3);
        let (mut open, mut committed, mut seen) = (vec![], VecDeque::new(), 0);
        let (mut left, mut next) = (0, 0u64);
        for cycle in 0..4000 {
            uut.reset.next = cycle == 0;
            uut.source.ready.next = random.chance(1, 2);
            let start = left == 0 && cycle > 2 && uut.room.val() && random.chance(1, 2);
            if start {
                left = 1 + random.below(4);
            }
            let write = left > 0 && random.chance(2, 3);
            uut.write.next = write;
            uut.data.next = bits(next & 0xFFFF);
            let ends = write && left == 1;
            let keep = random.chance(2, 3);
            uut.commit.next = ends && keep;
            uut.revert.next = ends && !keep;
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            if write {
                open.push(next & 0xFFFF);
                next += 1;
                left -= 1;
            }
            if ends {
                let words = std::mem::take(&mut open);
                if keep {
                    committed.extend(words);
                }
            }
            if cycle > 0 && uut.source.valid.val() && uut.source.ready.val() {
                assert_eq!(Some(uut.source.data.val().to_u64()), committed.pop_front(), "cycle {cycle}");
                seen += 1;
            }
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
        }
        assert!(seen > 500, "{seen}");
    }
}
