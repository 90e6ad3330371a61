//! TLPs of the host that wait for room on the link (LK13, LK14, TO2, TO3).

use std::collections::VecDeque;
use std::time::Duration;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::reliability::credit::Allowance;

/// A TLP that goes into the retry buffer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Leaving {
    pub tlp: Vec<u8>,
    /// It is the last answer to a request of the device, whose buffer is free now.
    pub answers: bool,
}

#[derive(Debug)]
struct Answer {
    tag: u8,
    tlp: Vec<u8>,
    last: bool,
}

#[derive(Debug)]
struct Read {
    tag: u8,
    tlp: Vec<u8>,
    /// Register writes that must leave before it: a read never passes a write.
    behind: u64,
}

/// One queue a class. Completions wait for nothing but the retry buffer (LK14), writes for their credit, reads for theirs and
/// for the writes before them; nothing waits for a read.
#[derive(Debug)]
pub(crate) struct Outgoing {
    answers: VecDeque<Answer>,
    writes: VecDeque<Vec<u8>>,
    reads: VecDeque<Read>,
    posted: Allowance,
    nonposted: Allowance,
    writes_queued: u64,
    writes_left: u64,
    /// Which queue is asked first: each in its turn, so that none starves.
    turn: usize,
    /// Test mode: completions of different tags overtake each other (HO8).
    shuffle: Option<ChaCha8Rng>,
}

impl Outgoing {
    /// Register writes that wait, at most (HO2).
    pub(crate) const WRITES: usize = 64;

    pub(crate) fn new(posted: u16, nonposted: u16, shuffle: Option<ChaCha8Rng>) -> Outgoing {
        Outgoing {
            answers: VecDeque::new(),
            writes: VecDeque::new(),
            reads: VecDeque::new(),
            posted: Allowance::new(0, posted),
            nonposted: Allowance::new(0, nonposted),
            writes_queued: 0,
            writes_left: 0,
            turn: 0,
            shuffle,
        }
    }

    pub(crate) fn raise_limits(&mut self, posted: u16, nonposted: u16) {
        self.posted.raise(posted);
        self.nonposted.raise(nonposted);
    }

    pub(crate) fn has_room_for_a_write(&self) -> bool {
        self.writes.len() < Self::WRITES
    }

    pub(crate) fn write(&mut self, tlp: Vec<u8>) {
        self.writes_queued += 1;
        self.writes.push_back(tlp);
    }

    /// Bounded by the tags of reads.
    pub(crate) fn read(&mut self, tag: u8, tlp: Vec<u8>) {
        self.reads.push_back(Read { tag, tlp, behind: self.writes_queued });
    }

    /// Takes back a read that has not left.
    pub(crate) fn cancel_read(&mut self, tag: u8) -> bool {
        let before = self.reads.len();
        self.reads.retain(|read| read.tag != tag);
        self.reads.len() != before
    }

    /// Bounded by the requests that the device may send (LK13).
    pub(crate) fn answer(&mut self, tag: u8, tlp: Vec<u8>, last: bool) {
        let answer = Answer { tag, tlp, last };
        let Some(random) = &mut self.shuffle else {
            self.answers.push_back(answer);
            return;
        };
        // Within a tag the order stays.
        let first = self.answers.iter().rposition(|waiting| waiting.tag == tag).map_or(0, |place| place + 1);
        let place = random.random_range(first..=self.answers.len());
        self.answers.insert(place, answer);
    }

    /// The next TLP that may leave; `room` tells whether the retry buffer takes so many bytes.
    pub(crate) fn next(&mut self, room: impl Fn(usize) -> bool) -> Option<Leaving> {
        for queue in self.turn..self.turn + 3 {
            if let Some(leaving) = self.next_of(queue % 3, &room) {
                self.turn = (queue + 1) % 3;
                return Some(leaving);
            }
        }
        None
    }

    fn next_of(&mut self, queue: usize, room: &impl Fn(usize) -> bool) -> Option<Leaving> {
        match queue {
            0 => {
                self.answers.front().filter(|answer| room(answer.tlp.len()))?;
                self.answers.pop_front().map(|answer| Leaving { tlp: answer.tlp, answers: answer.last })
            }
            1 => {
                self.writes.front().filter(|tlp| self.posted.available() && room(tlp.len()))?;
                self.posted.spend();
                self.writes_left += 1;
                self.writes.pop_front().map(|tlp| Leaving { tlp, answers: false })
            }
            _ => {
                let may = |read: &&Read| self.writes_left >= read.behind && self.nonposted.available();
                self.reads.front().filter(may).filter(|read| room(read.tlp.len()))?;
                self.nonposted.spend();
                self.reads.pop_front().map(|read| Leaving { tlp: read.tlp, answers: false })
            }
        }
    }

