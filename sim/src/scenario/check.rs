//! Whether the parts of a scenario fit together: every name is one that the file declares or a step creates, and no step
//! asks for two things at once. What only the device can judge is left to the run.

use super::file::{QpTable, Scenario, WireTable};
use super::step::{Action, Connect, DataWr, InjectFrame, RemoteTable, SgeTable, Step};
use super::value::{Hex, Number, Place, Word};
use crate::wire::frame::{CARRIED, LARGEST};
use crate::wire::Counters;
use serde_spanned::Spanned;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// A mistake: at a byte of the text, or in the table with this key.
pub(super) struct Mistake {
    pub at: Option<usize>,
    pub key: String,
    pub message: String,
}

/// Kinds of objects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nic,
    Memory,
    List,
    Pd,
    Cq,
    Qp,
    Mr,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Nic => "NIC",
            Self::Memory => "memory",
            Self::List => "page list",
            Self::Pd => "protection domain",
            Self::Cq => "completion queue",
            Self::Qp => "queue pair",
            Self::Mr => "memory region",
        }
    }
}

type Names<'a> = BTreeMap<&'a str, Kind>;

/// Checks a whole scenario.
pub(super) fn check(scenario: &Scenario) -> Result<(), Mistake> {
    let mut names = Names::new();
    declare(scenario, &mut names)?;
    tables(scenario, &names)?;
    steps(&scenario.step, &mut names)
}

fn declare<'a>(scenario: &'a Scenario, names: &mut Names<'a>) -> Result<(), Mistake> {
    let declared = (scenario.memory.keys().map(|name| (name, Kind::Memory, "memory")))
        .chain(scenario.list.keys().map(|name| (name, Kind::List, "list")))
        .chain(scenario.pd.keys().map(|name| (name, Kind::Pd, "pd")))
        .chain(scenario.cq.keys().map(|name| (name, Kind::Cq, "cq")))
        .chain(scenario.qp.keys().map(|name| (name, Kind::Qp, "qp")))
        .chain(scenario.mr.keys().map(|name| (name, Kind::Mr, "mr")))
        .chain(scenario.nic.keys().map(|name| (name, Kind::Nic, "nic")));
    for (name, kind, table) in declared {
        if let Some(other) = names.insert(name, kind) {
            let message = format!("`{name}` is the name of a {} already", other.name());
            return Err(Mistake { at: None, key: format!("{table}.{name}"), message });
        }
    }
    Ok(())
}

fn tables(scenario: &Scenario, names: &Names<'_>) -> Result<(), Mistake> {
    let mistake = |key: String| move |message: String| Mistake { at: None, key, message };
    wire(&scenario.wire).map_err(mistake("wire".into()))?;
    let tables = (scenario.memory.iter().map(|(name, table)| ("memory", name, &table.nic)))
        .chain(scenario.list.iter().map(|(name, table)| ("list", name, &table.nic)))
        .chain(scenario.pd.iter().map(|(name, table)| ("pd", name, &table.nic)))
        .chain(scenario.cq.iter().map(|(name, table)| ("cq", name, &table.nic)));
    for (table, name, nic) in tables {
        let found = nic.as_ref().map_or(Ok(()), |nic| known(nic, Kind::Nic, names));
        found.map_err(mistake(format!("{table}.{name}")))?;
    }
    for (name, memory) in &scenario.memory {
        let mistake = mistake(format!("memory.{name}"));
        let size = memory.page_size.0;
        if !size.is_power_of_two() || !(4096..=1 << 30).contains(&size) {
            return Err(mistake("page_size is a power of two from 4096 to 2^30".into()));
        }
        if memory.pages == 0 || u64::from(memory.pages) * size > 1 << 34 {
            return Err(mistake("memory has at least one page and at most 16 GiB".into()));
        }
        if !memory.at.is_empty() && (memory.at.len() != memory.pages as usize || memory.contiguous) {
            return Err(mistake("`at` names the bus address of every page, and excludes `contiguous`".into()));
        }
        if memory.contents.as_ref().is_some_and(|hex| hex.0.len() as u64 > u64::from(memory.pages) * size) {
            return Err(mistake("`contents` is longer than the memory".into()));
        }
    }
    for (name, list) in &scenario.list {
        let places = list.entries.iter().try_for_each(|entry| place(entry, names, Some(scenario)));
        places.map_err(mistake(format!("list.{name}")))?;
        if list.entries.is_empty() {
            return Err(mistake(format!("list.{name}"))("a page list has at least one entry".into()));
        }
    }
    for (name, table) in &scenario.qp {
        queue_pair(table, names).map_err(mistake(format!("qp.{name}")))?;
    }
    for (name, table) in &scenario.mr {
        known(&table.pd, Kind::Pd, names).map_err(mistake(format!("mr.{name}")))?;
    }
    Ok(())
}

