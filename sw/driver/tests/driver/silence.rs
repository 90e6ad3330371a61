//! A device that goes silent: at each register access of a short run in turn, from there on for good. Every call must end with a
//! named error within its time limit, nothing may panic, and nothing may be left.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use rnic_driver::{
    Access, Bar, BusError, Device, Direction, DmaSgEntry, Errno, OpenOptions, Parts, QpOptions, SendRequest,
    SlotOptions, SlotPool, TimeLimits, Unmap,
};
use rnic_mock::Mock;

/// How a device is silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Silence {
    /// Writes are lost, reads give all ones: a device that has left a PCI bus.
    AllOnes,
    /// Every access is an error.
    NoAnswer,
    /// The platform knows that there is nothing any more.
    Gone,
}

/// A BAR that works for a number of accesses.
#[derive(Clone)]
struct Silent {
    mock: Mock,
    left: Rc<Cell<u32>>,
    silence: Silence,
}

impl Silent {
    fn works(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }

    fn error(&self, offset: u32) -> BusError {
        if self.silence == Silence::Gone {
            BusError::Gone
        } else {
            BusError::NoAnswer { offset }
        }
    }
}

impl Bar for Silent {
    fn read(&self, offset: u32) -> Result<u32, BusError> {
        match (self.works(), self.silence) {
            (true, _) => self.mock.read(offset),
            (false, Silence::AllOnes) => {
                self.mock.with(|state| state.now += Duration::from_nanos(100));
                Ok(u32::MAX)
            }
            (false, _) => Err(self.error(offset)),
        }
    }

    fn write(&self, offset: u32, value: u32) -> Result<(), BusError> {
        match (self.works(), self.silence) {
            (true, _) => self.mock.write(offset, value),
            (false, Silence::AllOnes) => Ok(()),
            (false, _) => Err(self.error(offset)),
        }
    }

    fn wait_interrupt(&self, vector: u8, timeout: Duration) -> Result<bool, BusError> {
        if self.left.get() == 0 && self.silence != Silence::AllOnes {
            return Err(self.error(0));
        }
        self.mock.wait_interrupt(vector, timeout)
    }
}

/// The longest that any one call may take here.
const LIMIT: Duration = Duration::from_millis(2);

/// Runs a call and checks its time.
fn timed<T>(mock: &Mock, what: &str, call: impl FnOnce() -> T) -> T {
    use rnic_driver::Clock;
    let start = mock.now();
    let result = call();
    let took = mock.now() - start;
    // A drain has two waits and commands before them.
    assert!(took < 4 * LIMIT, "{what} took {took:?}");
    result
}

/// Everything once. Errors are their errno; what was made before one is dropped as it is.
fn run(mock: &Mock, bar: &Silent) -> Result<(), Errno> {
    let limits = TimeLimits { reset: LIMIT, admin: LIMIT, drain: LIMIT };
    let platform = Parts { bar: bar.clone(), memory: mock.clone(), clock: mock.clone() };
    let open = || Device::open_with(platform, OpenOptions { limits, ..OpenOptions::default() });
    let device = timed(mock, "open", open).map_err(|error| error.errno())?;
    let pd = device.alloc_pd().map_err(|error| error.errno())?;
    let cq = timed(mock, "create_cq", || device.create_cq(32, 1)).map_err(|error| error.errno())?;
    let options = QpOptions { send_slots: 16, receive_slots: 4, ..QpOptions::default() };
    let qp = timed(mock, "create_qp", || device.create_qp(&pd, &cq, &cq, options)).map_err(|error| error.errno())?;
    timed(mock, "activate", || qp.activate()).map_err(|error| error.errno())?;
    let slots = SlotOptions { remote: 2, ..SlotOptions::default() };
    let pool = timed(mock, "pool", || SlotPool::new(&qp, &pd, slots)).map_err(|error| error.errno())?;
    let entry = |address| [DmaSgEntry { address, length: 0x1000 }];
    let slot = || pool.rkey_slot().map_err(|error| error.errno());
    let make = |address| slot()?.make_remote(&entry(address)[..], Access::REMOTE_READ).map_err(|kept| kept.errno());
    let (mut ended, mut left) = (make(0x10000)?, make(0x20000)?);
    // The second request of each chain changes nothing: its region is free.
    let idle = device.alloc_fast_reg_mr(&pd, 1).map_err(|error| error.errno())?;
    timed(mock, "post", || ended.post([SendRequest::local_inv(1, idle.key())])).map_err(|bad| bad.errno())?;
    timed(mock, "post", || left.post([SendRequest::local_inv(2, idle.key())])).map_err(|bad| bad.errno())?;
    timed(mock, "next", || cq.next(LIMIT)).map_err(|error| error.errno())?;
    let unmap = timed(mock, "unmap", || left.unmap(3)).map_err(|kept| kept.errno())?;
    timed(mock, "wait", || cq.wait(LIMIT)).map_err(|error| error.errno())?;
    timed(mock, "recover", || qp.recover()).map_err(|error| error.errno())?;
    match unmap {
        Unmap::Done(slot) => drop(slot),
        Unmap::Pending(end) => drop(timed(mock, "finish", || end.finish()).map_err(|kept| kept.errno())?),
    }
    drop(ended);
    timed(mock, "dereg", || idle.dereg()).map_err(|kept| kept.errno())?;
    timed(mock, "reclaim", || device.reclaim()).map_err(|error| error.errno())?;
    timed(mock, "close", || pool.close()).map_err(|kept| kept.errno())?;
    timed(mock, "destroy", || qp.destroy()).map_err(|kept| kept.errno())?;
    timed(mock, "destroy", || cq.destroy()).map_err(|kept| kept.errno())?;
    pd.free().map_err(|kept| kept.errno())?;
    let list = device.dma_map(&entry(0x30000)[..], Direction::ToDevice).map_err(|error| error.errno())?;
    device.dma_unmap(list).map_err(|kept| kept.errno())
}

