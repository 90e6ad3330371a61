//! Queue pairs: creation, states, posting, completion, drain.

mod attributes;
mod chain;
mod check;
mod connect;
mod data;
mod drain;
mod post;
mod promise;
mod request;
mod work_queue;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use rnic_abi::admin::{create_qp, destroy_qp, Command};
use rnic_abi::cqe::{self, Cqe};
use rnic_abi::opcode::Opcode;
use rnic_abi::qp::State;
use rnic_abi::status::Status;
use rnic_abi::syndrome::Syndrome;
use rnic_abi::{limits, wqe};

pub use attributes::{AddressVector, InitAttributes, QpAttributes, ReadyToReceive, ReadyToSend};
pub(crate) use chain::Promised;
pub use check::PostError;
pub use connect::{source_port, ConnectOptions, Endpoint, OwnEndpoint, PathMtu};
pub use data::{Data, Remote, SendExtra};
pub use post::BadWr;
pub(crate) use promise::Promise;
pub use request::{Operation, ReceiveRequest, RegMr, SendRequest};

use crate::completion::{Completion, Retired};
use crate::completion_queue::{ring_log2, CompletionQueue, CompletionRing};
use crate::device::{Device, QpInfo};
use crate::error::{Error, Invalid, Kept, Protocol, Resource};
use crate::memory_region::{Outcome, Region, Touch};
use crate::page_list::Pages;
use crate::platform::{DmaMemory, Platform};
use crate::protection_domain::{Domain, ProtectionDomain};
use promise::Promises;
use work_queue::{Misfit, Posted, WorkQueue};

/// How a queue pair is created.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let options = QpOptions { send_slots: 100, ..QpOptions::default() };
/// let qp = device.create_qp(&pd, &cq, &cq, options)?;
/// assert_eq!((qp.send_slots(), qp.receive_slots()), (128, 64));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QpOptions {
    /// Slots of the send ring; rounded up to a power of two, at least 4. A request takes one, or two with more than two SGEs.
    pub send_slots: u32,
    /// Slots of the receive ring; rounded up to a power of two, at least 4.
    pub receive_slots: u32,
    /// May use the local DMA lkey, which reaches all bus addresses (A26).
    pub privileged: bool,
    /// Every send request makes a completion.
    pub signal_all: bool,
}

impl Default for QpOptions {
    fn default() -> Self {
        QpOptions { send_slots: 64, receive_slots: 64, privileged: false, signal_all: false }
    }
}

/// What the driver remembers of a posted send request.
pub(crate) struct SendDetail<P: Platform> {
    /// Opcode byte of the WQE.
    opcode: u8,
    /// What it does to which region.
    touch: Option<(Rc<Region>, Touch)>,
    /// The pages it has lent to the device.
    pages: Option<Pages<P>>,
    /// It is the marker of a drain.
    marker: bool,
    /// It took its place from those promised to a slot pool.
    promised: Option<Rc<Promise>>,
    /// Of the mappings that it uses, which look at the count of references: they may not end before it.
    _uses: Vec<Rc<()>>,
}

/// A queue pair, shared by its handle and the device's table.
pub(crate) struct Pair<P: Platform> {
    qpn: u32,
    index: u32,
    domain: Rc<Domain>,
    send_cq: Rc<CompletionRing<P>>,
    receive_cq: Rc<CompletionRing<P>>,
    privileged: bool,
    signal_all: bool,
    promises: Promises,
    /// READs and atomics that it may have in flight, as the device was told.
    max_rd: Cell<u8>,
    /// State as far as the driver knows: an error completion tells of ERR.
    state: Cell<State>,
    send: RefCell<WorkQueue<P, SendDetail<P>>>,
    receive: RefCell<WorkQueue<P, ()>>,
    /// Whether the queue pair has been drained since its last RESET; quarantined regions look at it (D13).
    drained: RefCell<Rc<Cell<bool>>>,
    /// Drain markers without a completion.
    markers: Cell<u32>,
    /// Requests retired by a drain marker that nobody has asked for yet.
    unclaimed: RefCell<Vec<Retired<P>>>,
    destroy_unanswered: Cell<bool>,
}

/// What an entry of a completion queue turns into.
pub(crate) enum Fetched<P: Platform> {
    /// A completion for the consumer.
    Completion(Box<Completion<P>>),
    /// The marker of a drain, which the consumer did not post.
    DrainMarker,
}

