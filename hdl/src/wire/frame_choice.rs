//! Which frame is built next: one of headers only, or one with payload (T63).
//!
//! Acknowledgements and other answers without payload go first, but at most every second frame while others wait. So they wait
//! for what is complete in the builder, which is as much as its store holds, and for at most one payload that has begun to
//! come (T109).
//!
//! No register: a frame is offered only in the cycle in which it is taken, so that an offer never changes (I7).
use super::TxFrame;
use crate::widgets::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

/// Two sources of frames into one builder, whose `ready` must not depend on `valid`.
#[derive(LogicBlock, Default)]
pub struct FrameChoice {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Nobody had the last turn.
    pub reset: Signal<In, Bit>,
    /// Frames without payload that go first.
    pub control: ChannelSink<TxFrame>,
    /// All others.
    pub data: ChannelSink<TxFrame>,
    /// To the builder.
    pub source: ChannelSource<TxFrame>,
    after_control: DFF<Bit>,
    answer: Signal<Local, TxFrame>,
    first: Signal<Local, Bit>,
    some: Signal<Local, Bit>,
}

impl Logic for FrameChoice {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, after_control);
        self.first.next = self.control.valid.val() & !(self.after_control.q.val() & self.data.valid.val());
        self.some.next = (self.control.valid.val() | self.data.valid.val()) & self.source.ready.val();
        self.source.valid.next = self.some.val();
        self.answer.next = self.control.data.val();
        self.source.data.next = self.data.data.val();
        self.control.ready.next = false;
        self.data.ready.next = self.source.ready.val();
        if self.first.val() {
            // Answers without payload have none of the other fields in their headers: less to choose.
            self.source.data.next.qp = self.answer.val().qp;
            self.source.data.next.opcode = self.answer.val().opcode;
            self.source.data.next.solicited = self.answer.val().solicited;
            self.source.data.next.ack_request = self.answer.val().ack_request;
            self.source.data.next.psn = self.answer.val().psn;
            self.source.data.next.swap = self.answer.val().swap;
            self.source.data.next.syndrome = self.answer.val().syndrome;
            self.source.data.next.msn = self.answer.val().msn;
            self.source.data.next.payload = 0.into();
            self.source.data.next.tag = self.answer.val().tag;
            self.control.ready.next = self.source.ready.val();
            self.data.ready.next = false;
        }
        if self.some.val() {
            self.after_control.d.next = self.first.val();
        }
        if self.reset.val() {
            self.after_control.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::RandomDrive;

    /// Which side the frames come from, one character each: `c` control, `d` data, when the sides have something to send with
    /// these chances out of eight. Every frame must arrive once and in the order of its side.
    fn order(cycles: usize, wants: [u32; 2]) -> String {
        let mut uut = FrameChoice::default();
        uut.connect_all();
        let mut random = RandomDrive::new(7);
        let (mut given, mut seen, mut shown) = ([0u64; 2], [0u64; 2], [false; 2]);
        let mut order = String::new();
        for cycle in 0..cycles {
            uut.reset.next = cycle == 0;
            for side in 0..2 {
                shown[side] = cycle > 0 && (shown[side] || random.chance(wants[side], 8));
            }
            uut.control.valid.next = shown[0];
            uut.control.data.next.tag = bits(given[0]);
            uut.data.valid.next = shown[1];
            uut.data.data.next.tag = bits(1 << 31 | given[1]);
            uut.source.ready.next = cycle > 0 && random.chance(1, 3);
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            assert!(!uut.source.valid.val() || uut.source.ready.val(), "an offer that is not taken");
            if cycle > 0 && uut.source.valid.val() {
                let tag = uut.source.data.val().tag.to_u64();
                let side = (tag >> 31) as usize;
                assert_eq!(tag & 0x7FFF_FFFF, seen[side], "order of side {side}");
                seen[side] += 1;
                order.push(['c', 'd'][side]);
            }
            let took = [uut.control.ready.val() && shown[0], uut.data.ready.val() && shown[1]];
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
            for side in 0..2 {
                given[side] += u64::from(took[side]);
                shown[side] &= !took[side];
            }
            assert_eq!(given, seen, "a frame that was taken went on at once");
        }
        order
    }

    #[test]
    fn t63_answers_have_at_most_every_second_frame_while_others_wait() {
        let order = order(900, [8, 8]);
        assert!(order.len() > 250 && !order.contains("cc") && !order.contains("dd"), "{order}");
    }

    #[test]
    fn t63_an_answer_waits_for_one_frame_at_most() {
        let order = order(3000, [1, 8]);
        assert!(!order.contains("cc") && order.matches('c').count() > 150, "{order}");
    }

    #[test]
    fn t63_one_side_alone_has_the_builder() {
        assert!(order(300, [8, 0]).len() > 80);
        assert!(order(300, [0, 8]).len() > 80);
    }
}