#[test]
fn a_device_that_goes_silent_at_any_access_is_a_named_error_in_time() {
    let accesses = {
        let (mock, left) = (Mock::new(), Rc::new(Cell::new(u32::MAX)));
        run(&mock, &Silent { mock: mock.clone(), left: left.clone(), silence: Silence::AllOnes }).unwrap();
        u32::MAX - left.get()
    };
    assert!(accesses > 100, "{accesses} accesses make no run");
    for silence in [Silence::AllOnes, Silence::NoAnswer, Silence::Gone] {
        let (mut errors, mut kept) = (std::collections::BTreeSet::new(), 0);
        for access in 0..accesses {
            let mock = Mock::new();
            let bar = Silent { mock: mock.clone(), left: Rc::new(Cell::new(access)), silence };
            let result = timed_run(&mock, &bar);
            let (mapped, memory) = mock.with(|state| (state.mapped.len(), state.memory.len()));
            assert_eq!(memory, 0, "left after access {access}: {silence:?}, {result:?}");
            // D13: a device that answers nothing may still write, so the platform keeps the memory of dropped mappings.
            assert!(mapped == 0 || silence == Silence::NoAnswer, "left after access {access}: {silence:?}, {result:?}");
            kept += mapped;
            if let Err(error) = result {
                errors.insert(error.number());
            }
        }
        let named = match silence {
            // It is gone; or only a completion is missing, which is looked for in memory.
            Silence::AllOnes => vec![19, 110],
            Silence::NoAnswer => vec![110],
            Silence::Gone => vec![19],
        };
        assert_eq!(errors.into_iter().collect::<Vec<_>>(), named, "{silence:?}");
        assert_eq!(kept > 0, silence == Silence::NoAnswer, "{silence:?}");
    }
}

fn timed_run(mock: &Mock, bar: &Silent) -> Result<(), Errno> {
    use rnic_driver::Clock;
    let start = mock.now();
    let result = run(mock, bar);
    assert!(mock.now() - start < 40 * LIMIT, "the whole run took {:?}", mock.now() - start);
    result
}

#[test]
fn what_is_read_of_a_device_that_has_left_its_bus_is_an_error_and_no_value() {
    let (mock, left) = (Mock::new(), Rc::new(Cell::new(u32::MAX)));
    let bar = Silent { mock: mock.clone(), left: left.clone(), silence: Silence::AllOnes };
    let device = Device::open(Parts { bar, memory: mock.clone(), clock: mock.clone() }).unwrap();
    let (pd, cq) = (device.alloc_pd().unwrap(), device.create_cq(16, 3).unwrap());
    let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default()).unwrap();
    device.set_own_address(0, rnic_mock::ipv4(1)).unwrap();
    assert!(qp.endpoint(0, 1).is_ok());
    left.set(0);
    let gone = rnic_driver::Error::Bus(BusError::Gone);
    assert_eq!(device.mac().unwrap_err(), gone);
    assert_eq!(device.own_address(0).unwrap_err(), gone);
    assert_eq!(qp.endpoint(0, 1).unwrap_err(), gone);
    assert_eq!(device.counters().unwrap_err(), gone);
    assert_eq!(device.error_count(rnic_driver::Syndrome::Length).unwrap_err(), gone);
    assert_eq!(device.drop_count(0).unwrap_err(), gone);
    assert_eq!(device.take_event_overflow().unwrap_err(), gone);
    assert_eq!(device.query_mr(1).unwrap_err(), gone);
    assert_eq!(device.read_register(rnic_abi::register::STATUS), Err(BusError::Gone));
    assert_eq!(device.read_register(rnic_abi::register::MAGIC), Ok(u32::MAX), "what a tool wants to see");
    // A value of all ones alone says nothing.
    left.set(u32::MAX);
    mock.with(|state| state.registers.insert(rnic_abi::register::syndrome_counter(0x30), u32::MAX));
    assert_eq!(device.counters().unwrap().0, [(0x30, u32::MAX)]);
}

#[test]
fn d13_a_device_that_does_not_stop_leaves_the_memory_of_dropped_mappings_with_its_platform() {
    let rig = rnic_mock::Rig::wide();
    let pool = SlotPool::new(&rig.qp, &rig.pd, SlotOptions { remote: 1, ..SlotOptions::default() }).unwrap();
    let memory = [DmaSgEntry { address: 0x10000, length: 0x1000 }];
    let mut map = pool.rkey_slot().unwrap().make_remote(&memory[..], Access::REMOTE_WRITE).unwrap();
    map.post([SendRequest::send(1, [])]).unwrap();
    let mock = rig.mock.clone();
    mock.with(|state| state.never_ready = true);
    drop((map, pool, rig));
    assert_eq!(mock.with(|state| state.mapped.len()), 1);
}
