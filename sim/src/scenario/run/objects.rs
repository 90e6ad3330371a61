//! The objects of a scenario by their names.

use super::super::file::{CqTable, MemoryTable, QpTable, Scenario};
use super::super::machine::Machine;
use super::super::value::{Place, Word};
use super::{Nic, Unmet};
use crate::host::{HostMemory, Permission, Region};
use rnic_abi::qp::State;
use rnic_driver::{
    CompletionQueue, ConnectOptions, Device, Endpoint, Error, MemoryRegion, PageList, ProtectionDomain, QpAttributes,
    QpOptions, QueuePair,
};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Memory of the application.
pub(super) struct Memory {
    region: Rc<Region>,
    page_size: u64,
    /// Bus address of each page.
    pages: Vec<u64>,
    /// All pages are one piece of the bus map.
    contiguous: bool,
}

/// A queue pair, and where its completions go.
pub(super) struct Pair<M: Machine> {
    pub qp: QueuePair<M>,
    pub send_cq: String,
    pub receive_cq: String,
}

/// Everything that has a name.
pub(super) struct Objects<M: Machine> {
    pub memories: BTreeMap<String, Memory>,
    pub lists: BTreeMap<String, Arc<PageList<M>>>,
    pub pds: BTreeMap<String, ProtectionDomain<M>>,
    pub cqs: BTreeMap<String, CompletionQueue<M>>,
    pub qps: BTreeMap<String, Pair<M>>,
    pub mrs: BTreeMap<String, MemoryRegion<M>>,
    /// What the two sides of connected queue pairs know, by the name of our side.
    pub connections: BTreeMap<String, Connection>,
    /// Names of the NICs.
    nics: Vec<String>,
    /// Number of the NIC that each object is on.
    places: BTreeMap<String, usize>,
    /// Host memory of each NIC.
    hosts: Vec<HostMemory>,
}

/// A connected queue pair as frames show it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connection {
    pub own: Endpoint,
    pub peer: Endpoint,
    pub options: ConnectOptions,
}

fn gone(what: &str, name: &str) -> Unmet {
    Unmet::new(format!("{what} `{name}` that exists"), "it does not exist at this moment")
}

