//! One gather for the frames of the send queues and of the responder, fair by bytes (T63).
//!
//! While both want it, the side goes that has had fewer bytes; a side that wanted nothing earns no more than one largest
//! frame. A register stage: latency one cycle, one frame every two cycles. Both stay in their own order.
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
    /// Bytes that the send queues have had more than the responder, 2^14 added.
    lead: DFF<Bits<15>>,
    cost: Signal<Local, Bits<15>>,
    higher: Signal<Local, Bits<15>>,
    lower: Signal<Local, Bits<15>>,
    picks_respond: Signal<Local, Bit>,
    picks_send: Signal<Local, Bit>,
}

impl Logic for GatherShare {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, frame, place, shows, lead);
        self.job.frame.next = self.frame.q.val();
        self.job.span.next = self.place.q.val();
        self.job.valid.next = self.shows.q.val();
        self.picks_respond.next =
            !self.shows.q.val() & self.respond.valid.val() & (self.lead.q.val().get_bit(14) | !self.send.valid.val());
        self.picks_send.next = !self.shows.q.val() & self.send.valid.val() & !self.picks_respond.val();
        self.respond.ready.next = self.picks_respond.val();
        self.send.ready.next = self.picks_send.val();
        if self.job.ready.val() {
            self.shows.d.next = false;
        }
        // Headers, gaps and ICRC count as 64 bytes, so that frames without payload are not free.
        self.cost.next = bit_cast::<15, 13>(self.respond.frame.val().payload) + 64;
        if self.picks_send.val() {
            self.cost.next = bit_cast::<15, 13>(self.send.frame.val().payload) + 64;
        }
        self.higher.next = self.lead.q.val() + self.cost.val();
        self.lower.next = self.lead.q.val() - self.cost.val();
        if self.picks_send.val() {
            self.frame.d.next = self.send.frame.val();
            self.place.d.next = self.send.span.val();
            self.shows.d.next = true;
            self.lead.d.next = self.higher.val();
            if self.higher.val() > 20544 {
                self.lead.d.next = 20544.into();
            }
        }
        if self.picks_respond.val() {
            self.frame.d.next = self.respond.frame.val();
            self.place.d.next = self.respond.span.val();
            self.shows.d.next = true;
            self.lead.d.next = self.lower.val();
            if self.lower.val() < 12224 {
                self.lead.d.next = 12224.into();
            }
        }
        if self.reset.val() {
            self.shows.d.next = false;
            self.lead.d.next = 16384.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::RandomDrive;

    /// Both sides always want the gather, with these payloads; how many bytes each of them has had.
    fn shares(cycles: usize, payload: [u64; 2], wants: [u32; 2]) -> [u64; 2] {
        let mut uut = GatherShare::default();
        uut.connect_all();
        let mut random = RandomDrive::new(2);
        let (mut given, mut seen, mut bytes) = ([0u64; 2], [0u64; 2], [0u64; 2]);
        let mut shown = [false; 2];
        for cycle in 0..cycles {
            uut.reset.next = cycle == 0;
            for side in 0..2 {
                shown[side] = cycle > 0 && (shown[side] || random.chance(wants[side], 8));
            }
            uut.send.valid.next = shown[0];
            uut.send.frame.next.tag = bits(given[0]);
            uut.send.frame.next.payload = payload[0].into();
            uut.respond.valid.next = shown[1];
            uut.respond.frame.next.tag = bits(1 << 31 | given[1]);
            uut.respond.frame.next.payload = payload[1].into();
            uut.job.ready.next = cycle > 0 && random.chance(3, 4);
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            let took = [uut.send.ready.val() && shown[0], uut.respond.ready.val() && shown[1]];
            if cycle > 0 && uut.job.valid.val() && uut.job.ready.val() {
                let tag = uut.job.frame.val().tag.to_u64();
                let side = (tag >> 31) as usize;
                assert_eq!(tag & 0x7FFF_FFFF, seen[side], "order");
                seen[side] += 1;
                bytes[side] += payload[side] + 64;
            }
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
            for side in 0..2 {
                given[side] += u64::from(took[side]);
                shown[side] &= !took[side];
            }
        }
        bytes
    }

    #[test]
    fn t63_busy_sides_have_equal_bytes_whatever_their_frames() {
        for payload in [[0, 0], [4096, 64], [64, 4096], [256, 1024]] {
            let [sent, answered] = shares(6000, payload, [8, 8]);
            assert!(sent.abs_diff(answered) <= 2 * 4160, "{payload:?}: {sent} and {answered}");
            assert!(sent > 50_000, "{sent}");
        }
    }

    #[test]
    fn t63_a_side_that_wanted_nothing_has_no_claim_on_the_past() {
        let [sent, answered] = shares(6000, [4096, 4096], [8, 1]);
        // The rare side waits for one frame at most: it gets all it asks for, and the other one the rest.
        assert!(answered > 1_000_000 && sent > answered, "{sent} and {answered}");
    }
}
