//! Management of the PHYs on one bus: reset, set-up, and the state of their links (MC7, MC11).
//!
//! After the reset sequence each PHY gets the W writes of the board. Then, once a millisecond, each PHY is asked for its
//! status twice (bit 2 of BMSR stays 0 after a loss until it is read, so the second answer is of now), and for what its
//! partner offers: a port whose partner is not capable of 1000 Mb/s is held down (MC6).
use super::{MdioCommand, MdioFrame, PhyReset, FASTEST_MDC_KHZ};
use rust_hdl::prelude::*;

/// What the master is doing.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum MdioState {
    /// Waits for the end of the reset sequence.
    AwaitWake,
    /// Set-up writes.
    Setup,
    /// Waits for the next millisecond.
    Rest,
    /// BMSR, to clear what it remembers.
    StatusBefore,
    /// BMSR, bit 2: link.
    StatusNow,
    /// 1000BASE-T status, bit 11: the partner offers full duplex.
    Partner,
}

/// Basic mode status register.
pub const BMSR: u64 = 1;
/// 1000BASE-T status register.
pub const GIGABIT_STATUS: u64 = 10;

/// A write to a register of each PHY at set-up.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct SetupWrite {
    /// Register.
    pub register: u8,
    /// Value.
    pub value: u16,
}

/// Management of N PHYs with W writes at set-up.
#[derive(LogicBlock)]
pub struct Mdio<const N: usize, const W: usize> {
    /// Clock of the core.
    pub clock: Signal<In, Clock>,
    /// Begins anew with the reset of the PHYs; from the PLL, not from the session.
    pub reset: Signal<In, Bit>,
    /// Reset pin of the PHYs.
    pub phy_reset_n: Signal<Out, Bit>,
    /// Pin MDC.
    pub mdc: Signal<Out, Bit>,
    /// Pin MDIO, to the PHYs,
    pub mdio_out: Signal<Out, Bit>,
    /// if it is driven;
    pub mdio_drive: Signal<Out, Bit>,
    /// from the PHYs.
    pub mdio_in: Signal<In, Bit>,
    /// PHY i has a link.
    pub link: Signal<Out, Bits<N>>,
    /// The link of PHY i is one of 1000 Mb/s, full duplex.
    pub gigabit: Signal<Out, Bits<N>>,
    state: DFF<MdioState>,
    item: DFF<Bits<5>>,
    turn: DFF<Bits<3>>,
    links: DFF<Bits<N>>,
    partners: DFF<Bits<N>>,
    asks: Signal<Local, Bit>,
    command: Signal<Local, MdioCommand>,
    link_seen: Signal<Local, Bit>,
    partner_seen: Signal<Local, Bit>,
    last_turn: Signal<Local, Bit>,
    wake_up: PhyReset,
    frame: MdioFrame,
    address: [Constant<Bits<5>>; N],
    number: [Constant<Bits<3>>; N],
    place: [Constant<Bits<5>>; W],
    setup_register: [Constant<Bits<5>>; W],
    setup_value: [Constant<Bits<16>>; W],
    items: Constant<Bits<5>>,
    last_number: Constant<Bits<3>>,
    bmsr: Constant<Bits<5>>,
    gigabit_status: Constant<Bits<5>>,
}

impl<const N: usize, const W: usize> Mdio<N, W> {
    /// For PHYs at `addresses`, with a clock of `core_khz`.
    pub fn new(core_khz: u32, addresses: [u8; N], setup: [SetupWrite; W]) -> Self {
        Self::with_timing(core_khz, core_khz.div_ceil(2 * FASTEST_MDC_KHZ), addresses, setup)
    }