    /// LK15: whether the device must be asked for its limits.
    pub(crate) fn ask_for_credit(&mut self, now: Duration) -> bool {
        let posted = !self.writes.is_empty() && !self.posted.available();
        let read = self.reads.front().is_some_and(|read| self.writes_left >= read.behind);
        let nonposted = read && !self.nonposted.available();
        // Both are asked, so that both remember that they were.
        self.posted.ask(posted, now) | self.nonposted.ask(nonposted, now)
    }

    pub(crate) fn deadline(&self) -> Option<Duration> {
        [self.posted.deadline(), self.nonposted.deadline()].into_iter().flatten().min()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.answers.is_empty() && self.writes.is_empty() && self.reads.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn leave(outgoing: &mut Outgoing) -> Vec<u8> {
        std::iter::from_fn(|| outgoing.next(|_| true)).map(|leaving| leaving.tlp[0]).collect()
    }

    #[test]
    fn to2_a_read_waits_for_the_writes_before_it_and_to3_nothing_waits_for_a_read() {
        let mut outgoing = Outgoing::new(1, 5, None);
        outgoing.write(vec![1]);
        outgoing.write(vec![2]);
        outgoing.read(0, vec![10]);
        outgoing.write(vec![3]);
        assert_eq!(leave(&mut outgoing), [1]);
        outgoing.raise_limits(2, 5);
        assert_eq!(leave(&mut outgoing), [2, 10]);
        let mut outgoing = Outgoing::new(5, 0, None);
        outgoing.read(0, vec![10]);
        outgoing.write(vec![1]);
        outgoing.answer(0, vec![20], true);
        assert_eq!(leave(&mut outgoing), [20, 1], "without credit for reads");
    }

    #[test]
    fn lk13_credit_is_never_overdrawn() {
        let mut outgoing = Outgoing::new(3, 2, None);
        for _ in 0..10 {
            outgoing.write(vec![1]);
        }
        for tag in 0..10 {
            outgoing.read(tag, vec![2]);
        }
        assert_eq!(leave(&mut outgoing), [1, 1, 1]);
        outgoing.raise_limits(3, 2);
        assert!(leave(&mut outgoing).is_empty(), "no news");
        outgoing.raise_limits(10, 2);
        assert_eq!(leave(&mut outgoing), [1, 1, 1, 1, 1, 1, 1, 2, 2]);
    }

    #[test]
    fn lk14_no_class_starves_another() {
        let mut outgoing = Outgoing::new(50, 50, None);
        for tag in 0..3 {
            outgoing.answer(tag, vec![0], true);
            outgoing.write(vec![1]);
        }
        outgoing.read(0, vec![2]);
        assert_eq!(leave(&mut outgoing), [0, 1, 0, 1, 0, 1, 2]);
    }

    #[test]
    fn lk15_both_classes_ask() {
        let mut outgoing = Outgoing::new(0, 0, None);
        outgoing.read(0, vec![2]);
        assert!(!outgoing.ask_for_credit(Duration::ZERO));
        assert!(outgoing.ask_for_credit(Duration::from_millis(2)));
        outgoing.raise_limits(1, 1);
        assert!(!outgoing.ask_for_credit(Duration::from_millis(4)));
        assert_eq!(leave(&mut outgoing), [2]);
    }

    #[test]
    fn ho8_shuffled_answers_keep_the_order_within_a_tag() {
        let mut outgoing = Outgoing::new(0, 0, Some(ChaCha8Rng::seed_from_u64(3)));
        for tag in 0..8_u8 {
            for part in 0..4 {
                outgoing.answer(tag, vec![4 * tag + part], part == 3);
            }
        }
        let order = leave(&mut outgoing);
        assert!(order.windows(2).any(|pair| pair[0] > pair[1]));
        for tag in 0..8 {
            let parts: Vec<u8> = order.iter().copied().filter(|part| part / 4 == tag).collect();
            assert_eq!(parts, [4 * tag, 4 * tag + 1, 4 * tag + 2, 4 * tag + 3]);
        }
    }

    #[test]
    fn ho4_a_read_that_has_not_left_can_be_taken_back() {
        let mut outgoing = Outgoing::new(0, 0, None);
        outgoing.read(4, vec![2]);
        assert!(outgoing.cancel_read(4) && !outgoing.cancel_read(4) && outgoing.is_empty());
    }
}
