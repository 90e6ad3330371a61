//! Records inside `rq`.
use rust_hdl::prelude::*;

record! {
    /// A receive WQE that has been fetched.
    ReceiveWqe, 513 {
        /// Its four SGEs.
        wqe: Bits<512>,
        /// The bus answered with an error.
        error: Bit,
    }
}

record! {
    /// Slots that have been asked for; they come back in the order of asking.
    ReceiveFetch, 29 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// Count of the first slot.
        first: Bits<16>,
        /// Slots, at least 1.
        slots: Bits<5>,
    }
}