    /// The same with a millisecond and half a period of MDC in clocks: simulations shorten the former.
    pub fn with_timing(cycles_per_ms: u32, half_period: u32, addresses: [u8; N], setup: [SetupWrite; W]) -> Self {
        assert!((1..=8).contains(&N) && W < 32 && addresses.iter().all(|address| *address < 32), "{addresses:?}");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            phy_reset_n: Default::default(),
            mdc: Default::default(),
            mdio_out: Default::default(),
            mdio_drive: Default::default(),
            mdio_in: Default::default(),
            link: Default::default(),
            gigabit: Default::default(),
            state: Default::default(),
            item: Default::default(),
            turn: Default::default(),
            links: Default::default(),
            partners: Default::default(),
            asks: Default::default(),
            command: Default::default(),
            link_seen: Default::default(),
            partner_seen: Default::default(),
            last_turn: Default::default(),
            wake_up: PhyReset::new(cycles_per_ms),
            frame: MdioFrame::new(half_period),
            address: addresses.map(|address| Constant::new(u64::from(address).into())),
            number: std::array::from_fn(|i| Constant::new((i as u64).into())),
            place: std::array::from_fn(|i| Constant::new((i as u64).into())),
            setup_register: setup.map(|write| Constant::new(u64::from(write.register).into())),
            setup_value: setup.map(|write| Constant::new(u64::from(write.value).into())),
            items: Constant::new((W as u64).into()),
            last_number: Constant::new((N as u64 - 1).into()),
            bmsr: Constant::new(BMSR.into()),
            gigabit_status: Constant::new(GIGABIT_STATUS.into()),
        }
    }
}

