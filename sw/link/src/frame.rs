//! Frames of the link: header and padding, and what of a received frame is looked at before anything else (LK1, LK2).

use rnic_abi::link::frame as abi;
use rnic_abi::link::frame::FrameType;

/// MAC address of one end of the link.
pub(crate) type Mac = [u8; 6];

/// What a frame says besides its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub destination: Mac,
    pub source: Mac,
    pub kind: FrameType,
    /// `FLAG_` bits.
    pub flags: u8,
    pub session: u32,
    pub sequence: u16,
    pub ack: u16,
    pub posted_limit: u16,
    pub nonposted_limit: u16,
}

/// Why a frame is dropped unread (LK2). The FCS is checked by whatever delivers frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dropped {
    /// Less than a header.
    Short,
    /// For another station.
    Destination,
    /// Another protocol, such as a VLAN tag or a pause frame.
    EtherType,
    /// Another version of this one.
    Version,
    /// A type that does not exist.
    Type,
    /// The body is no multiple of 4 bytes, or passes the end of the frame.
    Length,
}

/// Writes a frame into `frame`, padded to the least that Ethernet carries (HO1: a virtual cable does not pad).
pub(crate) fn encode(header: &Header, body: &[u8], frame: &mut Vec<u8>) {
    debug_assert!(body.len() % 4 == 0 && body.len() <= usize::from(u16::MAX));
    frame.clear();
    frame.resize(abi::HEADER_BYTES, 0);
    abi::DESTINATION.put(frame, number(header.destination));
    abi::SOURCE.put(frame, number(header.source));
    abi::TYPE_OR_LENGTH.put(frame, abi::ETHERTYPE.into());
    abi::VERSION_AND_TYPE.put(frame, (abi::VERSION << 4 | header.kind.code()).into());
    abi::FLAGS.put(frame, header.flags.into());
    abi::BODY_LENGTH.put(frame, body.len() as u64);
    abi::SESSION.put(frame, header.session.into());
    abi::SEQUENCE.put(frame, header.sequence.into());
    abi::ACK.put(frame, header.ack.into());
    abi::POSTED_LIMIT.put(frame, header.posted_limit.into());
    abi::NONPOSTED_LIMIT.put(frame, header.nonposted_limit.into());
    frame.extend_from_slice(body);
    if frame.len() < abi::MIN_FRAME_BYTES {
        frame.resize(abi::MIN_FRAME_BYTES, 0);
    }
}

/// Takes a frame apart that is for `own`, or for all stations where that is allowed.
pub(crate) fn decode(frame: &[u8], own: Mac) -> Result<(Header, &[u8]), Dropped> {
    if frame.len() < abi::HEADER_BYTES {
        return Err(Dropped::Short);
    }
    if abi::TYPE_OR_LENGTH.get(frame) != abi::ETHERTYPE.into() {
        return Err(Dropped::EtherType);
    }
    let version_and_type = abi::VERSION_AND_TYPE.get(frame) as u8;
    if version_and_type >> 4 != abi::VERSION {
        return Err(Dropped::Version);
    }
    let kind = FrameType::from_u8(version_and_type & 15).ok_or(Dropped::Type)?;
    let destination = mac(&frame[..6]);
    let to_all = matches!(kind, FrameType::Open | FrameType::Beacon) && destination == abi::BROADCAST_MAC;
    if destination != own && !to_all {
        return Err(Dropped::Destination);
    }
    let length = abi::BODY_LENGTH.get(frame) as usize;
    let body = frame.get(abi::HEADER_BYTES..abi::HEADER_BYTES + length).filter(|body| body.len() % 4 == 0);
    let body = body.ok_or(Dropped::Length)?;
    let header = Header {
        destination,
        source: mac(&frame[6..12]),
        kind,
        flags: abi::FLAGS.get(frame) as u8,
        session: abi::SESSION.get(frame) as u32,
        sequence: abi::SEQUENCE.get(frame) as u16,
        ack: abi::ACK.get(frame) as u16,
        posted_limit: abi::POSTED_LIMIT.get(frame) as u16,
        nonposted_limit: abi::NONPOSTED_LIMIT.get(frame) as u16,
    };
    Ok((header, body))
}

