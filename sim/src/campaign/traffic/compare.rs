//! At the end of a run: memory, regions, queue pairs and events of both devices, and nothing left on its way.

use super::super::Disagreement;
use super::bed::Bed;
use rnic_abi::admin;

/// Words of QUERY_QP that say how far the connection is: PSNs and MSN, which the model does not count.
const COUNTED: std::ops::RangeInclusive<usize> = 1..=4;

impl Bed {
    /// Every byte of the application's memory.
    pub(super) fn compare_memory(&self) -> Result<(), Disagreement> {
        for side in 0..2 {
            let memory = &self.model.memories[side];
            for page in memory.pages() {
                let mut found = [0; 4096];
                self.sides[side].machine.memory.host().read(page, &mut found);
                if let Some((at, wanted)) = memory.first_difference(page, &found) {
                    let region = self.regions.iter().find(|region| {
                        region.side == side && (region.memory..region.memory + super::regions::BYTES).contains(&page)
                    });
                    let place = page + at as u64;
                    let index = region.map_or(0, |region| region.index);
                    let what = format!("{wanted:02x} at {place:#x} of NIC {side}, memory of region {index}");
                    return Err(Disagreement::new(what, format!("{:02x}", found[at])));
                }
            }
        }
        Ok(())
    }

    /// Everything that can be compared while nothing is on its way.
    pub(super) fn compare(&mut self) -> Result<(), Disagreement> {
        self.compare_memory()?;
        for number in 0..self.regions.len() {
            let (side, index) = (self.regions[number].side, self.regions[number].index);
            // The model has nothing in flight, so a hold that was not given back shows.
            self.compare_answer(side, admin::QUERY_MR, index, |_| true)?;
        }
        for number in 0..self.pairs.len() {
            let qpn = self.pairs[number].qpn;
            self.compare_answer(number & 1, admin::QUERY_QP, qpn, |word| !COUNTED.contains(&word))?;
        }
        self.compare_events()
    }

    fn compare_answer(
        &mut self,
        side: usize,
        opcode: u8,
        object: u32,
        counts: impl Fn(usize) -> bool,
    ) -> Result<(), Disagreement> {
        let mut words = [0; 32];
        words[0] = object;
        let expected = self.model.nics[side].admin(opcode, &words).map_err(|errno| errno.code());
        let found = self.sides[side].ask(opcode, &[object])?;
        let same = match (&expected, &found) {
            (Ok(expected), Ok(found)) => (0..16).all(|word| !counts(word) || expected[word] == found[word]),
            _ => false,
        };
        match same {
            true => Ok(()),
            false => {
                let what = format!("{expected:x?} to admin command {opcode:#04x} of {object:#x} on NIC {side}");
                Err(Disagreement::new(what, format!("{found:x?}")))
            }
        }
    }

    /// The events of a NIC in any order: between queue pairs there is none.
    fn compare_events(&mut self) -> Result<(), Disagreement> {
        for side in 0..2 {
            let mut found = vec![];
            while let Some(event) = self.sides[side].device.poll_event().map_err(super::super::bed::broken)? {
                found.push((event.kind.code(), event.number));
            }
            let events = self.model.nics[side].take_events();
            let mut expected: Vec<_> = events.into_iter().map(|event| (event.kind, event.number)).collect();
            found.sort_unstable();
            expected.sort_unstable();
            if found != expected {
                let what = format!("events {expected:x?} of NIC {side}");
                return Err(Disagreement::new(what, format!("{found:x?}")));
            }
        }
        Ok(())
    }
}
