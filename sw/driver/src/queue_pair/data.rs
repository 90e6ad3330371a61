//! Data transfers: SEND, WRITE, READ and atomics. Posting them needs the capability RC.

use rnic_abi::opcode::Opcode;
use rnic_abi::wqe::{self, Sge};

/// Memory of the peer.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let remote = Remote { address: 0x7000, rkey: 0x155 }; // as the peer has told
/// qp.post_send(SendRequest::write(1, [], remote))?;
/// assert!(cq.next(limit)?.is_success());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remote {
    /// Virtual address in the peer's region.
    pub address: u64,
    /// The peer's key.
    pub rkey: u32,
}

/// What a SEND carries besides its payload.
///
/// ```
/// # use rnic_driver::*;
/// let data = Data::Send { sges: vec![], extra: SendExtra::Invalidate(0x155) };
/// assert_eq!(data.opcode(), Opcode::SendInv);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendExtra {
    /// Nothing.
    None,
    /// Immediate data, as the four bytes of the wire read little-endian.
    Immediate(u32),
    /// A key of the peer to invalidate.
    Invalidate(u32),
}

/// A data transfer.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let sge = Sge { address: 0x7000, length: 8, lkey: 0x155 };
/// let data = Data::FetchAdd { sge, remote: Remote { address: 0x9000, rkey: 0x266 }, add: 1 };
/// assert_eq!((data.opcode(), data.bytes()), (Opcode::FetchAdd, 8));
/// qp.post_send(SendRequest::data(1, data))?;
/// assert!(cq.next(limit)?.is_success());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// Sends a message.
    Send {
        /// The payload.
        sges: Vec<Sge>,
        /// What comes with it.
        extra: SendExtra,
    },
    /// Writes the peer's memory.
    Write {
        /// The payload.
        sges: Vec<Sge>,
        /// Where it goes.
        remote: Remote,
        /// Immediate data, which takes a receive request of the peer.
        immediate: Option<u32>,
    },
    /// Reads the peer's memory.
    Read {
        /// Where the data goes.
        sges: Vec<Sge>,
        /// Where it comes from.
        remote: Remote,
        /// Invalidates the region of the one SGE afterwards (C20).
        invalidate: bool,
    },
    /// Swaps 8 bytes if they equal `compare`.
    CompareSwap {
        /// Where the old value goes.
        sge: Sge,
        /// The 8 bytes.
        remote: Remote,
        /// Expected value.
        compare: u64,
        /// New value.
        swap: u64,
    },
    /// Adds to 8 bytes.
    FetchAdd {
        /// Where the old value goes.
        sge: Sge,
        /// The 8 bytes.
        remote: Remote,
        /// What to add.
        add: u64,
    },
}

impl Data {
    /// The opcode of the WQE.
    pub fn opcode(&self) -> Opcode {
        match self {
            Data::Send { extra: SendExtra::None, .. } => Opcode::Send,
            Data::Send { extra: SendExtra::Immediate(_), .. } => Opcode::SendImm,
            Data::Send { extra: SendExtra::Invalidate(_), .. } => Opcode::SendInv,
            Data::Write { immediate: None, .. } => Opcode::Write,
            Data::Write { immediate: Some(_), .. } => Opcode::WriteImm,
            Data::Read { invalidate: false, .. } => Opcode::Read,
            Data::Read { invalidate: true, .. } => Opcode::ReadInv,
            Data::CompareSwap { .. } => Opcode::CmpSwap,
            Data::FetchAdd { .. } => Opcode::FetchAdd,
        }
    }

    /// The local memory.
    pub fn sges(&self) -> &[Sge] {
        match self {
            Data::Send { sges, .. } | Data::Write { sges, .. } | Data::Read { sges, .. } => sges,
            Data::CompareSwap { sge, .. } | Data::FetchAdd { sge, .. } => std::slice::from_ref(sge),
        }
    }

    /// Bytes of the message.
    pub fn bytes(&self) -> u64 {
        self.sges().iter().map(|sge| u64::from(sge.length)).sum()
    }

    fn remote(&self) -> Remote {
        match self {
            Data::Send { .. } => Remote::default(),
            Data::Write { remote, .. }
            | Data::Read { remote, .. }
            | Data::CompareSwap { remote, .. }
            | Data::FetchAdd { remote, .. } => *remote,
        }
    }

    /// Immediate data or key to invalidate.
    fn word(&self) -> u32 {
        match self {
            Data::Send { extra: SendExtra::Immediate(word) | SendExtra::Invalidate(word), .. } => *word,
            Data::Write { immediate, .. } => immediate.unwrap_or(0),
            Data::Read { sges, invalidate: true, .. } => sges.first().map_or(0, |sge| sge.lkey),
            _ => 0,
        }
    }

    pub(super) fn encode(&self, flags: u8) -> wqe::Data {
        let mut sges = [Sge::default(); 4];
        for (place, sge) in sges.iter_mut().zip(self.sges()) {
            *place = *sge;
        }
        let (swap_add, compare) = match self {
            Data::CompareSwap { compare, swap, .. } => (*swap, *compare),
            Data::FetchAdd { add, .. } => (*add, 0),
            _ => (0, 0),
        };
        wqe::Data {
            opcode: self.opcode().code(),
            flags,
            num_sge: self.sges().len().min(sges.len()) as u8,
            imm: self.word(),
            remote_address: self.remote().address,
            rkey: self.remote().rkey,
            swap_add,
            compare,
            sges,
        }
    }
}
