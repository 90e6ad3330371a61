//! Random inputs for the checks of this subsystem, mostly right, so that every rule decides alone now and then.
use super::layout::{LookupQuestion, MrEntry, Owner, Pending, RegisterWqe};
use crate::check::RandomDrive;
use crate::types::{QpControl, WorkItem};
use crate::widgets::ChannelSink;
use num_bigint::BigUint;
use rust_hdl::prelude::*;

/// One in `of` random words, else `usual`.
pub(super) fn rare(r: &mut RandomDrive, width: usize, of: u32, usual: u64) -> BigUint {
    if r.chance(1, of) {
        r.word(width)
    } else {
        usual.into()
    }
}

/// A WQE in which most fields are right, so that every check decides alone now and then.
pub(super) fn likely_wqe(r: &mut RandomDrive) -> RegisterWqe {
    let mut wqe = RegisterWqe::default();
    let shift = 12 + r.below(10);
    let inline = r.chance(1, 2);
    let npages = r.below(if inline { 6 } else { 65 });
    let iova: u64 = if r.chance(1, 2) { u64::MAX << r.below(40) } else { r.below(1 << 50) } & (u64::MAX << 4);
    let length = (npages << shift).saturating_sub(r.below(1 << shift));
    let opcode = if r.chance(3, 4) { 0x20 } else { 0x21 };
    wqe.opcode = rare(r, 8, 16, opcode).into();
    wqe.signalled = r.chance(1, 2);
    wqe.fence = r.chance(1, 2);
    wqe.inline_list = inline;
    wqe.solicited = r.chance(1, 32);
    wqe.flags_zero = rare(r, 4, 32, 0).into();
    wqe.blocks = rare(r, 8, 32, 1).into();
    wqe.access = rare(r, 8, 4, 7).into();
    wqe.key_byte = r.value();
    let index = r.below(4);
    wqe.index = rare(r, 24, 4, index).into();
    wqe.page_shift = rare(r, 8, 16, shift).into();
    wqe.zero = rare(r, 8, 32, 0).into();
    wqe.npages = rare(r, 16, 16, npages).into();
    wqe.fbo = rare(r, 32, 8, iova & ((1 << shift) - 1)).into();
    wqe.iova_low = (iova & 0xFFFF_FFFF).into();
    wqe.iova_high = (iova >> 32).into();
    wqe.length_low = rare(r, 32, 8, length).into();
    wqe.length_high = rare(r, 32, 16, 0).into();
    wqe.list_byte = rare(r, 6, 8, 0).into();
    wqe.line_low = rare(r, 14, 2, 0x3FFF).into();
    wqe.line_high = rare(r, 32, 2, 0xFFFF_FFFF).into();
    wqe.list_beyond = rare(r, 12, 8, 0).into();
    if inline {
        wqe.page1 = rare(r, 64, 2, if npages > 1 { 0x1000 } else { 0 }).into();
        wqe.page2 = rare(r, 64, 4, 0).into();
        wqe.page3 = rare(r, 64, 4, 0).into();
    }
    if r.chance(1, 8) {
        let signalled = wqe.signalled;
        wqe = RegisterWqe { opcode: 0x21u64.into(), blocks: 1u64.into(), signalled, ..Default::default() };
    }
    wqe
}

pub(super) fn likely_owner(r: &mut RandomDrive) -> Owner {
    Owner {
        flush: r.chance(1, 16),
        silent: r.chance(1, 16),
        syndrome: rare(r, 8, 16, 0).into(),
        pd: r.below(2).into(),
        qp: r.below(4).into(),
        ..r.value()
    }
}

pub(super) fn likely_item(r: &mut RandomDrive) -> WorkItem {
    let owner = likely_owner(r);
    WorkItem {
        wqe: likely_wqe(r).into(),
        qp: owner.qp,
        pd: owner.pd,
        slot: owner.slot,
        signalled: owner.signalled,
        flush: owner.flush,
        silent: owner.silent,
        syndrome: owner.syndrome,
    }
}

pub(super) fn likely_checks(r: &mut RandomDrive) -> Bits<18> {
    rare(r, 18, 4, 0).into()
}

