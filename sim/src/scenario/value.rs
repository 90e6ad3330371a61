//! Values of a scenario file: numbers beyond TOML's 63 bits, names of codes, places in memory, bytes in hexadecimal.
//!
//! Every type says in its error what it would have taken, so that the line in the report is enough to mend the file.

use rnic_abi::access;
use serde::de::{Deserializer, Error, Visitor};
use serde::Deserialize;
use std::fmt;
use std::marker::PhantomData;
use std::net::IpAddr;
use std::str::FromStr;

/// An unsigned number: a TOML integer, or a string for what is too large for one (`"0xFFFF_FFFF_FFFF_F000"`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Number(pub u64);

/// The number in a text, decimal or with `0x`, with `_` anywhere between digits.
pub(super) fn parse_number(text: &str) -> Option<u64> {
    let digits = text.replace('_', "");
    match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// Visits an integer or a string.
struct TextOrInteger<T, F> {
    expecting: &'static str,
    make: F,
    result: PhantomData<T>,
}

impl<T, F: Fn(Result<u64, &str>) -> Option<T>> Visitor<'_> for TextOrInteger<T, F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expecting)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<T, E> {
        let number = u64::try_from(value).ok().and_then(|value| (self.make)(Ok(value)));
        number.ok_or_else(|| E::custom(format!("found {value}, expected {}", self.expecting)))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<T, E> {
        (self.make)(Ok(value)).ok_or_else(|| E::custom(format!("found {value}, expected {}", self.expecting)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.make)(Err(text)).ok_or_else(|| E::custom(format!("found `{text}`, expected {}", self.expecting)))
    }
}

fn text_or_integer<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    expecting: &'static str,
    make: impl Fn(Result<u64, &str>) -> Option<T>,
) -> Result<T, D::Error> {
    deserializer.deserialize_any(TextOrInteger { expecting, make, result: PhantomData })
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_integer(deserializer, "a number from 0 to 2^64-1, as an integer or a string", |value| match value {
            Ok(number) => Some(Number(number)),
            Err(text) => parse_number(text).map(Number),
        })
    }
}

/// A set of codes that have names in `rnic-abi` (or, for errno, in `rnic-driver`).
pub trait Named: Copy {
    /// What the codes are, for messages.
    const WHAT: &'static str;
    /// The code with this name.
    fn with_name(name: &str) -> Option<Self>;
    /// The code with this number.
    fn with_number(number: u8) -> Option<Self>;
}

macro_rules! named {
    ($($type:ty, $what:literal;)+) => {
        $(impl Named for $type {
            const WHAT: &'static str = $what;
            fn with_name(name: &str) -> Option<Self> {
                <$type>::from_name(name)
            }
            fn with_number(number: u8) -> Option<Self> {
                <$type>::from_u8(number)
            }
        })+
    };
}

named! {
    rnic_abi::status::Status, "a completion status such as \"MW_BIND\"";
    rnic_abi::syndrome::Syndrome, "a syndrome such as \"KEY_INDEX\"";
    rnic_abi::opcode::Opcode, "an opcode such as \"REG_MR\"";
    rnic_abi::qp::State, "a queue pair state such as \"RTS\"";
    rnic_abi::mr::State, "a memory region state such as \"VALID\"";
    rnic_abi::mr::Type, "a memory region type such as \"MEM_REG\"";
    rnic_abi::event::Kind, "an event such as \"CQ_ERR\"";
    rnic_abi::drop::Drop, "a drop reason such as \"SQ_DOORBELL_COUNT\"";
    rnic_abi::admin::Command, "an admin command such as \"QUERY_MR\"";
}

impl Named for rnic_driver::Errno {
    const WHAT: &'static str = "an errno such as \"EINVAL\"";

    fn with_name(name: &str) -> Option<Self> {
        Self::from_name(name)
    }

    fn with_number(number: u8) -> Option<Self> {
        Self::from_number(number)
    }
}

