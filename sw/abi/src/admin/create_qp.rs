//! CREATE_QP.

words! {
    /// Command.
    FIELDS;
    /// Queue pair number: index in the low log2(QPS) bits, the driver's generation above; not 0 or 1 (T5).
    QPN = 0 [31:0];
    /// Protection domain, below 2^24.
    PD = 1 [31:0];
    /// Completion queue of sends.
    SEND_CQN = 2 [31:0];
    /// Completion queue of receives.
    RECEIVE_CQN = 3 [31:0];
    /// Log2 of the slots of the send ring.
    SQ_LOG2 = 4 [7:0];
    /// Log2 of the slots of the receive ring.
    RQ_LOG2 = 4 [15:8];
    /// The local DMA lkey is allowed (A26).
    PRIVILEGED = 4 [16:16];
    /// Every WR is signalled.
    SIG_ALL = 4 [17:17];
    /// Bus address of the send ring.
    SQ_BASE = 6 [63:0];
    /// Bus address of the receive ring.
    RQ_BASE = 8 [63:0];
}
