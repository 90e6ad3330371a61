//! MODIFY_QP. Which fields are given is told by a mask of the bits of `qp::ATTRIBUTES`.

words! {
    /// Command.
    FIELDS;
    /// Queue pair number.
    QPN = 0 [31:0];
    /// New state.
    STATE = 1 [31:0];
    /// Mask of given attributes.
    MASK = 2 [31:0];
    /// Partition key.
    PKEY = 3 [15:0];
    /// Access flags: RW, RR, RA.
    ACCESS = 3 [23:16];
    /// Path MTU: 1 to 5 for 256 to 4096 bytes.
    MTU = 3 [31:24];
    /// Queue pair number of the peer.
    DEST_QPN = 4 [31:0];
    /// First PSN that we expect.
    RQ_PSN = 5 [31:0];
    /// First PSN that we send.
    SQ_PSN = 6 [31:0];
    /// Code of the acknowledge timeout: 4.096 us times 2^code, 0 for never.
    TIMEOUT = 7 [7:0];
    /// Retries after a timeout.
    RETRY_CNT = 7 [15:8];
    /// Retries after RNR; 7 is for ever.
    RNR_RETRY = 7 [23:16];
    /// Code of the RNR timer that we ask for.
    MIN_RNR = 7 [31:24];
    /// READs and atomics that we may have outstanding.
    MAX_RD = 8 [7:0];
    /// READs and atomics that the peer may have outstanding here.
    MAX_DEST_RD = 8 [15:8];
    /// SQ_DRAINED is wanted.
    DRAINED_EVENT = 8 [23:16];
    /// UDP source port.
    SOURCE_PORT = 9 [15:0];
    /// VLAN tag control information.
    VLAN_TCI = 9 [31:16];
    /// Destination MAC address, wire order.
    DEST_MAC = 0xA [47:0];
    /// Index of the own address.
    OWN_ADDRESS = 0xB [23:16];
    /// The path is IPv6.
    IPV6 = 0xB [24:24];
    /// Frames carry the VLAN tag.
    VLAN_VALID = 0xB [25:25];
    /// Destination address, network order, IPv4 as ::ffff:a.b.c.d.
    DEST_ADDRESS = 0xC [127:0];
    /// IPv6 flow label.
    FLOW_LABEL = 0x10 [31:0];
    /// Traffic class.
    TRAFFIC_CLASS = 0x11 [7:0];
    /// Hop limit.
    HOP_LIMIT = 0x11 [15:8];
}
