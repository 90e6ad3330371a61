//! Page of the admin mailbox.
use super::{bits, code, Page};
use rnic_abi::admin::Command;
use rnic_abi::qp::{ATTRIBUTES, RANGES, RD_MAX, TRANSITIONS};
use rnic_abi::{NamedWordField, WordField};

const INTRODUCTION: &str = "Write the words of the command to `ADMIN_COMMAND`, then opcode and token to `GO`. \
`ADMIN_STATUS` shows busy, then done with the errno and the same token; only then the words of `ADMIN_ANSWER` are \
valid. One command at a time: a write to the command words or to `GO` while busy answers SLVERR.

- Words that the command does not use, and bits outside the fields, must be 0, else EINVAL.
- A command that answers an error has changed nothing. Only after ETIMEDOUT the object stays blocked, still owned by its \
owner, until a retry succeeds (rule A17).
- While the device is in reset, every command answers EAGAIN.
- An unknown opcode answers EINVAL.

Word numbers are hexadecimal. A field wider than 32 bits goes on in the following words, low word first; addresses in \
wire or network order stand byte by byte, the first byte in bits 7:0 of the first word.";

pub(super) fn page() -> String {
    let mut page = Page::new("Admin commands");
    page.text(INTRODUCTION);
    page.table(
        ["Opcode", "Command", "Meaning", "Rules"],
        Command::ALL
            .iter()
            .map(|c| [format!("{:02X}", c.code()), code(c.name()), c.description().into(), c.rule().into()]),
    );
    for command in Command::ALL {
        page.section(command.name());
        page.text(command.description());
        page.table(["Word", "Bits", "Field", "Meaning"], command.fields().iter().map(row));
        if !command.answer().is_empty() {
            page.text("Answer:");
            page.table(["Word", "Bits", "Field", "Meaning"], command.answer().iter().map(row));
        }
        if !command.errors().is_empty() {
            page.text(&format!("Errors: {}.", command.errors()));
        }
        if *command == Command::ModifyQp {
            attributes(&mut page);
        }
    }
    page.finish()
}

fn row(named: &NamedWordField) -> [String; 4] {
    let (word, place) = place(named.field);
    [word, place, code(named.name), named.description.into()]
}

fn place(field: WordField) -> (String, String) {
    let words = (field.lsb + field.width).div_ceil(32) as usize;
    match words {
        1 => (format!("{:X}", field.word), bits(field.lsb, field.width)),
        _ => (format!("{:X}-{:X}", field.word, field.word + words - 1), format!("{} bits", field.width)),
    }
}

fn attributes(page: &mut Page) {
    page.text("Bits of `MASK`: which attributes are given.");
    page.table(
        ["Bit", "Attribute", "Meaning"],
        ATTRIBUTES.iter().map(|(name, mask, description)| {
            [mask.trailing_zeros().to_string(), code(name), description.trim().into()]
        }),
    );
    page.text(
        "Transitions (rule T1). Anything else, a missing required or a foreign attribute answers EINVAL. States: \
         [codes](codes.md#queue-pair-states).",
    );
    page.table(
        ["From", "To", "Must be given", "May be given"],
        TRANSITIONS.iter().map(|t| {
            [t.from.map_or("any".into(), |s| s.to_string()), t.to.to_string(), names(t.required), names(t.optional)]
        }),
    );
    page.text("Ranges (rule T2).");
    page.table(
        ["Field", "Values"],
        RANGES.iter().map(|range| {
            let field = Command::ModifyQp.fields().iter().find(|named| named.field == range.field);
            let values = match (names(range.attribute).as_str(), range.max) {
                ("`ACCESS`", _) => "RW, RR, RA in any combination".into(),
                (_, RD_MAX) => format!("{} to RD_MAX of the preset", range.min),
                (_, max) => format!("{} to {max}", range.min),
            };
            [code(field.expect("a range belongs to a field").name), values]
        }),
    );
}

fn names(mask: u32) -> String {
    let list: Vec<_> = ATTRIBUTES.iter().filter(|(_, bit, _)| mask & bit != 0).map(|(name, ..)| code(name)).collect();
    if list.is_empty() {
        "-".into()
    } else {
        list.join(", ")
    }
}
