//! Records of the responder's answers.
use rust_hdl::prelude::*;

record! {
    /// What the answers of a queue pair need of its context; written by `qp` alone.
    RespondContext, 28 {
        /// Path MTU code: 1 means 256 bytes, 5 means 4,096 (G9).
        mtu: Bits<3>,
        /// Protection domain.
        pd: Bits<24>,
        /// The local DMA lkey is allowed (rule A26); rkeys never are it.
        privileged: Bit,
    }
}

record! {
    /// A READ or atomic that waits in the ring of its queue pair (record RR).
    ResponseEntry, 339 {
        /// 0 READ, 1 compare and swap, 2 fetch and add.
        kind: Bits<2>,
        /// Asked for again.
        duplicate: Bit,
        /// PSN of the first packet of the answer.
        psn: Bits<24>,
        /// MSN that the answer reports.
        msn: Bits<24>,
        /// Remote address of the request.
        va: Bits<64>,
        /// Its key.
        rkey: Bits<32>,
        /// READ: bytes.
        length: Bits<32>,
        /// Generation of the region at the first check (C24).
        generation: Bits<32>,
        /// Atomic: swap or add.
        swap: Bits<64>,
        /// Atomic: compare.
        compare: Bits<64>,
    }
}

record! {
    /// How far the answers of a queue pair have come (record QK); written by the engine alone.
    ResponseProgress, 122 {
        /// Count of entries taken from the ring, modulo 64.
        head: Bits<6>,
        /// Bytes of the entry at the head that have been sent.
        offset: Bits<32>,
        /// Packets of it.
        sent: Bits<24>,
        /// Way of the last frame: 0 headers only, 1 with payload, 2 atomic.
        way: Bits<2>,
        /// A response has failed: nothing more is answered (T64).
        closing: Bit,
        /// Its NAK has still to be sent.
        nak: Bit,
        /// PSN of that NAK: the one that was due.
        nak_psn: Bits<24>,
        /// Why (T72).
        nak_syndrome: Bits<8>,
        /// MSN of that NAK.
        nak_msn: Bits<24>,
    }
}

record! {
    /// An atomic that is at the head of its ring.
    AtomicJob, 344 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// Fetch and add, else compare and swap.
        adds: Bit,
        /// Asked for again: to be answered from the saved results.
        duplicate: Bit,
        /// PSN.
        psn: Bits<24>,
        /// MSN that the answer reports.
        msn: Bits<24>,
        /// Remote address.
        va: Bits<64>,
        /// Its key.
        rkey: Bits<32>,
        /// Generation of the region at the first check.
        generation: Bits<32>,
        /// Swap or add.
        swap: Bits<64>,
        /// Compare.
        compare: Bits<64>,
        /// Protection domain.
        pd: Bits<24>,
        /// Bits 13 to 8 of the tag of its frames: the head of the ring.
        slot: Bits<6>,
    }
}

record! {
    /// An atomic that was carried out (record AR).
    AtomicResult, 89 {
        /// PSN.
        psn: Bits<24>,
        /// Fetch and add, else compare and swap.
        adds: Bit,
        /// The number before.
        value: Bits<64>,
    }
}
