//! One gather for the frames of the send queues and of the responder, fair by bytes (T63).
//!
//! While both want it, the side goes that has had fewer bytes; a side that wanted nothing earns no more than one largest
//! frame. Both stay in their own order.
//!
//! No register: a frame is offered only in the cycle in which it is taken, so that an offer never changes (I7).
use super::{GatherSink, GatherSource};
use crate::wire::{Span, TxFrame};
use rust_hdl::prelude::*;

/// Two sources of frames with payload into one gather, whose `ready` must not depend on `valid`.
#[derive(LogicBlock, Default)]
pub struct GatherShare {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Nobody has had more than the other.
    pub reset: Signal<In, Bit>,
    /// Frames of the send queues.
    pub send: GatherSink,
    /// Frames of the responder.
    pub respond: GatherSink,
    /// All frames.
    pub job: GatherSource,
    /// Bytes that the send queues have had more than the responder, 2^14 added.
    lead: DFF<Bits<15>>,
    cost: Signal<Local, Bits<15>>,
    higher: Signal<Local, Bits<15>>,
    lower: Signal<Local, Bits<15>>,
    answer: Signal<Local, TxFrame>,
    whence: Signal<Local, Span>,
    respond_next: Signal<Local, Bit>,
    takes_respond: Signal<Local, Bit>,
    takes_send: Signal<Local, Bit>,
}

impl Logic for GatherShare {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, lead);
        self.respond_next.next = self.respond.valid.val() & (self.lead.q.val().get_bit(14) | !self.send.valid.val());
        // A response lies in SGE 0, and its headers have none of the fields that are left out: less to choose.
        self.answer.next = self.respond.frame.val();
        self.whence.next = self.respond.span.val();
        self.job.frame.next = self.send.frame.val();
        self.job.span.next = self.send.span.val();
        if self.respond_next.val() {
            self.job.frame.next.qp = self.answer.val().qp;
            self.job.frame.next.opcode = self.answer.val().opcode;
            self.job.frame.next.solicited = self.answer.val().solicited;
            self.job.frame.next.ack_request = self.answer.val().ack_request;
            self.job.frame.next.psn = self.answer.val().psn;
            self.job.frame.next.syndrome = self.answer.val().syndrome;
            self.job.frame.next.msn = self.answer.val().msn;
            self.job.frame.next.payload = self.answer.val().payload;
            self.job.frame.next.tag = self.answer.val().tag;
            self.job.span.next.address0 = self.whence.val().address0;
            self.job.span.next.length0 = self.whence.val().length0;
            self.job.span.next.key0 = self.whence.val().key0;
            self.job.span.next.length1 = 0.into();
            self.job.span.next.length2 = 0.into();
            self.job.span.next.length3 = 0.into();
            self.job.span.next.skip = self.whence.val().skip;
            self.job.span.next.bytes = self.whence.val().bytes;
            self.job.span.next.pd = self.whence.val().pd;
            self.job.span.next.need = self.whence.val().need;
            self.job.span.next.remote = self.whence.val().remote;
            self.job.span.next.privileged = self.whence.val().privileged;
            self.job.span.next.same_generation = self.whence.val().same_generation;
            self.job.span.next.generation = self.whence.val().generation;
        }
        self.takes_respond.next = self.respond_next.val() & self.job.ready.val();
        self.takes_send.next = self.send.valid.val() & !self.respond_next.val() & self.job.ready.val();
        self.job.valid.next = self.takes_respond.val() | self.takes_send.val();
        self.respond.ready.next = self.takes_respond.val();
        self.send.ready.next = self.takes_send.val();
        // Headers, gaps and ICRC count as 64 bytes, so that frames without payload are not free.
        self.cost.next = bit_cast::<15, 13>(self.respond.frame.val().payload) + 64;
        if self.takes_send.val() {
            self.cost.next = bit_cast::<15, 13>(self.send.frame.val().payload) + 64;
        }
        self.higher.next = self.lead.q.val() + self.cost.val();
        self.lower.next = self.lead.q.val() - self.cost.val();
        if self.takes_send.val() {
            self.lead.d.next = self.higher.val();
            if self.higher.val() > 20544 {
                self.lead.d.next = 20544.into();
            }
        }
        if self.takes_respond.val() {
            self.lead.d.next = self.lower.val();
            if self.lower.val() < 12224 {
                self.lead.d.next = 12224.into();
            }
        }
        if self.reset.val() {
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
