//! The steps of a scenario. Each `[[step]]` has exactly one action, named by its key.

use super::file::{CqTable, QpTable};
use super::value::{AccessBits, Code, Hex, Number, Place, RegisterOffset, Word};
use rnic_abi::drop::Drop;
use rnic_abi::event::Kind;
use rnic_abi::opcode::Opcode;
use rnic_abi::qp::State;
use rnic_abi::status::Status;
use rnic_abi::syndrome::Syndrome;
use rnic_abi::{admin, mr};
use rnic_driver::Errno;
use serde::Deserialize;
use serde_spanned::Spanned;

/// Cycles that an expectation waits when the step does not say.
pub const PATIENCE: u64 = 20_000;

macro_rules! actions {
    ($($(#[doc = $doc:literal])+ $key:ident: $variant:ident($body:ty),)+) => {
        /// What a step does.
        #[derive(Clone, Debug)]
        pub enum Action {
            $($(#[doc = $doc])+ $variant(Box<$body>),)+
        }

        /// Keys of all actions, with what they do.
        pub const ACTIONS: &[(&str, &str)] = &[$((stringify!($key), concat!($($doc),+)),)+];

        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Keys {
            title: Option<String>,
            $($key: Option<Box<$body>>,)+
        }

        impl Action {
            /// The key in the file.
            pub fn key(&self) -> &'static str {
                match self { $(Self::$variant(_) => stringify!($key),)+ }
            }
        }

        impl From<Keys> for Step {
            fn from(keys: Keys) -> Self {
                let mut found = Vec::new();
                $(if let Some(body) = keys.$key {
                    found.push(Action::$variant(body));
                })+
                let mistake = match found.len() {
                    0 => Some("a step has an action"),
                    1 => None,
                    _ => Some("a step has one action; write two steps"),
                };
                let action = found.pop().unwrap_or(Action::Run(Box::new(Run { cycles: 0 })));
                Step { title: keys.title, action, line: 0, mistake }
            }
        }
    };
}

/// One step.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it is about; else a summary is made.
    pub title: Option<String>,
    /// What it does.
    pub action: Action,
    /// Line in the file.
    pub line: usize,
    /// Not exactly one action: found when the file is checked, where the line is known.
    pub(super) mistake: Option<&'static str>,
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Keys::deserialize(deserializer).map(Self::from)
    }
}

actions! {
    /// Allocates a memory region during the run.
    alloc_mr: AllocMr(AllocMr),
    /// Deregisters a memory region.
    dereg_mr: DeregMr(DeregMr),
    /// Sets the byte of the driver's copy of a key.
    update_key: UpdateKey(UpdateKey),
    /// Ends the quarantine of a memory region.
    recover_mr: RecoverMr(RecoverMr),
    /// Frees a protection domain.
    free_pd: FreePd(FreePd),
    /// Creates a completion queue during the run.
    create_cq: CreateCq(CreateCq),
    /// Destroys a completion queue.
    destroy_cq: DestroyCq(DestroyCq),
    /// Creates a queue pair during the run.
    create_qp: CreateQp(CreateQp),
    /// Destroys a queue pair.
    destroy_qp: DestroyQp(QpStep),
    /// Moves a queue pair to a state.
    modify_qp: ModifyQp(ModifyQp),
    /// Drains a queue pair: ERR, a marker, its completion.
    drain: Drain(QpStep),
    /// Runs an admin command word by word.
    admin: Admin(AdminStep),
    /// Posts a REG_MR.
    reg_mr: RegMr(RegMr),
    /// Posts a LOCAL_INV.
    local_inv: LocalInv(LocalInv),
    /// Posts 64-byte slots as they are.
    raw: Raw(Raw),
    /// Posts receive requests.
    receive: Receive(Receive),
    /// Rings a doorbell for what was posted with `ring = false`, or with a value of its own.
    ring: Ring(Ring),
    /// Asks a completion queue for an interrupt.
    arm: Arm(Arm),
    /// Expects the next completion.
    completion: Completion(Completion),
    /// Expects no completion.
    no_completion: NoCompletion(NoCompletion),
    /// Expects what an access check answers.
    probe: Probe(Probe),
    /// Expects the device's table entry of a memory region.
    query_mr: QueryMr(QueryMr),
    /// Expects the device's view of a queue pair.
    query_qp: QueryQp(QueryQp),
    /// Reads a register.
    read_register: ReadRegister(ReadRegister),
    /// Writes a register.
    write_register: WriteRegister(WriteRegister),
    /// Expects a counter of errors or drops.
    counter: Counter(Counter),
    /// Expects the next event.
    event: Event(Event),
    /// Expects no event.
    no_event: NoEvent(Within),
    /// Expects an interrupt.
    interrupt: Interrupt(Interrupt),
    /// Expects no interrupt.
    no_interrupt: NoInterrupt(Interrupt),
    /// Expects bytes in memory.
    expect_memory: Memory(Memory),
    /// Writes bytes to memory.
    write_memory: WriteMemory(Memory),
    /// Lets bus accesses fail.
    inject_fault: InjectFault(InjectFault),
    /// Ends all injected faults.
    clear_faults: ClearFaults(Nothing),
    /// Takes memory away from the device.
    unmap: Unmap(Unmap),
    /// Expects no bus access to memory from here to the end of the run.
    no_access_from_here: NoAccess(NoAccess),
    /// Lets time pass.
    run: Run(Run),
    /// Repeats steps.
    repeat: Repeat(Repeat),
}

/// No fields.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// `alloc_mr`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllocMr {
    /// New name.
    pub mr: String,
    /// Protection domain.
    pub pd: String,
    /// Longest page list.
    pub max_pages: u16,
    /// Type.
    pub kind: Option<Code<mr::Type>>,
    /// Expected error; success when not given.
    pub errno: Option<Code<Errno>>,
}

