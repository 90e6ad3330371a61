//! What the mock knows, and what its registers do.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use rnic_abi::preset::{Preset, TINY};
use rnic_abi::register as reg;
use rnic_driver::{BusError, DmaSgEntry};

use crate::admin::{Mr, Refusal};
use crate::queues::{Cq, Qp};

/// Everything the mock knows. All of it may be looked at and changed by [`Mock::with`](crate::Mock::with).
///
/// ```
/// use rnic_driver::{Error, TimeLimits, Wait};
///
/// let rnic_mock::Rig { mock, device, .. } = rnic_mock::connected();
/// mock.with(|state| state.never_answers = true);
/// assert_eq!(device.query_mr(1), Err(Error::Timeout(Wait::AdminCommand(3))));
/// assert!(mock.with(|state| state.now) > TimeLimits::default().admin);
/// ```
#[derive(Debug)]
pub struct State {
    /// Sizes of the device.
    pub preset: &'static Preset,
    /// Time of the clock.
    pub now: Duration,
    /// Registers that only hold a value.
    pub registers: BTreeMap<u32, u32>,
    /// Every register write, in order.
    pub writes: Vec<(u32, u32)>,
    /// Memory that the driver has allocated and not dropped.
    pub memory: BTreeMap<u64, Rc<RefCell<Vec<u8>>>>,
    /// Bus address of the next allocation.
    pub next_address: u64,
    /// Lists that the driver has mapped and not unmapped.
    pub mapped: Vec<Vec<DmaSgEntry>>,
    /// Memory cannot be mapped any more after this many.
    pub maps_left: usize,
    /// So many unmappings fail before one succeeds.
    pub unmaps_refused: usize,
    /// Buffers that cannot be had any more after this many.
    pub allocations_left: usize,
    /// Interrupt vectors that have fired and that nobody has waited for.
    pub fired: BTreeSet<u8>,
    /// Memory regions by index.
    pub mrs: BTreeMap<u32, Mr>,
    /// Completion queues by number.
    pub cqs: BTreeMap<u32, Cq>,
    /// Queue pairs by index.
    pub qps: BTreeMap<u32, Qp>,
    /// Answers of PROBE, in order: syndrome, bytes, address. Without any, the table of regions answers.
    pub probes: VecDeque<(u32, u32, u64)>,
    /// Words of every PROBE.
    pub probe_questions: Vec<Vec<u32>>,
    /// A command waits for the next pause.
    pub admin_pending: bool,
    /// The register STATUS.
    pub status: u32,
    /// Commands that are not executed, in order.
    pub refusals: VecDeque<Refusal>,
    /// States that the next MODIFY_QP to them is refused.
    pub refused_states: Vec<u32>,
    /// Free-running count of events written.
    pub events_produced: u32,
    /// Raw receive descriptors used, and raw send descriptors executed.
    pub raw_done: [u32; 2],
    /// Raw frames sent: bytes and flags of their descriptors.
    pub raw_sent: Vec<(Vec<u8>, u32)>,
    /// What raw send descriptors are answered with.
    pub raw_flags: u32,
    /// Bus accesses of the device to memory that nobody has lent it.
    pub stray_accesses: Vec<u64>,
    /// Value of the register MAGIC.
    pub magic: u32,
    /// Value of the register VERSION.
    pub version: u32,
    /// Value of the register CAPS.
    pub caps: u32,
    /// Registers that hold something else than they should.
    pub wrong: BTreeMap<u32, u32>,
    /// A reset does not end.
    pub never_ready: bool,
    /// Admin commands get no answer.
    pub never_answers: bool,
    /// Nothing posted is executed.
    pub held: bool,
    /// Receive requests are not flushed.
    pub receives_held: bool,
    /// An answer was lost, so the driver may ring for objects that are gone: such a doorbell is dropped.
    pub answers_lost: bool,
    /// What the next reads of ADMIN_STATUS give instead of the truth.
    pub stale_answers: VecDeque<u32>,
    /// Writes to this offset fail.
    pub broken: Option<u32>,
}

impl State {
    pub(crate) fn new() -> State {
        State {
            preset: &TINY,
            now: Duration::ZERO,
            registers: BTreeMap::new(),
            writes: Vec::new(),
            memory: BTreeMap::new(),
            next_address: 0x1_0000,
            mapped: Vec::new(),
            maps_left: usize::MAX,
            unmaps_refused: 0,
            allocations_left: usize::MAX,
            fired: BTreeSet::new(),
            mrs: BTreeMap::new(),
            cqs: BTreeMap::new(),
            qps: BTreeMap::new(),
            probes: VecDeque::new(),
            probe_questions: Vec::new(),
            admin_pending: false,
            status: 0,
            refusals: VecDeque::new(),
            refused_states: Vec::new(),
            events_produced: 0,
            raw_done: [0; 2],
            raw_sent: Vec::new(),
            raw_flags: 0,
            stray_accesses: Vec::new(),
            magic: reg::MAGIC_VALUE,
            version: reg::VERSION_VALUE,
            caps: rnic_abi::caps::OFFERED,
            wrong: BTreeMap::new(),
            never_ready: false,
            never_answers: false,
            held: false,
            receives_held: false,
            answers_lost: false,
            stale_answers: VecDeque::new(),
            broken: None,
        }
    }

