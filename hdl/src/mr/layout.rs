//! Records of the memory-management pipeline and of the lookup, and the flags of their checks. No logic.
//!
//! Records are cut where a kernel slices them. Flags stand in the order of their syndromes, so that a priority encoder
//! over them is the order of checks of the specification.
use crate::record;
use rust_hdl::prelude::*;

/// MR states (M1).
pub mod state {
    /// Slot without a region.
    pub const UNALLOC: u64 = 0;
    /// Allocated, grants nothing.
    pub const FREE: u64 = 1;
    /// Registered.
    pub const VALID: u64 = 2;
    /// Denies access and waits for the end of accesses granted before.
    pub const DRAIN: u64 = 3;
}

record! {
    /// A send-queue slot read as REG_MR (LOCAL_INV uses opcode, flags, blocks and key).
    RegisterWqe, 512 {
        /// Opcode.
        opcode: Bits<8>,
        /// Write a CQE on success.
        signalled: Bit,
        /// Fence (nothing to do here: the queue head has waited).
        fence: Bit,
        /// Must be 0.
        solicited: Bit,
        /// The page list is in the WQE.
        inline_list: Bit,
        /// Must be 0.
        flags_zero: Bits<4>,
        /// 64-byte blocks, must be 1.
        blocks: Bits<8>,
        /// Access bits.
        access: Bits<8>,
        /// Low byte of the key.
        key_byte: Bits<8>,
        /// MR index.
        index: Bits<24>,
        /// Log2 of the page size.
        page_shift: Bits<8>,
        /// Must be 0.
        zero: Bits<8>,
        /// Entries of the page list.
        npages: Bits<16>,
        /// First-byte offset.
        fbo: Bits<32>,
        /// Virtual address of the first byte, low half.
        iova_low: Bits<32>,
        /// High half.
        iova_high: Bits<32>,
        /// Length in bytes, low half.
        length_low: Bits<32>,
        /// High half.
        length_high: Bits<32>,
        /// List address: must be 0.
        list_byte: Bits<6>,
        /// List address in lines of 64 bytes, low bits.
        line_low: Bits<14>,
        /// Upper bits of the line, below 2^52 bytes.
        line_high: Bits<32>,
        /// Must be 0.
        list_beyond: Bits<12>,
        /// Inline page 1, else 0.
        page1: Bits<64>,
        /// Inline page 2, else 0.
        page2: Bits<64>,
        /// Inline page 3, else 0.
        page3: Bits<64>,
    }
}

record! {
    /// Whose work an item is: everything of a [`crate::types::WorkItem`] but its WQE.
    Owner, 59 {
        /// Index of the queue pair.
        qp: Bits<8>,
        /// Its protection domain.
        pd: Bits<24>,
        /// Slot for the CQE.
        slot: Bits<16>,
        /// Success writes a CQE.
        signalled: Bit,
        /// Ends as WR_FLUSH.
        flush: Bit,
        /// Only retires a slot.
        silent: Bit,
        /// Failure found before, or 0.
        syndrome: Bits<8>,
    }
}

record! {
    /// REG_MR and LOCAL_INV checks, syndromes 0x01 to 0x12; the lowest that fails is reported.
    Checks, 18 {
        /// 01, B1.
        format: Bit,
        /// 02, B2.
        index: Bit,
        /// 03, B3.
        index_zero: Bit,
        /// 04, B4 and C4.
        kind: Bit,
        /// 05, B5 and C6.
        domain: Bit,
        /// 06, B6.
        not_free: Bit,
        /// 07, never set (B7).
        busy: Bit,
        /// 08, B8 and B9.
        access: Bit,
        /// 09, B10.
        page_shift: Bit,
        /// 0A, B11.
        count: Bit,
        /// 0B, B12.
        length: Bit,
        /// 0C, B13.
        wrap: Bit,
        /// 0D, B14.
        cover: Bit,
        /// 0E, B15.
        offset: Bit,
        /// 0F, B16.
        list: Bit,
        /// 10, B17.
        read: Bit,
        /// 11, B18.
        alignment: Bit,
        /// 12, B19.
        range: Bit,
    }
}

