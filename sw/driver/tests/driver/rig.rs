//! A device with one protection domain, one completion queue and one queue pair: what most tests start from.

use std::time::Duration;

use rnic_driver::{
    Access, Completion, CompletionQueue, Device, MemoryRegion, ProtectionDomain, QpOptions, QueuePair, RegMr,
    SendRequest,
};

use crate::mock::{Mock, MockPlatform};

/// Long enough for everything that the mock does at all.
pub const LIMIT: Duration = Duration::from_millis(1);

pub struct Rig {
    pub mock: Mock,
    pub device: Device<MockPlatform>,
    pub pd: ProtectionDomain<MockPlatform>,
    pub cq: CompletionQueue<MockPlatform>,
    pub qp: QueuePair<MockPlatform>,
}

impl Rig {
    /// Send and receive ring of 8 slots, completion ring of 16 entries, queue pair in RTS.
    pub fn new() -> Rig {
        Rig::with(16, QpOptions { send_slots: 8, receive_slots: 8, ..QpOptions::default() })
    }

    /// A device that offers everything.
    pub fn whole() -> Rig {
        let mock = Mock::new();
        mock.with(|state| state.caps = 0x67);
        Rig::around(mock, 16, QpOptions { send_slots: 16, receive_slots: 8, ..QpOptions::default() })
    }

    pub fn with(cq_entries: u32, options: QpOptions) -> Rig {
        Rig::around(Mock::new(), cq_entries, options)
    }

    pub fn around(mock: Mock, cq_entries: u32, options: QpOptions) -> Rig {
        let device = Device::open(mock.platform()).unwrap();
        let pd = device.alloc_pd().unwrap();
        let cq = device.create_cq(cq_entries, 3).unwrap();
        let qp = device.create_qp(&pd, &cq, &cq, options).unwrap();
        qp.activate().unwrap();
        mock.forget_writes();
        Rig { mock, device, pd, cq, qp }
    }

    pub fn mr(&self) -> MemoryRegion<MockPlatform> {
        self.device.alloc_fast_reg_mr(&self.pd, 8).unwrap()
    }

    /// A legal registration of one page by an inline list.
    pub fn registration(&self, mr: &MemoryRegion<MockPlatform>) -> RegMr<MockPlatform> {
        RegMr::new(mr, Access::LOCAL_WRITE, 0x1000, 0x1000, rnic_driver::Pages::Inline(vec![0x5000]))
    }

    /// A signaled request that changes nothing: the key of an invalidation of `mr`.
    pub fn invalidation(&self, wr_id: u64, mr: &MemoryRegion<MockPlatform>) -> SendRequest<MockPlatform> {
        SendRequest::local_inv(wr_id, mr.key())
    }

    pub fn next(&self) -> Completion<MockPlatform> {
        self.cq.next(LIMIT).unwrap()
    }

    /// All completions that there will be.
    pub fn all(&self) -> Vec<Completion<MockPlatform>> {
        self.mock.run();
        std::iter::from_fn(|| self.cq.poll().unwrap()).collect()
    }

    /// Registers `mr` and waits for it.
    pub fn register(&self, mr: &MemoryRegion<MockPlatform>) {
        self.qp.post_send(SendRequest::reg_mr(0, self.registration(mr))).unwrap();
        assert!(self.next().is_success());
    }
}
