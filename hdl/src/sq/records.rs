//! Records inside `sq`.
use crate::types::WorkItem;
use rust_hdl::prelude::*;

record! {
    /// A batch that has been asked for; batches come back in the order of asking, because all use one AXI id.
    Batch, 29 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// Count of the first slot.
        first: Bits<16>,
        /// Slots, 1 to 8; 0: no batch, but the mark of a rewind: what follows of the queue pair was fetched after it.
        slots: Bits<4>,
        /// The slot behind the batch was posted too when it was asked for.
        more: Bit,
    }
}

record! {
    /// A slot that has been fetched.
    FetchedSlot, 513 {
        /// The slot's 64 bytes.
        wqe: Bits<512>,
        /// The bus answered with an error.
        error: Bit,
    }
}

record! {
    /// Where a fetched slot belongs.
    SlotMark, 25 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// Count of the slot.
        count: Bits<16>,
        /// The slot behind it is posted.
        follows: Bit,
    }
}

record! {
    /// A WQE that waits for the cursor.
    HeldWqe, 1103 {
        /// As it would go to the memory-management pipeline; `wqe` is the first block.
        item: WorkItem,
        /// The second block, if `double`.
        second: Bits<512>,
        /// It has two blocks.
        double: Bit,
        /// A block could not be read.
        broken: Bit,
        /// Every WR of the queue pair is signalled.
        sig_all: Bit,
        /// Count of its first slot.
        count: Bits<16>,
        /// Its batch began with it: a turn of the queue pair begins (T20).
        begins: Bit,
    }
}

record! {
    /// First block of a WQE of two, until its second comes.
    KeptBlock, 572 {
        /// As it would be passed on alone.
        item: WorkItem,
        /// Its batch began with it.
        begins: Bit,
    }
}

record! {
    /// What a WQE waits for before it goes on (T18, T23).
    CursorNeeds, 7 {
        /// It has not started: state RTS, no failure known, room in the table of outstanding WQEs.
        start: Bit,
        /// All READs and atomics before it are stored (fence, T23).
        fence: Bit,
        /// Everything before it is acknowledged (LOCAL_INV, C8).
        acked: Bit,
        /// No local operation of the queue pair is in the memory-management pipeline (D2).
        locals: Bit,
        /// Room in the window for a packet with payload (T18).
        window: Bit,
        /// Room for a READ or atomic (T18).
        credit: Bit,
        /// The WQE has failed: only a rewind moves the cursor (T50).
        rewind: Bit,
    }
}

record! {
    /// Record QT: where the cursor of a queue pair stands (T42); written by the cursor alone.
    CursorRow, 250 {
        /// Number of the WQE at the cursor.
        seq: Bits<16>,
        /// Count of its first slot.
        slot: Bits<16>,
        /// Bytes of it that have been sent.
        offset: Bits<32>,
        /// PSN of the next packet.
        psn: Bits<24>,
        /// WQEs ever started.
        hseq: Bits<16>,
        /// Count of the slot behind the newest WQE that was started.
        hslot: Bits<16>,
        /// PSN behind the newest one ever given.
        hpsn: Bits<24>,
        /// READs and atomics ever opened, modulo 2^18.
        rd_tail: Bits<18>,
        /// PSN behind the newest READ or atomic.
        rd_end: Bits<24>,
        /// Packets since the last one that asked for an acknowledgement (T14).
        unasked: Bits<7>,
        /// What the last turn took too much (T20).
        debt: Bits<13>,
        /// Epoch of acknowledgements that has been followed (section 0).
        epoch: Bits<4>,
        /// `voids` of retirement that has been followed.
        voids: Bit,
        /// Frames ever given to the gather, modulo 4,096.
        issued: Bits<12>,
        /// `issued` behind the newest frame that was sent again (T48).
        resent: Bits<12>,
        /// Local operations ever passed on among the WQEs of the table of outstanding ones, modulo 256.
        locals: Bits<8>,
        /// What the WQE at the cursor waits for, if the queue pair sleeps.
        needs: CursorNeeds,
    }
}

record! {
    /// What retirement needs to know of the cursor.
    SendTail, 40 {
        /// WQEs ever started.
        hseq: Bits<16>,
        /// Frames ever given to the gather.
        issued: Bits<12>,
        /// `issued` behind the newest frame that was sent again.
        resent: Bits<12>,
    }
}

