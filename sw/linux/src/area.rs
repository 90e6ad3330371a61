//! Memory that a device reaches too: mapped pages, accessed by atomic loads and stores only.
//!
//! This file has all accesses through pointers to shared memory; the rest of the crate goes through it.

use std::ops::Range;
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicU8, Ordering};

use rnic_driver::{DmaBuffer, DmaError};
use rustix::mm::{madvise, mmap_anonymous, munmap, Advice, MapFlags, ProtFlags};

/// Bytes of a page of the device's bus.
pub(crate) const PAGE: usize = 4096;

/// Pages of this process that a device may reach. Unmapped when the last handle goes.
#[derive(Debug)]
pub(crate) struct Pages {
    start: NonNull<u8>,
    bytes: usize,
}

impl Pages {
    /// Zeroed pages; `bytes` is a multiple of the host's page.
    pub(crate) fn anonymous(bytes: usize) -> std::io::Result<Pages> {
        Pages::new(bytes, MapFlags::empty())
    }

    /// Zeroed huge pages of 2 MiB that stay where they are; `bytes` is a multiple of that.
    pub(crate) fn huge(bytes: usize) -> std::io::Result<Pages> {
        Pages::new(bytes, MapFlags::HUGETLB | MapFlags::HUGE_2MB | MapFlags::LOCKED)
    }

    fn new(bytes: usize, kind: MapFlags) -> std::io::Result<Pages> {
        let flags = MapFlags::PRIVATE | MapFlags::POPULATE | kind;
        // SAFETY: a new mapping at an address that the kernel chooses touches nothing that exists.
        let start = unsafe { mmap_anonymous(std::ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, flags) }?;
        let pages = Pages { start: NonNull::new(start.cast()).ok_or(std::io::ErrorKind::OutOfMemory)?, bytes };
        // A child of a fork would share the pages until one of the two writes: then the writer, which may be this process, gets
        // a copy, and the device keeps the old page.
        // SAFETY: the mapping is ours and stays as it is in this process.
        unsafe { madvise(start, bytes, Advice::LinuxDontFork) }?;
        Ok(pages)
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    pub(crate) fn pointer(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The place of an access, which must be inside and aligned.
    fn place(&self, offset: usize, bytes: usize, align: usize) -> *mut u8 {
        let end = offset.checked_add(bytes).filter(|end| *end <= self.bytes && offset % align == 0);
        assert!(end.is_some(), "{bytes} bytes at {offset:#x} of {:#x} bytes of shared memory", self.bytes);
        // SAFETY: inside the mapping, as just checked.
        unsafe { self.start.as_ptr().add(offset) }
    }

    fn byte(&self, offset: usize) -> &AtomicU8 {
        // SAFETY: the place is inside the mapping, which lives as long as `self`, and is accessed by atomics only.
        unsafe { AtomicU8::from_ptr(self.place(offset, 1, 1)) }
    }

    fn word(&self, offset: usize) -> &AtomicU32 {
        // SAFETY: as in `byte`; aligned, because the mapping begins on a page.
        unsafe { AtomicU32::from_ptr(self.place(offset, 4, 4).cast()) }
    }

    fn long(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: as in `word`.
        unsafe { AtomicU64::from_ptr(self.place(offset, 8, 8).cast()) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing of this process refers to it any more.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// What is behind a bus address; dropping it takes the memory away from the device.
pub(crate) trait Lease {
    /// Takes the memory away, or says that it could not be; then the call may be repeated.
    fn end(&mut self) -> Result<(), DmaError> {
        Ok(())
    }
}

/// Coherent memory with a bus address.
///
/// ```no_run
/// # use rnic_driver::{DmaBuffer, DmaMemory};
/// # let platform = rnic_linux::open("0000:03:00.0")?;
/// // Needs hardware.
/// let ring: rnic_linux::Buffer = platform.memory.allocate(4096)?;
/// ring.write_u64(8, 0x1234);
/// assert_eq!((ring.bus_address() % 4096, ring.read_u32(8)), (0, 0x1234));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Buffer {
    // First, so that the device loses the memory before the process does.
    _lease: Box<dyn Lease>,
    pages: Rc<Pages>,
    first: usize,
    bytes: usize,
    address: u64,
}

impl Buffer {
    pub(crate) fn new(lease: Box<dyn Lease>, pages: Rc<Pages>, first: usize, bytes: usize, address: u64) -> Buffer {
        assert!(first + bytes <= pages.len() && address % PAGE as u64 == 0);
        Buffer { _lease: lease, pages, first, bytes, address }
    }

    fn at(&self, offset: usize, bytes: usize) -> usize {
        let inside = offset.checked_add(bytes).is_some_and(|end| end <= self.bytes);
        assert!(inside, "{bytes} bytes at {offset:#x} of a buffer of {:#x} bytes", self.bytes);
        self.first + offset
    }
}

impl DmaBuffer for Buffer {
    fn bus_address(&self) -> u64 {
        self.address
    }

    fn len(&self) -> usize {
        self.bytes
    }

    fn read_u32(&self, offset: usize) -> u32 {
        u32::from_le(self.pages.word(self.at(offset, 4)).load(Ordering::Relaxed))
    }

    fn write_u32(&self, offset: usize, value: u32) {
        self.pages.word(self.at(offset, 4)).store(value.to_le(), Ordering::Relaxed);
    }

    fn read_u64(&self, offset: usize) -> u64 {
        u64::from_le(self.pages.long(self.at(offset, 8)).load(Ordering::Relaxed))
    }

    fn write_u64(&self, offset: usize, value: u64) {
        self.pages.long(self.at(offset, 8)).store(value.to_le(), Ordering::Relaxed);
    }

    fn read_bytes(&self, offset: usize, bytes: &mut [u8]) {
        let first = self.at(offset, bytes.len());
        for (at, byte) in (first..).zip(bytes) {
            *byte = self.pages.byte(at).load(Ordering::Relaxed);
        }
    }

    fn write_bytes(&self, offset: usize, bytes: &[u8]) {
        let first = self.at(offset, bytes.len());
        for (at, byte) in (first..).zip(bytes) {
            self.pages.byte(at).store(*byte, Ordering::Relaxed);
        }
    }
}

/// Memory of the application, from [`LinuxMemory::area`](crate::LinuxMemory::area).
///
/// ```no_run
/// # use rnic_driver::{Direction, DmaMemory};
/// # let platform = rnic_linux::open("0000:03:00.0")?;
/// // Needs hardware.
/// let area: rnic_linux::Area = platform.memory.area(10_000)?;
/// area.part(100..200).write(5, b"abc");
/// let mut bytes = [0; 4];
/// area.read(104, &mut bytes);
/// assert_eq!(&bytes, b"\0abc");
/// let list = platform.memory.map(&area.part(100..200), Direction::ToDevice)?;
/// assert_eq!(list.bytes(), 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Area {
    pub(crate) pages: Rc<Pages>,
    part: Range<usize>,
}

impl Area {
    pub(crate) fn new(pages: Rc<Pages>) -> Area {
        Area { part: 0..pages.len(), pages }
    }

    /// A part of it: what is mapped begins and ends with these bytes.
    ///
    /// # Panics
    /// It is empty, or passes the end.
    #[must_use]
    pub fn part(&self, part: Range<usize>) -> Area {
        assert!(!part.is_empty() && part.end <= self.len(), "{part:?} of {} bytes", self.len());
        Area { pages: self.pages.clone(), part: self.part.start + part.start..self.part.start + part.end }
    }

    /// Bytes.
    #[allow(clippy::len_without_is_empty)] // An area of no bytes is never made.
    pub fn len(&self) -> usize {
        self.part.len()
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.part.clone()
    }

    /// Loads bytes, one by one atomic.
    ///
    /// # Panics
    /// They pass the end.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) {
        for (at, byte) in (self.at(offset, bytes.len())..).zip(bytes) {
            *byte = self.pages.byte(at).load(Ordering::Relaxed);
        }
    }

    /// Stores bytes, one by one atomic.
    ///
    /// # Panics
    /// They pass the end.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        for (at, byte) in (self.at(offset, bytes.len())..).zip(bytes) {
            self.pages.byte(at).store(*byte, Ordering::Relaxed);
        }
    }

