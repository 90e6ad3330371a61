//! Records between the wire and the transport engines.
use rust_hdl::prelude::*;

record! {
    /// A received frame that passed every check of T89, as its headers tell. Header fields that the opcode does not carry
    /// hold other bytes of the frame.
    RxFrame, 589 {
        /// For the raw ring; then only the fields up to `first_row` count.
        raw: Bit,
        /// The ICRC was there and right.
        icrc_ok: Bit,
        /// It carried a VLAN tag.
        tagged: Bit,
        /// It came to the broadcast address.
        broadcast: Bit,
        /// Bytes of the whole frame.
        bytes: Bits<13>,
        /// Row of the frame buffer that holds its first byte.
        first_row: Bits<12>,
        /// BTH opcode.
        opcode: Bits<8>,
        /// Solicited event.
        solicited: Bit,
        /// An acknowledgement is asked for.
        ack_request: Bit,
        /// Pad bytes behind the payload.
        pad: Bits<2>,
        /// Partition key.
        pkey: Bits<16>,
        /// Destination queue pair.
        qpn: Bits<24>,
        /// PSN.
        psn: Bits<24>,
        /// RETH or AtomicETH: remote address.
        va: Bits<64>,
        /// RETH or AtomicETH: key.
        rkey: Bits<32>,
        /// RETH: length.
        length: Bits<32>,
        /// AtomicETH: swap or add. AtomicAckETH: the original value.
        swap: Bits<64>,
        /// AtomicETH: compare.
        compare: Bits<64>,
        /// IETH as a number; ImmDt with its first byte on the wire in the least significant place, as a CQE holds it.
        immediate: Bits<32>,
        /// AETH: syndrome.
        syndrome: Bits<8>,
        /// AETH: MSN.
        msn: Bits<24>,
        /// Offset of the payload in the frame.
        payload_at: Bits<8>,
        /// Bytes of the payload, without pad.
        payload: Bits<13>,
        /// Source address in network order, its first byte in the least significant place; IPv4 as ::ffff:a.b.c.d.
        source: Bits<128>,
        /// Which of our addresses it came to.
        own_address: Bits<3>,
        /// VLAN identifier, 0 without a tag.
        vlan: Bits<12>,
    }
}

record! {
    /// A frame to send, as far as it is not in the path of its queue pair.
    TxFrame, 407 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// BTH opcode.
        opcode: Bits<8>,
        /// Solicited event.
        solicited: Bit,
        /// An acknowledgement is asked for.
        ack_request: Bit,
        /// PSN.
        psn: Bits<24>,
        /// RETH or AtomicETH: remote address.
        va: Bits<64>,
        /// RETH or AtomicETH: key.
        rkey: Bits<32>,
        /// RETH: length.
        length: Bits<32>,
        /// AtomicETH: swap or add. AtomicAckETH: the original value.
        swap: Bits<64>,
        /// AtomicETH: compare.
        compare: Bits<64>,
        /// IETH as a number; ImmDt with its first byte on the wire in the least significant place, as a WQE holds it.
        immediate: Bits<32>,
        /// AETH: syndrome.
        syndrome: Bits<8>,
        /// AETH: MSN.
        msn: Bits<24>,
        /// Bytes of the payload, without pad.
        payload: Bits<13>,
        /// For the engine that asked: it is told when the frame is complete, or has failed.
        tag: Bits<32>,
    }
}

record! {
    /// What a queue pair puts into the headers of all its frames.
    WirePath, 289 {
        /// UDP source port.
        source_port: Bits<16>,
        /// VLAN tag control information.
        vlan_tci: Bits<16>,
        /// Destination MAC address, its first byte on the wire in the least significant place.
        dest_mac: Bits<48>,
        /// Index of the own address.
        own_address: Bits<3>,
        /// The path is IPv6.
        ipv6: Bit,
        /// Frames carry the VLAN tag.
        vlan_valid: Bit,
        /// Destination address, its first byte on the wire in the least significant place; IPv4 as ::ffff:a.b.c.d.
        dest_address: Bits<128>,
        /// IPv6 flow label.
        flow_label: Bits<20>,
        /// Traffic class.
        traffic_class: Bits<8>,
        /// Hop limit.
        hop_limit: Bits<8>,
        /// Queue pair of the peer.
        dest_qpn: Bits<24>,
        /// Partition key.
        pkey: Bits<16>,
    }
}

record! {
    /// Where payload lies in memory, before it is looked up: up to four SGEs and the part of them that is meant.
    Span, 624 {
        /// SGE 0: address, length, key.
        address0: Bits<64>,
        /// Length.
        length0: Bits<32>,
        /// Key.
        key0: Bits<32>,
        /// SGE 1.
        address1: Bits<64>,
        /// Length.
        length1: Bits<32>,
        /// Key.
        key1: Bits<32>,
        /// SGE 2.
        address2: Bits<64>,
        /// Length.
        length2: Bits<32>,
        /// Key.
        key2: Bits<32>,
        /// SGE 3.
        address3: Bits<64>,
        /// Length.
        length3: Bits<32>,
        /// Key.
        key3: Bits<32>,
        /// Bytes of the list before the part that is meant.
        skip: Bits<32>,
        /// Bytes of the part.
        bytes: Bits<13>,
        /// Protection domain of the queue pair.
        pd: Bits<24>,
        /// Access bits that are needed (E5): LW 1, RW 2, RR 4, RA 8.
        need: Bits<8>,
        /// Keys are rkeys.
        remote: Bit,
        /// The queue pair may use the local DMA lkey (A26).
        privileged: Bit,
        /// The generation must be `generation` (C24).
        same_generation: Bit,
        /// Generation of the first check.
        generation: Bits<32>,
    }
}

record! {
    /// Payload of a frame to place in memory, and checks of keys without payload.
    PlaceJob, 162 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// READ or atomic data into a sink (AXI id 3), else payload of a request (AXI id 2).
        response: Bit,
        /// Check that `key0` of the span allows `range` bytes from `address0` on, before anything else.
        checks_range: Bit,
        /// Bytes of that check.
        range: Bits<32>,
        /// Keep the generation that the first lookup answers as the queue pair's.
        keeps_generation: Bit,
        /// Every lookup must answer the queue pair's generation (C24).
        same_generation: Bit,
        /// Row of the frame buffer that holds the first byte of the frame.
        first_row: Bits<12>,
        /// Offset of the payload in the frame.
        payload_at: Bits<8>,
        /// Comes back with the verdict.
        tag: Bits<32>,
        /// The payload is the 8 bytes of `value`, least significant first, not bytes of the frame (result of an atomic, T39).
        inline: Bit,
        /// Payload of an inline job; bus address of a raw one.
        value: Bits<64>,
        /// A raw frame (AXI id 5): `range` bytes of it go to the bus address `value`, unasked. Its span is empty.
        raw: Bit,
    }
}

record! {
    /// What became of a job of the placer; verdicts come in the order of the jobs.
    PlaceVerdict, 98 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// The job was for a response.
        response: Bit,
        /// The queue pair had failed before: nothing was checked or placed.
        dead: Bit,
        /// 0, or the first syndrome of a lookup.
        syndrome: Bits<8>,
        /// Generation of the last lookup.
        generation: Bits<32>,
        /// Free-running count of the write bursts issued up to and with this job, of its AXI id.
        writes: Bits<16>,
        /// Of the job.
        tag: Bits<32>,
    }
}
