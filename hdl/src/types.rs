//! Records and interfaces that cross the borders of subsystems. Layouts in host memory are in `rnic-abi`.
use crate::widgets::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

record! {
    /// A read of host memory. The client has room for all its beats before it asks (rule T107).
    ReadCommand, 68 {
        /// Bus address, below 2^DMA_ADDR_WIDTH; any alignment.
        address: Bits<52>,
        /// Bytes, 1 to 65,535; the engine splits at 4 KiB and at 256 beats.
        length: Bits<16>,
    }
}

record! {
    /// A write of host memory that fits in one burst.
    WriteCommand, 65 {
        /// Bus address of the first byte.
        address: Bits<52>,
        /// Bytes, 1 to 4,096, not beyond the 4 KiB page of `address`.
        length: Bits<13>,
    }
}

record! {
    /// One send-queue slot on its way to the memory-management pipeline.
    WorkItem, 571 {
        /// The slot's 64 bytes.
        wqe: Bits<512>,
        /// Index of the queue pair.
        qp: Bits<8>,
        /// Protection domain of the queue pair.
        pd: Bits<24>,
        /// Slot number that the CQE reports (first block).
        slot: Bits<16>,
        /// A success writes a CQE (flag or `sig_all`).
        signalled: Bit,
        /// The queue pair was in ERR when decoded: ends as WR_FLUSH, reads no list.
        flush: Bit,
        /// First block of a two-block WQE: only retires a slot.
        silent: Bit,
        /// Not 0: already failed at decode (01 format, 40 bus error of the fetch), ends as LOC_QP_OP.
        syndrome: Bits<8>,
    }
}

record! {
    /// What became of a work item; outcomes of one queue pair keep posting order.
    WorkOutcome, 51 {
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
        /// The queue pair is being reset: only retires a slot.
        discard: Bit,
    }
}

record! {
    /// A completion to write.
    CqeRequest, 148 {
        /// Completion queue.
        cqn: Bits<12>,
        /// Queue pair number in full.
        qpn: Bits<24>,
        /// Opcode as in the CQE.
        opcode: Bits<8>,
        /// Status.
        status: Bits<8>,
        /// Syndrome.
        syndrome: Bits<8>,
        /// Slot of the first block.
        slot: Bits<16>,
        /// byte_len.
        byte_len: Bits<32>,
        /// Immediate data or invalidated key.
        imm: Bits<32>,
        /// Flags b0 imm, b1 inv, b2 solicited, b3 receive.
        flags: Bits<8>,
    }
}

record! {
    /// An asynchronous event.
    EventRequest, 64 {
        /// Type (rule T76).
        kind: Bits<8>,
        /// QPN or CQN.
        number: Bits<24>,
        /// Detail (syndrome).
        detail: Bits<32>,
    }
}

record! {
    /// What the send queue needs of a queue pair; written by `qp` alone.
    SqContext, 108 {
        /// Queue pair number in full.
        qpn: Bits<24>,
        /// Protection domain.
        pd: Bits<24>,
        /// Ring base in units of 4 KiB.
        base: Bits<40>,
        /// Log2 of the slots of the ring.
        log2: Bits<4>,
        /// Send completion queue.
        cqn: Bits<12>,
        /// State (rule T1).
        state: Bits<3>,
        /// Every WR is signalled.
        sig_all: Bit,
    }
}

record! {
    /// What the receive queue needs of a queue pair; written by `qp` alone.
    RqContext, 83 {
        /// Queue pair number in full.
        qpn: Bits<24>,
        /// Ring base in units of 4 KiB.
        base: Bits<40>,
        /// Log2 of the slots of the ring.
        log2: Bits<4>,
        /// Receive completion queue.
        cqn: Bits<12>,
        /// State (rule T1).
        state: Bits<3>,
    }
}

record! {
    /// What an access check needs of a queue pair.
    QpIdentity, 52 {
        /// Queue pair number in full, 0 while the index is unused.
        qpn: Bits<24>,
        /// Protection domain.
        pd: Bits<24>,
        /// The local DMA lkey is allowed (rule A26).
        privileged: Bit,
        /// State (rule T1).
        state: Bits<3>,
    }
}

record! {
    /// One-cycle orders of `qp` to `sq`, `rq` and `mr` about one queue pair.
    QpControl, 13 {
        /// Index of the queue pair.
        index: Bits<8>,
        /// It has entered ERR: what is not yet executed is flushed.
        fail: Bit,
        /// It is being reset or destroyed: what is not yet executed is dropped without a CQE (rule T6).
        discard: Bit,
        /// Nothing of it is in flight: set all its indices to 0, forget `fail` and `discard`.
        clear: Bit,
        /// Its state or context has changed: look at it again.
        wake: Bit,
        /// It will enter ERR: its responder answers nothing more (T73).
        mute: Bit,
    }
}

record! {
    /// A READ or atomic that the responder owes (record RR): pushed by the commit queue, answered in order (T53, T61).
    ResponseOrder, 371 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// 0 READ, 1 compare and swap, 2 fetch and add.
        kind: Bits<2>,
        /// Asked for again: answered from its own headers, or from a saved result.
        duplicate: Bit,
        /// PSN of the first packet of the answer.
        psn: Bits<24>,
        /// Packets of the answer.
        packets: Bits<24>,
        /// MSN that the answer reports.
        msn: Bits<24>,
        /// Remote address of the request.
        va: Bits<64>,
        /// Its key.
        rkey: Bits<32>,
        /// READ: bytes.
        length: Bits<32>,
        /// READ: generation of the region at the first check (C24).
        generation: Bits<32>,
        /// Atomic: swap or add.
        swap: Bits<64>,
        /// Atomic: compare.
        compare: Bits<64>,
    }
}

