//! The invariant CRC (G11): CRC-32 of Ethernet over the frame from the IP header on, with what routers may change
//! replaced by ones. Bit by bit on purpose: it is a second opinion on the engine of the hardware, which works beat by beat.

/// Reflected polynomial of CRC-32.
const POLYNOMIAL: u32 = 0xEDB8_8320;

/// State after the eight bytes FF that stand for the fields of the local route header.
pub const START: u32 = 0xDEBB_20E3;

/// Bytes of an IPv4 header without options.
const IPV4: usize = 20;
/// Bytes of an IPv6 header.
const IPV6: usize = 40;
/// Offset of the congestion byte behind the UDP header.
const CONGESTION: usize = 8 + 4;

/// Continues a CRC over `bytes`.
#[must_use]
pub fn update(state: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(state, |state, byte| {
        (0..8).fold(state ^ u32::from(*byte), |state, _| (state >> 1) ^ (POLYNOMIAL & 0u32.wrapping_sub(state & 1)))
    })
}

/// The packet with the masked bytes replaced: from the IP header to the end of the payload's padding.
#[must_use]
pub fn masked(packet: &[u8]) -> Vec<u8> {
    let mut masked = packet.to_vec();
    let mut ones = |at: usize, bits: u8| {
        if let Some(byte) = masked.get_mut(at) {
            *byte |= bits;
        }
    };
    let udp = match packet.first().map_or(0, |byte| byte >> 4) {
        6 => {
            // Traffic class, flow label, hop limit.
            ones(0, 0x0F);
            [1, 2, 3, 7].into_iter().for_each(|at| ones(at, 0xFF));
            IPV6
        }
        _ => {
            // Type of service, time to live, header checksum.
            [1, 8, 10, 11].into_iter().for_each(|at| ones(at, 0xFF));
            IPV4
        }
    };
    [6, 7, CONGESTION].into_iter().for_each(|at| ones(udp + at, 0xFF));
    masked
}

/// The ICRC of a packet that begins with its IP header and ends before the ICRC, in wire order.
#[must_use]
pub fn icrc(packet: &[u8]) -> [u8; 4] {
    (!update(START, &masked(packet))).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g11_the_start_is_eight_bytes_of_ones() {
        assert_eq!(update(u32::MAX, &[0xFF; 8]), START);
        assert_eq!(!update(u32::MAX, b"123456789"), 0xCBF4_3926, "the customary check value of CRC-32");
    }

    #[test]
    fn g11_masked_bytes_do_not_count_and_all_others_do() {
        for (version, header, free) in [(0x45, IPV4, vec![1, 8, 10, 11]), (0x60, IPV6, vec![1, 2, 3, 7])] {
            let mut packet: Vec<u8> = (0..header as u8 + 8 + 12 + 5).collect();
            packet[0] = version;
            let free: Vec<usize> = free.into_iter().chain([header + 6, header + 7, header + CONGESTION]).collect();
            let right = icrc(&packet);
            for at in 1..packet.len() {
                packet[at] ^= 0x10;
                assert_eq!(icrc(&packet) == right, free.contains(&at), "version {version:#x}, byte {at}");
                packet[at] ^= 0x10;
            }
        }
    }
}
