//! Page of the layouts in host memory.
use super::{code, Page};
use rnic_abi::{cqe, event, opcode, raw, wqe, NamedPlace};

const INTRODUCTION: &str = "Everything in host memory is little-endian. Offsets are hexadecimal, in bytes. A byte, flag or \
bit that is not named is 0, and is checked where hardware reads it.

Every ring is aligned to 4 KiB and has a power of two of entries; all indices are free-running counts, and the slot of a \
count is the count modulo the size. Who owns an entry that the device writes is told by a phase bit, bit 31 of the last \
word: 1 in the first round of the ring, 0 in the second, and so on. Memory starts zeroed. The phase is written in the \
same burst as the rest of the entry.";

const PAGE_LIST: &str = "A list of `NPAGES` bus addresses of pages, 8 bytes each, aligned to 64 bytes (rules B16, M2). \
Each address is a multiple of the page size (B18) and below the end of the bus (B19); order and repetition are free (B20). \
The device fetches whole groups of 8 entries; entries behind the last page are ignored. The memory is lent to the device \
from the doorbell until the completion of the REG_MR (A23) and may be used for anything after that (A25).";

pub(super) fn page() -> String {
    let mut page = Page::new("Layouts in host memory");
    page.text(INTRODUCTION);
    page.section("Send queue slot");
    page.text(&format!("{} bytes. A data WR with more than two SGEs takes two slots.", wqe::BYTES));
    page.text("### REG_MR");
    layout(&mut page, wqe::REG_MR_FIELDS);
    page.text("### LOCAL_INV");
    layout(&mut page, wqe::LOCAL_INV_FIELDS);
    page.text("### Data work requests");
    page.text("SEND, WRITE, READ and atomics; only with the capability RC.");
    layout(&mut page, wqe::DATA_FIELDS);
    page.text("### Flags");
    flags(&mut page, wqe::FLAG_TABLE.iter().map(|(name, mask, text)| (*name, u32::from(*mask), *text)));
    page.text("Flags that an opcode may carry (others fail rule B1):");
    page.table(
        ["Opcode", "Flags"],
        opcode::Opcode::ALL.iter().filter(|op| op.is_send()).map(|op| {
            let allowed = wqe::allowed_flags(op.code());
            let list = wqe::FLAG_TABLE.iter().filter(|(_, mask, _)| allowed & mask != 0);
            [code(op.name()), list.map(|(name, ..)| code(name)).collect::<Vec<_>>().join(", ")]
        }),
    );
    page.section("Page list");
    page.text(PAGE_LIST);
    page.section("Receive queue slot");
    page.text(&format!("{} bytes.", wqe::BYTES));
    layout(&mut page, wqe::RECEIVE_FIELDS);
    page.section("Completion queue entry");
    page.text(&format!("{} bytes, one burst.", cqe::BYTES));
    layout(&mut page, cqe::FIELDS);
    page.text("Flags:");
    flags(&mut page, cqe::FLAG_TABLE.iter().copied());
    page.section("Event");
    page.text(&format!("{} bytes, one burst.", event::BYTES));
    layout(&mut page, event::FIELDS);
    page.section("Raw descriptor");
    page.text(&format!(
        "{} bytes, for both directions. For a send, flag bit 0 asks for the ICRC. Written back in place: the bytes of the \
         frame and the flags below.",
        raw::BYTES
    ));
    layout(&mut page, raw::FIELDS);
    page.text("Flags as written back:");
    flags(&mut page, raw::FLAG_TABLE.iter().copied());
    page.finish()
}

fn layout(page: &mut Page, fields: &[NamedPlace]) {
    page.table(
        ["Offset", "Bytes", "Field", "Meaning"],
        fields.iter().map(|named| {
            let place = named.place;
            [format!("{:02X}", place.byte), place.bytes.to_string(), code(named.name), named.description.into()]
        }),
    );
}

fn flags<'a>(page: &mut Page, rows: impl Iterator<Item = (&'a str, u32, &'a str)>) {
    page.table(
        ["Bit", "Flag", "Meaning"],
        rows.map(|(name, mask, text)| [mask.trailing_zeros().to_string(), code(name), text.trim().into()]),
    );
}
