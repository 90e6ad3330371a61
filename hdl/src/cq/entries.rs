//! Table of the completion queues: which exist, and how many queues of queue pairs use each.
//!
//! Admin commands run one at a time, so a command of a queue pair (`use_*`) and one on a CQ (`look`, `store`) never meet.
use super::CqEntry;
use crate::widgets::Memory;
use rust_hdl::prelude::*;

/// Entries of 2^CA completion queues.
#[derive(LogicBlock)]
pub struct CqEntries<const CA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Entry `clear_index` is being cleared.
    pub clearing: Signal<In, Bit>,
    /// Entry to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// Queue to look at for a queue pair; `use_exists` follows after two cycles.
    pub use_cqn: Signal<In, Bits<12>>,
    /// It exists.
    pub use_exists: Signal<Out, Bit>,
    /// One more queue uses it; `use_cqn` has been stable for four cycles.
    pub use_take: Signal<In, Bit>,
    /// One queue less uses it.
    pub use_release: Signal<In, Bit>,
    /// Queue of the admin command.
    pub cqn: Signal<In, Bits<12>>,
    /// Look at `cqn` instead of `use_cqn`.
    pub look: Signal<In, Bit>,
    /// Entry one cycle after `look`.
    pub found: Signal<Out, CqEntry>,
    /// Writes the entry of `cqn`: unused.
    pub store: Signal<In, Bit>,
    /// It exists.
    pub exists: Signal<In, Bit>,
    entries: Memory<CqEntry, CA>,
    there: DFF<Bit>,
    entry: Signal<Local, CqEntry>,
    changed: Signal<Local, CqEntry>,
    foreign: Signal<Local, Bits<12>>,
    no_cqn: Constant<Bits<12>>,
}

impl<const CA: usize> Default for CqEntries<CA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            use_cqn: Default::default(),
            use_exists: Default::default(),
            use_take: Default::default(),
            use_release: Default::default(),
            cqn: Default::default(),
            look: Default::default(),
            found: Default::default(),
            store: Default::default(),
            exists: Default::default(),
            entries: Default::default(),
            there: Default::default(),
            entry: Default::default(),
            changed: Default::default(),
            foreign: Default::default(),
            no_cqn: Constant::new(bits(0xFFF & !((1 << CA) - 1))),
        }
    }
}

impl<const CA: usize> Logic for CqEntries<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, there);
        clock!(self, clock, entries);
        self.entries.read.next = true;
        self.entries.read_address.next = bit_cast::<CA, 12>(self.use_cqn.val());
        if self.look.val() {
            self.entries.read_address.next = bit_cast::<CA, 12>(self.cqn.val());
        }
        self.entry.next = self.entries.out.val();
        self.found.next = self.entry.val();
        self.foreign.next = self.use_cqn.val() & self.no_cqn.val();
        self.there.d.next = self.entry.val().exists & (self.foreign.val() == 0);
        self.use_exists.next = self.there.q.val();
        self.changed.next = self.entry.val();
        if self.use_take.val() {
            self.changed.next.uses = self.entry.val().uses + 1;
        }
        if self.use_release.val() & (self.entry.val().uses != 0) {
            self.changed.next.uses = self.entry.val().uses - 1;
        }
        self.entries.write.next = self.use_take.val() | self.use_release.val() | self.store.val() | self.clearing.val();
        self.entries.write_address.next = bit_cast::<CA, 12>(self.use_cqn.val());
        if self.store.val() {
            self.entries.write_address.next = bit_cast::<CA, 12>(self.cqn.val());
            self.changed.next.uses = 0.into();
            self.changed.next.exists = self.exists.val();
        }
        if self.clearing.val() {
            self.entries.write_address.next = bit_cast::<CA, 16>(self.clear_index.val());
            self.changed.next.uses = 0.into();
            self.changed.next.exists = false;
        }
        self.entries.data.next = self.changed.val();
    }
}