impl<P: Platform> Pair<P> {
    /// Retires what an entry of `ring` reports.
    pub(crate) fn complete(&self, ring: &Rc<CompletionRing<P>>, entry: Cqe) -> Result<Fetched<P>, Error> {
        let status = Status::from_u8(entry.status);
        let status = status.ok_or(Error::Protocol(Protocol::Status { status: entry.status }))?;
        let syndrome = Syndrome::from_u8(entry.syndrome);
        let syndrome = syndrome.ok_or(Error::Protocol(Protocol::Syndrome { syndrome: entry.syndrome }))?;
        let receive = entry.flags & cqe::FLAG_RECEIVE != 0;
        let own_ring = if receive { &self.receive_cq } else { &self.send_cq };
        if !Rc::ptr_eq(own_ring, ring) {
            return Err(Error::Protocol(Protocol::QueuePair { qpn: self.qpn }));
        }
        let completion = Completion::from_entry(entry, status, syndrome);
        let fetched = if receive { self.complete_receive(completion) } else { self.complete_send(completion) };
        if status != Status::Success {
            self.state.set(State::Err);
        }
        fetched
    }

    fn complete_receive(&self, mut completion: Completion<P>) -> Result<Fetched<P>, Error> {
        let slot = completion.entry.slot;
        let retired = self.receive.borrow_mut().retire(slot).map_err(|misfit| self.protocol_error(misfit, slot))?;
        completion.wr_id = retired.last().map_or(0, |request| request.wr_id);
        if !completion.is_success() {
            completion.opcode = Some(Opcode::Recv);
        }
        Ok(Fetched::Completion(Box::new(completion)))
    }

    fn complete_send(&self, mut completion: Completion<P>) -> Result<Fetched<P>, Error> {
        let slot = completion.entry.slot;
        let retired = self.send.borrow_mut().retire(slot).map_err(|misfit| self.protocol_error(misfit, slot))?;
        let count = retired.len();
        for (index, request) in retired.into_iter().enumerate() {
            // What has no completion of its own was successful: every error has one (D10).
            let own = index + 1 == count;
            if let Some(promise) = &request.detail.promised {
                promise.give_back();
            }
            let outcome = if own { self.outcome(completion.status) } else { Outcome::Done };
            if let Some((region, touch)) = &request.detail.touch {
                region.ended(*touch, &outcome);
            }
            if !own {
                completion.earlier.push(Retired { wr_id: request.wr_id, pages: request.detail.pages });
                continue;
            }
            completion.wr_id = request.wr_id;
            completion.pages = request.detail.pages;
            if !completion.is_success() {
                completion.opcode = Opcode::from_u8(request.detail.opcode);
            }
            if request.detail.marker {
                self.markers.set(self.markers.get() - 1);
                self.unclaimed.borrow_mut().append(&mut completion.earlier);
                return Ok(Fetched::DrainMarker);
            }
        }
        Ok(Fetched::Completion(Box::new(completion)))
    }

    fn outcome(&self, status: Status) -> Outcome {
        match status {
            Status::Success => Outcome::Done,
            // How far these got, nobody knows.
            Status::WrFlush | Status::Fatal | Status::General => Outcome::Unknown(self.drained.borrow().clone()),
            _ => Outcome::Failed,
        }
    }

    /// Send slots that an ordinary request may take.
    fn free_sends(&self) -> u64 {
        self.send.borrow().free().saturating_sub(self.promises.kept())
    }

    fn protocol_error(&self, misfit: Misfit, slot: u16) -> Error {
        Error::Protocol(match misfit {
            Misfit::Slot => Protocol::Slot { qpn: self.qpn, slot },
            Misfit::Skipped => Protocol::Skipped { qpn: self.qpn, slot },
        })
    }

    /// What a request leaves behind that is discarded with its queue pair.
    fn discard(&self, request: Posted<SendDetail<P>>, drained: &Rc<Cell<bool>>) -> Option<Retired<P>> {
        if let Some(promise) = &request.detail.promised {
            promise.give_back();
        }
        if let Some((region, touch)) = &request.detail.touch {
            region.ended(*touch, &Outcome::Unknown(drained.clone()));
        }
        (!request.detail.marker).then_some(Retired { wr_id: request.wr_id, pages: request.detail.pages })
    }
}

/// Queue pairs by index.
pub(crate) struct QueuePairTable<P: Platform> {
    pairs: Vec<Option<Rc<Pair<P>>>>,
    /// Generation of each index: the upper bits of its last queue pair number.
    generations: Vec<u32>,
}

