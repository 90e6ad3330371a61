//! A session that is being opened: OPEN until something answers.

use std::time::Duration;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rnic_abi::link::frame as abi;
use rnic_abi::link::frame::FrameType;

use crate::dma::Answering;
use crate::frame::{encode, Header, Mac};
use crate::options::{is_size, LinkOptions};
use crate::session::Agreement;
use crate::tlp::Limits;

const REPEAT: Duration = Duration::from_millis(abi::OPEN_REPEAT_MS as u64);

/// What the device says of itself when it opens a session.
///
/// ```
/// # use rnic_link::DeviceInfo;
/// let info = DeviceInfo { mac: [2, 0x52, 0x4E, 0x49, 0, 1], max_payload: 512, max_read: 512, tags: 8, build: 7 };
/// assert_eq!(info.max_payload, 512); // agreed: the smaller of both sides
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its MAC address.
    pub mac: [u8; 6],
    /// Largest payload in this session, bytes.
    pub max_payload: usize,
    /// Largest read request in this session, bytes.
    pub max_read: usize,
    /// Reads that it has in flight at most.
    pub tags: u8,
    /// Build id of its bitstream.
    pub build: u32,
}

/// OPEN frames and what they ask for.
#[derive(Debug)]
pub(crate) struct Opening {
    session: u32,
    options: LinkOptions,
    tries: u32,
    next: Duration,
}

impl Opening {
    /// A session with a random number that is not 0.
    pub(crate) fn new(options: LinkOptions, session: u32, now: Duration) -> Opening {
        Opening { session: session.max(1), options, tries: 0, next: now }
    }

    pub(crate) fn session(&self) -> u32 {
        self.session
    }

    /// The only device that may answer, if one was named.
    pub(crate) fn device_mac(&self) -> Option<Mac> {
        self.options.device_mac
    }

    pub(crate) fn deadline(&self) -> Duration {
        self.next
    }

    /// Whether OPEN is due. `None`: all tries are spent.
    pub(crate) fn due(&mut self, now: Duration) -> Option<bool> {
        if now < self.next {
            return Some(false);
        }
        (self.tries < abi::OPEN_TRIES).then_some(true)
    }

    /// The next OPEN frame.
    pub(crate) fn frame(&mut self, now: Duration, frame: &mut Vec<u8>) {
        self.tries += 1;
        self.next = now + REPEAT;
        let options = &self.options;
        let mut body = [0; abi::OPEN_BYTES];
        abi::OPEN_DEVICE_ID.put(&mut body, options.device_id.into());
        abi::OPEN_HOST_ID.put(&mut body, abi::HOST_ID.into());
        abi::OPEN_MAX_PAYLOAD.put(&mut body, options.max_payload as u64);
        abi::OPEN_MAX_READ.put(&mut body, options.max_read as u64);
        abi::OPEN_BAR0.put(&mut body, options.bar0);
        abi::OPEN_KEEP_ALIVE.put(&mut body, options.keep_alive_ms.into());
        abi::OPEN_READ_BOUNDARY.put(&mut body, options.read_boundary as u64);
        let header = Header {
            destination: options.device_mac.unwrap_or(abi::BROADCAST_MAC),
            source: options.host_mac,
            kind: FrameType::Open,
            flags: 0,
            session: self.session,
            sequence: 0,
            ack: 0,
            posted_limit: abi::HOST_POSTED,
            nonposted_limit: abi::HOST_NONPOSTED,
        };
        encode(&header, &body, frame);
    }

