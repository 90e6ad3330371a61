//! QUERY_MR.

words! {
    /// Command.
    FIELDS;
    /// MR index.
    INDEX = 0 [31:0];
}

words! {
    /// Answer.
    ANSWER;
    /// State.
    STATE = 0 [7:0];
    /// Type.
    TYPE = 0 [15:8];
    /// Access bits.
    ACCESS = 0 [23:16];
    /// Log2 of the page size.
    PAGE_SHIFT = 0 [31:24];
    /// Key.
    KEY = 1 [31:0];
    /// Protection domain.
    PD = 2 [31:0];
    /// Pages registered.
    NPAGES = 3 [15:0];
    /// Largest number of pages.
    MAX_PAGES = 3 [31:16];
    /// First address.
    IOVA = 4 [63:0];
    /// Bytes.
    LENGTH = 6 [63:0];
    /// Offset of the first byte in the first page.
    FBO = 8 [31:0];
    /// First entry of the page-buffer range.
    PAGE_BASE = 9 [31:0];
    /// Registrations so far (C24).
    GENERATION = 10 [31:0];
    /// Accesses in flight.
    IN_FLIGHT = 11 [31:0];
}
