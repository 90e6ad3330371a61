//! Shares the one lookup port among several askers.
//!
//! Round robin, a question a cycle. The lookup cannot stall, so the stall is here: a question that asks for a hold waits
//! while so many accesses are in flight that a count could wrap (T98). From a question's handshake to its answer 15 cycles:
//! one for the register here, then [`LATENCY`].
use crate::mr::layout::{LookupAnswer, LookupQuestion};
use crate::mr::lookup::LATENCY;
use crate::widgets::{ChannelSink, Delay, RoundRobin};
use rust_hdl::prelude::*;

/// N askers, numbered with A bits.
#[derive(LogicBlock)]
pub struct LookupShare<const N: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the question shown; questions of before may still be answered, to nobody.
    pub reset: Signal<In, Bit>,
    /// Questions of the askers.
    pub questions: [ChannelSink<LookupQuestion>; N],
    /// The answer is this asker's (one bit at most).
    pub answered: Signal<Out, Bits<N>>,
    /// The answer, for all.
    pub answer: Signal<Out, LookupAnswer>,
    /// To the lookup: ask,
    pub ask: Signal<Out, Bit>,
    /// this.
    pub question: Signal<Out, LookupQuestion>,
    /// From the lookup: an answer,
    pub reply_valid: Signal<In, Bit>,
    /// this one.
    pub reply: Signal<In, LookupAnswer>,
    /// Ask for no hold (T98).
    pub crowded: Signal<In, Bit>,
    arbiter: RoundRobin<N, A>,
    shown: DFF<LookupQuestion>,
    who: DFF<Bits<N>>,
    askers: Delay<Bits<N>, LATENCY>,
    offered: Signal<Local, LookupQuestion>,
    wants: Signal<Local, Bits<N>>,
    mask: [Constant<Bits<N>>; N],
}

impl<const N: usize, const A: usize> Default for LookupShare<N, A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            questions: std::array::from_fn(|_| Default::default()),
            answered: Default::default(),
            answer: Default::default(),
            ask: Default::default(),
            question: Default::default(),
            reply_valid: Default::default(),
            reply: Default::default(),
            crowded: Default::default(),
            arbiter: Default::default(),
            shown: Default::default(),
            who: Default::default(),
            askers: Default::default(),
            offered: Default::default(),
            wants: Default::default(),
            mask: std::array::from_fn(|i| Constant::new(bits(1 << i))),
        }
    }
}

impl<const N: usize, const A: usize> Logic for LookupShare<N, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, shown, who);
        clock!(self, clock, arbiter, askers);
        self.arbiter.reset.next = self.reset.val();
        self.wants.next = 0.into();
        for i in 0..N {
            self.offered.next = self.questions[i].data.val();
            if self.questions[i].valid.val() & !(self.offered.val().hold & self.crowded.val()) {
                self.wants.next = self.wants.val() | self.mask[i].val();
            }
        }
        self.arbiter.requests.next = self.wants.val();
        self.arbiter.advance.next = self.arbiter.some.val();
        self.who.d.next = self.arbiter.grant.val();
        for i in 0..N {
            self.questions[i].ready.next = self.arbiter.grant.val().get_bit(i);
            if self.arbiter.grant.val().get_bit(i) {
                self.shown.d.next = self.questions[i].data.val();
            }
        }
        self.ask.next = self.who.q.val().any();
        self.question.next = self.shown.q.val();
        self.askers.d.next = self.who.q.val();
        self.answered.next = 0.into();
        if self.reply_valid.val() {
            self.answered.next = self.askers.q.val();
        }
        self.answer.next = self.reply.val();
        if self.reset.val() {
            self.who.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::RandomDrive;

    /// Answers come back to who asked, holds wait, and nobody is starved.
    #[test]
    fn t98_no_hold_is_asked_while_the_counts_are_crowded() {
        let mut uut = LookupShare::<3, 2>::default();
        uut.connect_all();
        let mut random = RandomDrive::new(1);
        let mut line = [None; LATENCY];
        let mut given = [0; 3];
        let mut owed: [Vec<u64>; 3] = Default::default();
        uut.reset.next = true;
        crate::check::tick(&mut uut, |u| &mut u.clock);
        uut.reset.next = false;
        for cycle in 0..3000 {
            uut.crowded.next = cycle % 200 > 150;
            for i in 0..3 {
                uut.questions[i].valid.next = random.chance(3, 4);
                uut.questions[i].data.next.hold = random.chance(1, 2);
                uut.questions[i].data.next.va_low = bits(random.below(1 << 30));
            }
            let reply: Option<u64> = line[LATENCY - 1];
            uut.reply_valid.next = reply.is_some();
            uut.reply.next.address = bits(reply.unwrap_or(0));
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            line.rotate_right(1);
            line[0] = uut.ask.val().then(|| uut.question.val().va_low.to_u64());
            for i in 0..3 {
                let question = uut.questions[i].data.val();
                if uut.questions[i].valid.val() && uut.questions[i].ready.val() {
                    assert!(!(question.hold && uut.crowded.val()), "cycle {cycle}: a hold while crowded");
                    owed[i].push(question.va_low.to_u64());
                    given[i] += 1;
                }
                if uut.answered.val().get_bit(i) {
                    assert_eq!(owed[i].remove(0), uut.answer.val().address.to_u64(), "cycle {cycle} asker {i}");
                }
            }
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
        }
        assert!(given.iter().all(|count| *count > 800), "{given:?}");
        assert!(owed.iter().map(Vec::len).sum::<usize>() <= LATENCY + 1, "answers without owner");
    }
}
