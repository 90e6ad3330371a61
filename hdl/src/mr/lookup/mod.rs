//! Lookup and translation of keys: one question a cycle, answered [`LATENCY`] cycles later, never stalled.
//!
//! ```text
//!  1 question   2 table   3 row   4-6 access   7-9 locate   10-13 page banks   14 answer
//! ```
//!
//! A granted question that wants a hold is counted in stage 6, in the step that found everything right (T98). A lookup that
//! reads the row which is being written answers ACC_STATE: every write takes or gives all rights, so that is either the old
//! or the new row, never a mix (I3, E15).
use super::layout::{LookupAnswer, LookupQuestion, MrEntry};
use super::table::MrTable;
use crate::record;
use crate::widgets::{Delay, First};
use access::{Access, Place};
use banks::PageBanks;
use locate::{Beside, Locate};
use rust_hdl::prelude::*;

pub(super) mod access;
pub(super) mod banks;
pub(super) mod locate;
pub(super) mod reach;

/// Cycles from question to answer.
pub const LATENCY: usize = 14;

record! {
    /// What the answer needs of stage 6.
    Granted, 48 {
        /// Failures.
        failures: Bits<5>,
        /// Length 0.
        empty: Bit,
        /// Counted as in flight.
        held: Bit,
        /// Bus address is virtual address,
        direct: Bit,
        /// whose frame number this is.
        frame: Bits<40>,
    }
}

/// DATA bus bits, LANES = DATA / 64, 2^MA table rows, 2^RA rows of page banks.
#[derive(LogicBlock)]
pub struct Lookup<const DATA: usize, const LANES: usize, const MA: usize, const RA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the questions under way.
    pub reset: Signal<In, Bit>,
    /// A question.
    pub ask: Signal<In, Bit>,
    /// The question.
    pub question: Signal<In, LookupQuestion>,
    /// The answer to the question of [`LATENCY`] cycles ago.
    pub answered: Signal<Out, Bit>,
    /// The answer.
    pub answer: Signal<Out, LookupAnswer>,
    /// A row is read in this cycle,
    pub looks: Signal<Out, Bit>,
    /// this one.
    pub looks_at: Signal<Out, Bits<MA>>,
    /// A hold is granted,
    pub grant: Signal<Out, Bit>,
    /// of this MR.
    pub grant_index: Signal<Out, Bits<MA>>,
    /// No hold can be granted.
    pub full: Signal<In, Bit>,
    /// Table write: enable,
    pub write: Signal<In, Bit>,
    /// index,
    pub index: Signal<In, Bits<MA>>,
    /// row,
    pub row: Signal<In, MrEntry>,
    /// generation.
    pub row_generation: Signal<In, Bits<32>>,
    /// Page write: lanes,
    pub page_lanes: Signal<In, Bits<LANES>>,
    /// row of the banks,
    pub page_row: Signal<In, Bits<RA>>,
    /// entries.
    pub page_data: Signal<In, Bits<DATA>>,
    rows: MrTable<MA>,
    access: Access,
    locate: Locate,
    banks: PageBanks<DATA, LANES, RA>,
    first: First<5>,
    asked: DFF<LookupQuestion>,
    reading: DFF<LookupQuestion>,
    judged: DFF<LookupQuestion>,
    found: DFF<MrEntry>,
    strange: DFF<Bit>,
    outside: DFF<Bit>,
    raced: DFF<Bit>,
    unsure: DFF<Bit>,
    alive: DFF<Bits<LATENCY>>,
    virtual_frame: Delay<Bits<40>, 3>,
    key_index: Delay<Bits<MA>, 5>,
    late_index: Delay<Bits<MA>, 7>,
    generation: Delay<Bits<32>, 11>,
    granted: Delay<Granted, 7>,
    besides: Delay<Beside, 4>,
    result: DFF<LookupAnswer>,
    present: Signal<Local, LookupQuestion>,
    own: Signal<Local, Bits<MA>>,
    high: Signal<Local, Bits<32>>,
    low: Signal<Local, Bits<32>>,
    upper: Signal<Local, Bits<20>>,
    place: Signal<Local, Place>,
    grants: Signal<Local, Bit>,
    passing: Signal<Local, Granted>,
    last: Signal<Local, Granted>,
    piece: Signal<Local, Beside>,
    offset: Signal<Local, Bits<21>>,
    in_frame: Signal<Local, Bits<12>>,
    frames: Signal<Local, Bits<40>>,
    made: Signal<Local, LookupAnswer>,
}