/// An operation with consistent list fields.
pub(super) fn likely_pending(r: &mut RandomDrive) -> Pending {
    let kind = r.below(7);
    let by_message = kind == 3 && r.chance(1, 3);
    let index = 1 + r.below(3);
    let lists = kind < 3 && r.chance(3, 4);
    let inline = r.chance(1, 2);
    Pending {
        registers: kind < 3,
        invalidates: kind == 3,
        allocates: kind == 4,
        deregisters: kind == 5,
        queries: kind == 6,
        message: by_message,
        remote: by_message && r.chance(2, 3),
        key_byte: r.below(2).into(),
        index: rare(r, 24, 8, index).into(),
        pd: rare(r, 24, 8, 1).into(),
        page_shift: (12 + r.below(10)).into(),
        npages: r.below(6).into(),
        listed: lists && !inline,
        inline_list: lists && inline,
        beats: (if lists { 1 + r.below(3) } else { 0 }).into(),
        qp: r.below(4).into(),
        silent: r.chance(1, 16),
        flush: r.chance(1, 16),
        decoded: rare(r, 8, 16, 0).into(),
        checks: rare(r, 18, 8, 0).into(),
        ..r.value()
    }
}

pub(super) fn pending_sink(r: &mut RandomDrive, sink: &mut ChannelSink<Pending>) {
    sink.data.next = likely_pending(r);
    sink.valid.next = r.chance(7, 8);
}

pub(super) fn likely_entry(r: &mut RandomDrive) -> MrEntry {
    MrEntry {
        kind: rare(r, 2, 8, 1).into(),
        key_byte: r.below(2).into(),
        pd: rare(r, 24, 8, 1).into(),
        max_pages: rare(r, 16, 8, 4).into(),
        ..r.value()
    }
}

/// Page entries that are mostly right.
pub(super) fn likely_pages<const DATA: usize>(r: &mut RandomDrive) -> Bits<DATA> {
    let mut word = BigUint::default();
    for lane in 0..DATA / 64 {
        let page = r.below(1 << 31) << 21;
        word |= rare(r, 64, 16, page) << (64 * lane);
    }
    word.into()
}

pub(super) fn likely_control(r: &mut RandomDrive) -> QpControl {
    QpControl {
        index: r.below(4).into(),
        fail: r.chance(1, 8),
        discard: r.chance(1, 16),
        clear: r.chance(1, 8),
        wake: r.chance(1, 8),
        mute: r.chance(1, 8),
    }
}

/// A question and a row that mostly grants it.
pub(super) fn likely_access(r: &mut RandomDrive) -> (LookupQuestion, MrEntry) {
    let iova = if r.chance(1, 2) { u64::MAX << (12 + r.below(30)) } else { r.below(1 << 50) };
    let size = 1 + r.below(27);
    let length = 1 + r.below(1 << size);
    let va = iova.wrapping_add(r.below(length + 2)).wrapping_sub(r.below(2));
    let index = r.below(4);
    let question = LookupQuestion {
        key_byte: if r.chance(1, 8) { 0xFFu64 } else { r.below(2) }.into(),
        index: rare(r, 24, 8, index).into(),
        va_low: (va & 0xFFFF_FFFF).into(),
        va_high: (va >> 32).into(),
        length: r.below(length + 2).into(),
        pd: r.below(2).into(),
        need: rare(r, 8, 2, 0).into(),
        ..r.value()
    };
    let entry = MrEntry {
        state: rare(r, 2, 4, 2).into(),
        key_byte: r.below(2).into(),
        access: rare(r, 8, 2, 0xFF).into(),
        page_shift: (12 + r.below(10)).into(),
        pd: r.below(2).into(),
        iova_low: (iova & 0xFFFF_FFFF).into(),
        iova_high: (iova >> 32).into(),
        length: length.into(),
        fbo: r.below(1 << 21).into(),
        ..r.value()
    };
    (question, entry)
}

/// A word of an admin command.
pub(super) fn likely_word(r: &mut RandomDrive) -> (Bits<5>, Bits<32>) {
    let index = r.below(6);
    let usual = [r.below(5), r.below(3), 0x100 + r.below(4), 1 + r.below(70), 8 * r.below(16), r.below(8)];
    (rare(r, 5, 16, index).into(), rare(r, 32, 16, usual[index as usize]).into())
}
