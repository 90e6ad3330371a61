//! How the numbers are written down: bit fields of a word, fields of a command, places in a layout, lists of codes.
//!
//! Each macro makes the constants and, from the same text, the table that the reference pages are printed from.

/// A bit field of one 32-bit word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Lowest bit.
    pub lsb: u32,
    /// Bits.
    pub width: u32,
}

impl Field {
    /// The field from bit `msb` down to bit `lsb`.
    pub const fn new(msb: u32, lsb: u32) -> Self {
        assert!(lsb <= msb && msb < 32);
        Self { lsb, width: msb - lsb + 1 }
    }

    /// Ones in the field's place.
    pub const fn mask(self) -> u32 {
        ((u32::MAX as u64 >> (32 - self.width)) as u32) << self.lsb
    }

    /// The field's value in `word`.
    pub const fn get(self, word: u32) -> u32 {
        (word & self.mask()) >> self.lsb
    }

    /// `value` in the field's place, ready to be ORed into a word; too high bits of it are lost.
    pub const fn put(self, value: u32) -> u32 {
        (value << self.lsb) & self.mask()
    }

    /// Any bit of the field is 1 in `word`.
    pub const fn is_set(self, word: u32) -> bool {
        word & self.mask() != 0
    }
}

/// A field of an admin command or answer; wide ones go on in the following words, low word first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordField {
    /// First word.
    pub word: usize,
    /// Lowest bit in that word.
    pub lsb: u32,
    /// Bits.
    pub width: u32,
}

impl WordField {
    /// The field from bit `msb` down to bit `lsb`, counted from bit 0 of `word`.
    pub const fn new(word: usize, msb: u32, lsb: u32) -> Self {
        assert!(lsb <= msb && lsb < 32);
        Self { word, lsb, width: msb - lsb + 1 }
    }

    /// Bit n is set when word n belongs to the field.
    pub const fn words(self) -> u32 {
        let count = (self.lsb + self.width).div_ceil(32);
        (u32::MAX >> (32 - count)) << self.word
    }

    /// The largest value, for fields of at most 64 bits.
    pub const fn max(self) -> u64 {
        assert!(self.width <= 64);
        u64::MAX >> (64 - self.width)
    }

    /// The field's value; for fields of at most 64 bits.
    pub fn get(self, words: &[u32]) -> u64 {
        let low = words[self.word] as u64 >> self.lsb;
        let high = if self.lsb + self.width > 32 { (words[self.word + 1] as u64) << (32 - self.lsb) } else { 0 };
        (low | high) & self.max()
    }

    /// Replaces the field's value; for fields of at most 64 bits that start at bit 0 when they pass a word.
    ///
    /// # Panics
    /// When `value` does not fit: a too large value must be refused, not cut.
    pub fn put(self, words: &mut [u32], value: u64) {
        assert!(value <= self.max(), "{value:#x} does not fit in {} bits", self.width);
        let mask = self.max() << self.lsb;
        let placed = value << self.lsb;
        words[self.word] = (words[self.word] & !(mask as u32)) | placed as u32;
        if self.lsb + self.width > 32 {
            let next = &mut words[self.word + 1];
            *next = (*next & !((mask >> 32) as u32)) | (placed >> 32) as u32;
        }
    }

    /// Byte `index` of a field that holds bytes in wire order (MAC and IP addresses): byte 0 stands in bits 7:0.
    pub fn byte(self, words: &[u32], index: usize) -> u8 {
        assert!(self.lsb == 0 && index < self.width as usize / 8);
        (words[self.word + index / 4] >> (index % 4 * 8)) as u8
    }

    /// Replaces byte `index` of a field that holds bytes in wire order.
    pub fn put_byte(self, words: &mut [u32], index: usize, value: u8) {
        assert!(self.lsb == 0 && index < self.width as usize / 8);
        let word = &mut words[self.word + index / 4];
        *word = (*word & !(0xFF << (index % 4 * 8))) | (value as u32) << (index % 4 * 8);
    }
}

/// Bytes of a layout in host memory, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Offset of the first byte.
    pub byte: usize,
    /// Bytes, at most 8.
    pub bytes: usize,
}

impl Place {
    /// `bytes` bytes from offset `byte` on.
    pub const fn new(byte: usize, bytes: usize) -> Self {
        assert!(bytes > 0 && bytes <= 8);
        Self { byte, bytes }
    }

    /// Lowest bit when the whole layout is taken as one little-endian number.
    pub const fn bit(self) -> usize {
        self.byte * 8
    }

    /// Width in bits.
    pub const fn bits(self) -> usize {
        self.bytes * 8
    }

    /// Reads the number that stands there.
    pub fn get(self, layout: &[u8]) -> u64 {
        layout[self.byte..self.byte + self.bytes].iter().rev().fold(0, |value, byte| value << 8 | *byte as u64)
    }

    /// Writes a number there; too high bytes of `value` are lost.
    pub fn put(self, layout: &mut [u8], value: u64) {
        layout[self.byte..self.byte + self.bytes].copy_from_slice(&value.to_le_bytes()[..self.bytes]);
    }
}

/// A [`Field`] with its name and meaning.
#[derive(Clone, Copy, Debug)]
pub struct NamedField {
    /// Name of the constant.
    pub name: &'static str,
    /// Where it is.
    pub field: Field,
    /// What it means.
    pub description: &'static str,
}

/// A [`WordField`] with its name and meaning.
#[derive(Clone, Copy, Debug)]
pub struct NamedWordField {
    /// Name of the constant.
    pub name: &'static str,
    /// Where it is.
    pub field: WordField,
    /// What it means.
    pub description: &'static str,
}

