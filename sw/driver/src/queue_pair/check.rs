//! Checks before posting. They are a convenience: hardware checks everything again and is the only authority.
//!
//! Checks run in the order of the rules, so the first error is the one that hardware would name.

use std::rc::Rc;

use rnic_abi::qp::State;
use rnic_abi::{key, limits, opcode::Opcode};

use super::data::Data;
use super::request::{Operation, ReceiveRequest, RegMr, SendRequest};
use super::Pair;
use crate::access::Access;
use crate::capabilities::Capabilities;
use crate::errno::Errno;
use crate::error::Feature;
use crate::page_list::Pages;
use crate::platform::{BusError, Platform};

/// A request was not posted.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let bad = qp.post_send(SendRequest::send(1, vec![Sge::default(); 5])).unwrap_err();
/// assert_eq!((bad.error, bad.errno()), (PostError::Sges, Errno::Einval)); // one element too many
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum PostError {
    /// A2: the device does not offer it.
    #[error("the device does not offer {0}")]
    NotSupported(Feature),
    /// B23, T4: not in this state of the queue pair.
    #[error("not in state {0} of the queue pair")]
    State(State),
    /// B22: the ring has no room.
    #[error("the ring is full")]
    Full,
    /// B21: data in the request itself.
    #[error("this device takes no inline data")]
    InlineData,
    /// B1: a flag that the opcode does not have.
    #[error("flag not allowed for this opcode")]
    Flags,
    /// B1: more inline pages than the device takes.
    #[error("inline list longer than the device takes")]
    InlinePages,
    /// More scatter/gather elements than the device takes, or not exactly one where one is needed (C20).
    #[error("wrong number of scatter/gather elements")]
    Sges,
    /// T10: more bytes than a message may have.
    #[error("more than 2^31 bytes")]
    MessageLength,
    /// T10: the result of an atomic has 8 bytes.
    #[error("the local piece of an atomic has 8 bytes")]
    AtomicLength,
    /// An atomic at an address that is not a multiple of 8, which every peer refuses.
    #[error("the remote address of an atomic is a multiple of 8")]
    AtomicAlignment,
    /// T10: a READ or atomic on a queue pair that may have none in flight.
    #[error("the queue pair may have no READ or atomic in flight")]
    NoReads,
    /// A chain without a mapping or a request, or with mappings of several queue pairs.
    #[error("a chain needs requests, and mappings of one queue pair")]
    Mappings,
    /// A raw request of no blocks, or more than two.
    #[error("a request has one or two blocks")]
    Blocks,
    /// The memory region has been deregistered.
    #[error("the memory region has been deregistered")]
    RegionGone,
    /// B3: key index 0.
    #[error("key index 0 is reserved")]
    KeyReserved,
    /// A12: the key's index is not the memory region's.
    #[error("key of another memory region")]
    KeyIndex,
    /// B5: the protection domains differ.
    #[error("memory region and queue pair are in different protection domains")]
    ProtectionDomain,
    /// B8: remote write or atomic without local write.
    #[error("remote write and atomic access need local write access")]
    NeedsLocalWrite,
    /// B9: undefined access bits, or atomics on a device without.
    #[error("access bits that do not exist")]
    UndefinedAccess,
    /// B10: a page size that the device does not offer.
    #[error("page size not offered")]
    PageShift,
    /// B11: no pages, or more than the memory region's maximum.
    #[error("page count is 0 or above the region's maximum")]
    PageCount,
    /// The list has fewer entries than are to count: the device would read what is behind it.
    #[error("page count above the length of the list")]
    ListLength,
    /// B12: no bytes, or more than the device allows.
    #[error("length is 0 or above the maximum")]
    Length,
    /// B13: the region passes the end of the address space.
    #[error("the region passes the end of the address space")]
    Wrap,
    /// B14: fewer pages than the length needs.
    #[error("more bytes than the pages hold")]
    Cover,
    /// B15: the offset contradicts the address.
    #[error("offset into the first page contradicts the address")]
    FirstByteOffset,
    /// B16: the list is not aligned to 64 bytes or beyond the bus.
    #[error("page list not aligned to 64 bytes, or beyond the bus")]
    ListAddress,
    /// The doorbell could not be rung. The requests are in the ring; the next doorbell tells the device of them.
    #[error("doorbell: {0}")]
    Doorbell(BusError),
}

