//! The TLP bridge: TLP streams and their sideband below, the core's ports above.
use super::bar_access::BarAccess;
use super::interrupt::Interrupt;
use super::limits::SizeLimits;
use super::read_completion::ReadCompletion;
use super::read_request::ReadRequest;
use super::receive::TlpReceive;
use super::records::{OwedPiece, TlpHeader};
use super::registers::BridgeRegisters;
use super::transmit::TlpTransmit;
use super::write_request::WriteRequest;
use crate::widgets::*;
use rust_hdl::prelude::*;

/// Bridge between PCIe TLPs and the core.
///
/// The lower side offers no room for RCB: RD3 takes completions of any split, and BA3 sends none that could be split.
#[derive(LogicBlock)]
pub struct Bridge {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Reset, synchronous: forgets all TLPs, tags and interrupts; masks all vectors.
    pub reset: Signal<In, Bit>,
    /// TLPs from the host, in PCIe wire order, byte 0 in `tdata[7:0]`; `tuser` in the last beat marks a damaged one.
    pub sink: AxiStreamSubordinate<64, 8>,
    /// BARs that the TLP hits, one bit each; looked at in the second beat, where the address stands. Only BAR0 exists.
    pub bar_hit: Signal<In, Bits<3>>,
    /// The bridge can take another non-posted request; up to five more may follow (`rx_np_ok` of a hard block).
    pub nonposted_room: Signal<Out, Bit>,
    /// TLPs to the host.
    pub source: AxiStreamManager<64, 8>,
    /// The lower side can take a non-posted request (TO3); looked at when one is about to start.
    pub nonposted_ok: Signal<In, Bit>,
    /// Requester and completer id (IR3).
    pub device_id: Signal<In, Bits<16>>,
    /// MPS as in Device Control: 0 = 128 bytes, 1 = 256, from 2 on 512.
    pub mps: Signal<In, Bits<3>>,
    /// MRRS, likewise.
    pub mrrs: Signal<In, Bits<3>>,
    /// Memory requests are allowed.
    pub bus_master_enable: Signal<In, Bit>,
    /// There is a link.
    pub link_up: Signal<In, Bit>,
    /// All read tags are retired (RD7).
    pub fatal: Signal<Out, Bit>,
    /// A TLP was malformed (TL6).
    pub malformed: Signal<Out, Bit>,
    /// To the core's `s_axil`.
    pub registers: AxiLiteManager,
    /// From the read channels of the core's `m_axi`.
    pub read: AxiReadSubordinate<64>,
    /// From its write channels.
    pub write: AxiWriteSubordinate<64, 8>,
    /// Interrupt request of the core.
    pub irq_valid: Signal<In, Bit>,
    /// It is taken.
    pub irq_ready: Signal<Out, Bit>,
    /// Its vector.
    pub irq_vector: Signal<In, Bits<5>>,
    limits: SizeLimits,
    receive: TlpReceive,
    bar: BarAccess,
    own: BridgeRegisters,
    request: ReadRequest,
    completion: ReadCompletion,
    writes: WriteRequest,
    interrupt: Interrupt,
    transmit: TlpTransmit,
    master: DFF<Bit>,
    strobes: Signal<Local, Bits<4>>,
    status: Signal<Local, Bits<3>>,
    pulses: Signal<Local, Bits<8>>,
}

impl Bridge {
    /// Bridge whose reads fail after `timeout` cycles without their completions (RD7).
    pub fn new(timeout: u64) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            sink: Default::default(),
            bar_hit: Default::default(),
            nonposted_room: Default::default(),
            source: Default::default(),
            nonposted_ok: Default::default(),
            device_id: Default::default(),
            mps: Default::default(),
            mrrs: Default::default(),
            bus_master_enable: Default::default(),
            link_up: Default::default(),
            fatal: Default::default(),
            malformed: Default::default(),
            registers: Default::default(),
            read: Default::default(),
            write: Default::default(),
            irq_valid: Default::default(),
            irq_ready: Default::default(),
            irq_vector: Default::default(),
            limits: Default::default(),
            receive: Default::default(),
            bar: Default::default(),
            own: Default::default(),
            request: Default::default(),
            completion: ReadCompletion::new(timeout),
            writes: Default::default(),
            interrupt: Default::default(),
            transmit: Default::default(),
            master: Default::default(),
            strobes: Default::default(),
            status: Default::default(),
            pulses: Default::default(),
        }
    }
}