/// `dereg_mr`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeregMr {
    /// Memory region.
    pub mr: String,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `update_key`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateKey {
    /// Memory region.
    pub mr: String,
    /// New key byte.
    pub byte: u8,
}

/// `recover_mr`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecoverMr {
    /// Memory region.
    pub mr: String,
    /// State that it is expected to have.
    pub state: Option<Code<mr::State>>,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `free_pd`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FreePd {
    /// Protection domain.
    pub pd: String,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `create_cq`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateCq {
    /// New name.
    pub cq: String,
    /// As in `[cq.NAME]`.
    #[serde(rename = "with")]
    pub table: CqTable,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `destroy_cq`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DestroyCq {
    /// Completion queue.
    pub cq: String,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `create_qp`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateQp {
    /// New name.
    pub qp: String,
    /// As in `[qp.NAME]`.
    #[serde(rename = "with")]
    pub table: QpTable,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `drain`, `destroy_qp`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QpStep {
    /// Queue pair.
    pub qp: String,
}

/// `modify_qp`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModifyQp {
    /// Queue pair.
    pub qp: String,
    /// State to reach. `RTS` goes through RESET, INIT and RTR where it must.
    pub state: Code<State>,
    /// For SQD: an event when drained.
    pub drained_event: Option<bool>,
    /// Only this transition, without the way through other states.
    #[serde(default)]
    pub direct: bool,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `admin`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdminStep {
    /// Name or number of the command.
    pub command: CommandNumber,
    /// Command words from word 0 on.
    #[serde(default)]
    pub words: Vec<Word>,
    /// Expected answer words from word 0 on.
    pub answer: Option<Vec<Word>>,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// An admin command, also an undefined one.
#[derive(Clone, Copy, Debug)]
pub struct CommandNumber(pub u8);

impl<'de> Deserialize<'de> for CommandNumber {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(u8),
            Name(Code<admin::Command>),
        }
        let wanted = "expected an admin command such as \"QUERY_MR\", or a number below 256";
        Either::deserialize(deserializer).map_err(|_| serde::de::Error::custom(wanted)).map(|either| match either {
            Either::Number(number) => Self(number),
            Either::Name(Code(command)) => Self(command.code()),
        })
    }
}

/// Bytes of a slot to change before it is posted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// Offset in the slot.
    pub at: u8,
    /// Bytes to put there.
    pub bytes: Hex,
}

/// `reg_mr`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegMr {
    /// Queue pair.
    pub qp: String,
    /// Memory region.
    pub mr: String,
    /// Key in full; else the region's key with the byte below.
    pub key: Option<Number>,
    /// Key byte; else one more than the last (rule A13).
    pub key_byte: Option<u8>,
    /// Rights.
    #[serde(default)]
    pub access: AccessBits,
    /// log2 of the page size.
    #[serde(default = "shift")]
    pub page_shift: u8,
    /// Pages in the request itself.
    pub pages: Option<Vec<Place>>,
    /// A page list.
    pub list: Option<String>,
    /// Bus address of a list that the driver does not own.
    pub list_at: Option<Place>,
    /// Number of pages; else as many as the list has.
    pub npages: Option<u16>,
    /// First byte offset; else what `iova` says.
    pub fbo: Option<u32>,
    /// First address.
    #[serde(default)]
    pub iova: Number,
    /// Bytes; else all pages behind the offset.
    pub length: Option<Number>,
    /// A success has a completion.
    #[serde(default = "yes")]
    pub signaled: bool,
    /// Fence flag.
    #[serde(default)]
    pub fence: bool,
    /// Solicited flag (not allowed).
    #[serde(default)]
    pub solicited: bool,
    /// Data in the request (not offered).
    #[serde(default)]
    pub inline_data: bool,
    /// Consumer's number.
    pub wr_id: Option<u64>,
    /// Bytes of the slot to change before it is posted.
    #[serde(default)]
    pub patch: Vec<Patch>,
    /// Leave the judgement to the hardware.
    #[serde(default)]
    pub unchecked: bool,
    /// Ring the doorbell.
    #[serde(default = "yes")]
    pub ring: bool,
    /// Expected error of the post.
    pub errno: Option<Code<Errno>>,
}

/// `local_inv`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalInv {
    /// Queue pair.
    pub qp: String,
    /// Memory region: its present key.
    pub mr: Option<String>,
    /// Key byte instead of the present one.
    pub key_byte: Option<u8>,
    /// Key in full.
    pub key: Option<Number>,
    /// A success has a completion.
    #[serde(default = "yes")]
    pub signaled: bool,
    /// Fence flag.
    #[serde(default)]
    pub fence: bool,
    /// Consumer's number.
    pub wr_id: Option<u64>,
    /// Bytes of the slot to change before it is posted.
    #[serde(default)]
    pub patch: Vec<Patch>,
    /// Leave the judgement to the hardware.
    #[serde(default)]
    pub unchecked: bool,
    /// Ring the doorbell.
    #[serde(default = "yes")]
    pub ring: bool,
    /// Expected error of the post.
    pub errno: Option<Code<Errno>>,
}

