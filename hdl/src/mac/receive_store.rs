//! Packs received bytes into words, and drops a frame whole that finds the FIFO full (MC4).
//!
//! One byte a cycle; a word is written one cycle after its last byte.
use super::{FrameByte, MacWord};
use rust_hdl::prelude::*;

/// Packer of the receiver; `clock` is the receive clock of the PHY.
#[derive(LogicBlock, Default)]
pub struct ReceiveStore {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame under way.
    pub reset: Signal<In, Bit>,
    /// Byte of a frame,
    pub frame: Signal<In, FrameByte>,
    /// if it counts.
    pub frame_valid: Signal<In, Bit>,
    /// The frame is bad; counts in its last byte.
    pub frame_bad: Signal<In, Bit>,
    /// The FIFO has no room for another word.
    pub full: Signal<In, Bit>,
    /// Word for the FIFO.
    pub word: Signal<Out, MacWord>,
    /// It counts.
    pub write: Signal<Out, Bit>,
    /// The frame counts.
    pub commit: Signal<Out, Bit>,
    /// The frame is taken back for want of room.
    pub rollback: Signal<Out, Bit>,
    lane: DFF<Bits<3>>,
    held: DFF<Bits<64>>,
    completed: DFF<MacWord>,
    whole: DFF<Bit>,
    lost: DFF<Bit>,
    shift: Signal<Local, Bits<6>>,
    octet: Signal<Local, FrameByte>,
    octet_bits: Signal<Local, Bits<8>>,
    gathered: Signal<Local, Bits<64>>,
    completes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    loses: Signal<Local, Bit>,
}

impl Logic for ReceiveStore {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, lane, held, completed, whole, lost);
        self.octet.next = self.frame.val();
        self.octet_bits.next = self.octet.val().data;
        self.shift.next = bit_cast::<6, 3>(self.lane.q.val()) << 3;
        self.gathered.next = bit_cast::<64, 8>(self.octet_bits.val()) << self.shift.val();
        self.gathered.next = self.gathered.val() | self.held.q.val();
        self.completes.next = self.frame_valid.val() & (self.octet.val().last | (self.lane.q.val() == 7));
        if self.frame_valid.val() {
            self.held.d.next = self.gathered.val();
            self.lane.d.next = self.lane.q.val() + 1;
        }
        if self.completes.val() {
            self.held.d.next = 0.into();
            self.lane.d.next = 0.into();
        }
        self.completed.d.next.data = self.gathered.val();
        self.completed.d.next.count_less_1 = self.lane.q.val();
        self.completed.d.next.last = self.octet.val().last;
        self.completed.d.next.bad = self.frame_bad.val() & self.octet.val().last;
        self.whole.d.next = self.completes.val();
        self.word.next = self.completed.q.val();
        self.ends.next = self.whole.q.val() & self.completed.q.val().last;
        self.loses.next = self.lost.q.val() | self.full.val();
        self.write.next = self.whole.q.val() & !self.loses.val();
        self.commit.next = self.ends.val() & !self.loses.val();
        self.rollback.next = self.ends.val() & self.loses.val();
        if self.whole.q.val() {
            self.lost.d.next = self.loses.val() & !self.ends.val();
        }
        if self.reset.val() {
            self.lane.d.next = 0.into();
            self.held.d.next = 0.into();
            self.whole.d.next = false;
            self.lost.d.next = false;
        }
    }
}
