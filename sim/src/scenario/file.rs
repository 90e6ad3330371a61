//! What a scenario file holds: device, objects, steps. Unknown keys and wrong types are errors with their line.

use super::check;
use super::step::{Action, Step};
use super::value::{Address, Code, Hex, Mac, Number, Place};
use crate::wire::{Rate, WireSettings};
use rnic_abi::preset::Preset;
use rnic_abi::qp::State;
use serde::Deserialize;
use serde_spanned::Spanned;
use std::collections::BTreeMap;
use thiserror::Error;

/// A file that is not a scenario.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {message}")]
pub struct BadScenario {
    /// Line, from 1 on.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

/// A scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Short name, as on the command line.
    pub name: String,
    /// One line that says what it shows.
    pub title: String,
    /// More about it.
    #[serde(default)]
    pub description: String,
    /// The device and its host.
    #[serde(default)]
    pub device: DeviceTable,
    /// The NICs, in the order of their names; one without a name when there is none.
    #[serde(default)]
    pub nic: BTreeMap<String, NicTable>,
    /// The wire between them.
    #[serde(default)]
    pub wire: WireTable,
    /// Memory of the application.
    #[serde(default)]
    pub memory: BTreeMap<String, MemoryTable>,
    /// Page lists.
    #[serde(default)]
    pub list: BTreeMap<String, ListTable>,
    /// Protection domains.
    #[serde(default)]
    pub pd: BTreeMap<String, PdTable>,
    /// Completion queues.
    #[serde(default)]
    pub cq: BTreeMap<String, CqTable>,
    /// Queue pairs.
    #[serde(default)]
    pub qp: BTreeMap<String, QpTable>,
    /// Memory regions.
    #[serde(default)]
    pub mr: BTreeMap<String, MrTable>,
    /// What happens, in this order.
    #[serde(default)]
    pub step: Vec<Spanned<Step>>,
}

/// `[device]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DeviceTable {
    /// Preset; `small` when not given.
    pub preset: PresetName,
    /// Seed of everything random: bus addresses, jitter, power-up values.
    pub seed: u64,
    /// Where to start from: `calm` or `harsh`.
    pub timing: TimingName,
    /// Cycles from a read address to its first data.
    pub read_latency: Option<u32>,
    /// Up to so many cycles more.
    pub read_jitter: Option<u32>,
    /// Cycles from the last data of a write to its response.
    pub write_latency: Option<u32>,
    /// Up to so many cycles more.
    pub write_jitter: Option<u32>,
    /// Percent of cycles in which the host does not take an address, data or interrupt.
    pub stall: Option<u8>,
    /// Percent of cycles in which a response is held back.
    pub gap: Option<u8>,
    /// Responses overtake each other across AXI ids.
    pub out_of_order: Option<bool>,
    /// Beats of different ids are mixed.
    pub interleave: Option<bool>,
    /// Entries of the event ring.
    pub events: u32,
}

impl Default for DeviceTable {
    fn default() -> Self {
        Self {
            preset: PresetName(&rnic_abi::preset::SMALL),
            seed: 1,
            timing: TimingName::Calm,
            read_latency: None,
            read_jitter: None,
            write_latency: None,
            write_jitter: None,
            stall: None,
            gap: None,
            out_of_order: None,
            interleave: None,
            events: 256,
        }
    }
}

/// `[nic.NAME]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NicTable {
    /// MAC address; else 02:00:00:00:00:01 for the first NIC, and so on.
    pub mac: Option<Mac>,
    /// Own addresses; else 10.0.0.1 and fd00::1 for the first NIC, and so on.
    pub addresses: Option<Vec<Address>>,
}

