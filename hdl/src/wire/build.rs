//! Frame builder: frames with their payload become beats for the wire, ICRC included.
//!
//! Store and forward: a frame is offered only when it is complete (T107), and then without a gap; a frame whose payload
//! fails vanishes (E14). About 25 cycles from a frame without payload to its first beat.
//!
//! One beat a cycle, and at most two frames every seven cycles (header generator). At 512 bits a WRITE of 64 bytes takes
//! three and a half cycles, four if its payload comes in two beats; a frame of 4 KiB takes as many cycles as it has beats.
use super::headers::HeaderGenerator;
use super::icrc::Icrc;
use super::icrc_mask::IcrcMask;
use super::pack::Packer;
use super::pack_sequence::PackMark;
use super::send::{FrameEnd, FrameSend};
use super::store::{FrameStore, STORE_SLACK};
use super::stream::{BeatStage, FrameSource};
use super::{TxFrame, WirePath};
use crate::types::{PayloadMark, PayloadSink};
use crate::widgets::{ChannelSink, Delay, SlackFifo};
use rust_hdl::prelude::*;

/// Frames under way in a builder at most.
const FRAMES: u64 = 28;

/// Builder for beats of DATA bits (STRB bytes), 2^QA queue pairs, with a store of 2^A beats.
///
/// The store needs room for the longest frame, 4,224 bytes, and 8 beats; a builder without payload for 112 bytes and 8 beats.
#[derive(LogicBlock)]
pub struct FrameBuilder<const DATA: usize, const STRB: usize, const QA: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all frames; the paths stay.
    pub reset: Signal<In, Bit>,
    /// Frames to build.
    pub frame: ChannelSink<TxFrame>,
    /// Payload of the frames that have any (`payload` not 0), in their order.
    pub payload: PayloadSink<DATA>,
    /// Writes a path: enable,
    pub path_write: Signal<In, Bit>,
    /// queue pair,
    pub path_index: Signal<In, Bits<QA>>,
    /// path. Frames that are taken later have it.
    pub path_row: Signal<In, WirePath>,
    /// Own MAC address, first byte on the wire in the least significant place.
    pub own_mac: Signal<In, Bits<48>>,
    /// Own addresses, first byte on the wire in the least significant place.
    pub own_addresses: [Signal<In, Bits<128>>; 8],
    /// Value of the MigReq bit.
    pub migreq: Signal<In, Bit>,
    /// The frames for the wire.
    pub source: FrameSource<DATA>,
    /// A frame is complete in the store or has failed; frames are told in order, one a cycle.
    pub done: Signal<Out, Bit>,
    /// Tag of that frame.
    pub done_tag: Signal<Out, Bits<32>>,
    /// It has failed.
    pub done_failed: Signal<Out, Bit>,
    headers: HeaderGenerator<STRB, QA>,
    stage: BeatStage<PayloadMark, DATA>,
    packer: Packer<DATA, STRB>,
    mask: IcrcMask<DATA, STRB>,
    icrc: Icrc<DATA, STRB>,
    store: FrameStore<DATA, A>,
    ends: SlackFifo<FrameEnd, 5, 2>,
    send: FrameSend<DATA>,
    marks: Delay<PackMark, 8>,
    ending: DFF<Bits<8>>,
    checked: DFF<Bit>,
    checked_first: DFF<Bit>,
    checked_last: DFF<Bit>,
    checked_count: DFF<Bits<7>>,
    crc: DFF<Bits<32>>,
    frames: DFF<Bits<5>>,
    pack_mark: Signal<Local, PackMark>,
    emits: Signal<Local, Bit>,
    checks: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    ended: Signal<Local, PackMark>,
    ends_now: Signal<Local, Bit>,
    fails_now: Signal<Local, Bit>,
    sent: Signal<Local, Bit>,
    entry: Signal<Local, FrameEnd>,
    arrived: Signal<Local, Bits<5>>,
    gone: Signal<Local, Bits<5>>,
    most: Constant<Bits<5>>,
    lanes: Constant<Bits<7>>,
}

impl<const DATA: usize, const STRB: usize, const QA: usize, const A: usize> Default
    for FrameBuilder<DATA, STRB, QA, A>
{
    fn default() -> Self {
        assert!((1 << A) * STRB >= 112 + STORE_SLACK * STRB, "store of {} beats of {STRB} bytes", 1 << A);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            frame: Default::default(),
            payload: Default::default(),
            path_write: Default::default(),
            path_index: Default::default(),
            path_row: Default::default(),
            own_mac: Default::default(),
            own_addresses: std::array::from_fn(|_| Default::default()),
            migreq: Default::default(),
            source: Default::default(),
            done: Default::default(),
            done_tag: Default::default(),
            done_failed: Default::default(),
            headers: Default::default(),
            stage: Default::default(),
            packer: Default::default(),
            mask: Default::default(),
            icrc: Default::default(),
            store: Default::default(),
            ends: Default::default(),
            send: Default::default(),
            marks: Default::default(),
            ending: Default::default(),
            checked: Default::default(),
            checked_first: Default::default(),
            checked_last: Default::default(),
            checked_count: Default::default(),
            crc: Default::default(),
            frames: Default::default(),
            pack_mark: Default::default(),
            emits: Default::default(),
            checks: Default::default(),
            leaves: Default::default(),
            ended: Default::default(),
            ends_now: Default::default(),
            fails_now: Default::default(),
            sent: Default::default(),
            entry: Default::default(),
            arrived: Default::default(),
            gone: Default::default(),
            most: Constant::new(bits(FRAMES)),
            lanes: Constant::new(bits(STRB as u64)),
        }
    }
}

