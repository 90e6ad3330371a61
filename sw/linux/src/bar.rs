//! The registers: BAR0 mapped into this process, and interrupts by event files.

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd};
use std::ptr::NonNull;
use std::time::{Duration, Instant};

use rnic_abi::pci::BAR0_BYTES;
use rnic_driver::{Bar, BusError};
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::mm::{mmap, munmap, MapFlags, ProtFlags};
use vmm_sys_util::eventfd::EventFd;

use crate::error::LinuxError;

/// Without interrupts a wait looks again after this time.
const LOOK_AGAIN: Duration = Duration::from_micros(20);

/// BAR0 and the interrupts of a device.
///
/// ```no_run
/// # use std::time::Duration;
/// # use rnic_driver::Bar;
/// # let platform = rnic_linux::open("0000:03:00.0")?;
/// // Needs hardware.
/// let bar: &rnic_linux::LinuxBar = &platform.bar;
/// assert_eq!(bar.read(0)?, u32::from_le_bytes(*b"RNIC"));
/// assert!(!bar.wait_interrupt(0, Duration::from_millis(1))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LinuxBar {
    start: NonNull<u8>,
    bytes: usize,
    /// One for each vector; none on a device without interrupts.
    events: Vec<EventFd>,
    /// What must live as long as the mapping.
    owners: Vec<Box<dyn std::any::Any>>,
}

impl LinuxBar {
    /// Maps BAR0 from a file of the kernel: `offset` is where it begins there.
    pub(crate) fn map(
        file: BorrowedFd<'_>,
        offset: u64,
        bytes: u64,
        events: Vec<EventFd>,
    ) -> Result<LinuxBar, LinuxError> {
        if bytes < BAR0_BYTES {
            return Err(LinuxError::BarSize { bytes });
        }
        let bytes = BAR0_BYTES as usize;
        // SAFETY: a new mapping at an address that the kernel chooses touches nothing that exists.
        let start = unsafe {
            mmap(std::ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, file, offset)
        };
        let start = start.map_err(|error| LinuxError::file("BAR0", error))?;
        let start = NonNull::new(start.cast()).ok_or(LinuxError::BarSize { bytes: 0 })?;
        Ok(LinuxBar { start, bytes, events, owners: Vec::new() })
    }

    /// With something that ends with the mapping.
    pub(crate) fn owning(mut self, owner: impl std::any::Any) -> LinuxBar {
        self.owners.push(Box::new(owner));
        self
    }

    fn register(&self, offset: u32) -> Result<*mut u32, BusError> {
        let inside = offset % 4 == 0 && (offset as usize) < self.bytes;
        if !inside {
            return Err(BusError::Decode { offset });
        }
        // SAFETY: inside the mapping, as just checked; aligned, because the mapping begins on a page.
        Ok(unsafe { self.start.as_ptr().add(offset as usize) }.cast())
    }
}

impl Bar for LinuxBar {
    fn read(&self, offset: u32) -> Result<u32, BusError> {
        let register = self.register(offset)?;
        // SAFETY: a register of the mapped BAR; volatile, so that each access is made once, as it stands.
        Ok(u32::from_le(unsafe { register.read_volatile() }))
    }

    fn write(&self, offset: u32, value: u32) -> Result<(), BusError> {
        let register = self.register(offset)?;
        // D18: a release fence orders memory among processors; towards a device, this architecture wants more.
        #[cfg(target_arch = "aarch64")]
        // SAFETY: a barrier changes nothing.
        unsafe {
            std::arch::asm!("dmb oshst", options(nostack, preserves_flags));
        }
        // SAFETY: as in `read`. The compiler keeps volatile accesses behind the fence.
        unsafe { register.write_volatile(value.to_le()) };
        Ok(())
    }

