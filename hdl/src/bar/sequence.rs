//! Reset of the core, by port or by CONTROL.b0: work on the ports stops, bursts on the bus and the frame on the wire are
//! finished (I7: nothing offered is withdrawn, so a wire that never takes its frame holds the reset up), all tables are cleared.
//!
//! `bus_stop`, then `bus_idle` for eight cycles in a row (an engine may see the stop late), then `core_reset` with one table
//! entry cleared a cycle, then `core_reset` alone for eight cycles, then `ready`.
use rust_hdl::prelude::*;

/// Where the reset stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Phase {
    /// Waits for the end of all bursts and of the frame.
    StopBus,
    /// Clears tables.
    ClearTables,
    /// Lets registered copies of the clear signals run out.
    Settle,
    /// The core works.
    Ready,
}

/// Sequencer of the core's reset.
#[derive(LogicBlock)]
pub struct ResetSequence {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Port reset.
    pub reset: Signal<In, Bit>,
    /// Reset by register; while one is under way it changes nothing.
    pub restart: Signal<In, Bit>,
    /// Start no burst and no frame.
    pub bus_stop: Signal<Out, Bit>,
    /// No burst is on the bus, no frame on the wire, and no interrupt request waits to be taken.
    pub bus_idle: Signal<In, Bit>,
    /// Reset of all other subsystems.
    pub core_reset: Signal<Out, Bit>,
    /// Clear entry `clear_index` of each table that has it.
    pub clearing: Signal<Out, Bit>,
    /// Entry to clear.
    pub clear_index: Signal<Out, Bits<16>>,
    /// Commands and doorbells are taken.
    pub ready: Signal<Out, Bit>,
    phase: DFF<Phase>,
    count: DFF<Bits<16>>,
    last: Constant<Bits<16>>,
}

impl ResetSequence {
    /// Clears `entries` entries: as many as the largest table has.
    pub fn new(entries: usize) -> Self {
        assert!((1..=0x1_0000).contains(&entries), "{entries} table entries");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            restart: Default::default(),
            bus_stop: Default::default(),
            bus_idle: Default::default(),
            core_reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            ready: Default::default(),
            phase: Default::default(),
            count: Default::default(),
            last: Constant::new((entries - 1).to_bits()),
        }
    }
}

impl Logic for ResetSequence {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, phase, count);
        // Still while the tables are cleared: `core_reset` reaches the clients of the DMA through a register.
        self.bus_stop.next = (self.phase.q.val() == Phase::StopBus) | (self.phase.q.val() == Phase::ClearTables);
        self.clearing.next = self.phase.q.val() == Phase::ClearTables;
        self.core_reset.next = (self.phase.q.val() == Phase::ClearTables) | (self.phase.q.val() == Phase::Settle);
        self.clear_index.next = self.count.q.val();
        self.ready.next = self.phase.q.val() == Phase::Ready;
        self.count.d.next = self.count.q.val() + 1;
        match self.phase.q.val() {
            Phase::StopBus => {
                if !self.bus_idle.val() {
                    self.count.d.next = 0.into();
                } else if self.count.q.val() == 7 {
                    self.count.d.next = 0.into();
                    self.phase.d.next = Phase::ClearTables;
                }
            }
            Phase::ClearTables => {
                if self.count.q.val() == self.last.val() {
                    self.count.d.next = 0.into();
                    self.phase.d.next = Phase::Settle;
                }
            }
            Phase::Settle => {
                if self.count.q.val() == 7 {
                    self.phase.d.next = Phase::Ready;
                }
            }
            Phase::Ready => {
                self.count.d.next = 0.into();
                if self.restart.val() {
                    self.phase.d.next = Phase::StopBus;
                }
            }
        }
        if self.reset.val() {
            self.phase.d.next = Phase::StopBus;
            self.count.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    fn step(uut: &mut ResetSequence) {
        tick(uut, |u| &mut u.clock);
    }

    fn started(entries: usize, idle: bool) -> ResetSequence {
        let mut uut = ResetSequence::new(entries);
        uut.connect_all();
        uut.bus_idle.next = idle;
        uut.restart.next = false;
        uut.reset.next = true;
        for _ in 0..16 {
            step(&mut uut);
        }
        uut.reset.next = false;
        uut
    }

    #[test]
    fn every_entry_is_cleared_once_under_core_reset_before_ready() {
        let mut uut = started(20, true);
        let mut cleared = vec![];
        while !uut.ready.val() {
            step(&mut uut);
            if uut.clearing.val() {
                assert!(uut.core_reset.val());
                cleared.push(uut.clear_index.val().to_u64());
            }
            assert!(cleared.len() <= 20);
        }
        assert_eq!(cleared, (0..20).collect::<Vec<_>>());
        assert!(!uut.core_reset.val());
    }

    #[test]
    fn tables_are_not_touched_while_bursts_are_on_the_bus() {
        let mut uut = started(4, false);
        for _ in 0..100 {
            step(&mut uut);
            assert!(uut.bus_stop.val() && !uut.core_reset.val() && !uut.ready.val());
        }
        // A gap of less than eight idle cycles does not count.
        for _ in 0..5 {
            uut.bus_idle.next = true;
            for _ in 0..7 {
                step(&mut uut);
            }
            uut.bus_idle.next = false;
            step(&mut uut);
        }
        assert!(uut.bus_stop.val());
        uut.bus_idle.next = true;
        for _ in 0..9 {
            step(&mut uut);
        }
        assert!(uut.core_reset.val());
    }

    #[test]
    fn a_reset_by_register_runs_the_whole_sequence_again() {
        let mut uut = started(4, true);
        for _ in 0..64 {
            step(&mut uut);
        }
        assert!(uut.ready.val());
        uut.restart.next = true;
        step(&mut uut);
        uut.restart.next = false;
        step(&mut uut);
        assert!(!uut.ready.val() && uut.bus_stop.val());
        let mut cleared = 0;
        while !uut.ready.val() {
            step(&mut uut);
            cleared += usize::from(uut.clearing.val());
            // A second request in the middle is part of the first.
            uut.restart.next = cleared == 2;
        }
        assert_eq!(cleared, 4);
    }
}