fn known(name: &str, kind: Kind, names: &Names<'_>) -> Result<(), String> {
    match names.get(name) {
        Some(found) if *found == kind => Ok(()),
        Some(found) => Err(format!("`{name}` is a {}, not a {}", found.name(), kind.name())),
        None => Err(format!("there is no {} `{name}`", kind.name())),
    }
}

fn queue_pair(table: &QpTable, names: &Names<'_>) -> Result<(), String> {
    known(&table.pd, Kind::Pd, names)?;
    let (send, receive) = table.queues().ok_or("a queue pair needs `cq`, or `send_cq` and `receive_cq`")?;
    known(send, Kind::Cq, names)?;
    known(receive, Kind::Cq, names)
}

fn place(place: &Place, names: &Names<'_>, scenario: Option<&Scenario>) -> Result<(), String> {
    let Some(name) = &place.name else { return Ok(()) };
    if let Some((qp, "send" | "receive")) = name.rsplit_once('.') {
        return known(qp, Kind::Qp, names);
    }
    let memory = scenario.and_then(|scenario| scenario.memory.get(name));
    match (names.get(name.as_str()), memory) {
        (Some(Kind::Memory), Some(memory)) if place.page.unwrap_or(0) >= memory.pages.into() => {
            Err(format!("`{name}` has {} pages; they count from 0", memory.pages))
        }
        (Some(Kind::Memory | Kind::List), _) => Ok(()),
        (Some(other), _) => Err(format!("`{name}` is a {}; expected memory or a page list", other.name())),
        (None, _) => Err(format!("there is no memory or page list `{name}`")),
    }
}

fn word(value: &Word, names: &Names<'_>) -> Result<(), String> {
    match value {
        Word::Value(_) => Ok(()),
        Word::Low(at) | Word::High(at) => place(at, names, None),
        Word::Property(name, property) => match *property {
            "key" | "index" => known(name, Kind::Mr, names),
            "qpn" => known(name, Kind::Qp, names),
            "cqn" => known(name, Kind::Cq, names),
            _ => known(name, Kind::Pd, names),
        },
    }
}

fn steps<'a>(steps: &'a [Spanned<Step>], names: &mut Names<'a>) -> Result<(), Mistake> {
    for step in steps {
        let at = Some(step.span().start);
        let action = &step.get_ref().action;
        if let Some(mistake) = step.get_ref().mistake {
            return Err(Mistake { at, key: String::new(), message: mistake.into() });
        }
        if let Action::Repeat(repeat) = action {
            self::steps(&repeat.step, names)?;
            continue;
        }
        let wrong =
            |message: String| Mistake { at, key: String::new(), message: format!("{}: {message}", action.key()) };
        step_names(action, names).map_err(wrong)?;
        combination(action).map_err(wrong)?;
        create(action, names);
    }
    Ok(())
}

/// Names that a step creates.
fn create<'a>(action: &'a Action, names: &mut Names<'a>) {
    match action {
        Action::AllocMr(body) => names.insert(&body.mr, Kind::Mr),
        Action::CreateCq(body) => names.insert(&body.cq, Kind::Cq),
        Action::CreateQp(body) => names.insert(&body.qp, Kind::Qp),
        _ => None,
    };
}

