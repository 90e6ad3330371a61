//! Bus errors: those that a test asks for, and those that the device has earned.
use std::fmt;
use std::ops::Range;

/// Response code of AXI.
pub type Response = u8;
/// Done.
pub const OKAY: Response = 0;
/// The target refuses.
pub const SLVERR: Response = 2;
/// There is no target.
pub const DECERR: Response = 3;

/// Name of a response code.
#[must_use]
pub fn response_name(response: Response) -> &'static str {
    ["OKAY", "EXOKAY", "SLVERR", "DECERR"][usize::from(response & 3)]
}

/// Which way a burst goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The device reads.
    Read,
    /// The device writes.
    Write,
}

/// An error to inject: the bursts that it hits, and what they get. A write that is hit changes no memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Reads or writes.
    pub way: Way,
    /// Only bursts of this id.
    pub id: Option<u8>,
    /// Only bursts that touch these bus addresses; of a read only the beats that touch them get the error.
    pub addresses: Option<Range<u64>>,
    /// Matching bursts to leave alone first.
    pub skip: u32,
    /// Bursts to hit; `None` is all.
    pub count: Option<u32>,
    /// [`SLVERR`] or [`DECERR`].
    pub response: Response,
}

impl Fault {
    /// The next matching burst gets SLVERR.
    #[must_use]
    pub fn once(way: Way) -> Self {
        Self { way, id: None, addresses: None, skip: 0, count: Some(1), response: SLVERR }
    }

    /// Only bursts of this id.
    #[must_use]
    pub fn id(self, id: u8) -> Self {
        Self { id: Some(id), ..self }
    }

    /// Only bursts that touch these addresses.
    #[must_use]
    pub fn at(self, addresses: Range<u64>) -> Self {
        Self { addresses: Some(addresses), ..self }
    }

    /// The matching burst after `skip` others.
    #[must_use]
    pub fn after(self, skip: u32) -> Self {
        Self { skip, ..self }
    }

    /// Every matching burst from then on.
    #[must_use]
    pub fn always(self) -> Self {
        Self { count: None, ..self }
    }

    /// Another response.
    #[must_use]
    pub fn response(self, response: Response) -> Self {
        Self { response, ..self }
    }
}

/// An error that hits one burst.
#[derive(Clone, Debug)]
pub(super) struct Hit {
    pub response: Response,
    pub addresses: Option<Range<u64>>,
}

impl Hit {
    /// The error belongs to the beat at this address.
    pub fn touches(&self, beat: u64, width: u64) -> bool {
        self.addresses.as_ref().is_none_or(|range| range.start < beat + width && beat < range.end)
    }
}

/// The errors that are still to come.
#[derive(Debug, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Adds an error.
    pub fn inject(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    /// Removes all of them.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Errors that have not been used up.
    #[must_use]
    pub fn pending(&self) -> &[Fault] {
        &self.0
    }

    /// The error that a new burst gets; each burst asks once.
    pub(super) fn hit(&mut self, way: Way, id: u8, burst: &Range<u64>) -> Option<Hit> {
        let touches = |range: &Range<u64>| range.start < burst.end && burst.start < range.end;
        let index = (0..self.0.len()).find(|&index| {
            let fault = &mut self.0[index];
            let matches = fault.way == way
                && fault.id.is_none_or(|wanted| wanted == id)
                && fault.addresses.as_ref().is_none_or(touches);
            let skipped = matches && fault.skip > 0;
            fault.skip -= u32::from(skipped);
            matches && !skipped
        })?;
        let fault = &mut self.0[index];
        let hit = Hit { response: fault.response, addresses: fault.addresses.clone() };
        if let Some(count) = &mut fault.count {
            *count -= 1;
            if *count == 0 {
                self.0.remove(index);
            }
        }
        Some(hit)
    }
}

/// A burst that ended with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusFault {
    /// Cycle of the response.
    pub cycle: u64,
    /// Read or write.
    pub way: Way,
    /// AXI id.
    pub id: u8,
    /// First bus address of the beat (read) or burst (write).
    pub address: u64,
    /// What the device got.
    pub response: Response,
    /// A test asked for it; else the memory is not mapped, or not for this.
    pub injected: bool,
}

impl fmt::Display for BusFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = if self.way == Way::Read { "read" } else { "write" };
        let cause = match (self.injected, self.response) {
            (true, _) => "injected",
            (_, DECERR) => "not mapped",
            _ => "not allowed",
        };
        let response = response_name(self.response);
        write!(f, "cycle {}: {way} id {} at {:#x}: {response}, {cause}", self.cycle, self.id, self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_hits_what_matches_and_then_is_used_up() {
        let mut faults = Faults::default();
        faults.inject(Fault::once(Way::Read).id(2).at(0x1000..0x2000).after(1));
        assert!(faults.hit(Way::Write, 2, &(0x1000..0x1040)).is_none());
        assert!(faults.hit(Way::Read, 0, &(0x1000..0x1040)).is_none());
        assert!(faults.hit(Way::Read, 2, &(0x2000..0x2040)).is_none());
        assert!(faults.hit(Way::Read, 2, &(0x1FC0..0x2000)).is_none(), "the first is left alone");
        assert_eq!(faults.hit(Way::Read, 2, &(0x0FC0..0x1001)).unwrap().response, SLVERR);
        assert!(faults.hit(Way::Read, 2, &(0x1000..0x1040)).is_none());
        assert!(faults.pending().is_empty());
    }

    #[test]
    fn a_lasting_fault_stays() {
        let mut faults = Faults::default();
        faults.inject(Fault::once(Way::Write).always().response(DECERR));
        assert!((0..5).all(|_| faults.hit(Way::Write, 0, &(0..32)).is_some_and(|hit| hit.response == DECERR)));
        faults.clear();
        assert!(faults.hit(Way::Write, 0, &(0..32)).is_none());
    }
}
