//! Shares the unit of invalidations between the commit queue (C12) and the tracker of READs (C20): one order after another,
//! the next one not before the answer; who has waited goes first. One cycle from an order to its offer.
use crate::types::InvalidateOrder;
use crate::widgets::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

/// Steps of an invalidation.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum InvalidateState {
    /// Choose an asker.
    Idle,
    /// Its order is offered.
    Offer,
    /// Its answer.
    Answer,
}

/// Two askers.
#[derive(LogicBlock, Default)]
pub struct InvalidateShare {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what is under way.
    pub reset: Signal<In, Bit>,
    /// Orders of the askers.
    pub orders: [ChannelSink<InvalidateOrder>; 2],
    /// Their answers.
    pub answers: [ChannelSource<Bits<8>>; 2],
    /// The order.
    pub order: ChannelSource<InvalidateOrder>,
    /// Its answer.
    pub answer: ChannelSink<Bits<8>>,
    state: DFF<InvalidateState>,
    second: DFF<Bit>,
    asks: [Signal<Local, Bit>; 2],
    ended: Signal<Local, Bit>,
}

impl Logic for InvalidateShare {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, second);
        self.asks[0].next = self.orders[0].valid.val();
        self.asks[1].next = self.orders[1].valid.val();
        self.order.data.next = self.orders[0].data.val();
        if self.second.q.val() {
            self.order.data.next = self.orders[1].data.val();
        }
        self.order.valid.next = self.state.q.val() == InvalidateState::Offer;
        self.orders[0].ready.next =
            (self.state.q.val() == InvalidateState::Offer) & !self.second.q.val() & self.order.ready.val();
        self.orders[1].ready.next =
            (self.state.q.val() == InvalidateState::Offer) & self.second.q.val() & self.order.ready.val();
        for i in 0..2 {
            self.answers[i].data.next = self.answer.data.val();
        }
        self.answers[0].valid.next =
            (self.state.q.val() == InvalidateState::Answer) & !self.second.q.val() & self.answer.valid.val();
        self.answers[1].valid.next =
            (self.state.q.val() == InvalidateState::Answer) & self.second.q.val() & self.answer.valid.val();
        self.ended.next = self.answers[0].ready.val();
        if self.second.q.val() {
            self.ended.next = self.answers[1].ready.val();
        }
        self.answer.ready.next = (self.state.q.val() == InvalidateState::Answer) & self.ended.val();
        match self.state.q.val() {
            InvalidateState::Idle => {
                if self.asks[0].val() | self.asks[1].val() {
                    self.state.d.next = InvalidateState::Offer;
                    // The other one than last time, if it asks.
                    self.second.d.next = self.asks[1].val() & !(self.asks[0].val() & self.second.q.val());
                }
            }
            InvalidateState::Offer => {
                if self.order.ready.val() {
                    self.state.d.next = InvalidateState::Answer;
                }
            }
            InvalidateState::Answer => {
                if self.ended.val() & self.answer.valid.val() {
                    self.state.d.next = InvalidateState::Idle;
                }
            }
        }
        if self.reset.val() {
            self.state.d.next = InvalidateState::Idle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    fn clock(uut: &mut InvalidateShare) {
        tick(uut, |u| &mut u.clock);
    }

    /// Both ask all the time; returns who was served, and checks that each gets the answer to its own order.
    fn serve(asks: [bool; 2], rounds: u64) -> Vec<usize> {
        let mut uut = InvalidateShare::default();
        uut.connect_all();
        let mut served = Vec::new();
        for (n, ask) in asks.iter().enumerate() {
            uut.orders[n].valid.next = *ask;
            uut.orders[n].data.next = InvalidateOrder { key: bits(0x100 + n as u64), ..Default::default() };
            uut.answers[n].ready.next = true;
        }
        for round in 0..rounds {
            let mut limit = 0..10;
            while !uut.order.valid.val() {
                assert!(limit.next().is_some(), "no order in round {round}: {:?}", uut.state.q.val());
                clock(&mut uut);
            }
            let who = uut.order.data.val().key.to_u64() as usize - 0x100;
            clock(&mut uut);
            assert!(uut.order.valid.val(), "the offer stands until it is taken");
            assert_eq!(uut.order.data.val().key.to_u64() as usize - 0x100, who);
            uut.order.ready.next = true;
            assert!(simulate(&mut uut, 10));
            assert_eq!([uut.orders[0].ready.val(), uut.orders[1].ready.val()], [who == 0, who == 1]);
            clock(&mut uut);
            uut.order.ready.next = false;
            for _ in 0..3 {
                clock(&mut uut);
                assert!(!uut.order.valid.val(), "the next order waits for the answer");
            }
            uut.answer.valid.next = true;
            uut.answer.data.next = bits(0x20 + round);
            assert!(simulate(&mut uut, 10));
            assert_eq!([uut.answers[0].valid.val(), uut.answers[1].valid.val()], [who == 0, who == 1]);
            assert_eq!(uut.answers[who].data.val(), bits::<8>(0x20 + round));
            assert!(uut.answer.ready.val());
            clock(&mut uut);
            uut.answer.valid.next = false;
            served.push(who);
        }
        served
    }

    #[test]
    fn c12_c20_invalidations_take_turns() {
        assert_eq!(serve([true, true], 6), [1, 0, 1, 0, 1, 0]);
        assert_eq!(serve([false, true], 3), [1, 1, 1]);
        assert_eq!(serve([true, false], 3), [0, 0, 0]);
    }
}
