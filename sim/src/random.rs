//! Random numbers of a run: small, fast, and the same for the same seed on every machine (SplitMix64).

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed; `stream` tells apart the users of one seed.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ stream.wrapping_mul(0xD1B5_4A32_D192_ED03))
    }

    /// Next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`; 0 when `limit` is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// True in `percent` of 100 calls; takes no number from the stream for 0.
    #[inline]
    pub fn chance(&mut self, percent: u8) -> bool {
        percent != 0 && self.below(100) < percent.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_and_repeat() {
        let draw = |seed, stream| {
            let mut random = Random::new(seed, stream);
            [random.next(), random.next(), random.next()]
        };
        assert_eq!(draw(1, 0), draw(1, 0));
        assert_ne!(draw(1, 0), draw(2, 0));
        assert_ne!(draw(1, 0), draw(1, 1));
    }

    #[test]
    fn chance_follows_the_percentage() {
        let mut random = Random::new(7, 0);
        let hits = (0..10_000).filter(|_| random.chance(25)).count();
        assert!((2_200..2_800).contains(&hits), "{hits}");
        assert!((0..1000).all(|_| random.chance(100) && !random.chance(0)));
    }
}