impl Logic for Bridge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, master);
        clock!(self, clock, limits, receive, bar, own, request, completion, writes, interrupt, transmit);
        self.receive.reset.next = self.reset.val();
        self.bar.reset.next = self.reset.val();
        self.own.reset.next = self.reset.val();
        self.request.reset.next = self.reset.val();
        self.completion.reset.next = self.reset.val();
        self.writes.reset.next = self.reset.val();
        self.interrupt.reset.next = self.reset.val();
        self.transmit.reset.next = self.reset.val();
        self.limits.mps.next = self.mps.val();
        self.limits.mrrs.next = self.mrrs.val();
        self.receive.device_id.next = self.device_id.val();
        self.bar.device_id.next = self.device_id.val();
        self.request.device_id.next = self.device_id.val();
        self.writes.device_id.next = self.device_id.val();
        self.interrupt.device_id.next = self.device_id.val();
        self.master.d.next = self.bus_master_enable.val() & self.link_up.val();
        self.request.enabled.next = self.master.q.val();
        self.completion.enabled.next = self.master.q.val();
        self.writes.enabled.next = self.master.q.val();
        self.interrupt.enabled.next = self.master.q.val();

        // What comes.
        AxiStreamSubordinate::<64, 8>::link(&mut self.sink, &mut self.receive.stream);
        self.receive.bar_hit.next = self.bar_hit.val().get_bit(0);
        self.receive.payload_dwords.next = self.limits.payload_dwords.val();
        self.receive.read_dwords.next = self.limits.read_dwords.val();
        self.receive.write_room.next = self.bar.write_room.val();
        self.receive.request_room.next = self.bar.request_room.val();
        self.nonposted_room.next = self.bar.request_room.val();
        self.bar.payload.next = self.receive.payload.val();
        self.bar.payload_valid.next = self.receive.write_payload.val();
        self.bar.commit.next = self.receive.write_commit.val();
        self.bar.revert.next = self.receive.write_revert.val();
        self.bar.write.next = self.receive.write.val();
        self.bar.request_valid.next = self.receive.request_valid.val();
        self.bar.request.next = self.receive.request.val();
        self.completion.head.next = self.receive.head.val();
        self.completion.begins.next = self.receive.begins.val();
        self.completion.is_completion.next = self.receive.is_completion.val();
        self.completion.payload.next = self.receive.payload.val();
        self.completion.completion_valid.next = self.receive.completion_valid.val();

        // Registers: the core's, and the bridge's own.
        AxiLiteManager::link(&mut self.registers, &mut self.bar.core);
        self.own.start.next = self.bar.own_start.val();
        self.own.write.next = self.bar.own_write.val();
        self.own.address.next = self.bar.own_address.val();
        self.strobes.next = self.bar.own_strobes.val();
        self.own.whole.next = self.strobes.val().all();
        self.bar.own_done.next = self.own.done.val();
        self.bar.own_response.next = self.own.response.val();
        self.bar.own_value.next = self.own.value.val();
        self.interrupt.write.next = self.own.table_write.val();
        self.interrupt.read.next = self.own.table_read.val();
        self.interrupt.index.next = self.own.table_index.val();
        self.interrupt.write_word.next = self.own.table_word.val();
        self.interrupt.data.next = self.bar.own_data.val();
        self.own.address_low.next = self.interrupt.address_low.val();
        self.own.address_high.next = self.interrupt.address_high.val();
        self.own.message.next = self.interrupt.message.val();
        self.own.masks.next = self.interrupt.masks.val();
        self.own.pending.next = self.interrupt.pending.val();

        // The core's reads.
        self.request.fatal.next = self.completion.fatal.val();
        self.request.read_beats.next = self.limits.read_beats.val();
        self.request.arid.next = self.read.arid.val();
        self.request.araddr.next = self.read.araddr.val();
        self.request.arlen.next = self.read.arlen.val();
        self.request.arvalid.next = self.read.arvalid.val();
        self.read.arready.next = self.request.arready.val();
        self.request.free.next = self.completion.free.val();
        self.request.free_tag.next = self.completion.free_tag.val();
        self.completion.start.next = self.request.start.val();
        self.completion.start_address.next = self.request.start_address.val();
        self.completion.start_bytes.next = self.request.start_bytes.val();
        ChannelSource::<OwedPiece>::join(&mut self.request.owed, &mut self.completion.owed);
        self.read.rid.next = self.completion.rid.val();
        self.read.rdata.next = self.completion.rdata.val();
        self.read.rresp.next = self.completion.rresp.val();
        self.read.rlast.next = self.completion.rlast.val();
        self.read.rvalid.next = self.completion.rvalid.val();
        self.completion.rready.next = self.read.rready.val();

        // Its writes and interrupts.
        AxiWriteSubordinate::<64, 8>::link(&mut self.write, &mut self.writes.bus);
        self.writes.payload_beats.next = self.limits.payload_beats.val();
        self.interrupt.irq_valid.next = self.irq_valid.val();
        self.interrupt.irq_vector.next = self.irq_vector.val();
        self.irq_ready.next = self.interrupt.irq_ready.val();

        // What goes.
        ChannelSource::<TlpHeader>::join(&mut self.writes.header, &mut self.transmit.posted[0]);
        ChannelSource::<TlpHeader>::join(&mut self.bar.answer, &mut self.transmit.posted[1]);
        ChannelSource::<TlpHeader>::join(&mut self.interrupt.header, &mut self.transmit.posted[2]);
        ChannelSource::<Bits<64>>::join(&mut self.writes.payload, &mut self.transmit.writes);
        ChannelSource::<Bits<64>>::join(&mut self.bar.answer_data, &mut self.transmit.answers);
        ChannelSource::<Bits<32>>::join(&mut self.interrupt.payload, &mut self.transmit.messages);
        ChannelSource::<TlpHeader>::join(&mut self.request.header, &mut self.transmit.request);
        self.transmit.nonposted_ok.next = self.nonposted_ok.val();
        self.transmit.link_up.next = self.link_up.val();
        AxiStreamManager::<64, 8>::link(&mut self.source, &mut self.transmit.stream);

        // Status and counters, bits as in `rnic_abi::link::bridge`.
        self.fatal.next = self.completion.fatal.val();
        self.malformed.next = self.receive.malformed.val();
        self.status.next = 0.into();
        if self.completion.fatal.val() {
            self.status.next = self.status.val() | 1;
        }
        if self.link_up.val() {
            self.status.next = self.status.val() | 2;
        }
        if self.bus_master_enable.val() {
            self.status.next = self.status.val() | 4;
        }
        self.own.status.next = self.status.val();
        self.pulses.next = 0.into();
        if self.receive.malformed.val() {
            self.pulses.next = self.pulses.val() | 1;
        }
        if self.receive.unsupported.val() {
            self.pulses.next = self.pulses.val() | 2;
        }
        if self.receive.poisoned.val() {
            self.pulses.next = self.pulses.val() | 4;
        }
        if self.receive.too_long.val() {
            self.pulses.next = self.pulses.val() | 8;
        }
        if self.bar.refused.val() {
            self.pulses.next = self.pulses.val() | 16;
        }
        if self.completion.unexpected.val() {
            self.pulses.next = self.pulses.val() | 32;
        }
        if self.completion.timeout.val() {
            self.pulses.next = self.pulses.val() | 64;
        }
        if self.writes.hole.val() {
            self.pulses.next = self.pulses.val() | 128;
        }
        self.own.pulses.next = self.pulses.val();
    }
}
