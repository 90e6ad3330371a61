//! Frames that carry TLPs over Ethernet: header, bodies, limits and timers (rules LK1 to LK15).
//!
//! All numbers in a frame are big-endian. A TLP starts at [`HEADER_BYTES`], a multiple of 8, in PCIe wire order.

/// A number in a frame or in a body, big-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkField {
    /// Offset of the first byte.
    pub byte: usize,
    /// Bytes, at most 8.
    pub bytes: usize,
}

impl NetworkField {
    /// `bytes` bytes from offset `byte` on.
    pub const fn new(byte: usize, bytes: usize) -> Self {
        assert!(bytes > 0 && bytes <= 8);
        Self { byte, bytes }
    }

    /// Reads the number that stands there.
    pub fn get(self, bytes: &[u8]) -> u64 {
        bytes[self.byte..self.byte + self.bytes].iter().fold(0, |value, byte| value << 8 | *byte as u64)
    }

    /// Writes a number there; too high bytes of `value` are lost.
    pub fn put(self, bytes: &mut [u8], value: u64) {
        bytes[self.byte..self.byte + self.bytes].copy_from_slice(&value.to_be_bytes()[8 - self.bytes..]);
    }
}

/// A [`NetworkField`] with its name and meaning.
#[derive(Clone, Copy, Debug)]
pub struct NamedNetworkField {
    /// Name of the constant.
    pub name: &'static str,
    /// Where it is.
    pub field: NetworkField,
    /// What it means.
    pub description: &'static str,
}

