//! The three sizes in which the core is built.

/// All numbers of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Name, as on the command line.
    pub name: &'static str,
    /// Width of the data path, bits.
    pub data: u32,
    /// Queue pairs, all usable (T5).
    pub qps: u32,
    /// Entries of the MR table; index 0 is reserved.
    pub mr_entries: u32,
    /// Entries of the page buffer.
    pub pages: u32,
    /// Longest page list (MAX_PL).
    pub max_page_list: u32,
    /// Outstanding WQEs of a queue pair (OTD).
    pub outstanding: u32,
    /// Receive WQEs prefetched for a queue pair (RQD).
    pub receive_depth: u32,
    /// Outstanding READs and atomics of a queue pair (RD_MAX).
    pub rd_max: u32,
    /// DMA read bursts in flight.
    pub reads_in_flight: u32,
    /// Reads in flight reserved for each read client (I8).
    pub read_share: u32,
    /// Slots of the WQE prefetch pool, shared by all queue pairs (T22).
    pub wqe_pool: u32,
    /// Transmit frames in flight (T111).
    pub tx_frames: u32,
    /// Core clock when the build does not say otherwise, kHz. Nothing but TICK depends on it.
    pub core_khz: u32,
}

/// For an ECP5-25F.
pub const TINY: Preset = Preset {
    name: "tiny",
    data: 64,
    qps: 8,
    mr_entries: 32,
    pages: 512,
    max_page_list: 32,
    outstanding: 16,
    receive_depth: 2,
    rd_max: 4,
    reads_in_flight: 8,
    read_share: 1,
    wqe_pool: 16,
    tx_frames: 8,
    core_khz: 50_000,
};

/// For ECP5-class boards and fast simulation.
pub const SMALL: Preset = Preset {
    name: "small",
    data: 64,
    qps: 16,
    mr_entries: 64,
    pages: 1024,
    max_page_list: 64,
    outstanding: 32,
    receive_depth: 4,
    rd_max: 16,
    reads_in_flight: 32,
    read_share: 1,
    wqe_pool: 64,
    tx_frames: 16,
    core_khz: 50_000,
};

/// For UltraScale+ cards at 100 Gb/s.
pub const LARGE: Preset = Preset {
    name: "large",
    data: 512,
    qps: 256,
    mr_entries: 4096,
    pages: 65_536,
    max_page_list: 512,
    outstanding: 128,
    receive_depth: 16,
    rd_max: 16,
    reads_in_flight: 128,
    read_share: 4,
    wqe_pool: 256,
    tx_frames: 128,
    core_khz: 250_000,
};

/// All presets, smallest first.
pub const ALL: [&Preset; 3] = [&TINY, &SMALL, &LARGE];

impl Preset {
    /// The preset of a name.
    pub fn by_name(name: &str) -> Option<&'static Preset> {
        ALL.into_iter().find(|preset| preset.name == name)
    }

    /// Completion queues: two a queue pair.
    pub const fn cqs(&self) -> u32 {
        2 * self.qps
    }

    /// Byte lanes of the data path.
    pub const fn strb(&self) -> u32 {
        self.data / 8
    }

    /// Page-list entries in a beat.
    pub const fn lanes(&self) -> u32 {
        self.data / 64
    }

    /// Bits of a queue pair index.
    pub const fn log2_qps(&self) -> u32 {
        self.qps.ilog2()
    }

    /// Bits of a CQN.
    pub const fn log2_cqs(&self) -> u32 {
        self.cqs().ilog2()
    }

    /// Bits of an MR index.
    pub const fn log2_mr_entries(&self) -> u32 {
        self.mr_entries.ilog2()
    }

    /// Bits of a page-buffer entry number.
    pub const fn log2_pages(&self) -> u32 {
        self.pages.ilog2()
    }

    /// Bits of the address of a page-buffer row (one row a beat of the page list).
    pub const fn log2_page_rows(&self) -> u32 {
        (self.pages / self.lanes()).ilog2()
    }

    /// Bits of a slot number of the WQE prefetch pool.
    pub const fn log2_wqe_pool(&self) -> u32 {
        self.wqe_pool.ilog2()
    }

    /// Memory regions that can be allocated; index 0 is reserved.
    pub const fn max_mr(&self) -> u32 {
        self.mr_entries - 1
    }

    /// Longest memory region, bytes.
    pub const fn max_mr_len(&self) -> u64 {
        (self.max_page_list as u64) << crate::limits::MR_LEN_SHIFT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_two_and_the_address_widths_follow() {
        let widths = |p: &Preset| (p.log2_qps(), p.log2_cqs(), p.log2_mr_entries(), p.log2_page_rows());
        assert_eq!(ALL.map(widths), [(3, 4, 5, 9), (4, 5, 6, 10), (8, 9, 12, 13)]);
        for p in ALL {
            for size in [p.data, p.qps, p.mr_entries, p.pages, p.max_page_list, p.reads_in_flight, p.wqe_pool] {
                assert!(size.is_power_of_two(), "{}: {size}", p.name);
            }
            assert!(p.reads_in_flight >= p.read_share * crate::axi::READ_CLIENTS, "{}", p.name);
            assert_eq!(Preset::by_name(p.name), Some(p));
        }
        assert_eq!(Preset::by_name("huge"), None);
    }

    #[test]
    fn longest_region_is_the_longest_list_of_the_largest_pages() {
        assert_eq!(ALL.map(Preset::max_mr_len), [1 << 26, 1 << 27, 1 << 30]);
    }
}