record! {
    /// Where the scheduler goes on fetching after a rewind.
    FetchPoint, 32 {
        /// Count of the slot at the cursor.
        slot: Bits<16>,
        /// Count of the slot behind the newest WQE that was started: in SQD nothing behind it is fetched (T77).
        limit: Bits<16>,
    }
}

record! {
    /// Record OT: a WQE that was started and is not yet retired; written by the cursor alone.
    Outstanding, 143 {
        /// Its first PSN.
        first: Bits<24>,
        /// PSNs; 0 for local operations and failed WQEs that sent nothing.
        packets: Bits<24>,
        /// Count of its first slot.
        slot: Bits<16>,
        /// It takes two slots.
        double: Bit,
        /// What it is: see [`super::kind`].
        kind: Bits<3>,
        /// Opcode of the WQE.
        opcode: Bits<8>,
        /// A success writes a CQE.
        signalled: Bit,
        /// READ and atomics: bytes for the CQE.
        length: Bits<32>,
        /// READ and atomics: `rd_tail` behind it. Those behind it may be stored long before it is retired: 127 WQEs of 2,048
        /// requests each.
        rd_after: Bits<18>,
        /// Of a failed one: completion status.
        status: Bits<8>,
        /// Its syndrome.
        syndrome: Bits<8>,
    }
}

record! {
    /// Fields of a WQE and what follows from them alone.
    DataWqe, 323 {
        /// Opcode of the WQE.
        opcode: Bits<8>,
        /// What it is: see [`super::kind`].
        kind: Bits<3>,
        /// SEND of any kind; of the data WRs the others are WRITE, READ and atomic.
        send: Bit,
        /// WRITE of either kind.
        write: Bit,
        /// READ of either kind.
        read: Bit,
        /// The READ invalidates its sink (C20).
        takes_sink: Bit,
        /// Compare and swap.
        swap: Bit,
        /// LOCAL_INV.
        invalidate: Bit,
        /// A SEND that invalidates.
        with_key: Bit,
        /// It carries immediate data.
        with_data: Bit,
        /// Signalled flag.
        signalled: Bit,
        /// Fence flag.
        fence: Bit,
        /// Solicited flag.
        solicited: Bit,
        /// It breaks a format rule (T10), but for those that depend on the queue pair.
        bad: Bit,
        /// Immediate data or key to invalidate.
        immediate: Bits<32>,
        /// Remote address.
        address: Bits<64>,
        /// Remote key.
        rkey: Bits<32>,
        /// Swap or add.
        value: Bits<64>,
        /// Compare.
        compare: Bits<64>,
        /// Bytes of all SGEs.
        total: Bits<32>,
        /// READ requests that it takes (T15).
        chunks: Bits<12>,
    }
}

record! {
    /// How the queue pair of a WQE stands: every flag is of registers.
    CursorFlags, 17 {
        /// The cursor has to move: the epoch is another one, or more is acknowledged than the cursor has sent (T42, T43).
        moves: Bit,
        /// The state is RTS.
        rts: Bit,
        /// The state is RTS or SQD.
        sends: Bit,
        /// Every WQE that was started is retired.
        empty: Bit,
        /// The WQE at the cursor has not been started.
        fresh: Bit,
        /// The packet at the cursor has not been sent.
        first_time: Bit,
        /// No failure is known.
        sound: Bit,
        /// The packet at the cursor is before every known failure.
        before_failure: Bit,
        /// Neither RNR wait nor hold.
        free: Bit,
        /// The table of outstanding WQEs has room.
        room: Bit,
        /// All READs and atomics are stored.
        stored: Bit,
        /// Everything is acknowledged.
        acked: Bit,
        /// No local operation is in the memory-management pipeline.
        locals_back: Bit,
        /// The window has room.
        window: Bit,
        /// The packet at the cursor fills the window.
        fills: Bit,
        /// A READ or atomic may be opened.
        credit: Bit,
        /// The queue pair takes READs and atomics at all.
        takes_reads: Bit,
    }
}

