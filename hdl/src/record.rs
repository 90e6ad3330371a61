//! Records: `LogicStruct`s that can also be read from a word of bits.
//!
//! The first field is the least significant, which makes a record match little-endian bytes in memory.
use num_bigint::BigUint;
use rust_hdl::prelude::*;

/// A value that can be cut out of a word, least significant field first.
pub trait Packed: Synth {
    /// Takes `Self::BITS` bits of `word` from bit `at` on.
    fn unpack(word: &BigUint, at: u64) -> Self;
}

impl<const N: usize> Packed for Bits<N> {
    fn unpack(word: &BigUint, at: u64) -> Self {
        let mask = (BigUint::from(1u8) << N) - 1u8;
        ((word >> at) & mask).into()
    }
}

impl Packed for Bit {
    fn unpack(word: &BigUint, at: u64) -> Self {
        word.bit(at)
    }
}

/// Declares a record: name, width in bits, fields. The width is checked against the sum of the fields when first used.
///
/// Cut a record where it will be sliced: slices of record fields are not safe Verilog.
#[macro_export]
macro_rules! record {
    ($(#[$note:meta])* $name:ident, $width:literal { $($(#[$field_note:meta])* $field:ident : $kind:ty),* $(,)? }) => {
        $(#[$note])*
        #[derive(Copy, Clone, Debug, Default, PartialEq, ::rust_hdl::prelude::LogicStruct)]
        pub struct $name { $($(#[$field_note])* pub $field: $kind),* }

        impl $crate::record::Packed for $name {
            fn unpack(word: &::num_bigint::BigUint, at: u64) -> Self {
                let mut record = Self::default();
                let mut next = at;
                $(
                    record.$field = <$kind as $crate::record::Packed>::unpack(word, next);
                    next += <$kind as ::rust_hdl::prelude::Synth>::BITS as u64;
                )*
                assert_eq!(next - at, $width, "declared width of {}", stringify!($name));
                record
            }
        }

        // The Verilog of this conversion is a plain copy of the bits, which is what `unpack` computes.
        impl From<::rust_hdl::prelude::Bits<$width>> for $name {
            fn from(word: ::rust_hdl::prelude::Bits<$width>) -> Self {
                $crate::record::Packed::unpack(&word.into(), 0)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use rust_hdl::prelude::*;

    record! {
        /// A record for the test.
        Sample, 13 {
            /// Low byte.
            low: Bits<8>,
            /// Middle bit.
            middle: Bit,
            /// High nibble.
            high: Bits<4>,
        }
    }

    #[test]
    fn a_record_survives_the_way_to_bits_and_back() {
        for word in 0..1u64 << 13 {
            let sample: Sample = Bits::<13>::from(word).into();
            assert_eq!(sample.low, Bits::<8>::from(word & 0xFF));
            let back: Bits<13> = sample.into();
            assert_eq!(back, Bits::<13>::from(word));
        }
    }
}
