//! DESTROY_CQ.

words! {
    /// Command.
    FIELDS;
    /// CQN.
    CQN = 0 [31:0];
}
