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
    level: Signal<Local, Bit>,
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
        // Software may have consumed a CQE before its B came: then the distance is negative. Without the CQE that completes,
        // so that no sum follows another.
        self.distance.next = self.earlier.val().visible - self.eaten_next.val();
        self.level.next = self.earlier.val().visible == self.eaten_next.val();
        self.left.next = self.produced.val() - self.consumer.val();
        self.span.next = self.produced.val() - self.earlier.val().consumed;
        self.seen.d.next = self.seen_next.val();
        self.eaten.d.next = self.eaten_next.val();
        self.some.d.next = (self.completes.val() | !self.level.val()) & !self.distance.val().get_bit(23);
        self.wrong.d.next = self.left.val() > self.span.val();
        self.visible.next = self.seen.q.val();
        self.consumed.next = self.eaten.q.val();
        self.unread.next = self.some.q.val();
        self.beyond.next = self.wrong.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    /// Verdict on a doorbell (`Some(consumer)`) or a CQE, with counts relative to `start`.
    fn judge(start: u64, produced: u64, visible: u64, consumed: u64, doorbell: Option<u64>) -> ProgressJudge {
        let count = |value: u64| bits(start.wrapping_add(value) & 0xFF_FFFF);
        let mut uut = ProgressJudge::default();
        uut.connect_all();
        uut.rings.next = doorbell.is_some();
        uut.completes.next = doorbell.is_none();
        uut.consumer.next = count(doorbell.unwrap_or(0));
        uut.produced.next = count(produced);
        uut.earlier.next = CqConsumed { visible: count(visible), consumed: count(consumed), ..Default::default() };
        tick(&mut uut, |uut| &mut uut.clock);
        uut
    }

    const STARTS: [u64; 5] = [0, 1, 0x7F_FFFC, 0xFF_FFFC, 0xFF_FFFF];

    #[test]
    fn i9_a_doorbell_may_not_pass_the_produced_count_nor_go_back() {
        for start in STARTS {
            for consumer in 0..12 {
                let uut = judge(start, 9, 9, 4, Some(consumer));
                assert_eq!(uut.beyond.val(), !(4..=9).contains(&consumer), "{start:x} {consumer}");
            }
            assert!(judge(start, 0, 0, 0, Some(0x80_0000)).beyond.val());
            assert!(!judge(start, 0x1_0000, 0, 0, Some(0x1_0000)).beyond.val());
        }
    }

    #[test]
    fn unread_counts_only_what_is_visible_and_not_consumed() {
        for start in STARTS {
            for consumer in 0..=8 {
                // Five are visible, three more are on their way; software may have seen them already.
                assert_eq!(judge(start, 8, 5, 0, Some(consumer)).unread.val(), consumer < 5, "{start:x} {consumer}");
                // One of them gets its B.
                let uut = judge(start, 8, 5, consumer, None);
                assert_eq!(uut.unread.val(), consumer < 6, "{start:x} {consumer}");
                assert_eq!(uut.visible.val(), bits((start + 6) & 0xFF_FFFF));
            }
            assert!(judge(start, 0x1_0000, 0x1_0000, 0, Some(0)).unread.val());
        }
    }
}
