//! One gather for the frames of the send queues and of the responder, in turn, frame by frame (T63).
//!
//! A register stage: latency one cycle, one frame every two cycles. Both stay in their own order.
use super::{GatherSink, GatherSource};
use crate::wire::{Span, TxFrame};
use rust_hdl::prelude::*;

/// Two sources of frames with payload into one gather.
#[derive(LogicBlock, Default)]
pub struct GatherShare {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame in hand.
    pub reset: Signal<In, Bit>,
    /// Frames of the send queues.
    pub send: GatherSink,
    /// Frames of the responder.
    pub respond: GatherSink,
    /// All frames.
    pub job: GatherSource,
    frame: DFF<TxFrame>,
    place: DFF<Span>,
    shows: DFF<Bit>,
    /// The last frame was of a send queue.
    sent: DFF<Bit>,
    picks_respond: Signal<Local, Bit>,
    picks_send: Signal<Local, Bit>,
}

impl Logic for GatherShare {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, frame, place, shows, sent);
        self.job.frame.next = self.frame.q.val();
        self.job.span.next = self.place.q.val();
        self.job.valid.next = self.shows.q.val();
        self.picks_respond.next =
            !self.shows.q.val() & self.respond.valid.val() & (self.sent.q.val() | !self.send.valid.val());
        self.picks_send.next = !self.shows.q.val() & self.send.valid.val() & !self.picks_respond.val();
        self.respond.ready.next = self.picks_respond.val();
        self.send.ready.next = self.picks_send.val();
        if self.job.ready.val() {
            self.shows.d.next = false;
        }
        if self.picks_send.val() {
            self.frame.d.next = self.send.frame.val();
            self.place.d.next = self.send.span.val();
            self.shows.d.next = true;
            self.sent.d.next = true;
        }
        if self.picks_respond.val() {
            self.frame.d.next = self.respond.frame.val();
            self.place.d.next = self.respond.span.val();
            self.shows.d.next = true;
            self.sent.d.next = false;
        }
        if self.reset.val() {
            self.shows.d.next = false;
            self.sent.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::RandomDrive;

    #[test]
    fn t63_both_sides_share_the_gather_and_keep_their_order() {
        let mut uut = GatherShare::default();
        uut.connect_all();
        let mut random = RandomDrive::new(2);
        let (mut sent, mut seen) = ([0u64; 2], [0u64; 2]);
        for cycle in 0..3000 {
            uut.reset.next = cycle == 0;
            let busy = cycle > 0;
            uut.send.valid.next = busy;
            uut.send.frame.next.tag = bits(sent[0]);
            uut.respond.valid.next = busy && (uut.respond.valid.val() || random.chance(1, 2));
            uut.respond.frame.next.tag = bits(1 << 31 | sent[1]);
            uut.job.ready.next = busy && random.chance(3, 4);
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            let took_respond = busy && uut.respond.valid.val() && uut.respond.ready.val();
            sent[0] += u64::from(busy && uut.send.valid.val() && uut.send.ready.val());
            sent[1] += u64::from(took_respond);
            if busy && uut.job.valid.val() && uut.job.ready.val() {
                let tag = uut.job.frame.val().tag.to_u64();
                let side = (tag >> 31) as usize;
                assert_eq!(tag & 0x7FFF_FFFF, seen[side]);
                seen[side] += 1;
            }
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
            if took_respond {
                uut.respond.valid.next = false;
            }
        }
        assert!(seen[0] > 400 && seen[1] > 300, "{seen:?}");
    }
}