    /// Without interrupts it answers `true` after a moment, which is a spurious one: the driver looks again.
    fn wait_interrupt(&self, vector: u8, timeout: Duration) -> Result<bool, BusError> {
        if self.events.is_empty() {
            std::thread::sleep(timeout.min(LOOK_AGAIN));
            return Ok(!timeout.is_zero());
        }
        let event = self.events.get(usize::from(vector)).ok_or(BusError::Gone)?;
        // None: so far away that it never comes.
        let end = Instant::now().checked_add(timeout);
        loop {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            let limit =
                left.map(|left| Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() });
            // SAFETY: the event file is open as long as `self`.
            let file = unsafe { BorrowedFd::borrow_raw(std::os::fd::AsRawFd::as_raw_fd(event)) };
            match poll(&mut [PollFd::new(&file.as_fd(), PollFlags::IN)], limit.as_ref()) {
                Ok(0) => return Ok(false),
                Ok(_) => return event.read().map(|_| true).map_err(|_| BusError::Gone),
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return Err(BusError::Gone),
            }
        }
    }
}

impl Drop for LinuxBar {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing refers to it any more.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

impl fmt::Debug for LinuxBar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LinuxBar {{ {} vectors }}", self.events.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rnic_abi::register as reg;

    /// A file in the place of `resource0`.
    fn bar(events: Vec<EventFd>) -> (LinuxBar, std::fs::File) {
        let path = std::env::temp_dir().join(format!("rnic-bar-{}-{:p}", std::process::id(), &events));
        let file = std::fs::OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        file.set_len(BAR0_BYTES).unwrap();
        std::fs::remove_file(path).unwrap();
        (LinuxBar::map(file.as_fd(), 0, BAR0_BYTES, events).unwrap(), file)
    }

    #[test]
    fn registers_are_where_they_should_be() {
        use std::os::unix::fs::FileExt;
        let (bar, file) = bar(vec![]);
        bar.write(reg::CONTROL, 0x1234_5678).unwrap();
        let mut bytes = [0; 4];
        file.read_exact_at(&mut bytes, reg::CONTROL.into()).unwrap();
        assert_eq!(bytes, [0x78, 0x56, 0x34, 0x12]);
        file.write_all_at(&[1, 2, 3, 4], reg::STATUS.into()).unwrap();
        assert_eq!(bar.read(reg::STATUS), Ok(0x0403_0201));
        let behind = BAR0_BYTES as u32;
        assert_eq!(bar.read(behind), Err(BusError::Decode { offset: behind }));
        assert_eq!(bar.write(2, 0), Err(BusError::Decode { offset: 2 }));
    }

    #[test]
    fn the_owner_ends_with_the_mapping_and_not_before() {
        let owner = std::rc::Rc::new(());
        let bar = bar(vec![]).0.owning(owner.clone()).owning(owner.clone());
        assert_eq!(std::rc::Rc::strong_count(&owner), 3);
        drop(bar);
        assert_eq!(std::rc::Rc::strong_count(&owner), 1);
    }

    #[test]
    fn a_small_bar_is_refused() {
        let (_, file) = bar(vec![]);
        let small = LinuxBar::map(file.as_fd(), 0, 4096, vec![]);
        assert!(matches!(small, Err(LinuxError::BarSize { bytes: 4096 })));
    }

    #[test]
    fn interrupts_are_waited_for_and_merge() {
        let events: Vec<_> = (0..2).map(|_| EventFd::new(0).unwrap()).collect();
        let fire = events[1].try_clone().unwrap();
        let (bar, _file) = bar(events);
        assert_eq!(bar.wait_interrupt(1, Duration::from_millis(1)), Ok(false));
        fire.write(1).unwrap();
        fire.write(1).unwrap();
        assert_eq!(bar.wait_interrupt(0, Duration::from_millis(1)), Ok(false), "of another vector");
        assert_eq!(bar.wait_interrupt(1, Duration::from_secs(5)), Ok(true));
        assert_eq!(bar.wait_interrupt(1, Duration::ZERO), Ok(false));
        assert_eq!(bar.wait_interrupt(7, Duration::ZERO), Err(BusError::Gone));
        fire.write(1).unwrap();
        assert_eq!(bar.wait_interrupt(1, Duration::MAX), Ok(true), "no end that a clock could show");
    }

    #[test]
    fn without_interrupts_a_wait_lets_the_driver_look_again() {
        let (bar, _file) = bar(vec![]);
        assert_eq!(bar.wait_interrupt(0, Duration::from_secs(5)), Ok(true));
        assert_eq!(bar.wait_interrupt(0, Duration::ZERO), Ok(false));
    }
}