/// Names that a step uses.
fn step_names(action: &Action, names: &Names<'_>) -> Result<(), String> {
    let qp = |name: &str| known(name, Kind::Qp, names);
    let cq = |name: &str| known(name, Kind::Cq, names);
    let mr = |name: &str| known(name, Kind::Mr, names);
    let pd = |name: &str| known(name, Kind::Pd, names);
    let nic = |name: &Option<String>| name.as_deref().map_or(Ok(()), |name| known(name, Kind::Nic, names));
    let optional = |name: &Option<String>, kind| name.as_deref().map_or(Ok(()), |name| known(name, kind, names));
    let places = |places: &[Place]| places.iter().try_for_each(|at| place(at, names, None));
    let words = |words: &[Word]| words.iter().try_for_each(|value| word(value, names));
    match action {
        Action::AllocMr(body) => pd(&body.pd),
        Action::DeregMr(body) => mr(&body.mr),
        Action::UpdateKey(body) => mr(&body.mr),
        Action::RecoverMr(body) => mr(&body.mr),
        Action::FreePd(body) => pd(&body.pd),
        Action::DestroyCq(body) => cq(&body.cq),
        Action::CreateQp(body) => queue_pair(&body.table, names),
        Action::DestroyQp(body) | Action::Drain(body) => qp(&body.qp),
        Action::Connect(body) => qp(&body.qp).and_then(|()| optional(&body.to, Kind::Qp)),
        Action::ModifyQp(body) => qp(&body.qp),
        Action::Admin(body) => {
            nic(&body.nic).and_then(|()| words(&body.words)).and_then(|()| words(body.answer.as_deref().unwrap_or(&[])))
        }
        Action::RegMr(body) => {
            qp(&body.qp)?;
            mr(&body.mr)?;
            optional(&body.list, Kind::List)?;
            places(body.pages.as_deref().unwrap_or(&[]))?;
            body.list_at.as_ref().map_or(Ok(()), |at| place(at, names, None))
        }
        Action::LocalInv(body) => qp(&body.qp).and_then(|()| optional(&body.mr, Kind::Mr)),
        Action::Raw(body) => qp(&body.qp),
        Action::Receive(body) => qp(&body.qp).and_then(|()| body.sges.iter().try_for_each(|sge| piece(sge, names))),
        Action::Send(body) | Action::Write(body) | Action::Read(body) => {
            qp(&body.qp)?;
            body.sges.iter().try_for_each(|sge| piece(sge, names))?;
            body.remote.as_ref().map_or(Ok(()), |remote| optional(&remote.mr, Kind::Mr))?;
            optional(&body.invalidate, Kind::Mr)
        }
        Action::CmpSwap(body) | Action::FetchAdd(body) => {
            qp(&body.qp)?;
            piece(&body.sge, names)?;
            optional(&body.remote.mr, Kind::Mr)
        }
        Action::Ring(body) => qp(&body.qp),
        Action::Arm(body) => cq(&body.cq),
        Action::Completion(body) => {
            optional(&body.qp, Kind::Qp)?;
            optional(&body.cq, Kind::Cq)?;
            optional(&body.invalidated, Kind::Mr)
        }
        Action::NoCompletion(body) => cq(&body.cq),
        Action::Probe(body) => {
            qp(&body.qp)?;
            optional(&body.mr, Kind::Mr)?;
            body.pieces.iter().flatten().try_for_each(|(at, _)| place(at, names, None))
        }
        Action::QueryMr(body) => {
            optional(&body.mr, Kind::Mr)?;
            optional(&body.pd, Kind::Pd)?;
            nic(&body.nic)
        }
        Action::QueryQp(body) => qp(&body.qp),
        Action::WriteRegister(body) => nic(&body.nic).and_then(|()| word(&body.value, names)),
        Action::Event(body) => {
            optional(&body.qp, Kind::Qp)?;
            optional(&body.cq, Kind::Cq)?;
            nic(&body.nic)
        }
        Action::Memory(body) | Action::WriteMemory(body) => {
            place(&body.at, names, None)?;
            places(body.words.as_deref().unwrap_or(&[]))
        }
        Action::FillMemory(body) | Action::CompareMemory(body) => {
            place(&body.at, names, None)?;
            body.other.as_ref().map_or(Ok(()), |other| place(other, names, None))
        }
        Action::InjectFault(body) => {
            nic(&body.nic)?;
            body.at.as_ref().map_or(Ok(()), |at| place(at, names, None))
        }
        Action::Unmap(body) => known(&body.memory, Kind::Memory, names),
        Action::NoAccess(body) => places(&body.pages),
        Action::CreateCq(body) => nic(&body.table.nic),
        Action::ReadRegister(body) => nic(&body.nic),
        Action::Counter(body) => nic(&body.nic),
        Action::NoEvent(body) | Action::NoFrame(body) | Action::NoRaw(body) => nic(&body.nic),
        Action::OpenRaw(body) => nic(&body.nic),
        Action::SendRaw(body) => nic(&body.nic),
        Action::ReceiveRaw(body) => nic(&body.nic),
        Action::RawUnsent(body) => nic(&body.nic),
        Action::Interrupt(body) | Action::NoInterrupt(body) => nic(&body.nic),
        Action::ClearFaults(body) | Action::ForgetFrames(body) => nic(&body.nic),
        Action::WireFault(body) => nic(&body.from).and_then(|()| optional(&body.qp, Kind::Qp)),
        Action::InjectFrame(body) => {
            nic(&body.nic)?;
            optional(&body.to, Kind::Qp)?;
            let Some(frame) = &body.frame else { return Ok(()) };
            optional(&frame.invalidate, Kind::Mr)?;
            frame.remote.as_ref().map_or(Ok(()), |remote| optional(&remote.mr, Kind::Mr))
        }
        Action::ExpectFrame(body) => nic(&body.nic).and_then(|()| optional(&body.from, Kind::Qp)),
        Action::WireCounter(body) => nic(&body.nic),
        Action::Wire(_) | Action::ClearWireFaults(_) | Action::Run(_) | Action::Repeat(_) => Ok(()),
    }
}

