//! A wire with seeded faults.

use std::collections::VecDeque;
use std::io;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::FrameTransport;

/// How often a frame suffers what, from 0 (never) to 1.
///
/// ```
/// use rnic_link::LossyRates;
///
/// assert_eq!(LossyRates::all(0.1).drop, 0.1);
/// assert_eq!(LossyRates::default().flip, 0.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LossyRates {
    /// It is lost.
    pub drop: f64,
    /// It arrives twice.
    pub duplicate: f64,
    /// It arrives behind the next one.
    pub swap: f64,
    /// One to three of its bits are turned over.
    pub flip: f64,
    /// It arrives after 1 to 20 more looks of the receiver.
    pub delay: f64,
}

impl LossyRates {
    /// The same rate of everything.
    pub fn all(rate: f64) -> LossyRates {
        LossyRates { drop: rate, duplicate: rate, swap: rate, flip: rate, delay: rate }
    }
}

/// A transport that receives badly: wrapped around one end, it spoils what arrives there. The same seed gives the same faults.
///
/// Flipped bits need [`FcsChecked`](crate::FcsChecked) above this, else damaged frames are delivered, which no cable does.
///
/// ```
/// use rnic_link::{FrameTransport, Lossy, LossyRates, SimulatedWire};
///
/// let (mut host, device) = SimulatedWire::pair();
/// let mut device = Lossy::new(device, LossyRates { drop: 1.0, ..LossyRates::default() }, 7);
/// host.send(b"lost")?;
/// assert_eq!(device.receive(&mut [0; 1600])?, None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Lossy<T> {
    inner: T,
    rates: LossyRates,
    random: ChaCha8Rng,
    /// Frames to deliver, in order.
    ready: VecDeque<Vec<u8>>,
    /// A frame that waits for the next one to pass.
    overtaken: Option<Vec<u8>>,
    /// Frames that wait for a number of looks.
    delayed: Vec<(u32, Vec<u8>)>,
}

impl<T> Lossy<T> {
    /// Frames that are taken from the transport in one look, and that are delayed at once, at most.
    const BATCH: usize = 64;

    /// Around `inner`, with faults of this seed.
    pub fn new(inner: T, rates: LossyRates, seed: u64) -> Lossy<T> {
        let random = ChaCha8Rng::seed_from_u64(seed);
        Lossy { inner, rates, random, ready: VecDeque::new(), overtaken: None, delayed: Vec::new() }
    }

    /// Changes the rates: a cable that is pulled or mended.
    pub fn set_rates(&mut self, rates: LossyRates) {
        self.rates = rates;
    }

    fn happens(&mut self, rate: f64) -> bool {
        rate > 0.0 && self.random.random_bool(rate.min(1.0))
    }

    fn arrive(&mut self, mut frame: Vec<u8>) {
        if self.happens(self.rates.drop) {
            return;
        }
        if self.happens(self.rates.flip) && !frame.is_empty() {
            for _ in 0..self.random.random_range(1..=3) {
                let bit = self.random.random_range(0..8 * frame.len());
                frame[bit / 8] ^= 1 << (bit % 8);
            }
        }
        if self.happens(self.rates.duplicate) {
            self.ready.push_back(frame.clone());
        }
        if self.happens(self.rates.delay) && self.delayed.len() < Self::BATCH {
            let looks = self.random.random_range(1..=20);
            self.delayed.push((looks, frame));
        } else if self.overtaken.is_none() && self.happens(self.rates.swap) {
            self.overtaken = Some(frame);
        } else {
            self.ready.push_back(frame);
            self.ready.extend(self.overtaken.take());
        }
    }
}

impl<T: FrameTransport> FrameTransport for Lossy<T> {
    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        self.inner.send(frame)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        for (looks, _) in &mut self.delayed {
            *looks -= 1;
        }
        let (due, later) = std::mem::take(&mut self.delayed).into_iter().partition(|(looks, _)| *looks == 0);
        self.delayed = later;
        self.ready.extend(Vec::into_iter(due).map(|(_, frame)| frame));
        for _ in 0..Self::BATCH {
            match self.inner.receive(buffer)? {
                Some(length) => self.arrive(buffer[..length].to_vec()),
                None => break,
            }
        }
        Ok(self.ready.pop_front().map(|frame| {
            let length = frame.len().min(buffer.len());
            buffer[..length].copy_from_slice(&frame[..length]);
            length
        }))
    }

    fn readable(&self) -> io::Result<Option<std::os::fd::OwnedFd>> {
        self.inner.readable()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimulatedWire;

    /// What arrives of 200 numbered frames.
    fn arrivals(rates: LossyRates, seed: u64) -> Vec<u8> {
        let (mut host, device) = SimulatedWire::pair();
        let mut device = Lossy::new(device, rates, seed);
        let mut buffer = [0; 8];
        let mut arrived = Vec::new();
        for number in 0..220 {
            if number < 200 {
                host.send(&[number]).unwrap();
            }
            while device.receive(&mut buffer).unwrap().is_some() {
                arrived.push(buffer[0]);
            }
        }
        arrived
    }

    #[test]
    fn each_fault_does_what_it_says() {
        let sent: Vec<u8> = (0..200).collect();
        let none = LossyRates::default();
        let sorted = |mut frames: Vec<u8>| {
            frames.sort_unstable();
            frames
        };
        assert_eq!(arrivals(none, 1), sent);
        assert!((120..180).contains(&arrivals(LossyRates { drop: 0.25, ..none }, 1).len()));
        assert!((220..280).contains(&arrivals(LossyRates { duplicate: 0.25, ..none }, 1).len()));
        let swapped = arrivals(LossyRates { swap: 0.25, ..none }, 1);
        assert_ne!(swapped, sent);
        assert_eq!(sorted(swapped)[..199], sent[..199]);
        let delayed = arrivals(LossyRates { delay: 0.25, ..none }, 1);
        assert_ne!(delayed, sent);
        assert_eq!(sorted(delayed), sent);
        let flipped = arrivals(LossyRates { flip: 0.25, ..none }, 1);
        let wrong = flipped.iter().zip(&sent).filter(|(one, other)| one != other).count();
        assert!(flipped.len() == 200 && (20..80).contains(&wrong), "{wrong}");
    }

    #[test]
    fn the_same_seed_gives_the_same_faults() {
        let rates = LossyRates::all(0.2);
        assert_eq!(arrivals(rates, 3), arrivals(rates, 3));
        assert_ne!(arrivals(rates, 3), arrivals(rates, 4));
    }
}
