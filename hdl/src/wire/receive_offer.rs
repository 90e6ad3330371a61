//! The end of the receiver: brings fields, verdict and ICRC of a frame together, offers it or drops it, and frees the rows of
//! the frame buffer in order.
//!
//! A dropped frame keeps its rows until all earlier frames are released. Two cycles from the last of the three to `frame` or
//! `drop`; one frame a cycle.
use super::{RxFrame, RxVerdict};
use crate::widgets::{ChannelSource, SlackFifo};
use rnic_abi::drop;
use rust_hdl::prelude::*;

record! {
    /// Rows that wait for their release.
    RxRows, 13 {
        /// Row behind the frame.
        end_row: Bits<12>,
        /// The frame was offered: it needs a release.
        offered: Bit,
    }
}

/// Offers frames; the buffer has 2^A rows.
#[derive(LogicBlock)]
pub struct RxOffer<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub reset: Signal<In, Bit>,
    /// Fields of a frame.
    pub fields: Signal<In, RxFrame>,
    /// They count.
    pub fields_valid: Signal<In, Bit>,
    /// Verdict on a frame.
    pub verdict: Signal<In, RxVerdict>,
    /// It counts.
    pub verdict_valid: Signal<In, Bit>,
    /// The ICRC of a frame is right.
    pub good: Signal<In, Bit>,
    /// `good` counts.
    pub judged: Signal<In, Bit>,
    /// No room for further frames but those that are under way (12).
    pub crowded: Signal<Out, Bit>,
    /// Frames for the engines.
    pub frame: ChannelSource<RxFrame>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    /// The oldest frame that was offered is no longer needed.
    pub release_frame: Signal<In, Bit>,
    /// Oldest row that is in use, if any.
    pub head: Signal<Out, Bits<A>>,
    /// 64 words: fewer of this width would go into LUTs.
    parsed: SlackFifo<RxFrame, 6, 12>,
    verdicts: SlackFifo<RxVerdict, 5, 12>,
    crcs: SlackFifo<Bits<1>, 5, 12>,
    rows: SlackFifo<RxRows, 6, 4>,
    released: DFF<Bits<8>>,
    oldest: DFF<Bits<A>>,
    waits: DFF<Bit>,
    header: Signal<Local, RxFrame>,
    judgement: Signal<Local, RxVerdict>,
    wrong: Signal<Local, Bit>,
    complete: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    row: Signal<Local, RxRows>,
    frees: Signal<Local, Bit>,
    frame_icrc: Constant<Bits<8>>,
}

impl<const A: usize> Default for RxOffer<A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            fields: Default::default(),
            fields_valid: Default::default(),
            verdict: Default::default(),
            verdict_valid: Default::default(),
            good: Default::default(),
            judged: Default::default(),
            crowded: Default::default(),
            frame: Default::default(),
            drop: Default::default(),
            release_frame: Default::default(),
            head: Default::default(),
            parsed: Default::default(),
            verdicts: Default::default(),
            crcs: Default::default(),
            rows: Default::default(),
            released: Default::default(),
            oldest: Default::default(),
            waits: Default::default(),
            header: Default::default(),
            judgement: Default::default(),
            wrong: Default::default(),
            complete: Default::default(),
            drops: Default::default(),
            moves: Default::default(),
            row: Default::default(),
            frees: Default::default(),
            frame_icrc: Constant::new(bits(drop::FRAME_ICRC.into())),
        }
    }
}

impl<const A: usize> Logic for RxOffer<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, released, oldest, waits);
        clock!(self, clock, parsed, verdicts, crcs, rows);
        self.parsed.reset.next = self.reset.val();
        self.verdicts.reset.next = self.reset.val();
        self.crcs.reset.next = self.reset.val();
        self.rows.reset.next = self.reset.val();
        self.parsed.write.next = self.fields_valid.val();
        self.parsed.data.next = self.fields.val();
        self.verdicts.write.next = self.verdict_valid.val();
        self.verdicts.data.next = self.verdict.val();
        self.crcs.write.next = self.judged.val();
        self.crcs.data.next = 0.into();
        if self.good.val() {
            self.crcs.data.next = 1.into();
        }
        self.crowded.next = self.parsed.crowded.val() | self.verdicts.crowded.val() | self.crcs.crowded.val();
        // The oldest frame, when all of it is here. An offer stands (I7), so `rows` is asked only once.
        self.header.next = self.parsed.source.data.val();
        self.judgement.next = self.verdicts.source.data.val();
        self.wrong.next = self.crcs.source.data.val() == 0;
        self.complete.next = self.parsed.source.valid.val()
            & self.verdicts.source.valid.val()
            & self.crcs.source.valid.val()
            & (self.waits.q.val() | !self.rows.crowded.val());
        self.drops.next = self.judgement.val().reason.any() | (self.judgement.val().needs_crc & self.wrong.val());
        self.frame.data.next = self.header.val();
        self.frame.data.next.raw = self.judgement.val().raw;
        self.frame.data.next.icrc_ok = self.judgement.val().needs_crc;
        self.frame.data.next.own_address = self.judgement.val().own_address;
        self.frame.data.next.payload = self.judgement.val().payload;
        self.frame.data.next.payload_at = self.judgement.val().payload_at;
        self.frame.valid.next = self.complete.val() & !self.drops.val();
        self.drop.data.next = self.judgement.val().reason;
        if self.judgement.val().needs_crc & self.wrong.val() {
            self.drop.data.next = self.frame_icrc.val();
        }
        self.drop.valid.next = self.complete.val() & self.drops.val();
        self.moves.next = self.complete.val() & self.frame.ready.val();
        if self.drops.val() {
            self.moves.next = self.complete.val() & self.drop.ready.val();
        }
        self.waits.d.next = self.complete.val() & !self.moves.val();
        self.parsed.source.ready.next = self.moves.val();
        self.verdicts.source.ready.next = self.moves.val();
        self.crcs.source.ready.next = self.moves.val();
        self.rows.write.next = self.moves.val();
        self.rows.data.next.end_row = self.judgement.val().end_row;
        self.rows.data.next.offered = !self.drops.val();
        // Rows are freed in order, those of an offered frame against a release.
        self.row.next = self.rows.source.data.val();
        self.frees.next = self.rows.source.valid.val() & (!self.row.val().offered | self.released.q.val().any());
        self.rows.source.ready.next = self.frees.val();
        if self.frees.val() {
            self.oldest.d.next = bit_cast::<A, 12>(self.row.val().end_row);
        }
        if self.release_frame.val() & !(self.frees.val() & self.row.val().offered) {
            self.released.d.next = self.released.q.val() + 1;
        }
        if !self.release_frame.val() & self.frees.val() & self.row.val().offered {
            self.released.d.next = self.released.q.val() - 1;
        }
        self.head.next = self.oldest.q.val();
        if self.reset.val() {
            self.released.d.next = 0.into();
            self.oldest.d.next = 0.into();
            self.waits.d.next = false;
        }
    }
}
