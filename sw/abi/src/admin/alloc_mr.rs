//! ALLOC_MR.

words! {
    /// Command.
    FIELDS;
    /// MR index, from 1 on.
    INDEX = 0 [31:0];
    /// Protection domain, below 2^24.
    PD = 1 [31:0];
    /// First key byte (A6, A19).
    KEY_BYTE = 2 [7:0];
    /// MR type; only MEM_REG.
    TYPE = 2 [15:8];
    /// Largest number of pages, 1 to MAX_PL.
    MAX_PAGES = 3 [31:0];
    /// First entry of the page-buffer range, a multiple of 8; the range rounded up to 8 must end within PAGES.
    PAGE_BASE = 4 [31:0];
}
