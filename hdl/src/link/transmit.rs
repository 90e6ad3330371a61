//! Transmit side: TLPs in, frames out, each TLP until it is acknowledged.
use super::credit_gate::CreditGate;
use super::frame_send::FrameSend;
use super::records::{ClassedBeat, Notice, SendOrder, TlpBeat};
use super::retry_store::RetryStore;
use super::retry_window::RetryWindow;
use super::tlp_admit::TlpAdmit;
use super::tlp_sort::TlpSort;
use super::transmit_choose::TransmitChoose;
use crate::widgets::{AxiStreamManager, AxiStreamSubordinate, ChannelSource};
use rnic_abi::link::bridge::MAX_PAYLOAD;
use rust_hdl::prelude::*;

/// Transmit side of the link.
#[derive(LogicBlock)]
pub struct Transmit {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub reset: Signal<In, Bit>,
    /// Empties the buffers: between two sessions, when no frame is leaving.
    pub clear: Signal<In, Bit>,
    /// One cycle every microsecond.
    pub microsecond: Signal<In, Bit>,
    /// TLPs of the bridge.
    pub tlps: AxiStreamSubordinate<64, 8>,
    /// The bridge may start another request.
    pub nonposted_ok: Signal<Out, Bit>,
    /// There is no session, one may begin.
    pub listening: Signal<In, Bit>,
    /// There is a session,
    pub open: Signal<In, Bit>,
    /// with this number,
    pub session: Signal<In, Bits<32>>,
    /// this host,
    pub peer: Signal<In, Bits<48>>,
    /// this MPS
    pub mps: Signal<In, Bits<3>>,
    /// and this MRRS.
    pub mrrs: Signal<In, Bits<3>>,
    /// The limits of the host are its first.
    pub load: Signal<In, Bit>,
    /// A valid frame of the session has come,
    pub update: Signal<In, Bit>,
    /// with this ack;
    pub ack: Signal<In, Bits<16>>,
    /// it is a NAK.
    pub nak: Signal<In, Bit>,
    /// Posted TLPs that may have been sent.
    pub posted_limit: Signal<In, Bits<16>>,
    /// Non-posted ones.
    pub nonposted_limit: Signal<In, Bits<16>>,
    /// Next sequence number expected,
    pub own_ack: Signal<In, Bits<16>>,
    /// posted limit
    pub own_posted: Signal<In, Bits<16>>,
    /// and non-posted limit of this end.
    pub own_nonposted: Signal<In, Bits<16>>,
    /// They are leaving in a frame of the session,
    pub told: Signal<Out, Bit>,
    /// a NAK.
    pub told_nak: Signal<Out, Bit>,
    /// A NAK is due.
    pub nak_due: Signal<In, Bit>,
    /// An ACK is due.
    pub ack_due: Signal<In, Bit>,
    /// There is a notice,
    pub notice_due: Signal<In, Bit>,
    /// this one;
    pub notice: Signal<In, Notice>,
    /// it leaves.
    pub notice_taken: Signal<Out, Bit>,
    /// OPENED is due;
    pub opened_due: Signal<In, Bit>,
    /// it leaves.
    pub opened_taken: Signal<Out, Bit>,
    /// A BEACON is due;
    pub beacon_due: Signal<In, Bit>,
    /// it leaves.
    pub beacon_taken: Signal<Out, Bit>,
    /// Oldest sequence number that is not acknowledged.
    pub oldest: Signal<Out, Bits<16>>,
    /// Next sequence number to be sent for the first time.
    pub highest: Signal<Out, Bits<16>>,
    /// Nothing is under way.
    pub idle: Signal<Out, Bit>,
    /// A resend begins for want of progress.
    pub timeout: Signal<Out, Bit>,
    /// A TLP is sent again.
    pub resent: Signal<Out, Bit>,
    /// The host does not acknowledge.
    pub lost: Signal<Out, Bit>,
    /// Frames for the MAC.
    pub frames: AxiStreamManager<64, 8>,
    sort: TlpSort,
    admit: TlpAdmit,
    posted_gate: CreditGate,
    nonposted_gate: CreditGate,
    store: RetryStore,
    window: RetryWindow,
    choose: TransmitChoose,
    send: FrameSend,
    asks: DFF<Bit>,
}

impl Transmit {
    /// Transmit side of the device with this MAC address and build id; sequence numbers and credits begin with `first`, and
    /// at most `window` TLPs wait for their ack.
    pub fn new(address: u64, build: u32, first: u16, window: u64) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clear: Default::default(),
            microsecond: Default::default(),
            tlps: Default::default(),
            nonposted_ok: Default::default(),
            listening: Default::default(),
            open: Default::default(),
            session: Default::default(),
            peer: Default::default(),
            mps: Default::default(),
            mrrs: Default::default(),
            load: Default::default(),
            update: Default::default(),
            ack: Default::default(),
            nak: Default::default(),
            posted_limit: Default::default(),
            nonposted_limit: Default::default(),
            own_ack: Default::default(),
            own_posted: Default::default(),
            own_nonposted: Default::default(),
            told: Default::default(),
            told_nak: Default::default(),
            nak_due: Default::default(),
            ack_due: Default::default(),
            notice_due: Default::default(),
            notice: Default::default(),
            notice_taken: Default::default(),
            opened_due: Default::default(),
            opened_taken: Default::default(),
            beacon_due: Default::default(),
            beacon_taken: Default::default(),
            oldest: Default::default(),
            highest: Default::default(),
            idle: Default::default(),
            timeout: Default::default(),
            resent: Default::default(),
            lost: Default::default(),
            frames: Default::default(),
            sort: Default::default(),
            admit: Default::default(),
            posted_gate: CreditGate::new(first),
            nonposted_gate: CreditGate::new(first),
            // Header of 4 DW and the largest payload.
            store: RetryStore::new(window, 2 + MAX_PAYLOAD as u64 / 8),
            window: RetryWindow::new(first),
            choose: Default::default(),
            send: FrameSend::new(address, build),
            asks: Default::default(),
        }
    }
}

