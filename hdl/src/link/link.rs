//! Device side of TLPs over Ethernet: frames of the MAC below, the TLP bridge above.
use super::ack_keeper::AckKeeper;
use super::counters::LinkCounters;
use super::keep_alive::KeepAlive;
use super::limit_keeper::LimitKeeper;
use super::notice_keeper::NoticeKeeper;
use super::receive::Receive;
use super::records::{FrameHead, OpenBody, Verdict};
use super::session::Session;
use super::ticker::Ticker;
use super::transmit::Transmit;
use crate::widgets::{AxiStreamManager, AxiStreamSubordinate};
use rnic_abi::link::frame;
use rust_hdl::prelude::*;

/// What a board decides about its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkSetup {
    /// MAC address; the first byte on the wire is the most significant of 48 bits (rule LK4).
    pub address: u64,
    /// Build id that BEACON and OPENED tell.
    pub build: u32,
    /// Cycles a microsecond (rule HO9).
    pub ticks_per_us: u64,
    /// Milliseconds between two BEACONs; 1000 on boards.
    pub beacon_ms: u64,
    /// TLPs that may wait for their ack, at most 32; 32 on boards.
    pub window: u64,
    /// First sequence number and first count of credits; 0 on boards, other values let tests reach the wrap.
    pub first: u16,
}

impl LinkSetup {
    /// A board whose MAC address ends with `low`, with a core clock of `ticks_per_us` MHz.
    pub fn board(low: u16, build: u32, ticks_per_us: u64) -> Self {
        let prefix = u32::from_be_bytes(frame::DEVICE_MAC_PREFIX);
        let address = (prefix as u64) << 16 | low as u64;
        let (beacon_ms, window) = (frame::BEACON_MS.into(), frame::WINDOW as u64);
        Self { address, build, ticks_per_us, beacon_ms, window, first: 0 }
    }
}

/// Link between the MAC and the TLP bridge.
#[derive(LogicBlock)]
pub struct Link {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Reset, synchronous, at least 4 cycles: no session, all buffers empty, counters 0.
    pub reset: Signal<In, Bit>,
    /// Frames received by the MAC, without FCS; `tuser` in the last beat marks a bad one.
    pub rx: AxiStreamSubordinate<64, 8>,
    /// Frames for the MAC, which pads them and adds the FCS.
    pub tx: AxiStreamManager<64, 8>,
    /// TLPs of the bridge (its `source`).
    pub from_bridge: AxiStreamSubordinate<64, 8>,
    /// TLPs for the bridge (its `sink`).
    pub to_bridge: AxiStreamManager<64, 8>,
    /// BARs that the TLP hits, with its second beat.
    pub bar_hit: Signal<Out, Bits<3>>,
    /// The bridge takes another non-posted request.
    pub nonposted_room: Signal<In, Bit>,
    /// The bridge may start a non-posted request.
    pub nonposted_ok: Signal<Out, Bit>,
    /// Requester and completer id of the device (IR3).
    pub device_id: Signal<Out, Bits<16>>,
    /// MPS of the session, as in Device Control.
    pub mps: Signal<Out, Bits<3>>,
    /// MRRS of the session, likewise.
    pub mrrs: Signal<Out, Bits<3>>,
    /// There is a session: the bridge may be master, and has a link.
    pub link_up: Signal<Out, Bit>,
    /// Resets core and bridge: before a session, and after it.
    pub session_reset: Signal<Out, Bit>,
    /// Something went wrong on the line in this cycle: for a LED (CK4).
    pub trouble: Signal<Out, Bit>,
    /// Counter to show, as `rnic_abi::link::frame` numbers them;
    pub counter: Signal<In, Bits<4>>,
    /// its value, one cycle later.
    pub count: Signal<Out, Bits<16>>,
    ticker: Ticker,
    receive: Receive,
    transmit: Transmit,
    acks: AckKeeper,
    posted: LimitKeeper,
    nonposted: LimitKeeper,
    session: Session,
    alive: KeepAlive,
    notices: NoticeKeeper,
    counters: LinkCounters,
    verdict: Signal<Local, Verdict>,
    head: Signal<Local, FrameHead>,
    settings: Signal<Local, OpenBody>,
    clear: Signal<Local, Bit>,
    events: Signal<Local, Bits<12>>,
    skipped: Signal<Local, Bit>,
}

