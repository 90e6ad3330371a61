//! A host and a device at a hub, and the clock that runs both.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use rnic_driver::Clock;
use rnic_link::{FcsChecked, FrameTransport, Link, LinkError, LinkOptions, Lossy, LossyRates};

use super::device::{Device, Knobs};
use super::hub::Hub;

pub type Wire = Box<dyn FrameTransport>;
pub type TestLink = Link<Wire, TestClock>;

/// Port of the device at the hub; hosts come after it.
pub const DEVICE: usize = 0;
/// Port of the first host.
pub const HOST: usize = 1;

/// Each pause is a microsecond, in which the device makes a step.
#[derive(Clone)]
pub struct TestClock {
    now: Rc<Cell<u64>>,
    device: Rc<RefCell<Device<Wire>>>,
}

impl Clock for TestClock {
    fn now(&self) -> Duration {
        Duration::from_micros(self.now.get())
    }

    fn pause(&self) {
        self.now.set(self.now.get() + 1);
        self.device.borrow_mut().step(self.now.get());
    }
}

pub struct Bench {
    pub hub: Hub,
    pub clock: TestClock,
}

impl Bench {
    /// A device on a perfect wire.
    pub fn new(knobs: Knobs) -> Bench {
        Self::with(knobs, |port| port)
    }

    /// A device whose wire is wrapped.
    pub fn with(knobs: Knobs, wrap: impl FnOnce(Wire) -> Wire) -> Bench {
        let hub = Hub::default();
        let device = Device::new(wrap(Box::new(hub.port())), knobs);
        let clock = TestClock { now: Rc::default(), device: Rc::new(RefCell::new(device)) };
        Bench { hub, clock }
    }

    /// A device and a host on a wire with faults in both directions.
    pub fn faulty(knobs: Knobs, rates: LossyRates, seed: u64) -> (Bench, TestLink) {
        let wrap = |port: Wire, seed| -> Wire { Box::new(FcsChecked::new(Lossy::new(port, rates, seed))) };
        let bench = Self::with(knobs, |port| wrap(port, seed));
        let port = wrap(Box::new(bench.hub.port()), seed + 1000);
        let link = Link::open(port, bench.clock.clone(), options(seed)).unwrap();
        (bench, link)
    }

    pub fn open(&self, options: LinkOptions) -> Result<TestLink, LinkError> {
        Link::open(Box::new(self.hub.port()), self.clock.clone(), options)
    }

    /// Changes or looks at the device.
    pub fn device<R>(&self, with: impl FnOnce(&mut Device<Wire>) -> R) -> R {
        with(&mut self.clock.device.borrow_mut())
    }

    pub fn now(&self) -> u64 {
        self.clock.now.get()
    }

    /// Runs host and device until something holds, or for a time.
    pub fn until(&self, link: &TestLink, limit_us: u64, mut holds: impl FnMut(&mut Device<Wire>) -> bool) -> bool {
        let end = self.now() + limit_us;
        while self.now() < end {
            if self.device(&mut holds) {
                return true;
            }
            link.work();
        }
        false
    }

    pub fn run(&self, link: &TestLink, us: u64) {
        self.until(link, us, |_| false);
    }

    /// The device has seen nothing that a good host never does.
    pub fn assert_clean(&self) {
        self.device(|device| assert_eq!(device.bus.violations, Vec::<String>::new()));
    }
}

pub fn options(seed: u64) -> LinkOptions {
    LinkOptions { seed: Some(seed), ..LinkOptions::default() }
}