    /// The device reads memory: zeros, and a note, where it has no right to.
    pub fn load(&mut self, address: u64, length: usize) -> Vec<u8> {
        match self.place(address, length) {
            Some((memory, offset)) => memory.borrow()[offset..offset + length].to_vec(),
            None => {
                self.stray_accesses.push(address);
                vec![0; length]
            }
        }
    }

    /// The device writes memory.
    pub fn store(&mut self, address: u64, bytes: &[u8]) {
        match self.place(address, bytes.len()) {
            Some((memory, offset)) => memory.borrow_mut()[offset..offset + bytes.len()].copy_from_slice(bytes),
            None => self.stray_accesses.push(address),
        }
    }

    fn place(&self, address: u64, length: usize) -> Option<(Rc<RefCell<Vec<u8>>>, usize)> {
        let (base, memory) = self.memory.range(..=address).next_back()?;
        let offset = (address - base) as usize;
        let fits = offset + length <= memory.borrow().len();
        fits.then(|| (memory.clone(), offset))
    }

    pub(crate) fn read(&mut self, offset: u32) -> Result<u32, BusError> {
        self.now += Duration::from_nanos(100);
        Ok(match offset {
            _ if self.wrong.contains_key(&offset) => self.wrong[&offset],
            reg::MAGIC => self.magic,
            reg::VERSION => self.version,
            reg::CAPS => self.caps,
            reg::LOCAL_DMA_LKEY => rnic_abi::limits::LOCAL_DMA_LKEY,
            reg::PAGE_SIZE_CAP_LOW => rnic_abi::limits::PAGE_SIZE_CAP as u32,
            reg::PAGE_SIZE_CAP_HIGH => 0,
            reg::RING_LOG2 => 0x0C10_0F0F,
            reg::STATUS => self.status,
            reg::ADMIN_STATUS if !self.stale_answers.is_empty() => self.stale_answers.pop_front().unwrap(),
            _ => match reg::build_value(offset, self.preset, 50_000) {
                Some(value) => value,
                None if offset >= reg::BRIDGE => return Err(BusError::Decode { offset }),
                None => self.registers.get(&offset).copied().unwrap_or(0),
            },
        })
    }

    pub(crate) fn write(&mut self, offset: u32, value: u32) -> Result<(), BusError> {
        self.now += Duration::from_nanos(100);
        match offset {
            reg::CONTROL if reg::CONTROL_RESET.is_set(value) => self.reset(),
            reg::STATUS => self.status &= !(value & reg::STATUS_EVENT_OVERFLOW.mask()),
            reg::GO => {
                self.registers.insert(reg::GO, value);
                self.registers.insert(reg::ADMIN_STATUS, reg::ADMIN_STATUS_BUSY.mask());
                self.admin_pending = true;
            }
            reg::SYNDROME_COUNTER..=0x13FF => drop(self.registers.insert(offset, 0)),
            reg::SQ_DOORBELL..=0x2FFF => self.sq_doorbell((offset - reg::SQ_DOORBELL) / 4, value),
            reg::RQ_DOORBELL..=0x3FFF => self.rq_doorbell((offset - reg::RQ_DOORBELL) / 4, value),
            reg::CQ_DOORBELL..=0x4FFF => self.cq_doorbell((offset - reg::CQ_DOORBELL) / 4, value),
            _ if offset < reg::WRITABLE => return Err(BusError::Refused { offset }),
            _ if offset >= reg::BRIDGE => return Err(BusError::Decode { offset }),
            _ => drop(self.registers.insert(offset, value)),
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.registers.clear();
        (self.mrs, self.cqs, self.qps) = Default::default();
        self.admin_pending = false;
        self.status = if self.never_ready { 0 } else { reg::STATUS_READY.mask() };
    }

    /// One pause: at most one admin command, and everything that is posted.
    pub(crate) fn step(&mut self) {
        if self.admin_pending && !self.never_answers {
            self.run_admin();
        }
        if !self.held {
            self.run_queues();
            self.run_raw_send();
        }
    }

    /// Writes an event.
    pub fn raise_event(&mut self, kind: u32, number: u32, detail: u32) {
        let log2 = self.registers[&reg::EVENT_LOG2];
        let base =
            u64::from(self.registers[&reg::EVENT_BASE_LOW]) | u64::from(self.registers[&reg::EVENT_BASE_HIGH]) << 32;
        let phase = if self.events_produced >> log2 & 1 == 0 { 1u32 << 31 } else { 0 };
        let slot = self.events_produced & ((1 << log2) - 1);
        let bytes: Vec<u8> = [kind, number, detail, phase].into_iter().flat_map(u32::to_le_bytes).collect();
        self.store(base + 16 * u64::from(slot), &bytes);
        self.events_produced += 1;
    }
}
