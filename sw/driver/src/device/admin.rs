//! Typed admin commands: queries and the probe. Commands that create or destroy objects are with those objects.

use std::cell::Cell;

use rnic_abi::admin::{probe, query_mr, query_qp, Command};
use rnic_abi::syndrome::Syndrome;
use rnic_abi::{mr, qp};

use super::mailbox::ANSWER_WORDS;
use super::Device;
use crate::access::Access;
use crate::errno::Errno;
use crate::error::{Error, Protocol, Wait};
use crate::platform::Platform;

/// What the device's table says of an MR.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let mr = device.alloc_fast_reg_mr(&pd, 8)?;
/// let info = mr.query()?;
/// assert_eq!((info.state, info.key, info.max_pages), (MrTableState::Free, mr.key(), 8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MrInfo {
    /// State.
    pub state: mr::State,
    /// Type code; 1 is MEM_REG.
    pub kind: u8,
    /// Access of the last registration; includes [`Access::REMOTE_INVALIDATE`] if remote invalidation is allowed.
    pub access: Access,
    /// log2 of the page size in bytes.
    pub page_shift: u8,
    /// Key that the hardware compares.
    pub key: u32,
    /// Protection domain number.
    pub pd: u32,
    /// Pages of the last registration.
    pub npages: u16,
    /// Most pages of a registration.
    pub max_pages: u16,
    /// First virtual address.
    pub iova: u64,
    /// Bytes.
    pub length: u64,
    /// Offset of the first byte in the first page.
    pub fbo: u32,
    /// First entry in the page buffer.
    pub page_base: u32,
    /// Counts registrations.
    pub generation: u32,
    /// Bus accesses in flight.
    pub in_flight: u32,
}

/// What the device says of a queue pair.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// qp.post_send(SendRequest::send(1, []))?;
/// cq.next(limit)?;
/// let info = qp.query()?;
/// assert_eq!((info.state, info.sq_retired), (QpState::Rts, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QpInfo {
    /// State, if it is one of the known codes.
    pub state: qp::State,
    /// In SQD: nothing is in progress any more.
    pub drained: bool,
    /// Next PSN of the send queue.
    pub hpsn: u32,
    /// Oldest unacknowledged PSN.
    pub una: u32,
    /// Expected PSN.
    pub epsn: u32,
    /// Message sequence number.
    pub msn: u32,
    /// Free-running count of SQ slots retired.
    pub sq_retired: u16,
    /// Free-running count of RQ slots used.
    pub rq_used: u16,
    /// Entries in flight.
    pub in_flight: u32,
}

/// One contiguous piece of the answer to a probe.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// // With the local DMA lkey an address is the address on the bus.
/// let lkey = device.capabilities().local_dma_lkey;
/// let piece = device.probe_once(qp.number(), lkey, 0x5000, 64, Access::LOCAL_WRITE, false)?;
/// assert_eq!(piece, Ok(ProbePiece { address: 0x5000, bytes: 64 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProbePiece {
    /// Bus address.
    pub address: u64,
    /// Bytes.
    pub bytes: u32,
}

/// The answer to a probe.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let mr = device.alloc_fast_reg_mr(&pd, 8)?;
/// // A region at 0x7000 on two pages that do not lie side by side.
/// let pages = Pages::Inline(vec![0xA000, 0x5000]);
/// qp.post_send(SendRequest::reg_mr(1, RegMr::new(&mr, Access::REMOTE_READ, 0x7000, 0x2000, pages)))?;
/// cq.next(limit)?;
/// let read = |va, length| device.probe(qp.number(), mr.rkey(), va, length, Access::REMOTE_READ, true);
/// let pieces = [(0xA800, 0x800), (0x5000, 0x400)].map(|(address, bytes)| ProbePiece { address, bytes });
/// assert_eq!(read(0x7800, 0xC00)?, Probe::Granted(pieces.to_vec()));
/// assert_eq!(read(0x8800, 0xC00)?, Probe::Refused(Syndrome::AccBounds));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Access is granted; it would touch these bytes, in this order.
    Granted(Vec<ProbePiece>),
    /// Access is refused.
    Refused(Syndrome),
}

