//! Work requests of the send queue and of the receive queue.

use std::fmt;
use std::rc::Rc;

use rnic_abi::opcode::Opcode;
use rnic_abi::wqe::{self, Sge, Slot};

use super::data::{Data, Remote, SendExtra};
use crate::access::Access;
use crate::memory_region::{MemoryRegion, Region};
use crate::page_list::Pages;
use crate::platform::Platform;

/// A request for the send queue. It owns its page list; posting moves it to the device, its completion gives it back (A23).
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let request = SendRequest::send_imm(7, [Sge { address: 0x7000, length: 64, lkey: 0x155 }], *b"ping").solicited();
/// assert_eq!(request.opcode(), Opcode::SendImm);
/// qp.post_send(request)?;
/// assert_eq!(cq.next(limit)?.wr_id, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SendRequest<P: Platform> {
    /// The consumer's number; comes back in the completion.
    pub wr_id: u64,
    /// Success makes a completion. An error always does (D10).
    pub signaled: bool,
    /// Starts after all earlier READs and atomics of the queue (D7).
    pub fence: bool,
    /// The receiver's completion is a solicited one: SEND and WRITE with immediate only.
    pub solicited: bool,
    /// Data in the request itself: this device has no such thing (B21).
    pub inline_data: bool,
    /// What to do.
    pub operation: Operation<P>,
}

/// What a send request does.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let mr = device.alloc_fast_reg_mr(&pd, 8)?;
/// let request = SendRequest::local_inv(1, mr.key());
/// assert!(matches!(request.operation, Operation::LocalInv(key) if key == mr.key()));
/// qp.post_send(request)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub enum Operation<P: Platform> {
    /// Registers a memory region.
    RegMr(RegMr<P>),
    /// Invalidates the memory region with this key.
    LocalInv(u32),
    /// Moves data.
    Data(Data),
}

/// A fast registration: everything that the region is to be (B24).
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let mr = device.alloc_fast_reg_mr(&pd, 8)?;
/// // 0x2000 bytes at 0x7000_0800, on three pages that are anywhere on the bus.
/// let pages = Pages::Inline(vec![0xA000, 0x5000, 0x9000]);
/// let registration = RegMr::new(&mr, Access::REMOTE_READ, 0x7000_0800, 0x2000, pages);
/// assert_eq!((registration.npages, registration.fbo), (3, 0x800));
/// qp.post_send(SendRequest::reg_mr(1, registration))?;
/// assert!(cq.next(limit)?.is_success());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RegMr<P: Platform> {
    pub(super) region: Rc<Region>,
    /// The key to register; its index must be the region's (A12).
    pub key: u32,
    /// The rights to grant, and whether addresses start at 0.
    pub access: Access,
    /// log2 of the page size in bytes.
    pub page_shift: u8,
    /// Pages of the list that count.
    pub npages: u16,
    /// Offset of the first byte in the first page, bytes.
    pub fbo: u32,
    /// First virtual address.
    pub iova: u64,
    /// Bytes.
    pub length: u64,
    /// The bus addresses of the pages.
    pub pages: Pages<P>,
}

impl<P: Platform> RegMr<P> {
    /// A registration of `length` bytes at `iova` on the given pages of 4 KiB, under the region's present key. The offset into
    /// the first page follows from `iova`; other page sizes and zero-based regions are set by the functions below.
    pub fn new(mr: &MemoryRegion<P>, access: Access, iova: u64, length: u64, pages: impl Into<Pages<P>>) -> RegMr<P> {
        let pages = pages.into();
        let npages = pages.count().map_or(0, |count| count as u16);
        let region = mr.region.clone();
        let request = RegMr { region, key: mr.key(), access, page_shift: 0, npages, fbo: 0, iova, length, pages };
        request.page_shift(12)
    }

    /// Sets the page size to 2^`shift` bytes, and the offset to what `iova` says.
    pub fn page_shift(mut self, shift: u8) -> Self {
        self.page_shift = shift;
        if !self.access.contains(Access::ZERO_BASED) {
            self.fbo = (self.iova & !(u64::MAX.checked_shl(shift.into()).unwrap_or(0))) as u32;
        }
        self
    }

    /// Lets addresses start at 0, with the first byte at offset `fbo` of the first page (B15).
    pub fn zero_based(mut self, fbo: u32) -> Self {
        self.access |= Access::ZERO_BASED;
        (self.iova, self.fbo) = (0, fbo);
        self
    }

