//! Completion queues: rings that the device fills and the driver empties.
//!
//! The device learns of consumption by a doorbell. The driver rings it when half of the ring is consumed, before arming, and before
//! each doorbell of a queue pair that completes here: so a ring that has room for every outstanding request never overflows,
//! and a busy consumer does not pay one register write a completion.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;
use std::sync::atomic::{fence, Ordering};
use std::time::Duration;

use rnic_abi::admin::{create_cq, destroy_cq, Command};
use rnic_abi::cqe::{self, Cqe};
use rnic_abi::{limits, register as reg};

use crate::completion::Completion;
use crate::device::Device;
use crate::error::{Error, Invalid, Kept, Protocol, Resource, Wait};
use crate::page_list::Buffer;
use crate::platform::{Bar, BusError, DmaBuffer, DmaMemory, Platform};
use crate::queue_pair::Fetched;

/// A ring, shared by its handle, the device's table and the queue pairs that complete into it.
pub(crate) struct CompletionRing<P: Platform> {
    pub(crate) number: u32,
    log2: u8,
    vector: u8,
    buffer: Buffer<P>,
    progress: RefCell<Progress<P>>,
    destroy_unanswered: Cell<bool>,
    /// It has not been destroyed. After that its number, and so its doorbell, may be another queue's.
    live: Cell<bool>,
}

/// How far a ring has been read.
struct Progress<P: Platform> {
    /// Free-running count of entries read from the ring.
    read: u32,
    /// Consumption that the device knows of.
    reported: u32,
    /// Read from the ring, but not yet handed to the consumer; to the device they are not consumed.
    ready: VecDeque<Completion<P>>,
}

impl<P: Platform> Progress<P> {
    fn consumed(&self) -> u32 {
        self.read.wrapping_sub(self.ready.len() as u32)
    }
}

impl<P: Platform> CompletionRing<P> {
    pub(crate) fn vector(&self) -> u8 {
        self.vector
    }

    pub(crate) fn has_completion(&self) -> bool {
        let progress = self.progress.borrow();
        self.live.get() && (!progress.ready.is_empty() || self.entry_is_there(progress.read))
    }

    pub(crate) fn is_live(&self) -> bool {
        self.live.get()
    }

    /// Asks for one interrupt.
    pub(crate) fn arm(&self, device: &Device<P>) -> Result<(), BusError> {
        self.ring(device, reg::CQ_DOORBELL_ARM.mask())
    }

    /// Whether the device has written the next entry: its phase bit is 1 in the first round, 0 in the second, and so on.
    fn entry_is_there(&self, read: u32) -> bool {
        let phase = self.buffer.read_u32(self.offset(read) + cqe::OWNER.byte) & cqe::PHASE != 0;
        let first_kind_of_round = read >> self.log2 & 1 == 0;
        phase == first_kind_of_round
    }

    fn offset(&self, count: u32) -> usize {
        (count & ((1 << self.log2) - 1)) as usize * cqe::BYTES
    }

    /// Reads the next entry out of the ring.
    fn take_entry(&self) -> Option<Cqe> {
        let mut progress = self.progress.borrow_mut();
        if !self.entry_is_there(progress.read) {
            return None;
        }
        // Nothing else of the entry may be read before its phase bit.
        fence(Ordering::Acquire);
        let mut bytes = [0; cqe::BYTES];
        self.buffer.read_bytes(self.offset(progress.read), &mut bytes);
        progress.read = progress.read.wrapping_add(1);
        Some(Cqe::decode(&bytes))
    }

    /// Reads the next entry out of the ring and gives it to its queue pair.
    fn fetch(self: &Rc<Self>, device: &Device<P>) -> Result<Option<Fetched<P>>, Error> {
        let Some(entry) = self.take_entry() else { return Ok(None) };
        let pair = device.tables().queue_pairs.by_qpn(entry.qpn);
        let pair = pair.ok_or(Error::Protocol(Protocol::QueuePair { qpn: entry.qpn }))?;
        let mut fetched = pair.complete(self, entry)?;
        if let Fetched::Completion(completion) = &mut fetched {
            if let Some(key) = completion.invalidated_key {
                let region = device.tables().regions.by_key(key);
                completion.unknown_key = !region.is_some_and(|region| region.invalidated_by_peer(key));
            }
        }
        Ok(Some(fetched))
    }

    /// Reads everything that is in the ring, for the consumer to poll later.
    pub(crate) fn gather(self: &Rc<Self>, device: &Device<P>) -> Result<(), Error> {
        while let Some(fetched) = self.fetch(device)? {
            if let Fetched::Completion(completion) = fetched {
                self.progress.borrow_mut().ready.push_back(*completion);
            }
        }
        Ok(())
    }

    /// Takes out the completions of one queue pair that wait for the consumer.
    pub(crate) fn withdraw(&self, qpn: u32) -> Vec<Completion<P>> {
        let mut progress = self.progress.borrow_mut();
        let (withdrawn, kept) = progress.ready.drain(..).partition::<Vec<_>, _>(|completion| completion.qpn == qpn);
        progress.ready = kept.into();
        withdrawn
    }