impl<P: Platform> Device<P> {
    /// Runs an admin command as it is, for tools and tests, and gives all answer words. What it changes, the driver does not learn.
    ///
    /// # Errors
    /// - [`Error::Admin`]: the device refused it.
    /// - [`Protocol::AdminErrno`] (EPROTO): it answered with an errno that no command has.
    /// - [`Wait::AdminCommand`], [`Wait::MailboxFree`] (ETIMEDOUT): no answer.
    /// - [`Invalid::CommandLength`](crate::Invalid) (EINVAL): more words than a command has.
    pub fn admin_command(&self, opcode: u8, words: &[u32]) -> Result<[u32; ANSWER_WORDS], Error> {
        self.shared.mailbox.borrow_mut().run(self.platform(), opcode, words, ANSWER_WORDS)
    }

    /// Runs an admin command and reads the answer words that it has.
    pub(crate) fn command(&self, command: Command, words: &[u32]) -> Result<[u32; ANSWER_WORDS], Error> {
        let used = command.answer().iter().fold(0, |used, named| used | named.field.words());
        let answers = (u32::BITS - used.leading_zeros()) as usize;
        self.shared.mailbox.borrow_mut().run(self.platform(), command.code(), words, answers)
    }

    /// Runs a command that ends an object. `unanswered` remembers that an earlier try was given up: if the device knows the object
    /// no more, that try has ended it.
    pub(crate) fn destroy_command(
        &self,
        command: Command,
        words: &[u32],
        unanswered: &Cell<bool>,
    ) -> Result<(), Error> {
        match self.command(command, words) {
            Ok(_) => Ok(()),
            Err(Error::Admin { errno: Errno::Einval, .. }) if unanswered.get() => Ok(()),
            Err(error) => {
                if matches!(error, Error::Timeout(Wait::AdminCommand(_)) | Error::Bus(_)) {
                    unanswered.set(true);
                }
                Err(error)
            }
        }
    }

    /// Reads the table entry of an MR (QUERY_MR).
    ///
    /// # Errors
    /// - [`Error::Admin`] (EINVAL): the index is beyond the table.
    /// - [`Protocol::MrState`] (EPROTO): its state is none of the known ones.
    /// - [`Protocol::AdminErrno`](crate::Protocol) (EPROTO): it answered with an errno that no command has.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`]: the device does not
    ///   answer.
    pub fn query_mr(&self, index: u32) -> Result<MrInfo, Error> {
        let answer = self.command(Command::QueryMr, &[index])?;
        let state = query_mr::STATE.get(&answer) as u8;
        Ok(MrInfo {
            state: mr::State::from_u8(state).ok_or(Error::Protocol(Protocol::MrState { state }))?,
            kind: query_mr::TYPE.get(&answer) as u8,
            access: Access::from_bits(query_mr::ACCESS.get(&answer) as u8),
            page_shift: query_mr::PAGE_SHIFT.get(&answer) as u8,
            key: query_mr::KEY.get(&answer) as u32,
            pd: query_mr::PD.get(&answer) as u32,
            npages: query_mr::NPAGES.get(&answer) as u16,
            max_pages: query_mr::MAX_PAGES.get(&answer) as u16,
            iova: query_mr::IOVA.get(&answer),
            length: query_mr::LENGTH.get(&answer),
            fbo: query_mr::FBO.get(&answer) as u32,
            page_base: query_mr::PAGE_BASE.get(&answer) as u32,
            generation: query_mr::GENERATION.get(&answer) as u32,
            in_flight: query_mr::IN_FLIGHT.get(&answer) as u32,
        })
    }

