//! What a platform must give the driver: registers, shared memory and time. Nothing else connects the two.
//!
//! All methods take `&self`, because the parts of a platform usually share one thing behind them (a device file, or a
//! simulation in a `RefCell`). The driver is single-threaded; it never calls a platform while another call into it runs.

use std::time::Duration;

use crate::errno::Errno;
use crate::error::Kept;

/// The registers of one device (BAR0) and its interrupts.
///
/// ```
/// # use std::time::Duration;
/// # use rnic_driver::*;
/// # let device = rnic_mock::device();
/// let bar = device.platform().bar();
/// assert_eq!(bar.read(0)?, u32::from_le_bytes(*b"RNIC"));
/// assert_eq!(bar.read(0xF000), Err(BusError::Decode { offset: 0xF000 })); // no such register
/// assert!(!bar.wait_interrupt(3, Duration::from_micros(50))?); // nothing has happened
/// # Ok::<(), BusError>(())
/// ```
pub trait Bar {
    /// Reads the 32-bit register at `offset` (bytes, multiple of 4).
    ///
    /// # Errors
    /// [`BusError`] when the device answers with an error or not at all.
    fn read(&self, offset: u32) -> Result<u32, BusError>;

    /// Writes the 32-bit register at `offset` (bytes, multiple of 4). All stores to shared memory that the caller made before
    /// a release fence are visible to the device when it sees this write (rule D18).
    ///
    /// # Errors
    /// [`BusError`] when the device answers with an error; a platform with posted writes cannot tell and answers `Ok`.
    fn write(&self, offset: u32, value: u32) -> Result<(), BusError>;

    /// Waits until interrupt `vector` has fired since the last call that answered `true` for it, or `timeout` has passed.
    /// Answers whether it fired. Requests that merged count as one.
    ///
    /// # Errors
    /// [`BusError::Gone`] when no interrupt can arrive any more.
    fn wait_interrupt(&self, vector: u8, timeout: Duration) -> Result<bool, BusError>;
}

/// Memory that the device can reach.
///
/// ```
/// # use rnic_driver::*;
/// # let device = rnic_mock::device();
/// let memory = device.platform().memory();
/// let buffer = memory.allocate(10_000)?; // for rings and page lists
/// assert_eq!((buffer.len(), buffer.bus_address() % 4096), (10_000, 0));
/// let list = memory.map(&rnic_mock::memory(2), Direction::ToDevice)?; // of the application
/// assert_eq!(list.bytes(), 0x2000);
/// memory.unmap(list)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait DmaMemory {
    /// Coherent memory with a bus address, from [`allocate`](DmaMemory::allocate).
    type Buffer: DmaBuffer;
    /// The platform's name for memory of the application, which gets bus addresses by [`map`](DmaMemory::map) only.
    type Memory: ?Sized;

    /// Allocates coherent memory of `bytes` bytes: zeroed, contiguous on the bus, aligned to 4 KiB.
    /// The device may reach it until the buffer is dropped.
    ///
    /// # Errors
    /// [`DmaError::NoMemory`] when there is none, [`DmaError::TooLong`] when the platform never has so much in one piece.
    fn allocate(&self, bytes: usize) -> Result<Self::Buffer, DmaError>;

    /// Lets the device reach `memory` in the given direction. The list may have fewer entries than the memory has pages (F8).
    ///
    /// # Errors
    /// [`DmaError::NotMappable`] when the bus has no room or the memory cannot be lent to a device.
    fn map(&self, memory: &Self::Memory, direction: Direction) -> Result<DmaSgList, DmaError>;

    /// Takes mapped memory away from the device again. Any later bus access to it is an error of the device. Until this has
    /// answered `Ok` the platform keeps the memory from everybody else, whatever its owner does with his handle of it.
    ///
    /// # Errors
    /// [`DmaError::NotMappable`] when the list is not from this platform's `map`, or the bus does not let go of it. The list comes
    /// back, the device may still reach the memory, and the call may be repeated.
    fn unmap(&self, list: DmaSgList) -> Result<(), Kept<DmaSgList, DmaError>>;
}

