//! Completions: what the driver makes of the entries of a completion queue.

use std::fmt;

use rnic_abi::cqe::{self, Cqe};
use rnic_abi::opcode::Opcode;
use rnic_abi::status::Status;
use rnic_abi::syndrome::Syndrome;

use crate::page_list::Pages;
use crate::platform::Platform;

/// A request that ended without a completion of its own: unsignaled and successful (D9, D10), or discarded.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// qp.post_send_list([SendRequest::send(1, []).unsignaled(), SendRequest::send(2, [])])?;
/// let completion = cq.next(limit)?;
/// let earlier: Vec<u64> = completion.earlier.iter().map(|retired| retired.wr_id).collect();
/// assert_eq!((completion.wr_id, earlier), (2, vec![1]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Retired<P: Platform> {
    /// The consumer's number of the request.
    pub wr_id: u64,
    /// The pages that the request had, back from the device (A23).
    pub pages: Option<Pages<P>>,
}

/// One completion.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// qp.post_receive(&ReceiveRequest::new(1, []))?;
/// // The peer sends a message with immediate data.
/// # mock.with(|state| state.receive_send(qp.number(), &[], SendExtra::Immediate(0x55)));
/// let completion = cq.next(limit)?;
/// assert!(completion.is_success() && completion.receive);
/// assert_eq!((completion.wr_id, completion.opcode, completion.immediate), (1, Some(Opcode::Recv), Some(0x55)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Completion<P: Platform> {
    /// The consumer's number of the request.
    pub wr_id: u64,
    /// Queue pair number.
    pub qpn: u32,
    /// It is of a receive request.
    pub receive: bool,
    /// What was done; `None` for a raw request with an unknown opcode. Of an error, what the request asked for (D14).
    pub opcode: Option<Opcode>,
    /// How it ended.
    pub status: Status,
    /// Which rule an error broke.
    pub syndrome: Syndrome,
    /// Bytes received or read; 0 for an error.
    pub byte_len: u32,
    /// Immediate data, as the four bytes of the wire read little-endian.
    pub immediate: Option<u32>,
    /// The key that the peer invalidated.
    pub invalidated_key: Option<u32>,
    /// The key that the peer invalidated is that of no registration in force or posted (C18). It may be one that both sides have
    /// taken away; if that cannot be, the peer is wrong, and the connection should be given up. The driver has marked nothing.
    pub unknown_key: bool,
    /// The peer asked for a solicited event.
    pub solicited: bool,
    /// The pages that the request had, back from the device (A23).
    pub pages: Option<Pages<P>>,
    /// Earlier requests of the same send queue that this completion retires: unsignaled, and successful (D9).
    pub earlier: Vec<Retired<P>>,
    /// The entry as the device wrote it, for tools.
    pub entry: Cqe,
}

impl<P: Platform> Completion<P> {
    /// A completion without its request: fields that do not count in an error entry are left out (D14).
    pub(crate) fn from_entry(entry: Cqe, status: Status, syndrome: Syndrome) -> Completion<P> {
        let flag = |bit| status == Status::Success && entry.flags & bit != 0;
        Completion {
            wr_id: 0,
            qpn: entry.qpn,
            receive: entry.flags & cqe::FLAG_RECEIVE != 0,
            opcode: Opcode::from_u8(entry.opcode),
            status,
            syndrome,
            byte_len: if status == Status::Success { entry.byte_len } else { 0 },
            immediate: flag(cqe::FLAG_IMM).then_some(entry.imm),
            invalidated_key: flag(cqe::FLAG_INV).then_some(entry.imm),
            unknown_key: false,
            solicited: flag(cqe::FLAG_SOLICITED),
            pages: None,
            earlier: Vec::new(),
            entry,
        }
    }

    /// Whether the request succeeded.
    pub fn is_success(&self) -> bool {
        self.status == Status::Success
    }
}

impl<P: Platform> fmt::Debug for Retired<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retired").field("wr_id", &self.wr_id).field("pages", &self.pages).finish()
    }
}

impl<P: Platform> fmt::Debug for Completion<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completion")
            .field("wr_id", &self.wr_id)
            .field("qpn", &self.qpn)
            .field("opcode", &self.opcode)
            .field("status", &self.status)
            .field("syndrome", &self.syndrome)
            .field("byte_len", &self.byte_len)
            .field("pages", &self.pages)
            .field("earlier", &self.earlier)
            .finish_non_exhaustive()
    }
}