impl<P: Platform> QueuePairTable<P> {
    pub(crate) fn new(count: u16) -> QueuePairTable<P> {
        QueuePairTable { pairs: (0..count).map(|_| None).collect(), generations: vec![0; count.into()] }
    }

    /// The queue pair with exactly this number.
    pub(crate) fn by_qpn(&self, qpn: u32) -> Option<Rc<Pair<P>>> {
        let pair = self.pairs.get(qpn as usize % self.pairs.len())?.as_ref()?;
        (pair.qpn == qpn).then(|| pair.clone())
    }

    /// A free index and its next number: another one than last time, and never 0 or 1 (T5).
    fn take(&mut self) -> Result<(u32, u32), Error> {
        let index = self.pairs.iter().position(Option::is_none).ok_or(Error::Exhausted(Resource::QueuePair))?;
        let count = self.pairs.len() as u32;
        let generations = limits::QPN_LIMIT / count;
        let generation = &mut self.generations[index];
        // Generation 0 is left out for all indices, which keeps 0 and 1 free.
        *generation = *generation % (generations - 1) + 1;
        Ok((index as u32, *generation * count + index as u32))
    }
}

/// A queue pair. Dropping the handle without [`destroy`](QueuePair::destroy) keeps it alive in the device.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default())?;
/// # let mr = device.alloc_fast_reg_mr(&pd, 8)?;
/// qp.activate()?; // enough for registrations; see `connect` for a peer
/// qp.post_send(SendRequest::local_inv(1, mr.key()))?;
/// assert_eq!(qp.send_credits(), qp.send_slots() - 1);
/// assert_eq!(cq.next(limit)?.qpn, qp.number());
/// qp.drain()?;
/// assert_eq!(qp.state(), QpState::Err);
/// qp.destroy()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct QueuePair<P: Platform> {
    device: Device<P>,
    pair: Rc<Pair<P>>,
}

impl<P: Platform> Device<P> {
    /// Creates a queue pair in state RESET. Its number is {generation, index} and never 0 or 1 (T5).
    ///
    /// # Errors
    /// - [`Invalid::OtherDevice`], [`Invalid::RingSize`] (EINVAL): an object of another device, or a ring of 0 or too many slots.
    /// - [`Resource::QueuePair`] (ENOMEM): all are in use.
    /// - [`DmaError::NoMemory`](crate::DmaError), [`DmaError::TooLong`](crate::DmaError) (ENOMEM): no memory for the rings, or none in
    ///   one piece.
    /// - [`Error::Admin`]: the device refused; everything is undone.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`],
    ///   [`Protocol::AdminErrno`] (EPROTO): no answer. The index stays taken, because the device may still create it, until
    ///   [`reclaim`](Device::reclaim) has ended that.
    pub fn create_qp(
        &self,
        pd: &ProtectionDomain<P>,
        send_cq: &CompletionQueue<P>,
        receive_cq: &CompletionQueue<P>,
        options: QpOptions,
    ) -> Result<QueuePair<P>, Error> {
        if !pd.belongs_to(self) || !send_cq.belongs_to(self) || !receive_cq.belongs_to(self) {
            return Err(Error::Invalid(Invalid::OtherDevice));
        }
        let send = self.work_queue(options.send_slots, self.capabilities().max_sq_log2)?;
        let receive = self.work_queue(options.receive_slots, self.capabilities().max_rq_log2)?;
        let (index, qpn) = self.tables().queue_pairs.take()?;
        let pair = Rc::new(Pair {
            qpn,
            index,
            domain: pd.domain.clone(),
            send_cq: send_cq.ring.clone(),
            receive_cq: receive_cq.ring.clone(),
            privileged: options.privileged,
            signal_all: options.signal_all,
            promises: Promises::default(),
            max_rd: Cell::new(0),
            state: Cell::new(State::Reset),
            send: RefCell::new(send),
            receive: RefCell::new(receive),
            drained: RefCell::default(),
            markers: Cell::new(0),
            unclaimed: RefCell::default(),
            destroy_unanswered: Cell::new(false),
        });
        self.tables().queue_pairs.pairs[index as usize] = Some(pair.clone());
        pair.domain.enter();
        let words = pair.create_words();
        if let Err(error) = self.command(Command::CreateQp, &words) {
            if error.changed_nothing() {
                self.forget_pair(&pair);
            } else {
                // If the device turns out not to know it, that is as good as destroyed.
                pair.destroy_unanswered.set(true);
                self.tables().unanswered.pairs.push(pair);
            }
            return Err(error);
        }
        Ok(QueuePair { device: self.clone(), pair })
    }

