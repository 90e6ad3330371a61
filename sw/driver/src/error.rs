//! What can go wrong outside of posting: one enum, each variant with its errno. Post errors are in `queue_pair::PostError`.

use crate::errno::Errno;
use crate::platform::{BusError, DmaError};
use crate::queue_pair::PostError;

/// A call on a device or an object failed. Unless a variant says otherwise, nothing has changed.
///
/// ```
/// # use rnic_driver::*;
/// # let device = rnic_mock::device();
/// let error = device.create_cq(0, 0).unwrap_err();
/// assert_eq!(error, Error::Invalid(Invalid::RingSize));
/// assert_eq!(error.errno(), Errno::Einval);
/// assert_eq!(error.to_string(), "invalid argument: ring size is 0 or above the device's maximum");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A register access failed.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// Memory could not be had or mapped.
    #[error(transparent)]
    Dma(#[from] DmaError),
    /// The BAR does not start with the magic value of an rnic.
    #[error("not an rnic: the magic register holds {found:#010x}")]
    NotRnic {
        /// What the register holds.
        found: u32,
    },
    /// The register layout has another major version, so nothing of it may be relied on.
    #[error("the device has interface version {device}, this driver knows {driver}")]
    MajorVersion {
        /// Major version of the device.
        device: u32,
        /// Major version of this driver.
        driver: u32,
    },
    /// The device did not do something within its time limit. What it was doing may still take effect.
    #[error("no {0} within the time limit")]
    Timeout(Wait),
    /// The device refused an admin command.
    #[error("the device answered {errno} to admin command {opcode:#04x}")]
    Admin {
        /// Opcode of the command.
        opcode: u8,
        /// The device's answer. `ETIMEDOUT`: the object stays blocked and owned, the call may be repeated (A17).
        errno: Errno,
    },
    /// An argument is not allowed.
    #[error("invalid argument: {0}")]
    Invalid(Invalid),
    /// The object is in use.
    #[error("busy: {0}")]
    Busy(Busy),
    /// Not yet: the same call succeeds later, when what it waits for has ended.
    #[error("not yet: {0}")]
    Again(Again),
    /// Everything of this kind is in use.
    #[error("no free {0}")]
    Exhausted(Resource),
    /// The device's capabilities exclude the operation.
    #[error("the device does not offer {0}")]
    NotSupported(Feature),
    /// The device broke its own rules; the driver does not guess what it meant.
    #[error("protocol error of the device: {0}")]
    Protocol(Protocol),
    /// The peer took away a key that was not the one it had been given (C18). The driver has marked what was really invalidated
    /// and guesses nothing more: the connection should be given up.
    #[error("protocol error of the peer: it invalidated key {found:#010x} instead of {expected:#010x}")]
    Peer {
        /// Key of the mapping.
        expected: u32,
        /// Key in the completion.
        found: u32,
    },
}

/// What the driver waited for.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let silence = cq.next(limit).unwrap_err(); // nothing is posted
/// assert_eq!(silence, Error::Timeout(Wait::Completion));
/// assert_eq!(silence.to_string(), "no completion within the time limit");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wait {
    /// The end of a device reset.
    Reset,
    /// The mailbox to take a command; it still runs an earlier one.
    MailboxFree,
    /// The answer to the admin command with this opcode.
    AdminCommand(u8),
    /// A completion.
    Completion,
    /// An event.
    Event,
    /// The completions of a drain (D15).
    Drain,
}

impl std::fmt::Display for Wait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Wait::Reset => write!(f, "end of reset"),
            Wait::MailboxFree => write!(f, "free admin mailbox"),
            Wait::AdminCommand(opcode) => write!(f, "answer to admin command {opcode:#04x}"),
            Wait::Completion => write!(f, "completion"),
            Wait::Event => write!(f, "event"),
            Wait::Drain => write!(f, "end of drain"),
        }
    }
}

