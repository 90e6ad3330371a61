//! The BAR: registers, counters, admin mailbox, doorbells, time, and the reset of the core.
//!
//! An access is never held up by the bus to host memory (rule BA4). Its own registers go back to reset values when a reset
//! begins, and can be written again from then on.
use super::access::AccessSequencer;
use super::counters::Counters;
use super::doorbells::Doorbells;
use super::event_registers::EventRegisters;
use super::fan::AdminFan;
use super::front::Front;
use super::identity::Identity;
use super::mailbox::Mailbox;
use super::own::OwnIdentity;
use super::own_drops::OwnDrops;
use super::raw_registers::RawRegisters;
use super::sequence::ResetSequence;
use super::settings::Settings;
use super::ticks::Ticks;
use super::words::Words;
use crate::raw::RawSettings;
use crate::types::{AdminManager, Doorbell};
use crate::widgets::{AxiLiteSubordinate, ChannelSink, ChannelSource};
use rnic_abi::preset::Preset;
use rust_hdl::prelude::*;

/// Registers and their order to the core.
#[derive(LogicBlock)]
pub struct Bar {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Port reset.
    pub reset: Signal<In, Bit>,
    /// AXI4-Lite.
    pub bus: AxiLiteSubordinate,
    /// Reset of all other subsystems.
    pub core_reset: Signal<Out, Bit>,
    /// Tables clear entry `clear_index`.
    pub clearing: Signal<Out, Bit>,
    /// Entry to clear.
    pub clear_index: Signal<Out, Bits<16>>,
    /// No new bursts and frames.
    pub bus_stop: Signal<Out, Bit>,
    /// Nothing is on the bus, the wire and the interrupt port.
    pub bus_idle: Signal<In, Bit>,
    /// Admin commands of memory regions.
    pub mr: AdminManager,
    /// Admin commands of completion queues.
    pub cq: AdminManager,
    /// Admin commands of queue pairs.
    pub qp: AdminManager,
    /// Doorbells of send queues.
    pub sq_doorbell: ChannelSource<Doorbell>,
    /// Doorbells of receive queues.
    pub rq_doorbell: ChannelSource<Doorbell>,
    /// Doorbells of completion queues.
    pub cq_doorbell: ChannelSource<Doorbell>,
    /// Errors to count.
    pub syndrome: ChannelSink<Bits<8>>,
    /// Drops of the send queues.
    pub sq_drop: ChannelSink<Bits<8>>,
    /// Drops of the receive queues.
    pub rq_drop: ChannelSink<Bits<8>>,
    /// Drops of the completion queues.
    pub cq_drop: ChannelSink<Bits<8>>,
    /// Drops of frames.
    pub frame_drop: ChannelSink<Bits<8>>,
    /// The device cannot go on.
    pub fatal: Signal<In, Bit>,
    /// An event was lost.
    pub event_overflow: Signal<In, Bit>,
    /// An event had no ring to go to, or could not be written.
    pub event_missed: Signal<In, Bit>,
    /// Base of the event ring, 4 KiB units.
    pub event_base: Signal<Out, Bits<40>>,
    /// Log2 of its entries, 0 for no ring.
    pub event_log2: Signal<Out, Bits<4>>,
    /// Events consumed.
    pub event_consumer: Signal<Out, Bits<16>>,
    /// The ring was defined anew.
    pub event_restart: Signal<Out, Bit>,
    /// Low word of the time in ticks (rule T79).
    pub ticks: Signal<Out, Bits<32>>,
    /// All of it.
    pub all_ticks: Signal<Out, Bits<36>>,
    /// WINDOW (rule T18).
    pub window: Signal<Out, Bits<32>>,
    /// Frames are taken.
    pub enable: Signal<Out, Bit>,
    /// Frames to every MAC address are taken.
    pub promiscuous: Signal<Out, Bit>,
    /// Frames without room are dropped instead of held up (T107).
    pub drop_when_full: Signal<Out, Bit>,
    /// MigReq bit of the frames sent (T13).
    pub migreq: Signal<Out, Bit>,
    /// Own MAC address, first byte on the wire in the least significant place.
    pub own_mac: Signal<Out, Bits<48>>,
    /// Own addresses, first byte on the wire in the least significant place.
    pub own_addresses: [Signal<Out, Bits<128>>; 8],
    /// Raw rings: receive, send.
    pub raw_rings: [Signal<Out, RawSettings>; 2],
    /// The base or the size of a raw ring was written.
    pub raw_restarts: [Signal<Out, Bit>; 2],
    front: Front,
    sequencer: AccessSequencer,
    identity: Identity,
    settings: Settings,
    event_registers: EventRegisters,
    stored: Words<64, 6>,
    admin: Mailbox,
    fan: AdminFan,
    counters: Counters,
    own_drops: OwnDrops,
    own: OwnIdentity,
    raw: RawRegisters,
    doorbells: Doorbells,
    timer: Ticks,
    reset_sequence: ResetSequence,
    /// Registered: they reach every block of the core.
    core_reset_kept: DFF<Bit>,
    clearing_kept: DFF<Bit>,
    clear_index_kept: DFF<Bits<16>>,
    identity_value: DFF<Bits<32>>,
    word: Signal<Local, Bits<8>>,
    doorbells_open: Signal<Local, Bit>,
    index: Signal<Local, Bits<10>>,
    misshaped: Signal<Local, Bits<3>>,
    restarts: Signal<Local, Bit>,
    now: Signal<Local, Bits<36>>,
}

