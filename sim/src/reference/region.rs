//! One entry of the memory-region table (rules A5, A6, A8, M1).

use rnic_abi::access;

/// State of a memory region as software can see it (rule A8). DRAIN is never seen between two steps of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RegionState {
    /// No region: every use of the index fails.
    #[default]
    Unallocated,
    /// Allocated, without registration: grants nothing.
    Free,
    /// Registered.
    Valid,
}

/// One memory region with its registration, or what is left of the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// State (rule A8).
    pub state: RegionState,
    /// Type: 1 MEM_REG, 2 SG_GAPS, 3 DMA or USER (rule A10).
    pub kind: u8,
    /// Full key, index and key byte (rule A6).
    pub key: u32,
    /// Protection domain.
    pub pd: u32,
    /// Granted access with RINV and ZB (rule M1); 0 after allocation.
    pub access: u8,
    /// Log2 of the page size in bytes.
    pub page_shift: u8,
    /// Bus addresses of the pages in list order (rule E10).
    pub pages: Vec<u64>,
    /// Longest list this region takes (rule B11).
    pub max_pages: u16,
    /// Address of the first byte.
    pub iova: u64,
    /// Bytes.
    pub length: u64,
    /// Offset of the first byte in the first page.
    pub fbo: u32,
    /// First entry of the page buffer that the driver gave to this region.
    pub page_base: u32,
    /// Registrations of this table entry since reset (rule C24).
    pub generation: u32,
}

impl Region {
    /// Bytes of a page.
    pub fn page_size(&self) -> u64 {
        1 << self.page_shift
    }

    /// Zero based (rule E12).
    pub fn zero_based(&self) -> bool {
        self.access & access::ZB != 0
    }

    /// What QUERY_MR calls the state (rule M1).
    pub fn state_code(&self) -> u8 {
        match self.state {
            RegionState::Unallocated => 0,
            RegionState::Free => 1,
            RegionState::Valid => 2,
        }
    }
}