/// Why an argument is not allowed.
///
/// ```
/// # use rnic_driver::*;
/// # let device = rnic_mock::device();
/// assert_eq!(device.alloc_page_list(0).unwrap_err(), Error::Invalid(Invalid::PageCount));
/// assert_eq!(device.create_cq(64, 200).unwrap_err(), Error::Invalid(Invalid::Vector));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Invalid {
    /// A page count of 0 or above the device's longest list (A5, A21).
    #[error("page count is 0 or above the device's maximum")]
    PageCount,
    /// An index into a page list beyond its end.
    #[error("index beyond the end of the page list")]
    PageIndex,
    /// A scatter list without elements, with one of no bytes, or beyond 2^64 (F2).
    #[error("scatter list empty, with an empty element, or beyond the address space")]
    SgList,
    /// An offset at or behind the end of the first element (F2).
    #[error("offset at or behind the end of the first element")]
    SgOffset,
    /// A page size that is no power of two, or that the device does not offer (F2).
    #[error("page size not offered")]
    PageSize,
    /// A virtual address that is not congruent to the mapped one modulo the page size (F3).
    #[error("virtual address not congruent to the mapped one")]
    Iova,
    /// The memory does not fit one registration, or one element: where its mapping ended (F12, F16).
    #[error("only {n} elements and {next_offset} bytes fit one registration")]
    NotWhole {
        /// Whole elements that fit.
        n: usize,
        /// Bytes of the next one that fit.
        next_offset: u64,
    },
    /// A pool of no slots, or of more than the send ring has places for: two for each, and two more (F20).
    #[error("no slots, or more than the send ring has places for")]
    SlotCount,
    /// Nothing has been mapped into the memory region.
    #[error("nothing is mapped")]
    NotMapped,
    /// A ring size of 0 or above the device's maximum.
    #[error("ring size is 0 or above the device's maximum")]
    RingSize,
    /// An interrupt vector that the device does not have.
    #[error("no such interrupt vector")]
    Vector,
    /// Memory regions of this type cannot be allocated (A5).
    #[error("memory regions of this type cannot be allocated")]
    MrType,
    /// An object of another device.
    #[error("object of another device")]
    OtherDevice,
    /// An own-address index that the device does not have.
    #[error("no such own address")]
    AddressIndex,
    /// A transition that is not possible from the present state (T1).
    #[error("no such transition from the present state")]
    Transition,
    /// A PSN of 2^24 or more.
    #[error("PSN above 24 bits")]
    Psn,
    /// The endpoint of another queue pair, or one whose address the device no longer has.
    #[error("endpoint of another queue pair or address")]
    OtherQueuePair,
    /// A queue pair as its own peer.
    #[error("a queue pair cannot be its own peer")]
    OwnPeer,
    /// One side with an IPv4 address, the other with an IPv6 address.
    #[error("the two addresses are of different families")]
    AddressFamily,
    /// The raw rings have not been opened.
    #[error("the raw rings are not open")]
    RawRings,
    /// A raw frame without a header, or longer than the device sends.
    #[error("frame too short or too long")]
    FrameLength,
    /// More words than an admin command has.
    #[error("too many words for an admin command")]
    CommandLength,
}

/// Why an object cannot be changed now.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let kept = pd.free().unwrap_err(); // the queue pair belongs to it
/// assert_eq!((kept.error, kept.errno()), (Error::Busy(Busy::ProtectionDomainInUse), Errno::Ebusy));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Busy {
    /// Memory regions or queue pairs belong to the protection domain (A4).
    #[error("memory regions or queue pairs use the protection domain")]
    ProtectionDomainInUse,
    /// A REG_MR or LOCAL_INV on the memory region has not completed (A16).
    #[error("a posted request on the memory region has not completed")]
    RequestOutstanding,
    /// A flushed request on the memory region, whose queue pair has not been drained (D13).
    #[error("a request on the memory region was flushed; its queue pair must be drained first")]
    Quarantined,
    /// The memory region is registered (F1); invalidate it first.
    #[error("the memory region is registered")]
    Registered,
    /// The raw rings are open already.
    #[error("the raw rings are open already")]
    RawRings,
    /// As many raw frames as the ring holds wait to be sent.
    #[error("the raw send ring is full")]
    RawSend,
    /// Slots of the pool are taken.
    #[error("slots of the pool are taken")]
    SlotsTaken,
    /// Requests are posted on the queue pair; drain it first (D16).
    #[error("requests are posted on the queue pair; drain it first")]
    NotDrained,
}

