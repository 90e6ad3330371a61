//! What the host notices without being asked (HO5).

use std::collections::VecDeque;

use crate::error::LostReason;

/// Something that happened on a link.
///
/// ```
/// use rnic_link::LinkEvent;
///
/// let event = LinkEvent::BadWrite { address: 0x1000, bytes: 64 };
/// assert_eq!(event.to_string(), "the device wrote 64 bytes at 0x1000, which it may not reach");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkEvent {
    /// A write outside the memory of the device, dropped (HO3, WR5).
    #[error("the device wrote {bytes} bytes at {address:#x}, which it may not reach")]
    BadWrite {
        /// Bus address of the first DW.
        address: u64,
        /// Bytes of all DW.
        bytes: usize,
    },
    /// A read outside the memory of the device, answered with UR (HO3).
    #[error("the device read {bytes} bytes at {address:#x}, which it may not reach")]
    BadRead {
        /// Bus address of the first DW.
        address: u64,
        /// Bytes of all DW.
        bytes: usize,
    },
    /// A TLP that breaks the format, dropped (TL6).
    #[error("the device sent a malformed TLP of {bytes} bytes")]
    Malformed {
        /// Bytes of it.
        bytes: usize,
    },
    /// The session is over.
    #[error("the link is lost: {0}")]
    Lost(LostReason),
    /// The first interrupt of a vector since it was waited for.
    #[error("interrupt {0}")]
    Interrupt(u8),
}

/// Events that wait to be taken; what finds no room is counted.
#[derive(Debug, Default)]
pub(crate) struct Events {
    waiting: VecDeque<LinkEvent>,
    lost: u64,
}

impl Events {
    /// HO2: no queue without bound, whatever the device does.
    const ROOM: usize = 256;

    /// The end of the session always finds room.
    pub(crate) fn push(&mut self, event: LinkEvent) {
        if self.waiting.len() < Self::ROOM || matches!(event, LinkEvent::Lost(_)) {
            self.waiting.push_back(event);
        } else {
            self.lost += 1;
        }
    }

    pub(crate) fn pop(&mut self) -> Option<LinkEvent> {
        self.waiting.pop_front()
    }

    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho2_events_have_a_bound_and_the_end_is_never_lost() {
        let mut events = Events::default();
        for _ in 0..Events::ROOM + 3 {
            events.push(LinkEvent::Interrupt(1));
        }
        events.push(LinkEvent::Lost(LostReason::Silent));
        assert_eq!((events.waiting.len(), events.lost()), (Events::ROOM + 1, 3));
        assert_eq!(events.waiting.back(), Some(&LinkEvent::Lost(LostReason::Silent)));
        assert_eq!(events.pop(), Some(LinkEvent::Interrupt(1)));
    }
}
