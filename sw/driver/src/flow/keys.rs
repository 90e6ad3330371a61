//! Which key byte a region's next registration gets (A13, A19).
//!
//! A peer that still has the key of an earlier registration must not reach the present one. So a byte comes again as late as 8
//! bits allow: after 256 registrations of the region.

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
    /// All 256 bytes in an order that follows from this number alone, another one for each region: with a secret number a peer
    /// cannot tell the next key from those it has seen.
    Shuffled(u64),
}

/// The key bytes of one region.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    /// The order; without one, the next number.
    order: Option<Box<[u8; 256]>>,
}

impl Keys {
    pub(crate) fn new(policy: KeyPolicy, index: u32) -> Keys {
        let KeyPolicy::Shuffled(seed) = policy else { return Keys { order: None } };
        let mut random = ChaCha12Rng::seed_from_u64(seed);
        random.set_stream(index.into());
        let mut order = Box::new(std::array::from_fn(|byte| byte as u8));
        // Fisher and Yates.
        for last in (1..order.len()).rev() {
            let other = below(&mut random, last as u32 + 1) as usize;
            order.swap(last, other);
        }
        Keys { order: Some(order) }
    }

    /// The byte after `byte`.
    pub(crate) fn after(&self, byte: u8) -> u8 {
        match &self.order {
            None => byte.wrapping_add(1),
            Some(order) => {
                let place = order.iter().position(|other| *other == byte).unwrap_or(0);
                order[(place + 1) % order.len()]
            }
        }
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

    fn round(keys: &Keys, first: u8) -> Vec<u8> {
        std::iter::successors(Some(first), |byte| Some(keys.after(*byte))).take(256).collect()
    }

    #[test]
    fn a13_a19_a_key_byte_comes_again_only_after_all_others() {
        for policy in [KeyPolicy::Increment, KeyPolicy::Shuffled(7)] {
            for index in 1..20 {
                let keys = Keys::new(policy, index);
                let mut bytes = round(&keys, 77);
                assert_eq!(keys.after(bytes[255]), 77);
                bytes.sort_unstable();
                assert!(bytes.iter().enumerate().all(|(place, byte)| place == usize::from(*byte)));
            }
        }
    }

    #[test]
    fn a13_shuffled_orders_differ_by_region_and_number_and_are_the_same_again() {
        let order = |seed, index| round(&Keys::new(KeyPolicy::Shuffled(seed), index), 0);
        assert_eq!(order(1, 5), order(1, 5));
        assert_ne!(order(1, 5), order(1, 6));
        assert_ne!(order(1, 5), order(2, 5));
        assert_ne!(order(1, 5), round(&Keys::new(KeyPolicy::Increment, 5), 0));
    }
}
