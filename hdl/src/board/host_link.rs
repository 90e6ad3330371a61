//! From the frames of a MAC to the core's registers, memory and interrupts: link and TLP bridge as one block.
use crate::link::{Link, LinkSetup};
use crate::pcie::Bridge;
use crate::widgets::*;
use rust_hdl::prelude::*;

/// A read whose completion does not come fails after this time, ms (RD7).
const COMPLETION_TIMEOUT_MS: u64 = 500;

/// The host's link: what stands in for PCI Express on a board without it.
#[derive(LogicBlock)]
pub struct HostLink {
    /// Clock of the core.
    pub clock: Signal<In, Clock>,
    /// Reset, synchronous: no session.
    pub reset: Signal<In, Bit>,
    /// Frames of the MAC.
    pub rx: AxiStreamSubordinate<64, 8>,
    /// Frames for the MAC.
    pub tx: AxiStreamManager<64, 8>,
    /// Resets the core (SE1): before a session, after it, and with `reset`.
    pub core_reset: Signal<Out, Bit>,
    /// To the core's `s_axil`.
    pub registers: AxiLiteManager,
    /// From the read channels of the core's `m_axi`.
    pub read: AxiReadSubordinate<64>,
    /// From its write channels.
    pub write: AxiWriteSubordinate<64, 8>,
    /// Interrupt request of the core.
    pub irq_valid: Signal<In, Bit>,
    /// It is taken.
    pub irq_ready: Signal<Out, Bit>,
    /// Its vector.
    pub irq_vector: Signal<In, Bits<5>>,
    /// There is a session.
    pub up: Signal<Out, Bit>,
    /// Something went wrong on the line, or a TLP was malformed, in this cycle.
    pub trouble: Signal<Out, Bit>,
    /// No read tag is left (RD7).
    pub fatal: Signal<Out, Bit>,
    link: Link,
    bridge: Bridge,
    held: DFF<Bit>,
    stops: Signal<Local, Bit>,
}

impl HostLink {
    /// Link of a board.
    pub fn new(setup: LinkSetup) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            rx: Default::default(),
            tx: Default::default(),
            core_reset: Default::default(),
            registers: Default::default(),
            read: Default::default(),
            write: Default::default(),
            irq_valid: Default::default(),
            irq_ready: Default::default(),
            irq_vector: Default::default(),
            up: Default::default(),
            trouble: Default::default(),
            fatal: Default::default(),
            link: Link::new(setup),
            bridge: Bridge::new(COMPLETION_TIMEOUT_MS * 1000 * setup.ticks_per_us),
            held: Default::default(),
            stops: Default::default(),
        }
    }
}

impl Logic for HostLink {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held);
        clock!(self, clock, link, bridge);
        // A cycle late for the bridge too, so that both forget their halves of a transaction together.
        self.stops.next = self.reset.val() | self.link.session_reset.val();
        self.held.d.next = self.stops.val();
        self.link.reset.next = self.reset.val();
        self.bridge.reset.next = self.held.q.val();
        self.core_reset.next = self.held.q.val();

        // Frames below, TLPs between.
        AxiStreamSubordinate::<64, 8>::link(&mut self.rx, &mut self.link.rx);
        AxiStreamManager::<64, 8>::link(&mut self.tx, &mut self.link.tx);
        AxiStreamManager::<64, 8>::join(&mut self.link.to_bridge, &mut self.bridge.sink);
        AxiStreamManager::<64, 8>::join(&mut self.bridge.source, &mut self.link.from_bridge);
        self.bridge.bar_hit.next = self.link.bar_hit.val();
        self.link.nonposted_room.next = self.bridge.nonposted_room.val();
        self.bridge.nonposted_ok.next = self.link.nonposted_ok.val();
        self.bridge.device_id.next = self.link.device_id.val();
        self.bridge.mps.next = self.link.mps.val();
        self.bridge.mrrs.next = self.link.mrrs.val();
        self.bridge.bus_master_enable.next = self.link.link_up.val();
        self.bridge.link_up.next = self.link.link_up.val();
        self.link.counter.next = 0.into();

        // The core above.
        AxiLiteManager::link(&mut self.registers, &mut self.bridge.registers);
        AxiReadSubordinate::<64>::link(&mut self.read, &mut self.bridge.read);
        AxiWriteSubordinate::<64, 8>::link(&mut self.write, &mut self.bridge.write);
        self.bridge.irq_valid.next = self.irq_valid.val();
        self.irq_ready.next = self.bridge.irq_ready.val();
        self.bridge.irq_vector.next = self.irq_vector.val();
        self.up.next = self.link.link_up.val();
        self.trouble.next = self.link.trouble.val() | self.bridge.malformed.val();
        self.fatal.next = self.bridge.fatal.val();
    }
}