impl PostError {
    /// The Linux error number that this error stands for.
    pub fn errno(&self) -> Errno {
        match self {
            PostError::NotSupported(_) => Errno::Eopnotsupp,
            PostError::Full => Errno::Enomem,
            PostError::Doorbell(error) => error.errno(),
            _ => Errno::Einval,
        }
    }
}

/// B23: what must hold whatever is posted to the send queue.
pub(super) fn check_send_state<P: Platform>(pair: &Pair<P>) -> Result<(), PostError> {
    let state = pair.state.get();
    if state.takes_sends() {
        Ok(())
    } else {
        Err(PostError::State(state))
    }
}

/// Everything that the driver can know to be wrong with a send request.
pub(super) fn check_send<P: Platform>(
    capabilities: &Capabilities,
    pair: &Pair<P>,
    request: &SendRequest<P>,
) -> Result<(), PostError> {
    check_feature(capabilities, request.opcode())?;
    if request.inline_data {
        return Err(PostError::InlineData);
    }
    let takes_solicited =
        matches!(request.opcode(), Opcode::Send | Opcode::SendImm | Opcode::SendInv | Opcode::WriteImm);
    if request.solicited && !takes_solicited {
        return Err(PostError::Flags);
    }
    match &request.operation {
        Operation::RegMr(registration) => check_registration(capabilities, pair, registration),
        // The key of an invalidation is judged by hardware alone (C1 to C6).
        Operation::LocalInv(_) => Ok(()),
        Operation::Data(data) => check_data(capabilities, pair, data),
    }
}

/// A2: whether the device offers an opcode.
fn check_feature(capabilities: &Capabilities, opcode: Opcode) -> Result<(), PostError> {
    let (offered, feature) = match opcode {
        Opcode::RegMr | Opcode::LocalInv => (capabilities.mem_mgt_ext, Feature::MemoryManagement),
        _ if !capabilities.rc => (false, Feature::ReliableConnection),
        Opcode::ReadInv => (capabilities.read_inv, Feature::ReadWithInvalidate),
        Opcode::CmpSwap | Opcode::FetchAdd => (capabilities.atomic_hca, Feature::Atomics),
        _ => (true, Feature::ReliableConnection),
    };
    if offered {
        Ok(())
    } else {
        Err(PostError::NotSupported(feature))
    }
}

/// T10, as far as the types leave it open, and the alignment of atomics.
fn check_data<P: Platform>(capabilities: &Capabilities, pair: &Pair<P>, data: &Data) -> Result<(), PostError> {
    let count = data.sges().len();
    let one_needed = data.opcode() == Opcode::ReadInv;
    if count > usize::from(capabilities.max_sge) || one_needed && count != 1 {
        return Err(PostError::Sges);
    }
    if data.bytes() > limits::MESSAGE_MAX {
        return Err(PostError::MessageLength);
    }
    if let Data::CompareSwap { sge, remote, .. } | Data::FetchAdd { sge, remote, .. } = data {
        if sge.length != 8 {
            return Err(PostError::AtomicLength);
        }
        if remote.address % 8 != 0 {
            return Err(PostError::AtomicAlignment);
        }
    }
    let answered = matches!(data, Data::Read { .. } | Data::CompareSwap { .. } | Data::FetchAdd { .. });
    if answered && pair.max_rd.get() == 0 {
        return Err(PostError::NoReads);
    }
    Ok(())
}