/// `[wire]`, and the step that changes it. What is not given is as in [`WireSettings`], or stays.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WireTable {
    /// How fast an end may send: bytes, cycles.
    pub rate: Option<(u32, u32)>,
    /// Bytes that a frame takes besides its own.
    pub overhead: Option<u32>,
    /// Cycles from one end to another.
    pub delay: Option<u32>,
    /// Of 1,000 frames so many do not arrive.
    pub loss: Option<u16>,
    /// So many arrive twice.
    pub duplication: Option<u16>,
    /// So many arrive late.
    pub reordering: Option<u16>,
    /// So many arrive with flipped bits.
    pub corruption: Option<u16>,
    /// So many arrive marked bad by the MAC.
    pub bad: Option<u16>,
    /// Most cycles by which a frame is late.
    pub span: Option<u32>,
    /// Frames that may wait at a NIC that is not ready.
    pub queue: Option<usize>,
    /// Percent of cycles in which the line does not take a beat.
    pub stall: Option<u8>,
    /// Percent of cycles in which a beat for a NIC is held back.
    pub gap: Option<u8>,
}

impl WireTable {
    /// Changes what is given.
    pub fn apply(&self, settings: &mut WireSettings) {
        fn set<T: Copy>(to: &mut T, from: Option<T>) {
            *to = from.unwrap_or(*to);
        }
        if let Some((bytes, cycles)) = self.rate {
            settings.rate = Some(Rate { bytes, cycles });
        }
        set(&mut settings.overhead, self.overhead);
        set(&mut settings.delay, self.delay);
        set(&mut settings.chances.loss, self.loss);
        set(&mut settings.chances.duplication, self.duplication);
        set(&mut settings.chances.reordering, self.reordering);
        set(&mut settings.chances.corruption, self.corruption);
        set(&mut settings.chances.bad, self.bad);
        set(&mut settings.span, self.span);
        set(&mut settings.queue, self.queue);
        set(&mut settings.stall, self.stall);
        set(&mut settings.gap, self.gap);
    }
}

/// Name of a preset.
#[derive(Clone, Copy, Debug)]
pub struct PresetName(pub &'static Preset);

impl<'de> Deserialize<'de> for PresetName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = || rnic_abi::preset::ALL.map(|preset| preset.name).join(", ");
        let unknown = || serde::de::Error::custom(format!("no preset `{name}`: there are {}", known()));
        Preset::by_name(&name).map(PresetName).ok_or_else(unknown)
    }
}

/// Name of a host's timing.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum TimingName {
    /// Fast and orderly.
    Calm,
    /// Everything that AXI allows.
    Harsh,
}

/// `[memory.NAME]`: pages that the device may reach, each at a bus address of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryTable {
    /// NIC whose host it belongs to; else the first.
    pub nic: Option<String>,
    /// Number of pages.
    #[serde(default = "one")]
    pub pages: u32,
    /// Bytes of a page, a power of two from 4096 on.
    #[serde(default = "four_kib")]
    pub page_size: Number,
    /// All pages behind one another on the bus.
    #[serde(default)]
    pub contiguous: bool,
    /// Bus addresses of the pages; random ones when not given.
    #[serde(default)]
    pub at: Vec<Number>,
    /// Every byte has this value at the start.
    #[serde(default)]
    pub fill: u8,
    /// First bytes, in page order.
    pub contents: Option<Hex>,
}

/// `[list.NAME]`: a page list in memory of the driver.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListTable {
    /// NIC that reads it; else the first.
    pub nic: Option<String>,
    /// Its entries.
    pub entries: Vec<Place>,
}

/// `[pd.NAME]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PdTable {
    /// NIC; else the first. Queue pairs and memory regions are on that of their protection domain.
    pub nic: Option<String>,
}

/// `[cq.NAME]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CqTable {
    /// NIC; else the first.
    pub nic: Option<String>,
    /// Entries, rounded up to a power of two.
    #[serde(default = "entries")]
    pub entries: u32,
    /// Interrupt vector.
    #[serde(default)]
    pub vector: u8,
}

/// `[qp.NAME]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QpTable {
    /// Protection domain.
    pub pd: String,
    /// Completion queue of both queues.
    pub cq: Option<String>,
    /// Completion queue of the send queue.
    pub send_cq: Option<String>,
    /// Completion queue of the receive queue.
    pub receive_cq: Option<String>,
    /// Slots of the send ring.
    #[serde(default = "slots")]
    pub send_slots: u32,
    /// Slots of the receive ring.
    #[serde(default = "slots")]
    pub receive_slots: u32,
    /// May use the local DMA lkey.
    #[serde(default)]
    pub privileged: bool,
    /// Every request is signaled.
    #[serde(default)]
    pub signal_all: bool,
    /// State that it is brought to.
    #[serde(default = "rts")]
    pub state: Code<State>,
}