impl Logic for Transmit {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, asks);
        clock!(self, clock, sort, admit, posted_gate, nonposted_gate, store, window, send);
        self.sort.reset.next = self.clear.val();
        self.admit.reset.next = self.clear.val();
        self.posted_gate.reset.next = self.clear.val();
        self.nonposted_gate.reset.next = self.clear.val();
        self.store.reset.next = self.clear.val();
        self.window.reset.next = self.clear.val();
        self.send.reset.next = self.reset.val();
        self.posted_gate.microsecond.next = self.microsecond.val();
        self.nonposted_gate.microsecond.next = self.microsecond.val();
        self.window.microsecond.next = self.microsecond.val();
        // TLPs, as far as their credit goes, into the retry buffer.
        AxiStreamSubordinate::<64, 8>::link(&mut self.tlps, &mut self.sort.axis);
        self.nonposted_ok.next = self.sort.nonposted_ok.val();
        ChannelSource::<ClassedBeat>::join(&mut self.sort.direct, &mut self.admit.direct);
        ChannelSource::<ClassedBeat>::join(&mut self.sort.requests, &mut self.admit.requests);
        self.admit.open.next = self.open.val();
        self.admit.room.next = self.store.room.val();
        self.admit.posted_credit.next = self.posted_gate.credit.val();
        self.admit.nonposted_credit.next = self.nonposted_gate.credit.val();
        self.posted_gate.sent.next = self.admit.posted_sent.val();
        self.posted_gate.waits.next = self.admit.posted_waits.val();
        self.posted_gate.load.next = self.load.val();
        self.posted_gate.update.next = self.update.val();
        self.posted_gate.limit.next = self.posted_limit.val();
        self.nonposted_gate.sent.next = self.admit.nonposted_sent.val();
        self.nonposted_gate.waits.next = self.admit.nonposted_waits.val();
        self.nonposted_gate.load.next = self.load.val();
        self.nonposted_gate.update.next = self.update.val();
        self.nonposted_gate.limit.next = self.nonposted_limit.val();
        self.store.beat.next = self.admit.beat.val();
        self.store.write.next = self.admit.write.val();
        self.store.entry.next = self.window.entry.val();
        self.store.oldest.next = self.window.oldest.val();
        self.window.stored.next = self.store.stored.val();
        self.window.update.next = self.update.val();
        self.window.ack.next = self.ack.val();
        self.window.nak.next = self.nak.val();
        // The next frame.
        self.choose.listening.next = self.listening.val();
        self.choose.open.next = self.open.val();
        self.choose.session.next = self.session.val();
        self.choose.peer.next = self.peer.val();
        self.choose.notice_due.next = self.notice_due.val();
        self.choose.notice.next = self.notice.val();
        self.notice_taken.next = self.choose.notice_taken.val();
        self.choose.opened_due.next = self.opened_due.val();
        self.opened_taken.next = self.choose.opened_taken.val();
        self.choose.beacon_due.next = self.beacon_due.val();
        self.beacon_taken.next = self.choose.beacon_taken.val();
        self.choose.nak_due.next = self.nak_due.val();
        self.choose.ack_due.next = self.ack_due.val();
        self.choose.ask_due.next = self.asks.q.val();
        self.choose.tlp_due.next = self.window.pending.val();
        self.choose.again.next = self.window.again.val();
        self.choose.cursor.next = self.window.cursor.val();
        self.choose.highest.next = self.window.highest.val();
        if self.choose.ask_taken.val() {
            self.asks.d.next = false;
        }
        if self.posted_gate.starved.val() | self.nonposted_gate.starved.val() {
            self.asks.d.next = true;
        }
        if self.clear.val() {
            self.asks.d.next = false;
        }
        self.window.sent.next = self.choose.tlp_taken.val();
        self.store.start.next = self.choose.tlp_taken.val();
        self.store.cursor.next = self.window.cursor.val();
        ChannelSource::<SendOrder>::join(&mut self.choose.order, &mut self.send.order);
        ChannelSource::<TlpBeat>::join(&mut self.store.source, &mut self.send.tlp);
        self.send.dwords.next = self.store.dwords.val();
        self.send.ack.next = self.own_ack.val();
        self.send.posted_limit.next = self.own_posted.val();
        self.send.nonposted_limit.next = self.own_nonposted.val();
        self.send.mps.next = self.mps.val();
        self.send.mrrs.next = self.mrrs.val();
        self.told.next = self.send.told.val();
        self.told_nak.next = self.send.told_nak.val();
        self.idle.next = self.send.idle.val();
        self.oldest.next = self.window.oldest.val();
        self.highest.next = self.window.highest.val();
        self.timeout.next = self.window.timeout.val();
        self.resent.next = self.choose.tlp_taken.val() & self.window.again.val();
        self.lost.next = self.window.lost.val();
        AxiStreamManager::<64, 8>::link(&mut self.frames, &mut self.send.axis);
    }
}
