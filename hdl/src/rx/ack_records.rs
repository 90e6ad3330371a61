//! Records of the requester's receive side: what it owns, what it reads of others, and what its steps pass on.
use rust_hdl::prelude::*;

record! {
    /// What the engine of acknowledgements and the timers need of a queue pair; written by `qp` alone.
    RequesterContext, 68 {
        /// Path MTU code, 1 to 5.
        mtu: Bits<3>,
        /// Retries after a timeout or a sequence NAK.
        retry: Bits<3>,
        /// Retries after RNR; 7: for ever.
        rnr: Bits<3>,
        /// Code of the acknowledge timeout; 0: never.
        timeout: Bits<5>,
        /// READs and atomics that may be outstanding.
        max_rd: Bits<5>,
        /// Protection domain.
        pd: Bits<24>,
        /// The local DMA lkey is allowed (A26).
        privileged: Bit,
        /// Queue pair number in full.
        qpn: Bits<24>,
    }
}

record! {
    /// Record PUB: what the send queue tells of its cursor; written by the send queue alone.
    SendPublic, 50 {
        /// PSN behind the newest one ever given.
        hpsn: Bits<24>,
        /// WQEs ever started.
        hseq: Bits<16>,
        /// READs and atomics ever entered in the table of open ones, modulo 32.
        rd_tail: Bits<5>,
        /// Newest epoch that the cursor has followed.
        epoch_seen: Bits<4>,
        /// Packets below `hpsn` are being sent again.
        resending: Bit,
    }
}

record! {
    /// Record QA: how far a queue pair is acknowledged; written by the engine of acknowledgements alone, which tells every
    /// change to the keepers of copies.
    AckState, 84 {
        /// Oldest PSN that is not acknowledged.
        una: Bits<24>,
        /// Counts restarts; the send queue rewinds to `una` when it differs from the one it has followed.
        epoch: Bits<4>,
        /// READs and atomics answered in full, modulo 32.
        rd_head: Bits<5>,
        /// Restarts left.
        retry_left: Bits<3>,
        /// RNR waits left.
        rnr_left: Bits<3>,
        /// Nothing is sent until the RNR timer has run out.
        rnr_wait: Bit,
        /// Code of that timer.
        rnr_code: Bits<5>,
        /// A NAK has restarted at this `una`: others of it are echoes (T33).
        started: Bit,
        /// The queue pair has failed.
        fail: Bit,
        /// PSN at which.
        fail_psn: Bits<24>,
        /// Completion status of the WQE that holds it.
        status: Bits<5>,
        /// Its syndrome.
        syndrome: Bits<8>,
    }
}

record! {
    /// Head of an entry of record RT: a READ request or an atomic that is outstanding.
    OpenRead, 122 {
        /// PSN of its first response.
        first: Bits<24>,
        /// Responses.
        packets: Bits<24>,
        /// Place of its first byte in the message.
        offset: Bits<32>,
        /// Bytes.
        length: Bits<32>,
        /// 0 READ, 1 compare and swap, 2 fetch and add.
        kind: Bits<2>,
        /// Index of its WQE in the table of outstanding ones.
        wqe: Bits<7>,
        /// Its sink is invalidated when all of it is in memory (C20).
        invalidates: Bit,
    }
}

record! {
    /// SGEs of an entry of record RT.
    ReadSink, 512 {
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
    }
}

record! {
    /// Order of `qp` to the engine of acknowledgements.
    AckOrder, 33 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// It enters RTS with `psn` as its first PSN; else everything of it is forgotten.
        start: Bit,
        /// First PSN.
        psn: Bits<24>,
    }
}

record! {
    /// A timer has run out (T80). `epoch` and `una` are those that the timer has watched: the event is void when either has
    /// moved on since (T81).
    TimerEvent, 37 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// The RNR wait is over; else the acknowledge timeout.
        rnr: Bit,
        /// Epoch watched.
        epoch: Bits<4>,
        /// Oldest PSN watched.
        una: Bits<24>,
    }
}

record! {
    /// Data of a READ or atomic could not be stored (T39), or its sink not be invalidated (C20).
    SinkFailure, 41 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// PSN of the response.
        psn: Bits<24>,
        /// Syndrome of the lookup or of the invalidation, or 40.
        syndrome: Bits<8>,
        /// It is of the invalidation.
        sink: Bit,
    }
}

