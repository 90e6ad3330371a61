//! The driver itself over the link: the registers of the device are those of the stand-in on which the driver's examples run. Its
//! rings stay untouched, because the stand-in has memory of its own.

use std::rc::Rc;
use std::time::Duration;

use rnic_driver::{Bar, Clock, Device, Error, OpenOptions};
use rnic_link::{Link, LostReason};
use rnic_mock::Mock;

use crate::support::bench::{options, Bench, TestClock, Wire};
use crate::support::device::Knobs;

/// The clock of the bench, with the registers of the stand-in behind each request.
#[derive(Clone)]
struct MockClock {
    bench: Rc<Bench>,
    clock: TestClock,
    mock: Mock,
}

impl Clock for MockClock {
    fn now(&self) -> Duration {
        self.clock.now()
    }

    fn pause(&self) {
        self.clock.pause();
        self.mock.pause();
        self.bench.device(|device| {
            let Some(tlp) = device.bus.requests.front().cloned() else { return };
            let offset = u32::from_be_bytes(tlp[8..12].try_into().unwrap()).wrapping_sub(device.bus.bar as u32);
            let (is_read, is_core) = (tlp[0] == 0, offset < 0x7000);
            if is_read && is_core {
                device.bus.registers.insert(offset, self.mock.read(offset).unwrap());
            }
            device.knobs.serves = true;
            device.serve();
            device.knobs.serves = false;
            if !is_read && is_core {
                self.mock.write(offset, device.bus.registers[&offset]).unwrap();
            }
        });
    }
}

#[test]
fn the_driver_opens_a_device_and_commands_it_over_the_link() {
    let bench = Rc::new(Bench::new(Knobs { serves: false, ..Knobs::default() }));
    let clock = MockClock { clock: bench.clock.clone(), bench: bench.clone(), mock: Mock::new() };
    let wire: Wire = Box::new(bench.hub.port());
    let link = Link::open(wire, clock, options(1)).unwrap();
    let mac = [2, 0, 0, 0, 0, 9];
    let device = Device::open_with(link.platform(), OpenOptions { mac: Some(mac), ..OpenOptions::default() }).unwrap();
    assert_eq!((device.capabilities().qps, device.mac().unwrap()), (8, mac));
    let pd = device.alloc_pd().unwrap();
    let region = device.alloc_fast_reg_mr(&pd, 4).unwrap();
    assert!(device.query_mr(region.index()).is_ok());
    bench.device(|device| device.reset());
    assert!(matches!(device.alloc_fast_reg_mr(&pd, 4), Err(Error::Bus(_))));
    assert_eq!(link.lost(), Some(LostReason::NoSession));
    bench.assert_clean();
}