impl Bar {
    /// The BAR of a preset at a core clock (kHz); a reset clears `entries` table entries ([`Bar::table_entries`]).
    pub fn new(preset: &Preset, core_khz: u32, entries: usize) -> Self {
        assert!(entries >= 256, "the counters alone have 256 entries");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            bus: Default::default(),
            core_reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            bus_stop: Default::default(),
            bus_idle: Default::default(),
            mr: Default::default(),
            cq: Default::default(),
            qp: Default::default(),
            sq_doorbell: Default::default(),
            rq_doorbell: Default::default(),
            cq_doorbell: Default::default(),
            syndrome: Default::default(),
            sq_drop: Default::default(),
            rq_drop: Default::default(),
            cq_drop: Default::default(),
            frame_drop: Default::default(),
            fatal: Default::default(),
            event_overflow: Default::default(),
            event_missed: Default::default(),
            event_base: Default::default(),
            event_log2: Default::default(),
            event_consumer: Default::default(),
            event_restart: Default::default(),
            ticks: Default::default(),
            all_ticks: Default::default(),
            window: Default::default(),
            enable: Default::default(),
            promiscuous: Default::default(),
            drop_when_full: Default::default(),
            migreq: Default::default(),
            own_mac: Default::default(),
            own_addresses: std::array::from_fn(|_| Default::default()),
            raw_rings: std::array::from_fn(|_| Default::default()),
            raw_restarts: std::array::from_fn(|_| Default::default()),
            front: Default::default(),
            sequencer: AccessSequencer::new(preset),
            identity: Identity::new(preset, core_khz),
            settings: Settings::new(core_khz),
            event_registers: Default::default(),
            stored: Default::default(),
            admin: Default::default(),
            fan: Default::default(),
            counters: Default::default(),
            own_drops: Default::default(),
            own: Default::default(),
            raw: Default::default(),
            doorbells: Default::default(),
            timer: Default::default(),
            reset_sequence: ResetSequence::new(entries),
            core_reset_kept: Default::default(),
            clearing_kept: Default::default(),
            clear_index_kept: Default::default(),
            identity_value: Default::default(),
            word: Default::default(),
            doorbells_open: Default::default(),
            index: Default::default(),
            misshaped: Default::default(),
            restarts: Default::default(),
            now: Default::default(),
        }
    }

    /// Entries of the largest table that a reset clears: counters, MRs, CQs, QPs.
    pub fn table_entries(preset: &Preset) -> usize {
        [256, preset.mr_entries, preset.cqs(), preset.qps].into_iter().max().expect("four") as usize
    }
}

