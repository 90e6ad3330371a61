//! Payload memory of the model: a copy of what the host has, and the bytes of which the rules leave open which value they have.

use super::super::{BusError, Memory, Piece};
use std::collections::BTreeMap;

/// Bytes of a page of the copy.
const PAGE: u64 = 4096;

/// Memory of one host. Only what was given to it exists.
#[derive(Clone, Debug, Default)]
pub struct Payload {
    pages: BTreeMap<u64, Vec<u8>>,
    /// Further values that a byte may have: of a message that failed on its way some packets may have arrived (E14, T74).
    open: BTreeMap<u64, Vec<u8>>,
}

impl Payload {
    /// Adds a page, zeroed.
    pub fn add_page(&mut self, address: u64) {
        self.pages.insert(address / PAGE, vec![0; PAGE as usize]);
    }

    fn byte(&mut self, address: u64) -> Option<&mut u8> {
        self.pages.get_mut(&(address / PAGE)).map(|page| &mut page[(address % PAGE) as usize])
    }

    /// Writes bytes; where there is no page nothing happens.
    pub fn write(&mut self, address: u64, bytes: &[u8]) {
        for (at, value) in (address..).zip(bytes) {
            self.open.remove(&at);
            if let Some(byte) = self.byte(at) {
                *byte = *value;
            }
        }
    }

    /// These bytes may have been written or not.
    pub fn maybe_write(&mut self, address: u64, bytes: &[u8]) {
        for (at, value) in (address..).zip(bytes) {
            self.open.entry(at).or_default().push(*value);
        }
    }

    /// Bytes of which more than one value is right.
    pub fn open_bytes(&self) -> impl Iterator<Item = u64> + '_ {
        self.open.keys().copied()
    }

    /// The first byte of a page of the host that is not as it must be: its offset, and what it should be.
    pub fn first_difference(&self, address: u64, found: &[u8]) -> Option<(usize, u8)> {
        let page = self.pages.get(&(address / PAGE))?;
        let also = |at: usize| self.open.get(&(address + at as u64));
        let wrong = |(at, (wanted, found)): (usize, (&u8, &u8))| {
            let right = wanted == found || also(at).is_some_and(|values| values.contains(found));
            (!right).then_some((at, *wanted))
        };
        page.iter().zip(found).enumerate().find_map(wrong)
    }

    /// The host has this value: what was open is decided. False if it is none of the right ones.
    pub fn decide(&mut self, address: u64, value: u8) -> bool {
        let further = self.open.remove(&address).is_some_and(|values| values.contains(&value));
        let right = further || self.byte(address).is_some_and(|byte| *byte == value);
        if right {
            self.write(address, &[value]);
        }
        right
    }

    /// Addresses of all pages.
    pub fn pages(&self) -> impl Iterator<Item = u64> + '_ {
        self.pages.keys().map(|page| page * PAGE)
    }

    /// The bytes of these pieces, one after another.
    pub(super) fn gather(&self, pieces: &[Piece]) -> Result<Vec<u8>, BusError> {
        let mut all = vec![];
        for piece in pieces {
            let mut bytes = vec![0; piece.bytes as usize];
            self.read(piece.bus, &mut bytes)?;
            all.append(&mut bytes);
        }
        Ok(all)
    }

    /// Puts bytes into these pieces, one after another; `surely` tells them from bytes that may have been written.
    pub(super) fn scatter(&mut self, pieces: &[Piece], bytes: &[u8], surely: bool) {
        let mut rest = bytes;
        for piece in pieces {
            let (now, later) = rest.split_at((piece.bytes as usize).min(rest.len()));
            match surely {
                true => self.write(piece.bus, now),
                false => self.maybe_write(piece.bus, now),
            }
            rest = later;
        }
    }
}

impl Memory for Payload {
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), BusError> {
        for (at, byte) in (address..).zip(bytes) {
            let page = self.pages.get(&(at / PAGE)).ok_or(BusError)?;
            *byte = page[(at % PAGE) as usize];
        }
        Ok(())
    }
}
