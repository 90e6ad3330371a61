//! Management frames of clause 22: one read or write of a PHY's register.
//!
//! 64 periods of MDC, 32 of them preamble. Data change at the falling edge of MDC and are sampled at its rising edge.
use super::Synchronizer;
use rust_hdl::prelude::*;

/// Highest MDC in kHz.
pub const FASTEST_MDC_KHZ: u32 = 2500;

crate::record! {
    /// A management frame.
    MdioCommand, 27 {
        /// Value to write.
        data: Bits<16>,
        /// Register.
        register: Bits<5>,
        /// Address of the PHY.
        phy: Bits<5>,
        /// Write instead of read.
        writes: Bit,
    }
}

/// Shift engine.
#[derive(LogicBlock)]
pub struct MdioFrame {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Ends the frame.
    pub reset: Signal<In, Bit>,
    /// Begins a frame; not while `busy`.
    pub start: Signal<In, Bit>,
    /// What to do.
    pub command: Signal<In, MdioCommand>,
    /// A frame is under way.
    pub busy: Signal<Out, Bit>,
    /// It ends in this cycle.
    pub done: Signal<Out, Bit>,
    /// Value read, from `done` to the next frame.
    pub value: Signal<Out, Bits<16>>,
    /// A PHY answered the read, from `done` to the next frame.
    pub answered: Signal<Out, Bit>,
    /// Pin MDC.
    pub mdc: Signal<Out, Bit>,
    /// Pin MDIO, to the PHY,
    pub mdio_out: Signal<Out, Bit>,
    /// if it is driven;
    pub mdio_drive: Signal<Out, Bit>,
    /// from the PHY.
    pub mdio_in: Signal<In, Bit>,
    divider: DFF<Bits<8>>,
    high: DFF<Bit>,
    active: DFF<Bit>,
    position: DFF<Bits<6>>,
    rest: DFF<Bits<32>>,
    reads: DFF<Bit>,
    came: DFF<Bits<16>>,
    heard: DFF<Bit>,
    out: DFF<Bit>,
    drives: DFF<Bit>,
    line: Synchronizer<Bit>,
    asked: Signal<Local, MdioCommand>,
    data: Signal<Local, Bits<16>>,
    register: Signal<Local, Bits<5>>,
    phy: Signal<Local, Bits<5>>,
    turn: Signal<Local, Bit>,
    head: Signal<Local, Bits<32>>,
    shifted: Signal<Local, Bits<16>>,
    start_write: Constant<Bits<32>>,
    start_read: Constant<Bits<32>>,
    half: Constant<Bits<8>>,
}

impl MdioFrame {
    /// With `half_period` clocks for half a period of MDC.
    pub fn new(half_period: u32) -> Self {
        assert!((4..256).contains(&half_period), "{half_period} clocks for half a period of MDC");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            start: Default::default(),
            command: Default::default(),
            busy: Default::default(),
            done: Default::default(),
            value: Default::default(),
            answered: Default::default(),
            mdc: Default::default(),
            mdio_out: Default::default(),
            mdio_drive: Default::default(),
            mdio_in: Default::default(),
            divider: Default::default(),
            high: Default::default(),
            active: Default::default(),
            position: Default::default(),
            rest: Default::default(),
            reads: Default::default(),
            came: Default::default(),
            heard: Default::default(),
            out: Default::default(),
            drives: Default::default(),
            line: Default::default(),
            asked: Default::default(),
            data: Default::default(),
            register: Default::default(),
            phy: Default::default(),
            turn: Default::default(),
            head: Default::default(),
            shifted: Default::default(),
            // Start 01, operation 01 or 10, turnaround 10.
            start_write: Constant::new(0x5002_0000_u64.into()),
            start_read: Constant::new(0x6002_0000_u64.into()),
            half: Constant::new(u64::from(half_period - 1).into()),
        }
    }
}

impl Logic for MdioFrame {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, divider, high, active, position, rest, reads, came, heard, out, drives);
        clock!(self, clock, line);
        self.line.d.next = self.mdio_in.val();
        self.asked.next = self.command.val();
        self.data.next = self.asked.val().data;
        self.register.next = self.asked.val().register;
        self.phy.next = self.asked.val().phy;
        self.head.next = self.start_read.val();
        if self.asked.val().writes {
            self.head.next = self.start_write.val();
        }
        self.shifted.next = self.came.q.val() << 1;
        self.turn.next = self.divider.q.val() == self.half.val();
        self.done.next = false;
        self.divider.d.next = self.divider.q.val() + 1;
        if self.turn.val() | !self.active.q.val() {
            self.divider.d.next = 0.into();
        }
        if self.turn.val() {
            self.high.d.next = !self.high.q.val();
            if !self.high.q.val() {
                // Rising edge. The value is what the last 16 periods bring, the answer a zero before it.
                self.came.d.next = self.shifted.val().replace_bit(0, self.line.q.val());
                if self.position.q.val() == 47 {
                    self.heard.d.next = !self.line.q.val();
                }
            } else {
                self.position.d.next = self.position.q.val() + 1;
                self.out.d.next = true;
                if self.position.q.val() >= 31 {
                    self.out.d.next = self.rest.q.val().get_bit(31);
                    self.rest.d.next = self.rest.q.val() << 1;
                }
                if self.reads.q.val() & (self.position.q.val() >= 45) {
                    self.drives.d.next = false;
                }
                if self.position.q.val() == 63 {
                    self.done.next = true;
                    self.active.d.next = false;
                    self.drives.d.next = false;
                }
            }
        }
        if self.start.val() & !self.active.q.val() {
            self.active.d.next = true;
            self.position.d.next = 0.into();
            self.out.d.next = true;
            self.drives.d.next = true;
            self.reads.d.next = !self.asked.val().writes;
            self.rest.d.next = self.head.val()
                | (bit_cast::<32, 5>(self.phy.val()) << 23)
                | (bit_cast::<32, 5>(self.register.val()) << 18)
                | bit_cast::<32, 16>(self.data.val());
        }
        self.busy.next = self.active.q.val();
        self.value.next = self.came.q.val();
        self.answered.next = self.heard.q.val();
        self.mdc.next = self.high.q.val();
        self.mdio_out.next = self.out.q.val();
        self.mdio_drive.next = self.drives.q.val();
        if self.reset.val() {
            self.active.d.next = false;
            self.high.d.next = false;
            self.drives.d.next = false;
        }
    }
}