fn number(mac: Mac) -> u64 {
    mac.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn mac(bytes: &[u8]) -> Mac {
    let mut mac = [0; 6];
    mac.copy_from_slice(bytes);
    mac
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::fcs;
    use proptest::prelude::*;

    const HOST: Mac = [2, 0, 0, 0, 0, 1];
    const DEVICE: Mac = [0x02, 0x52, 0x4E, 0x49, 0, 1];

    fn tlp_header() -> Header {
        Header {
            destination: DEVICE,
            source: HOST,
            kind: FrameType::Tlp,
            flags: 0,
            session: 0x1234_ABCD,
            sequence: 0,
            ack: 0,
            posted_limit: 16,
            nonposted_limit: 8,
        }
    }

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
        digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
    }

    #[test]
    fn lk1_the_frames_of_section_2_1_with_their_fcs() {
        let tlp = hex("40000001 0000000f e0000100 efbeadde");
        let mut frame = Vec::new();
        encode(&tlp_header(), &tlp, &mut frame);
        let expected = hex("02524e490001 020000000001 88b5 13 00 0010 1234abcd 0000 0000 0010 0008 0000
                            40000001 0000000f e0000100 efbeadde 000000000000000000000000");
        assert_eq!((&frame, fcs(&frame)), (&expected, [0x37, 0xFC, 0x1B, 0x3C]));
        assert_eq!(decode(&frame, DEVICE), Ok((tlp_header(), &tlp[..])));

        let ack = Header {
            destination: HOST,
            source: DEVICE,
            kind: FrameType::Ack,
            ack: 1,
            posted_limit: 17,
            ..tlp_header()
        };
        encode(&ack, &[], &mut frame);
        let mut expected = hex("020000000001 02524e490001 88b5 14 00 0000 1234abcd 0000 0001 0011 0008 0000");
        expected.resize(60, 0);
        assert_eq!((&frame, fcs(&frame)), (&expected, [0xAE, 0xAC, 0x24, 0x3F]));
    }

    #[test]
    fn lk2_each_wrong_field_has_its_own_reason() {
        let mut good = Vec::new();
        encode(&tlp_header(), &[0; 28], &mut good);
        let with = |at: usize, value: u8| {
            let mut frame = good.clone();
            frame[at] = value;
            decode(&frame, DEVICE).err()
        };
        assert_eq!(decode(&good[..31], DEVICE), Err(Dropped::Short));
        assert_eq!(decode(&good, HOST), Err(Dropped::Destination));
        assert_eq!(with(12, 0x81), Some(Dropped::EtherType), "VLAN");
        assert_eq!(with(14, 0x23), Some(Dropped::Version));
        assert_eq!(with(14, 0x19), Some(Dropped::Type));
        assert_eq!(with(17, 30), Some(Dropped::Length), "no multiple of 4");
        assert_eq!(with(17, 32), Some(Dropped::Length), "passes the end");
        assert_eq!(with(16, 1), Some(Dropped::Length));
        assert_eq!(with(31, 1), None, "a reserved byte is not looked at");
    }

    #[test]
    fn lk2_only_open_and_beacon_may_be_for_all() {
        for kind in FrameType::ALL {
            let mut frame = Vec::new();
            encode(&Header { destination: abi::BROADCAST_MAC, kind: *kind, ..tlp_header() }, &[], &mut frame);
            let allowed = matches!(kind, FrameType::Open | FrameType::Beacon);
            assert_eq!(decode(&frame, HOST).is_ok(), allowed, "{kind:?}");
        }
    }

    proptest! {
        #[test]
        fn lk2_any_bytes_are_understood_or_dropped(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = decode(&bytes, HOST);
        }
    }
}
