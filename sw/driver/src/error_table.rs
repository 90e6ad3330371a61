//! Every error that a call can answer, with its errno and its text: what the reference page of the documentation is made of.
//!
//! The lists below cannot miss a variant: each stands in a `match` without a wildcard.

use crate::errno::Errno;
use crate::error::{Again, Busy, Error, Feature, Invalid, Protocol, Resource, Wait};
use crate::platform::{BusError, DmaError};
use crate::queue_pair::PostError;
use crate::typestate::Unfinished;
use rnic_abi::qp::State;

/// One row of the table.
///
/// ```
/// # use rnic_driver::*;
/// let rows = error_table();
/// let full: Option<&ErrorRow> = rows.iter().find(|row| row.name == "PostError::Full");
/// assert_eq!(full.map(|row| (row.errno, &row.text[..])), Some((Errno::Enomem, "the ring is full")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorRow {
    /// The type and its variant, such as `Invalid::PageCount`.
    pub name: String,
    /// What it is to Linux.
    pub errno: Errno,
    /// What it says, with example values where it has fields.
    pub text: String,
}

/// All values of an enum, one for each variant; fields get the example values given.
macro_rules! every {
    ($name:ident: $type:ident [$($unit:ident),* $(,)?] $([$($open:pat => $value:expr),* $(,)?])?) => {
        fn $name() -> Vec<$type> {
            fn _none_is_missing(value: $type) {
                match value {
                    $($type::$unit => {})*
                    $($($open => {})*)?
                }
            }
            vec![$($type::$unit,)* $($($value,)*)?]
        }
    };
}

every!(waits: Wait [Reset, MailboxFree, Completion, Event, Drain] [Wait::AdminCommand(_) => Wait::AdminCommand(0x0B)]);
every!(invalids: Invalid [
    PageCount, PageIndex, SgList, SgOffset, PageSize, Iova, NotMapped, SlotCount, RingSize, Vector, MrType, OtherDevice,
    AddressIndex, Transition, Psn, OtherQueuePair, OwnPeer, AddressFamily, RawRings, FrameLength, CommandLength,
] [Invalid::NotWhole { .. } => Invalid::NotWhole { n: 3, next_offset: 0x800 }]);
every!(busies: Busy [
    ProtectionDomainInUse, RequestOutstanding, Quarantined, Registered, RawRings, RawSend, SlotsTaken, NotDrained,
]);
every!(agains: Again [Slot, Outstanding]);
every!(resources: Resource [ProtectionDomain, CompletionQueue, QueuePair, MemoryRegion, PageBuffer]);
every!(features: Feature [MemoryManagement, ReliableConnection, ReadWithInvalidate, Atomics, Raw, Gaps]);
every!(protocols: Protocol [] [
    Protocol::AdminErrno { .. } => Protocol::AdminErrno { errno: 77 },
    Protocol::Status { .. } => Protocol::Status { status: 99 },
    Protocol::Syndrome { .. } => Protocol::Syndrome { syndrome: 0xFE },
    Protocol::QueuePair { .. } => Protocol::QueuePair { qpn: 0x11 },
    Protocol::Slot { .. } => Protocol::Slot { qpn: 0x11, slot: 5 },
    Protocol::Skipped { .. } => Protocol::Skipped { qpn: 0x11, slot: 5 },
    Protocol::QueuePairState { .. } => Protocol::QueuePairState { state: 9 },
    Protocol::MrState { .. } => Protocol::MrState { state: 7 },
    Protocol::Event { .. } => Protocol::Event { kind: 99 },
    Protocol::ProbePiece { .. } => Protocol::ProbePiece { bytes: 9000, asked: 4096 },
    Protocol::Capability { .. } => Protocol::Capability { offset: 0x38, value: u32::MAX },
]);
every!(buses: BusError [Gone] [
    BusError::Decode { .. } => BusError::Decode { offset: 0x7000 },
    BusError::Refused { .. } => BusError::Refused { offset: 0x200 },
    BusError::NoAnswer { .. } => BusError::NoAnswer { offset: 0x2C4 },
]);
every!(dmas: DmaError [NotMappable] [
    DmaError::NoMemory { .. } => DmaError::NoMemory { bytes: 4096 },
    DmaError::TooLong { .. } => DmaError::TooLong { bytes: 4 << 20, longest: 2 << 20 },
]);
every!(posts: PostError [
    Full, InlineData, Flags, InlinePages, Sges, MessageLength, AtomicLength, AtomicAlignment, NoReads, Mappings, Blocks,
    RegionGone, KeyReserved, KeyIndex, ProtectionDomain, NeedsLocalWrite, UndefinedAccess, PageShift, PageCount,
    ListLength, Length, Wrap, Cover, FirstByteOffset, ListAddress,
] [
    PostError::NotSupported(_) => PostError::NotSupported(Feature::Atomics),
    PostError::State(_) => PostError::State(State::Init),
    PostError::Doorbell(_) => PostError::Doorbell(BusError::NoAnswer { offset: 0x2000 }),
]);
every!(unfinished: Unfinished [Outstanding, Before, Quarantined]);
every!(others: Error [] [
    Error::NotRnic { .. } => Error::NotRnic { found: u32::MAX },
    Error::MajorVersion { .. } => Error::MajorVersion { device: 2, driver: 1 },
    Error::Admin { .. } => Error::Admin { opcode: 0x0B, errno: Errno::Einval },
    Error::Peer { .. } => Error::Peer { expected: 0x311, found: 0x412 },
    // These have tables of their own.
    Error::Bus(_) => Error::Bus(BusError::Gone),
    Error::Dma(_) => Error::Dma(DmaError::NotMappable),
    Error::Timeout(_) => Error::Timeout(Wait::Reset),
    Error::Invalid(_) => Error::Invalid(Invalid::PageCount),
    Error::Busy(_) => Error::Busy(Busy::NotDrained),
    Error::Again(_) => Error::Again(Again::Slot),
    Error::Exhausted(_) => Error::Exhausted(Resource::QueuePair),
    Error::NotSupported(_) => Error::NotSupported(Feature::Raw),
    Error::Protocol(_) => Error::Protocol(Protocol::Status { status: 99 }),
]);