impl Link {
    /// Link of a board.
    pub fn new(setup: LinkSetup) -> Self {
        let LinkSetup { address, build, ticks_per_us, beacon_ms, window, first } = setup;
        Self {
            clock: Default::default(),
            reset: Default::default(),
            rx: Default::default(),
            tx: Default::default(),
            from_bridge: Default::default(),
            to_bridge: Default::default(),
            bar_hit: Default::default(),
            nonposted_room: Default::default(),
            nonposted_ok: Default::default(),
            device_id: Default::default(),
            mps: Default::default(),
            mrrs: Default::default(),
            link_up: Default::default(),
            session_reset: Default::default(),
            trouble: Default::default(),
            counter: Default::default(),
            count: Default::default(),
            ticker: Ticker::new(ticks_per_us),
            receive: Receive::new(address),
            transmit: Transmit::new(address, build, first, window),
            acks: AckKeeper::new(first),
            posted: LimitKeeper::new(first, frame::DEVICE_POSTED),
            nonposted: LimitKeeper::new(first, frame::DEVICE_NONPOSTED),
            session: Default::default(),
            alive: KeepAlive::new(beacon_ms),
            notices: Default::default(),
            counters: Default::default(),
            verdict: Default::default(),
            head: Default::default(),
            settings: Default::default(),
            clear: Default::default(),
            events: Default::default(),
            skipped: Default::default(),
        }
    }
}