/// Coherent memory that the host and the device share. Accesses are atomic loads and stores of the size named (relaxed: the
/// driver places the fences), little-endian, never torn. `offset` counts bytes and must be a multiple of the size.
///
/// An access that passes the end of the buffer or is not aligned panics: it is a bug of the caller.
///
/// ```
/// # use rnic_driver::*;
/// # let device = rnic_mock::device();
/// let buffer = device.platform().memory().allocate(64)?;
/// buffer.write_u32(8, 0x4433_2211);
/// let mut bytes = [0; 3];
/// buffer.read_bytes(9, &mut bytes);
/// assert_eq!((bytes, buffer.read_u64(8)), ([0x22, 0x33, 0x44], 0x4433_2211));
/// # Ok::<(), DmaError>(())
/// ```
#[allow(clippy::len_without_is_empty)] // A buffer of no bytes is never allocated.
pub trait DmaBuffer {
    /// Bus address of byte 0, a multiple of 4096.
    fn bus_address(&self) -> u64;
    /// Size in bytes.
    fn len(&self) -> usize;
    /// Loads the 32-bit word at `offset`.
    fn read_u32(&self, offset: usize) -> u32;
    /// Stores the 32-bit word at `offset`.
    fn write_u32(&self, offset: usize, value: u32);
    /// Loads the 64-bit word at `offset`.
    fn read_u64(&self, offset: usize) -> u64;
    /// Stores the 64-bit word at `offset`.
    fn write_u64(&self, offset: usize, value: u64);
    /// Loads `bytes.len()` bytes from `offset`, which may have any alignment; only single bytes are atomic.
    fn read_bytes(&self, offset: usize, bytes: &mut [u8]);
    /// Stores `bytes` at `offset`, which may have any alignment; only single bytes are atomic.
    fn write_bytes(&self, offset: usize, bytes: &[u8]);
}

/// Time of the platform.
///
/// ```
/// # use std::time::{Duration, Instant};
/// # use rnic_driver::Clock;
/// struct Machine(Instant);
///
/// impl Clock for Machine {
///     fn now(&self) -> Duration { self.0.elapsed() }
///     fn pause(&self) { std::hint::spin_loop(); }
/// }
/// let clock = Machine(Instant::now());
/// let before = clock.now();
/// clock.pause();
/// assert!(clock.now() >= before);
/// ```
pub trait Clock {
    /// Time since some fixed moment; never goes back.
    fn now(&self) -> Duration;
    /// Called in every polling loop: spins on hardware, runs the clock of a simulation. Time must pass by it: every wait of the
    /// driver ends only because repeated pauses advance [`now`](Clock::now).
    fn pause(&self);
}

/// The three parts of one platform. Everything in this crate is generic over one of these.
///
/// ```
/// # use rnic_driver::*;
/// # let device = rnic_mock::device();
/// /// Code for every platform.
/// fn magic<P: Platform>(platform: &P) -> Result<u32, BusError> {
///     platform.bar().read(0)
/// }
/// assert_eq!(magic(device.platform()), Ok(u32::from_le_bytes(*b"RNIC")));
/// ```
pub trait Platform {
    /// Registers and interrupts.
    type Bar: Bar;
    /// Shared memory.
    type Memory: DmaMemory;
    /// Time.
    type Clock: Clock;

    /// Registers and interrupts.
    fn bar(&self) -> &Self::Bar;
    /// Shared memory.
    fn memory(&self) -> &Self::Memory;
    /// Time.
    fn clock(&self) -> &Self::Clock;
}

/// The simplest platform: its three parts.
///
/// ```
/// # use rnic_driver::*;
/// # let mock = rnic_mock::Mock::new();
/// # let (bar, memory, clock) = (mock.clone(), mock.clone(), mock);
/// let device = Device::open(Parts { bar, memory, clock })?;
/// assert_eq!(device.now(), device.platform().clock.now());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parts<B, M, C> {
    /// Registers and interrupts.
    pub bar: B,
    /// Shared memory.
    pub memory: M,
    /// Time.
    pub clock: C,
}

impl<B: Bar, M: DmaMemory, C: Clock> Platform for Parts<B, M, C> {
    type Bar = B;
    type Memory = M;
    type Clock = C;

    fn bar(&self) -> &B {
        &self.bar
    }

    fn memory(&self) -> &M {
        &self.memory
    }

    fn clock(&self) -> &C {
        &self.clock
    }
}

/// Which way the device moves data.
///
/// ```
/// # use rnic_driver::*;
/// # let device = rnic_mock::device();
/// let list = device.dma_map(&rnic_mock::memory(1), Direction::FromDevice)?; // for a READ
/// assert_eq!(list.direction(), Direction::FromDevice);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The device only reads the memory.
    ToDevice,
    /// The device only writes the memory.
    FromDevice,
    /// Both.
    Bidirectional,
}

/// One piece of mapped memory that is contiguous on the bus.
///
/// ```
/// # use rnic_driver::*;
/// let entry = DmaSgEntry { address: 0xA000, length: 0x1800 };
/// let list = DmaSgList::from_platform(vec![entry], Direction::ToDevice);
/// assert_eq!((list.entries(), list.bytes()), (&[entry][..], 0x1800));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DmaSgEntry {
    /// Bus address of the first byte.
    pub address: u64,
    /// Bytes.
    pub length: u64,
}

