//! The core at the sizes of the presets (`rnic-abi` owns the numbers; `Rnic::new` checks that they agree).
use super::Rnic;

/// For an ECP5-25F: 64 bits, 8 QPs, 32 MRs, 512 page entries.
pub type Tiny = Rnic<64, 8, 1, 64, 3, 8, 4, 5, 9, 7, 4, 4, 6, 5, 8, 1, 4, 7, 8, 11, 10, 5, 10, 1, 4, 2, 4, 7>;
/// For ECP5-class boards and fast simulation: 64 bits, 16 QPs, 64 MRs, 1,024 page entries.
pub type Small = Rnic<64, 8, 1, 64, 4, 16, 5, 6, 10, 9, 6, 6, 9, 7, 32, 1, 5, 8, 9, 11, 11, 5, 10, 2, 6, 4, 5, 9>;
/// For UltraScale+ cards: 512 bits, 256 QPs, 4,096 MRs, 65,536 page entries.
pub type Large =
    Rnic<512, 64, 8, 256, 8, 256, 9, 12, 13, 8, 7, 8, 10, 7, 128, 4, 9, 12, 13, 10, 9, 7, 8, 4, 12, 16, 7, 15>;