/// A code, by name or by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code<T>(pub T);

impl<'de, T: Named> Deserialize<'de> for Code<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_integer(deserializer, T::WHAT, |value| match value {
            Ok(number) => u8::try_from(number).ok().and_then(T::with_number).map(Code),
            Err(name) => T::with_name(name).map(Code),
        })
    }
}

/// Access bits: names with blanks between (`"LW RW RR RA ZB"`, also `RINV`), `"-"` for none, or a number for undefined ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessBits(pub u8);

impl<'de> Deserialize<'de> for AccessBits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_integer(deserializer, "access rights such as \"LW RW RR\", \"-\", or a number", |value| match value {
            Ok(number) => u8::try_from(number).ok().map(AccessBits),
            Err(text) => text.split_whitespace().try_fold(AccessBits(0), |bits, name| {
                let named = access::TABLE.iter().find(|row| row.0 == name).map(|row| row.1);
                let bit = if name == "-" { Some(0) } else { named };
                bit.map(|bit| AccessBits(bits.0 | bit))
            }),
        })
    }
}

/// Bytes as hexadecimal digits; blanks, line ends and `_` between bytes do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hex(pub Vec<u8>);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_integer(deserializer, "an even number of hexadecimal digits in a string", |value| {
            let digits: Vec<_> = value.err()?.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
            let digits =
                digits.into_iter().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect::<Option<Vec<_>>>()?;
            let pairs = digits.chunks(2).map(|pair| (pair.len() == 2).then(|| pair[0] << 4 | pair[1]));
            pairs.collect::<Option<Vec<_>>>().map(Hex)
        })
    }
}

/// A MAC address, `"02:00:00:00:00:01"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mac(pub [u8; 6]);

impl<'de> Deserialize<'de> for Mac {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_integer(deserializer, "a MAC address such as \"02:00:00:00:00:01\"", |value| {
            let parts = value.err()?.split(':').map(|part| u8::from_str_radix(part, 16).ok());
            parts.collect::<Option<Vec<_>>>()?.try_into().ok().map(Mac)
        })
    }
}

/// A network address, `"10.0.0.1"` or `"fd00::1"`: 16 bytes in network order, IPv4 as `::ffff:a.b.c.d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(pub [u8; 16]);

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_integer(deserializer, "an address such as \"10.0.0.1\" or \"fd00::1\"", |value| {
            Some(Address(match value.err()?.parse().ok()? {
                IpAddr::V4(address) => crate::wire::frame::map(address.octets()),
                IpAddr::V6(address) => address.octets(),
            }))
        })
    }
}

/// A BTH opcode of a reliable connection, by name or by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireOpcode(pub u8);

impl<'de> Deserialize<'de> for WireOpcode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_integer(deserializer, "a BTH opcode such as \"WRITE_ONLY\", or a number", |value| match value {
            Ok(number) => u8::try_from(number).ok().map(WireOpcode),
            Err(name) => crate::wire::frame::opcode::by_name(name).map(WireOpcode),
        })
    }
}

/// A bus address: a number, or `name[page]+offset` where the page and the offset may be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Memory, page list, or ring (`qp.send`, `qp.receive`); none for an absolute address.
    pub name: Option<String>,
    /// Page of the memory; none stands for the first, or for all where whole memories are meant.
    pub page: Option<u64>,
    /// Bytes behind its start, or the absolute address.
    pub offset: u64,
}