impl Logic for Bar {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, identity_value);
        clock!(self, clock, front, sequencer, settings, event_registers, stored, admin);
        dff_setup!(self, clock, core_reset_kept, clearing_kept, clear_index_kept);
        clock!(self, clock, counters, own_drops, own, raw, doorbells, timer, reset_sequence);
        AxiLiteSubordinate::link(&mut self.bus, &mut self.front.bus);
        AdminManager::join(&mut self.admin.unit, &mut self.fan.unit);
        AdminManager::link(&mut self.mr, &mut self.fan.mr);
        AdminManager::link(&mut self.cq, &mut self.fan.cq);
        AdminManager::link(&mut self.qp, &mut self.fan.qp);
        ChannelSource::<Doorbell>::link(&mut self.sq_doorbell, &mut self.doorbells.sq_doorbell);
        ChannelSource::<Doorbell>::link(&mut self.rq_doorbell, &mut self.doorbells.rq_doorbell);
        ChannelSource::<Doorbell>::link(&mut self.cq_doorbell, &mut self.doorbells.cq_doorbell);
        ChannelSink::<Bits<8>>::link(&mut self.syndrome, &mut self.counters.syndrome);
        ChannelSink::<Bits<8>>::link(&mut self.sq_drop, &mut self.counters.sq_drop);
        ChannelSink::<Bits<8>>::link(&mut self.rq_drop, &mut self.counters.rq_drop);
        ChannelSink::<Bits<8>>::link(&mut self.cq_drop, &mut self.counters.cq_drop);
        ChannelSink::<Bits<8>>::link(&mut self.frame_drop, &mut self.counters.frame_drop);
        ChannelSource::<Bits<8>>::join(&mut self.own_drops.source, &mut self.counters.own_drop);
        // Resets: accesses and counters go on through a reset by register, registers do not.
        self.restarts.next = self.reset.val() | self.settings.begin_reset.val();
        self.front.reset.next = self.reset.val();
        self.sequencer.reset.next = self.reset.val();
        self.counters.reset.next = self.reset.val();
        self.own_drops.reset.next = self.reset.val();
        self.own.reset.next = self.restarts.val();
        self.raw.reset.next = self.restarts.val();
        self.reset_sequence.reset.next = self.reset.val();
        self.settings.reset.next = self.restarts.val();
        self.event_registers.reset.next = self.restarts.val();
        self.stored.reset.next = self.restarts.val();
        self.admin.reset.next = self.restarts.val();
        self.doorbells.reset.next = self.restarts.val();
        self.timer.reset.next = self.restarts.val();
        self.reset_sequence.restart.next = self.settings.begin_reset.val();
        self.reset_sequence.bus_idle.next = self.bus_idle.val();
        self.bus_stop.next = self.reset_sequence.bus_stop.val();
        self.core_reset_kept.d.next = self.reset_sequence.core_reset.val();
        self.clearing_kept.d.next = self.reset_sequence.clearing.val();
        self.clear_index_kept.d.next = self.reset_sequence.clear_index.val();
        self.core_reset.next = self.core_reset_kept.q.val();
        self.clearing.next = self.clearing_kept.q.val();
        self.clear_index.next = self.clear_index_kept.q.val();
        // One access.
        self.sequencer.access.next = self.front.access.val();
        self.sequencer.write.next = self.front.write.val();
        self.sequencer.address.next = self.front.address.val();
        self.sequencer.data.next = self.front.data.val();
        self.sequencer.whole.next = self.front.whole.val();
        self.front.finish.next = self.sequencer.finish.val();
        self.front.response.next = self.sequencer.response.val();
        self.front.answer.next = self.sequencer.answer.val();
        self.word.next = self.front.address.val().get_bits::<8>(2);
        self.index.next = self.sequencer.index.val();
        // Registers.
        self.identity.word.next = self.word.val();
        self.identity_value.d.next = self.identity.out.val();
        self.sequencer.identity_value.next = self.identity_value.q.val();
        self.settings.word.next = self.word.val();
        self.settings.data.next = self.front.data.val();
        self.settings.write.next = self.sequencer.setting_write.val();
        self.settings.ready.next = self.reset_sequence.ready.val();
        self.settings.fatal.next = self.fatal.val();
        self.settings.event_overflow.next = self.event_overflow.val();
        self.event_registers.word.next = self.word.val();
        self.event_registers.data.next = self.front.data.val();
        self.event_registers.write.next = self.sequencer.setting_write.val();
        self.sequencer.setting_value.next = self.settings.out.val() | self.event_registers.out.val();
        self.stored.write.next = self.sequencer.stored_write.val();
        self.stored.write_index.next = self.word.val().get_bits::<6>(0);
        self.stored.read_index.next = self.word.val().get_bits::<6>(0);
        self.stored.data.next = self.front.data.val();
        self.own.write.next = self.sequencer.stored_write.val();
        self.own.word.next = self.word.val();
        self.own.data.next = self.front.data.val();
        self.own_mac.next = self.own.mac.val();
        for i in 0..8 {
            self.own_addresses[i].next = self.own.addresses[i].val();
        }
        self.raw.write.next = self.sequencer.stored_write.val();
        self.raw.word.next = self.word.val();
        self.raw.data.next = self.front.data.val();
        for i in 0..2 {
            self.raw_rings[i].next = self.raw.rings[i].val();
            self.raw_restarts[i].next = self.raw.restarts[i].val();
        }
        self.sequencer.stored_value.next = self.stored.out.val();
        // Mailbox.
        self.admin.ready.next = self.reset_sequence.ready.val();
        self.admin.write.next = self.sequencer.command_write.val();
        self.admin.index.next = self.word.val().get_bits::<5>(0);
        self.admin.data.next = self.front.data.val();
        self.admin.go.next = self.sequencer.go.val();
        self.sequencer.busy.next = self.admin.busy.val();
        self.sequencer.command_value.next = self.admin.command_word.val();
        self.sequencer.answer_value.next = self.admin.answer_word.val();
        self.sequencer.status_value.next = self.admin.status.val();
        // Counters.
        self.counters.clearing.next = self.reset_sequence.clearing.val();
        self.counters.clear_index.next = self.reset_sequence.clear_index.val();
        self.counters.request.next = self.sequencer.counter.val();
        self.counters.clear.next = self.front.write.val();
        self.counters.index.next = self.index.val().get_bits::<8>(0);
        self.sequencer.counter_done.next = self.counters.done.val();
        self.sequencer.counter_value.next = self.counters.out.val();
        // Doorbells.
        self.doorbells_open.next = self.settings.enable.val() & self.reset_sequence.ready.val();
        self.doorbells.enable.next = self.doorbells_open.val();
        self.doorbells.send.next = self.sequencer.send.val();
        self.doorbells.receive.next = self.sequencer.receive.val();
        self.doorbells.completion.next = self.sequencer.completion.val();
        self.doorbells.index.next = self.index.val();
        self.doorbells.value.next = self.front.data.val();
        self.sequencer.doorbell_done.next = self.doorbells.done.val();
        self.misshaped.next = self.doorbells.misshaped.val();
        self.own_drops.dropped.next = bit_cast::<6, 1>(self.doorbells.disabled.val().into())
            | (bit_cast::<6, 3>(self.misshaped.val()) << 1)
            | (bit_cast::<6, 1>(self.event_overflow.val().into()) << 4)
            | (bit_cast::<6, 1>(self.event_missed.val().into()) << 5);
        // Time, and what the core reads.
        self.timer.tick.next = self.settings.tick.val();
        self.timer.restart.next = self.settings.tick_written.val();
        self.now.next = self.timer.now.val();
        self.ticks.next = bit_cast::<32, 36>(self.now.val());
        self.all_ticks.next = self.now.val();
        self.window.next = self.settings.window.val();
        self.enable.next = self.doorbells_open.val();
        self.promiscuous.next = self.settings.promiscuous.val();
        self.drop_when_full.next = self.settings.drop_when_full.val();
        self.migreq.next = self.settings.migreq.val();
        self.event_base.next = self.event_registers.base.val();
        self.event_log2.next = self.event_registers.log2.val();
        self.event_consumer.next = self.event_registers.consumer.val();
        self.event_restart.next = self.event_registers.restart.val();
    }
}