/// B1 to B16, as far as the driver can see them.
fn check_registration<P: Platform>(
    capabilities: &Capabilities,
    pair: &Pair<P>,
    request: &RegMr<P>,
) -> Result<(), PostError> {
    let page_size = 1u64.checked_shl(request.page_shift.into()).unwrap_or(0);
    let offset_from_address = request.iova & page_size.wrapping_sub(1);
    let zero_based = request.access.contains(Access::ZERO_BASED);
    let offset_fits = if zero_based {
        request.iova == 0 && u64::from(request.fbo) < page_size
    } else {
        u64::from(request.fbo) == offset_from_address
    };
    let held = u128::from(page_size) * u128::from(request.npages);
    let remote_writers = Access::REMOTE_WRITE | Access::REMOTE_ATOMIC;
    let end = u128::from(request.iova) + u128::from(request.length);
    let rules = [
        (inline_pages_fit(capabilities, request), PostError::InlinePages),
        (key::index(request.key) != 0, PostError::KeyReserved),
        (key::index(request.key) == request.region.index, PostError::KeyIndex),
        (request.region.live.get(), PostError::RegionGone),
        // Not the numbers: domains of two devices may have the same one.
        (Rc::ptr_eq(&request.region.domain, &pair.domain), PostError::ProtectionDomain),
        (
            !request.access.intersects(remote_writers) || request.access.contains(Access::LOCAL_WRITE),
            PostError::NeedsLocalWrite,
        ),
        (defined_access(capabilities).contains(request.access), PostError::UndefinedAccess),
        (capabilities.page_size_cap & page_size != 0, PostError::PageShift),
        (request.npages != 0 && request.npages <= request.region.max_pages, PostError::PageCount),
        (list_is_long_enough(request), PostError::ListLength),
        (request.length != 0 && request.length <= capabilities.max_mr_len, PostError::Length),
        (end <= 1 << 64, PostError::Wrap),
        (u128::from(request.fbo) + u128::from(request.length) <= held, PostError::Cover),
        (offset_fits, PostError::FirstByteOffset),
        (list_address_fits(capabilities, request), PostError::ListAddress),
    ];
    match rules.into_iter().find(|(holds, _)| !holds) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

/// The bits that a registration may have on this device (B9).
fn defined_access(capabilities: &Capabilities) -> Access {
    let defined = Access::LOCAL_WRITE | Access::REMOTE_WRITE | Access::REMOTE_READ | Access::ZERO_BASED;
    if capabilities.atomic_hca {
        defined | Access::REMOTE_ATOMIC
    } else {
        defined
    }
}

fn inline_pages_fit<P: Platform>(capabilities: &Capabilities, request: &RegMr<P>) -> bool {
    match &request.pages {
        Pages::Inline(pages) => {
            let most = usize::from(capabilities.max_inline_pages);
            pages.len() <= most && usize::from(request.npages) <= most
        }
        _ => true,
    }
}

fn list_is_long_enough<P: Platform>(request: &RegMr<P>) -> bool {
    request.pages.count().is_none_or(|count| usize::from(request.npages) <= count)
}

/// B16; of a list that the driver allocated it always holds.
fn list_address_fits<P: Platform>(capabilities: &Capabilities, request: &RegMr<P>) -> bool {
    let address = match &request.pages {
        Pages::List(list) => list.bus_address(),
        Pages::Shared(list) => list.bus_address(),
        Pages::Address(address) => *address,
        Pages::Inline(_) => return true,
    };
    let end = u128::from(address) + u128::from(request.npages) * u128::from(limits::PAGE_LIST_ENTRY);
    address % limits::PAGE_LIST_ALIGN == 0 && end <= 1 << capabilities.dma_addr_width
}

/// T4 and the number of elements of a receive request.
pub(super) fn check_receive<P: Platform>(
    capabilities: &Capabilities,
    pair: &Pair<P>,
    request: &ReceiveRequest,
) -> Result<(), PostError> {
    let state = pair.state.get();
    if !state.takes_receives() {
        return Err(PostError::State(state));
    }
    if request.sges.len() > usize::from(capabilities.max_sge) {
        return Err(PostError::Sges);
    }
    Ok(())
}
