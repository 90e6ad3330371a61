//! Retry buffer: TLPs in block RAM from their entry until their ack (rule LK5). Headers of frames are not stored.
//!
//! TLPs lie in a ring of words; a second memory holds start and length of each, by sequence number. What is acknowledged is
//! released only between two reads: a frame that is leaving is never overwritten. A read begins three cycles after `start` and
//! then gives a beat a cycle.
use super::records::{ClassedBeat, RetryEntry, TlpBeat};
use crate::widgets::{ChannelSource, LooseMemory};
use rust_hdl::prelude::*;

/// Where the reader stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum RetryStep {
    /// Waits for a TLP to send, releases what is acknowledged.
    Idle,
    /// The place of what comes behind the released is being read.
    Release,
    /// The place of the TLP is being read.
    Locate,
    /// The TLP leaves.
    Read,
}

/// Retry buffer of 2^10 words and at most 32 TLPs.
#[derive(LogicBlock)]
pub struct RetryStore {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Empties the buffer; nothing may be read then.
    pub reset: Signal<In, Bit>,
    /// Another TLP of the largest size may come; follows `beat` and `oldest` by three cycles.
    pub room: Signal<Out, Bit>,
    /// A beat to store
    pub beat: Signal<In, ClassedBeat>,
    /// that counts.
    pub write: Signal<In, Bit>,
    /// It ends a TLP that is to be kept.
    pub stored: Signal<Out, Bit>,
    /// Sequence number of that TLP.
    pub entry: Signal<In, Bits<16>>,
    /// Oldest number that is not acknowledged.
    pub oldest: Signal<In, Bits<16>>,
    /// Reads a TLP,
    pub start: Signal<In, Bit>,
    /// this one.
    pub cursor: Signal<In, Bits<16>>,
    /// DW of the TLP being read, from the third cycle after `start` on.
    pub dwords: Signal<Out, Bits<10>>,
    /// Its beats.
    pub source: ChannelSource<TlpBeat>,
    memory: LooseMemory<Bits<64>, 10>,
    entries: LooseMemory<RetryEntry, 5>,
    step: DFF<RetryStep>,
    tail: DFF<Bits<10>>,
    /// Where the TLP being written began.
    origin: DFF<Bits<10>>,
    count: DFF<Bits<10>>,
    roomy: DFF<Bit>,
    /// All below this number is released: the first word that is not, and the number.
    base: DFF<Bits<10>>,
    freed: DFF<Bits<16>>,
    target: DFF<Bits<16>>,
    empty: DFF<Bit>,
    behind: DFF<Bits<10>>,
    place: DFF<Bits<10>>,
    size: DFF<Bits<10>>,
    left: DFF<Bits<10>>,
    shown: DFF<Bit>,
    half: DFF<Bit>,
    last: DFF<Bit>,
    keeps: Signal<Local, Bit>,
    grown: Signal<Local, Bits<10>>,
    after: Signal<Local, Bits<10>>,
    used: Signal<Local, Bits<10>>,
    frames: Signal<Local, Bits<16>>,
    index: Signal<Local, Bits<16>>,
    some: Signal<Local, Bit>,
    read: Signal<Local, Bit>,
    most_words: Constant<Bits<10>>,
    most_frames: Constant<Bits<16>>,
}

impl RetryStore {
    /// Buffer for `window` TLPs, 1 to 32, of at most `longest` words.
    pub fn new(window: u64, longest: u64) -> Self {
        assert!((1..=32).contains(&window) && longest < 1000, "window {window}, {longest} words");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            room: Default::default(),
            beat: Default::default(),
            write: Default::default(),
            stored: Default::default(),
            entry: Default::default(),
            oldest: Default::default(),
            start: Default::default(),
            cursor: Default::default(),
            dwords: Default::default(),
            source: Default::default(),
            memory: Default::default(),
            entries: Default::default(),
            step: Default::default(),
            tail: Default::default(),
            origin: Default::default(),
            count: Default::default(),
            roomy: Default::default(),
            base: Default::default(),
            freed: Default::default(),
            target: Default::default(),
            empty: Default::default(),
            behind: Default::default(),
            place: Default::default(),
            size: Default::default(),
            left: Default::default(),
            shown: Default::default(),
            half: Default::default(),
            last: Default::default(),
            keeps: Default::default(),
            grown: Default::default(),
            after: Default::default(),
            used: Default::default(),
            frames: Default::default(),
            index: Default::default(),
            some: Default::default(),
            read: Default::default(),
            most_words: Constant::new((1023 - longest).into()),
            most_frames: Constant::new(window.into()),
        }
    }
}

