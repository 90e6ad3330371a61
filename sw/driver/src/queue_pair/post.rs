//! Posting: typed requests one by one or in batches, unchecked ones, and raw slots.
//!
//! The driver writes all slots of a batch, then rings one doorbell behind a release fence (D18).

use std::fmt;
use std::rc::Rc;
use std::sync::atomic::{fence, Ordering};

use rnic_abi::opcode::Opcode;
use rnic_abi::wqe::{self, Slot};
use rnic_abi::{opcode, register as reg};

use super::check::{check_receive, check_send, check_send_state, PostError};
use super::data::Data;
use super::request::{Operation, ReceiveRequest, SendRequest};
use super::{Promise, QueuePair, SendDetail};
use crate::errno::Errno;
use crate::memory_region::Touch;
use crate::page_list::Pages;
use crate::platform::{Bar, Platform};

/// A batch of which not all was posted: `bad_wr` and what is behind it come back, with their page lists (B22).
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let requests = [SendRequest::send(1, []), SendRequest::send(2, vec![Sge::default(); 5]), SendRequest::send(3, [])];
/// let bad = qp.post_send_list(requests).unwrap_err();
/// assert_eq!((bad.error, bad.posted), (PostError::Sges, 1)); // the first is on its way
/// assert_eq!(bad.bad_wr().map(|request| request.wr_id), Some(2));
/// assert_eq!(bad.rest.len(), 2);
/// ```
pub struct BadWr<P: Platform> {
    /// Why the first request of `rest` was not posted.
    pub error: PostError,
    /// Requests of the batch that were posted; they are on their way. If only the doorbell failed, these are all, and the device
    /// has not been told of them.
    pub posted: usize,
    /// Requests that were not posted, the bad one first. Empty if only the doorbell failed.
    pub rest: Vec<SendRequest<P>>,
}

impl<P: Platform> BadWr<P> {
    /// The first request that was not posted.
    pub fn bad_wr(&self) -> Option<&SendRequest<P>> {
        self.rest.first()
    }

    /// The Linux error number that the error stands for.
    pub fn errno(&self) -> Errno {
        self.error.errno()
    }
}

impl<P: Platform> fmt::Debug for BadWr<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadWr { error, posted, rest } = self;
        f.debug_struct("BadWr").field("error", error).field("posted", posted).field("rest", rest).finish()
    }
}

impl<P: Platform> fmt::Display for BadWr<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "request {} of the batch: {}", self.posted, self.error)
    }
}

impl<P: Platform> std::error::Error for BadWr<P> {}

/// What a request has to do with mappings.
#[derive(Default)]
pub(super) struct Share {
    /// It takes a place that was promised to a slot pool.
    pub(super) promised: Option<Rc<Promise>>,
    /// Mappings that it uses.
    pub(super) uses: Vec<Rc<()>>,
}

impl<P: Platform> QueuePair<P> {
    /// Posts one request to the send queue and rings the doorbell.
    ///
    /// # Errors
    /// The request comes back in each case but the last; nothing is posted.
    /// - [`PostError::NotSupported`] (EOPNOTSUPP): the device does not offer the operation (A2): one of
    ///   [`Feature::MemoryManagement`](crate::Feature), [`Feature::ReliableConnection`](crate::Feature),
    ///   [`Feature::ReadWithInvalidate`](crate::Feature), [`Feature::Atomics`](crate::Feature).
    /// - [`PostError::Full`] (ENOMEM): the ring is full (B22).
    /// - [`PostError::State`] (EINVAL): not in this state (B23).
    /// - [`PostError::Flags`], [`PostError::InlineData`] (EINVAL): a flag that the opcode does not have, data in the request (B1, B21).
    /// - Of a registration (EINVAL): [`PostError::InlinePages`] (B1), [`PostError::KeyReserved`] (B3), [`PostError::KeyIndex`] (A12),
    ///   [`PostError::RegionGone`] (B2), [`PostError::ProtectionDomain`] (B5), [`PostError::NeedsLocalWrite`] (B8),
    ///   [`PostError::UndefinedAccess`] (B9), [`PostError::PageShift`] (B10), [`PostError::PageCount`], [`PostError::ListLength`]
    ///   (B11), [`PostError::Length`] (B12), [`PostError::Wrap`] (B13), [`PostError::Cover`] (B14),
    ///   [`PostError::FirstByteOffset`] (B15), [`PostError::ListAddress`] (B16).
    /// - Of a transfer (EINVAL): [`PostError::Sges`], [`PostError::MessageLength`], [`PostError::AtomicLength`],
    ///   [`PostError::NoReads`] (T10), [`PostError::AtomicAlignment`].
    /// - [`PostError::Doorbell`]: the request is in the ring, but the device has not been told.
    pub fn post_send(&self, request: SendRequest<P>) -> Result<(), BadWr<P>> {
        self.post_send_list([request])
    }

