//! R: beats in the order of AR over all ids (rules RD4, RD5, RD6).
//!
//! A piece begins when its slot is settled; then one beat a cycle, also across pieces. Latency two cycles.
use super::records::OwedPiece;
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// Return of read data.
#[derive(LogicBlock, Default)]
pub struct ReadReturn {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the beat held.
    pub reset: Signal<In, Bit>,
    /// What is owed.
    pub owed: ChannelSink<OwedPiece>,
    /// Tag of it.
    pub tag: Signal<Out, Bits<3>>,
    /// Its slot is settled,
    pub ready: Signal<In, Bit>,
    /// with this response.
    pub outcome: Signal<In, Bits<2>>,
    /// Its beats have been read.
    pub drained: Signal<Out, Bit>,
    /// Reads a beat of the slot,
    pub read: Signal<Out, Bit>,
    /// this one,
    pub read_beat: Signal<Out, Bits<6>>,
    /// which shows one cycle later.
    pub beat: Signal<In, Bits<64>>,
    /// AXI id.
    pub rid: Signal<Out, Bits<4>>,
    /// Beat.
    pub rdata: Signal<Out, Bits<64>>,
    /// Response.
    pub rresp: Signal<Out, Bits<2>>,
    /// Last of its burst.
    pub rlast: Signal<Out, Bit>,
    /// The beat counts.
    pub rvalid: Signal<Out, Bit>,
    /// It is taken.
    pub rready: Signal<In, Bit>,
    shown: DFF<Bit>,
    id: DFF<Bits<4>>,
    code: DFF<Bits<2>>,
    last: DFF<Bit>,
    index: DFF<Bits<6>>,
    piece: Signal<Local, OwedPiece>,
    moves: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

impl Logic for ReadReturn {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, shown, id, code, last, index);
        self.piece.next = self.owed.data.val();
        self.tag.next = self.piece.val().tag;
        self.moves.next = !self.shown.q.val() | self.rready.val();
        self.starts.next = self.moves.val() & self.owed.valid.val() & (self.ready.val() | self.piece.val().refused);
        self.ends.next = self.starts.val() & (self.index.q.val() == self.piece.val().more);
        self.owed.ready.next = self.ends.val();
        self.drained.next = self.ends.val() & !self.piece.val().refused;
        self.read.next = self.moves.val();
        self.read_beat.next = self.piece.val().beat + self.index.q.val();
        if self.moves.val() {
            self.shown.d.next = self.starts.val();
            self.id.d.next = self.piece.val().id;
            self.last.d.next = self.ends.val() & self.piece.val().last;
            self.code.d.next = self.outcome.val();
            if self.piece.val().refused {
                self.code.d.next = 2.into();
            }
        }
        if self.starts.val() {
            self.index.d.next = self.index.q.val() + 1;
        }
        if self.ends.val() {
            self.index.d.next = 0.into();
        }
        if self.reset.val() {
            self.shown.d.next = false;
            self.index.d.next = 0.into();
        }
        self.rid.next = self.id.q.val();
        self.rlast.next = self.last.q.val();
        self.rvalid.next = self.shown.q.val();
        self.rresp.next = self.code.q.val();
        self.rdata.next = self.beat.val();
        if self.code.q.val() != 0 {
            self.rdata.next = 0.into();
        }
    }
}