    /// What is agreed by OPENED. `None`: its body makes no sense.
    pub(crate) fn agree(&self, header: &Header, body: &[u8]) -> Option<(Agreement, DeviceInfo)> {
        if body.len() != abi::OPENED_BYTES {
            return None;
        }
        let [payload, read] = [abi::OPENED_MAX_PAYLOAD, abi::OPENED_MAX_READ].map(|field| field.get(body) as usize);
        let bar0_bits = abi::OPENED_BAR0_BITS.get(body) as u32;
        // LK1: the device's own sizes may be larger than a frame carries, but must be sizes.
        let sensible = |size: usize| size.is_power_of_two() && size >= 128;
        if !sensible(payload) || !sensible(read) || bar0_bits != abi::BAR0_BITS {
            return None;
        }
        let options = &self.options;
        let limits = Limits { payload: payload.min(options.max_payload), read: read.min(options.max_read) };
        debug_assert!(is_size(limits.payload) && is_size(limits.read));
        let answering = Answering {
            max_payload: limits.payload,
            boundary: options.read_boundary,
            every_boundary: options.answers.every_boundary,
        };
        let shuffle = ChaCha8Rng::seed_from_u64(options.seed.unwrap_or(self.session.into()));
        let agreement = Agreement {
            session: self.session,
            own: options.host_mac,
            peer: header.source,
            limits,
            answering,
            bar0: options.bar0,
            bar0_bytes: 1 << bar0_bits,
            keep_alive: Duration::from_millis(options.keep_alive_ms.into()),
            posted_limit: header.posted_limit,
            nonposted_limit: header.nonposted_limit,
            shuffle: options.answers.shuffle.then_some(shuffle),
        };
        let info = DeviceInfo {
            mac: header.source,
            max_payload: limits.payload,
            max_read: limits.read,
            tags: abi::OPENED_TAGS.get(body) as u8,
            build: abi::OPENED_BUILD.get(body) as u32,
        };
        Some((agreement, info))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::decode;

    const DEVICE: [u8; 6] = [0x02, 0x52, 0x4E, 0x49, 0, 1];

    fn opened(change: impl FnOnce(&mut [u8; 32])) -> Option<(Agreement, DeviceInfo)> {
        let options = LinkOptions { max_read: 256, ..LinkOptions::default() };
        let opening = Opening::new(options, 5, Duration::ZERO);
        let mut body = [0; 32];
        body[..12].copy_from_slice(&[0, 128, 4, 0, 8, 16, 0, 0, 1, 2, 3, 4]);
        change(&mut body);
        let header = Header {
            destination: [2, 0, 0, 0, 0, 1],
            source: DEVICE,
            kind: FrameType::Opened,
            flags: 0,
            session: 5,
            sequence: 0,
            ack: 0,
            posted_limit: 16,
            nonposted_limit: 8,
        };
        opening.agree(&header, &body)
    }

    #[test]
    fn lk1_the_smaller_size_of_both_sides_counts() {
        let (agreement, info) = opened(|_| ()).unwrap();
        assert_eq!((agreement.limits.payload, agreement.limits.read), (128, 256));
        assert_eq!(info, DeviceInfo { mac: DEVICE, max_payload: 128, max_read: 256, tags: 8, build: 0x0102_0304 });
    }

    #[test]
    fn lk1_opened_with_impossible_numbers_opens_nothing() {
        assert!(opened(|body| body[1] = 64).is_none(), "payload 64");
        assert!(opened(|body| body[3] = 1).is_none(), "no power of two");
        assert!(opened(|body| body[5] = 12).is_none(), "another window");
        assert!(opened(|body| body[..4].fill(0)).is_none());
    }

    #[test]
    fn open_is_sent_each_10_ms_100_times() {
        let mut opening = Opening::new(LinkOptions::default(), 0, Duration::ZERO);
        assert_eq!(opening.session(), 1, "never 0");
        let mut frame = Vec::new();
        for number in 0..100 {
            let now = Duration::from_millis(10 * number);
            assert_eq!((opening.due(now), opening.deadline()), (Some(true), now));
            opening.frame(now, &mut frame);
            assert_eq!(opening.due(now), Some(false));
        }
        assert_eq!(opening.due(Duration::from_millis(1000)), None);
        let (header, body) = decode(&frame, DEVICE).unwrap();
        assert_eq!((header.destination, header.kind, body.len()), ([0xFF; 6], FrameType::Open, 32));
        let start = [1, 0, 0, 0, 2, 0, 2, 0, 0, 0, 0, 0, 0xE0, 0, 0, 0, 3, 0xE8, 0, 64, 0];
        assert_eq!(body[..21], start);
        assert_eq!((header.posted_limit, header.nonposted_limit), (64, 32));
    }
}