    /// Posts requests in order, with one doorbell for all. Ends at the first that cannot be posted (B22).
    ///
    /// # Errors
    /// [`BadWr`] with an error of [`post_send`](QueuePair::post_send): what was posted before is on its way.
    pub fn post_send_list(&self, requests: impl IntoIterator<Item = SendRequest<P>>) -> Result<(), BadWr<P>> {
        let staged = self.stage_all(requests);
        let rung = self.ring_after(*staged.as_ref().unwrap_or(&0));
        staged?;
        rung
    }

    /// Posts one request with fields that the driver would refuse (B1 to B16): hardware judges it. Only for tests.
    ///
    /// # Errors
    /// [`PostError::State`] (EINVAL, B23), [`PostError::Full`] (ENOMEM, B22), [`PostError::Doorbell`], as
    /// [`post_send`](QueuePair::post_send) has them.
    pub fn post_unchecked(&self, request: SendRequest<P>) -> Result<(), BadWr<P>> {
        self.stage_unchecked(request)?;
        self.ring_after(1)
    }

    /// Posts the bytes of a request as they are: one or two slots. Only for tests. The driver still counts slots, and knows
    /// REG_MR and LOCAL_INV of its own memory regions by opcode and key.
    ///
    /// # Errors
    /// - [`PostError::Blocks`] (EINVAL): neither one nor two slots.
    /// - [`PostError::State`] (EINVAL), [`PostError::Full`] (ENOMEM), [`PostError::Doorbell`].
    pub fn post_raw(&self, wr_id: u64, slots: &[Slot]) -> Result<(), PostError> {
        self.stage_raw(wr_id, slots)?;
        self.ring_send().map_err(|bad| bad.error)
    }

    /// Writes requests into the ring without telling the device; [`ring_send`](QueuePair::ring_send) does.
    ///
    /// # Errors
    /// as [`post_send_list`](QueuePair::post_send_list).
    pub fn stage_list(&self, requests: impl IntoIterator<Item = SendRequest<P>>) -> Result<(), BadWr<P>> {
        self.stage_all(requests).map(drop)
    }

    /// Answers how many it has written.
    fn stage_all(&self, requests: impl IntoIterator<Item = SendRequest<P>>) -> Result<usize, BadWr<P>> {
        let mut requests = requests.into_iter();
        let mut posted = 0;
        while let Some(request) = requests.next() {
            match self.judge(&request) {
                Ok(()) => self.write(request),
                Err(error) => {
                    let rest = std::iter::once(request).chain(requests).collect();
                    return Err(BadWr { error, posted, rest });
                }
            }
            posted += 1;
        }
        Ok(posted)
    }

    /// Like [`post_unchecked`](QueuePair::post_unchecked) without the doorbell.
    ///
    /// # Errors
    /// as [`post_unchecked`](QueuePair::post_unchecked).
    pub fn stage_unchecked(&self, request: SendRequest<P>) -> Result<(), BadWr<P>> {
        match check_send_state(&self.pair).and_then(|()| self.room_for(request.encode().1)) {
            Ok(()) => {
                self.write(request);
                Ok(())
            }
            Err(error) => Err(BadWr { error, posted: 0, rest: vec![request] }),
        }
    }

    /// Like [`post_raw`](QueuePair::post_raw) without the doorbell.
    ///
    /// # Errors
    /// as [`post_raw`](QueuePair::post_raw).
    pub fn stage_raw(&self, wr_id: u64, slots: &[Slot]) -> Result<(), PostError> {
        let [first, ..] = slots else { return Err(PostError::Blocks) };
        if slots.len() > 2 {
            return Err(PostError::Blocks);
        }
        check_send_state(&self.pair)?;
        self.room_for(slots.len())?;
        let opcode = wqe::OPCODE.get(first) as u8;
        let key = wqe::KEY.get(first) as u32;
        let touch = match opcode {
            opcode::REG_MR => Some(Touch::Register(key)),
            opcode::LOCAL_INV => Some(Touch::Invalidate),
            _ => None,
        };
        // Not counted as signaled: what the device makes of arbitrary bytes is for the test to say.
        let detail = self.detail(opcode, touch.map(|touch| (key, touch)), None, Share::default());
        self.pair.send.borrow_mut().write(slots, wr_id, false, detail);
        Ok(())
    }

    /// Tells the device of everything staged. Rings nothing if there is no news.
    ///
    /// # Errors
    /// [`PostError::Doorbell`]: the doorbell cannot be written.
    pub fn ring_send(&self) -> Result<(), BadWr<P>> {
        let Some(count) = self.pair.send.borrow().doorbell() else { return Ok(()) };
        let rung = self.ring(reg::sq_doorbell(self.pair.index), reg::SQ_DOORBELL_COUNT.put(count.into()), false);
        rung.map_err(|error| BadWr { error, posted: 0, rest: Vec::new() })?;
        self.pair.send.borrow_mut().told();
        Ok(())
    }

    /// Tells the device of everything staged, the last `posted` requests of which are the caller's.
    pub(super) fn ring_after(&self, posted: usize) -> Result<(), BadWr<P>> {
        self.ring_send().map_err(|bad| BadWr { posted, ..bad })
    }