/// `raw`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Raw {
    /// Queue pair.
    pub qp: String,
    /// Bytes of one or two slots; missing ones at the end are 0.
    pub slot: Hex,
    /// Consumer's number.
    pub wr_id: Option<u64>,
    /// How often.
    #[serde(default = "once")]
    pub times: u32,
    /// Ring the doorbell.
    #[serde(default = "yes")]
    pub ring: bool,
    /// Expected error of the post.
    pub errno: Option<Code<Errno>>,
}

/// `receive`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receive {
    /// Queue pair.
    pub qp: String,
    /// How many.
    #[serde(default = "once")]
    pub times: u32,
    /// Consumer's number of the first; the others count on.
    pub wr_id: Option<u64>,
    /// Ring the doorbell.
    #[serde(default = "yes")]
    pub ring: bool,
    /// Expected error of the post.
    pub errno: Option<Code<Errno>>,
}

/// Which queue of a queue pair.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Queue {
    /// Send queue.
    #[default]
    Send,
    /// Receive queue.
    Receive,
}

/// `ring`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ring {
    /// Queue pair.
    pub qp: String,
    /// Which doorbell.
    #[serde(default)]
    pub queue: Queue,
    /// Value of the register; else the right one.
    pub value: Option<u32>,
}

/// `arm`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// Completion queue.
    pub cq: String,
    /// Only for solicited and error completions.
    #[serde(default)]
    pub solicited: bool,
}

