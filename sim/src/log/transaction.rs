//! One line of the log.
use crate::host::{response_name, BarAnswer, BarRequest, Response};
use rnic_abi::cqe::Cqe;
use rnic_abi::opcode::Opcode;
use rnic_abi::register::REGISTERS;
use rnic_abi::status::Status;
use rnic_abi::syndrome::Syndrome;
use rnic_abi::{cqe, event};
use std::fmt;
use std::rc::Rc;

/// What a burst of `m_axi` is for, as far as the monitor knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing that the driver has lent.
    #[default]
    Unknown,
    /// WQEs of a send queue.
    SendWqes {
        /// Queue pair index.
        qp: u32,
        /// First slot.
        slot: u32,
        /// Slots.
        count: u32,
    },
    /// WQEs of a receive queue.
    ReceiveWqes {
        /// Queue pair index.
        qp: u32,
    },
    /// The page list of a REG_MR.
    PageList {
        /// Queue pair index.
        qp: u32,
        /// Slot of the REG_MR.
        slot: u32,
    },
    /// A completion.
    Completion {
        /// Completion queue.
        cqn: u32,
        /// Entry in the ring.
        index: u32,
    },
    /// An event.
    DeviceEvent {
        /// Entry in the ring.
        index: u32,
    },
    /// Memory of the application.
    Payload,
    /// Raw rings and their frames.
    Raw,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// An access to BAR0 and its answer.
    Bar(BarRequest, BarAnswer),
    /// The device asks for data.
    Read {
        /// AXI id.
        id: u8,
        /// First byte.
        address: u64,
        /// Beats.
        beats: u32,
        /// What for.
        meaning: Meaning,
    },
    /// The last beat of a read has arrived.
    ReadDone {
        /// AXI id.
        id: u8,
        /// First byte of the burst.
        address: u64,
        /// The worst response of its beats.
        response: Response,
    },
    /// A WQE has arrived.
    Wqe {
        /// Queue pair index.
        qp: u32,
        /// Slot.
        slot: u32,
        /// Opcode byte.
        opcode: u8,
        /// Key field.
        key: u32,
    },
    /// The device writes.
    Write {
        /// AXI id.
        id: u8,
        /// First byte.
        address: u64,
        /// Beats.
        beats: u32,
        /// What for.
        meaning: Meaning,
    },
    /// A write has its response.
    WriteDone {
        /// AXI id.
        id: u8,
        /// First byte.
        address: u64,
        /// The response.
        response: Response,
    },
    /// A completion is visible in memory.
    Completion {
        /// Completion queue.
        cqn: u32,
        /// The entry.
        entry: Cqe,
    },
    /// An event is visible in memory.
    DeviceEvent(event::Event),
    /// An interrupt request.
    Interrupt {
        /// Vector.
        vector: u8,
    },
    /// A remark of a test or scenario.
    Note(Rc<str>),
}

/// An event and when it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Transaction {
    /// Cycle of the handshake; of a BAR access its last.
    pub cycle: u64,
    /// What happened.
    pub event: Event,
}

/// Name of the register at a byte offset, with its index in an array.
#[must_use]
pub fn register_name(offset: u32) -> String {
    let within = |end: u32, start: u32| offset >= start && offset < end;
    REGISTERS.iter().find(|r| within(r.offset + r.count * r.stride, r.offset)).map_or("?".into(), |register| {
        match register.count {
            1 => register.name.into(),
            _ => format!("{}[{}]", register.name, (offset - register.offset) / register.stride),
        }
    })
}

impl fmt::Display for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>9}  {}", self.cycle, self.event)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bar(request, answer) => bar(f, request, answer),
            Self::Read { id, address, beats, meaning } => {
                write!(f, "read  id {id:<2} {address:013x}  {beats:>3} beats  {meaning}")
            }
            Self::ReadDone { id, address, response } => {
                write!(f, "data  id {id:<2} {address:013x}  {}", response_name(*response))
            }
            Self::Wqe { qp, slot, opcode, key } => {
                write!(f, "WQE   QP {qp} slot {slot}: {} key {key:08x}", name(Opcode::from_u8(*opcode), *opcode))
            }
            Self::Write { id, address, beats, meaning } => {
                write!(f, "write id {id:<2} {address:013x}  {beats:>3} beats  {meaning}")
            }
            Self::WriteDone { id, address, response } => {
                write!(f, "done  id {id:<2} {address:013x}  {}", response_name(*response))
            }
            Self::Completion { cqn, entry } => completion(f, *cqn, entry),
            Self::DeviceEvent(entry) => {
                let kind = u8::try_from(entry.kind).unwrap_or(0xFF);
                let kind = name(event::Kind::from_u8(kind), kind);
                write!(f, "event {kind} {} detail {:02x} phase {}", entry.number, entry.detail, entry.phase as u8)
            }
            Self::Interrupt { vector } => write!(f, "irq   vector {vector}"),
            Self::Note(text) => write!(f, "----  {text}"),
        }
    }
}