/// What a call must wait for.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let pool = SlotPool::new(&qp, &pd, SlotOptions { remote: 1, ..SlotOptions::default() })?;
/// let slot = pool.rkey_slot()?;
/// assert_eq!(pool.rkey_slot().unwrap_err(), Error::Again(Again::Slot));
/// drop(slot);
/// assert!(pool.rkey_slot().is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Again {
    /// All slots of the pool are taken (F11): at most as many regions are outstanding as the pool has been made for (F20). The slot
    /// of a dropped mapping is taken until its requests have been completed and polled.
    #[error("all slots of the pool are taken")]
    Slot,
    /// A request that uses the mapping has not been completed and polled.
    #[error("a request that uses the mapping has not completed")]
    Outstanding,
}

/// What has run out.
///
/// ```
/// # use rnic_driver::*;
/// # let device = rnic_mock::device();
/// let queues: Vec<_> = (0..device.capabilities().cqs).map_while(|_| device.create_cq(4, 0).ok()).collect();
/// assert_eq!(device.create_cq(4, 0).unwrap_err(), Error::Exhausted(Resource::CompletionQueue));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// Protection domain numbers.
    ProtectionDomain,
    /// Completion queue numbers.
    CompletionQueue,
    /// Queue pair indices.
    QueuePair,
    /// Memory region indices.
    MemoryRegion,
    /// A free range of the page buffer that is long enough.
    PageBuffer,
}

impl std::fmt::Display for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Resource::ProtectionDomain => "protection domain",
            Resource::CompletionQueue => "completion queue",
            Resource::QueuePair => "queue pair",
            Resource::MemoryRegion => "memory region",
            Resource::PageBuffer => "page buffer range",
        })
    }
}

/// An optional part of the device.
///
/// ```
/// # use rnic_driver::*;
/// # let mock = rnic_mock::Mock::new();
/// # mock.with(|state| state.caps = 0);
/// # let device = Device::open(mock.platform())?;
/// # let pd = device.alloc_pd()?;
/// let error = device.alloc_fast_reg_mr(&pd, 8).unwrap_err(); // on a device without MEM_MGT_EXT
/// assert_eq!(error, Error::NotSupported(Feature::MemoryManagement));
/// assert_eq!(error.errno(), Errno::Eopnotsupp);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// REG_MR and LOCAL_INV (capability MEM_MGT_EXT).
    MemoryManagement,
    /// Data transfer: SEND, WRITE, READ (capability RC).
    ReliableConnection,
    /// READ that invalidates its sink (capability READ_INV).
    ReadWithInvalidate,
    /// Atomic operations (capability ATOMIC_HCA).
    Atomics,
    /// Raw rings (capability RAW).
    Raw,
    /// Memory regions with byte-granular lists (capability SG_GAPS).
    Gaps,
}

impl std::fmt::Display for Feature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Feature::MemoryManagement => "memory management requests",
            Feature::ReliableConnection => "data transfer",
            Feature::ReadWithInvalidate => "READ with invalidate",
            Feature::Atomics => "atomic operations",
            Feature::Raw => "raw frames",
            Feature::Gaps => "memory regions with gaps",
        })
    }
}

