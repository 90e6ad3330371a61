//! The steps of a scenario. Each `[[step]]` has exactly one action, named by its key.

use super::file::WireTable;
use serde::Deserialize;
use serde_spanned::Spanned;

mod expect;
mod host;
mod objects;
mod post;
mod raw;
mod wire;

pub use expect::*;
pub use host::*;
pub use objects::*;
pub use post::*;
pub use raw::*;
pub use wire::*;

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
    /// Connects a queue pair to another, or to a peer that only the test knows.
    connect: Connect(Connect),
    /// Drains a queue pair: ERR, a marker, its completion.
    drain: Drain(QpStep),
    /// Runs an admin command word by word.
    admin: Admin(AdminStep),
    /// Posts a REG_MR.
    reg_mr: RegMr(RegMr),
    /// Posts a LOCAL_INV.
    local_inv: LocalInv(LocalInv),
    /// Posts a SEND.
    send: Send(DataWr),
    /// Posts a WRITE.
    write: Write(DataWr),
    /// Posts a READ.
    read: Read(DataWr),
    /// Posts a compare and swap.
    cmp_swap: CmpSwap(AtomicWr),
    /// Posts a fetch and add.
    fetch_add: FetchAdd(AtomicWr),
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
    /// Fills memory with random bytes.
    fill_memory: FillMemory(Pattern),
    /// Expects random bytes of a seed, or the bytes of another place.
    compare_memory: CompareMemory(Pattern),
    /// Lets bus accesses fail.
    inject_fault: InjectFault(InjectFault),
    /// Ends all injected faults.
    clear_faults: ClearFaults(OnNic),
    /// Takes memory away from the device.
    unmap: Unmap(Unmap),
    /// Expects no bus access to memory from here to the end of the run.
    no_access_from_here: NoAccess(NoAccess),
    /// Changes how the wire behaves.
    wire: Wire(WireTable),
    /// Lets something happen to chosen frames.
    wire_fault: WireFault(WireFault),
    /// Ends all faults of the wire.
    clear_wire_faults: ClearWireFaults(Nothing),
    /// Gives a made-up frame to a NIC.
    inject_frame: InjectFrame(InjectFrame),
    /// Expects the next frame that a NIC sends.
    expect_frame: ExpectFrame(ExpectFrame),
    /// Expects no frame.
    no_frame: NoFrame(Within),
    /// Forgets the frames that a NIC has sent so far.
    forget_frames: ForgetFrames(OnNic),
    /// Expects a counter of the wire.
    wire_counter: WireCounter(WireCounter),
    /// Opens the raw rings.
    open_raw: OpenRaw(OpenRaw),
    /// Sends a raw frame.
    send_raw: SendRaw(SendRaw),
    /// Expects the next raw frame in the receive ring.
    receive_raw: ReceiveRaw(ReceiveRaw),
    /// Expects no raw frame in the receive ring.
    no_raw: NoRaw(Within),
    /// Expects how many raw frames have not left.
    raw_unsent: RawUnsent(RawUnsent),
    /// Lets time pass.
    run: Run(Run),
    /// Repeats steps.
    repeat: Repeat(Repeat),
}

/// No fields.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

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
