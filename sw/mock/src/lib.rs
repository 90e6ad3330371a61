//! A small stand-in for an rnic and its platform: what the examples and the tests of `rnic-driver` run on.
//!
//! [`Mock`] is registers, mailbox, queues, memory regions and memory, enough to exercise every path of the driver, with switches
//! for what a good device never does. It is written from the page of the interface and knows nothing of the driver's code. It
//! moves no data between queue pairs: a SEND, WRITE or READ completes, and what the peer does is said by
//! [`State::receive_send`]. For a device that does everything there is the simulation (`rnic-sim`).
//!
//! Work happens in [`Clock::pause`], which every wait of the driver calls, so what is posted can be looked at before it runs.
//!
//! ```
//! use rnic_driver::{SendRequest, Status};
//!
//! let rnic_mock::Rig { mock, qp, cq, .. } = rnic_mock::connected();
//! qp.post_send(SendRequest::send(7, []))?;
//! assert!(!cq.has_completion(), "no time has passed");
//! mock.run();
//! assert_eq!(cq.poll()?.map(|completion| (completion.wr_id, completion.status)), Some((7, Status::Success)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

mod admin;
mod memory;
mod queues;
mod raw;
mod rig;
mod state;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use rnic_driver::{Bar, BusError, Clock, Parts};

pub use admin::{Mr, Refusal};
pub use memory::{memory, MockBuffer};
pub use queues::{Cq, Qp};
pub use rig::{connected, device, ipv4, peer, Rig, LIMIT, MAC};
pub use state::State;

/// The platform that the driver gets: the mock in all three parts.
///
/// ```
/// use rnic_driver::{Device, Error};
/// use rnic_mock::{Mock, MockPlatform};
///
/// let device: Device<MockPlatform> = Device::open(Mock::new().platform())?;
/// assert_eq!(device.capabilities().qps, 8);
/// # Ok::<(), Error>(())
/// ```
pub type MockPlatform = Parts<Mock, Mock, Mock>;

/// Handle of a mock: registers, memory and clock at once. Clones name the same mock.
///
/// ```
/// use rnic_driver::{Device, Error};
///
/// let mock = rnic_mock::Mock::new();
/// mock.with(|state| state.magic = 0);
/// assert_eq!(Device::open(mock.platform()).unwrap_err(), Error::NotRnic { found: 0 });
/// ```
#[derive(Clone, Debug)]
pub struct Mock(Rc<RefCell<State>>);

impl Default for Mock {
    fn default() -> Mock {
        Mock::new()
    }
}

impl Mock {
    /// A device of preset `tiny` that offers everything.
    pub fn new() -> Mock {
        Mock(Rc::new(RefCell::new(State::new())))
    }

    /// The platform for [`Device::open`](rnic_driver::Device::open).
    pub fn platform(&self) -> MockPlatform {
        Parts { bar: self.clone(), memory: self.clone(), clock: self.clone() }
    }

    /// Changes or reads the state. The driver must not be called inside.
    pub fn with<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.0.borrow_mut())
    }

    /// Forgets earlier register writes.
    pub fn forget_writes(&self) {
        self.with(|state| state.writes.clear());
    }

    /// Values written to one register since the writes were forgotten.
    pub fn written(&self, offset: u32) -> Vec<u32> {
        self.with(|state| state.writes.iter().filter(|(to, _)| *to == offset).map(|(_, value)| *value).collect())
    }

    /// Runs the device for a while.
    pub fn run(&self) {
        for _ in 0..4 {
            self.pause();
        }
    }
}

impl Bar for Mock {
    fn read(&self, offset: u32) -> Result<u32, BusError> {
        self.with(|state| state.read(offset))
    }

    fn write(&self, offset: u32, value: u32) -> Result<(), BusError> {
        self.with(|state| {
            state.writes.push((offset, value));
            if state.broken == Some(offset) {
                return Err(BusError::NoAnswer { offset });
            }
            state.write(offset, value)
        })
    }

    fn wait_interrupt(&self, vector: u8, timeout: Duration) -> Result<bool, BusError> {
        let end = self.now().saturating_add(timeout);
        while self.now() < end {
            if self.with(|state| state.fired.remove(&vector)) {
                return Ok(true);
            }
            self.pause();
        }
        Ok(false)
    }
}

impl Clock for Mock {
    fn now(&self) -> Duration {
        self.with(|state| state.now)
    }

    fn pause(&self) {
        self.with(|state| {
            state.now += Duration::from_micros(10);
            state.step();
        });
    }
}