/// `completion`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Completion {
    /// Queue pair that it must be of.
    pub qp: Option<String>,
    /// Completion queue; else that of the queue pair.
    pub cq: Option<String>,
    /// Status.
    #[serde(default = "success")]
    pub status: Code<Status>,
    /// Syndrome; 0 for success and flush.
    pub syndrome: Option<Code<Syndrome>>,
    /// Consumer's number.
    pub wr_id: Option<u64>,
    /// Opcode.
    pub opcode: Option<Code<Opcode>>,
    /// Of the receive queue.
    #[serde(default)]
    pub receive: bool,
    /// Slot of the first block.
    pub slot: Option<u16>,
    /// byte_len.
    pub byte_len: Option<u32>,
    /// So many of them, one after another.
    #[serde(default = "once")]
    pub times: u32,
    /// Cycles to wait for each.
    pub within: Option<u64>,
}

/// `no_completion`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoCompletion {
    /// Completion queue.
    pub cq: String,
    /// For so many cycles.
    pub within: Option<u64>,
}

/// `probe`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Queue pair.
    pub qp: String,
    /// Memory region: its present key.
    pub mr: Option<String>,
    /// Key byte instead of the present one.
    pub key_byte: Option<u8>,
    /// Key in full.
    pub key: Option<Number>,
    /// First address.
    #[serde(default)]
    pub va: Number,
    /// Bytes.
    pub length: u32,
    /// Rights that the access needs.
    #[serde(default)]
    pub access: AccessBits,
    /// As a remote access.
    #[serde(default)]
    pub remote: bool,
    /// Expected syndrome.
    pub syndrome: Option<Code<Syndrome>>,
    /// Expected pieces: bus address and bytes of each, in order.
    pub pieces: Option<Vec<(Place, u32)>>,
}

/// `query_mr`. Fields that are not given are not compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryMr {
    /// Memory region.
    pub mr: Option<String>,
    /// Index, for an entry without a name.
    pub index: Option<u32>,
    /// State.
    pub state: Option<Code<mr::State>>,
    /// Type.
    pub kind: Option<Code<mr::Type>>,
    /// Key in full.
    pub key: Option<Number>,
    /// Key byte.
    pub key_byte: Option<u8>,
    /// Granted rights.
    pub access: Option<AccessBits>,
    /// Protection domain.
    pub pd: Option<String>,
    /// log2 of the page size.
    pub page_shift: Option<u8>,
    /// Pages registered.
    pub npages: Option<u16>,
    /// Largest number of pages.
    pub max_pages: Option<u16>,
    /// First address.
    pub iova: Option<Number>,
    /// Bytes.
    pub length: Option<Number>,
    /// First byte offset.
    pub fbo: Option<u32>,
    /// Registrations so far.
    pub generation: Option<u32>,
    /// Accesses in flight.
    pub in_flight: Option<u32>,
}

