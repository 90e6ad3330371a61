//! BAR0: offsets in bytes, fields, reset values. The core has 0000 to 7FFF, the board's bridge 8000 to FFFF.
//!
//! Offsets that are not listed answer DECERR. Partial strobes, a write to a read-only or a read of a write-only register,
//! and a bad value answer SLVERR and change nothing. Doorbells answer OKAY at once; a wrong one is dropped and counted.
use crate::{limits, Field, NamedField};

/// What software may do with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read only.
    RO,
    /// Write only.
    WO,
    /// Read and write.
    RW,
    /// Read; any write clears.
    RC,
}

/// What a register holds after reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    /// This value.
    Value(u32),
    /// A value that depends on the build: preset, version, clock.
    Build,
    /// Nothing that can be read.
    None,
}

/// One register, or an array of equal ones.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// Name of the constant.
    pub name: &'static str,
    /// Offset of the first.
    pub offset: u32,
    /// Number of registers.
    pub count: u32,
    /// Bytes from one to the next.
    pub stride: u32,
    /// What software may do.
    pub access: Access,
    /// Value after reset.
    pub reset: Reset,
    /// What it means.
    pub description: &'static str,
    /// Named bits; none: the whole word is one value.
    pub fields: &'static [NamedField],
}

macro_rules! registers {
    ($($(#[doc = $doc:literal])+ $access:ident $name:ident = $offset:literal
        $([$count:literal])?, $reset:expr;
        $({ $($(#[doc = $field_doc:literal])+ $field:ident [$msb:literal : $lsb:literal];)+ })?
    )+) => {
        $($(#[doc = $doc])+ pub const $name: u32 = $offset;
          $($($(#[doc = $field_doc])+ pub const $field: Field = Field::new($msb, $lsb);)+)?)+

        /// Every register.
        pub const REGISTERS: &[Register] = &[$(Register {
            name: stringify!($name),
            offset: $name,
            count: 1 $(* $count)?,
            stride: 4,
            access: Access::$access,
            reset: $reset,
            description: concat!($($doc),+).trim_ascii(),
            fields: &[$($(NamedField {
                name: stringify!($field), field: $field, description: concat!($($field_doc),+).trim_ascii(),
            }),+)?],
        }),+];
    };
}

/// Value of MAGIC: "RNIC".
pub const MAGIC_VALUE: u32 = u32::from_le_bytes(*b"RNIC");
/// Major version; a driver refuses another one.
pub const MAJOR: u32 = 1;
/// Minor version.
pub const MINOR: u32 = 0;
/// Value of VERSION.
pub const VERSION_VALUE: u32 = VERSION_MAJOR.put(MAJOR) | VERSION_MINOR.put(MINOR);
/// First offset that belongs to the board's bridge.
pub const BRIDGE: u32 = 0x8000;
/// Registers below this are read only.
pub const WRITABLE: u32 = 0x0100;

use Reset::{Build, None, Value};

registers! {
    /// Identifies the device.
    RO MAGIC = 0x0000, Value(MAGIC_VALUE);
    /// Version of everything in this crate.
    RO VERSION = 0x0004, Value(VERSION_VALUE);
    {
        /// Incompatible changes.
        VERSION_MAJOR [31:16];
        /// Compatible changes.
        VERSION_MINOR [15:0];
    }
    /// Build number, free for the builder's use.
    RO BUILD = 0x0008, Build;
    /// Core clock, kHz.
    RO CORE_KHZ = 0x000C, Build;
    /// Width of the data path, bits.
    RO DATA = 0x0010, Build;
    /// Capabilities.
    RO CAPS = 0x0014, Value(crate::caps::OFFERED);
    {
        /// REG_MR and LOCAL_INV work.
        CAPS_MEM_MGT_EXT [0:0];
        /// Data WRs and SEND with invalidate work.
        CAPS_RC [1:1];
        /// READ with invalidate works.
        CAPS_READ_INV [2:2];
        /// SG_GAPS regions work.
        CAPS_SG_GAPS [3:3];
        /// Memory windows work.
        CAPS_MW [4:4];
        /// The right RA can be granted; atomics exclude each other within this device.
        CAPS_ATOMIC_HCA [5:5];
        /// Raw rings work.
        CAPS_RAW [6:6];
    }
    /// The local DMA lkey (A26).
    RO LOCAL_DMA_LKEY = 0x0018, Value(limits::LOCAL_DMA_LKEY);
    /// Entries of the MR table; index 0 is reserved.
    RO MR_ENTRIES = 0x001C, Build;
    /// Entries of the page buffer.
    RO PAGES = 0x0020, Build;
    /// Limits of page lists.
    RO PAGE_LIST = 0x0024, Build;
    {
        /// Longest list.
        PAGE_LIST_MAX [15:0];
        /// Most pages in a WQE.
        PAGE_LIST_INLINE [31:16];
    }
    /// Page sizes, low word: bit n means 2^n bytes.
    RO PAGE_SIZE_CAP_LOW = 0x0028, Value(limits::PAGE_SIZE_CAP as u32);
    /// Page sizes, high word.
    RO PAGE_SIZE_CAP_HIGH = 0x002C, Value((limits::PAGE_SIZE_CAP >> 32) as u32);
    /// Longest memory region in bytes, low word.
    RO MAX_MR_LEN_LOW = 0x0030, Build;
    /// Longest memory region, high word.
    RO MAX_MR_LEN_HIGH = 0x0034, Build;
    /// Numbers of queues.
    RO QUEUES = 0x0038, Build;
    {
        /// Queue pairs.
        QUEUES_QPS [15:0];
        /// Completion queues.
        QUEUES_CQS [31:16];
    }
    /// Log2 of the largest rings.
    RO RING_LOG2 = 0x003C, Value(RING_LOG2_VALUE);
    {
        /// Send ring, slots.
        RING_LOG2_SQ [7:0];
        /// Receive ring, slots.
        RING_LOG2_RQ [15:8];
        /// Completion ring, entries.
        RING_LOG2_CQ [23:16];
        /// Event and raw rings, entries.
        RING_LOG2_EVENT [31:24];
    }
    /// Other limits.
    RO LIMITS = 0x0040, Build;
    {
        /// Bits of a bus address.
        LIMITS_DMA_ADDR_WIDTH [7:0];
        /// Interrupt vectors.
        LIMITS_VECTORS [15:8];
        /// Outstanding READs and atomics of a queue pair.
        LIMITS_RD_MAX [23:16];
        /// SGEs of a work request.
        LIMITS_MAX_SGE [31:24];
    }
    /// Control.
    RW CONTROL = 0x0100, Value(0);
    {
        /// Resets the core; clears itself.
        CONTROL_RESET [0:0];
        /// Frames and doorbells are taken.
        CONTROL_ENABLE [1:1];
        /// Frames to other MAC addresses are taken too.
        CONTROL_PROMISCUOUS [2:2];
        /// Drop received frames instead of holding up the MAC.
        CONTROL_DROP_WHEN_FULL [3:3];
        /// Value of the MigReq bit in sent frames.
        CONTROL_MIGREQ [4:4];
    }
    /// Status.
    RW STATUS = 0x0104, Value(0);
    {
        /// Tables are cleared; commands and doorbells are taken. Read only.
        STATUS_READY [0:0];
        /// The device cannot go on and needs a reset. Read only.
        STATUS_FATAL [1:1];
        /// The event ring has lost an event; write 1 to clear.
        STATUS_EVENT_OVERFLOW [2:2];
    }
    /// Cycles of a tick of 1.024 us, 16.16 fixed point (T79); not 0.
    RW TICK = 0x0108, Build;
    /// Window of unacknowledged PSNs, 2 to 65,536 (T18).
    RW WINDOW = 0x010C, Value(limits::WINDOW_DEFAULT);
    /// Event ring, low word of the bus address; 4 KiB aligned.
    RW EVENT_BASE_LOW = 0x0140, Value(0);
    /// Event ring, high word of the bus address.
    RW EVENT_BASE_HIGH = 0x0144, Value(0);
    /// Event ring, log2 of the entries; 0 for no ring. A write starts the ring afresh.
    RW EVENT_LOG2 = 0x0148, Value(0);
    /// Events consumed, free-running, 16 bits.
    RW EVENT_CONSUMER = 0x014C, Value(0);
    /// Raw receive ring, low word of the bus address.
    RW RAW_RECEIVE_BASE_LOW = 0x0160, Value(0);
    /// Raw receive ring, high word of the bus address.
    RW RAW_RECEIVE_BASE_HIGH = 0x0164, Value(0);
    /// Raw receive ring, log2 of the entries.
    RW RAW_RECEIVE_LOG2 = 0x0168, Value(0);
    /// Raw receive descriptors posted, free-running, 16 bits.
    RW RAW_RECEIVE_PRODUCER = 0x016C, Value(0);
    /// Raw send ring, low word of the bus address.
    RW RAW_SEND_BASE_LOW = 0x0170, Value(0);
    /// Raw send ring, high word of the bus address.
    RW RAW_SEND_BASE_HIGH = 0x0174, Value(0);
    /// Raw send ring, log2 of the entries.
    RW RAW_SEND_LOG2 = 0x0178, Value(0);
    /// Raw send descriptors posted, free-running, 16 bits.
    RW RAW_SEND_PRODUCER = 0x017C, Value(0);
    /// Words of the admin command. Not to be written while a command runs (SLVERR).
    RW ADMIN_COMMAND = 0x0200 [32], Value(0);
    /// Words of the admin answer; valid when ADMIN_STATUS says done.
    RO ADMIN_ANSWER = 0x0280 [16], Value(0);
    /// Starts the admin command.
    WO GO = 0x02C0, None;
    {
        /// Admin opcode.
        GO_OPCODE [7:0];
        /// Any number; comes back in ADMIN_STATUS.
        GO_TOKEN [31:16];
    }
    /// Progress of the admin command.
    RO ADMIN_STATUS = 0x02C4, Value(0);
    {
        /// A command runs.
        ADMIN_STATUS_BUSY [0:0];
        /// The command is done, the answer is valid.
        ADMIN_STATUS_DONE [1:1];
        /// Errno.
        ADMIN_STATUS_ERRNO [15:8];
        /// Token of the command.
        ADMIN_STATUS_TOKEN [31:16];
    }
    /// Own MAC address, bytes 0 to 3 in wire order.
    RW MAC_LOW = 0x0300, Value(0);
    /// Own MAC address, bytes 4 and 5 in bits 15:0.
    RW MAC_HIGH = 0x0304, Value(0);
    /// Words of the own addresses: four words each of 8 addresses, network order, IPv4 as ::ffff:a.b.c.d, 0 for unused.
    RW OWN_ADDRESS = 0x0380 [32], Value(0);
    /// Errors by syndrome; wraps, any write clears (M3).
    RC SYNDROME_COUNTER = 0x1000 [128], Value(0);
    /// Drops by reason; wraps, any write clears.
    RC DROP_COUNTER = 0x1200 [128], Value(0);
    /// SQ doorbell of each queue pair index: slots posted.
    WO SQ_DOORBELL = 0x2000 [1024], None;
    {
        /// Free-running count of slots posted; the other bits are 0.
        SQ_DOORBELL_COUNT [15:0];
    }
    /// RQ doorbell of each queue pair index: slots posted.
    WO RQ_DOORBELL = 0x3000 [1024], None;
    {
        /// Free-running count of slots posted; the other bits are 0.
        RQ_DOORBELL_COUNT [15:0];
    }
    /// Doorbell of each completion queue: CQEs consumed, and arming.
    WO CQ_DOORBELL = 0x4000 [1024], None;
    {
        /// Free-running count of CQEs consumed.
        CQ_DOORBELL_COUNT [23:0];
        /// Ask for an interrupt: at once if CQEs are unconsumed, else after the next.
        CQ_DOORBELL_ARM [24:24];
        /// Ask for an interrupt after the next solicited or error CQE.
        CQ_DOORBELL_ARM_SOLICITED [25:25];
    }
}

const RING_LOG2_VALUE: u32 = RING_LOG2_SQ.put(limits::SQ_LOG2_MAX)
    | RING_LOG2_RQ.put(limits::RQ_LOG2_MAX)
    | RING_LOG2_CQ.put(limits::CQ_LOG2_MAX)
    | RING_LOG2_EVENT.put(limits::EVENT_LOG2_MAX);

/// Bytes from one own address to the next.
pub const OWN_ADDRESS_STRIDE: u32 = 0x10;
/// Words of the admin command.
pub const ADMIN_COMMAND_WORDS: u32 = crate::admin::COMMAND_WORDS as u32;
/// Words of the admin answer.
pub const ADMIN_ANSWER_WORDS: u32 = crate::admin::ANSWER_WORDS as u32;

/// Offset of a word of the admin command.
pub const fn admin_command(word: u32) -> u32 {
    ADMIN_COMMAND + 4 * word
}

/// Offset of a word of the admin answer.
pub const fn admin_answer(word: u32) -> u32 {
    ADMIN_ANSWER + 4 * word
}

/// Offset of word `word` of own address `index`.
pub const fn own_address(index: u32, word: u32) -> u32 {
    OWN_ADDRESS + OWN_ADDRESS_STRIDE * index + 4 * word
}

/// Offset of the error counter of a syndrome.
pub const fn syndrome_counter(syndrome: u8) -> u32 {
    SYNDROME_COUNTER + 4 * syndrome as u32
}

/// Offset of the drop counter of a reason.
pub const fn drop_counter(reason: u8) -> u32 {
    DROP_COUNTER + 4 * reason as u32
}

/// Offset of the SQ doorbell of a queue pair index.
pub const fn sq_doorbell(index: u32) -> u32 {
    SQ_DOORBELL + 4 * index
}

/// Offset of the RQ doorbell of a queue pair index.
pub const fn rq_doorbell(index: u32) -> u32 {
    RQ_DOORBELL + 4 * index
}

/// Offset of the doorbell of a completion queue.
pub const fn cq_doorbell(cqn: u32) -> u32 {
    CQ_DOORBELL + 4 * cqn
}

/// Registers of a build: value of a read-only register whose reset value is [`Reset::Build`]; BUILD itself is 0 here.
pub fn build_value(offset: u32, preset: &crate::preset::Preset, core_khz: u32) -> Option<u32> {
    Some(match offset {
        BUILD => 0,
        CORE_KHZ => core_khz,
        DATA => preset.data,
        MR_ENTRIES => preset.mr_entries,
        PAGES => preset.pages,
        PAGE_LIST => PAGE_LIST_MAX.put(preset.max_page_list) | PAGE_LIST_INLINE.put(limits::MAX_INLINE),
        MAX_MR_LEN_LOW => preset.max_mr_len() as u32,
        MAX_MR_LEN_HIGH => (preset.max_mr_len() >> 32) as u32,
        QUEUES => QUEUES_QPS.put(preset.qps) | QUEUES_CQS.put(preset.cqs()),
        LIMITS => {
            LIMITS_DMA_ADDR_WIDTH.put(limits::DMA_ADDR_WIDTH)
                | LIMITS_VECTORS.put(limits::VECTORS)
                | LIMITS_RD_MAX.put(preset.rd_max)
                | LIMITS_MAX_SGE.put(limits::MAX_SGE)
        }
        TICK => limits::tick(core_khz),
        _ => return Option::None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_is_where_the_interface_page_puts_it() {
        assert_eq!(MAGIC_VALUE, 0x4349_4E52);
        assert_eq!(RING_LOG2_VALUE, 0x0C10_0F0F);
        assert_eq!([CONTROL_RESET, CONTROL_MIGREQ].map(Field::mask), [1, 16]);
        assert_eq!((own_address(7, 3), syndrome_counter(0x7F), drop_counter(0)), (0x03FC, 0x11FC, 0x1200));
        assert_eq!((admin_command(31), admin_answer(15), GO), (0x027C, 0x02BC, 0x02C0));
    }

    #[test]
    fn registers_ascend_without_overlap_and_stay_in_the_core_half() {
        let ends = REGISTERS.iter().map(|r| r.offset + (r.count - 1) * r.stride + 4);
        let starts = REGISTERS.iter().skip(1).map(|r| r.offset).chain([BRIDGE]);
        for ((end, start), register) in ends.zip(starts).zip(REGISTERS) {
            assert!(end <= start, "{} ends at {end:04X}, the next begins at {start:04X}", register.name);
            assert!(register.offset % 4 == 0 && (register.offset >= WRITABLE || register.access == Access::RO));
        }
    }

    #[test]
    fn fields_of_a_register_do_not_overlap() {
        for register in REGISTERS {
            register.fields.iter().fold(0, |used, named| {
                assert_eq!(used & named.field.mask(), 0, "{}", named.name);
                used | named.field.mask()
            });
        }
    }

    #[test]
    fn every_build_register_has_a_value() {
        let preset = &crate::preset::LARGE;
        for register in REGISTERS.iter().filter(|r| r.reset == Build) {
            assert!(build_value(register.offset, preset, preset.core_khz).is_some(), "{}", register.name);
        }
        assert_eq!(build_value(TICK, preset, 250_000), Some(256 << 16));
        assert_eq!(build_value(LIMITS, preset, 0), Some(0x0410_0834));
    }

    #[test]
    fn arrays_are_as_long_as_what_they_count() {
        let count = |offset| REGISTERS.iter().find(|r| r.offset == offset).unwrap().count;
        assert_eq!(count(ADMIN_COMMAND), ADMIN_COMMAND_WORDS);
        assert_eq!(count(ADMIN_ANSWER), ADMIN_ANSWER_WORDS);
        assert_eq!(count(SYNDROME_COUNTER), crate::syndrome::COUNT);
        assert_eq!(count(DROP_COUNTER), crate::drop::COUNT);
        assert_eq!(count(OWN_ADDRESS), limits::OWN_ADDRESSES * OWN_ADDRESS_STRIDE / 4);
    }
}
