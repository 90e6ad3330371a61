//! Watches the silence of both ends (rule LK11), and the time between BEACONs.
use rust_hdl::prelude::*;

/// Timers of milliseconds. A count of n is n - 1 to n milliseconds long, so this end is never heard too late; loss is declared
/// one millisecond later, so never too early.
#[derive(LogicBlock)]
pub struct KeepAlive {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// One cycle every millisecond.
    pub millisecond: Signal<In, Bit>,
    /// There is a session: time runs for the two ends.
    pub open: Signal<In, Bit>,
    /// There is none: time runs for BEACON.
    pub listening: Signal<In, Bit>,
    /// Milliseconds of silence that end a session; 0 = never.
    pub keep_alive: Signal<In, Bits<16>>,
    /// A valid frame of the session has come.
    pub heard: Signal<In, Bit>,
    /// A frame of the session is leaving.
    pub told: Signal<In, Bit>,
    /// BEACON leaves.
    pub beacon_taken: Signal<In, Bit>,
    /// The host has been silent for too long.
    pub lost: Signal<Out, Bit>,
    /// This end must be heard: ACK.
    pub due: Signal<Out, Bit>,
    /// BEACON is due.
    pub beacon_due: Signal<Out, Bit>,
    silence: DFF<Bits<16>>,
    quiet: DFF<Bits<16>>,
    since: DFF<Bits<10>>,
    dead: DFF<Bit>,
    calls: DFF<Bit>,
    shows: DFF<Bit>,
    share: Signal<Local, Bits<16>>,
    after: Signal<Local, Bits<16>>,
    lives: Signal<Local, Bit>,
    last: Constant<Bits<10>>,
}

impl KeepAlive {
    /// With a BEACON every `beacon` milliseconds, at most 1024.
    pub fn new(beacon: u64) -> Self {
        assert!((1..=1024).contains(&beacon), "a BEACON every {beacon} ms");
        Self {
            clock: Default::default(),
            millisecond: Default::default(),
            open: Default::default(),
            listening: Default::default(),
            keep_alive: Default::default(),
            heard: Default::default(),
            told: Default::default(),
            beacon_taken: Default::default(),
            lost: Default::default(),
            due: Default::default(),
            beacon_due: Default::default(),
            silence: Default::default(),
            quiet: Default::default(),
            since: Default::default(),
            dead: Default::default(),
            calls: Default::default(),
            shows: Default::default(),
            share: Default::default(),
            after: Default::default(),
            lives: Default::default(),
            last: Constant::new(bits(beacon - 1)),
        }
    }
}

impl Logic for KeepAlive {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, silence, quiet, since, dead, calls, shows);
        self.lives.next = self.open.val() & self.keep_alive.val().any();
        self.share.next = bit_cast::<16, 14>(self.keep_alive.val().get_bits::<14>(2));
        self.after.next = self.quiet.q.val() + 1;
        self.dead.d.next = false;
        if self.millisecond.val() {
            self.silence.d.next = self.silence.q.val() + 1;
            self.dead.d.next = self.silence.q.val() == self.keep_alive.val();
            self.quiet.d.next = self.after.val();
            if self.after.val() >= self.share.val() {
                self.calls.d.next = true;
            }
            if self.since.q.val() == self.last.val() {
                self.since.d.next = 0.into();
                self.shows.d.next = true;
            } else {
                self.since.d.next = self.since.q.val() + 1;
            }
        }
        if self.heard.val() | !self.lives.val() {
            self.silence.d.next = 0.into();
            self.dead.d.next = false;
        }
        if self.told.val() | !self.lives.val() {
            self.quiet.d.next = 0.into();
            self.calls.d.next = false;
        }
        if self.beacon_taken.val() {
            self.shows.d.next = false;
        }
        if !self.listening.val() {
            self.since.d.next = 0.into();
            self.shows.d.next = false;
        }
        self.lost.next = self.dead.q.val();
        self.due.next = self.calls.q.val();
        self.beacon_due.next = self.shows.q.val();
    }
}
