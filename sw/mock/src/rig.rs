//! A device with one protection domain, one completion queue and one queue pair: what most tests and examples start from.

use std::time::Duration;

use rnic_driver::{
    Access, Completion, CompletionQueue, ConnectOptions, Device, Endpoint, MemoryRegion, OpenOptions, Pages,
    ProtectionDomain, QpOptions, QueuePair, RegMr, SendRequest,
};

use crate::{Mock, MockPlatform};

/// Long enough for everything that the mock does at all.
pub const LIMIT: Duration = Duration::from_millis(1);

/// MAC address of the devices of [`device`] and [`connected`].
pub const MAC: [u8; 6] = [0x02, 0, 0, 0, 0, 1];

/// The address 10.0.0.`last`, as the driver writes IPv4 addresses.
///
/// ```
/// assert_eq!(rnic_mock::ipv4(7)[10..], [0xFF, 0xFF, 10, 0, 0, 7]);
/// ```
pub fn ipv4(last: u8) -> [u8; 16] {
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, last]
}

/// The other side of a connection, which nobody plays: 10.0.0.2.
///
/// ```
/// assert_eq!(rnic_mock::peer().address, rnic_mock::ipv4(2));
/// ```
pub fn peer() -> Endpoint {
    Endpoint { qpn: 0x22, psn: 0x5000, mac: [0x02, 0, 0, 0, 0, 2], address: ipv4(2) }
}

/// A device that offers everything, with an own address.
///
/// ```
/// let device = rnic_mock::device();
/// assert_eq!((device.mac()?, device.own_address(0)?), (rnic_mock::MAC, Some(rnic_mock::ipv4(1))));
/// # Ok::<(), rnic_driver::Error>(())
/// ```
pub fn device() -> Device<MockPlatform> {
    open(&Mock::new())
}

fn open(mock: &Mock) -> Device<MockPlatform> {
    let options = OpenOptions { mac: Some(MAC), addresses: vec![ipv4(1)], ..OpenOptions::default() };
    Device::open_with(mock.platform(), options).expect("a mock without switches can be opened")
}

/// The device of [`device`] with a queue pair that is connected to [`peer`] and may use the local DMA lkey.
///
/// ```
/// let rig = rnic_mock::connected();
/// assert_eq!((rig.qp.state(), rig.qp.is_privileged()), (rnic_driver::QpState::Rts, true));
/// ```
pub fn connected() -> Rig {
    let mock = Mock::new();
    let options = QpOptions { send_slots: 16, receive_slots: 16, privileged: true, signal_all: false };
    let rig = Rig::of(open(&mock), mock, 64, options);
    let own = rig.qp.endpoint(0, 0x1000).expect("the device has this address");
    let options = ConnectOptions { access: Access::REMOTE_READ | Access::REMOTE_WRITE, ..ConnectOptions::default() };
    rig.qp.connect(&own, &peer(), &options).expect("the mock takes all attributes");
    rig
}

/// A device with one of each object.
///
/// ```
/// use rnic_driver::QpState;
///
/// let rnic_mock::Rig { device, pd, cq, qp, mock } = rnic_mock::Rig::new();
/// assert_eq!((qp.state(), cq.capacity(), pd.uses()), (QpState::Rts, 16, 1));
/// ```
#[derive(Debug)]
pub struct Rig {
    /// The device below the driver.
    pub mock: Mock,
    /// The device as the driver has it.
    pub device: Device<MockPlatform>,
    /// Protection domain of the queue pair.
    pub pd: ProtectionDomain<MockPlatform>,
    /// Completion queue of both rings, with vector 3.
    pub cq: CompletionQueue<MockPlatform>,
    /// Queue pair, in RTS.
    pub qp: QueuePair<MockPlatform>,
}

impl Default for Rig {
    fn default() -> Rig {
        Rig::new()
    }
}

impl Rig {
    /// Send and receive ring of 8 slots, completion ring of 16 entries.
    pub fn new() -> Rig {
        Rig::with(16, QpOptions { send_slots: 8, receive_slots: 8, ..QpOptions::default() })
    }

    /// The same with a send ring of 16 slots.
    pub fn wide() -> Rig {
        Rig::with(16, QpOptions { send_slots: 16, receive_slots: 8, ..QpOptions::default() })
    }

    /// Rings of other sizes.
    pub fn with(cq_entries: u32, options: QpOptions) -> Rig {
        Rig::around(Mock::new(), cq_entries, options)
    }

    /// All of it on a mock that has been prepared.
    ///
    /// # Panics
    /// The device refuses something.
    pub fn around(mock: Mock, cq_entries: u32, options: QpOptions) -> Rig {
        let rig = Rig::of(Device::open(mock.platform()).unwrap(), mock, cq_entries, options);
        rig.qp.activate().unwrap();
        rig.mock.forget_writes();
        rig
    }

    /// The queue pair is in RESET.
    fn of(device: Device<MockPlatform>, mock: Mock, cq_entries: u32, options: QpOptions) -> Rig {
        let pd = device.alloc_pd().unwrap();
        let cq = device.create_cq(cq_entries, 3).unwrap();
        let qp = device.create_qp(&pd, &cq, &cq, options).unwrap();
        Rig { mock, device, pd, cq, qp }
    }

    /// A memory region for 8 pages.
    ///
    /// # Panics
    /// There is none.
    pub fn mr(&self) -> MemoryRegion<MockPlatform> {
        self.device.alloc_fast_reg_mr(&self.pd, 8).unwrap()
    }

    /// A legal registration of one page by an inline list.
    pub fn registration(&self, mr: &MemoryRegion<MockPlatform>) -> RegMr<MockPlatform> {
        RegMr::new(mr, Access::LOCAL_WRITE, 0x1000, 0x1000, Pages::Inline(vec![0x5000]))
    }

    /// A signaled request that changes nothing: the key of an invalidation of `mr`.
    pub fn invalidation(&self, wr_id: u64, mr: &MemoryRegion<MockPlatform>) -> SendRequest<MockPlatform> {
        SendRequest::local_inv(wr_id, mr.key())
    }

    /// The next completion.
    ///
    /// # Panics
    /// There is none within [`LIMIT`].
    pub fn next(&self) -> Completion<MockPlatform> {
        self.cq.next(LIMIT).unwrap()
    }

    /// All completions that there will be.
    ///
    /// # Panics
    /// The driver finds one that cannot be.
    pub fn all(&self) -> Vec<Completion<MockPlatform>> {
        self.mock.run();
        std::iter::from_fn(|| self.cq.poll().unwrap()).collect()
    }

    /// Registers `mr` by [`registration`](Rig::registration) and waits for it.
    ///
    /// # Panics
    /// It fails.
    pub fn register(&self, mr: &MemoryRegion<MockPlatform>) {
        self.qp.post_send(SendRequest::reg_mr(0, self.registration(mr))).unwrap();
        assert!(self.next().is_success());
    }
}
