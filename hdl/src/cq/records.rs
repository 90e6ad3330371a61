//! Records that pass between the blocks of `cq`. One block writes each table (rule T8); readers keep copies of it.
use rust_hdl::prelude::*;

crate::record! {
    /// Where a completion queue lies; written by `CqTable`.
    CqRing, 46 {
        /// Ring base in units of 4 KiB.
        base: Bits<40>,
        /// Log2 of its entries, 2 to 16.
        log2: Bits<5>,
        /// It has been created and not destroyed.
        exists: Bit,
    }
}

crate::record! {
    /// How a completion queue interrupts; written by `CqTable`.
    CqSignal, 4 {
        /// Interrupt vector.
        vector: Bits<3>,
        /// It has been created and not destroyed.
        exists: Bit,
    }
}

crate::record! {
    /// What admin commands must know of a completion queue; written by `CqTable`.
    CqEntry, 11 {
        /// Queue pairs' queues that use it.
        uses: Bits<10>,
        /// It has been created and not destroyed.
        exists: Bit,
    }
}

crate::record! {
    /// Producer's side of a completion queue; written by `CqeProducer`.
    CqProduced, 25 {
        /// Free-running count of CQEs handed to the DMA.
        count: Bits<24>,
        /// It has overflowed or could not be written: further CQEs are swallowed (T78).
        failed: Bit,
    }
}

crate::record! {
    /// Consumer's side of a completion queue; written by `CqProgress`.
    CqConsumed, 50 {
        /// Free-running count of CQEs whose B has come: software can see them.
        visible: Bits<24>,
        /// Free-running count of CQEs that software has consumed.
        consumed: Bits<24>,
        /// Interrupt at the next CQE.
        armed: Bit,
        /// Interrupt at the next solicited CQE or error.
        armed_solicited: Bit,
    }
}

crate::record! {
    /// A CQE on its way to memory.
    CqeInFlight, 13 {
        /// Completion queue.
        cqn: Bits<12>,
        /// Wakes a queue that is armed for solicited CQEs: flag b2 or an error.
        solicited: Bit,
    }
}

crate::record! {
    /// A CQE as it lies in memory.
    CqeRecord, 256 {
        /// Queue pair number.
        qpn: Bits<24>,
        /// Opcode.
        opcode: Bits<8>,
        /// Status.
        status: Bits<8>,
        /// Syndrome.
        syndrome: Bits<8>,
        /// Slot of the WQE's first block.
        slot: Bits<16>,
        /// Bytes received or read.
        byte_len: Bits<32>,
        /// Immediate data or invalidated key.
        imm: Bits<32>,
        /// Flags.
        flags: Bits<32>,
        /// Always 0.
        zero: Bits<32>,
        /// Time (T79).
        ticks: Bits<32>,
        /// Phase in bit 31.
        owner: Bits<32>,
    }
}

crate::record! {
    /// An event as it lies in memory.
    EventRecord, 128 {
        /// Type (T76).
        kind: Bits<32>,
        /// QPN or CQN.
        number: Bits<32>,
        /// Detail.
        detail: Bits<32>,
        /// Phase in bit 31.
        owner: Bits<32>,
    }
}

crate::record! {
    /// Something that changes the consumer's side of a completion queue.
    CqChange, 46 {
        /// Completion queue.
        cqn: Bits<12>,
        /// Doorbell: its value.
        value: Bits<32>,
        /// CQE: it wakes a queue that is armed for solicited CQEs.
        solicited: Bit,
        /// CQE: its write failed.
        write_failed: Bit,
    }
}

/// What the producer does with a queue.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ProducerTask {
    /// Writes a CQE.
    Produce,
    /// Marks it failed, because a write failed.
    MarkFailed,
    /// Sets its counts to 0.
    Restart,
}

/// What changes on the consumer's side of a queue.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ProgressTask {
    /// A CQE has its B.
    Complete,
    /// Software has written the doorbell.
    Ring,
    /// The queue is created: all counts to 0.
    Restart,
}
