//! What a device offers (rule A1), read once at bring-up.

use rnic_abi::{caps, limits, register as reg};

use crate::device::register::read;
use crate::error::{Error, Protocol};
use crate::platform::Bar;

/// The capabilities of a device, as its read-only registers give them.
///
/// ```
/// # use rnic_driver::*;
/// # let device = rnic_mock::device();
/// let offered = device.capabilities();
/// assert!(offered.mem_mgt_ext && offered.rc && !offered.sg_gaps);
/// // The smallest pages have 4 KiB, and row 0 of the table of regions is reserved.
/// assert_eq!((offered.page_size_cap.trailing_zeros(), offered.max_mr), (12, offered.mr_entries - 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Version of the interface: major, minor.
    pub version: (u16, u16),
    /// Number of the hardware build.
    pub build: u32,
    /// Core clock in kHz.
    pub core_khz: u32,
    /// Width of the data path in bits.
    pub data_bits: u32,
    /// REG_MR and LOCAL_INV are offered.
    pub mem_mgt_ext: bool,
    /// Data transfer is offered: SEND, WRITE, READ, and SEND with invalidate.
    pub rc: bool,
    /// READ with invalidation of its sink is offered.
    pub read_inv: bool,
    /// Memory regions with byte-granular lists are offered.
    pub sg_gaps: bool,
    /// Memory windows are offered.
    pub mw: bool,
    /// Atomic operations are offered.
    pub atomic_hca: bool,
    /// Raw rings are offered.
    pub raw: bool,
    /// The lkey that stands for all bus addresses on a privileged queue pair (A26).
    pub local_dma_lkey: u32,
    /// Entries of the MR table. Index 0 is reserved, so at most `max_mr` regions exist at once.
    pub mr_entries: u32,
    /// Memory regions that can exist at once: `mr_entries - 1`.
    pub max_mr: u32,
    /// Entries of the page buffer, shared by all regions.
    pub page_buffer_entries: u32,
    /// Longest page list of one registration.
    pub max_fast_reg_page_list_len: u16,
    /// Most pages in an inline list.
    pub max_inline_pages: u16,
    /// Bit n: pages of 2^n bytes are offered.
    pub page_size_cap: u64,
    /// Longest registration in bytes.
    pub max_mr_len: u64,
    /// Queue pairs.
    pub qps: u16,
    /// Completion queues.
    pub cqs: u16,
    /// Largest log2 of SQ slots.
    pub max_sq_log2: u8,
    /// Largest log2 of RQ slots.
    pub max_rq_log2: u8,
    /// Largest log2 of CQ entries.
    pub max_cq_log2: u8,
    /// Largest log2 of event and raw ring entries.
    pub max_event_log2: u8,
    /// Bits of a bus address that the device can issue.
    pub dma_addr_width: u8,
    /// Interrupt vectors.
    pub vectors: u8,
    /// Most READs and atomics in flight on one queue pair.
    pub rd_max: u8,
    /// Most scatter/gather elements of one request.
    pub max_sge: u8,
}