/// A [`Place`] with its name and meaning.
#[derive(Clone, Copy, Debug)]
pub struct NamedPlace {
    /// Name of the constant.
    pub name: &'static str,
    /// Where it is.
    pub place: Place,
    /// What it means.
    pub description: &'static str,
}

/// Constants of one type, and a table of (name, value, description).
macro_rules! described {
    ($(#[doc = $table_doc:literal])+ $table:ident: $type:ty;
     $($(#[doc = $doc:literal])+ $name:ident = $value:expr;)+) => {
        $($(#[doc = $doc])+ pub const $name: $type = $value;)+
        $(#[doc = $table_doc])+
        pub const $table: &[(&str, $type, &str)] = &[$((stringify!($name), $name, concat!($($doc),+).trim_ascii())),+];
    };
}

/// Places of a layout, and the table of them.
macro_rules! places {
    ($(#[doc = $table_doc:literal])+ $table:ident;
     $($(#[doc = $doc:literal])+ $name:ident = $byte:literal, $bytes:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: $crate::Place = $crate::Place::new($byte, $bytes);)+
        $(#[doc = $table_doc])+
        pub const $table: &[$crate::NamedPlace] = &[$($crate::NamedPlace {
            name: stringify!($name), place: $name, description: concat!($($doc),+).trim_ascii(),
        }),+];
    };
}

/// Fields of a command or an answer, and the table of them.
macro_rules! words {
    ($(#[doc = $table_doc:literal])+ $table:ident;
     $($(#[doc = $doc:literal])+ $name:ident = $word:literal [$msb:literal : $lsb:literal];)+) => {
        $($(#[doc = $doc])+ pub const $name: $crate::WordField = $crate::WordField::new($word, $msb, $lsb);)+
        $(#[doc = $table_doc])+
        pub const $table: &[$crate::NamedWordField] = &[$($crate::NamedWordField {
            name: stringify!($name), field: $name, description: concat!($($doc),+).trim_ascii(),
        }),+];
    };
}

/// An 8-bit code as an enum, with a plain constant beside each variant for use in hardware.
macro_rules! codes {
    ($(#[doc = $type_doc:literal])+ pub enum $type:ident {
        $($(#[doc = $doc:literal])+ $variant:ident, $name:ident = $value:literal, $rule:literal;)+
    }) => {
        $($(#[doc = $doc])+ pub const $name: u8 = $value;)+

        $(#[doc = $type_doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $type { $($(#[doc = $doc])+ $variant = $name,)+ }

        impl $type {
            /// Every code, ascending.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The code of a number, if there is one.
            pub const fn from_u8(value: u8) -> Option<Self> {
                match value { $($name => Some(Self::$variant),)+ _ => None }
            }

            /// The number.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// The name as the reference pages write it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($name),)+ }
            }

            /// The code of a name as [`Self::name`] gives it.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.name() == name)
            }

            /// The rule that speaks of it; may be empty.
            pub const fn rule(self) -> &'static str {
                match self { $(Self::$variant => $rule,)+ }
            }

            /// What it means.
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii(),)+ }
            }
        }

        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }

        impl From<$type> for u8 {
            fn from(code: $type) -> u8 {
                code as u8
            }
        }

        impl TryFrom<u8> for $type {
            type Error = u8;

            fn try_from(value: u8) -> Result<Self, u8> {
                Self::from_u8(value).ok_or(value)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_cut_out_and_put_back() {
        let field = Field::new(31, 16);
        assert_eq!(field.mask(), 0xFFFF_0000);
        assert_eq!(field.get(0xABCD_1234), 0xABCD);
        assert_eq!(field.put(0x1_0001), 0x0001_0000);
        assert_eq!(Field::new(31, 0).mask(), u32::MAX);
        assert!(Field::new(3, 3).is_set(8) && !Field::new(3, 3).is_set(7));
    }

    #[test]
    fn a_word_field_may_span_two_words() {
        let (wide, byte) = (WordField::new(1, 63, 0), WordField::new(0, 15, 8));
        let mut words = [0xFFFF_FFFF, 0, 0, 7];
        wide.put(&mut words, 0x0123_4567_89AB_CDEF);
        byte.put(&mut words, 0x5A);
        assert_eq!(words, [0xFFFF_5AFF, 0x89AB_CDEF, 0x0123_4567, 7]);
        assert_eq!((wide.get(&words), byte.get(&words)), (0x0123_4567_89AB_CDEF, 0x5A));
        assert_eq!((wide.words(), byte.words()), (6, 1));
        assert_eq!(WordField::new(12, 127, 0).words(), 0xF000);
    }

    #[test]
    fn bytes_in_wire_order_stand_in_memory_order() {
        let mac = WordField::new(1, 47, 0);
        let mut words = [0; 3];
        for index in 0..6 {
            mac.put_byte(&mut words, index, 0x10 + index as u8);
        }
        assert_eq!(words, [0, 0x1312_1110, 0x1514]);
        assert_eq!(mac.byte(&words, 5), 0x15);
    }

    #[test]
    #[should_panic(expected = "does not fit")]
    fn a_too_large_value_is_not_cut() {
        WordField::new(0, 7, 0).put(&mut [0], 256);
    }

    #[test]
    fn a_place_is_little_endian() {
        let mut bytes = [0; 8];
        Place::new(2, 4).put(&mut bytes, 0x1122_3344);
        assert_eq!(bytes, [0, 0, 0x44, 0x33, 0x22, 0x11, 0, 0]);
        assert_eq!(Place::new(2, 4).get(&bytes), 0x1122_3344);
        assert_eq!((Place::new(2, 4).bit(), Place::new(2, 4).bits()), (16, 32));
    }
}
