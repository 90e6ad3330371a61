//! What the host asks for when it opens a session.

use rnic_abi::link::frame as abi;

use crate::error::LinkError;
use crate::frame::Mac;

/// How to open a link.
///
/// ```
/// use rnic_link::LinkOptions;
///
/// let options = LinkOptions { host_mac: [2, 0, 0, 0, 0, 9], ..LinkOptions::default() };
/// assert_eq!((options.max_payload, options.keep_alive_ms), (512, 1000));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOptions {
    /// Own MAC address.
    pub host_mac: [u8; 6],
    /// MAC address of the device; without it OPEN goes to all stations and the first device that answers is taken.
    pub device_mac: Option<[u8; 6]>,
    /// Requester and completer id that the device is given (IR3).
    pub device_id: u16,
    /// Largest payload, bytes: 128, 256, 512 or 1024. The device may want less (LK1).
    pub max_payload: usize,
    /// Largest read request, bytes, likewise.
    pub max_read: usize,
    /// Read completion boundary, bytes: 64 or 128.
    pub read_boundary: usize,
    /// Bus address of BAR0, a multiple of its 64 KiB.
    pub bar0: u64,
    /// After this long without a frame the session is lost; 0 = never, for work in a debugger (LK11).
    pub keep_alive_ms: u16,
    /// Makes the session number and all bus addresses the same in each run. For tests: two hosts with one seed have one session.
    pub seed: Option<u64>,
    /// Test mode: how reads of the device are answered (HO8).
    pub answers: Answers,
}

/// How reads of the device are answered: all ways are legal, and a device must take each (HO8).
///
/// ```
/// use rnic_link::{Answers, LinkOptions};
///
/// let answers = Answers { every_boundary: true, shuffle: true };
/// let options = LinkOptions { answers, seed: Some(1), ..LinkOptions::default() };
/// assert_ne!(options, LinkOptions::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// A completion ends at each read completion boundary, instead of at the last one that fits.
    pub every_boundary: bool,
    /// Completions of different tags overtake each other.
    pub shuffle: bool,
}

impl Default for LinkOptions {
    fn default() -> LinkOptions {
        LinkOptions {
            host_mac: [0x02, 0, 0, 0, 0, 1],
            device_mac: None,
            device_id: abi::DEFAULT_DEVICE_ID,
            max_payload: abi::DEFAULT_MAX_PAYLOAD,
            max_read: abi::DEFAULT_MAX_PAYLOAD,
            read_boundary: abi::DEFAULT_READ_BOUNDARY,
            bar0: 0xE000_0000,
            keep_alive_ms: abi::DEFAULT_KEEP_ALIVE_MS,
            seed: None,
            answers: Answers::default(),
        }
    }
}

impl LinkOptions {
    /// Bits of BAR0.
    const BAR0_MASK: u64 = (1 << abi::BAR0_BITS) - 1;

    pub(crate) fn check(&self) -> Result<(), LinkError> {
        let group = |mac: &Mac| mac[0] & 1 == 1;
        if group(&self.host_mac) || self.device_mac.as_ref().is_some_and(group) {
            return Err(LinkError::Options("a MAC address of one station is needed, not of a group"));
        }
        if !is_size(self.max_payload) || !is_size(self.max_read) {
            return Err(LinkError::Options("payload and read request are 128, 256, 512 or 1024 bytes"));
        }
        if !matches!(self.read_boundary, 64 | 128) {
            return Err(LinkError::Options("the read completion boundary is 64 or 128 bytes"));
        }
        let overlaps_interrupts = self.bar0 < crate::interrupt::ADDRESSES.end
            && self.bar0 + Self::BAR0_MASK >= crate::interrupt::ADDRESSES.start;
        if self.bar0 & Self::BAR0_MASK != 0 || overlaps_interrupts {
            return Err(LinkError::Options("BAR0 begins at a multiple of 64 KiB, outside of the interrupt addresses"));
        }
        Ok(())
    }
}

/// Whether a payload or read size can be agreed on (LK1).
pub(crate) fn is_size(bytes: usize) -> bool {
    bytes.is_power_of_two() && (128..=abi::LINK_MAX_PAYLOAD).contains(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lk1_options_that_make_no_sense_are_named() {
        let wrong = |change: fn(&mut LinkOptions)| {
            let mut options = LinkOptions::default();
            change(&mut options);
            matches!(options.check(), Err(LinkError::Options(_)))
        };
        assert!(LinkOptions::default().check().is_ok());
        assert!(wrong(|options| options.host_mac = [0xFF; 6]));
        assert!(wrong(|options| options.device_mac = Some([1, 0, 0, 0, 0, 0])));
        assert!(wrong(|options| options.max_payload = 2048));
        assert!(wrong(|options| options.max_read = 500));
        assert!(wrong(|options| options.read_boundary = 32));
        assert!(wrong(|options| options.bar0 = 0xE000_1000));
        assert!(wrong(|options| options.bar0 = 0xFEE0_0000));
    }
}