impl Capabilities {
    /// Reads all of them.
    ///
    /// # Errors
    /// - [`Error::Bus`]: a register cannot be read.
    /// - [`Protocol::Capability`] (EPROTO): a register holds a value that no device can have.
    pub fn read<B: Bar>(bar: &B) -> Result<Capabilities, Error> {
        let version = read(bar, reg::VERSION)?;
        let offered = read(bar, reg::CAPS)?;
        let lists = read(bar, reg::PAGE_LIST)?;
        let queues = read(bar, reg::QUEUES)?;
        let rings = read(bar, reg::RING_LOG2)?;
        let sizes = read(bar, reg::LIMITS)?;
        let mr_entries = read(bar, reg::MR_ENTRIES)?;
        let capabilities = Capabilities {
            version: (reg::VERSION_MAJOR.get(version) as u16, reg::VERSION_MINOR.get(version) as u16),
            build: read(bar, reg::BUILD)?,
            core_khz: read(bar, reg::CORE_KHZ)?,
            data_bits: read(bar, reg::DATA)?,
            mem_mgt_ext: offered & caps::MEM_MGT_EXT != 0,
            rc: offered & caps::RC != 0,
            read_inv: offered & caps::READ_INV != 0,
            sg_gaps: offered & caps::SG_GAPS != 0,
            mw: offered & caps::MW != 0,
            atomic_hca: offered & caps::ATOMIC_HCA != 0,
            raw: offered & caps::RAW != 0,
            local_dma_lkey: read(bar, reg::LOCAL_DMA_LKEY)?,
            mr_entries,
            max_mr: mr_entries.saturating_sub(1),
            page_buffer_entries: read(bar, reg::PAGES)?,
            max_fast_reg_page_list_len: reg::PAGE_LIST_MAX.get(lists) as u16,
            max_inline_pages: reg::PAGE_LIST_INLINE.get(lists) as u16,
            page_size_cap: read_wide(bar, reg::PAGE_SIZE_CAP_LOW)?,
            max_mr_len: read_wide(bar, reg::MAX_MR_LEN_LOW)?,
            qps: reg::QUEUES_QPS.get(queues) as u16,
            cqs: reg::QUEUES_CQS.get(queues) as u16,
            max_sq_log2: reg::RING_LOG2_SQ.get(rings) as u8,
            max_rq_log2: reg::RING_LOG2_RQ.get(rings) as u8,
            max_cq_log2: reg::RING_LOG2_CQ.get(rings) as u8,
            max_event_log2: reg::RING_LOG2_EVENT.get(rings) as u8,
            dma_addr_width: reg::LIMITS_DMA_ADDR_WIDTH.get(sizes) as u8,
            vectors: reg::LIMITS_VECTORS.get(sizes) as u8,
            rd_max: reg::LIMITS_RD_MAX.get(sizes) as u8,
            max_sge: reg::LIMITS_MAX_SGE.get(sizes) as u8,
        };
        let registers = [
            (reg::QUEUES, queues),
            (reg::MR_ENTRIES, mr_entries),
            (reg::RING_LOG2, rings),
            (reg::LIMITS, sizes),
            (reg::PAGE_LIST, lists),
        ];
        match registers.into_iter().find(|(offset, _)| !capabilities.check(*offset)) {
            Some((offset, value)) => Err(Error::Protocol(Protocol::Capability { offset, value })),
            None => Ok(capabilities),
        }
    }

    /// The driver computes with these: a queue pair number is cut at a power of two (T5), an MR index has 24 bits, sizes of rings
    /// are shifts, and counts of their entries have 16 or 24 bits.
    fn check(&self, offset: u32) -> bool {
        let fits = |log2: u8, least: u32, counted: u32| (least..counted).contains(&log2.into());
        match offset {
            reg::QUEUES => self.qps.is_power_of_two() && self.qps > 1 && self.cqs > 0,
            reg::MR_ENTRIES => self.mr_entries <= 1 << 24,
            reg::RING_LOG2 => {
                fits(self.max_sq_log2, limits::SQ_LOG2_MIN, 16)
                    && fits(self.max_rq_log2, limits::SQ_LOG2_MIN, 16)
                    && fits(self.max_cq_log2, limits::CQ_LOG2_MIN, 24)
                    && fits(self.max_event_log2, limits::EVENT_LOG2_MIN, 16)
            }
            reg::LIMITS => {
                (1..=64).contains(&self.dma_addr_width)
                    && self.vectors > 0
                    && (1..=limits::MAX_SGE).contains(&self.max_sge.into())
            }
            // More than a WQE has room for.
            reg::PAGE_LIST => u32::from(self.max_inline_pages) <= limits::MAX_INLINE,
            _ => true,
        }
    }

    /// log2 of the number of queue pairs: the bits of a queue pair number that are its index (T5).
    pub fn qp_index_bits(&self) -> u32 {
        self.qps.trailing_zeros()
    }
}

/// Two registers, low word first.
fn read_wide<B: Bar>(bar: &B, offset: u32) -> Result<u64, Error> {
    Ok(u64::from(read(bar, offset)?) | u64::from(read(bar, offset + 4)?) << 32)
}