/// `query_qp`. Fields that are not given are not compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryQp {
    /// Queue pair.
    pub qp: String,
    /// State.
    pub state: Option<Code<State>>,
    /// Drained in SQD.
    pub drained: Option<bool>,
    /// Send slots retired.
    pub sq_retired: Option<u16>,
    /// Receive slots used.
    pub rq_used: Option<u16>,
    /// Requests in flight.
    pub in_flight: Option<u32>,
    /// Asks again for up to so many cycles.
    pub within: Option<u64>,
}

/// Response of a register access.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub enum Response {
    /// Done.
    #[default]
    Okay,
    /// Refused.
    Slverr,
    /// No such register.
    Decerr,
}

/// `read_register`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadRegister {
    /// Register.
    pub register: RegisterOffset,
    /// Expected value of the bits in `mask`.
    pub value: Option<u32>,
    /// Bits that are compared.
    #[serde(default = "all_bits")]
    pub mask: u32,
    /// Expected response.
    #[serde(default)]
    pub response: Response,
    /// Reads again for up to so many cycles.
    pub within: Option<u64>,
}

/// `write_register`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteRegister {
    /// Register.
    pub register: RegisterOffset,
    /// Value.
    pub value: Word,
    /// One bit for each byte to write.
    #[serde(default = "all_strobes")]
    pub strobes: u8,
    /// Expected response.
    #[serde(default)]
    pub response: Response,
}

/// `counter`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counter {
    /// Errors with this syndrome.
    pub syndrome: Option<Code<Syndrome>>,
    /// Drops for this reason.
    pub drop: Option<Code<Drop>>,
    /// Expected value.
    pub value: u32,
}

/// `event`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// What happened.
    pub kind: Code<Kind>,
    /// Completion queue whose number it carries.
    pub cq: Option<String>,
    /// Queue pair whose number it carries.
    pub qp: Option<String>,
    /// Detail.
    pub detail: Option<u32>,
    /// Cycles to wait.
    pub within: Option<u64>,
}

/// `no_event`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Within {
    /// For so many cycles.
    pub within: Option<u64>,
}

/// `interrupt`, `no_interrupt`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interrupt {
    /// Vector.
    #[serde(default)]
    pub vector: u8,
    /// Cycles to wait.
    pub within: Option<u64>,
}

/// `expect_memory`, `write_memory`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Where.
    pub at: Place,
    /// The bytes.
    pub bytes: Option<Hex>,
    /// 64-bit words, little-endian; places stand for their bus address.
    pub words: Option<Vec<Place>>,
}

/// Which way a bus access goes.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// The device reads.
    #[default]
    Read,
    /// The device writes.
    Write,
}

/// `inject_fault`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InjectFault {
    /// Reads or writes.
    #[serde(default)]
    pub way: Way,
    /// Only accesses to this memory.
    pub at: Option<Place>,
    /// Bytes of it.
    pub bytes: Option<u64>,
    /// Only bursts of this AXI id.
    pub id: Option<u8>,
    /// Bursts to leave alone first.
    #[serde(default)]
    pub skip: u32,
    /// Bursts to hit; 0 is all from then on.
    #[serde(default = "once")]
    pub times: u32,
    /// SLVERR or DECERR.
    #[serde(default = "slverr")]
    pub response: Response,
}

/// `unmap`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unmap {
    /// Memory.
    pub memory: String,
    /// Only this page of it.
    pub page: Option<u32>,
}

/// `no_access_from_here`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoAccess {
    /// Whole memories, or pages of them.
    pub pages: Vec<Place>,
}

/// `run`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// So many cycles.
    pub cycles: u64,
}

/// `repeat`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// How often.
    pub times: u32,
    /// What.
    pub step: Vec<Spanned<Step>>,
}

fn yes() -> bool {
    true
}

fn once() -> u32 {
    1
}

fn shift() -> u8 {
    12
}

fn success() -> Code<Status> {
    Code(Status::Success)
}

fn all_bits() -> u32 {
    u32::MAX
}

fn all_strobes() -> u8 {
    0xF
}

fn slverr() -> Response {
    Response::Slverr
}
