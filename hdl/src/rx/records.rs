//! Records of the responder.
use rust_hdl::prelude::*;

record! {
    /// What the responder needs of a queue pair; written by `qp` alone.
    ResponderContext, 240 {
        /// Queue pair number in full, 0 while the index is unused.
        qpn: Bits<24>,
        /// State (rule T1).
        state: Bits<3>,
        /// Partition key.
        pkey: Bits<16>,
        /// Bit 0 RW, bit 1 RR, bit 2 RA.
        access: Bits<3>,
        /// Path MTU code (G9).
        mtu: Bits<3>,
        /// READs and atomics that the peer may have outstanding here.
        max_dest_rd: Bits<5>,
        /// Code of the RNR timer that we ask for.
        min_rnr: Bits<5>,
        /// Protection domain.
        pd: Bits<24>,
        /// The local DMA lkey is allowed (rule A26).
        privileged: Bit,
        /// Index of the own address.
        own_address: Bits<3>,
        /// The path has a VLAN tag.
        vlan_valid: Bit,
        /// Its VLAN identifier.
        vlan: Bits<12>,
        /// Receive completion queue.
        cqn: Bits<12>,
        /// Address of the peer, as [`crate::wire::RxFrame`] has the source.
        dest_address: Bits<128>,
    }
}

record! {
    /// A request of the right peer, with what its judge needs of the context.
    Request, 443 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// Its number in full.
        qpn: Bits<24>,
        /// Row of the frame buffer that holds the first byte of the frame.
        first_row: Bits<12>,
        /// Offset of the payload in the frame.
        payload_at: Bits<8>,
        /// Bytes of the payload, without pad.
        payload: Bits<13>,
        /// Pad bytes.
        pad: Bits<2>,
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
        /// AtomicETH: swap or add.
        swap: Bits<64>,
        /// AtomicETH: compare.
        compare: Bits<64>,
        /// Immediate data, or the key to invalidate.
        immediate: Bits<32>,
        /// Path MTU code.
        mtu: Bits<3>,
        /// Bit 0 RW, bit 1 RR, bit 2 RA.
        access: Bits<3>,
        /// READs and atomics that the peer may have outstanding here.
        max_dest_rd: Bits<5>,
        /// Code of the RNR timer.
        min_rnr: Bits<5>,
        /// Protection domain.
        pd: Bits<24>,
        /// The local DMA lkey is allowed.
        privileged: Bit,
        /// Receive completion queue.
        cqn: Bits<12>,
        /// The queue pair is in RTR.
        rtr: Bit,
    }
}

record! {
    /// How far the responder of a queue pair has come (record QR); written by the judge alone.
    Progress, 225 {
        /// PSN expected.
        epsn: Bits<24>,
        /// Messages taken.
        msn: Bits<24>,
        /// Message in progress: 0 none, 1 SEND, 2 WRITE.
        open: Bits<2>,
        /// A sequence or RNR NAK has been sent for `epsn` (T51).
        nak_sent: Bit,
        /// COMM_EST has been told (T3).
        established: Bit,
        /// A request was refused for good: nothing more is taken (T62).
        closing: Bit,
        /// READs and atomics taken, modulo 64.
        fresh: Bits<6>,
        /// Duplicates of READs and atomics taken, modulo 64.
        again: Bits<6>,
        /// WRITE in progress: address of its next byte.
        va: Bits<64>,
        /// Its key.
        rkey: Bits<32>,
        /// Its bytes to come.
        left: Bits<32>,
        /// All its bytes. SEND in progress: bytes so far.
        total: Bits<32>,
    }
}

record! {
    /// READs and atomics that are answered, modulo 64 (the other half of the counts of [`Progress`]).
    Served, 12 {
        /// New ones.
        fresh: Bits<6>,
        /// Duplicates.
        again: Bits<6>,
    }
}

record! {
    /// What a request is, by its opcode.
    Kind, 11 {
        /// SEND.
        send: Bit,
        /// WRITE.
        write: Bit,
        /// READ request.
        read: Bit,
        /// Atomic.
        atomic: Bit,
        /// Starts a message: First or Only, READ, atomic.
        starts: Bit,
        /// Ends a message: Last or Only, READ, atomic.
        ends: Bit,
        /// Carries immediate data.
        imm: Bit,
        /// Invalidates a key.
        inv: Bit,
        /// Fetch and add.
        adds: Bit,
        /// Any request.
        request: Bit,
        /// Any response.
        response: Bit,
    }
}

