//! What the smoke test needs besides the driver's traits: memory of the application, and how long to wait.
use rnic_driver::{Clock, DmaMemory, Platform};
use rnic_link::{FrameTransport, LinkArea, LinkPlatform};
use rnic_linux::{Area, LinuxPlatform};
use rnic_sim::platform::{HostPages, SimPlatform};
use std::time::Duration;

/// A platform with memory of the application.
pub trait Machine: Platform<Memory: DmaMemory<Memory = Self::Area>> + 'static {
    /// Memory of the application.
    type Area;

    /// The longest wait for anything, by the platform's clock.
    const LIMIT: Duration;

    /// Zeroed memory of `bytes` bytes that begins `start` bytes into a page.
    fn area(&self, start: usize, bytes: usize) -> Result<Self::Area, String>;
    /// Writes all of its bytes.
    fn fill(area: &Self::Area, bytes: &[u8]);
    /// Reads its first bytes.
    fn bytes(area: &Self::Area, count: usize) -> Vec<u8>;
    /// Lists of such memory that the device can still reach.
    fn mapped(&self) -> usize;
}

impl Machine for LinuxPlatform {
    type Area = Area;

    const LIMIT: Duration = Duration::from_secs(2);

    fn area(&self, start: usize, bytes: usize) -> Result<Area, String> {
        let area = self.memory.area(start + bytes).map_err(|error| error.to_string())?;
        Ok(area.part(start..start + bytes))
    }

    fn fill(area: &Area, bytes: &[u8]) {
        area.write(0, bytes);
    }

    fn bytes(area: &Area, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        area.read(0, &mut bytes);
        bytes
    }

    fn mapped(&self) -> usize {
        self.memory.mapped()
    }
}

impl Machine for SimPlatform {
    type Area = HostPages;

    /// Half a million cycles.
    const LIMIT: Duration = Duration::from_millis(10);

    fn area(&self, start: usize, bytes: usize) -> Result<HostPages, String> {
        let pages = HostPages::new((start + bytes) as u64, 12);
        Ok(pages.part(start as u64..(start + bytes) as u64))
    }

    fn fill(area: &HostPages, bytes: &[u8]) {
        area.region().write(area.range().start, bytes);
    }

    fn bytes(area: &HostPages, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        area.region().read(area.range().start, &mut bytes);
        bytes
    }

    fn mapped(&self) -> usize {
        self.memory.mapped()
    }
}

impl<T: FrameTransport + 'static, C: Clock + 'static> Machine for LinkPlatform<T, C> {
    type Area = LinkArea;

    /// Several times after which the link sends again.
    const LIMIT: Duration = Duration::from_millis(100);

    fn area(&self, start: usize, bytes: usize) -> Result<LinkArea, String> {
        let area = self.memory.area(start + bytes).map_err(|error| error.to_string())?;
        Ok(area.part(start..start + bytes))
    }

    fn fill(area: &LinkArea, bytes: &[u8]) {
        area.write(0, bytes);
    }

    fn bytes(area: &LinkArea, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        area.read(0, &mut bytes);
        bytes
    }

    fn mapped(&self) -> usize {
        self.memory.mapped()
    }
}
