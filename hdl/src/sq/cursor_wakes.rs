//! Who has to be looked at by the cursor (rule T21): queue pairs that sleep and of which something has changed, those that
//! have just fallen asleep, those whose epoch has changed, those that have woken and are acknowledged past their cursor before
//! a WQE has come (it may never come: what is retired is not fetched), and those that have been reset.
//!
//! A change is written before its queue pair comes out here.
use super::{EpochWatch, WakeSet};
use crate::rx::AckState;
use crate::types::QpControl;
use crate::widgets::ChannelSource;
use rust_hdl::prelude::*;

/// Wake-ups for the cursor of QPS = 2^QA queue pairs.
#[derive(LogicBlock, Default)]
pub struct CursorWakes<const QA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all.
    pub reset: Signal<In, Bit>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Queue pairs that sleep.
    pub asleep_all: Signal<In, Bits<QPS>>,
    /// Queue pairs that sleep, or have woken and await a WQE.
    pub watched_all: Signal<In, Bits<QPS>>,
    /// Orders of `qp`; here `discard`, `clear` and `wake` count.
    pub control: Signal<In, QpControl>,
    /// A state of acknowledgements is written.
    pub state_write: Signal<In, Bit>,
    /// Its queue pair.
    pub state_index: Signal<In, Bits<8>>,
    /// The state.
    pub state_row: Signal<In, AckState>,
    /// A count of stored READs is written.
    pub done_write: Signal<In, Bit>,
    /// Its queue pair.
    pub done_index: Signal<In, Bits<8>>,
    /// The walker writes how far it is.
    pub retire_write: Signal<In, Bit>,
    /// Its queue pair.
    pub retire_index: Signal<In, Bits<8>>,
    /// Slots retired are written.
    pub retired_write: Signal<In, Bit>,
    /// Their queue pair.
    pub retired_index: Signal<In, Bits<8>>,
    /// A lost frame came to nothing: the cursor goes back (T49). Not in two of five cycles.
    pub voided: Signal<In, Bit>,
    /// Its queue pair.
    pub voided_index: Signal<In, Bits<8>>,
    /// The mark of a rewind has come.
    pub land: Signal<In, Bit>,
    /// Its queue pair.
    pub land_index: Signal<In, Bits<8>>,
    /// A queue pair falls asleep.
    pub again: Signal<In, Bit>,
    /// This one.
    pub again_index: Signal<In, Bits<8>>,
    /// The cursor has to go back.
    pub hurry: Signal<Out, Bit>,
    /// Of this queue pair.
    pub hurry_index: Signal<Out, Bits<8>>,
    /// The queue pair to look at.
    pub source: ChannelSource<Bits<8>>,
    watch: EpochWatch<QA>,
    owes: DFF<Bit>,
    owed: DFF<Bits<8>>,
    set: WakeSet<QPS, QA, 8>,
    state_qp: Signal<Local, Bits<QA>>,
    done_qp: Signal<Local, Bits<QA>>,
    retire_qp: Signal<Local, Bits<QA>>,
    retired_qp: Signal<Local, Bits<QA>>,
}

impl<const QA: usize, const QPS: usize> Logic for CursorWakes<QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, owes, owed);
        clock!(self, clock, watch, set);
        self.set.reset.next = self.reset.val();
        self.watch.clearing.next = self.clearing.val();
        self.watch.clear_index.next = self.clear_index.val();
        self.watch.state_write.next = self.state_write.val();
        self.watch.state_index.next = self.state_index.val();
        self.watch.state_row.next = self.state_row.val();
        // An epoch changes in every second cycle at most.
        self.hurry.next = self.watch.changed.val() | self.owes.q.val();
        self.hurry_index.next = self.owed.q.val();
        if self.watch.changed.val() {
            self.hurry_index.next = self.watch.index.val();
        }
        if !self.watch.changed.val() {
            self.owes.d.next = false;
        }
        if self.voided.val() {
            self.owes.d.next = true;
            self.owed.d.next = self.voided_index.val();
        }
        if self.reset.val() {
            self.owes.d.next = false;
        }

        self.state_qp.next = bit_cast::<QA, 8>(self.state_index.val());
        self.done_qp.next = bit_cast::<QA, 8>(self.done_index.val());
        self.retire_qp.next = bit_cast::<QA, 8>(self.retire_index.val());
        self.retired_qp.next = bit_cast::<QA, 8>(self.retired_index.val());
        self.set.wake[0].next = self.state_write.val() & self.watched_all.val().get_bit(self.state_qp.val().index());
        self.set.index[0].next = self.state_index.val();
        self.set.wake[1].next = self.done_write.val() & self.asleep_all.val().get_bit(self.done_qp.val().index());
        self.set.index[1].next = self.done_index.val();
        self.set.wake[2].next = self.retire_write.val() & self.asleep_all.val().get_bit(self.retire_qp.val().index());
        self.set.index[2].next = self.retire_index.val();
        self.set.wake[3].next = self.retired_write.val() & self.asleep_all.val().get_bit(self.retired_qp.val().index());
        self.set.index[3].next = self.retired_index.val();
        self.set.wake[4].next = self.control.val().wake | self.control.val().discard | self.control.val().clear;
        self.set.index[4].next = self.control.val().index;
        self.set.wake[5].next = self.again.val();
        self.set.index[5].next = self.again_index.val();
        self.set.wake[6].next = self.land.val();
        self.set.index[6].next = self.land_index.val();
        self.set.wake[7].next = self.hurry.val();
        self.set.index[7].next = self.hurry_index.val();
        ChannelSource::<Bits<8>>::link(&mut self.source, &mut self.set.source);
    }
}