    fn at(&self, offset: usize, bytes: usize) -> usize {
        assert!(offset.checked_add(bytes).is_some_and(|end| end <= self.len()), "{bytes} bytes at {offset:#x}");
        self.part.start + offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Lease for Nothing {}

    fn buffer(bytes: usize) -> Buffer {
        let pages = Rc::new(Pages::anonymous(4 * PAGE).unwrap());
        Buffer::new(Box::new(Nothing), pages, PAGE, bytes, 0x7000)
    }

    #[test]
    fn words_are_little_endian_and_bytes_may_lie_anywhere() {
        let buffer = buffer(64);
        assert_eq!((buffer.len(), buffer.bus_address(), buffer.read_u64(56)), (64, 0x7000, 0));
        buffer.write_u64(8, 0x8877_6655_4433_2211);
        assert_eq!((buffer.read_u32(8), buffer.read_u32(12)), (0x4433_2211, 0x8877_6655));
        let mut bytes = [0; 3];
        buffer.read_bytes(11, &mut bytes);
        assert_eq!(bytes, [0x44, 0x55, 0x66]);
        buffer.write_bytes(7, &[9, 9]);
        assert_eq!((buffer.read_u64(0) >> 56, buffer.read_u64(8) & 0xFF), (9, 9));
    }

    #[test]
    #[should_panic(expected = "of a buffer")]
    fn an_access_behind_the_end_of_a_buffer_panics_although_there_is_memory() {
        buffer(64).read_u32(64);
    }

    #[test]
    fn an_area_is_shared_with_its_parts() {
        let area = Area::new(Rc::new(Pages::anonymous(3 * PAGE).unwrap()));
        let part = area.part(100..PAGE + 100).part(10..20);
        part.write(3, b"abc");
        let mut bytes = [0; 5];
        area.read(112, &mut bytes);
        assert_eq!((&bytes, part.len(), part.range()), (b"\0abc\0", 10, 110..120));
    }

    #[test]
    fn a_child_of_a_fork_does_not_get_the_pages() {
        let pages = Pages::anonymous(PAGE).unwrap();
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let holds = |line: &str| {
            let (first, end) = line.split_whitespace().next()?.split_once('-')?;
            let [first, end] = [first, end].map(|number| usize::from_str_radix(number, 16).ok());
            Some((first?..end?).contains(&(pages.pointer() as usize)))
        };
        let flags = maps.lines().skip_while(|line| holds(line) != Some(true)).find(|line| line.starts_with("VmFlags:"));
        assert!(flags.unwrap().split_whitespace().any(|flag| flag == "dc"), "{flags:?}");
    }
}
