//! Cuts pieces into write bursts, counts them, and gives the verdict of a job behind its last burst.
//!
//! A burst ends at each multiple of `CUT` bytes, so it has at most `CUT` / STRB beats and stays in its 4 KiB. Each leaves
//! a note that waits for its B; the hold of a piece ends with the B of its last burst (T98). One burst a cycle; latency
//! one cycle.
use super::{BurstNote, Placing, SIDES};
use crate::types::WriteCommand;
use crate::widgets::{ChannelSink, ChannelSource};
use crate::wire::PlaceVerdict;
use rust_hdl::prelude::*;

/// Bursts of CUT bytes at most (a power of two up to 4,096).
#[derive(LogicBlock)]
pub struct PlaceBurst<const CUT: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the piece, counts from 0.
    pub reset: Signal<In, Bit>,
    /// Pieces.
    pub placing: ChannelSink<Placing>,
    /// Verdicts, one for each piece that ends a job.
    pub verdict: ChannelSink<PlaceVerdict>,
    /// Bursts: requests, responses, raw frames;
    pub commands: [ChannelSource<WriteCommand>; SIDES],
    /// in the same cycle their notes.
    pub notes: [ChannelSource<BurstNote>; SIDES],
    /// A verdict is complete (never refused),
    pub judged: Signal<Out, Bit>,
    /// this one.
    pub judgement: Signal<Out, PlaceVerdict>,
    now: DFF<Placing>,
    has: DFF<Bit>,
    counts: [DFF<Bits<16>>; SIDES],
    due: DFF<Bit>,
    piece: Signal<Local, Placing>,
    offset: Signal<Local, Bits<13>>,
    to_cut: Signal<Local, Bits<13>>,
    cuts: Signal<Local, Bit>,
    length: Signal<Local, Bits<13>>,
    writes: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    mine: [Signal<Local, Bit>; SIDES],
    command: Signal<Local, WriteCommand>,
    note: Signal<Local, BurstNote>,
    open: Signal<Local, PlaceVerdict>,
    sides: [Constant<Bits<2>>; SIDES],
    cut: Constant<Bits<13>>,
    offsets: Constant<Bits<13>>,
}

impl<const CUT: usize> Default for PlaceBurst<CUT> {
    fn default() -> Self {
        assert!(CUT.is_power_of_two() && (64..=4096).contains(&CUT), "bursts of {CUT} bytes");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            placing: Default::default(),
            verdict: Default::default(),
            commands: std::array::from_fn(|_| Default::default()),
            notes: std::array::from_fn(|_| Default::default()),
            judged: Default::default(),
            judgement: Default::default(),
            now: Default::default(),
            has: Default::default(),
            counts: std::array::from_fn(|_| Default::default()),
            due: Default::default(),
            piece: Default::default(),
            offset: Default::default(),
            to_cut: Default::default(),
            cuts: Default::default(),
            length: Default::default(),
            writes: Default::default(),
            room: Default::default(),
            acts: Default::default(),
            done: Default::default(),
            mine: std::array::from_fn(|_| Default::default()),
            command: Default::default(),
            note: Default::default(),
            open: Default::default(),
            sides: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            cut: Constant::new(bits(CUT as u64)),
            offsets: Constant::new(bits(CUT as u64 - 1)),
        }
    }
}

impl<const CUT: usize> Logic for PlaceBurst<CUT> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, now, has, due);
        self.piece.next = self.now.q.val();
        self.offset.next = bit_cast::<13, 52>(self.piece.val().address) & self.offsets.val();
        self.to_cut.next = self.cut.val() - self.offset.val();
        self.cuts.next = self.piece.val().bytes > self.to_cut.val();
        self.length.next = self.piece.val().bytes;
        if self.cuts.val() {
            self.length.next = self.to_cut.val();
        }
        self.writes.next = self.piece.val().bytes != 0;
        self.room.next = self.has.q.val() & !self.due.q.val();
        for i in 0..3 {
            if !(self.commands[i].ready.val() & self.notes[i].ready.val()) {
                self.room.next = false;
            }
        }
        self.acts.next = self.room.val() & self.writes.val();
        self.done.next = self.room.val() & !self.cuts.val();
        self.command.next.address = self.piece.val().address;
        self.command.next.length = self.length.val();
        self.note.next.index = self.piece.val().index;
        self.note.next.held = self.piece.val().held & !self.cuts.val();
        self.note.next.ends = self.piece.val().ends & !self.cuts.val();
        for i in 0..3 {
            self.counts[i].clock.next = self.clock.val();
            self.counts[i].d.next = self.counts[i].q.val();
            self.mine[i].next = self.acts.val() & (self.piece.val().side == self.sides[i].val());
            self.commands[i].data.next = self.command.val();
            self.commands[i].valid.next = self.mine[i].val();
            self.notes[i].data.next = self.note.val();
            self.notes[i].valid.next = self.mine[i].val();
            if self.mine[i].val() {
                self.counts[i].d.next = self.counts[i].q.val() + 1;
            }
        }
        if self.acts.val() {
            self.now.d.next.address = self.piece.val().address + bit_cast::<52, 13>(self.length.val());
            self.now.d.next.bytes = self.piece.val().bytes - self.length.val();
        }
        // The verdict leaves one cycle later, so that it counts this burst too.
        self.open.next = self.verdict.data.val();
        self.judgement.next = self.open.val();
        self.judgement.next.writes = self.counts[0].q.val();
        if self.open.val().response {
            self.judgement.next.writes = self.counts[1].q.val();
        }
        self.judged.next = self.due.q.val() & self.verdict.valid.val();
        self.verdict.ready.next = self.due.q.val();
        if self.verdict.valid.val() {
            self.due.d.next = false;
        }
        self.placing.ready.next = !self.has.q.val() | self.done.val();
        if self.done.val() {
            self.due.d.next = self.piece.val().ends;
        }
        if !self.has.q.val() | self.done.val() {
            self.now.d.next = self.placing.data.val();
            self.has.d.next = self.placing.valid.val();
        }
        if self.reset.val() {
            self.has.d.next = false;
            self.due.d.next = false;
            for i in 0..3 {
                self.counts[i].d.next = 0.into();
            }
        }
    }
}
