//! What a link leaves behind besides the state of its session.

use crate::counters::Counters;
use crate::event::{Events, LinkEvent};
use crate::frame::Dropped;
use crate::interrupt::Pending;

/// Counters, events and interrupts.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub counters: Counters,
    pub events: Events,
    pub interrupts: Pending,
}

impl Log {
    /// A frame that is dropped unread (LK2).
    pub(crate) fn dropped(&mut self, why: Dropped) {
        let counters = &mut self.counters;
        *match why {
            Dropped::Short => &mut counters.short_frames,
            Dropped::Destination => &mut counters.foreign_destination,
            Dropped::EtherType => &mut counters.foreign_ethertype,
            Dropped::Version => &mut counters.bad_version,
            Dropped::Type => &mut counters.bad_type,
            Dropped::Length => &mut counters.bad_length,
        } += 1;
    }

    /// Frames that came and meant nothing.
    pub(crate) fn dropped_frames(&self) -> u64 {
        let counters = &self.counters;
        counters.short_frames
            + counters.foreign_destination
            + counters.foreign_source
            + counters.foreign_ethertype
            + counters.bad_version
            + counters.bad_type
            + counters.bad_length
            + counters.bad_body
            + counters.bad_ack
            + counters.other_session
            + counters.unexpected_type
    }

    /// An event for the driver.
    pub(crate) fn event(&mut self, event: LinkEvent) {
        self.events.push(event);
        self.counters.events_lost = self.events.lost();
    }

    /// An interrupt of the device (HO5).
    pub(crate) fn interrupt(&mut self, vector: u8) {
        self.counters.interrupts += 1;
        if self.interrupts.set(vector) {
            self.event(LinkEvent::Interrupt(vector));
        }
    }
}
