//! Memory regions: states and types (A8, A10, M1).

codes! {
    /// State of an MR entry.
    ///
    /// ```
    /// # use rnic_abi::mr::State;
    /// assert_eq!((State::Valid.code(), State::from_u8(2)), (2, Some(State::Valid)));
    /// assert_eq!(State::Valid.name(), "VALID");
    /// ```
    pub enum State {
        /// No region.
        Unalloc, UNALLOC = 0, "A8";
        /// Allocated; gives no access.
        Free, FREE = 1, "A8";
        /// Registered; gives the access that was granted.
        Valid, VALID = 2, "A8";
        /// Being invalidated or freed; gives no new access, waits for accesses in flight.
        Drain, DRAIN = 3, "A9";
    }
}

codes! {
    /// Type of an MR entry.
    ///
    /// ```
    /// # use rnic_abi::mr::Type;
    /// assert_eq!((Type::MemReg.code(), Type::MemReg.name()), (1, "MEM_REG"));
    /// ```
    pub enum Type {
        /// Registered by page lists: the only type that ALLOC_MR takes.
        MemReg, MEM_REG = 1, "A10";
        /// List of arbitrary pieces; not offered.
        SgGaps, SG_GAPS = 2, "A10";
        /// Whole address space, or registered by the classic way; can be neither fast registered nor invalidated.
        Dma, DMA = 3, "B4, C4";
    }
}