record! {
    /// The acknowledgement that a queue pair owes (record RA).
    OwedAnswer, 57 {
        /// PSN.
        psn: Bits<24>,
        /// Syndrome of the AETH.
        syndrome: Bits<8>,
        /// MSN.
        msn: Bits<24>,
        /// There is one; else the rest means nothing.
        present: Bit,
    }
}

record! {
    /// Invalidation that a received message asks for (C12), or a READ of its sink (C20).
    InvalidateOrder, 65 {
        /// Key.
        key: Bits<32>,
        /// Protection domain of the queue pair.
        pd: Bits<24>,
        /// Index of the queue pair.
        qp: Bits<8>,
        /// The peer asks: the region must allow it.
        remote: Bit,
    }
}

record! {
    /// A queue pair has failed by itself: `qp` shall set it to ERR and report the event (T62, T73, T76).
    QpFailure, 32 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// Completion status.
        status: Bits<8>,
        /// Syndrome (T72).
        syndrome: Bits<8>,
        /// Kind of the event.
        event: Bits<8>,
    }
}

record! {
    /// A write to a doorbell register.
    Doorbell, 42 {
        /// Index of the queue.
        index: Bits<10>,
        /// The register's value.
        value: Bits<32>,
    }
}

/// A reader of host memory. Beats come in order and cannot be held up.
#[derive(LogicInterface, Default)]
#[join = "ReadServer"]
pub struct ReadClient<const DATA: usize> {
    pub command: ChannelSource<ReadCommand>,
    pub beat_valid: Signal<In, Bit>,
    pub beat_data: Signal<In, Bits<DATA>>,
    pub beat_error: Signal<In, Bit>,
}

/// The other end of [`ReadClient`].
#[derive(LogicInterface, Default)]
#[join = "ReadClient"]
pub struct ReadServer<const DATA: usize> {
    pub command: ChannelSink<ReadCommand>,
    pub beat_valid: Signal<Out, Bit>,
    pub beat_data: Signal<Out, Bits<DATA>>,
    pub beat_error: Signal<Out, Bit>,
}

/// A writer of host memory: a command, then its beats, lane-aligned to the bus (byte a of the address space in lane
/// a mod DATA/8). `done` comes once a command, in order, when its B has arrived; `failed` beside it tells of an error.
#[derive(LogicInterface, Default)]
#[join = "WriteServer"]
pub struct WriteClient<const DATA: usize> {
    pub command: ChannelSource<WriteCommand>,
    pub beat: ChannelSource<Bits<DATA>>,
    pub done: Signal<In, Bit>,
    pub failed: Signal<In, Bit>,
}

/// The other end of [`WriteClient`].
#[derive(LogicInterface, Default)]
#[join = "WriteClient"]
pub struct WriteServer<const DATA: usize> {
    pub command: ChannelSink<WriteCommand>,
    pub beat: ChannelSink<Bits<DATA>>,
    pub done: Signal<Out, Bit>,
    pub failed: Signal<Out, Bit>,
}

record! {
    /// What a beat of payload holds and where.
    PayloadMark, 15 {
        /// Lane of its first byte; the others follow without a gap.
        lane: Bits<6>,
        /// Bytes, 1 to DATA / 8 - lane; 0 only with `failed`.
        count: Bits<7>,
        /// Last beat of its frame.
        last: Bit,
        /// Only with `last`: the payload could not be read, the frame must vanish (E14).
        failed: Bit,
    }
}

/// Payload of frames, in the order of the frames: raw bus beats, as they were read. A beat may come before its frame has
/// been taken, and waits.
#[derive(LogicInterface, Default)]
#[join = "PayloadSink"]
pub struct PayloadSource<const DATA: usize> {
    pub data: Signal<Out, Bits<DATA>>,
    pub mark: Signal<Out, PayloadMark>,
    pub valid: Signal<Out, Bit>,
    pub ready: Signal<In, Bit>,
}

/// The other end of [`PayloadSource`].
#[derive(LogicInterface, Default)]
#[join = "PayloadSource"]
pub struct PayloadSink<const DATA: usize> {
    pub data: Signal<In, Bits<DATA>>,
    pub mark: Signal<In, PayloadMark>,
    pub valid: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
}

/// Admin commands as a unit sees them. All words of a command come first, one a cycle, then `start`. The unit that owns the
/// opcode pushes its answer words and ends with a one-cycle `done`; the others stay silent.
#[derive(LogicInterface, Default)]
#[join = "AdminManager"]
pub struct AdminUnit {
    pub word_valid: Signal<In, Bit>,
    pub word_index: Signal<In, Bits<5>>,
    pub word: Signal<In, Bits<32>>,
    pub start: Signal<In, Bit>,
    pub opcode: Signal<In, Bits<8>>,
    pub done: Signal<Out, Bit>,
    pub errno: Signal<Out, Bits<8>>,
    pub answer_valid: Signal<Out, Bit>,
    pub answer_index: Signal<Out, Bits<4>>,
    pub answer: Signal<Out, Bits<32>>,
}

/// The other end of [`AdminUnit`].
#[derive(LogicInterface, Default)]
#[join = "AdminUnit"]
pub struct AdminManager {
    pub word_valid: Signal<Out, Bit>,
    pub word_index: Signal<Out, Bits<5>>,
    pub word: Signal<Out, Bits<32>>,
    pub start: Signal<Out, Bit>,
    pub opcode: Signal<Out, Bits<8>>,
    pub done: Signal<In, Bit>,
    pub errno: Signal<In, Bits<8>>,
    pub answer_valid: Signal<In, Bit>,
    pub answer_index: Signal<In, Bits<4>>,
    pub answer: Signal<In, Bits<32>>,
}
