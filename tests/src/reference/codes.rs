//! Page of the codes.
use super::{code, Page};
use rnic_abi::{access, admin, drop, errno, event, mr, opcode, qp, status, syndrome};

/// A section with one table of codes; decimal numbers where the outside world uses them.
macro_rules! section {
    ($page:ident, $title:literal, $intro:literal, $type:ty, $format:literal) => {
        $page.section($title);
        $page.text($intro);
        $page.table(
            ["Code", "Name", "Meaning", "Rules"],
            <$type>::ALL
                .iter()
                .map(|c| [format!($format, c.code()), code(c.name()), c.description().into(), c.rule().into()]),
        );
    };
}

pub(super) fn page() -> String {
    let mut page = Page::new("Codes");
    page.text("Numbers are hexadecimal unless the section says otherwise.");
    section!(page, "Opcodes", "Of WQEs; those from 80 on stand in CQEs only.", opcode::Opcode, "{:02X}");
    section!(page, "Completion status", "Decimal, in the order of `ibv_wc_status`.", status::Status, "{}");
    section!(
        page,
        "Syndromes",
        "Which rule an error broke: in every error CQE except flushes, in the answer of PROBE, and as index of the error \
         counters. Checks run in the order of the codes and the first hit wins.",
        syndrome::Syndrome,
        "{:02X}"
    );
    section!(page, "Errors of admin commands", "Decimal, as in Linux.", errno::Errno, "{}");
    section!(page, "Admin opcodes", "Fields: [admin commands](admin.md).", admin::Command, "{:02X}");
    section!(page, "Events", "Numbers as `ibv_event_type` where it has them.", event::Kind, "{:02X}");
    section!(page, "Drop reasons", "Index of the drop counters.", drop::Drop, "{:02X}");
    section!(page, "Queue pair states", "See MODIFY_QP in [admin commands](admin.md#modify_qp).", qp::State, "{}");
    section!(page, "Memory region states", "Rule A8.", mr::State, "{}");
    section!(page, "Memory region types", "ALLOC_MR takes MEM_REG only.", mr::Type, "{}");
    page.section("Access bits");
    page.text("Of REG_MR, QUERY_MR, PROBE and of the access flags of a queue pair.");
    page.table(
        ["Bit", "Name", "Meaning"],
        access::TABLE
            .iter()
            .map(|(name, mask, text)| [mask.trailing_zeros().to_string(), code(name), text.trim().into()]),
    );
    page.finish()
}