    fn work_queue<T>(&self, slots: u32, max_log2: u8) -> Result<WorkQueue<P, T>, Error> {
        let log2 = ring_log2(slots, limits::SQ_LOG2_MIN, max_log2)?;
        Ok(WorkQueue::new(self.platform().memory().allocate(wqe::BYTES << log2)?, log2))
    }

    /// Ends a queue pair whose creation was not answered.
    pub(crate) fn end_pair(&self, pair: &Rc<Pair<P>>) -> Result<(), Error> {
        let pair = QueuePair { device: self.clone(), pair: pair.clone() };
        pair.destroy().map(drop).map_err(|kept| kept.error)
    }

    fn forget_pair(&self, pair: &Pair<P>) {
        self.tables().queue_pairs.pairs[pair.index as usize] = None;
        pair.domain.leave();
    }
}

impl<P: Platform> Pair<P> {
    fn create_words(&self) -> [u32; 10] {
        let mut words = [0; 10];
        create_qp::QPN.put(&mut words, self.qpn.into());
        create_qp::PD.put(&mut words, self.domain.number.into());
        create_qp::SEND_CQN.put(&mut words, self.send_cq.number.into());
        create_qp::RECEIVE_CQN.put(&mut words, self.receive_cq.number.into());
        create_qp::SQ_LOG2.put(&mut words, self.send.borrow().log2().into());
        create_qp::RQ_LOG2.put(&mut words, self.receive.borrow().log2().into());
        create_qp::PRIVILEGED.put(&mut words, self.privileged.into());
        create_qp::SIG_ALL.put(&mut words, self.signal_all.into());
        create_qp::SQ_BASE.put(&mut words, self.send.borrow().bus_address());
        create_qp::RQ_BASE.put(&mut words, self.receive.borrow().bus_address());
        words
    }
}

impl<P: Platform> QueuePair<P> {
    /// Queue pair number.
    pub fn number(&self) -> u32 {
        self.pair.qpn
    }

    /// Index: which doorbells are its own (T5).
    pub fn index(&self) -> u32 {
        self.pair.index
    }

    /// State as far as the driver knows: after the last transition, or ERR after an error completion was polled.
    pub fn state(&self) -> State {
        self.pair.state.get()
    }

    /// Asks the device for state and progress.
    ///
    /// # Errors
    /// as [`Device::query_qp`].
    pub fn query(&self) -> Result<QpInfo, Error> {
        self.device.query_qp(self.pair.qpn)
    }

    /// Bus address of the send ring.
    pub fn send_ring_address(&self) -> u64 {
        self.pair.send.borrow().bus_address()
    }

    /// Bus address of the receive ring.
    pub fn receive_ring_address(&self) -> u64 {
        self.pair.receive.borrow().bus_address()
    }

    /// Slots of the send ring.
    pub fn send_slots(&self) -> u32 {
        1 << self.pair.send.borrow().log2()
    }

    /// Slots of the receive ring.
    pub fn receive_slots(&self) -> u32 {
        1 << self.pair.receive.borrow().log2()
    }

    /// Slots of the send ring that are free now. A slot becomes free when a completion retires it or a later one (D9). What is
    /// promised to a [`SlotPool`](crate::SlotPool) does not count.
    pub fn send_credits(&self) -> u32 {
        self.pair.free_sends() as u32
    }

    /// Promises `count` send slots to a pool, if at least two are left for the requests that use its mappings.
    pub(crate) fn promise(&self, count: u64) -> Result<Rc<Promise>, Error> {
        let all = count.checked_add(self.pair.promises.total()).ok_or(Error::Invalid(Invalid::SlotCount))?;
        if all + 2 > u64::from(self.send_slots()) {
            return Err(Error::Invalid(Invalid::SlotCount));
        }
        Ok(self.pair.promises.add(count))
    }

    /// Takes a promise back.
    pub(crate) fn end_promise(&self, promise: &Rc<Promise>) {
        self.pair.promises.end(promise);
    }

    /// May use the local DMA lkey (A26).
    pub fn is_privileged(&self) -> bool {
        self.pair.privileged
    }

    pub(crate) fn device(&self) -> &Device<P> {
        &self.device
    }

    /// Whether two handles name the same queue pair. Those of two devices may have the same number.
    pub(crate) fn is(&self, other: &QueuePair<P>) -> bool {
        Rc::ptr_eq(&self.pair, &other.pair)
    }

