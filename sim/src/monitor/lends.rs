//! Memory that a test lends by hand: what the monitor cannot learn from the BAR and the WQEs.
use crate::host::Way;
use rnic_abi::axi::{READ_PAGE_LIST, READ_RAW, READ_RECEIVE_WQE, READ_SQ_WQE, WRITE_CQE, WRITE_EVENT, WRITE_RAW};
use std::ops::Range;

/// What lent memory is for; decides which clients of the bus may touch it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A send queue: WQE fetch.
    SendRing,
    /// A receive queue: receive WQE fetch.
    ReceiveRing,
    /// A completion queue: CQE writes.
    CompletionRing,
    /// The event ring.
    EventRing,
    /// A page list.
    PageList,
    /// A buffer behind the local DMA lkey, or pages of a memory region.
    Payload,
    /// A raw ring or its frames.
    Raw,
    /// Anything may touch it.
    Any,
}

impl Role {
    /// A burst of this client belongs here.
    #[must_use]
    pub fn admits(self, way: Way, id: u8) -> bool {
        let expected = match (way, id) {
            (Way::Read, READ_SQ_WQE) => Self::SendRing,
            (Way::Read, READ_RECEIVE_WQE) => Self::ReceiveRing,
            (Way::Read, READ_PAGE_LIST) => Self::PageList,
            (Way::Read, READ_RAW) | (Way::Write, WRITE_RAW) => Self::Raw,
            (Way::Write, WRITE_CQE) => Self::CompletionRing,
            (Way::Write, WRITE_EVENT) => Self::EventRing,
            _ => Self::Payload,
        };
        self == Self::Any || self == expected
    }
}

/// The pieces lent by hand.
#[derive(Debug, Default)]
pub(super) struct Lends(Vec<(Range<u64>, Role)>);

impl Lends {
    pub fn lend(&mut self, range: Range<u64>, role: Role) {
        self.0.push((range, role));
    }

    pub fn take_back(&mut self, range: &Range<u64>) -> bool {
        let before = self.0.len();
        self.0.retain(|(lent, _)| lent != range);
        self.0.len() != before
    }

    pub fn admits(&self, way: Way, id: u8, range: &Range<u64>) -> bool {
        let holds = |lent: &Range<u64>| lent.start <= range.start && range.end <= lent.end;
        self.0.iter().any(|(lent, role)| role.admits(way, id) && holds(lent))
    }
}
