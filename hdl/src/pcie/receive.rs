//! TLPs from the lower side: parse, judge, sort.
//!
//! One beat a cycle; a header is judged two cycles behind its second beat, and its payload shown from the same cycle on, so
//! that nothing has to be stored before it is known where it belongs. Everything is speculative until `finish`; what is
//! malformed ends without `good` and leaves no trace but a count. Rules TL2, TL3, TL4, TL6, TL7, TL8, TO4, BA2.
use super::receive_decode::ReceiveDecode;
use super::receive_frame::ReceiveFrame;
use super::receive_sort::ReceiveSort;
use super::records::{BarRequest, BarWrite, PayloadBeat, StreamBeat, TlpHead};
use crate::widgets::{AxiStreamSubordinate, ChannelSource, Stage};
use rust_hdl::prelude::*;

/// Receiver of TLPs.
#[derive(LogicBlock, Default)]
pub struct TlpReceive {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what it holds.
    pub reset: Signal<In, Bit>,
    /// TLPs; `tuser` in the last beat marks a damaged one.
    pub stream: AxiStreamSubordinate<64, 8>,
    /// BAR0 is hit; looked at in the second beat of a TLP, where the address stands.
    pub bar_hit: Signal<In, Bit>,
    /// Requester id of the bridge.
    pub device_id: Signal<In, Bits<16>>,
    /// Largest payload in DW.
    pub payload_dwords: Signal<In, Bits<11>>,
    /// Largest read in DW.
    pub read_dwords: Signal<In, Bits<11>>,
    /// The largest BAR write has room.
    pub write_room: Signal<In, Bit>,
    /// A request has room.
    pub request_room: Signal<In, Bit>,
    /// Payload of the TLP under way.
    pub payload: Signal<Out, PayloadBeat>,
    /// It is payload of a BAR write.
    pub write_payload: Signal<Out, Bit>,
    /// The BAR write has ended and counts.
    pub write_commit: Signal<Out, Bit>,
    /// The TLP has ended and no BAR write counts.
    pub write_revert: Signal<Out, Bit>,
    /// The BAR write.
    pub write: Signal<Out, BarWrite>,
    /// A request has ended and counts.
    pub request_valid: Signal<Out, Bit>,
    /// The request.
    pub request: Signal<Out, BarRequest>,
    /// Header of the TLP under way.
    pub head: Signal<Out, TlpHead>,
    /// A TLP begins.
    pub begins: Signal<Out, Bit>,
    /// It is a completion.
    pub is_completion: Signal<Out, Bit>,
    /// A completion has ended and counts.
    pub completion_valid: Signal<Out, Bit>,
    /// A TLP was malformed.
    pub malformed: Signal<Out, Bit>,
    /// A posted TLP was not for the bridge.
    pub unsupported: Signal<Out, Bit>,
    /// A write was poisoned.
    pub poisoned: Signal<Out, Bit>,
    /// A write was too long.
    pub too_long: Signal<Out, Bit>,
    stage: Stage<StreamBeat>,
    frame: ReceiveFrame,
    decode: ReceiveDecode,
    sort: ReceiveSort,
    judged: DFF<TlpHead>,
    opened: DFF<Bit>,
    beat: DFF<PayloadBeat>,
    ended: DFF<Bit>,
    right: DFF<Bit>,
}

impl Logic for TlpReceive {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, judged, opened, beat, ended, right);
        clock!(self, clock, stage, frame);
        self.stage.reset.next = self.reset.val();
        self.frame.reset.next = self.reset.val();
        self.stage.sink.data.next.data = self.stream.tdata.val();
        self.stage.sink.data.next.half = !self.stream.tkeep.val().get_bit(4);
        self.stage.sink.data.next.last = self.stream.tlast.val();
        self.stage.sink.data.next.hits = self.bar_hit.val();
        self.stage.sink.data.next.broken = self.stream.tuser.val();
        self.stage.sink.valid.next = self.stream.tvalid.val();
        self.stream.tready.next = self.stage.sink.ready.val();
        ChannelSource::<StreamBeat>::join(&mut self.stage.source, &mut self.frame.beat);
        self.frame.write_room.next = self.write_room.val();
        self.frame.request_room.next = self.request_room.val();
        for i in 0..4 {
            self.decode.dw[i].next = self.frame.dw[i].val();
        }
        self.decode.hits.next = self.frame.hits.val();
        self.decode.device_id.next = self.device_id.val();
        self.decode.payload_dwords.next = self.payload_dwords.val();
        self.decode.read_dwords.next = self.read_dwords.val();
        if self.frame.begins.val() {
            self.judged.d.next = self.decode.head.val();
        }
        self.opened.d.next = self.frame.begins.val();
        self.beat.d.next = self.frame.payload.val();
        self.ended.d.next = self.frame.finish.val();
        self.right.d.next = self.frame.agrees.val();
        self.sort.head.next = self.judged.q.val();
        self.sort.finish.next = self.ended.q.val();
        self.sort.agrees.next = self.right.q.val();
        if self.reset.val() {
            self.opened.d.next = false;
            self.ended.d.next = false;
        }
        self.payload.next = self.beat.q.val();
        self.head.next = self.judged.q.val();
        self.begins.next = self.opened.q.val();
        self.write_payload.next = self.sort.write_payload.val();
        self.write_commit.next = self.sort.write_commit.val();
        self.write_revert.next = self.sort.write_revert.val();
        self.write.next = self.sort.write.val();
        self.request_valid.next = self.sort.request_valid.val();
        self.request.next = self.sort.request.val();
        self.is_completion.next = self.sort.is_completion.val();
        self.completion_valid.next = self.sort.completion_valid.val();
        self.malformed.next = self.sort.malformed.val();
        self.unsupported.next = self.sort.unsupported.val();
        self.poisoned.next = self.sort.poisoned.val();
        self.too_long.next = self.sort.too_long.val();
    }
}