/// How the device broke its rules.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// // The device completes a request that nobody has posted.
/// # mock.with(|state| state.complete(cq.number(), qp.number(), 0, 0, 0, 5, 0));
/// let error = cq.poll().unwrap_err();
/// assert_eq!(error, Error::Protocol(Protocol::Slot { qpn: qp.number(), slot: 5 }));
/// assert_eq!(error.errno(), Errno::Eproto);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Protocol {
    /// An admin command was answered with an errno that no command may answer.
    #[error("answer {errno} to an admin command")]
    AdminErrno {
        /// The number.
        errno: u8,
    },
    /// A completion names a status that does not exist.
    #[error("completion with status {status}")]
    Status {
        /// The number.
        status: u8,
    },
    /// A completion names a syndrome that does not exist.
    #[error("completion with syndrome {syndrome:#04x}")]
    Syndrome {
        /// The number.
        syndrome: u8,
    },
    /// A completion names a queue pair that does not exist, or one that uses another completion queue.
    #[error("completion of unknown queue pair {qpn:#08x}")]
    QueuePair {
        /// The queue pair number.
        qpn: u32,
    },
    /// A completion names a slot at which no outstanding request starts (D9: none is reported twice or never).
    #[error("completion of queue pair {qpn:#08x} names slot {slot}, where no request is outstanding")]
    Slot {
        /// The queue pair number.
        qpn: u32,
        /// The slot.
        slot: u16,
    },
    /// A completion passes over a signaled request that has had none (D9).
    #[error("completion of queue pair {qpn:#08x} for slot {slot} passes over a signaled request")]
    Skipped {
        /// The queue pair number.
        qpn: u32,
        /// The slot.
        slot: u16,
    },
    /// A queue pair is in a state that does not exist.
    #[error("queue pair in state {state}")]
    QueuePairState {
        /// The number.
        state: u8,
    },
    /// An MR is in a state that does not exist.
    #[error("memory region in state {state}")]
    MrState {
        /// The number.
        state: u8,
    },
    /// An event of unknown type.
    #[error("event of unknown type {kind}")]
    Event {
        /// The number.
        kind: u32,
    },
    /// A probe answered a piece that is empty or longer than what was asked for.
    #[error("probe answered {bytes} of {asked} bytes")]
    ProbePiece {
        /// Bytes in the answer.
        bytes: u32,
        /// Bytes asked for.
        asked: u32,
    },
    /// A capability register holds something impossible.
    #[error("capability register at {offset:#06x} holds {value:#010x}")]
    Capability {
        /// Its offset in the BAR.
        offset: u32,
        /// What it holds.
        value: u32,
    },
}

impl From<PostError> for Error {
    /// Of a request that the driver made itself, and that can only meet a doorbell that fails or a queue pair that has been reset.
    fn from(error: PostError) -> Error {
        match error {
            PostError::Doorbell(error) => Error::Bus(error),
            PostError::Full => Error::Again(Again::Outstanding),
            _ => Error::Invalid(Invalid::Transition),
        }
    }
}

impl Error {
    /// The device certainly has not done what it was asked for, and will not.
    pub(crate) fn changed_nothing(&self) -> bool {
        match self {
            Error::Admin { errno, .. } => *errno != Errno::Etimedout,
            Error::Timeout(wait) => *wait == Wait::MailboxFree,
            Error::Invalid(_) => true,
            _ => false,
        }
    }

    /// The Linux error number that this error stands for.
    pub fn errno(&self) -> Errno {
        match self {
            Error::Bus(error) => error.errno(),
            Error::Dma(error) => error.errno(),
            Error::NotRnic { .. } | Error::MajorVersion { .. } => Errno::Enodev,
            Error::Timeout(_) => Errno::Etimedout,
            Error::Admin { errno, .. } => *errno,
            Error::Invalid(_) => Errno::Einval,
            Error::Busy(_) => Errno::Ebusy,
            Error::Again(_) => Errno::Eagain,
            Error::Exhausted(_) => Errno::Enomem,
            Error::NotSupported(_) => Errno::Eopnotsupp,
            Error::Protocol(_) | Error::Peer { .. } => Errno::Eproto,
        }
    }
}

/// A call that would have consumed an object failed; the object comes back, still owned and usable.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let Kept { error, object: pd } = pd.free().unwrap_err(); // the queue pair belongs to it
/// assert_eq!(error.errno(), Errno::Ebusy);
/// qp.destroy()?;
/// pd.free()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct Kept<T, E = Error> {
    /// Why.
    pub error: E,
    /// The object.
    pub object: T,
}

impl<T> Kept<T> {
    /// The Linux error number that the error stands for.
    pub fn errno(&self) -> Errno {
        self.error.errno()
    }
}

impl<T> From<Kept<T, DmaError>> for Kept<T> {
    fn from(kept: Kept<T, DmaError>) -> Self {
        Kept { error: kept.error.into(), object: kept.object }
    }
}