impl Logic for RetryStore {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, tail, origin, count, roomy, base, freed, target, empty, behind);
        dff_setup!(self, clock, place, size, left, shown, half, last);
        clock!(self, clock, memory, entries);
        // Writing.
        self.memory.write.next = self.write.val();
        self.memory.write_address.next = self.tail.q.val();
        self.memory.data.next = self.beat.val().data;
        self.after.next = self.tail.q.val() + 1;
        self.grown.next = self.count.q.val() + 2;
        if self.beat.val().half {
            self.grown.next = self.count.q.val() + 1;
        }
        self.keeps.next = self.write.val() & self.beat.val().last & !self.beat.val().bad;
        self.stored.next = self.keeps.val();
        self.entries.write.next = self.keeps.val();
        self.entries.write_address.next = self.entry.val().get_bits::<5>(0);
        self.entries.data.next.start = self.origin.q.val();
        self.entries.data.next.dwords = self.grown.val();
        if self.write.val() {
            self.tail.d.next = self.after.val();
            self.count.d.next = self.grown.val();
            if self.beat.val().last {
                self.count.d.next = 0.into();
                self.origin.d.next = self.after.val();
                if self.beat.val().bad {
                    self.tail.d.next = self.origin.q.val();
                    self.origin.d.next = self.origin.q.val();
                }
            }
        }
        self.used.next = self.tail.q.val() - self.base.q.val();
        self.frames.next = self.entry.val() - self.freed.q.val();
        self.roomy.d.next = (self.used.val() <= self.most_words.val()) & (self.frames.val() < self.most_frames.val());
        self.room.next = self.roomy.q.val();
        // Reading and releasing.
        self.index.next = self.oldest.val();
        if self.start.val() {
            self.index.next = self.cursor.val();
        }
        self.entries.read.next = true;
        self.entries.read_address.next = self.index.val().get_bits::<5>(0);
        self.some.next = (self.step.q.val() == RetryStep::Read) & self.left.q.val().any();
        self.read.next = !self.shown.q.val() | self.source.ready.val();
        self.memory.read.next = self.read.val();
        self.memory.read_address.next = self.place.q.val();
        if self.read.val() {
            self.shown.d.next = self.some.val();
        }
        match self.step.q.val() {
            RetryStep::Idle => {
                self.target.d.next = self.oldest.val();
                self.empty.d.next = self.oldest.val() == self.entry.val();
                self.behind.d.next = self.origin.q.val();
                if self.start.val() {
                    self.step.d.next = RetryStep::Locate;
                } else if self.oldest.val() != self.freed.q.val() {
                    self.step.d.next = RetryStep::Release;
                }
            }
            RetryStep::Release => {
                // Behind the last TLP stands the one that was being written then; it may have become a TLP in this cycle.
                self.base.d.next = self.entries.out.val().start;
                if self.empty.q.val() {
                    self.base.d.next = self.behind.q.val();
                }
                self.freed.d.next = self.target.q.val();
                self.step.d.next = RetryStep::Idle;
                if self.start.val() {
                    self.step.d.next = RetryStep::Locate;
                }
            }
            RetryStep::Locate => {
                self.place.d.next = self.entries.out.val().start;
                self.size.d.next = self.entries.out.val().dwords;
                self.left.d.next = self.entries.out.val().dwords;
                self.step.d.next = RetryStep::Read;
            }
            RetryStep::Read => {
                if self.read.val() & self.some.val() {
                    self.place.d.next = self.place.q.val() + 1;
                    self.left.d.next = self.left.q.val() - 2;
                    self.half.d.next = self.left.q.val() == 1;
                    self.last.d.next = (self.left.q.val() == 1) | (self.left.q.val() == 2);
                    if (self.left.q.val() == 1) | (self.left.q.val() == 2) {
                        self.left.d.next = 0.into();
                    }
                }
                if self.shown.q.val() & self.last.q.val() & self.source.ready.val() {
                    self.step.d.next = RetryStep::Idle;
                }
            }
        }
        self.source.data.next.data = self.memory.out.val();
        self.source.data.next.half = self.half.q.val();
        self.source.data.next.last = self.last.q.val();
        self.source.valid.next = self.shown.q.val();
        self.dwords.next = self.size.q.val();
        if self.reset.val() {
            self.step.d.next = RetryStep::Idle;
            self.tail.d.next = 0.into();
            self.origin.d.next = 0.into();
            self.count.d.next = 0.into();
            self.roomy.d.next = false;
            self.base.d.next = 0.into();
            self.freed.d.next = self.oldest.val();
            self.shown.d.next = false;
        }
    }
}