    /// Another handle of the same queue pair.
    pub(crate) fn share(&self) -> QueuePair<P> {
        QueuePair { device: self.device.clone(), pair: self.pair.clone() }
    }

    /// Slots of the receive ring that are free now.
    pub fn receive_credits(&self) -> u32 {
        self.pair.receive.borrow().free() as u32
    }

    /// To RESET, once nothing is outstanding (D16). Completions that have not been polled are discarded. Answers the
    /// requests whose completions are lost by that, with their page lists.
    ///
    /// # Errors
    /// - [`Busy::NotDrained`](crate::Busy::NotDrained) (EBUSY): requests are outstanding; drain first.
    /// - as [`reset_now`](QueuePair::reset_now).
    pub fn reset(&self) -> Result<Vec<Retired<P>>, Error> {
        let outstanding = self.pair.send.borrow().outstanding() + self.pair.receive.borrow().outstanding();
        if outstanding > 0 {
            return Err(Error::Busy(crate::error::Busy::NotDrained));
        }
        self.reset_now()
    }

    /// To RESET whatever is outstanding. Outstanding requests and completions that have not been polled are discarded; memory
    /// regions that such requests touch are quarantined until [`recover`](crate::MemoryRegion::recover) (D13).
    /// Answers the requests discarded, with their page lists: the device no longer reads them (T6).
    ///
    /// # Errors
    /// - [`Error::Admin`]: the device refused.
    /// - [`Error::Protocol`] (EPROTO): the device wrote a completion that cannot be.
    /// - [`Protocol::AdminErrno`](crate::Protocol) (EPROTO): it answered with an errno that no command has.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`]: the device does not
    ///   answer.
    pub fn reset_now(&self) -> Result<Vec<Retired<P>>, Error> {
        self.modify_command(State::Reset, &QpAttributes::default())?;
        self.discard()
    }

    /// Destroys it: after `Ok` the device does nothing for it any more (T6). Outstanding requests are discarded as by
    /// [`reset_now`](QueuePair::reset_now), and answered.
    ///
    /// # Errors
    /// The queue pair comes back with each of them.
    /// - [`Error::Admin`]: the device refused.
    /// - [`Error::Protocol`] (EPROTO): the device wrote a completion that cannot be.
    /// - [`Protocol::AdminErrno`](crate::Protocol) (EPROTO): it answered with an errno that no command has.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`]: the device does not
    ///   answer; the call may be repeated.
    pub fn destroy(self) -> Result<Vec<Retired<P>>, Kept<Self>> {
        let mut words = [0; 1];
        destroy_qp::QPN.put(&mut words, self.pair.qpn.into());
        if let Err(error) = self.device.destroy_command(Command::DestroyQp, &words, &self.pair.destroy_unanswered) {
            return Err(Kept { error, object: self });
        }
        // From here on a repeated call must not fail because the device knows the queue pair no more.
        self.pair.destroy_unanswered.set(true);
        match self.discard() {
            Ok(retired) => {
                self.device.forget_pair(&self.pair);
                // A slot pool may still hold on to it: nothing can be posted in RESET.
                self.pair.state.set(State::Reset);
                Ok(retired)
            }
            Err(error) => Err(Kept { error, object: self }),
        }
    }

    /// After RESET or destruction, which end all writes of completions: takes everything of this queue pair out of the rings.
    fn discard(&self) -> Result<Vec<Retired<P>>, Error> {
        let pair = &self.pair;
        pair.send_cq.gather(&self.device)?;
        pair.receive_cq.gather(&self.device)?;
        let mut retired = std::mem::take(&mut *pair.unclaimed.borrow_mut());
        for ring in [&pair.send_cq, &pair.receive_cq] {
            for completion in ring.withdraw(pair.qpn) {
                retired.extend(completion.earlier);
                retired.push(Retired { wr_id: completion.wr_id, pages: completion.pages });
            }
        }
        let drained = pair.drained.take();
        drained.set(true);
        let discarded = pair.send.borrow_mut().restart();
        retired.extend(discarded.into_iter().filter_map(|request| pair.discard(request, &drained)));
        let received = pair.receive.borrow_mut().restart();
        retired.extend(received.into_iter().map(|request| Retired { wr_id: request.wr_id, pages: None }));
        pair.markers.set(0);
        Ok(retired)
    }
}

impl<P: Platform> fmt::Debug for QueuePair<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QueuePair {{ {:#08x}, {}, {} send credits }}", self.number(), self.state(), self.send_credits())
    }
}