    /// Tells the device what has been consumed, if it does not know.
    pub(crate) fn report(&self, device: &Device<P>) -> Result<(), BusError> {
        let progress = self.progress.borrow();
        if progress.reported == progress.consumed() {
            return Ok(());
        }
        drop(progress);
        self.ring(device, 0)
    }

    fn ring(&self, device: &Device<P>, request: u32) -> Result<(), BusError> {
        if !self.live.get() {
            return Ok(());
        }
        let mut progress = self.progress.borrow_mut();
        let consumed = progress.consumed();
        let value = reg::CQ_DOORBELL_COUNT.put(consumed) | request;
        device.platform().bar().write(reg::cq_doorbell(self.number), value)?;
        progress.reported = consumed;
        Ok(())
    }

    /// Tells the device once half of the ring is consumed, so that a ring too small for everything outstanding can still work.
    fn report_if_due(&self, device: &Device<P>) -> Result<(), BusError> {
        let progress = self.progress.borrow();
        let unreported = progress.consumed().wrapping_sub(progress.reported);
        drop(progress);
        if unreported >= 1 << (self.log2 - 1) {
            self.report(device)?;
        }
        Ok(())
    }
}

/// A completion queue. Dropping the handle without [`destroy`](CompletionQueue::destroy) keeps it alive in the device.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// qp.post_send_list([SendRequest::send(1, []), SendRequest::send(2, [])])?;
/// assert_eq!(cq.next(limit)?.wr_id, 1); // polls until there is one
/// assert!(cq.wait(limit)?); // sleeps until there is one
/// assert_eq!(cq.poll()?.map(|completion| completion.wr_id), Some(2));
/// assert!(cq.poll()?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CompletionQueue<P: Platform> {
    device: Device<P>,
    pub(crate) ring: Rc<CompletionRing<P>>,
}

impl<P: Platform> Device<P> {
    /// Creates a completion queue of at least `entries` entries (rounded up to a power of two, at least 4) that uses interrupt
    /// `vector`.
    ///
    /// # Errors
    /// - [`Invalid::RingSize`], [`Invalid::Vector`] (EINVAL): more entries, or a higher vector, than the device has.
    /// - [`Resource::CompletionQueue`] (ENOMEM): all are in use.
    /// - [`DmaError::NoMemory`](crate::DmaError), [`DmaError::TooLong`](crate::DmaError) (ENOMEM): no memory for the rings, or none in
    ///   one piece.
    /// - [`Error::Admin`]: the device refused; everything is undone.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`],
    ///   [`Protocol::AdminErrno`] (EPROTO): no answer. The number stays taken, because the device may still create it, until
    ///   [`reclaim`](Device::reclaim) has ended that.
    pub fn create_cq(&self, entries: u32, vector: u8) -> Result<CompletionQueue<P>, Error> {
        let log2 = ring_log2(entries, limits::CQ_LOG2_MIN, self.capabilities().max_cq_log2)?;
        if vector >= self.capabilities().vectors {
            return Err(Error::Invalid(Invalid::Vector));
        }
        let buffer = self.platform().memory().allocate(cqe::BYTES << log2)?;
        let base = buffer.bus_address();
        let ring = self.add_completion_ring(log2, vector, buffer)?;
        let mut words = [0; 4];
        create_cq::CQN.put(&mut words, ring.number.into());
        create_cq::LOG2.put(&mut words, log2.into());
        create_cq::VECTOR.put(&mut words, vector.into());
        create_cq::BASE.put(&mut words, base);
        if let Err(error) = self.command(Command::CreateCq, &words) {
            if error.changed_nothing() {
                self.tables().completion_queues[ring.number as usize] = None;
            } else {
                // If the device turns out not to know it, that is as good as destroyed.
                ring.destroy_unanswered.set(true);
                self.tables().unanswered.queues.push(ring);
            }
            return Err(error);
        }
        Ok(CompletionQueue { device: self.clone(), ring })
    }

    /// Ends a queue whose creation was not answered.
    pub(crate) fn end_ring(&self, ring: &Rc<CompletionRing<P>>) -> Result<(), Error> {
        let queue = CompletionQueue { device: self.clone(), ring: ring.clone() };
        queue.destroy().map_err(|kept| kept.error)
    }

    /// Enters a ring into the first free place of the table.
    fn add_completion_ring(&self, log2: u8, vector: u8, buffer: Buffer<P>) -> Result<Rc<CompletionRing<P>>, Error> {
        let queues = &mut self.tables().completion_queues;
        let number = queues.iter().position(Option::is_none).ok_or(Error::Exhausted(Resource::CompletionQueue))?;
        let ring = Rc::new(CompletionRing {
            number: number as u32,
            log2,
            vector,
            buffer,
            progress: RefCell::new(Progress { read: 0, reported: 0, ready: VecDeque::new() }),
            destroy_unanswered: Cell::new(false),
            live: Cell::new(true),
        });
        queues[number] = Some(ring.clone());
        Ok(ring)
    }
}

