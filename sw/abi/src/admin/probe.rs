//! PROBE. The whole range is checked; the answer is the first piece, and the caller goes on with `va + bytes`. Length 0
//! answers 0, 0 (E1). A probe leaves no hold on the region.

words! {
    /// Command.
    FIELDS;
    /// Queue pair number.
    QPN = 0 [31:0];
    /// Key.
    KEY = 1 [31:0];
    /// First address.
    VA = 2 [63:0];
    /// Bytes.
    LENGTH = 4 [31:0];
    /// Rights that the access needs.
    ACCESS = 5 [7:0];
    /// As a remote access.
    REMOTE = 5 [8:8];
}

words! {
    /// Answer.
    ANSWER;
    /// Syndrome, 0 when the access is granted.
    SYNDROME = 0 [31:0];
    /// Bytes of the first piece.
    BYTES = 1 [31:0];
    /// Bus address of the first piece.
    ADDRESS = 2 [63:0];
}
