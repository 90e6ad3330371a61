//! The raw rings: everything on the wire that is not for a queue pair, both ways (T95, T96). Only links.
//!
//! ```text
//!  frames ─► receive ─► jobs ─► (placer) ─┬─► write share ─► host memory
//!               │  └─ notes ─► write back ┘        ▲
//!          descriptors ◄─ read share ◄─┐     write back
//!                                      │           ▲ notes
//!          descriptors ─► send ────────┴───────────┴──► wire
//! ```
use super::{
    RawDescriptor, RawDescriptors, RawNote, RawReadShare, RawReceive, RawSend, RawSettings, RawWriteBack, RawWriteShare,
};
use crate::types::{ReadClient, WriteClient, WriteServer};
use crate::widgets::{ChannelSink, ChannelSource, Merge};
use crate::wire::{FrameSource, PlaceJob, RxFrame};
use rust_hdl::prelude::*;

/// Raw rings on a bus of DATA bits (STRB bytes); 2^A beats for a frame to send.
#[derive(LogicBlock, Default)]
pub struct RawRings<const DATA: usize, const STRB: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything; only while no access of host memory is on its way.
    pub reset: Signal<In, Bit>,
    /// Descriptors are taken.
    pub enable: Signal<In, Bit>,
    /// The receive ring.
    pub receive_ring: Signal<In, RawSettings>,
    /// Its base or size has been written.
    pub receive_restart: Signal<In, Bit>,
    /// The send ring.
    pub send_ring: Signal<In, RawSettings>,
    /// Its base or size has been written.
    pub send_restart: Signal<In, Bit>,
    /// Received frames.
    pub frame: ChannelSink<RxFrame>,
    /// Their jobs for the placer.
    pub job: ChannelSource<PlaceJob>,
    /// Writes of the placer.
    pub placed: WriteServer<DATA>,
    /// The bytes of the oldest frame are in memory,
    pub landed: Signal<In, Bit>,
    /// or not all of them.
    pub landed_failed: Signal<In, Bit>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    /// Frames for the wire.
    pub source: FrameSource<DATA>,
    /// Reads (AXI id 5).
    pub read: ReadClient<DATA>,
    /// Writes (AXI id 5).
    pub write: WriteClient<DATA>,
    receive_descriptors: RawDescriptors<DATA>,
    receive: RawReceive,
    receive_back: RawWriteBack<DATA>,
    send_descriptors: RawDescriptors<DATA>,
    send: RawSend<DATA, STRB, A>,
    send_back: RawWriteBack<DATA>,
    reads: RawReadShare<DATA, 3>,
    writes: RawWriteShare<DATA, 3>,
    drops: Merge<Bits<8>, 3, 2>,
}

impl<const DATA: usize, const STRB: usize, const A: usize> Logic for RawRings<DATA, STRB, A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            receive_descriptors,
            receive,
            receive_back,
            send_descriptors,
            send,
            send_back,
            reads,
            writes,
            drops
        );
        self.receive_descriptors.reset.next = self.reset.val();
        self.receive.reset.next = self.reset.val();
        self.receive_back.reset.next = self.reset.val();
        self.send_descriptors.reset.next = self.reset.val();
        self.send.reset.next = self.reset.val();
        self.send_back.reset.next = self.reset.val();
        self.reads.reset.next = self.reset.val();
        self.writes.reset.next = self.reset.val();
        self.drops.reset.next = self.reset.val();
        // Receive.
        self.receive_descriptors.enable.next = self.enable.val();
        self.receive_descriptors.ring.next = self.receive_ring.val();
        self.receive_descriptors.restart.next = self.receive_restart.val();
        ChannelSource::<RawDescriptor>::join(&mut self.receive_descriptors.source, &mut self.receive.descriptor);
        self.receive.empty.next = self.receive_descriptors.empty.val();
        ChannelSink::<RxFrame>::link(&mut self.frame, &mut self.receive.frame);
        ChannelSource::<PlaceJob>::link(&mut self.job, &mut self.receive.job);
        ChannelSource::<Bits<8>>::join(&mut self.receive.drop, &mut self.drops.sinks[0]);
        ChannelSource::<Bits<8>>::join(&mut self.receive_back.drop, &mut self.drops.sinks[1]);
        ChannelSource::<Bits<8>>::join(&mut self.send_back.drop, &mut self.drops.sinks[2]);
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.drops.source);
        ChannelSource::<RawNote>::join(&mut self.receive.note, &mut self.receive_back.note);
        self.receive_back.landed.next = self.landed.val();
        self.receive_back.landed_failed.next = self.landed_failed.val();
        // Send.
        self.send_descriptors.enable.next = self.enable.val();
        self.send_descriptors.ring.next = self.send_ring.val();
        self.send_descriptors.restart.next = self.send_restart.val();
        ChannelSource::<RawDescriptor>::join(&mut self.send_descriptors.source, &mut self.send.descriptor);
        FrameSource::<DATA>::link(&mut self.source, &mut self.send.source);
        ChannelSource::<RawNote>::join(&mut self.send.note, &mut self.send_back.note);
        self.send_back.landed.next = false;
        self.send_back.landed_failed.next = false;
        // Host memory.
        ReadClient::<DATA>::join(&mut self.receive_descriptors.read, &mut self.reads.clients[0]);
        ReadClient::<DATA>::join(&mut self.send_descriptors.read, &mut self.reads.clients[1]);
        ReadClient::<DATA>::join(&mut self.send.read, &mut self.reads.clients[2]);
        ReadClient::<DATA>::link(&mut self.read, &mut self.reads.read);
        WriteServer::<DATA>::link(&mut self.placed, &mut self.writes.clients[0]);
        WriteClient::<DATA>::join(&mut self.receive_back.write, &mut self.writes.clients[1]);
        WriteClient::<DATA>::join(&mut self.send_back.write, &mut self.writes.clients[2]);
        WriteClient::<DATA>::link(&mut self.write, &mut self.writes.write);
    }
}
