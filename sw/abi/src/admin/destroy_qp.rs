//! DESTROY_QP.

words! {
    /// Command.
    FIELDS;
    /// Queue pair number.
    QPN = 0 [31:0];
}