impl<const N: usize, const W: usize> Logic for Mdio<N, W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, item, turn, links, partners);
        clock!(self, clock, wake_up, frame);
        self.wake_up.reset.next = self.reset.val();
        self.frame.reset.next = self.reset.val();
        self.frame.mdio_in.next = self.mdio_in.val();
        self.asks.next = false;
        self.command.next.writes = self.state.q.val() == MdioState::Setup;
        self.command.next.phy = 0.into();
        self.command.next.register = self.bmsr.val();
        self.command.next.data = 0.into();
        for i in 0..N {
            if self.turn.q.val() == self.number[i].val() {
                self.command.next.phy = self.address[i].val();
            }
        }
        self.last_turn.next = self.turn.q.val() == self.last_number.val();
        self.link_seen.next = self.frame.answered.val() & self.frame.value.val().get_bit(2);
        self.partner_seen.next = self.frame.answered.val() & self.frame.value.val().get_bit(11);
        match self.state.q.val() {
            MdioState::AwaitWake => {
                if self.wake_up.awake.val() {
                    self.state.d.next = MdioState::Setup;
                }
            }
            MdioState::Setup => {
                for i in 0..W {
                    if self.item.q.val() == self.place[i].val() {
                        self.command.next.register = self.setup_register[i].val();
                        self.command.next.data = self.setup_value[i].val();
                    }
                }
                self.asks.next = self.item.q.val() != self.items.val();
                if self.frame.done.val() {
                    self.item.d.next = self.item.q.val() + 1;
                }
                if !self.asks.val() {
                    self.item.d.next = 0.into();
                    self.turn.d.next = self.turn.q.val() + 1;
                    if self.last_turn.val() {
                        self.turn.d.next = 0.into();
                        self.state.d.next = MdioState::Rest;
                    }
                }
            }
            MdioState::Rest => {
                if self.wake_up.millisecond.val() {
                    self.state.d.next = MdioState::StatusBefore;
                }
            }
            MdioState::StatusBefore => {
                self.asks.next = true;
                if self.frame.done.val() {
                    self.state.d.next = MdioState::StatusNow;
                }
            }
            MdioState::StatusNow => {
                self.asks.next = true;
                if self.frame.done.val() {
                    self.state.d.next = MdioState::Partner;
                    for i in 0..N {
                        if self.turn.q.val() == self.number[i].val() {
                            self.links.d.next = self.links.q.val().replace_bit(i, self.link_seen.val());
                        }
                    }
                }
            }
            MdioState::Partner => {
                self.asks.next = true;
                self.command.next.register = self.gigabit_status.val();
                if self.frame.done.val() {
                    for i in 0..N {
                        if self.turn.q.val() == self.number[i].val() {
                            self.partners.d.next = self.partners.q.val().replace_bit(i, self.partner_seen.val());
                        }
                    }
                    self.turn.d.next = self.turn.q.val() + 1;
                    self.state.d.next = MdioState::StatusBefore;
                    if self.last_turn.val() {
                        self.turn.d.next = 0.into();
                        self.state.d.next = MdioState::Rest;
                    }
                }
            }
        }
        self.frame.command.next = self.command.val();
        self.frame.start.next = self.asks.val() & !self.frame.busy.val();
        self.phy_reset_n.next = self.wake_up.phy_reset_n.val();
        self.mdc.next = self.frame.mdc.val();
        self.mdio_out.next = self.frame.mdio_out.val();
        self.mdio_drive.next = self.frame.mdio_drive.val();
        self.link.next = self.links.q.val();
        self.gigabit.next = self.links.q.val() & self.partners.q.val();
        if self.reset.val() {
            self.state.d.next = MdioState::AwaitWake;
            self.item.d.next = 0.into();
            self.turn.d.next = 0.into();
            self.links.d.next = 0.into();
            self.partners.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;
    use std::collections::HashMap;

    /// Two PHYs as clause 22 describes them: they sample MDIO at rising edges of MDC, and drive after them.
    #[derive(Default)]
    struct Phys {
        registers: HashMap<(u8, u8), u16>,
        ones: usize,
        bits: Vec<bool>,
        drives: Option<bool>,
        writes: Vec<(u8, u8, u16)>,
        reads: Vec<(u8, u8)>,
        contention: bool,
        mdc: bool,
    }

    impl Phys {
        fn number(bits: &[bool]) -> u16 {
            bits.iter().fold(0, |number, bit| number << 1 | u16::from(*bit))
        }

        /// One clock of the master's; returns the line.
        fn see(&mut self, mdc: bool, driven: Option<bool>) -> bool {
            let line = match (driven, self.drives) {
                (Some(_), Some(_)) => {
                    self.contention = true;
                    false
                }
                (Some(level), None) | (None, Some(level)) => level,
                // Pull-up.
                (None, None) => true,
            };
            if mdc && !self.mdc {
                self.rising(line);
            }
            self.mdc = mdc;
            line
        }

        fn rising(&mut self, line: bool) {
            if self.bits.is_empty() && line {
                self.ones += 1;
                return;
            }
            if self.bits.is_empty() {
                assert!(self.ones >= 32, "preamble of {}", self.ones);
                self.ones = 0;
            }
            self.bits.push(line);
            let count = self.bits.len();
            if count < 14 {
                return;
            }
            assert_eq!(Self::number(&self.bits[..2]), 1, "start of frame");
            let (phy, register) = (Self::number(&self.bits[4..9]) as u8, Self::number(&self.bits[9..14]) as u8);
            let reads = Self::number(&self.bits[2..4]) == 2;
            let known = self.registers.get(&(phy, register)).copied();
            if let (true, Some(value)) = (reads, known) {
                // A zero in the second bit of the turnaround, then the value.
                self.drives = match count {
                    15 => Some(false),
                    16..=31 => Some(value >> (31 - count) & 1 == 1),
                    _ => None,
                };
            }
            if count == 32 {
                if reads {
                    self.reads.push((phy, register));
                    // Latching low: read once, the link bit tells the truth again.
                    if let (1, Some(next)) = (register, self.registers.get(&(phy, 31)).copied()) {
                        self.registers.insert((phy, 1), next);
                    }
                } else {
                    assert_eq!(Self::number(&self.bits[14..16]), 2, "turnaround of a write");
                    self.writes.push((phy, register, Self::number(&self.bits[16..])));
                }
                self.bits.clear();
            }
        }
    }

    struct Bench<const W: usize> {
        uut: Mdio<2, W>,
        phys: Phys,
        cycle: usize,
    }

    const MS: u32 = 60;

    impl<const W: usize> Bench<W> {
        fn new(setup: [SetupWrite; W]) -> Self {
            let mut uut = Mdio::with_timing(MS, 4, [0, 5], setup);
            uut.connect_all();
            uut.reset.next = true;
            tick(&mut uut, |u| &mut u.clock);
            uut.reset.next = false;
            Self { uut, phys: Phys::default(), cycle: 0 }
        }

        fn set(&mut self, phy: u8, before: u16, now: u16, partner: u16) {
            self.phys.registers.extend([((phy, 1), before), ((phy, 31), now), ((phy, 10), partner)]);
        }

        fn step(&mut self) {
            let driven = self.uut.mdio_drive.val().then_some(self.uut.mdio_out.val());
            self.uut.mdio_in.next = self.phys.see(self.uut.mdc.val(), driven);
            tick(&mut self.uut, |u| &mut u.clock);
            self.cycle += 1;
        }

        /// Until `reads` more frames were read.
        fn reads(&mut self, reads: usize) {
            let (goal, limit) = (self.phys.reads.len() + reads, self.cycle + 20_000);
            while self.phys.reads.len() < goal {
                assert!(self.cycle < limit, "{:?}, reads {:?}", self.uut.state.q.val(), self.phys.reads);
                self.step();
            }
            (0..8).for_each(|_| self.step());
        }
    }

    #[test]
    fn mc7_link_is_bit_2_of_the_second_reading_of_bmsr() {
        let mut bench = Bench::new([]);
        let (up, down) = (0x796D, 0x7949);
        for (before, now, partner, expected) in [
            ((up, up), (up, up), (0x3800, 0x3800), (3, 3)),
            ((down, up), (up, up), (0x3800, 0x3800), (3, 3)),
            ((up, up), (down, up), (0x3800, 0x3800), (2, 2)),
            ((up, down), (up, down), (0x3800, 0x3800), (1, 1)),
            // MC6: a partner of 100 Mb/s.
            ((up, up), (up, up), (0x0000, 0x0800), (3, 2)),
        ] {
            bench.set(0, before.0, now.0, partner.0);
            bench.set(5, before.1, now.1, partner.1);
            bench.reads(6);
            assert_eq!((bench.uut.link.val().to_u64(), bench.uut.gigabit.val().to_u64()), expected);
            assert_eq!(bench.phys.reads, [(0, 1), (0, 1), (0, 10), (5, 1), (5, 1), (5, 10)]);
            bench.phys.reads.clear();
        }
        assert!(!bench.phys.contention && bench.phys.writes.is_empty());
    }

    #[test]
    fn mc7_a_phy_that_does_not_answer_has_no_link() {
        let mut bench = Bench::new([]);
        bench.set(5, 0x796D, 0x796D, 0x3800);
        bench.reads(12);
        assert_eq!((bench.uut.link.val().to_u64(), bench.uut.gigabit.val().to_u64()), (2, 2));
        bench.phys.registers.clear();
        bench.reads(6);
        assert_eq!((bench.uut.link.val().to_u64(), bench.uut.gigabit.val().to_u64()), (0, 0));
    }

    #[test]
    fn mc11_the_bus_is_silent_until_120_ms_and_set_up_comes_first() {
        let setup = [SetupWrite { register: 0x1C, value: 0x8C00 }, SetupWrite { register: 4, value: 0x0001 }];
        let mut bench = Bench::new(setup);
        bench.set(0, 0x796D, 0x796D, 0x3800);
        bench.set(5, 0x796D, 0x796D, 0x3800);
        while bench.cycle < 120 * MS as usize {
            assert!(!bench.uut.mdc.val() && !bench.uut.mdio_drive.val(), "cycle {}", bench.cycle);
            assert_eq!(bench.uut.phy_reset_n.val(), bench.cycle >= 20 * MS as usize);
            bench.step();
        }
        bench.reads(1);
        assert_eq!(bench.phys.writes, [(0, 0x1C, 0x8C00), (0, 4, 1), (5, 0x1C, 0x8C00), (5, 4, 1)]);
        assert!(!bench.phys.contention);
    }

    #[test]
    fn mc11_mdc_is_no_faster_than_2500_khz() {
        for core_khz in [78_125, 83_333, 100_000, 125_000u32] {
            let half = core_khz.div_ceil(2 * FASTEST_MDC_KHZ);
            assert!(core_khz <= half * 2 * FASTEST_MDC_KHZ && half < 256);
        }
    }
}