/// A piece of local memory: of a region or by key, or of a memory.
fn piece(sge: &SgeTable, names: &Names<'_>) -> Result<(), String> {
    let given = [sge.mr.is_some(), sge.key.is_some(), sge.at.is_some()];
    demand(given.into_iter().filter(|given| *given).count() == 1, "a piece of memory has one of `mr`, `key`, `at`")?;
    range("length", sge.length.0, 0..=u32::MAX.into())?;
    key("key", sge.key)?;
    sge.mr.as_deref().map_or(Ok(()), |name| known(name, Kind::Mr, names))?;
    sge.at.as_ref().map_or(Ok(()), |at| place(at, names, None))
}

/// Memory of the peer is named in one way.
fn remote(remote: &RemoteTable) -> Result<(), String> {
    demand(remote.mr.is_some() != remote.key.is_some(), "`remote` has one of `mr`, `key`")?;
    key("remote.key", remote.key)
}

/// Fields of a data transfer that its action does not have, or needs.
fn data(body: &DataWr, action: &Action) -> Result<(), String> {
    let (send, read) = (matches!(action, Action::Send(_)), matches!(action, Action::Read(_)));
    let invalidates = body.invalidate.is_some() || body.invalidate_key.is_some();
    for (right, message) in [
        (body.remote.is_some() != send, "`remote` belongs to `write` and `read`, which need it"),
        (!read || body.imm.is_none(), "`imm` goes with `send` and `write`"),
        (send || !invalidates, "`invalidate` and `invalidate_key` go with `send`"),
        (read || !body.invalidate_sink, "`invalidate_sink` goes with `read`"),
        (body.invalidate.is_none() || body.invalidate_key.is_none(), "give one of `invalidate`, `invalidate_key`"),
        (!invalidates || body.imm.is_none(), "a SEND has immediate data (`imm`) or invalidates"),
    ] {
        demand(right, message)?;
    }
    immediate(&body.imm)?;
    key("invalidate_key", body.invalidate_key)?;
    body.remote.as_ref().map_or(Ok(()), remote)
}

fn demand(condition: bool, message: &str) -> Result<(), String> {
    if condition {
        Ok(())
    } else {
        Err(message.into())
    }
}

/// A field is in its range.
fn range(field: &str, value: impl Into<u64>, allowed: RangeInclusive<u64>) -> Result<(), String> {
    let value = value.into();
    let (first, last) = allowed.clone().into_inner();
    demand(allowed.contains(&value), &format!("`{field}` is {value}; it goes from {first} to {last}"))
}

/// Bytes given in hexadecimal are neither too few nor too many.
fn bytes(field: &str, count: usize, allowed: RangeInclusive<usize>) -> Result<(), String> {
    let (first, last) = allowed.clone().into_inner();
    demand(allowed.contains(&count), &format!("`{field}` has {count} bytes; it has from {first} to {last}"))
}