impl<const DATA: usize, const LANES: usize, const MA: usize, const RA: usize> Default for Lookup<DATA, LANES, MA, RA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            ask: Default::default(),
            question: Default::default(),
            answered: Default::default(),
            answer: Default::default(),
            looks: Default::default(),
            looks_at: Default::default(),
            grant: Default::default(),
            grant_index: Default::default(),
            full: Default::default(),
            write: Default::default(),
            index: Default::default(),
            row: Default::default(),
            row_generation: Default::default(),
            page_lanes: Default::default(),
            page_row: Default::default(),
            page_data: Default::default(),
            rows: Default::default(),
            access: Default::default(),
            locate: Default::default(),
            banks: Default::default(),
            first: First::new(0x30),
            asked: Default::default(),
            reading: Default::default(),
            judged: Default::default(),
            found: Default::default(),
            strange: Default::default(),
            outside: Default::default(),
            raced: Default::default(),
            unsure: Default::default(),
            alive: Default::default(),
            virtual_frame: Default::default(),
            key_index: Default::default(),
            late_index: Default::default(),
            generation: Default::default(),
            granted: Default::default(),
            besides: Default::default(),
            result: Default::default(),
            present: Default::default(),
            own: Default::default(),
            high: Default::default(),
            low: Default::default(),
            upper: Default::default(),
            place: Default::default(),
            grants: Default::default(),
            passing: Default::default(),
            last: Default::default(),
            piece: Default::default(),
            offset: Default::default(),
            in_frame: Default::default(),
            frames: Default::default(),
            made: Default::default(),
        }
    }
}

impl<const DATA: usize, const LANES: usize, const MA: usize, const RA: usize> Logic for Lookup<DATA, LANES, MA, RA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, asked, reading, judged, found, strange, outside, raced, unsure, alive, result);
        clock!(self, clock, rows, access, locate, banks, virtual_frame, key_index, late_index, generation);
        clock!(self, clock, granted, besides);
        self.alive.d.next = (self.alive.q.val() << 1) | bit_cast::<LATENCY, 1>(self.ask.val().into());
        self.asked.d.next = self.question.val();
        self.present.next = self.asked.q.val();
        self.reading.d.next = self.present.val();
        self.judged.d.next = self.reading.q.val();
        self.own.next = bit_cast::<MA, 24>(self.present.val().index);
        self.strange.d.next = self.present.val().index != bit_cast::<24, MA>(self.own.val());
        self.outside.d.next = self.strange.q.val();
        self.raced.d.next = self.write.val() & (self.index.val() == self.own.val());
        self.unsure.d.next = self.raced.q.val();
        self.looks.next = self.alive.q.val().get_bit(0);
        self.looks_at.next = self.own.val();
        self.rows.read.next = true;
        self.rows.read_index.next = self.own.val();
        self.rows.write.next = self.write.val();
        self.rows.write_index.next = self.index.val();
        self.rows.row.next = self.row.val();
        self.rows.row_generation.next = self.row_generation.val();
        self.found.d.next = self.rows.entry.val();

        self.access.question.next = self.judged.q.val();
        self.access.entry.next = self.found.q.val();
        self.access.outside.next = self.outside.q.val();
        self.access.raced.next = self.unsure.q.val();
        self.access.full.next = self.full.val();
        self.key_index.d.next = self.own.val();
        self.high.next = self.judged.q.val().va_high;
        self.low.next = self.judged.q.val().va_low;
        self.upper.next = self.low.val().get_bits::<20>(12);
        self.virtual_frame.d.next = (bit_cast::<40, 32>(self.high.val()) << 20) | bit_cast::<40, 20>(self.upper.val());
        self.place.next = self.access.place.val();
        self.grants.next = self.alive.q.val().get_bit(5)
            & self.access.granted.val()
            & self.place.val().hold
            & !self.place.val().empty
            & !self.place.val().direct;
        self.grant.next = self.grants.val();
        self.grant_index.next = self.key_index.q.val();
        self.late_index.d.next = self.key_index.q.val();
        self.generation.d.next = self.rows.generation.val();
        self.locate.place.next = self.place.val();
        self.locate.target.next = self.access.target.val();
        self.passing.next.failures = self.access.failures.val();
        self.passing.next.empty = self.place.val().empty;
        self.passing.next.held = self.grants.val();
        self.passing.next.direct = self.place.val().direct;
        self.passing.next.frame = self.virtual_frame.q.val();
        self.granted.d.next = self.passing.val();

        self.banks.slot.next = self.locate.slot.val();
        self.banks.write.next = self.page_lanes.val();
        self.banks.row.next = self.page_row.val();
        self.banks.pages.next = self.page_data.val();
        self.besides.d.next = self.locate.beside.val();
        self.piece.next = self.besides.q.val();
        self.last.next = self.granted.q.val();
        self.first.flags.next = self.last.val().failures;
        self.offset.next = self.piece.val().offset;
        self.in_frame.next = self.offset.val().get_bits::<12>(0);
        // Pages are aligned to their size (B18), so that frame and offset do not overlap.
        self.frames.next = self.banks.frame.val() | bit_cast::<40, 9>(self.offset.val().get_bits::<9>(12));
        if self.last.val().direct {
            self.frames.next = self.last.val().frame;
        }
        self.made.next = bits::<130>(0).into();
        self.made.next.syndrome = self.first.code.val();
        self.made.next.index = bit_cast::<24, MA>(self.late_index.q.val());
        self.made.next.generation = self.generation.q.val();
        self.made.next.held = self.last.val().held;
        if (self.last.val().failures == 0) & !self.last.val().empty {
            self.made.next.address =
                (bit_cast::<52, 40>(self.frames.val()) << 12) | bit_cast::<52, 12>(self.in_frame.val());
            self.made.next.bytes = self.piece.val().bytes;
        }
        self.result.d.next = self.made.val();
        self.answer.next = self.result.q.val();
        self.answered.next = self.alive.q.val().get_bit(13);
        if self.reset.val() {
            self.alive.d.next = 0.into();
        }
    }
}