    /// Reads the state of a queue pair (QUERY_QP).
    ///
    /// # Errors
    /// - [`Error::Admin`] (EINVAL): there is no such queue pair.
    /// - [`Protocol::QueuePairState`] (EPROTO): its state is none of the known ones.
    /// - [`Protocol::AdminErrno`](crate::Protocol) (EPROTO): it answered with an errno that no command has.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`]: the device does not
    ///   answer.
    pub fn query_qp(&self, qpn: u32) -> Result<QpInfo, Error> {
        let answer = self.command(Command::QueryQp, &[qpn])?;
        let state = query_qp::STATE.get(&answer) as u8;
        Ok(QpInfo {
            state: qp::State::from_u8(state).ok_or(Error::Protocol(Protocol::QueuePairState { state }))?,
            drained: query_qp::DRAINED.get(&answer) != 0,
            hpsn: query_qp::HPSN.get(&answer) as u32,
            una: query_qp::UNA.get(&answer) as u32,
            epsn: query_qp::EPSN.get(&answer) as u32,
            msn: query_qp::MSN.get(&answer) as u32,
            sq_retired: query_qp::SQ_RETIRED.get(&answer) as u16,
            rq_used: query_qp::RQ_USED.get(&answer) as u16,
            in_flight: query_qp::IN_FLIGHT.get(&answer) as u32,
        })
    }

    /// Asks the lookup pipeline once: what an access by queue pair `qpn` to `length` bytes at `va` would be answered, and the
    /// first contiguous piece. `needed` are the rights the access needs; `remote` says from which side it comes.
    ///
    /// # Errors
    /// - [`Error::Admin`] (EINVAL): there is no such queue pair.
    /// - [`Protocol::Syndrome`] (EPROTO): the answer is none of the known syndromes.
    /// - [`Protocol::AdminErrno`](crate::Protocol) (EPROTO): it answered with an errno that no command has.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`]: the device does not
    ///   answer.
    pub fn probe_once(
        &self,
        qpn: u32,
        key: u32,
        va: u64,
        length: u32,
        needed: Access,
        remote: bool,
    ) -> Result<Result<ProbePiece, Syndrome>, Error> {
        let mut words = [0; 6];
        probe::QPN.put(&mut words, qpn.into());
        probe::KEY.put(&mut words, key.into());
        probe::VA.put(&mut words, va);
        probe::LENGTH.put(&mut words, length.into());
        probe::ACCESS.put(&mut words, needed.bits().into());
        probe::REMOTE.put(&mut words, remote.into());
        let answer = self.command(Command::Probe, &words)?;
        let code = probe::SYNDROME.get(&answer) as u8;
        match Syndrome::from_u8(code) {
            Some(Syndrome::None) => {
                Ok(Ok(ProbePiece { bytes: probe::BYTES.get(&answer) as u32, address: probe::ADDRESS.get(&answer) }))
            }
            Some(syndrome) => Ok(Err(syndrome)),
            None => Err(Error::Protocol(Protocol::Syndrome { syndrome: code })),
        }
    }

    /// Asks the lookup pipeline for a whole access: [`probe_once`](Device::probe_once), repeated behind each piece.
    ///
    /// # Errors
    /// - [`Protocol::ProbePiece`] (EPROTO): a piece is empty or too long.
    /// - as [`probe_once`](Device::probe_once).
    pub fn probe(
        &self,
        qpn: u32,
        key: u32,
        va: u64,
        length: u32,
        needed: Access,
        remote: bool,
    ) -> Result<Probe, Error> {
        let mut pieces = Vec::new();
        let mut done = 0;
        loop {
            let asked = length - done;
            match self.probe_once(qpn, key, va.wrapping_add(u64::from(done)), asked, needed, remote)? {
                Err(syndrome) => return Ok(Probe::Refused(syndrome)),
                // E1: an access of no bytes is granted and touches nothing.
                Ok(ProbePiece { bytes: 0, .. }) if asked == 0 => return Ok(Probe::Granted(pieces)),
                Ok(piece) if piece.bytes == 0 || piece.bytes > asked => {
                    return Err(Error::Protocol(Protocol::ProbePiece { bytes: piece.bytes, asked }));
                }
                Ok(piece) => {
                    pieces.push(piece);
                    done += piece.bytes;
                    if done == length {
                        return Ok(Probe::Granted(pieces));
                    }
                }
            }
        }
    }
}
