//! Faults that a test asks for: the third READ response is lost, the next two ACKs come twice.
use super::frame::Frame;
use super::line::EndId;

/// What happens to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// It does not arrive.
    Lose,
    /// It arrives twice, the second time so many cycles later.
    Duplicate(u32),
    /// It arrives so many cycles late.
    Delay(u32),
    /// The bit with this number is flipped, counted from the first byte's lowest bit on; modulo the frame's bits.
    Flip(u32),
    /// It is marked bad.
    Mark,
}

/// A fault for chosen frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameFault {
    /// Only frames that this end sends.
    pub from: Option<EndId>,
    /// Only frames with this BTH opcode.
    pub opcode: Option<u8>,
    /// Only frames to this queue pair.
    pub qpn: Option<u32>,
    /// Only frames with this PSN.
    pub psn: Option<u32>,
    /// Frames to leave alone first.
    pub skip: u32,
    /// Frames to hit; none is all from then on.
    pub times: Option<u32>,
    /// What happens to them.
    pub mishap: Mishap,
}

impl FrameFault {
    /// Loses the next frame.
    #[must_use]
    pub const fn lose() -> Self {
        Self { from: None, opcode: None, qpn: None, psn: None, skip: 0, times: Some(1), mishap: Mishap::Lose }
    }

    /// Whether a frame is one of those that the fault is for.
    fn chooses(&self, from: EndId, frame: Option<&Frame>) -> bool {
        let field = |wanted: Option<u32>, found: fn(&Frame) -> u32| match (wanted, frame) {
            (None, _) => true,
            (Some(wanted), Some(frame)) => found(frame) == wanted,
            (Some(_), None) => false,
        };
        self.from.is_none_or(|end| end == from)
            && field(self.opcode.map(u32::from), |frame| frame.bth.opcode.into())
            && field(self.qpn, |frame| frame.bth.qpn)
            && field(self.psn, |frame| frame.bth.psn)
    }
}

/// The faults to come. The oldest that chooses a frame hits it.
#[derive(Debug, Default)]
pub(super) struct FrameFaults(Vec<FrameFault>);

impl FrameFaults {
    pub fn add(&mut self, fault: FrameFault) {
        self.0.push(fault);
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What happens to this frame.
    pub fn hit(&mut self, from: EndId, frame: Option<&Frame>) -> Option<Mishap> {
        let mut found = None;
        for fault in self.0.iter_mut().filter(|fault| fault.chooses(from, frame)) {
            if fault.skip > 0 {
                fault.skip -= 1;
            } else if found.is_none() {
                found = Some(fault.mishap);
                fault.times = fault.times.map(|times| times - 1);
            }
        }
        self.0.retain(|fault| fault.times != Some(0));
        found
    }
}