macro_rules! network_fields {
    ($(#[doc = $table_doc:literal])+ $table:ident;
     $($(#[doc = $doc:literal])+ $name:ident = $byte:literal, $bytes:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: NetworkField = NetworkField::new($byte, $bytes);)+
        $(#[doc = $table_doc])+
        pub const $table: &[NamedNetworkField] = &[$(NamedNetworkField {
            name: stringify!($name), field: $name, description: concat!($($doc),+).trim_ascii(),
        }),+];
    };
}

/// EtherType: IEEE 802 local experimental 1.
pub const ETHERTYPE: u16 = 0x88B5;
/// Version of this format, bits 7:4 of [`VERSION_AND_TYPE`].
pub const VERSION: u8 = 1;
/// First four bytes of the MAC address of a device; the last two are a build parameter, port B is odd (rule LK4).
pub const DEVICE_MAC_PREFIX: [u8; 4] = [0x02, 0x52, 0x4E, 0x49];
/// Destination of BEACON, and of OPEN when the device is not known.
pub const BROADCAST_MAC: [u8; 6] = [0xFF; 6];
/// Bytes before the body: 14 of Ethernet, 18 of the link.
pub const HEADER_BYTES: usize = 32;
/// Bytes that a frame has at least, without FCS; shorter ones are filled up with zeros.
pub const MIN_FRAME_BYTES: usize = 60;

network_fields! {
    /// Fields of the header; offsets from the first byte of the destination address.
    HEADER;
    /// Destination MAC address.
    DESTINATION = 0, 6;
    /// Source MAC address.
    SOURCE = 6, 6;
    /// EtherType.
    TYPE_OR_LENGTH = 12, 2;
    /// Version in bits 7:4, type in bits 3:0.
    VERSION_AND_TYPE = 14, 1;
    /// Flags, `FLAG_` bits.
    FLAGS = 15, 1;
    /// Bytes of the body, a multiple of 4; what follows is padding (rule LK1).
    BODY_LENGTH = 16, 2;
    /// Session; never 0 but in BEACON.
    SESSION = 18, 4;
    /// Sequence number of a TLP; in all other types the next one to send, not looked at (rule LK5).
    SEQUENCE = 22, 2;
    /// Next sequence number expected (rule LK7).
    ACK = 24, 2;
    /// Posted TLPs that the peer may have sent in this session, modulo 2^16 (rule LK12).
    POSTED_LIMIT = 26, 2;
    /// Non-posted TLPs, likewise.
    NONPOSTED_LIMIT = 28, 2;
    /// 0.
    HEADER_RESERVED = 30, 2;
}

/// Cycles of the core's clock in a microsecond of the link where a board is simulated; a real one counts 84 (rule HO9).
pub const SIMULATED_TICKS_PER_US: u64 = 16;

/// Flag bit: the TLP has been sent before.
pub const FLAG_RESENT: u8 = 0;
/// Flag bit: answer with the limits at once (rule LK15).
pub const FLAG_TELL_LIMITS: u8 = 1;

codes! {
    /// Type of a frame.
    pub enum FrameType {
        /// A device without session makes itself known. Body: [`BEACON`].
        Beacon, TYPE_BEACON = 0, "";
        /// The host opens a session. Body: [`OPEN`]; the limits are the host's first.
        Open, TYPE_OPEN = 1, "SE1";
        /// The device has opened it. Body: [`OPENED`]; the limits are the device's first.
        Opened, TYPE_OPENED = 2, "SE1";
        /// A TLP; the only type that consumes sequence numbers.
        Tlp, TYPE_TLP = 3, "LK5";
        /// Nothing but the header.
        Ack, TYPE_ACK = 4, "LK8";
        /// Like ACK, and what comes from `ack` on is to be sent again.
        Nak, TYPE_NAK = 5, "LK9";
        /// The session ends. Body: [`CLOSE`].
        Close, TYPE_CLOSE = 6, "LK13";
        /// The device does not know the session of a frame, which is named in the header.
        NoSession, TYPE_NO_SESSION = 7, "SE3";
        /// The device is in a session with another host; the session refused is named in the header.
        Refused, TYPE_REFUSED = 8, "";
    }
}

network_fields! {
    /// Body of OPEN; all other bytes are 0.
    OPEN;
    /// Requester and completer id of the device (rule IR3).
    OPEN_DEVICE_ID = 0, 2;
    /// Requester and completer id of the host.
    OPEN_HOST_ID = 2, 2;
    /// Largest payload that the host takes, bytes.
    OPEN_MAX_PAYLOAD = 4, 2;
    /// Largest read request that the host takes, bytes.
    OPEN_MAX_READ = 6, 2;
    /// Bus address of BAR0.
    OPEN_BAR0 = 8, 8;
    /// Keep-alive, milliseconds; 0 = never (rule LK11).
    OPEN_KEEP_ALIVE = 16, 2;
    /// Read completion boundary, bytes.
    OPEN_READ_BOUNDARY = 18, 2;
}

network_fields! {
    /// Body of OPENED; all other bytes are 0.
    OPENED;
    /// Largest payload in this session, bytes: the smaller of OPEN's and the device's, rounded down to a power of two, at
    /// least 128.
    OPENED_MAX_PAYLOAD = 0, 2;
    /// Largest read request in this session, bytes, likewise.
    OPENED_MAX_READ = 2, 2;
    /// Read tags of the device.
    OPENED_TAGS = 4, 1;
    /// Bits of the window of BAR0.
    OPENED_BAR0_BITS = 5, 1;
    /// Build id.
    OPENED_BUILD = 8, 4;
}

network_fields! {
    /// Body of BEACON.
    BEACON;
    /// Build id.
    BEACON_BUILD = 0, 4;
}

network_fields! {
    /// Body of CLOSE.
    CLOSE;
    /// One of [`CLOSE_REASONS`].
    CLOSE_REASON = 0, 4;
}

/// Bytes of the body of OPEN.
pub const OPEN_BYTES: usize = 32;
/// Bytes of the body of OPENED.
pub const OPENED_BYTES: usize = 32;
/// Bytes of the body of BEACON.
pub const BEACON_BYTES: usize = 4;
/// Bytes of the body of CLOSE.
pub const CLOSE_BYTES: usize = 4;

described! {
    /// Why a session ends.
    CLOSE_REASONS: u32;
    /// The owner of the session is done.
    CLOSE_DONE = 0;
    /// No valid frame for keep-alive, or no progress after all retries (rules LK10, LK11).
    CLOSE_LOST = 1;
    /// A TLP beyond its limit (rule LK13).
    CLOSE_OVERRUN = 2;
}

/// Frames that may wait for their ack (rule LK5).
pub const WINDOW: usize = 32;
/// Bytes of TLPs that the device keeps until they are acknowledged (rule LK5).
pub const DEVICE_RETRY_BYTES: usize = 8 << 10;
/// Bytes of TLPs that the host keeps.
pub const HOST_RETRY_BYTES: usize = 64 << 10;
/// Posted TLPs for which the device has buffers (rule LK14).
pub const DEVICE_POSTED: u16 = 16;
/// Non-posted TLPs for which the device has buffers.
pub const DEVICE_NONPOSTED: u16 = 8;
/// Posted TLPs for which a host has buffers, at least.
pub const HOST_POSTED: u16 = 64;
/// Non-posted TLPs for which a host has buffers, at least.
pub const HOST_NONPOSTED: u16 = 32;
/// Largest payload and largest read request on any link, bytes (rule LK1).
pub const LINK_MAX_PAYLOAD: usize = 1024;
/// Payload and read request unless agreed otherwise, bytes (rule TL4).
pub const DEFAULT_MAX_PAYLOAD: usize = 512;
/// Read completion boundary, bytes (rule TL4).
pub const DEFAULT_READ_BOUNDARY: usize = 64;
/// Requester id of the device unless agreed otherwise: 01:00.0 (rule IR3).
pub const DEFAULT_DEVICE_ID: u16 = 0x0100;
/// Requester id of the host.
pub const HOST_ID: u16 = 0;
/// Bits of the window of BAR0 (rule BA1).
pub const BAR0_BITS: u32 = 16;

/// Accepted TLPs after which an ACK is due (rule LK8).
pub const ACK_EVERY: u32 = 4;
/// A limit that grew by its buffer divided by this is told (rule LK8).
pub const LIMIT_SHARE: u32 = 4;
/// Microseconds after which an accepted TLP is acknowledged (rule LK8).
pub const ACK_DELAY_US: u32 = 20;
/// Microseconds after which a NAK is repeated (rule LK6).
pub const NAK_REPEAT_US: u32 = 1_000;
/// Microseconds in which another NAK does not start the same resend again (rule LK9).
pub const RESEND_GUARD_US: u32 = 200;
/// Microseconds without progress after which all is sent again (rule LK10).
pub const RETRANSMIT_US: u32 = 2_000;
/// Resends without progress after which the session is lost (rule LK10).
pub const RETRANSMIT_TRIES: u32 = 100;
/// Keep-alive unless agreed otherwise, milliseconds (rule LK11).
pub const DEFAULT_KEEP_ALIVE_MS: u16 = 1_000;
/// Keep-alive divided by this is the longest time without a frame (rule LK11).
pub const KEEP_ALIVE_SHARE: u32 = 4;
/// Microseconds that a class waits for credit before it asks (rule LK15).
pub const CREDIT_WAIT_US: u32 = 2_000;
/// Microseconds between two NO_SESSION.
pub const NO_SESSION_REPEAT_US: u32 = 1_000;
/// Milliseconds between two BEACONs.
pub const BEACON_MS: u32 = 1_000;
/// Milliseconds between two OPENs.
pub const OPEN_REPEAT_MS: u32 = 10;
/// OPENs after which there is no device.
pub const OPEN_TRIES: u32 = 100;
/// Milliseconds that the host waits for the completion of a BAR read (rule HO4).
pub const BAR_READ_TIMEOUT_MS: u32 = 250;
/// Milliseconds that the device waits for a completion (rule RD7).
pub const COMPLETION_TIMEOUT_MS: u32 = 500;
/// Cycles that core and bridge are reset between two sessions, at least.
pub const SESSION_RESET_CYCLES: u32 = 64;

described! {
    /// Counters of the device's link by number; 16 bits, they stop at the largest value.
    COUNTER_NAMES: u32;
    /// Frames that break the format, or came damaged (LK2).
    FRAMES_UNSOUND = 0;
    /// Frames of a session that does not exist.
    FRAMES_STRAY = 1;
    /// Frames whose ack is outside of the window (LK7).
    ACK_OUTSIDE = 2;
    /// TLPs that had come before (LK6).
    TLP_DUPLICATE = 3;
    /// TLPs that came before their time (LK6).
    TLP_GAP = 4;
    /// TLPs that found no room, which a host within its rules does not see.
    TLP_NO_ROOM = 5;
    /// TLPs too long for any buffer, accepted and dropped (BA2, TL6).
    TLP_OVERSIZED = 6;
    /// NAKs received (LK9).
    NAK_RECEIVED = 7;
    /// Resends for want of progress (LK10).
    RETRANSMIT = 8;
    /// TLPs sent again.
    TLP_RESENT = 9;
    /// Sessions opened.
    SESSION_OPENED = 10;
    /// Sessions lost or ended by an overrun.
    SESSION_LOST = 11;
}

/// Number of counters.
pub const COUNTER_COUNT: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter_map(|c| (c as char).to_digit(16)).map(|d| d as u8).collect();
        digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
    }

    #[test]
    fn a_number_in_a_frame_is_big_endian() {
        let mut bytes = [0; 8];
        NetworkField::new(2, 4).put(&mut bytes, 0x5_1122_3344);
        assert_eq!(bytes, [0, 0, 0x11, 0x22, 0x33, 0x44, 0, 0]);
        assert_eq!(NetworkField::new(2, 4).get(&bytes), 0x1122_3344);
    }

    #[test]
    fn the_header_has_no_hole_and_ends_where_the_tlp_starts() {
        let end = HEADER.iter().fold(0, |end, named| {
            assert_eq!(named.field.byte, end, "{}", named.name);
            end + named.field.bytes
        });
        assert_eq!(end, HEADER_BYTES);
    }

    #[test]
    fn the_fields_find_their_values_in_the_tlp_frame_of_section_2_1() {
        let frame = hex("02524e490001 020000000001 88b5 13 00 0010 1234abcd 0000 0000 0010 0008 0000");
        let values = [0x0252_4e49_0001, 0x0200_0000_0001, 0x88B5, 0x13, 0, 16, 0x1234_ABCD, 0, 0, 16, 8, 0];
        for (named, value) in HEADER.iter().zip(values) {
            assert_eq!(named.field.get(&frame), value, "{}", named.name);
        }
        assert_eq!(FrameType::from_u8(frame[14] & 15), Some(FrameType::Tlp));
        assert_eq!(frame[14] >> 4, VERSION);
    }
}