impl Logic for Link {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ticker, receive, transmit, acks, posted, nonposted, session, alive, notices, counters);
        self.clear.next = self.session.clear.val() | self.reset.val();
        self.ticker.reset.next = self.reset.val();
        self.receive.reset.next = self.reset.val();
        self.receive.clear.next = self.clear.val();
        self.transmit.reset.next = self.reset.val();
        self.transmit.clear.next = self.clear.val();
        self.acks.reset.next = self.clear.val();
        self.posted.reset.next = self.clear.val();
        self.nonposted.reset.next = self.clear.val();
        self.session.reset.next = self.reset.val();
        self.notices.reset.next = self.reset.val();
        self.counters.reset.next = self.reset.val();

        // The streams.
        AxiStreamSubordinate::<64, 8>::link(&mut self.rx, &mut self.receive.frames);
        AxiStreamManager::<64, 8>::link(&mut self.tx, &mut self.transmit.frames);
        AxiStreamSubordinate::<64, 8>::link(&mut self.from_bridge, &mut self.transmit.tlps);
        AxiStreamManager::<64, 8>::link(&mut self.to_bridge, &mut self.receive.tlps);
        self.bar_hit.next = self.receive.bar_hit.val();
        self.receive.nonposted_room.next = self.nonposted_room.val();
        self.nonposted_ok.next = self.transmit.nonposted_ok.val();

        // The session.
        self.verdict.next = self.receive.verdict.val();
        self.head.next = self.receive.head.val();
        self.settings.next = self.session.parameters.val();
        self.session.verdict.next = self.verdict.val();
        self.session.head.next = self.head.val();
        self.session.fields.next = self.receive.fields.val();
        self.session.lost.next = self.transmit.lost.val() | self.alive.lost.val();
        self.session.idle.next = self.transmit.idle.val();
        self.session.opened_taken.next = self.transmit.opened_taken.val();
        self.alive.millisecond.next = self.ticker.millisecond.val();
        self.alive.open.next = self.session.open.val();
        self.alive.listening.next = self.session.listening.val();
        self.alive.keep_alive.next = self.settings.val().keep_alive;
        self.alive.heard.next = self.verdict.val().valid | self.verdict.val().reopens;
        self.alive.told.next = self.transmit.told.val();
        self.alive.beacon_taken.next = self.transmit.beacon_taken.val();
        self.notices.microsecond.next = self.ticker.microsecond.val();
        self.notices.verdict.next = self.verdict.val();
        self.notices.head.next = self.head.val();
        self.notices.ended.next = self.session.ended.val();
        self.notices.overran.next = self.session.overran.val();
        self.notices.session.next = self.session.number.val();
        self.notices.peer.next = self.session.peer.val();
        self.notices.taken.next = self.transmit.notice_taken.val();
        self.device_id.next = self.settings.val().device_id;
        self.mps.next = self.settings.val().mps;
        self.mrrs.next = self.settings.val().mrrs;
        self.link_up.next = self.session.open.val();
        self.session_reset.next = self.session.session_reset.val();

        // What the host sends: accepted, acknowledged, limited.
        self.receive.hold.next = self.session.hold.val();
        self.receive.listening.next = self.session.listening.val();
        self.receive.open.next = self.session.open.val();
        self.receive.session.next = self.session.number.val();
        self.receive.replaced.next = self.session.replaced.val();
        self.receive.peer.next = self.session.peer.val();
        self.receive.bar.next = self.settings.val().bar;
        self.receive.expected.next = self.acks.expected.val();
        self.receive.oldest.next = self.transmit.oldest.val();
        self.receive.highest.next = self.transmit.highest.val();
        self.receive.posted_full.next = self.posted.full.val();
        self.receive.nonposted_full.next = self.nonposted.full.val();
        self.acks.microsecond.next = self.ticker.microsecond.val();
        self.acks.accepted.next = self.verdict.val().accepted;
        // LK15: a question is answered at once.
        self.acks.answer.next = self.verdict.val().duplicate | (self.verdict.val().valid & self.head.val().tells);
        self.acks.gap.next = self.verdict.val().gap;
        self.acks.told.next = self.transmit.told.val();
        self.acks.told_nak.next = self.transmit.told_nak.val();
        self.posted.accepted.next = self.receive.posted.val();
        self.posted.skipped.next = self.receive.posted_skipped.val();
        self.posted.taken.next = self.receive.posted_taken.val();
        self.posted.told.next = self.transmit.told.val();
        self.nonposted.accepted.next = self.receive.nonposted.val();
        self.nonposted.skipped.next = self.receive.nonposted_skipped.val();
        self.nonposted.taken.next = self.receive.nonposted_taken.val();
        self.nonposted.told.next = self.transmit.told.val();

        // What this end sends.
        self.transmit.microsecond.next = self.ticker.microsecond.val();
        self.transmit.listening.next = self.session.listening.val();
        self.transmit.open.next = self.session.open.val();
        self.transmit.session.next = self.session.number.val();
        self.transmit.peer.next = self.session.peer.val();
        self.transmit.mps.next = self.settings.val().mps;
        self.transmit.mrrs.next = self.settings.val().mrrs;
        self.transmit.load.next = self.verdict.val().opens;
        self.transmit.update.next = self.verdict.val().valid;
        self.transmit.ack.next = self.head.val().ack;
        self.transmit.nak.next = self.verdict.val().nak;
        self.transmit.posted_limit.next = self.head.val().posted_limit;
        self.transmit.nonposted_limit.next = self.head.val().nonposted_limit;
        self.transmit.own_ack.next = self.acks.expected.val();
        self.transmit.own_posted.next = self.posted.limit.val();
        self.transmit.own_nonposted.next = self.nonposted.limit.val();
        self.transmit.nak_due.next = self.acks.nak_due.val();
        self.transmit.ack_due.next =
            self.acks.ack_due.val() | self.posted.grown.val() | self.nonposted.grown.val() | self.alive.due.val();
        self.transmit.notice_due.next = self.notices.due.val();
        self.transmit.notice.next = self.notices.notice.val();
        self.transmit.opened_due.next = self.session.opened_due.val();
        self.transmit.beacon_due.next = self.alive.beacon_due.val();

        // Counters, bits as in `rnic_abi::link::frame`.
        self.skipped.next = self.receive.posted_skipped.val() | self.receive.nonposted_skipped.val();
        self.events.next = 0.into();
        self.events.next = self.events.val().replace_bit(0, self.verdict.val().unsound);
        self.events.next = self.events.val().replace_bit(1, self.verdict.val().stray);
        self.events.next = self.events.val().replace_bit(2, self.verdict.val().outside);
        self.events.next = self.events.val().replace_bit(3, self.verdict.val().duplicate);
        self.events.next = self.events.val().replace_bit(4, self.verdict.val().gap);
        self.events.next = self.events.val().replace_bit(5, self.verdict.val().no_room);
        self.events.next = self.events.val().replace_bit(6, self.skipped.val());
        self.events.next = self.events.val().replace_bit(7, self.verdict.val().nak);
        self.events.next = self.events.val().replace_bit(8, self.transmit.timeout.val());
        self.events.next = self.events.val().replace_bit(9, self.transmit.resent.val());
        self.events.next = self.events.val().replace_bit(10, self.verdict.val().opens);
        self.events.next = self.events.val().replace_bit(11, self.session.ended.val());
        self.counters.pulses.next = self.events.val();
        self.counters.index.next = self.counter.val();
        self.count.next = self.counters.value.val();
        self.trouble.next =
            self.verdict.val().unsound | self.verdict.val().gap | self.verdict.val().nak | self.transmit.timeout.val();
    }
}
