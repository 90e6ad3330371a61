//! Page of the BAR.
use super::{bits, code, Page};
use rnic_abi::register::{Access, Register, Reset, REGISTERS};

const INTRODUCTION: &str = "BAR0 is 64 KiB of little-endian 32-bit registers. The core has offsets 0000 to 7FFF, the \
board's bridge 8000 to FFFF. Offsets are hexadecimal.

- An offset that is not listed answers DECERR.
- Partial strobes, a write to a read-only register, a read of a write-only register, and a bad value answer SLVERR and \
change nothing.
- Doorbells answer OKAY at once; a wrong one is dropped and [counted](codes.md#drop-reasons).
- Every access ends within 64 cycles, whatever host memory does.
- A 64-bit value has its low word first.

Access: RO read only, WO write only, RW read and write, RC read, and any write clears. \"Build\" as reset value: it \
depends on the [preset](presets.md), version or clock.";

pub(super) fn page() -> String {
    let mut page = Page::new("Registers");
    page.text(INTRODUCTION);
    page.section("Map");
    page.table(
        ["Offset", "Register", "Access", "After reset", "Meaning"],
        REGISTERS.iter().map(|r| [offset(r), code(r.name), access(r).into(), reset(r), r.description.into()]),
    );
    page.section("Fields");
    page.text("Bits that are not listed read 0 and must be written 0.");
    page.table(
        ["Register", "Bits", "Field", "Meaning"],
        REGISTERS.iter().flat_map(|r| {
            r.fields.iter().map(|named| {
                let place = bits(named.field.lsb, named.field.width);
                [code(r.name), place, code(named.name), named.description.into()]
            })
        }),
    );
    page.finish()
}

fn offset(register: &Register) -> String {
    match register.count {
        1 => format!("{:04X}", register.offset),
        count => format!("{:04X} + {} i, i < {count}", register.offset, register.stride),
    }
}

fn access(register: &Register) -> &'static str {
    match register.access {
        Access::RO => "RO",
        Access::WO => "WO",
        Access::RW => "RW",
        Access::RC => "RC",
    }
}

fn reset(register: &Register) -> String {
    match register.reset {
        Reset::Value(value) => format!("{value:X}"),
        Reset::Build => "build".into(),
        Reset::None => "-".into(),
    }
}