    /// Posts one request to the receive queue and rings the doorbell.
    ///
    /// # Errors
    /// - [`PostError::State`] (EINVAL): in RESET (T4).
    /// - [`PostError::Sges`] (EINVAL): more elements than the device takes.
    /// - [`PostError::Full`] (ENOMEM): the ring is full.
    /// - [`PostError::Doorbell`]: the request is in the ring, but the device has not been told.
    pub fn post_receive(&self, request: &ReceiveRequest) -> Result<(), PostError> {
        self.stage_receive(request)?;
        self.ring_receive()
    }

    /// Like [`post_receive`](QueuePair::post_receive) without the doorbell.
    ///
    /// # Errors
    /// as [`post_receive`](QueuePair::post_receive).
    pub fn stage_receive(&self, request: &ReceiveRequest) -> Result<(), PostError> {
        check_receive(self.device.capabilities(), &self.pair, request)?;
        let mut queue = self.pair.receive.borrow_mut();
        if queue.free() == 0 {
            return Err(PostError::Full);
        }
        // Each receive request gets a completion of its own.
        queue.write(&[request.encode()], request.wr_id, true, ());
        Ok(())
    }

    /// Tells the device of every receive request staged. Rings nothing if there is no news.
    ///
    /// # Errors
    /// [`PostError::Doorbell`]: the doorbell cannot be written.
    pub fn ring_receive(&self) -> Result<(), PostError> {
        let Some(count) = self.pair.receive.borrow().doorbell() else { return Ok(()) };
        self.ring(reg::rq_doorbell(self.pair.index), reg::RQ_DOORBELL_COUNT.put(count.into()), true)?;
        self.pair.receive.borrow_mut().told();
        Ok(())
    }

    fn ring(&self, doorbell: u32, value: u32, receive: bool) -> Result<(), PostError> {
        // What the device learns of consumption before new requests cannot be too late for their completions.
        let ring = if receive { &self.pair.receive_cq } else { &self.pair.send_cq };
        ring.report(&self.device).map_err(PostError::Doorbell)?;
        // D18: all slots and page lists are visible before the doorbell.
        fence(Ordering::Release);
        self.device.platform().bar().write(doorbell, value).map_err(PostError::Doorbell)
    }

    fn judge(&self, request: &SendRequest<P>) -> Result<(), PostError> {
        check_send_state(&self.pair)?;
        check_send(self.device.capabilities(), &self.pair, request)?;
        self.room_for(request.encode().1)
    }

    fn room_for(&self, blocks: usize) -> Result<(), PostError> {
        if blocks as u64 > self.pair.free_sends() {
            return Err(PostError::Full);
        }
        Ok(())
    }

    /// Writes a request that has been judged.
    fn write(&self, request: SendRequest<P>) {
        self.write_with(request, Share::default());
    }

    /// Writes a request that has been judged, of a mapping.
    pub(super) fn write_with(&self, request: SendRequest<P>, share: Share) {
        let (slots, blocks) = request.encode();
        let code = request.opcode();
        let signaled = request.signaled || self.pair.signal_all;
        let (touch, pages) = match request.operation {
            Operation::RegMr(registration) => {
                (Some((registration.key, Touch::Register(registration.key))), Some(registration.pages))
            }
            Operation::LocalInv(key) => (Some((key, Touch::Invalidate)), None),
            // A READ that invalidates does to the region of its sink what a LOCAL_INV does (C20).
            Operation::Data(Data::Read { sges, invalidate: true, .. }) => {
                (sges.first().map(|sge| (sge.lkey, Touch::Invalidate)), None)
            }
            Operation::Data(_) => (None, None),
        };
        let detail = self.detail(code.code(), touch, pages, share);
        self.pair.send.borrow_mut().write(&slots[..blocks], request.wr_id, signaled, detail);
    }

    /// What to remember of a request, and its effect on what the driver knows of the region.
    fn detail(&self, opcode: u8, touch: Option<(u32, Touch)>, pages: Option<Pages<P>>, share: Share) -> SendDetail<P> {
        let region = touch.and_then(|(key, touch)| Some((self.device.tables().regions.by_key(key)?, touch)));
        if let Some((region, touch)) = &region {
            region.posted(*touch);
        }
        if let Some(promise) = &share.promised {
            promise.take();
        }
        SendDetail { opcode, touch: region, pages, marker: false, promised: share.promised, _uses: share.uses }
    }

    /// Writes the marker of a drain: it must only be flushed, so any request will do.
    pub(super) fn write_marker(&self) {
        let marker = wqe::LocalInv { flags: wqe::FLAG_SIGNALLED, key: 0 }.encode();
        let opcode = Opcode::LocalInv.code();
        let detail = SendDetail { opcode, touch: None, pages: None, marker: true, promised: None, _uses: Vec::new() };
        self.pair.send.borrow_mut().write(&[marker], 0, true, detail);
    }
}