record! {
    /// Tag of the jobs of responses, comes back with the verdict.
    ReadTag, 32 {
        /// PSN of the response.
        psn: Bits<24>,
        /// It was taken as an answer of a READ or atomic; else the job only releases its frame.
        counts: Bit,
        /// It was the last response of its entry.
        ends: Bit,
        /// The sink is invalidated behind it.
        invalidates: Bit,
        /// 0.
        spare: Bits<5>,
    }
}

record! {
    /// What a response frame is.
    AnswerKind, 15 {
        /// ACK.
        ack: Bit,
        /// RNR NAK.
        rnr: Bit,
        /// NAK 60.
        gap: Bit,
        /// NAK 61, 62 or 63.
        refused: Bit,
        /// READ response.
        read: Bit,
        /// ATOMIC ACK.
        atomic: Bit,
        /// First or Middle.
        goes_on: Bit,
        /// Last or Only.
        closes: Bit,
        /// It carries an AETH that is not of ACK type.
        unlike_ack: Bit,
        /// Low bits of the AETH syndrome: code of the RNR timer, or which NAK.
        code: Bits<5>,
        /// None of the above.
        unknown: Bit,
    }
}

record! {
    /// How a response stands to the state of its queue pair. All PSN comparisons are modular.
    AnswerPlace, 17 {
        /// In [una, hpsn).
        window: Bit,
        /// At `una`.
        at_una: Bit,
        /// A failure is known, at this PSN or before it.
        after_fail: Bit,
        /// A failure is known, and all before it is acknowledged.
        spent: Bit,
        /// A READ or atomic is open; the flags below are of the oldest one.
        open: Bit,
        /// Before its first PSN.
        short: Bit,
        /// At its first PSN.
        at_first: Bit,
        /// At one of its PSNs.
        inside: Bit,
        /// At its last PSN.
        at_last: Bit,
        /// `una` is before its first PSN.
        una_behind: Bit,
        /// The known failure is at one of its PSNs.
        fail_in: Bit,
        /// The known failure is at its first PSN or before.
        fail_first: Bit,
        /// It is an atomic.
        atomic: Bit,
        /// The payload is as long as the MTU.
        full: Bit,
        /// The payload ends where the entry ends.
        sized: Bit,
        /// There is no payload.
        bare: Bit,
        /// The event's epoch is the present one.
        same_epoch: Bit,
    }
}

record! {
    /// What shall be done with a queue pair.
    AckStep, 26 {
        /// `una` moves to the first PSN of the oldest open READ or atomic.
        to_first: Bit,
        /// `una` moves to the PSN of the failure.
        to_fail: Bit,
        /// `una` moves to the frame's PSN.
        to_psn: Bit,
        /// `una` moves behind the frame's PSN; goes before the others.
        to_next: Bit,
        /// Restart because of a NAK, told or implied (T33).
        nak: Bit,
        /// Restart because of a timeout.
        timeout: Bit,
        /// Wait because of an RNR NAK.
        rnr: Bit,
        /// The RNR wait is over.
        rnr_over: Bit,
        /// Send again from `una` on after the wait.
        again: Bit,
        /// The queue pair fails at the frame's PSN.
        refuse: Bit,
        /// Completion status of that.
        status: Bits<5>,
        /// Syndrome of that.
        syndrome: Bits<8>,
        /// Data are taken.
        taken: Bit,
        /// The oldest open READ or atomic is answered in full.
        ends: Bit,
        /// Ignored; counted as a drop.
        stray: Bit,
    }
}

record! {
    /// What the engine of acknowledgements has taken up.
    AckTask, 148 {
        /// A response frame.
        frame: Bit,
        /// The acknowledge timer has run out.
        timeout: Bit,
        /// The RNR timer has run out.
        rnr_over: Bit,
        /// Data could not be stored, or a sink not be invalidated.
        failure: Bit,
        /// The latter.
        sink: Bit,
        /// The queue pair enters RTS.
        start: Bit,
        /// Everything of the queue pair is forgotten.
        clear: Bit,
        /// Index of the queue pair.
        qp: Bits<8>,
        /// PSN of the frame or failure, first PSN, or PSN that the timer has watched.
        psn: Bits<24>,
        /// Epoch that the timer has watched.
        epoch: Bits<4>,
        /// Syndrome of the failure.
        syndrome: Bits<8>,
        /// Bytes of payload.
        payload: Bits<13>,
        /// Row of the frame buffer that holds the first byte of the frame.
        first_row: Bits<12>,
        /// Offset of the payload in the frame.
        payload_at: Bits<8>,
        /// Result of an atomic.
        value: Bits<64>,
    }
}