record! {
    /// What the judge knows about a request: every check of the table in section 3 as far as step 8, and the numbers behind.
    Facts, 124 {
        /// PSN before the expected one: a duplicate.
        older: Bit,
        /// PSN behind the expected one: a gap.
        ahead: Bit,
        /// Steps 4 and 5: the opcode may stand here.
        in_order: Bit,
        /// The queue pair allows the operation.
        allowed: Bit,
        /// It needs a receive WQE that is not in use yet.
        needs: Bit,
        /// As many READs and atomics wait as may.
        full: Bit,
        /// As many duplicates wait as may.
        full_again: Bit,
        /// Step 7: payload, pad and RETH length fit.
        fits: Bit,
        /// An atomic that is not aligned.
        skewed: Bit,
        /// Step 8: the message is longer than the receive buffer.
        too_long: Bit,
        /// The RETH length is not 0, or it is an atomic: the key is checked.
        keyed: Bit,
        /// The RETH length is legal.
        legal: Bit,
        /// PSNs it takes.
        packets: Bits<24>,
        /// PSN behind it, seen from the expected one.
        end: Bits<24>,
        /// Bytes of the SEND with this packet.
        bytes: Bits<32>,
        /// Bytes of the SEND before this packet.
        skip: Bits<32>,
    }
}

record! {
    /// What the receive queue says about the next receive WQE of a queue pair.
    ReceiveState, 3 {
        /// It is there.
        ready: Bit,
        /// It is posted, but not fetched yet.
        pending: Bit,
        /// It could not be fetched.
        failed: Bit,
    }
}

record! {
    /// What the judge decided about a request.
    Ruling, 23 {
        /// Taken: the message goes on.
        accept: Bit,
        /// A duplicate SEND or WRITE: acknowledged again (T52).
        again: Bit,
        /// READ or atomic to answer, new or duplicate.
        push: Bit,
        /// NAK 60 or RNR NAK.
        refuse: Bit,
        /// NAK that ends the connection.
        fatal: Bit,
        /// Not more than a released frame.
        drop: Bit,
        /// Ask the receive queue again (T55).
        wait: Bit,
        /// Reason of a drop; syndrome of a fatal NAK (T72).
        code: Bits<8>,
        /// Syndrome of the AETH.
        answer: Bits<8>,
    }
}

record! {
    /// What is to happen when the payload of a request is in memory, in order of arrival (rule T59).
    CommitEntry, 443 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// Its number in full.
        qpn: Bits<24>,
        /// 0 packet of a SEND or WRITE, or a duplicate of one; 1 NAK 60 or RNR NAK; 2 NAK that ends the connection; 3 READ or atomic.
        kind: Bits<2>,
        /// PSN to report.
        psn: Bits<24>,
        /// MSN to report.
        msn: Bits<24>,
        /// The MSN counts this message; a NAK reports one less.
        counted: Bit,
        /// Syndrome of the AETH.
        answer: Bits<8>,
        /// An acknowledgement is owed.
        acks: Bit,
        /// Kind 2: syndrome (T72).
        error: Bits<8>,
        /// The payload belongs to receive SGEs: a failed check is NAK 63.
        receives: Bit,
        /// A receive WQE is in use: a failure completes it.
        in_use: Bit,
        /// It completes with this packet.
        completes: Bit,
        /// By a WRITE with immediate data.
        by_write: Bit,
        /// Its slot.
        slot: Bits<16>,
        /// `key` is immediate data.
        imm: Bit,
        /// `key` is to be invalidated.
        invalidates: Bit,
        /// Solicited event.
        solicited: Bit,
        /// First request of the queue pair: COMM_EST.
        establishes: Bit,
        /// Receive completion queue.
        cqn: Bits<12>,
        /// Protection domain.
        pd: Bits<24>,
        /// READ or atomic: 0 READ, 1 compare and swap, 2 fetch and add.
        order: Bits<2>,
        /// It is a duplicate.
        duplicate: Bit,
        /// Packets of its answer.
        packets: Bits<24>,
        /// READ or atomic: remote address.
        va: Bits<64>,
        /// READ or atomic: key. Else immediate data, or the key to invalidate.
        key: Bits<32>,
        /// READ: bytes. Else bytes of the message.
        length: Bits<32>,
        /// Atomic: swap or add.
        swap: Bits<64>,
        /// Atomic: compare.
        compare: Bits<64>,
    }
}

record! {
    /// An acknowledgement on its way into the owed ones.
    OwedStore, 64 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// PSN.
        psn: Bits<24>,
        /// Syndrome of the AETH.
        syndrome: Bits<8>,
        /// MSN.
        msn: Bits<24>,
    }
}

record! {
    /// What became of an entry whose payload has landed.
    Outcome, 36 {
        /// Its queue pair had failed before: nothing happens (T75).
        silent: Bit,
        /// A duplicate READ that may not be answered: dropped and counted (T53).
        lost: Bit,
        /// It makes its queue pair fail.
        fails: Bit,
        /// A failure that completes the receive WQE in use.
        reports: Bit,
        /// Failure: syndrome of the AETH.
        answer: Bits<8>,
        /// Failure: syndrome (T72).
        error: Bits<8>,
        /// Failure: status of the CQE.
        status: Bits<8>,
        /// Failure: kind of the event.
        event: Bits<8>,
    }
}
