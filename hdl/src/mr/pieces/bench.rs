//! Models for the tests of gather and placer: memory regions, the lookup, and random spans.
use crate::check::RandomDrive;
use crate::mr::layout::{LookupAnswer, LookupQuestion};
use crate::mr::lookup::LATENCY;
use crate::widgets::ChannelSource;
use crate::wire::Span;
use rust_hdl::prelude::*;
use std::collections::{HashMap, VecDeque};

/// Protection domain of all regions.
pub(crate) const PD: u64 = 0x77;

/// A region as the lookup sees it, pages of 4 KiB.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub iova: u64,
    /// Not `iova` modulo 4 KiB: zero-based (B15).
    pub fbo: u64,
    pub length: u64,
    /// Bus addresses.
    pub pages: Vec<u64>,
    pub generation: u64,
    /// Every lookup says this.
    pub syndrome: u64,
}

/// Regions by MR index; the key is index and a byte of 5A.
#[derive(Default)]
pub(crate) struct Regions(pub HashMap<u64, Region>);

impl Regions {
    /// Six regions that grant, of them 4 and 5 zero-based; 6 to 8 refuse.
    pub(crate) fn standard(random: &mut RandomDrive) -> Self {
        let mut regions = HashMap::new();
        for index in 1..=8 {
            let zero_based = index == 4 || index == 5;
            let fbo = random.below(4096);
            let iova = if zero_based { 0 } else { (random.below(1 << 40) << 12) + fbo };
            // Descending and scattered (E10); region 3 ends at the last page of the bus.
            let pages: Vec<_> = (0..5).map(|i| (index << 24) + (9 - 2 * i) * 0x1_1000).collect();
            let syndrome = if index > 5 { 0x30 + index - 4 } else { 0 };
            let length = 5 * 4096 - fbo;
            regions.insert(index, Region { iova, fbo, length, pages, generation: 0x900 + index, syndrome });
        }
        Self(regions)
    }

    pub(crate) fn key(index: u64) -> u64 {
        index << 8 | 0x5A
    }

    pub(crate) fn lookup(&self, key: u64, va: u64, length: u64) -> (u64, u64, u64, u64) {
        let Some(region) = self.0.get(&(key >> 8)).filter(|_| key & 0xFF == 0x5A) else { return (0x30, 0, 0, 0) };
        if region.syndrome != 0 {
            return (region.syndrome, 0, 0, region.generation);
        }
        let offset = va.wrapping_sub(region.iova);
        if va < region.iova || length > region.length || offset > region.length - length {
            return (0x34, 0, 0, region.generation);
        }
        let at = region.fbo + offset;
        let bytes = length.min(4096 - at % 4096);
        (0, region.pages[(at / 4096) as usize] + at % 4096, bytes, region.generation)
    }
}

/// What a span means: pieces on the bus up to the first failure, and its syndrome.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meaning {
    /// MR index, bus address, bytes.
    pub pieces: Vec<(u64, u64, u64)>,
    pub syndrome: u64,
}

fn lists(span: &Span) -> [(u64, u64, u64); 4] {
    let n = |bits: Bits<32>| -> u64 { bits.to_u64() };
    [
        (span.address0.to_u64(), n(span.length0), n(span.key0)),
        (span.address1.to_u64(), n(span.length1), n(span.key1)),
        (span.address2.to_u64(), n(span.length2), n(span.key2)),
        (span.address3.to_u64(), n(span.length3), n(span.key3)),
    ]
}

impl Meaning {
    /// By bytes and addresses; `generation` is what every lookup must answer.
    pub(crate) fn of(regions: &Regions, span: &Span, generation: Option<u64>) -> Self {
        let mut meaning = Self::default();
        let (mut skip, mut left) = (span.skip.to_u64(), span.bytes.to_u64());
        for (mut va, length, key) in lists(span) {
            let mut rest = length.saturating_sub(skip).min(left);
            va = va.wrapping_add(skip);
            skip = skip.saturating_sub(length);
            left -= rest;
            while rest > 0 {
                let (syndrome, bus, bytes, found) = regions.lookup(key, va, rest);
                let stale = generation.is_some_and(|wanted| wanted != found);
                meaning.syndrome = if syndrome == 0 && stale { 0x32 } else { syndrome };
                if meaning.syndrome != 0 {
                    return meaning;
                }
                meaning.pieces.push((key >> 8, bus, bytes));
                va = va.wrapping_add(bytes);
                rest -= bytes;
            }
        }
        if left > 0 {
            meaning.syndrome = 0x34;
        }
        meaning
    }
}