    /// Sets how many pages of the list count.
    pub fn npages(mut self, npages: u16) -> Self {
        self.npages = npages;
        self
    }

    fn encode(&self, flags: u8) -> Slot {
        let pages = match &self.pages {
            Pages::List(list) => wqe::PageList::Pointer(list.bus_address()),
            Pages::Shared(list) => wqe::PageList::Pointer(list.bus_address()),
            Pages::Address(address) => wqe::PageList::Pointer(*address),
            Pages::Inline(pages) => {
                let mut four = [0; 4];
                for (place, page) in four.iter_mut().zip(pages) {
                    *place = *page;
                }
                wqe::PageList::Inline(four)
            }
        };
        wqe::RegMr {
            flags,
            access: self.access.bits(),
            key: self.key,
            page_shift: self.page_shift,
            npages: self.npages,
            fbo: self.fbo,
            iova: self.iova,
            length: self.length,
            pages,
        }
        .encode()
    }
}

impl<P: Platform> SendRequest<P> {
    fn signaled(wr_id: u64, operation: Operation<P>) -> SendRequest<P> {
        SendRequest { wr_id, signaled: true, fence: false, solicited: false, inline_data: false, operation }
    }

    /// A signaled registration.
    pub fn reg_mr(wr_id: u64, registration: RegMr<P>) -> SendRequest<P> {
        SendRequest::signaled(wr_id, Operation::RegMr(registration))
    }

    /// A signaled invalidation of the region with this key. It waits for all earlier requests of the queue (C8).
    pub fn local_inv(wr_id: u64, key: u32) -> SendRequest<P> {
        SendRequest::signaled(wr_id, Operation::LocalInv(key))
    }

    /// A signaled data transfer.
    pub fn data(wr_id: u64, data: Data) -> SendRequest<P> {
        SendRequest::signaled(wr_id, Operation::Data(data))
    }

    /// A signaled SEND.
    pub fn send(wr_id: u64, sges: impl Into<Vec<Sge>>) -> SendRequest<P> {
        SendRequest::data(wr_id, Data::Send { sges: sges.into(), extra: SendExtra::None })
    }

    /// A signaled SEND with immediate data: the four bytes in wire order.
    pub fn send_imm(wr_id: u64, sges: impl Into<Vec<Sge>>, immediate: [u8; 4]) -> SendRequest<P> {
        let extra = SendExtra::Immediate(u32::from_le_bytes(immediate));
        SendRequest::data(wr_id, Data::Send { sges: sges.into(), extra })
    }

    /// A signaled SEND that invalidates a key of the peer.
    pub fn send_inv(wr_id: u64, sges: impl Into<Vec<Sge>>, rkey: u32) -> SendRequest<P> {
        SendRequest::data(wr_id, Data::Send { sges: sges.into(), extra: SendExtra::Invalidate(rkey) })
    }

    /// A signaled WRITE.
    pub fn write(wr_id: u64, sges: impl Into<Vec<Sge>>, remote: Remote) -> SendRequest<P> {
        SendRequest::data(wr_id, Data::Write { sges: sges.into(), remote, immediate: None })
    }

    /// A signaled WRITE with immediate data: the four bytes in wire order.
    pub fn write_imm(wr_id: u64, sges: impl Into<Vec<Sge>>, remote: Remote, immediate: [u8; 4]) -> SendRequest<P> {
        let immediate = Some(u32::from_le_bytes(immediate));
        SendRequest::data(wr_id, Data::Write { sges: sges.into(), remote, immediate })
    }

    /// A signaled READ.
    pub fn read(wr_id: u64, sges: impl Into<Vec<Sge>>, remote: Remote) -> SendRequest<P> {
        SendRequest::data(wr_id, Data::Read { sges: sges.into(), remote, invalidate: false })
    }

    /// A signaled READ that invalidates the region of its sink afterwards (C20).
    pub fn read_inv(wr_id: u64, sink: Sge, remote: Remote) -> SendRequest<P> {
        SendRequest::data(wr_id, Data::Read { sges: vec![sink], remote, invalidate: true })
    }