impl QpTable {
    /// Names of the completion queues for sends and receives.
    pub fn queues(&self) -> Option<(&str, &str)> {
        let send = self.send_cq.as_ref().or(self.cq.as_ref())?;
        let receive = self.receive_cq.as_ref().or(self.cq.as_ref())?;
        Some((send, receive))
    }
}

/// `[mr.NAME]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MrTable {
    /// Protection domain.
    pub pd: String,
    /// Longest page list that it takes.
    #[serde(default = "four")]
    pub max_pages: u16,
}

fn one() -> u32 {
    1
}

fn four() -> u16 {
    4
}

fn four_kib() -> Number {
    Number(4096)
}

fn entries() -> u32 {
    64
}

fn slots() -> u32 {
    64
}

fn rts() -> Code<State> {
    Code(State::Rts)
}

impl Scenario {
    /// Names of the NICs: one, `nic`, when the file has none.
    #[must_use]
    pub fn nics(&self) -> Vec<String> {
        match self.nic.is_empty() {
            true => vec!["nic".into()],
            false => self.nic.keys().cloned().collect(),
        }
    }

    /// Reads a scenario and checks that its parts fit together.
    ///
    /// # Errors
    /// The first mistake, with its line.
    pub fn parse(text: &str) -> Result<Self, BadScenario> {
        let mut scenario: Self = toml::from_str(text).map_err(|error| BadScenario {
            line: error.span().map_or(1, |span| line_of(text, span.start)),
            message: located(text, error.span(), &error.message().trim().replace('\n', ", ")),
        })?;
        check::check(&scenario).map_err(|mistake| BadScenario {
            line: mistake.at.map_or_else(|| line_of_name(text, &mistake.key), |at| line_of(text, at)),
            message: mistake.message,
        })?;
        number(&mut scenario.step, text);
        Ok(scenario)
    }
}

/// A message of the TOML reader with the step and the field that it is about, and the range in numbers.
fn located(text: &str, span: Option<std::ops::Range<usize>>, message: &str) -> String {
    let ranges = [("u8", u8::MAX.into()), ("u16", u16::MAX.into()), ("u32", u32::MAX.into()), ("u64", u64::MAX)];
    let found = ranges.iter().find_map(|(name, last)| Some((message.strip_suffix(&format!("expected {name}"))?, last)));
    let message = found.map_or(message.into(), |(start, last)| format!("{start}expected a number from 0 to {last}"));
    let before = span.and_then(|span| text.get(..span.start)).unwrap_or("");
    let line = before.rsplit('\n').next().unwrap_or("");
    let name = |text: &str| text.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().map(str::to_string);
    let field = line.trim_end().strip_suffix('=').and_then(|key| name(key.trim_end())).filter(|name| !name.is_empty());
    let step = line.split_once('=').map(|(key, _)| key.trim()).filter(|key| Some(*key) != field.as_deref());
    match (step, field) {
        (Some(step), Some(field)) => format!("{step}: `{field}`: {message}"),
        (None, Some(field)) => format!("`{field}`: {message}"),
        (_, None) => message,
    }
}

/// Tells every step its line.
fn number(steps: &mut [Spanned<Step>], text: &str) {
    for step in steps {
        let line = line_of(text, step.span().start);
        step.as_mut().line = line;
        if let Action::Repeat(repeat) = &mut step.as_mut().action {
            number(&mut repeat.step, text);
        }
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count()
}

/// Line of a table's header such as `[qp.a]`, or 1.
fn line_of_name(text: &str, key: &str) -> usize {
    let header = format!("[{key}]");
    1 + text.lines().position(|line| line.split('#').next().unwrap_or("").replace(' ', "") == header).unwrap_or(0)
}