/// A key in full.
fn key(field: &str, key: Option<Number>) -> Result<(), String> {
    key.map_or(Ok(()), |key| range(field, key.0, 0..=u32::MAX.into()))
}

/// A number of 24 bits.
fn wire_number(field: &str, value: Option<u32>) -> Result<(), String> {
    value.map_or(Ok(()), |value| range(field, value, 0..=0xFF_FFFF))
}

fn immediate(imm: &Option<Hex>) -> Result<(), String> {
    let bytes = imm.as_ref().map_or(4, |imm| imm.0.len());
    demand(bytes == 4, &format!("`imm` has four bytes, not {bytes}"))
}

/// How the wire behaves, in its table or in a step.
fn wire(wire: &WireTable) -> Result<(), String> {
    demand(!matches!(wire.rate, Some((0, _) | (_, 0))), "`rate` is bytes and cycles, neither of them 0")?;
    for (field, chance) in [
        ("loss", wire.loss),
        ("duplication", wire.duplication),
        ("reordering", wire.reordering),
        ("corruption", wire.corruption),
        ("bad", wire.bad),
    ] {
        chance.map_or(Ok(()), |chance| range(field, chance, 0..=1000))?;
    }
    for (field, percent) in [("stall", wire.stall), ("gap", wire.gap)] {
        percent.map_or(Ok(()), |percent| range(field, percent, 0..=99))?;
    }
    Ok(())
}

fn connect(body: &Connect) -> Result<(), String> {
    let strange = body.qpn.is_some() || body.mac.is_some() || body.address.is_some();
    demand(body.to.is_some() != body.qpn.is_some(), "give one of `to`, `qpn`")?;
    demand(body.to.is_none() || !strange, "`qpn`, `mac` and `address` are for a peer without a name")?;
    demand(body.to.as_ref() != Some(&body.qp), "`to` is `qp` itself; a queue pair has another one as its peer")?;
    let mtu = body.mtu;
    let known = rnic_driver::PathMtu::from_bytes(mtu).is_some();
    demand(known, &format!("`mtu` is {mtu}; an MTU is 256, 512, 1024, 2048 or 4096 bytes"))?;
    wire_number("psn", Some(body.psn))?;
    wire_number("peer_psn", Some(body.peer_psn))?;
    wire_number("qpn", body.qpn)?;
    for (field, value, last) in [
        ("own_address", body.own_address, 7),
        ("timeout", body.timeout, 31),
        ("retry_cnt", body.retry_cnt, 7),
        ("rnr_retry", body.rnr_retry, 7),
        ("min_rnr", body.min_rnr, 31),
        ("max_rd", body.max_rd, 16),
    ] {
        range(field, value, 0..=last)?;
    }
    range("flow_label", body.flow_label, 0..=0xF_FFFF)
}

fn inject_frame(body: &InjectFrame) -> Result<(), String> {
    let sources = [body.hex.is_some(), body.frame.is_some(), body.capture.is_some()];
    demand(sources.into_iter().filter(|given| *given).count() == 1, "give one of `hex`, `frame`, `capture`")?;
    demand(body.frame.is_none() || body.to.is_some(), "`frame` needs `to`")?;
    demand(body.length.is_none() || body.hex.is_some(), "`length` goes with `hex`")?;
    demand(body.number > 0, "`number` is 0; frames count from 1")?;
    wire_number("psn", body.psn)?;
    if let Some(hex) = &body.hex {
        bytes("hex", hex.0.len(), CARRIED)?;
        bytes("length", body.length.unwrap_or(hex.0.len()), hex.0.len()..=LARGEST)?;
        let last = 8 * hex.0.len() as u64 - 1;
        body.flip.iter().try_for_each(|bit| range("flip", *bit, 0..=last))?;
    }
    let Some(frame) = &body.frame else { return Ok(()) };
    wire_number("frame.psn", Some(frame.psn))?;
    wire_number("frame.qpn", frame.qpn)?;
    wire_number("frame.msn", Some(frame.msn))?;
    key("frame.invalidate_key", frame.invalidate_key)?;
    immediate(&frame.imm)?;
    range("frame.bytes", frame.bytes.0, 0..=LARGEST as u64)?;
    let payload = frame.payload.as_ref().map_or(0, |payload| payload.0.len());
    bytes("frame.payload", payload, 0..=LARGEST)?;
    frame.remote.as_ref().map_or(Ok(()), remote)
}