record! {
    /// The next packet of a WQE.
    Piece, 178 {
        /// Bytes of payload, or of a READ request.
        bytes: Bits<32>,
        /// The WQE ends with it.
        last: Bit,
        /// It is the WQE's first.
        first: Bit,
        /// PSNs that it takes.
        psns: Bits<24>,
        /// PSNs of the whole WQE.
        packets: Bits<24>,
        /// Remote address of it.
        address: Bits<64>,
        /// Offset behind it.
        after: Bits<32>,
    }
}

record! {
    /// How far a queue pair is retired, and what is known of its local operations (QD); written by the walker alone.
    RetireRow, 92 {
        /// Number of the next WQE to retire.
        rseq: Bits<16>,
        /// Outcomes of local operations that have come and wait for their turn.
        back: Bits<8>,
        /// So many of them are successes, the oldest ones.
        good: Bits<8>,
        /// Outcomes that ever came, modulo 256.
        total: Bits<8>,
        /// One was no success:
        bad: Bit,
        /// its status,
        status: Bits<8>,
        /// and its syndrome.
        syndrome: Bits<8>,
        /// A WQE has ended without success: all behind it are flushed (D9, D11).
        over: Bit,
        /// A frame could not be gathered:
        lost: Bit,
        /// its PSN,
        lost_psn: Bits<24>,
        /// and the syndrome.
        lost_syndrome: Bits<8>,
        /// Changes with each such failure that came to nothing (T49): the cursor goes back to what is not acknowledged.
        voids: Bit,
    }
}

record! {
    /// A slot or WQE that is done: what retirement makes a CQE of.
    Completion, 84 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// Slot number for the CQE.
        slot: Bits<16>,
        /// The WQE's opcode.
        opcode: Bits<8>,
        /// Completion status.
        status: Bits<8>,
        /// Syndrome, 0 for success and flush.
        syndrome: Bits<8>,
        /// Success writes a CQE.
        signalled: Bit,
        /// Only retires a slot, never a CQE.
        silent: Bit,
        /// The queue pair is being reset: only retires.
        discard: Bit,
        /// It takes two slots.
        double: Bit,
        /// byte_len of the CQE.
        byte_len: Bits<32>,
    }
}

record! {
    /// What the cursor does next; at most one of the first flags is set, none: nothing.
    CursorChoice, 16 {
        /// The queue pair goes to sleep, or sleeps on, until `needs` are met.
        sleep: Bit,
        /// It wakes: its WQEs are fetched again.
        rouse: Bit,
        /// The cursor moves to the oldest PSN that is not acknowledged.
        walk: Bit,
        /// A packet is sent.
        send: Bit,
        /// A local operation is passed on.
        pass: Bit,
        /// A local operation that has been passed on already is stepped over (T46).
        skip: Bit,
        /// The WQE has failed (T50).
        mark: Bit,
        /// Everything about the queue pair is forgotten (T6).
        forget: Bit,
        /// No WQE of the queue pair is outstanding: from now on local operations need no entry.
        quit: Bit,
        /// See `sleep`.
        needs: CursorNeeds,
    }
}

record! {
    /// A frame whose payload could not be gathered; nothing of it is on the wire.
    LostFrame, 40 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// PSN of the frame.
        psn: Bits<24>,
        /// Syndrome of the lookup, or 40.
        syndrome: Bits<8>,
    }
}

record! {
    /// How the oldest WQE of a queue pair stands: every flag is of registers.
    RetireFlags, 16 {
        /// There is none.
        none: Bit,
        /// Everything of it is acknowledged.
        acked: Bit,
        /// READs and atomics up to it are stored.
        stored: Bit,
        /// The failure that acknowledgements told of is in it.
        refused: Bit,
        /// A frame of it could not be gathered.
        lost: Bit,
        /// Of these two failures the second is the earlier one.
        lost_first: Bit,
        /// A lost frame has been acknowledged by then: its WQE has succeeded (T49).
        lost_void: Bit,
        /// An outcome of a local operation is there.
        back: Bit,
        /// It is a success.
        good: Bit,
        /// No frame of the queue pair is being gathered.
        quiet: Bit,
        /// None that is sent again is being gathered (T48).
        calm: Bit,
        /// All WQEs are flushed.
        flushes: Bit,
        /// All WQEs are thrown away.
        discards: Bit,
        /// It is local.
        is_local: Bit,
        /// It has failed before it was sent.
        failed: Bit,
        /// It is a READ or atomic.
        reads: Bit,
    }
}
