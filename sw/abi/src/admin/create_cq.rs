//! CREATE_CQ.

words! {
    /// Command.
    FIELDS;
    /// CQN, below CQS.
    CQN = 0 [31:0];
    /// Log2 of the entries of the ring.
    LOG2 = 1 [7:0];
    /// Interrupt vector.
    VECTOR = 1 [15:8];
    /// Bus address of the ring.
    BASE = 2 [63:0];
}