impl<M: Machine> Objects<M> {
    /// Creates what the file declares.
    pub fn create(scenario: &Scenario, nics: &[Nic<M>]) -> Result<Self, Unmet> {
        let mut objects = Self {
            memories: BTreeMap::new(),
            lists: BTreeMap::new(),
            pds: BTreeMap::new(),
            cqs: BTreeMap::new(),
            qps: BTreeMap::new(),
            mrs: BTreeMap::new(),
            connections: BTreeMap::new(),
            nics: nics.iter().map(|nic| nic.name.clone()).collect(),
            places: BTreeMap::new(),
            hosts: nics.iter().map(|nic| nic.machine.memory().host().clone()).collect(),
        };
        let failed = |what: &str, name: &str, found: String| Unmet::new(format!("{what} `{name}`"), found);
        for (name, table) in &scenario.memory {
            objects.place_on(name, table.nic.as_ref());
            let host = &objects.hosts[objects.nic_of(name)];
            let memory = Memory::new(table, host).map_err(|text| failed("memory", name, text))?;
            objects.memories.insert(name.clone(), memory);
        }
        let wrong = |what: &'static str, name: &str| {
            let name = name.to_string();
            move |error: Error| failed(what, &name, error.to_string())
        };
        for (name, table) in &scenario.pd {
            objects.place_on(name, table.nic.as_ref());
            let device = &nics[objects.nic_of(name)].device;
            objects.pds.insert(name.clone(), device.alloc_pd().map_err(wrong("protection domain", name))?);
        }
        for (name, table) in &scenario.cq {
            objects.place_on(name, table.nic.as_ref());
            let device = &nics[objects.nic_of(name)].device;
            let queue = create_cq(device, table).map_err(wrong("completion queue", name))?;
            objects.cqs.insert(name.clone(), queue);
        }
        for (name, table) in &scenario.qp {
            objects.place_with(name, &table.pd);
            let device = &nics[objects.nic_of(name)].device;
            let pair = objects.create_qp(device, table).map_err(wrong("queue pair", name))?;
            bring_to(&pair.qp, table.state.0).map_err(wrong("queue pair", name))?;
            objects.qps.insert(name.clone(), pair);
        }
        for (name, table) in &scenario.mr {
            objects.place_with(name, &table.pd);
            let device = &nics[objects.nic_of(name)].device;
            let region = device.alloc_fast_reg_mr(&objects.pds[&table.pd], table.max_pages);
            objects.mrs.insert(name.clone(), region.map_err(wrong("memory region", name))?);
        }
        for (name, table) in &scenario.list {
            objects.place_on(name, table.nic.as_ref());
            let device = &nics[objects.nic_of(name)].device;
            let mut list = device.alloc_page_list(table.entries.len()).map_err(wrong("page list", name))?;
            for (index, entry) in table.entries.iter().enumerate() {
                list.set(index, objects.resolve(entry)?).map_err(wrong("page list", name))?;
            }
            objects.lists.insert(name.clone(), Arc::new(list));
        }
        Ok(objects)
    }

    /// A new object is on the NIC with this name, or on the first.
    pub fn place_on(&mut self, object: &str, nic: Option<&String>) {
        let index = nic.and_then(|nic| self.nics.iter().position(|name| name == nic)).unwrap_or(0);
        self.places.insert(object.to_string(), index);
    }

    /// A new object is where another one is.
    pub fn place_with(&mut self, object: &str, other: &str) {
        self.places.insert(object.to_string(), self.nic_of(other));
    }

    /// Number of the NIC that an object is on.
    pub fn nic_of(&self, object: &str) -> usize {
        self.places.get(object).copied().unwrap_or(0)
    }

    /// Number of the NIC whose host a place is in; the first for an absolute address.
    pub fn nic_of_place(&self, place: &Place) -> usize {
        let Some(name) = &place.name else { return 0 };
        match name.rsplit_once('.') {
            Some((qp, "send" | "receive")) => self.nic_of(qp),
            _ => self.nic_of(name),
        }
    }

    /// A queue pair in RESET.
    pub fn create_qp(&self, device: &Device<M>, table: &QpTable) -> Result<Pair<M>, Error> {
        let options = QpOptions {
            send_slots: table.send_slots,
            receive_slots: table.receive_slots,
            privileged: table.privileged,
            signal_all: table.signal_all,
        };
        let (send_cq, receive_cq) = table.queues().expect("checked with the file");
        let qp = device.create_qp(&self.pds[&table.pd], &self.cqs[send_cq], &self.cqs[receive_cq], options)?;
        Ok(Pair { qp, send_cq: send_cq.to_string(), receive_cq: receive_cq.to_string() })
    }

    pub fn qp(&self, name: &str) -> Result<&QueuePair<M>, Unmet> {
        self.pair(name).map(|pair| &pair.qp)
    }

    pub fn pair(&self, name: &str) -> Result<&Pair<M>, Unmet> {
        self.qps.get(name).ok_or_else(|| gone("a queue pair", name))
    }

    pub fn mr(&self, name: &str) -> Result<&MemoryRegion<M>, Unmet> {
        self.mrs.get(name).ok_or_else(|| gone("a memory region", name))
    }

    pub fn cq(&self, name: &str) -> Result<&CompletionQueue<M>, Unmet> {
        self.cqs.get(name).ok_or_else(|| gone("a completion queue", name))
    }

    pub fn pd(&self, name: &str) -> Result<&ProtectionDomain<M>, Unmet> {
        self.pds.get(name).ok_or_else(|| gone("a protection domain", name))
    }

    /// Bus address of a place.
    pub fn resolve(&self, place: &Place) -> Result<u64, Unmet> {
        let Some(name) = &place.name else { return Ok(place.offset) };
        if let Some(memory) = self.memories.get(name) {
            return Ok(memory.address(place));
        }
        if let Some(list) = self.lists.get(name) {
            return Ok(list.bus_address().wrapping_add(place.offset));
        }
        match name.rsplit_once('.') {
            Some((qp, "send")) => Ok(self.qp(qp)?.send_ring_address().wrapping_add(place.offset)),
            Some((qp, "receive")) => Ok(self.qp(qp)?.receive_ring_address().wrapping_add(place.offset)),
            _ => Err(gone("memory", name)),
        }
    }

    /// Bus addresses that a place stands for where a whole memory or page is meant.
    pub fn ranges(&self, place: &Place) -> Result<Vec<Range<u64>>, Unmet> {
        let memory = place.name.as_ref().and_then(|name| self.memories.get(name));
        match memory {
            Some(memory) if place.page.is_none() && place.offset == 0 => {
                Ok(memory.pages.iter().map(|page| *page..page + memory.page_size).collect())
            }
            Some(memory) => {
                let start = memory.address(place);
                Ok(vec![start..(start | (memory.page_size - 1)) + 1])
            }
            None => {
                let start = self.resolve(place)?;
                let list = place.name.as_ref().and_then(|name| self.lists.get(name));
                Ok(vec![start..start + list.map_or(4096, |list| 8 * list.len() as u64)])
            }
        }
    }

    /// Reads or writes bytes where a place is, over the ends of pages. False when nothing is there.
    pub fn bytes(&self, place: &Place, bytes: &mut [u8], write: bool) -> Result<bool, Unmet> {
        let memory = place.name.as_ref().and_then(|name| self.memories.get(name));
        if let Some(memory) = memory {
            let offset = place.page.unwrap_or(0).saturating_mul(memory.page_size).saturating_add(place.offset);
            let fits = offset.saturating_add(bytes.len() as u64) <= memory.pages.len() as u64 * memory.page_size;
            if fits && write {
                memory.region.write(offset, bytes);
            } else if fits {
                memory.region.read(offset, bytes);
            }
            return Ok(fits);
        }
        let address = self.resolve(place)?;
        let host = &self.hosts[self.nic_of_place(place)];
        Ok(if write { host.write(address, bytes) } else { host.read(address, bytes) })
    }

    /// Takes a page, or the whole of a memory, away from the device.
    pub fn unmap(&self, name: &str, page: Option<u32>) -> bool {
        let Some(memory) = self.memories.get(name) else { return false };
        let host = &self.hosts[self.nic_of(name)];
        let pages: Vec<u64> = match page {
            None if memory.contiguous => vec![memory.pages[0]],
            None => memory.pages.clone(),
            Some(page) => memory.pages.get(page as usize).copied().into_iter().collect(),
        };
        !pages.is_empty() && pages.into_iter().all(|page| host.unmap(page))
    }

    /// Value of a command word.
    pub fn word(&self, word: &Word) -> Result<u32, Unmet> {
        Ok(match word {
            Word::Value(value) => *value,
            Word::Low(place) => self.resolve(place)? as u32,
            Word::High(place) => (self.resolve(place)? >> 32) as u32,
            Word::Property(name, "key") => self.mr(name)?.key(),
            Word::Property(name, "index") => self.mr(name)?.index(),
            Word::Property(name, "qpn") => self.qp(name)?.number(),
            Word::Property(name, "cqn") => self.cq(name)?.number(),
            Word::Property(name, _) => self.pd(name)?.number(),
        })
    }
}

