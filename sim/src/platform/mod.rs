//! The simulated device as a platform of `rnic-driver`: the same driver code runs here and on hardware.
//!
//! The clock of the device runs inside the driver's calls only: a BAR access takes its cycles, [`Clock::pause`] a fixed
//! number. When the monitor has stopped the run, the BAR answers [`BusError::Gone`], and [`Simulator::failure`] says why.
mod memory;

pub use memory::{HostBuffer, HostPages, SimMemory};

use crate::host::{BarAnswer, BarRequest, DECERR, OKAY};
use crate::simulator::{SimError, Simulator};
use rnic_driver::{Bar, BusError, Clock, Parts};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

/// A simulated device, shared between the driver's parts and the test.
pub type Shared = Rc<RefCell<Simulator>>;
/// The platform of a simulated device.
pub type SimPlatform = Parts<SimBar, SimMemory, SimClock>;

/// Cycles of a pause, unless [`SimClock::set_pause`] says otherwise.
pub const PAUSE_CYCLES: u64 = 16;

/// The platform of the only, or first, NIC. Several platforms of one NIC share it.
#[must_use]
pub fn attach(simulator: &Shared) -> SimPlatform {
    attach_nic(simulator, 0)
}

/// The platform of a NIC. The clock runs for all NICs of the simulation, whichever of them the driver calls.
///
/// # Panics
/// There is no such NIC.
#[must_use]
pub fn attach_nic(simulator: &Shared, nic: usize) -> SimPlatform {
    let memory = simulator.borrow().nics()[nic].memory();
    Parts {
        bar: SimBar { simulator: simulator.clone(), nic, seen: Rc::default() },
        memory: SimMemory::new(memory),
        clock: SimClock { simulator: simulator.clone(), pause: Rc::new(Cell::new(PAUSE_CYCLES)), lost: Rc::default() },
    }
}

/// BAR0 and the interrupts.
#[derive(Clone)]
pub struct SimBar {
    simulator: Shared,
    nic: usize,
    /// Interrupts of each vector that the driver has waited for.
    seen: Rc<[Cell<u64>; 32]>,
}

impl SimBar {
    /// The device behind it.
    #[must_use]
    pub fn simulator(&self) -> &Shared {
        &self.simulator
    }

    /// Which of its NICs this is.
    #[must_use]
    pub fn nic(&self) -> usize {
        self.nic
    }

    fn access(&self, request: BarRequest) -> Result<BarAnswer, BusError> {
        let (BarRequest::Read { offset } | BarRequest::Write { offset, .. }) = request;
        let offset = offset.into();
        let mut simulator = self.simulator.borrow_mut();
        match simulator.bar_of(self.nic, request) {
            Ok(answer) if answer.response == OKAY => Ok(answer),
            Ok(answer) if answer.response == DECERR => Err(BusError::Decode { offset }),
            Ok(_) => Err(BusError::Refused { offset }),
            Err(SimError::Limit { .. }) => Err(BusError::NoAnswer { offset }),
            Err(_) => {
                simulator.not_seen();
                Err(BusError::Gone)
            }
        }
    }
}

impl Bar for SimBar {
    fn read(&self, offset: u32) -> Result<u32, BusError> {
        self.access(BarRequest::Read { offset: checked(offset)? }).map(|answer| answer.value)
    }

    fn write(&self, offset: u32, value: u32) -> Result<(), BusError> {
        self.access(BarRequest::Write { offset: checked(offset)?, value, strobes: 15 })?;
        Ok(())
    }

    fn wait_interrupt(&self, vector: u8, timeout: Duration) -> Result<bool, BusError> {
        let Some(seen) = self.seen.get(usize::from(vector)) else { return Ok(false) };
        let mut simulator = self.simulator.borrow_mut();
        let limit = simulator.cycles(timeout);
        let fired = |simulator: &Simulator| simulator.nics()[self.nic].interrupts(vector) != seen.get();
        let result = simulator.run_until("an interrupt", limit, fired);
        let interrupts = simulator.nics()[self.nic].interrupts(vector);
        match result {
            Ok(()) => {
                seen.set(interrupts);
                Ok(true)
            }
            Err(SimError::Limit { .. }) => Ok(false),
            Err(_) => {
                simulator.not_seen();
                Err(BusError::Gone)
            }
        }
    }
}

/// BAR0 has 64 KiB.
fn checked(offset: u32) -> Result<u16, BusError> {
    u16::try_from(offset).ok().filter(|offset| offset % 4 == 0).ok_or(BusError::Decode { offset })
}

/// The simulated time.
#[derive(Clone)]
pub struct SimClock {
    simulator: Shared,
    pause: Rc<Cell<u64>>,
    /// Cycles of pauses after the run has stopped: time goes on, so that every wait ends.
    lost: Rc<Cell<u64>>,
}

impl SimClock {
    /// Sets the cycles of a pause, at least 1: fewer measure more exactly, more simulate faster.
    pub fn set_pause(&self, cycles: u64) {
        self.pause.set(cycles.max(1));
    }
}

impl Clock for SimClock {
    fn now(&self) -> Duration {
        let simulator = self.simulator.borrow();
        let khz = u64::from(simulator.variant().preset().core_khz);
        simulator.time() + Duration::from_nanos((u128::from(self.lost.get()) * 1_000_000 / u128::from(khz)) as u64)
    }

    fn pause(&self) {
        let mut simulator = self.simulator.borrow_mut();
        if simulator.run(self.pause.get()).is_err() {
            simulator.not_seen();
            self.lost.set(self.lost.get() + self.pause.get());
        }
    }
}