/// Mapped memory as the device sees it, in the order of the memory (F8).
///
/// ```
/// # use rnic_driver::{Direction, DmaSgEntry, DmaSgList};
/// // What a platform does in its `map`:
/// let entries = vec![DmaSgEntry { address: 0x10000, length: 0x1000 }, DmaSgEntry { address: 0x20000, length: 0x800 }];
/// let list = DmaSgList::from_platform(entries, Direction::ToDevice);
/// assert_eq!((list.bytes(), list.from(1).entries()[0].address), (0x1800, 0x20000));
/// ```
///
/// Comes from [`DmaMemory::map`] only and is consumed by [`DmaMemory::unmap`], so it cannot be used after that; an unmapping that
/// fails gives it back.
#[derive(Debug, PartialEq, Eq)]
pub struct DmaSgList {
    entries: Vec<DmaSgEntry>,
    direction: Direction,
}

impl DmaSgList {
    /// For implementations of [`DmaMemory::map`], which alone know bus addresses.
    pub fn from_platform(entries: Vec<DmaSgEntry>, direction: Direction) -> DmaSgList {
        DmaSgList { entries, direction }
    }

    /// The pieces, in order.
    pub fn entries(&self) -> &[DmaSgEntry] {
        &self.entries
    }

    /// Which way the device may move data.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The list from element `first` on: what is left of it after a mapping that ended there. Empty if there is no such element.
    pub fn from(&self, first: usize) -> DmaSgSlice<'_> {
        DmaSgSlice { entries: self.entries.get(first..).unwrap_or_default() }
    }

    /// All bytes of it.
    pub fn bytes(&self) -> u64 {
        self.entries.iter().map(|entry| entry.length).sum()
    }
}

/// The elements of a [`DmaSgList`] from one of them on. Like the list, nothing but a mapping makes one.
///
/// ```
/// # use rnic_driver::*;
/// # let device = rnic_mock::device();
/// let list = device.dma_map(&rnic_mock::memory(3), Direction::ToDevice)?;
/// let rest: DmaSgSlice = list.from(2);
/// assert_eq!(rest.entries(), &list.entries()[2..]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmaSgSlice<'a> {
    entries: &'a [DmaSgEntry],
}

impl<'a> DmaSgSlice<'a> {
    /// The pieces, in order.
    pub fn entries(self) -> &'a [DmaSgEntry] {
        self.entries
    }
}

impl<'a> From<&'a DmaSgList> for DmaSgSlice<'a> {
    fn from(list: &'a DmaSgList) -> Self {
        list.from(0)
    }
}

/// A register access that failed.
///
/// ```
/// # use rnic_driver::*;
/// # let device = rnic_mock::device();
/// let error = device.read_register(0xF000).unwrap_err();
/// assert_eq!((error, error.errno()), (BusError::Decode { offset: 0xF000 }, Errno::Eio));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum BusError {
    /// No register at this offset (AXI DECERR).
    #[error("no register at offset {offset:#06x}")]
    Decode {
        /// Byte offset in the BAR.
        offset: u32,
    },
    /// The register refuses this access (AXI SLVERR).
    #[error("the register at offset {offset:#06x} refuses the access")]
    Refused {
        /// Byte offset in the BAR.
        offset: u32,
    },
    /// No answer within the bus's own time limit.
    #[error("no answer from offset {offset:#06x}")]
    NoAnswer {
        /// Byte offset in the BAR.
        offset: u32,
    },
    /// The device has left the bus, or the simulation has stopped.
    #[error("the device is gone")]
    Gone,
}

impl BusError {
    /// EIO for an error answer, ETIMEDOUT for none, ENODEV for a device that is gone.
    pub fn errno(&self) -> Errno {
        match self {
            BusError::Decode { .. } | BusError::Refused { .. } => Errno::Eio,
            BusError::NoAnswer { .. } => Errno::Etimedout,
            BusError::Gone => Errno::Enodev,
        }
    }
}

/// Memory that cannot be had or mapped.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # mock.with(|state| state.allocations_left = 0);
/// let error = device.alloc_page_list(8).unwrap_err(); // on a machine without memory
/// assert_eq!(error, Error::Dma(DmaError::NoMemory { bytes: 64 }));
/// assert_eq!(error.errno(), Errno::Enomem);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum DmaError {
    /// No memory of this size.
    #[error("no coherent memory of {bytes} bytes")]
    NoMemory {
        /// Bytes asked for.
        bytes: usize,
    },
    /// More than the platform can give in one piece.
    #[error("coherent memory of {bytes} bytes is more than this platform has in one piece, which is {longest}")]
    TooLong {
        /// Bytes asked for.
        bytes: usize,
        /// The most that it gives.
        longest: usize,
    },
    /// The memory cannot be lent to the device, or was not.
    #[error("the memory cannot be mapped or unmapped")]
    NotMappable,
}

impl DmaError {
    /// ENOMEM for missing memory, EIO for a mapping that fails (F17).
    pub fn errno(&self) -> Errno {
        match self {
            DmaError::NoMemory { .. } | DmaError::TooLong { .. } => Errno::Enomem,
            DmaError::NotMappable => Errno::Eio,
        }
    }
}