/// log2 of the smallest ring with room for `entries`.
pub(crate) fn ring_log2(entries: u32, min: u32, max: u8) -> Result<u8, Error> {
    if entries == 0 || entries > 1 << max {
        return Err(Error::Invalid(Invalid::RingSize));
    }
    Ok(entries.next_power_of_two().trailing_zeros().max(min) as u8)
}

impl<P: Platform> CompletionQueue<P> {
    /// Number of the completion queue.
    pub fn number(&self) -> u32 {
        self.ring.number
    }

    /// Entries of the ring.
    pub fn capacity(&self) -> u32 {
        1 << self.ring.log2
    }

    /// Takes the oldest completion, if there is one.
    ///
    /// # Errors
    /// - [`Protocol::Status`], [`Protocol::Syndrome`], [`Protocol::QueuePair`], [`Protocol::Slot`], [`Protocol::Skipped`] (EPROTO):
    ///   the device wrote an entry that cannot be; it is skipped.
    /// - [`Error::Bus`]: the doorbell cannot be written.
    pub fn poll(&self) -> Result<Option<Completion<P>>, Error> {
        let waiting = self.ring.progress.borrow_mut().ready.pop_front();
        let found = match waiting {
            Some(completion) => Some(completion),
            None => loop {
                match self.ring.fetch(&self.device)? {
                    Some(Fetched::Completion(completion)) => break Some(*completion),
                    Some(Fetched::DrainMarker) => {}
                    None => break None,
                }
            },
        };
        self.ring.report_if_due(&self.device)?;
        Ok(found)
    }

    /// Polls until there is a completion, with a pause of the platform's clock between two polls.
    ///
    /// # Errors
    /// - [`Wait::Completion`] (ETIMEDOUT): none within `limit`.
    /// - as [`poll`](CompletionQueue::poll).
    pub fn next(&self, limit: Duration) -> Result<Completion<P>, Error> {
        let mut found = None;
        self.device.wait_until(limit, Wait::Completion, || {
            found = self.poll()?;
            Ok(found.is_some())
        })?;
        found.ok_or(Error::Timeout(Wait::Completion))
    }

    /// Whether [`poll`](CompletionQueue::poll) would find something.
    pub fn has_completion(&self) -> bool {
        self.ring.has_completion()
    }

    /// Asks for one interrupt: at once if there are completions that have not been polled, else after the next one.
    /// With `solicited_only` after the next that is solicited or an error.
    ///
    /// # Errors
    /// [`Error::Bus`]: the doorbell cannot be written.
    pub fn arm(&self, solicited_only: bool) -> Result<(), Error> {
        let request = if solicited_only { reg::CQ_DOORBELL_ARM_SOLICITED } else { reg::CQ_DOORBELL_ARM };
        Ok(self.ring.ring(&self.device, request.mask())?)
    }

    /// Waits by interrupt until there is a completion to poll or `limit` has passed. Answers whether there is one.
    ///
    /// # Errors
    /// [`Error::Bus`]: the doorbell cannot be written, or no interrupt can arrive.
    pub fn wait(&self, limit: Duration) -> Result<bool, Error> {
        let start = self.device.now();
        loop {
            if self.has_completion() {
                return Ok(true);
            }
            let left = limit.saturating_sub(self.device.now().saturating_sub(start));
            if left.is_zero() {
                return Ok(false);
            }
            self.arm(false)?;
            // An interrupt may be spurious, or be the one of another completion queue with this vector: look again.
            self.device.platform().bar().wait_interrupt(self.ring.vector, left)?;
        }
    }

    /// Tells the device now what has been consumed. Needed only to observe it; the driver does it by itself in time.
    ///
    /// # Errors
    /// [`Error::Bus`]: the doorbell cannot be written.
    pub fn report_consumed(&self) -> Result<(), Error> {
        Ok(self.ring.report(&self.device)?)
    }

    /// Destroys it. Completions that have not been polled are lost.
    ///
    /// # Errors
    /// The queue comes back with each of them.
    /// - [`Error::Admin`] (EBUSY): a queue pair uses it.
    /// - [`Protocol::AdminErrno`](crate::Protocol) (EPROTO): it answered with an errno that no command has.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`]: the device does not
    ///   answer; the call may be repeated.
    pub fn destroy(self) -> Result<(), Kept<Self>> {
        let mut words = [0; 1];
        destroy_cq::CQN.put(&mut words, self.ring.number.into());
        match self.device.destroy_command(Command::DestroyCq, &words, &self.ring.destroy_unanswered) {
            Ok(()) => {
                self.ring.live.set(false);
                self.device.tables().completion_queues[self.ring.number as usize] = None;
                Ok(())
            }
            Err(error) => Err(Kept { error, object: self }),
        }
    }

    pub(crate) fn belongs_to(&self, device: &Device<P>) -> bool {
        self.device.is(device)
    }
}

impl<P: Platform> fmt::Debug for CompletionQueue<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CompletionQueue {{ {}, {} entries }}", self.number(), self.capacity())
    }
}
