//! After each round: every memory region, every queue pair, the error counters, and random probes.

use super::bed::{Bed, PDS};
use super::Disagreement;
use crate::reference::{Region, RegionState};
use crate::scenario::Machine;
use rnic_abi::limits::LOCAL_DMA_LKEY;
use rnic_abi::syndrome::Syndrome;
use rnic_abi::{admin, register as reg};

impl<M: Machine> Bed<M> {
    /// Everything that can be compared while nothing runs.
    pub(super) fn compare_round(&mut self) -> Result<(), Disagreement> {
        for index in 1..=self.regions {
            // All of them now and then; else those that a round is likely to have touched.
            if self.random.chance(60) {
                self.compare_region(index)?;
            }
        }
        for pair in 0..self.pairs.len() {
            self.compare_pair(pair)?;
        }
        for _ in 0..6 {
            self.compare_probe()?;
        }
        let all = Syndrome::ALL;
        let syndrome = self.choose(all);
        let found = self.read_register(reg::syndrome_counter(syndrome.code()))?;
        let expected = self.model.syndrome_count(syndrome.code());
        if expected != found {
            return Err(Disagreement::new(format!("{expected} errors {syndrome}"), format!("{found}")));
        }
        Ok(())
    }

    fn compare_answer(&mut self, opcode: u8, words: &[u32], ignore: &[usize]) -> Result<(), Disagreement> {
        let mut all = [0; 32];
        all[..words.len()].copy_from_slice(words);
        let expected = self.model.admin(opcode, &all).map_err(|errno| errno.code());
        let found = self.ask(opcode, words)?;
        let shown = |answer: &Result<[u32; 16], u8>| match answer {
            Ok(words) => format!("{words:x?}"),
            Err(errno) => format!("errno {errno}"),
        };
        let same = match (&expected, &found) {
            (Ok(expected), Ok(found)) => (0..16).all(|word| ignore.contains(&word) || expected[word] == found[word]),
            (expected, found) => expected == found,
        };
        if same {
            return Ok(());
        }
        let what = format!("answer {} to admin command {opcode:#04x} {words:x?}", shown(&expected));
        Err(Disagreement::new(what, shown(&found)))
    }

    fn compare_region(&mut self, index: u32) -> Result<(), Disagreement> {
        let allocated = |region: &Region| region.state != RegionState::Unallocated;
        if self.model.region(index as usize).is_some_and(allocated) {
            return self.compare_answer(admin::QUERY_MR, &[index], &[]);
        }
        // Of an entry without a region only the state says something.
        match self.ask(admin::QUERY_MR, &[index])? {
            Ok(answer) if answer[0] & 0xFF == 0 => Ok(()),
            found => Err(Disagreement::new(format!("memory region {index} is UNALLOC"), format!("{found:x?}"))),
        }
    }

    fn compare_pair(&mut self, pair: usize) -> Result<(), Disagreement> {
        let qpn = self.pairs[pair].qpn;
        self.compare_answer(admin::QUERY_QP, &[qpn], &[])
    }

    /// A probe near the edges of a region, with a key that is right, nearly right or the local DMA lkey.
    fn compare_probe(&mut self) -> Result<(), Disagreement> {
        let index = 1 + self.random.below(self.regions.into()) as u32;
        let region = self.model.region(index as usize).cloned().unwrap_or_default();
        let own: Vec<_> = (0..self.pairs.len()).filter(|pair| PDS[self.pairs[*pair].group] == region.pd).collect();
        let all: Vec<_> = (0..self.pairs.len()).collect();
        let pair = if own.is_empty() || self.random.chance(15) { self.choose(&all) } else { self.choose(&own) };
        let key = match self.random.below(12) {
            0 => region.key ^ (1 + self.random.below(255) as u32),
            1 => self.random.next() as u32,
            2 => LOCAL_DMA_LKEY,
            3 => self.random.below(256) as u32,
            _ => region.key,
        };
        let start = if region.zero_based() { 0 } else { region.iova };
        let page = region.page_size();
        let offset = match self.random.below(6) {
            0 => 0,
            1 => region.length.wrapping_sub(1),
            2 => region.length,
            3 => u64::MAX,
            _ => self.random.below(region.length.max(1)),
        };
        let rest = region.length.wrapping_sub(offset);
        let length = match self.random.below(7) {
            0 => 0,
            1 => 1,
            2 => rest as u32,
            3 => rest.wrapping_add(1) as u32,
            4 => self.random.next() as u32,
            _ => self.random.below(3 * page) as u32,
        };
        let needed = if self.random.chance(40) { 0 } else { self.random.below(16) as u32 };
        let remote = u32::from(self.random.chance(50));
        let va = start.wrapping_add(offset);
        let words = [self.pairs[pair].qpn, key, va as u32, (va >> 32) as u32, length, needed | remote << 8];
        self.summary.probes += 1;
        self.compare_answer(admin::PROBE, &words, &[])
    }
}