    /// A signaled compare and swap of 8 bytes; the old value goes to `address` in the region of `lkey`.
    pub fn compare_swap(
        wr_id: u64,
        address: u64,
        lkey: u32,
        remote: Remote,
        compare: u64,
        swap: u64,
    ) -> SendRequest<P> {
        let sge = Sge { address, length: 8, lkey };
        SendRequest::data(wr_id, Data::CompareSwap { sge, remote, compare, swap })
    }

    /// A signaled addition to 8 bytes; the old value goes to `address` in the region of `lkey`.
    pub fn fetch_add(wr_id: u64, address: u64, lkey: u32, remote: Remote, add: u64) -> SendRequest<P> {
        let sge = Sge { address, length: 8, lkey };
        SendRequest::data(wr_id, Data::FetchAdd { sge, remote, add })
    }

    /// The same without a completion for success.
    pub fn unsignaled(mut self) -> Self {
        self.signaled = false;
        self
    }

    /// The same with the fence flag (D6, D7).
    pub fn fenced(mut self) -> Self {
        self.fence = true;
        self
    }

    /// The same with the solicited flag.
    pub fn solicited(mut self) -> Self {
        self.solicited = true;
        self
    }

    /// The opcode of the request's WQE.
    pub fn opcode(&self) -> Opcode {
        match &self.operation {
            Operation::RegMr(_) => Opcode::RegMr,
            Operation::LocalInv(_) => Opcode::LocalInv,
            Operation::Data(data) => data.opcode(),
        }
    }

    /// The WQE: its slots, and how many count.
    pub(super) fn encode(&self) -> ([Slot; 2], usize) {
        let mut flags = 0;
        for (set, flag) in
            [(self.signaled, wqe::FLAG_SIGNALLED), (self.fence, wqe::FLAG_FENCE), (self.solicited, wqe::FLAG_SOLICITED)]
        {
            if set {
                flags |= flag;
            }
        }
        match &self.operation {
            Operation::RegMr(registration) => ([registration.encode(flags), [0; wqe::BYTES]], 1),
            Operation::LocalInv(key) => ([wqe::LocalInv { flags, key: *key }.encode(), [0; wqe::BYTES]], 1),
            Operation::Data(data) => {
                let data = data.encode(flags);
                (data.encode(), data.blocks())
            }
        }
    }
}

/// A request for the receive queue: where the next message goes.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let buffer = device.platform().memory().allocate(4096)?;
/// let lkey = device.capabilities().local_dma_lkey; // this queue pair may use it
/// qp.post_receive(&ReceiveRequest::new(1, [Sge { address: buffer.bus_address(), length: 4096, lkey }]))?;
/// // The peer sends "hello".
/// # mock.with(|state| state.receive_send(qp.number(), b"hello", SendExtra::None));
/// let mut message = vec![0; cq.next(limit)?.byte_len as usize];
/// buffer.read_bytes(0, &mut message);
/// assert_eq!(message, b"hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiveRequest {
    /// The consumer's number; comes back in the completion.
    pub wr_id: u64,
    /// Up to 4 pieces of local memory.
    pub sges: Vec<Sge>,
}

impl ReceiveRequest {
    /// A receive request.
    pub fn new(wr_id: u64, sges: impl Into<Vec<Sge>>) -> ReceiveRequest {
        ReceiveRequest { wr_id, sges: sges.into() }
    }

    pub(super) fn encode(&self) -> Slot {
        let mut sges = [Sge::default(); 4];
        for (place, sge) in sges.iter_mut().zip(&self.sges) {
            *place = *sge;
        }
        wqe::Receive { sges }.encode()
    }
}

impl<P: Platform> fmt::Debug for RegMr<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RegMr {{ key {:#010x}, {}, ", self.key, self.access)?;
        write!(f, "{:#x} bytes at {:#x}, offset {:#x}, ", self.length, self.iova, self.fbo)?;
        write!(f, "{} pages of 2^{}, {:?} }}", self.npages, self.page_shift, self.pages)
    }
}

impl<P: Platform> fmt::Debug for Operation<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operation::RegMr(registration) => registration.fmt(f),
            Operation::LocalInv(key) => write!(f, "LocalInv {{ key {key:#010x} }}"),
            Operation::Data(data) => data.fmt(f),
        }
    }
}

impl<P: Platform> fmt::Debug for SendRequest<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendRequest")
            .field("wr_id", &self.wr_id)
            .field("signaled", &self.signaled)
            .field("operation", &self.operation)
            .finish_non_exhaustive()
    }
}