/// Fields that exclude or need each other, and their ranges.
fn combination(action: &Action) -> Result<(), String> {
    match action {
        Action::RegMr(body) => {
            let lists = [body.pages.is_some(), body.list.is_some(), body.list_at.is_some()];
            demand(lists.into_iter().filter(|given| *given).count() == 1, "give one of `pages`, `list`, `list_at`")?;
            demand(body.list_at.is_none() || body.npages.is_some(), "`list_at` needs `npages`")?;
            key("key", body.key)
        }
        Action::LocalInv(body) => {
            demand(body.mr.is_some() != body.key.is_some(), "give one of `mr`, `key`")?;
            demand(body.key.is_none() || body.key_byte.is_none(), "`key_byte` goes with `mr`")?;
            key("key", body.key)
        }
        Action::Probe(body) => {
            demand(body.mr.is_some() != body.key.is_some(), "give one of `mr`, `key`")?;
            demand(body.syndrome.is_some() != body.pieces.is_some(), "expect one of `syndrome`, `pieces`")?;
            key("key", body.key)
        }
        Action::Raw(body) => bytes("slot", body.slot.0.len(), 1..=128),
        Action::SendRaw(body) => bytes("length", body.length.unwrap_or(body.hex.0.len()), body.hex.0.len()..=LARGEST),
        Action::Completion(body) => {
            demand(body.qp.is_some() || body.cq.is_some(), "give `qp` or `cq`")?;
            immediate(&body.imm)?;
            key("invalidated_key", body.invalidated_key)
        }
        Action::QueryMr(body) => {
            demand(body.mr.is_some() != body.index.is_some(), "give one of `mr`, `index`")?;
            key("key", body.key)
        }
        Action::Counter(body) => {
            demand(body.syndrome.is_some() != body.drop.is_some(), "give one of `syndrome`, `drop`")
        }
        Action::Event(body) => demand(body.cq.is_none() || body.qp.is_none(), "give `cq` or `qp`"),
        Action::Memory(body) | Action::WriteMemory(body) => {
            demand(body.bytes.is_some() != body.words.is_some(), "give one of `bytes`, `words`")
        }
        Action::Send(body) | Action::Write(body) | Action::Read(body) => data(body, action),
        Action::CmpSwap(body) | Action::FetchAdd(body) => {
            remote(&body.remote)?;
            let swap = matches!(action, Action::CmpSwap(_));
            demand(swap || body.compare.0 == 0 && body.swap.0 == 0, "`compare` and `swap` go with `cmp_swap`")?;
            demand(!swap || body.add.0 == 0, "`add` goes with `fetch_add`")
        }
        Action::Connect(body) => connect(body),
        Action::FillMemory(body) | Action::CompareMemory(body) => {
            let given = [body.seed.is_some(), body.other.is_some(), body.value.is_some()];
            demand(given.into_iter().filter(|given| *given).count() == 1, "give one of `seed`, `with`, `value`")?;
            range("bytes", body.bytes.0, 0..=1 << 30)
        }
        Action::InjectFrame(body) => inject_frame(body),
        Action::ExpectFrame(body) => {
            wire_number("psn", body.psn)?;
            wire_number("qpn", body.qpn)?;
            wire_number("msn", body.msn)?;
            immediate(&body.imm)?;
            key("key", body.key)
        }
        Action::WireCounter(body) => {
            demand(body.value.is_some() != body.at_least.is_some(), "expect one of `value`, `at_least`")?;
            let (counter, names) = (&body.counter, Counters::NAMES.join(", "));
            let known = Counters::NAMES.contains(&counter.as_str());
            demand(known, &format!("`counter` is `{counter}`; no such counter: there are {names}"))
        }
        Action::Wire(body) => wire(body),
        Action::WireFault(body) => wire_number("psn", body.psn),
        Action::InjectFault(body) => {
            demand(body.response != super::step::Response::Okay, "`response` of a fault is SLVERR or DECERR")
        }
        _ => Ok(()),
    }
}
