//! DEREG_MR.

words! {
    /// Command.
    FIELDS;
    /// MR index.
    INDEX = 0 [31:0];
}
