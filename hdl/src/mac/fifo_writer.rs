//! The writing end of [`super::FrameFifo`]: words are written ahead and count only when their frame is committed.
use super::{FromGray, Synchronizer};
use rust_hdl::prelude::*;

/// Pointers of the writer, P = A + 1 bits each.
///
/// `published` is what the reader sees. It follows the commits one word a cycle, because a Gray code that steps over several
/// numbers at once may be read as any number at all. The pointers are never reset: so neither end depends on when, or whether,
/// the other one is reset, and a clock that is missing blocks nothing (MC8). They start at 0 by configuration.
#[derive(LogicBlock)]
pub struct FifoWriter<const A: usize, const P: usize> {
    /// Clock of the writer.
    pub clock: Signal<In, Clock>,
    /// Takes back the frame under way.
    pub reset: Signal<In, Bit>,
    /// A word is written at `address`; not while `full`.
    pub write: Signal<In, Bit>,
    /// The words of this frame count, the one being written included.
    pub commit: Signal<In, Bit>,
    /// The words of this frame are taken back, the one being written included.
    pub rollback: Signal<In, Bit>,
    /// No room for another word.
    pub full: Signal<Out, Bit>,
    /// Place of the next word.
    pub address: Signal<Out, Bits<A>>,
    /// Gray code of the count of words that the reader may take.
    pub published: Signal<Out, Bits<P>>,
    /// Gray code of the count of words that the reader has taken, in its clock domain.
    pub head: Signal<In, Bits<P>>,
    tail: DFF<Bits<P>>,
    kept: DFF<Bits<P>>,
    shown: DFF<Bits<P>>,
    shown_gray: DFF<Bits<P>>,
    head_seen: DFF<Bits<P>>,
    crowded: DFF<Bit>,
    after: Signal<Local, Bits<P>>,
    follows: Signal<Local, Bits<P>>,
    used: Signal<Local, Bits<P>>,
    head_sync: Synchronizer<Bits<P>>,
    head_binary: FromGray<P>,
    limit: Constant<Bits<P>>,
}

impl<const A: usize, const P: usize> Default for FifoWriter<A, P> {
    fn default() -> Self {
        assert!(P == A + 1 && A >= 2, "2^{A} words with pointers of {P} bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write: Default::default(),
            commit: Default::default(),
            rollback: Default::default(),
            full: Default::default(),
            address: Default::default(),
            published: Default::default(),
            head: Default::default(),
            tail: Default::default(),
            kept: Default::default(),
            shown: Default::default(),
            shown_gray: Default::default(),
            head_seen: Default::default(),
            crowded: Default::default(),
            after: Default::default(),
            follows: Default::default(),
            used: Default::default(),
            head_sync: Default::default(),
            head_binary: Default::default(),
            // `full` does not know the word of the cycle before.
            limit: Constant::new(((1usize << A) - 1).to_bits()),
        }
    }
}

impl<const A: usize, const P: usize> Logic for FifoWriter<A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, tail, kept, shown, shown_gray, head_seen, crowded);
        clock!(self, clock, head_sync);
        self.head_sync.d.next = self.head.val();
        self.head_binary.gray.next = self.head_sync.q.val();
        self.head_seen.d.next = self.head_binary.binary.val();
        self.used.next = self.tail.q.val() - self.head_seen.q.val();
        self.crowded.d.next = self.used.val() >= self.limit.val();
        self.full.next = self.crowded.q.val();
        self.address.next = bit_cast::<A, P>(self.tail.q.val());
        self.after.next = self.tail.q.val();
        if self.write.val() {
            self.after.next = self.tail.q.val() + 1;
        }
        self.tail.d.next = self.after.val();
        if self.commit.val() {
            self.kept.d.next = self.after.val();
        }
        if self.rollback.val() | self.reset.val() {
            self.tail.d.next = self.kept.q.val();
            self.kept.d.next = self.kept.q.val();
        }
        self.follows.next = self.shown.q.val();
        if self.shown.q.val() != self.kept.q.val() {
            self.follows.next = self.shown.q.val() + 1;
        }
        self.shown.d.next = self.follows.val();
        self.shown_gray.d.next = self.follows.val() ^ (self.follows.val() >> 1);
        self.published.next = self.shown_gray.q.val();
    }
}
