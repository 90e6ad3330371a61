//! Which key byte a region's next registration gets (A13, A19).
//!
//! A peer that still has the key of an earlier registration must not reach the present one. So a number that counts up comes again
//! as late as 8 bits allow, after 256 registrations of the region. A peer should not guess the next key either: shuffled ones are
//! drawn from the 128 bytes that have not been used for the longest time.

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha12Rng;

/// How key bytes are chosen.
///
/// ```
/// # use rnic_driver::{KeyPolicy, SlotOptions};
/// let secret = 0x1234_5678; // from a source of randomness
/// let options = SlotOptions { remote: 32, keys: KeyPolicy::Shuffled(secret), ..SlotOptions::default() };
/// assert_ne!(options.keys, KeyPolicy::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyPolicy {
    /// The next number.
    #[default]
    Increment,
    /// A random one of the 128 that have not been used for the longest time, so that none comes again within 128 registrations.
    /// The choice follows from this number alone, in another way for each region: to a peer that does not know the number, the
    /// next key is one of 128, whatever keys it has seen. Each pool should have a number of its own.
    Shuffled(u64),
}

/// Bytes of which one is the next.
const CANDIDATES: u32 = 128;

/// The key bytes of one region.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    /// Without one, the next number.
    drawn: Option<Box<Drawn>>,
}

/// Bytes that are drawn.
#[derive(Clone, Debug)]
struct Drawn {
    random: ChaCha12Rng,
    /// All bytes, the one that was used last at the end.
    by_age: [u8; 256],
    /// The next one, until it has been used.
    next: Option<u8>,
}

impl Keys {
    /// `region` says which one of those that have this policy.
    pub(crate) fn new(policy: KeyPolicy, region: u32) -> Keys {
        let KeyPolicy::Shuffled(seed) = policy else { return Keys { drawn: None } };
        let mut random = ChaCha12Rng::seed_from_u64(seed);
        random.set_stream(region.into());
        let mut by_age = std::array::from_fn(|byte| byte as u8);
        // Fisher and Yates.
        for last in (1..by_age.len()).rev() {
            let other = below(&mut random, last as u32 + 1) as usize;
            by_age.swap(last, other);
        }
        Keys { drawn: Some(Box::new(Drawn { random, by_age, next: None })) }
    }

    /// The byte after `byte`, which is the last one used. The same again until it has been used itself.
    pub(crate) fn after(&mut self, byte: u8) -> u8 {
        let Some(drawn) = &mut self.drawn else { return byte.wrapping_add(1) };
        match drawn.next {
            Some(next) if next != byte => next,
            _ => drawn.draw(byte),
        }
    }
}

impl Drawn {
    fn draw(&mut self, used: u8) -> u8 {
        let place = self.by_age.iter().position(|other| *other == used).unwrap_or(0);
        self.by_age[place..].rotate_left(1);
        *self.next.insert(self.by_age[below(&mut self.random, CANDIDATES) as usize])
    }
}

/// A number below `limit`, each as likely as the others.
fn below(random: &mut ChaCha12Rng, limit: u32) -> u32 {
    let largest = u32::MAX - u32::MAX % limit;
    loop {
        let number = random.next_u32();
        if number < largest {
            return number % limit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that follow one another, each used.
    fn bytes(policy: KeyPolicy, region: u32, count: usize) -> Vec<u8> {
        let mut keys = Keys::new(policy, region);
        std::iter::successors(Some(77), |byte| Some(keys.after(*byte))).take(count).collect()
    }

    /// The fewest other bytes between a byte and its return.
    fn apart(bytes: &[u8]) -> usize {
        let behind = |at: usize| bytes[at + 1..].iter().position(|byte| *byte == bytes[at]);
        (0..bytes.len()).filter_map(behind).min().unwrap()
    }

    #[test]
    fn a13_a19_a_key_byte_comes_again_late() {
        assert_eq!(apart(&bytes(KeyPolicy::Increment, 3, 2000)), 255);
        for region in 1..20 {
            let bytes = bytes(KeyPolicy::Shuffled(7), region, 5000);
            assert!(apart(&bytes) >= 128, "{}", apart(&bytes));
            assert!((0..=255).all(|byte| bytes.contains(&byte)), "region {region}");
        }
    }

    #[test]
    fn a13_what_followed_a_key_once_tells_nothing_of_what_follows_it_again() {
        let bytes = bytes(KeyPolicy::Shuffled(7), 1, 100_000);
        let mut last = [None; 256];
        let (mut again, mut same) = (0, 0);
        for pair in bytes.windows(2) {
            let before = last[usize::from(pair[0])].replace(pair[1]);
            again += u32::from(before.is_some());
            same += u32::from(before == Some(pair[1]));
        }
        // By chance it is one in 256 or so.
        assert!(again > 90_000 && same < again / 64, "{same} of {again} successors are the same again");
    }

    #[test]
    fn f17_f19_a_key_that_has_not_been_used_is_the_next_one_still() {
        let mut keys = Keys::new(KeyPolicy::Shuffled(7), 1);
        let next = keys.after(77);
        assert_eq!((keys.after(77), keys.after(77)), (next, next));
        assert_ne!(keys.after(next), next);
    }

    #[test]
    fn a13_shuffled_orders_differ_by_region_and_number_and_are_the_same_again() {
        let order = |seed, region| bytes(KeyPolicy::Shuffled(seed), region, 256);
        assert_eq!(order(1, 5), order(1, 5));
        assert_ne!(order(1, 5), order(1, 6));
        assert_ne!(order(1, 5), order(2, 5));
        assert_ne!(order(1, 5), bytes(KeyPolicy::Increment, 5, 256));
    }
}