/// A row; the variant's name is the first word of its debug text.
fn row(kind: &str, value: &impl std::fmt::Debug, errno: Errno, text: String) -> ErrorRow {
    let debug = format!("{value:?}");
    let variant = debug.split([' ', '(', '{']).next().unwrap_or_default();
    ErrorRow { name: format!("{kind}::{variant}"), errno, text }
}

/// Every error of this crate, by kind.
///
/// ```
/// # use rnic_driver::{error_table, Errno};
/// for row in error_table() {
///     println!("{:30} {:10} {}", row.name, row.errno.name(), row.text);
/// }
/// assert!(error_table().iter().any(|row| row.name == "Busy::NotDrained" && row.errno == Errno::Ebusy));
/// ```
pub fn error_table() -> Vec<ErrorRow> {
    let of = |kind: &'static str, error: Error, value: &dyn std::fmt::Debug| {
        row(kind, &format_args!("{value:?}"), error.errno(), error.to_string())
    };
    let own = |error: &Error| {
        use Error::{Admin, MajorVersion, NotRnic, Peer};
        matches!(error, NotRnic { .. } | MajorVersion { .. } | Admin { .. } | Peer { .. })
    };
    let mut rows: Vec<_> =
        others().into_iter().filter(own).map(|error| row("Error", &error, error.errno(), error.to_string())).collect();
    rows.extend(waits().into_iter().map(|wait| of("Wait", Error::Timeout(wait), &wait)));
    rows.extend(invalids().into_iter().map(|invalid| of("Invalid", Error::Invalid(invalid), &invalid)));
    rows.extend(busies().into_iter().map(|busy| of("Busy", Error::Busy(busy), &busy)));
    rows.extend(agains().into_iter().map(|again| of("Again", Error::Again(again), &again)));
    rows.extend(resources().into_iter().map(|resource| of("Resource", Error::Exhausted(resource), &resource)));
    rows.extend(features().into_iter().map(|feature| of("Feature", Error::NotSupported(feature), &feature)));
    rows.extend(protocols().into_iter().map(|protocol| of("Protocol", Error::Protocol(protocol), &protocol)));
    rows.extend(buses().into_iter().map(|bus| of("BusError", Error::Bus(bus), &bus)));
    rows.extend(dmas().into_iter().map(|dma| of("DmaError", Error::Dma(dma), &dma)));
    rows.extend(posts().into_iter().map(|post| row("PostError", &post, post.errno(), post.to_string())));
    rows.extend(unfinished().into_iter().map(|case| row("Unsettled", &case, case.errno(), case.to_string())));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_stands_once_in_the_table_with_a_text() {
        let rows = error_table();
        let mut names: Vec<_> = rows.iter().map(|row| &row.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        assert!(rows.len() > 90 && rows.iter().all(|row| !row.text.is_empty()));
        let find = |name: &str| rows.iter().find(|row| row.name == name).map(|row| row.errno);
        assert_eq!(find("Invalid::NotWhole"), Some(Errno::Einval));
        assert_eq!(find("Again::Slot"), Some(Errno::Eagain));
        assert_eq!(find("DmaError::NoMemory"), Some(Errno::Enomem));
        assert_eq!(find("PostError::Full"), Some(Errno::Enomem));
        assert_eq!(find("Unsettled::Outstanding"), Some(Errno::Eagain));
        assert_eq!(find("Unsettled::Before"), Some(Errno::Eio));
        assert_eq!(find("Unsettled::Quarantined"), Some(Errno::Ebusy));
    }
}