impl FromStr for Place {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.trim();
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return parse_number(text).map(|offset| Place { name: None, page: None, offset }).ok_or(());
        }
        let (base, offset) = match text.split_once('+') {
            Some((base, offset)) => (base.trim(), parse_number(offset.trim()).ok_or(())?),
            None => (text, 0),
        };
        let (name, page) = match base.split_once('[') {
            Some((name, page)) => (name, Some(parse_number(page.strip_suffix(']').ok_or(())?).ok_or(())?)),
            None => (base, None),
        };
        let valid = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
        valid.then(|| Place { name: Some(name.to_string()), page, offset }).ok_or(())
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_integer(deserializer, "a bus address: a number or \"name[page]+offset\"", |value| match value {
            Ok(offset) => Some(Place { name: None, page: None, offset }),
            Err(text) => text.parse().ok(),
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            None => write!(f, "{:#x}", self.offset),
            Some(name) => {
                write!(f, "{name}")?;
                if let Some(page) = self.page {
                    write!(f, "[{page}]")?;
                }
                if self.offset != 0 {
                    write!(f, "+{:#x}", self.offset)?;
                }
                Ok(())
            }
        }
    }
}

/// A 32-bit word of a command: a number, or a property of an object (`"a.key"`, `"a.index"`, `"q.qpn"`, `"c.cqn"`, `"p.pd"`),
/// or half of a bus address (`"data[1].low"`, `"data[1].high"`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// A number.
    Value(u32),
    /// `key index qpn cqn pd` of the named object.
    Property(String, &'static str),
    /// Bits 31:0 of a bus address.
    Low(Place),
    /// Bits 63:32 of a bus address.
    High(Place),
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "a 32-bit number, \"name.key\", .index, .qpn, .cqn, .pd, .low or .high";
        text_or_integer(deserializer, expecting, |value| match value {
            Ok(number) => u32::try_from(number).ok().map(Word::Value),
            Err(text) => match (parse_number(text), text.rsplit_once('.')?) {
                (Some(number), _) => u32::try_from(number).ok().map(Word::Value),
                (None, (place, "low")) => place.parse().ok().map(Word::Low),
                (None, (place, "high")) => place.parse().ok().map(Word::High),
                (None, (name, property)) => {
                    let known = ["key", "index", "qpn", "cqn", "pd"].into_iter().find(|known| *known == property);
                    known.map(|property| Word::Property(name.to_string(), property))
                }
            },
        })
    }
}

/// A register: its offset, or its name in `rnic-abi` with the number of an array element (`"SYNDROME_COUNTER[8]"`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterOffset(pub u16);

impl<'de> Deserialize<'de> for RegisterOffset {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "a register: an offset below 0x10000, or a name such as \"CONTROL\" or \"SQ_DOORBELL[2]\"";
        text_or_integer(deserializer, expecting, |value| match value {
            Ok(offset) => u16::try_from(offset).ok().map(RegisterOffset),
            Err(text) => match parse_number(text) {
                Some(offset) => u16::try_from(offset).ok().map(RegisterOffset),
                None => register_by_name(text).map(RegisterOffset),
            },
        })
    }
}

