//! Which requests may be on their way at once: only those whose result the rules decide.
//!
//! Two requests that touch the same byte, one of them writing, have a result that depends on time unless a rule puts them in
//! order. Between send queues there is none; within one there are those of [`order`]. Everything else waits for a completion.

use std::ops::Range;

/// What a request does with bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// SEND or WRITE reads them at its sender; again if it must be sent again.
    Source,
    /// READ data arrive there.
    Sink,
    /// The result of an atomic arrives there.
    Result,
    /// SEND or WRITE puts them there at the peer.
    Placed,
    /// READ fetches them at the peer.
    Fetched,
    /// An atomic changes them at the peer.
    Atomic,
    /// A posted receive: which message comes there is not decided before it completes.
    Receive,
}

/// Bytes of one host in use.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub side: usize,
    pub range: Range<u64>,
    pub way: Way,
}

/// When a later request may be posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Order {
    /// At once: posting order is enough, or there is nothing to order.
    Posting,
    /// With the fence flag.
    Fence,
    /// After the completion of the earlier one.
    Completion,
}

/// Two uses of the same bytes by requests of one send queue, or of two.
pub(super) fn order(earlier: Way, later: Way, same_queue: bool) -> Order {
    use Way::{Atomic, Fetched, Placed, Receive, Result, Sink, Source};
    let reads = |way| matches!(way, Source | Fetched);
    if reads(earlier) && reads(later) {
        return Order::Posting;
    }
    if !same_queue || earlier == Receive || later == Receive {
        return Order::Completion;
    }
    match (earlier, later) {
        // T36: an answer acknowledges everything before it, so nothing before it is read again for a frame that counts.
        (Source, Sink | Result) => Order::Posting,
        // T37: answers are taken in order; data of one kind are written with one AXI id.
        (Sink, Sink) | (Result, Result) => Order::Posting,
        // D7; data of different kinds are written with different AXI ids.
        (Sink | Result, Source) | (Sink, Result) | (Result, Sink) => Order::Fence,
        // T59: the responder commits in order, and fetches for READs and atomics after what was committed before.
        (Placed, Placed | Fetched | Atomic) => Order::Posting,
        // T66: an atomic is finished before the next READ or atomic is served.
        (Atomic, Fetched | Atomic) => Order::Posting,
        // T67, and the reads of a READ may still be on the bus when an atomic writes.
        (Fetched | Atomic, Placed) | (Fetched, Atomic) => Order::Fence,
        _ => Order::Completion,
    }
}

/// The strictest order that the uses of two requests need.
pub(super) fn between(earlier: &[Touch], later: &[Touch], same_queue: bool) -> Order {
    let overlap = |a: &Touch, b: &Touch| a.side == b.side && a.range.start < b.range.end && b.range.start < a.range.end;
    let pairs = earlier.iter().flat_map(|a| later.iter().map(move |b| (a, b)));
    let orders = pairs.filter(|(a, b)| overlap(a, b)).map(|(a, b)| order(a.way, b.way, same_queue));
    orders.max().unwrap_or(Order::Posting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t67_a_write_behind_a_read_of_the_same_bytes_needs_a_fence() {
        let touch = |from: u64, way| vec![Touch { side: 1, range: from..from + 10, way }];
        let (read, write) = (touch(0, Way::Fetched), touch(5, Way::Placed));
        assert_eq!(between(&read, &write, true), Order::Fence);
        assert_eq!(between(&read, &write, false), Order::Completion);
        assert_eq!(between(&write, &read, true), Order::Posting);
        assert_eq!(between(&read, &touch(10, Way::Placed), true), Order::Posting);
        assert_eq!(between(&read, &touch(0, Way::Source), false), Order::Posting);
    }
}
