//! What initiator and target have in common: a device, a queue pair with a pool of slots, and memory for messages.
use super::{Settings, StorageError};
use crate::monitor::Role;
use crate::platform::{attach_nic, HostBuffer, Shared, SimPlatform};
use rnic_driver::{
    Access, Completion, CompletionQueue, ConnectOptions, Device, DmaBuffer, DmaMemory, KeyPolicy, MrTableState,
    OpenOptions, OwnEndpoint, PathMtu, ProtectionDomain, QpOptions, QueuePair, ReceiveRequest, Sge, SlotOptions,
    SlotPool,
};
use std::ops::Range;

/// Room for one message, bytes.
const ROOM: usize = 64;
/// Acknowledgement timeout of the connection: 4.096 us times 2^7.
const TIMEOUT: u8 = 7;

/// What a completion is of; the upper half of `wr_id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A message has come.
    Receive,
    /// A message was sent: command or response.
    Send,
    /// A READ of the target.
    Data,
    /// The invalidation of a mapping.
    Unmap,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Receive, Kind::Send, Kind::Data, Kind::Unmap];

    pub fn wr_id(self, index: u32) -> u64 {
        (self as u64) << 32 | u64::from(index)
    }

    pub fn of(wr_id: u64) -> (Kind, u32) {
        (Kind::ALL[(wr_id >> 32) as usize % Kind::ALL.len()], wr_id as u32)
    }
}

/// How many slots of each kind a side needs.
pub(super) struct Slots {
    pub local: usize,
    pub remote: usize,
}

pub(super) struct Side {
    pub pool: SlotPool<SimPlatform>,
    pub qp: QueuePair<SimPlatform>,
    pub cq: CompletionQueue<SimPlatform>,
    pub device: Device<SimPlatform>,
    _pd: ProtectionDomain<SimPlatform>,
    simulator: Shared,
    nic: usize,
    depth: u32,
    /// Messages to send, twice as many as I/Os in flight; behind them room for those that come.
    messages: HostBuffer,
    psn: u32,
}

impl Side {
    pub fn new(simulator: &Shared, nic: usize, settings: &Settings, slots: &Slots) -> Result<Self, StorageError> {
        let last = nic as u8 + 1;
        let address = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, last];
        let options =
            OpenOptions { mac: Some([2, 0, 0, 0, 0, last]), addresses: vec![address], ..OpenOptions::default() };
        let device = Device::open_with(attach_nic(simulator, nic), options)?;
        device.platform().clock.set_pause(32);
        let pd = device.alloc_pd()?;
        let depth = settings.depth;
        let send_slots = (2 * (slots.local + slots.remote) as u32 + 6 * depth).next_power_of_two();
        let receive_slots = (2 * depth).next_power_of_two();
        let cq = device.create_cq(send_slots + receive_slots, 0)?;
        let options = QpOptions { send_slots, receive_slots, privileged: true, signal_all: false };
        let qp = device.create_qp(&pd, &cq, &cq, options)?;
        let keys = if nic == 0 { KeyPolicy::Shuffled(settings.seed) } else { KeyPolicy::Increment };
        let options = SlotOptions { local: slots.local, remote: slots.remote, max_pages: 16, page_size: 4096, keys };
        let pool = SlotPool::new(&qp, &pd, options)?;
        let messages =
            device.platform().memory.allocate(3 * depth as usize * ROOM).map_err(rnic_driver::Error::from)?;
        let psn = (settings.seed as u32).wrapping_mul(0x9E37_79B1) >> 8;
        let side = Self { pool, qp, cq, device, _pd: pd, simulator: simulator.clone(), nic, depth, messages, psn };
        let first = side.messages.bus_address();
        side.lend(first..first + side.messages.len() as u64);
        Ok(side)
    }

    /// The monitor learns of memory behind the local DMA lkey by hand only.
    pub fn lend(&self, range: Range<u64>) {
        self.simulator.borrow_mut().nic(self.nic).monitor().lend(range, Role::Payload);
    }

    pub fn take_back(&self, range: &Range<u64>) {
        self.simulator.borrow_mut().nic(self.nic).monitor().take_back(range);
    }

    /// Our end of a new connection, with a new first PSN.
    pub fn endpoint(&mut self) -> Result<OwnEndpoint, StorageError> {
        self.psn = (self.psn + 0x1_2345) & 0xFF_FFFF;
        Ok(self.qp.endpoint(0, self.psn)?)
    }

    /// Connects, with room for every message of the peer.
    pub fn connect(&self, own: &OwnEndpoint, peer: &OwnEndpoint) -> Result<(), StorageError> {
        let options = ConnectOptions {
            mtu: PathMtu::Bytes1024,
            access: Access::REMOTE_READ | Access::REMOTE_WRITE,
            max_rd: 16,
            max_dest_rd: 16,
            timeout: TIMEOUT,
            ..ConnectOptions::default()
        };
        self.qp.connect(own, &peer.endpoint(), &options)?;
        (0..self.depth).try_for_each(|index| self.expect_message(index))
    }

    /// Posts the receive request with this number.
    pub fn expect_message(&self, index: u32) -> Result<(), StorageError> {
        let sge = self.sge(2 * self.depth + index, ROOM);
        Ok(self.qp.post_receive(&ReceiveRequest::new(Kind::Receive.wr_id(index), [sge]))?)
    }

    /// The message in the receive request with this number.
    pub fn message<const N: usize>(&self, index: u32) -> [u8; N] {
        let mut bytes = [0; N];
        self.messages.read_bytes((2 * self.depth + index) as usize * ROOM, &mut bytes);
        bytes
    }

    /// Writes a message to be sent, in the place with this number.
    pub fn write_message(&self, place: u32, bytes: &[u8]) -> Sge {
        self.messages.write_bytes(place as usize * ROOM, bytes);
        self.sge(place, bytes.len())
    }

    fn sge(&self, place: u32, length: usize) -> Sge {
        let address = self.messages.bus_address() + u64::from(place) * ROOM as u64;
        Sge { address, length: length as u32, lkey: self.device.capabilities().local_dma_lkey }
    }

    pub fn poll(&self) -> Result<Option<Completion<SimPlatform>>, StorageError> {
        Ok(self.cq.poll()?)
    }

    /// Ends everything, in the order of use. Answers how many regions the device still has.
    pub fn close(self) -> Result<usize, StorageError> {
        let Self { pool, qp, cq, device, _pd: pd, .. } = self;
        pool.close().map_err(|kept| kept.error)?;
        qp.destroy().map_err(|kept| kept.error)?;
        cq.destroy().map_err(|kept| kept.error)?;
        pd.free().map_err(|kept| kept.error)?;
        let entries = 1..device.capabilities().mr_entries;
        let states = entries.map(|index| device.query_mr(index).map(|info| info.state));
        let states = states.collect::<Result<Vec<_>, _>>()?;
        Ok(states.iter().filter(|state| **state != MrTableState::Unalloc).count())
    }

    /// Lists of application memory that the device can reach.
    pub fn mapped(&self) -> usize {
        self.device.platform().memory.mapped()
    }
}
