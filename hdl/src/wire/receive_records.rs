//! Records inside the frame receiver.
use rust_hdl::prelude::*;

record! {
    /// A beat on its way through the receiver, without its data.
    RxBeat, 22 {
        /// There is a beat.
        valid: Bit,
        /// It begins a frame.
        first: Bit,
        /// It ends a frame.
        last: Bit,
        /// The MAC marked the frame bad; with `last`.
        bad: Bit,
        /// The frame is longer than the largest legal one.
        long: Bit,
        /// The buffer had no room for all of the frame.
        full: Bit,
        /// Number of the beat in its frame; stays at the limit.
        index: Bits<10>,
        /// Bytes of the beat less 1.
        count_less_1: Bits<6>,
    }
}

record! {
    /// What is known of a frame when its last beat has come.
    RxEnd, 40 {
        /// The MAC marked it bad.
        bad: Bit,
        /// Longer than the largest legal frame.
        long: Bit,
        /// The buffer had no room for all of it.
        full: Bit,
        /// Bytes.
        bytes: Bits<13>,
        /// Row of the frame buffer that holds its first byte.
        first_row: Bits<12>,
        /// Row behind its last one.
        end_row: Bits<12>,
    }
}

record! {
    /// Headers of a frame in fixed places, as they stand on the wire: the first byte in the least significant place.
    HeaderWords, 867 {
        /// Destination MAC address.
        mac: Bits<48>,
        /// VLAN tag control information.
        tci: Bits<16>,
        /// There is a VLAN tag.
        tagged: Bit,
        /// EtherType of IPv4.
        ipv4: Bit,
        /// EtherType of IPv6.
        ipv6: Bit,
        /// Bytes 0-3 of the IP header.
        ip0: Bits<32>,
        /// Bytes 4-7.
        ip1: Bits<32>,
        /// Bytes 8-11.
        ip2: Bits<32>,
        /// Bytes 12-15.
        ip3: Bits<32>,
        /// Bytes 16-19.
        ip4: Bits<32>,
        /// Source address; IPv4 as ::ffff:a.b.c.d.
        source: Bits<128>,
        /// Destination address; IPv4 as ::ffff:a.b.c.d.
        dest: Bits<128>,
        /// UDP ports.
        ports: Bits<32>,
        /// UDP length and checksum.
        udp: Bits<32>,
        /// BTH bytes 0-3.
        bth0: Bits<32>,
        /// BTH bytes 4-7.
        bth1: Bits<32>,
        /// BTH bytes 8-11.
        bth2: Bits<32>,
        /// Bytes 0-3 behind the BTH.
        ext0: Bits<32>,
        /// Bytes 4-7.
        ext1: Bits<32>,
        /// Bytes 8-11.
        ext2: Bits<32>,
        /// Bytes 12-15.
        ext3: Bits<32>,
        /// Bytes 16-19.
        ext4: Bits<32>,
        /// Bytes 20-23.
        ext5: Bits<32>,
        /// Bytes 24-27.
        ext6: Bits<32>,
    }
}

record! {
    /// What the headers of a frame decide; the ICRC may still say otherwise.
    RxVerdict, 46 {
        /// Not 0: reason of the drop.
        reason: Bits<8>,
        /// A wrong ICRC goes before `reason`.
        needs_crc: Bit,
        /// For the raw ring.
        raw: Bit,
        /// Own address it came to.
        own_address: Bits<3>,
        /// Bytes of the payload.
        payload: Bits<13>,
        /// Offset of the payload in the frame.
        payload_at: Bits<8>,
        /// Row behind the frame's last one.
        end_row: Bits<12>,
    }
}