fn bar(f: &mut fmt::Formatter<'_>, request: &BarRequest, answer: &BarAnswer) -> fmt::Result {
    let response = response_name(answer.response);
    match request {
        BarRequest::Read { offset } => {
            let register = register_name((*offset).into());
            write!(f, "BAR   read  {offset:04x} {register} = {:08x}  {response}", answer.value)
        }
        BarRequest::Write { offset, value, strobes } => {
            let register = register_name((*offset).into());
            write!(f, "BAR   write {offset:04x} {register} = {value:08x}  {response}")?;
            match strobes {
                15 => Ok(()),
                strobes => write!(f, "  strobes {strobes:04b}"),
            }
        }
    }
}

fn completion(f: &mut fmt::Formatter<'_>, cqn: u32, entry: &Cqe) -> fmt::Result {
    let queue = if entry.flags & cqe::FLAG_RECEIVE != 0 { "receive slot" } else { "slot" };
    let opcode = name(Opcode::from_u8(entry.opcode), entry.opcode);
    let status = name(Status::from_u8(entry.status), entry.status);
    write!(f, "CQE   CQ {cqn} <- QP {:#x} {queue} {}: {opcode} {status}", entry.qpn, entry.slot)?;
    match entry.syndrome {
        0 => {}
        syndrome => write!(f, " {}", name(Syndrome::from_u8(syndrome), syndrome))?,
    }
    write!(f, "  phase {}", entry.phase as u8)
}

/// The code's name, or its number when it has none.
fn name(code: Option<impl fmt::Display>, number: u8) -> String {
    code.map_or_else(|| format!("{number:02x}?"), |code| code.to_string())
}

impl fmt::Display for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => write!(f, "not lent by the driver"),
            Self::SendWqes { qp, slot, count } => write!(f, "SQ of QP {qp}, slots {slot} to {}", slot + count - 1),
            Self::ReceiveWqes { qp } => write!(f, "RQ of QP {qp}"),
            Self::PageList { qp, slot } => write!(f, "page list of QP {qp} slot {slot}"),
            Self::Completion { cqn, index } => write!(f, "CQ {cqn} entry {index}"),
            Self::DeviceEvent { index } => write!(f, "event ring entry {index}"),
            Self::Payload => write!(f, "payload"),
            Self::Raw => write!(f, "raw"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rnic_abi::{opcode, register, status, syndrome};

    #[test]
    fn registers_have_names() {
        assert_eq!(register_name(register::GO), "GO");
        assert_eq!(register_name(register::sq_doorbell(3)), "SQ_DOORBELL[3]");
        assert_eq!(register_name(register::admin_command(2)), "ADMIN_COMMAND[2]");
        assert_eq!(register_name(0x7FFC), "?");
    }

    #[test]
    fn lines_name_what_they_know() {
        let request = BarRequest::Write { offset: register::GO as u16, value: 1, strobes: 1 };
        let answer = BarAnswer { value: 0, response: 2, cycles: 4 };
        let line = Transaction { cycle: 12, event: Event::Bar(request, answer) }.to_string();
        assert_eq!(line, "       12  BAR   write 02c0 GO = 00000001  SLVERR  strobes 0001");
        let meaning = Meaning::PageList { qp: 3, slot: 5 };
        let line = Event::Read { id: 2, address: 0x12_3456_7000, beats: 8, meaning }.to_string();
        assert_eq!(line, "read  id 2  0001234567000    8 beats  page list of QP 3 slot 5");
        let entry = Cqe { qpn: 0x12, opcode: opcode::REG_MR, slot: 7, phase: true, ..Cqe::default() };
        let line = Event::Completion { cqn: 1, entry }.to_string();
        assert_eq!(line, "CQE   CQ 1 <- QP 0x12 slot 7: REG_MR SUCCESS  phase 1");
        let (status, syndrome) = (status::MW_BIND, syndrome::PL_LEN);
        let line = Event::Completion { cqn: 1, entry: Cqe { status, syndrome, opcode: 0x33, ..entry } }.to_string();
        assert_eq!(line, "CQE   CQ 1 <- QP 0x12 slot 7: 33? MW_BIND PL_LEN  phase 1");
    }
}