fn register_by_name(text: &str) -> Option<u16> {
    let (name, index) = match text.split_once('[') {
        Some((name, index)) => (name, parse_number(index.strip_suffix(']')?)?),
        None => (text, 0),
    };
    let register = rnic_abi::register::REGISTERS.iter().find(|register| register.name == name)?;
    let offset = u64::from(register.offset) + index * u64::from(register.stride);
    (index < register.count.into()).then_some(offset as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rnic_abi::status::Status;

    #[derive(Debug, Deserialize)]
    struct One<T> {
        v: T,
    }

    fn read<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, String> {
        toml::from_str::<One<T>>(&format!("v = {text}")).map(|one| one.v).map_err(|error| error.message().to_string())
    }

    #[test]
    fn numbers_reach_2_pow_64() {
        assert_eq!(read("0x1F"), Ok(Number(31)));
        assert_eq!(read("\"0xFFFF_FFFF_FFFF_F000\""), Ok(Number(!0xFFF)));
        assert!(read::<Number>("-1").unwrap_err().contains("found -1"));
        assert!(read::<Number>("true").is_err() && read::<Number>("\"0x1_0000_0000_0000_0000\"").is_err());
    }

    #[test]
    fn codes_have_names_and_numbers() {
        assert_eq!(read("\"MW_BIND\""), Ok(Code(Status::MwBind)));
        assert_eq!(read("6"), Ok(Code(Status::MwBind)));
        assert!(read::<Code<Status>>("\"MW_BOUND\"").unwrap_err().contains("completion status"));
        assert!(read::<Code<Status>>("3").is_err(), "there is no status 3");
    }

    #[test]
    fn access_bits_are_named() {
        assert_eq!(read("\"LW RW RR\""), Ok(AccessBits(7)));
        assert_eq!(read("\"-\""), Ok(AccessBits(0)));
        assert_eq!(read("0x40"), Ok(AccessBits(0x40)));
        assert!(read::<AccessBits>("\"LW XX\"").is_err());
    }

    #[test]
    fn places_have_page_and_offset() {
        let place = |name: &str, page, offset| Ok(Place { name: Some(name.into()), page, offset });
        assert_eq!(read("\"data\""), place("data", None, 0));
        assert_eq!(read("\"data[2]+0x80\""), place("data", Some(2), 0x80));
        assert_eq!(read("\"q.send+64\""), place("q.send", None, 64));
        assert_eq!(read("0xA000"), Ok(Place { name: None, page: None, offset: 0xA000 }));
        assert_eq!(read::<Place>("\"data[2]+0x80\"").unwrap().to_string(), "data[2]+0x80");
        for bad in ["\"data[\"", "\"data[x]\"", "\"+4\"", "\"a b\""] {
            assert!(read::<Place>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn words_are_numbers_or_properties() {
        assert_eq!(read("7"), Ok(Word::Value(7)));
        assert_eq!(read("\"a.key\""), Ok(Word::Property("a".into(), "key")));
        assert_eq!(read("\"data[1].high\""), Ok(Word::High("data[1]".parse().unwrap())));
        assert!(read::<Word>("0x1_0000_0000").is_err() && read::<Word>("\"a.colour\"").is_err());
    }

    #[test]
    fn registers_have_names() {
        assert_eq!(read("\"CONTROL\""), Ok(RegisterOffset(0x100)));
        assert_eq!(read("\"SYNDROME_COUNTER[8]\""), Ok(RegisterOffset(0x1020)));
        assert_eq!(read("0x7FFC"), Ok(RegisterOffset(0x7FFC)));
        assert!(read::<RegisterOffset>("\"SYNDROME_COUNTER[128]\"").is_err());
        assert!(read::<RegisterOffset>("\"NO_SUCH\"").is_err());
    }

    #[test]
    fn addresses_have_their_customary_forms() {
        assert_eq!(read("\"02:00:0a:FF:00:01\""), Ok(Mac([2, 0, 10, 255, 0, 1])));
        assert!(read::<Mac>("\"02:00:00:00:00\"").unwrap_err().contains("MAC address"));
        let mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1];
        assert_eq!(read("\"10.0.0.1\""), Ok(Address(mapped)));
        assert_eq!(read("\"fd00::1\"").map(|Address(address)| (address[0], address[15])), Ok((0xFD, 1)));
        assert!(read::<Address>("\"10.0.0\"").is_err() && read::<Address>("7").is_err());
        assert_eq!(read("\"WRITE_ONLY\""), Ok(WireOpcode(0x0A)));
        assert_eq!(read("0x1F"), Ok(WireOpcode(0x1F)));
        assert!(read::<WireOpcode>("\"WRITE\"").unwrap_err().contains("BTH opcode"));
    }

    #[test]
    fn hex_is_whole_bytes() {
        assert_eq!(read("\"20 0B_01\\n07\""), Ok(Hex(vec![0x20, 0x0B, 1, 7])));
        assert!(read::<Hex>("\"123\"").is_err() && read::<Hex>("\"zz\"").is_err() && read::<Hex>("12").is_err());
    }
}