impl<const DATA: usize, const STRB: usize, const QA: usize, const A: usize> Logic for FrameBuilder<DATA, STRB, QA, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ending, checked, checked_first, checked_last, checked_count, crc, frames);
        clock!(self, clock, headers, stage, packer, mask, icrc, store, ends, send, marks);
        self.headers.reset.next = self.reset.val();
        self.stage.reset.next = self.reset.val();
        self.packer.reset.next = self.reset.val();
        self.icrc.reset.next = self.reset.val();
        self.store.reset.next = self.reset.val();
        self.ends.reset.next = self.reset.val();
        self.send.reset.next = self.reset.val();
        ChannelSink::<TxFrame>::link(&mut self.frame, &mut self.headers.frame);
        self.headers.path_write.next = self.path_write.val();
        self.headers.path_index.next = self.path_index.val();
        self.headers.path_row.next = self.path_row.val();
        self.headers.own_mac.next = self.own_mac.val();
        self.headers.migreq.next = self.migreq.val();
        for i in 0..8 {
            self.headers.own_addresses[i].next = self.own_addresses[i].val();
        }
        self.stage.data_in.next = self.payload.data.val();
        self.stage.mark_in.next = self.payload.mark.val();
        self.stage.valid_in.next = self.payload.valid.val();
        self.payload.ready.next = self.stage.ready_in.val();
        self.packer.payload.data.next = self.stage.data_out.val();
        self.packer.payload.mark.next = self.stage.mark_out.val();
        self.packer.payload.valid.next = self.stage.valid_out.val();
        self.stage.ready_out.next = self.packer.payload.ready.val();
        self.packer.header.data.next = self.headers.header.data.val();
        self.packer.header.valid.next = self.headers.header.valid.val();
        self.headers.header.ready.next = self.packer.header.ready.val();
        self.packer.room.next = !self.store.crowded.val();
        self.packer.room_for_frame.next = self.frames.q.val() < self.most.val();

        // Beats into the store and, masked, into the ICRC engine.
        self.pack_mark.next = self.packer.mark.val();
        self.emits.next = self.packer.active.val() & self.pack_mark.val().emits;
        self.store.write.next = self.emits.val();
        self.store.data.next = self.packer.beat.val();
        self.store.complete.next = self.pack_mark.val().complete;
        self.store.fails.next = self.packer.active.val() & self.pack_mark.val().fails;
        self.checks.next = self.packer.active.val() & self.pack_mark.val().checked;
        self.mask.valid.next = self.checks.val();
        self.mask.first.next = self.pack_mark.val().first;
        self.mask.has_tag.next = self.pack_mark.val().tagged;
        self.mask.ipv6.next = self.pack_mark.val().ipv6;
        self.mask.beat.next = self.packer.beat.val();
        self.checked.d.next = self.checks.val();
        self.checked_first.d.next = self.pack_mark.val().first;
        self.checked_last.d.next = self.pack_mark.val().checked_last;
        self.checked_count.d.next = self.lanes.val();
        if self.pack_mark.val().checked_last {
            self.checked_count.d.next = bit_cast::<7, 6>(self.pack_mark.val().lane);
        }
        self.icrc.beat.next = self.mask.masked.val();
        self.icrc.start.next = self.mask.start.val();
        self.icrc.valid.next = self.checked.q.val();
        self.icrc.first.next = self.checked_first.q.val();
        self.icrc.last.next = self.checked_last.q.val();
        self.icrc.count.next = self.checked_count.q.val();
        if self.icrc.crc_valid.val() {
            self.crc.d.next = self.icrc.crc.val();
        }

        // Eight cycles later the ICRC of the frame is in its register.
        self.marks.d.next = self.pack_mark.val();
        self.leaves.next = self.packer.active.val() & (self.pack_mark.val().complete | self.pack_mark.val().fails);
        self.ending.d.next = (self.ending.q.val() << 1) | bit_cast::<8, 1>(self.leaves.val().into());
        self.ended.next = self.marks.q.val();
        self.ends_now.next = self.ending.q.val().get_bit(7);
        self.fails_now.next = self.ends_now.val() & self.ended.val().fails;
        self.entry.next.icrc = self.crc.q.val();
        self.entry.next.beats = self.ended.val().beats;
        self.entry.next.straddles = self.ended.val().straddles;
        self.entry.next.lane = self.ended.val().lane;
        self.entry.next.count = self.ended.val().count;
        self.ends.data.next = self.entry.val();
        self.ends.write.next = self.ends_now.val() & !self.ended.val().fails;
        self.done.next = self.ends_now.val();
        self.done_tag.next = self.ended.val().tag;
        self.done_failed.next = self.ended.val().fails;

        // Out.
        self.send.complete.data.next = self.ends.source.data.val();
        self.send.complete.valid.next = self.ends.source.valid.val();
        self.ends.source.ready.next = self.send.complete.ready.val();
        self.sent.next = self.ends.source.valid.val() & self.send.complete.ready.val();
        self.store.read.next = self.send.read.val();
        self.send.data.next = self.store.out.val();
        FrameSource::<DATA>::link(&mut self.source, &mut self.send.frame);
        self.arrived.next = self.frames.q.val() + bit_cast::<5, 1>(self.packer.starts.val().into());
        self.gone.next = bit_cast::<5, 1>(self.sent.val().into()) + bit_cast::<5, 1>(self.fails_now.val().into());
        self.frames.d.next = self.arrived.val() - self.gone.val();
        if self.reset.val() {
            self.ending.d.next = 0.into();
            self.checked.d.next = false;
            self.frames.d.next = 0.into();
        }
    }
}

#[cfg(test)]
#[path = "build_bench.rs"]
mod bench;
#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