impl Memory {
    fn new(table: &MemoryTable, host: &HostMemory) -> Result<Self, String> {
        let (size, count) = (table.page_size.0, u64::from(table.pages));
        let region = Rc::new(Region::new(size * count));
        if table.fill != 0 {
            (0..size * count / 8).for_each(|word| region.store(8 * word, u64::from_le_bytes([table.fill; 8]), 0xFF));
        }
        if let Some(contents) = &table.contents {
            region.write(0, &contents.0);
        }
        let none = || "no free bus addresses".to_string();
        let pages = if table.contiguous {
            let base = host.map(&region, 0..size * count, size, Permission::ALL).ok_or_else(none)?;
            (0..count).map(|page| base + page * size).collect()
        } else if table.at.is_empty() {
            let map = |page| host.map(&region, page * size..(page + 1) * size, size, Permission::ALL);
            (0..count).map(map).collect::<Option<Vec<_>>>().ok_or_else(none)?
        } else {
            let map = |(page, at): (u64, u64)| {
                host.map_at(at, &region, page * size..(page + 1) * size, Permission::ALL).map(|()| at)
            };
            (0..count).zip(table.at.iter().map(|at| at.0)).map(map).collect::<Result<Vec<_>, _>>()?
        };
        Ok(Self { region, page_size: size, pages, contiguous: table.contiguous })
    }

    /// Bus address of a place; an offset beyond the page goes on in the next one.
    fn address(&self, place: &Place) -> u64 {
        let page = place.page.unwrap_or(0).saturating_add(place.offset / self.page_size);
        let base = self.pages.get(page as usize).or(self.pages.last()).copied().unwrap_or(0);
        base + place.offset % self.page_size
    }
}

pub(super) fn create_cq<M: Machine>(device: &Device<M>, table: &CqTable) -> Result<CompletionQueue<M>, Error> {
    device.create_cq(table.entries, table.vector)
}

/// Brings a queue pair to a state on the customary way. From a later state it starts again from RESET, drained first.
pub(super) fn bring_to<M: Machine>(qp: &QueuePair<M>, state: State) -> Result<(), Error> {
    match (state, qp.state()) {
        (State::Err, _) => return qp.to_err(),
        (State::Reset, _) => return qp.reset().map(drop),
        (State::Sqd, State::Rts) => return qp.to_sqd(None),
        (State::Rts, State::Sqd) => return qp.resume(),
        (wanted, now) if wanted == now => return Ok(()),
        (wanted, now) if now.code() > wanted.code() => {
            qp.drain()?;
            qp.reset()?;
        }
        _ => {}
    }
    while qp.state() != state {
        match qp.state() {
            State::Reset => qp.to_init(&Default::default())?,
            State::Init => qp.to_rtr(&Default::default(), QpAttributes::default())?,
            State::Rtr => qp.to_rts(&Default::default(), QpAttributes::default())?,
            _ => return qp.to_sqd(None),
        }
    }
    Ok(())
}
