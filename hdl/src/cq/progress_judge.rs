//! Judgement of a change on the consumer's side: the new counts, and whether software has something to read.
//!
//! One register stage behind the table reads. All counts are modulo 2^24. A doorbell may not consume more than was
//! produced, nor go back: produced - consumer must not exceed produced - consumed.
use super::CqConsumed;
use rust_hdl::prelude::*;

/// Registered verdict; holds while its inputs hold.
#[derive(LogicBlock, Default)]
pub struct ProgressJudge {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The change is a CQE that has its B.
    pub completes: Signal<In, Bit>,
    /// The change is a doorbell.
    pub rings: Signal<In, Bit>,
    /// Its consumer count.
    pub consumer: Signal<In, Bits<24>>,
    /// What has been consumed so far.
    pub earlier: Signal<In, CqConsumed>,
    /// What has been produced.
    pub produced: Signal<In, Bits<24>>,
    /// CQEs that software can see.
    pub visible: Signal<Out, Bits<24>>,
    /// CQEs consumed.
    pub consumed: Signal<Out, Bits<24>>,
    /// Some visible CQE is not consumed.
    pub unread: Signal<Out, Bit>,
    /// The doorbell consumes what was not produced.
    pub beyond: Signal<Out, Bit>,
    seen: DFF<Bits<24>>,
    eaten: DFF<Bits<24>>,
    some: DFF<Bit>,
    wrong: DFF<Bit>,
    seen_next: Signal<Local, Bits<24>>,
    eaten_next: Signal<Local, Bits<24>>,
    distance: Signal<Local, Bits<24>>,
    left: Signal<Local, Bits<24>>,
    span: Signal<Local, Bits<24>>,
}

impl Logic for ProgressJudge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, seen, eaten, some, wrong);
        self.seen_next.next = self.earlier.val().visible;
        if self.completes.val() {
            self.seen_next.next = self.earlier.val().visible + 1;
        }
        self.eaten_next.next = self.earlier.val().consumed;
        if self.rings.val() {
            self.eaten_next.next = self.consumer.val();
        }
        // Software may have consumed a CQE before its B came: then the distance is negative.
        self.distance.next = self.seen_next.val() - self.eaten_next.val();
        self.left.next = self.produced.val() - self.consumer.val();
        self.span.next = self.produced.val() - self.earlier.val().consumed;
        self.seen.d.next = self.seen_next.val();
        self.eaten.d.next = self.eaten_next.val();
        self.some.d.next = self.distance.val().any() & !self.distance.val().get_bit(23);
        self.wrong.d.next = self.left.val() > self.span.val();
        self.visible.next = self.seen.q.val();
        self.consumed.next = self.eaten.q.val();
        self.unread.next = self.some.q.val();
        self.beyond.next = self.wrong.q.val();
    }
}
