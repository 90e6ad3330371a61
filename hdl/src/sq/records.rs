//! Records inside `sq`.
use rust_hdl::prelude::*;

record! {
    /// A batch that has been asked for; batches come back in the order of asking, because all use one AXI id.
    Batch, 29 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// Count of the first slot.
        first: Bits<16>,
        /// Slots, 1 to 8.
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
