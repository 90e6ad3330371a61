//! Begins the turns of a queue's scheduler: takes a doorbell or a ready queue pair, and keeps it until the turn acts.
use super::Turn;
use crate::types::Doorbell;
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// Chooser among doorbells and ready queue pairs; see [`Turn`] for the pace.
#[derive(LogicBlock)]
pub struct Chooser<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the turn.
    pub reset: Signal<In, Bit>,
    /// Doorbells.
    pub doorbell: ChannelSink<Doorbell>,
    /// The end of a doorbell's turn has room.
    pub doorbell_room: Signal<In, Bit>,
    /// The queue pair at the head of the ready queue.
    pub ready: ChannelSink<Bits<QA>>,
    /// The end of its turn has room.
    pub ready_room: Signal<In, Bit>,
    /// Row of the tables to read, valid when a turn begins.
    pub index: Signal<Out, Bits<QA>>,
    /// Queue pair of the turn.
    pub chosen: Signal<Out, Bits<QA>>,
    /// Value of the doorbell of the turn.
    pub value: Signal<Out, Bits<32>>,
    /// The doorbell belongs to no queue pair.
    pub beyond: Signal<Out, Bit>,
    /// The turn of a doorbell acts.
    pub doorbell_acts: Signal<Out, Bit>,
    /// The turn of a ready queue pair acts.
    pub ready_acts: Signal<Out, Bit>,
    turn: Turn,
    kept: DFF<Bits<QA>>,
    kept_value: DFF<Bits<32>>,
    is_beyond: DFF<Bit>,
    number: Signal<Local, Bits<10>>,
    above: Signal<Local, Bits<10>>,
    wanted: Signal<Local, Bits<QA>>,
    index_bits: Constant<Bits<4>>,
}

impl<const QA: usize> Default for Chooser<QA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            doorbell: Default::default(),
            doorbell_room: Default::default(),
            ready: Default::default(),
            ready_room: Default::default(),
            index: Default::default(),
            chosen: Default::default(),
            value: Default::default(),
            beyond: Default::default(),
            doorbell_acts: Default::default(),
            ready_acts: Default::default(),
            turn: Default::default(),
            kept: Default::default(),
            kept_value: Default::default(),
            is_beyond: Default::default(),
            number: Default::default(),
            above: Default::default(),
            wanted: Default::default(),
            index_bits: Constant::new(QA.to_bits()),
        }
    }
}

impl<const QA: usize> Logic for Chooser<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept, kept_value, is_beyond);
        self.turn.clock.next = self.clock.val();
        self.turn.reset.next = self.reset.val();
        self.turn.doorbell.next = self.doorbell.valid.val() & self.doorbell_room.val();
        self.turn.ready.next = self.ready.valid.val() & self.ready_room.val();
        self.doorbell.ready.next = self.turn.takes_doorbell.val();
        self.ready.ready.next = self.turn.takes_ready.val();
        self.number.next = self.doorbell.data.val().index;
        self.above.next = self.number.val() >> self.index_bits.val();
        self.wanted.next = self.ready.data.val();
        if self.turn.takes_doorbell.val() {
            self.wanted.next = bit_cast::<QA, 10>(self.number.val());
            self.kept_value.d.next = self.doorbell.data.val().value;
            self.is_beyond.d.next = self.above.val().any();
        }
        if self.turn.takes_doorbell.val() | self.turn.takes_ready.val() {
            self.kept.d.next = self.wanted.val();
        }
        self.index.next = self.wanted.val();
        self.chosen.next = self.kept.q.val();
        self.value.next = self.kept_value.q.val();
        self.beyond.next = self.is_beyond.q.val();
        self.doorbell_acts.next = self.turn.doorbell_acts.val();
        self.ready_acts.next = self.turn.ready_acts.val();
    }
}
