//! The host around the core: memory behind a bus map, the BAR's manager, the interrupt controller.
//!
//! The host is a clocked part like the core: at each rising edge it sees the outputs before the edge and decides the
//! inputs after it. What it may do to the core is in [`Timing`]; what goes wrong is in [`Fault`].
mod bar;
mod fault;
mod memory;
mod read;
mod region;
mod shared;
mod timing;
mod write;

#[cfg(test)]
mod tests;

pub use bar::{BarAnswer, BarRequest};
pub use fault::{response_name, BusFault, Fault, Faults, Response, Way, DECERR, OKAY, SLVERR};
pub use memory::{HostMemory, Mapping, Permission};
pub use region::{Region, PAGE};
pub use timing::Timing;
pub use write::WriteDone;

use crate::core::{Inputs, Outputs};
use crate::random::Random;
use bar::BarMaster;
use read::ReadChannel;
use rnic_abi::limits::VECTORS;
use shared::Shared;
use write::WriteChannel;

/// One host.
#[derive(Debug)]
pub struct Host {
    shared: Shared,
    read: ReadChannel,
    write: WriteChannel,
    bar: BarMaster,
    interrupts: [u64; VECTORS as usize],
}

impl Host {
    /// A host for a core with this data width in bits.
    #[must_use]
    pub fn new(data_bits: u32, timing: Timing, seed: u64) -> Self {
        let shared = Shared {
            memory: HostMemory::new(seed),
            faults: Faults::default(),
            seen: vec![],
            timing,
            random: Random::new(seed, 2),
            width: u64::from(data_bits) / 8,
        };
        Self {
            shared,
            read: ReadChannel::default(),
            write: WriteChannel::default(),
            bar: BarMaster::default(),
            interrupts: [0; VECTORS as usize],
        }
    }

    /// One rising edge in cycle `now`. Answers the write whose response goes out in the next cycle, if there is one.
    pub fn clock(&mut self, now: u64, outputs: &Outputs, inputs: &mut Inputs) -> Option<WriteDone> {
        if inputs.reset == 1 {
            return None;
        }
        if outputs.irq_valid & inputs.irq_ready == 1 {
            if let Some(count) = self.interrupts.get_mut(usize::from(outputs.irq_vector)) {
                *count += 1;
            }
        }
        inputs.irq_ready = u8::from(!self.shared.stall());
        self.bar.clock(outputs, inputs, &mut self.shared);
        self.read.clock(now, outputs, inputs, &mut self.shared);
        self.write.clock(now, outputs, inputs, &mut self.shared)
    }

    /// Begins a BAR access. One at a time.
    pub fn start(&mut self, request: BarRequest, inputs: &mut Inputs) {
        self.bar.start(request, inputs, &mut self.shared);
    }

    /// Answer of the BAR access, once.
    pub fn take_answer(&mut self) -> Option<BarAnswer> {
        self.bar.take_answer()
    }

    /// The BAR access that has no answer yet.
    #[must_use]
    pub fn waiting(&self) -> Option<BarRequest> {
        self.bar.waiting()
    }

    /// The memory.
    #[must_use]
    pub fn memory(&self) -> &HostMemory {
        &self.shared.memory
    }

    /// Bus errors to come.
    pub fn faults(&mut self) -> &mut Faults {
        &mut self.shared.faults
    }

    /// Bus errors so far.
    #[must_use]
    pub fn bus_faults(&self) -> &[BusFault] {
        &self.shared.seen
    }

    /// How fast the host answers; may be changed at any time.
    pub fn timing(&mut self) -> &mut Timing {
        &mut self.shared.timing
    }

    /// Interrupt requests of a vector so far.
    #[must_use]
    pub fn interrupts(&self, vector: u8) -> u64 {
        self.interrupts.get(usize::from(vector)).copied().unwrap_or(0)
    }

    /// Reads (id, bursts) that wait for data.
    pub fn reads_in_flight(&self) -> impl Iterator<Item = (u8, usize)> + '_ {
        self.read.in_flight()
    }

    /// Writes (id, bursts) that wait for their response.
    pub fn writes_in_flight(&self) -> impl Iterator<Item = (u8, usize)> + '_ {
        self.write.in_flight()
    }

    /// No burst waits for anything and no response is offered.
    #[must_use]
    pub fn is_idle(&self, inputs: &Inputs) -> bool {
        inputs.m_rvalid | inputs.m_bvalid == 0
            && self.read.in_flight().next().is_none()
            && self.write.in_flight().next().is_none()
    }
}