record! {
    /// An operation on its way to the back end.
    Pending, 282 {
        /// REG_MR.
        registers: Bit,
        /// LOCAL_INV.
        invalidates: Bit,
        /// ALLOC_MR: `npages` holds the maximum, `iova_low` the page base.
        allocates: Bit,
        /// DEREG_MR.
        deregisters: Bit,
        /// QUERY_MR.
        queries: Bit,
        /// Low byte of the key.
        key_byte: Bits<8>,
        /// MR index.
        index: Bits<24>,
        /// Access bits as stored (M1).
        access: Bits<8>,
        /// Log2 of the page size.
        page_shift: Bits<5>,
        /// Page list entries.
        npages: Bits<16>,
        /// First-byte offset (below the page size once checked).
        fbo: Bits<21>,
        /// Virtual address of the first byte, low half.
        iova_low: Bits<32>,
        /// High half.
        iova_high: Bits<32>,
        /// Length in bytes (at most 2^30 once checked).
        length: Bits<32>,
        /// Protection domain of the asker.
        pd: Bits<24>,
        /// Its page list comes from host memory.
        listed: Bit,
        /// Its page list comes from the WQE.
        inline_list: Bit,
        /// Beats of its list, 0 without one.
        beats: Bits<10>,
        /// Index of the queue pair.
        qp: Bits<8>,
        /// Slot for the CQE.
        slot: Bits<16>,
        /// Opcode for the CQE.
        opcode: Bits<8>,
        /// Success writes a CQE.
        signalled: Bit,
        /// Only retires a slot.
        silent: Bit,
        /// Ends as WR_FLUSH.
        flush: Bit,
        /// Failure found at decode (LOC_QP_OP), or 0.
        decoded: Bits<8>,
        /// Failed checks that need no table, as [`Checks`].
        checks: Bits<18>,
        /// The invalidation was asked for by the transport (C12, C20), not by a send queue.
        message: Bit,
        /// By the peer's message, which needs the region's leave (C12).
        remote: Bit,
    }
}

record! {
    /// One row of the memory-region table (M1).
    MrEntry, 239 {
        /// UNALLOC, FREE, VALID, DRAIN.
        state: Bits<2>,
        /// 1 MEM_REG.
        kind: Bits<2>,
        /// Low byte of the key.
        key_byte: Bits<8>,
        /// Access bits, RINV included.
        access: Bits<8>,
        /// Log2 of the page size.
        page_shift: Bits<5>,
        /// Protection domain.
        pd: Bits<24>,
        /// Virtual address of the first byte, low half.
        iova_low: Bits<32>,
        /// High half.
        iova_high: Bits<32>,
        /// Length in bytes.
        length: Bits<40>,
        /// First-byte offset.
        fbo: Bits<30>,
        /// First entry of its range of the page buffer.
        page_base: Bits<24>,
        /// Entries registered.
        npages: Bits<16>,
        /// Entries that it may register.
        max_pages: Bits<16>,
    }
}

record! {
    /// A page list to read.
    ListRequest, 56 {
        /// Bus address in lines of 64 bytes.
        line: Bits<46>,
        /// Beats.
        beats: Bits<10>,
    }
}

record! {
    /// Question to the lookup pipeline.
    LookupQuestion, 163 {
        /// Low byte of the key.
        key_byte: Bits<8>,
        /// MR index.
        index: Bits<24>,
        /// Virtual address, low half.
        va_low: Bits<32>,
        /// High half.
        va_high: Bits<32>,
        /// Bytes.
        length: Bits<32>,
        /// Protection domain of the asker.
        pd: Bits<24>,
        /// Access bits that must all be granted (E5).
        need: Bits<8>,
        /// The key is an rkey.
        remote: Bit,
        /// The asker's QP may use the local DMA lkey (A26).
        privileged: Bit,
        /// If granted, count the access as in flight of its MR until its end is told.
        hold: Bit,
    }
}

record! {
    /// Answer of the lookup pipeline.
    LookupAnswer, 130 {
        /// 0 granted, else 30 to 34.
        syndrome: Bits<8>,
        /// Bus address of the first piece, 0 unless granted.
        address: Bits<52>,
        /// Bytes of the first piece: up to the next 4 KiB boundary of the bus address (E9), 0 unless granted.
        bytes: Bits<13>,
        /// MR index, needed to end a hold.
        index: Bits<24>,
        /// Registration generation (C24).
        generation: Bits<32>,
        /// The access counts as in flight: the asker must tell its end.
        held: Bit,
    }
}

record! {
    /// Access checks, syndromes 0x30 to 0x34.
    AccessChecks, 5 {
        /// 30, E2.
        key: Bit,
        /// 31, E3.
        domain: Bit,
        /// 32, E4.
        state: Bit,
        /// 33, E5.
        permission: Bit,
        /// 34, E6.
        bounds: Bit,
    }
}