/// A span of `bytes` in up to four SGEs; `wild` of a hundred SGEs lie in a region that refuses, or beyond their region.
pub(crate) fn random_span(random: &mut RandomDrive, regions: &Regions, bytes: u64, wild: u32) -> Span {
    let mut span = Span { bytes: bits(bytes), pd: bits(PD), need: bits(1), ..Default::default() };
    let total = bytes + if random.chance(1, 2) { random.below(3000) } else { 0 };
    let skip = if total > bytes { random.below(total - bytes + 1) } else { 0 };
    span.skip = bits(skip);
    let count = if random.chance(1, 2) { 1 } else { 1 + random.below(4) };
    let mut rest = total;
    for i in 0..4 {
        let length = match i {
            _ if i + 1 == count => rest,
            _ if i >= count => 0,
            _ if random.chance(1, 4) => 0,
            _ => random.below(rest + 1),
        };
        rest -= length;
        let index = if random.chance(wild, 100) { 6 + random.below(3) } else { 1 + random.below(5) };
        let region = &regions.0[&index];
        let most = region.length.saturating_sub(length) + 1;
        // Often just before the end of a page.
        let near = (4096 * (1 + random.below(4))).wrapping_sub(region.fbo + random.below(70)) % most;
        let offset = if random.chance(1, 3) { near } else { random.below(most) };
        let beyond = if random.chance(wild, 200) { region.length } else { 0 };
        // A list entry without bytes may hold anything (T11).
        let (va, key) = match length {
            0 => (random.below(u64::MAX), random.below(1 << 32)),
            _ => (region.iova.wrapping_add(offset + beyond), Regions::key(index)),
        };
        let (va, length, key) = (bits(va), bits(length), bits(key));
        match i {
            0 => (span.address0, span.length0, span.key0) = (va, length, key),
            1 => (span.address1, span.length1, span.key1) = (va, length, key),
            2 => (span.address2, span.length2, span.key2) = (va, length, key),
            _ => (span.address3, span.length3, span.key3) = (va, length, key),
        }
    }
    span
}

/// The lookup and its share: answers after a fixed time, counts holds.
#[derive(Default)]
pub(crate) struct LookupModel {
    line: VecDeque<(u64, Option<LookupAnswer>)>,
    cycle: u64,
    /// Holds granted, by MR index.
    pub grants: HashMap<u64, u64>,
    pub asked: u64,
}

impl LookupModel {
    /// In the low phase: settles the inputs of the block for this cycle.
    pub(crate) fn drive(&mut self) -> Option<LookupAnswer> {
        self.cycle += 1;
        match self.line.front() {
            Some((due, _)) if *due <= self.cycle => self.line.pop_front().unwrap().1,
            _ => None,
        }
    }

    /// After the inputs have settled.
    pub(crate) fn watch(&mut self, regions: &Regions, question: &ChannelSource<LookupQuestion>) {
        if !(question.valid.val() && question.ready.val()) {
            return;
        }
        self.asked += 1;
        let q = question.data.val();
        assert_eq!(q.pd.to_u64(), PD);
        let (index, va) = (q.index.to_u64(), q.va_high.to_u64() << 32 | q.va_low.to_u64());
        let key = index << 8 | q.key_byte.to_u64();
        let (syndrome, address, bytes, generation) = regions.lookup(key, va, q.length.to_u64());
        let held = q.hold && syndrome == 0;
        if held {
            *self.grants.entry(index).or_default() += 1;
        }
        let answer = LookupAnswer {
            syndrome: bits(syndrome),
            address: bits(address),
            bytes: bits(bytes),
            index: bits(index),
            generation: bits(generation),
            held,
        };
        self.line.push_back((self.cycle + LATENCY as u64 + 1, Some(answer)));
    }
}

/// Contents of the bus, no two neighbours alike.
pub(crate) fn byte_at(address: u64) -> u8 {
    (address.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as u8
}
