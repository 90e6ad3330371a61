//! Random values for the inputs of a block.
use crate::record::Packed;
use crate::widgets::{ChannelSink, ChannelSource};
use num_bigint::BigUint;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

/// Source of random inputs that knows the step it is in.
pub struct RandomDrive {
    rng: ChaCha8Rng,
    step: usize,
}

impl RandomDrive {
    /// Same seed, same values.
    pub fn new(seed: u64) -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(seed), step: 0 }
    }

    pub(super) fn start_step(&mut self, step: usize) {
        self.step = step;
    }

    /// A random word: all zeros, all ones, one low or high bit, few bits, or even odds for each bit.
    pub fn word(&mut self, width: usize) -> BigUint {
        let style = self.rng.random_range(0..8);
        (0..width).fold(BigUint::default(), |word, bit| {
            let set = match style {
                0 => false,
                1 => true,
                2 => bit == 0,
                3 => bit == width - 1,
                4 => self.rng.random_ratio(1, 16),
                _ => self.rng.random(),
            };
            if set {
                word | (BigUint::from(1u8) << bit)
            } else {
                word
            }
        })
    }

    /// A random value of any record.
    pub fn value<T: Packed>(&mut self) -> T {
        let word = self.word(T::BITS);
        T::unpack(&word, 0)
    }

    /// True `of` times in `among`.
    pub fn chance(&mut self, of: u32, among: u32) -> bool {
        self.rng.random_ratio(of, among)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.rng.random_range(0..limit)
    }

    /// Gives an input a random value.
    pub fn set<T: Packed>(&mut self, signal: &mut Signal<In, T>) {
        signal.next = self.value();
    }

    /// Gives an input a fixed value.
    pub fn put<T: Synth>(&mut self, signal: &mut Signal<In, T>, value: T) {
        signal.next = value;
    }

    /// Reset: on for the first two steps, then once in 64.
    pub fn reset(&mut self, signal: &mut Signal<In, Bit>) {
        signal.next = self.step < 2 || self.chance(1, 64);
    }

    /// A bit that is mostly set, for enables without which nothing moves.
    pub fn mostly(&mut self, signal: &mut Signal<In, Bit>) {
        signal.next = self.chance(7, 8);
    }

    /// A bit that is seldom set.
    pub fn seldom(&mut self, signal: &mut Signal<In, Bit>) {
        signal.next = self.chance(1, 8);
    }

    /// Random data and valid into a sink. (Valid may drop before ready: the block must not care.)
    pub fn sink<T: Packed>(&mut self, sink: &mut ChannelSink<T>) {
        self.set(&mut sink.data);
        sink.valid.next = self.chance(2, 3);
    }

    /// Random ready for a source.
    pub fn source<T: Synth>(&mut self, source: &mut ChannelSource<T>) {
        source.ready.next = self.chance(2, 3);
    }
}
