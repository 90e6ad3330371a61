//! What the subsystem keeps of a queue pair (records QC and QV of the transport specification, cut by when they change).
use rust_hdl::prelude::*;

record! {
    /// Fixed at create.
    QpRings, 162 {
        /// Queue pair number in full; 0: the index is free.
        qpn: Bits<24>,
        /// Protection domain.
        pd: Bits<24>,
        /// The local DMA lkey is allowed (rule A26).
        privileged: Bit,
        /// Every WR is signalled.
        sig_all: Bit,
        /// Completion queue of sends.
        send_cqn: Bits<12>,
        /// Completion queue of receives.
        receive_cqn: Bits<12>,
        /// Log2 of the slots of the send ring.
        sq_log2: Bits<4>,
        /// Log2 of the slots of the receive ring.
        rq_log2: Bits<4>,
        /// Base of the send ring, 4 KiB units.
        sq_base: Bits<40>,
        /// Base of the receive ring, 4 KiB units.
        rq_base: Bits<40>,
    }
}

record! {
    /// Attributes that MODIFY_QP gives one by one (rule T2).
    QpAttributes, 121 {
        /// RW, RR, RA.
        access: Bits<3>,
        /// Partition key.
        pkey: Bits<16>,
        /// Path MTU code.
        mtu: Bits<3>,
        /// Queue pair number of the peer.
        dest_qpn: Bits<24>,
        /// First PSN expected.
        rq_psn: Bits<24>,
        /// First PSN sent.
        sq_psn: Bits<24>,
        /// Code of the acknowledge timeout.
        timeout: Bits<5>,
        /// Retries after a timeout.
        retry_cnt: Bits<3>,
        /// Retries after RNR.
        rnr_retry: Bits<3>,
        /// Code of the RNR timer asked for.
        min_rnr: Bits<5>,
        /// READs and atomics that we may have outstanding.
        max_rd: Bits<5>,
        /// READs and atomics that the peer may have outstanding.
        max_dest_rd: Bits<5>,
        /// SQ_DRAINED is wanted.
        drained_event: Bit,
    }
}

record! {
    /// Address vector: given as a whole. Addresses stand as their words do, byte 0 in the least significant place.
    QpPath, 249 {
        /// UDP source port.
        source_port: Bits<16>,
        /// VLAN tag control information.
        vlan_tci: Bits<16>,
        /// Destination MAC address.
        dest_mac: Bits<48>,
        /// Index of the own address.
        own_address: Bits<3>,
        /// The path is IPv6.
        ipv6: Bit,
        /// Frames carry the VLAN tag.
        vlan_valid: Bit,
        /// Destination address.
        dest_address: Bits<128>,
        /// IPv6 flow label.
        flow_label: Bits<20>,
        /// Traffic class.
        traffic_class: Bits<8>,
        /// Hop limit.
        hop_limit: Bits<8>,
    }
}
