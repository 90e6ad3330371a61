//! What the board's LEDs say (CK4).
use rust_hdl::prelude::*;

/// Milliseconds that trouble is shown.
const SHOWN_MS: u64 = 1000;

/// One LED for a board with one, three for a board with colours.
///
/// | | one LED | colour |
/// | --- | --- | --- |
/// | in reset, no clock | dark | dark |
/// | no session | blinks once a second | blue |
/// | session | lit | green |
/// | trouble in the last second | blinks four times a second | as before |
/// | no read tag left (RD7) | two flashes a second | red |
///
/// A second of the blinking is 1,024 ms.
#[derive(LogicBlock)]
pub struct StatusLed {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Reset, synchronous.
    pub reset: Signal<In, Bit>,
    /// There is a session.
    pub up: Signal<In, Bit>,
    /// Something went wrong in this cycle.
    pub trouble: Signal<In, Bit>,
    /// The bridge has no tag left.
    pub fatal: Signal<In, Bit>,
    /// The one LED is lit.
    pub lit: Signal<Out, Bit>,
    /// Red, green, blue: lit.
    pub colours: Signal<Out, Bits<3>>,
    cycles: DFF<Bits<18>>,
    phase: DFF<Bits<10>>,
    shown: DFF<Bits<10>>,
    lamp: DFF<Bit>,
    colour: DFF<Bits<3>>,
    millisecond: Signal<Local, Bit>,
    flash: Signal<Local, Bits<3>>,
    last_cycle: Constant<Bits<18>>,
    longest: Constant<Bits<10>>,
}

impl StatusLed {
    /// With `cycles_per_ms` clocks a millisecond.
    pub fn new(cycles_per_ms: u32) -> Self {
        assert!((1..1 << 18).contains(&cycles_per_ms), "{cycles_per_ms} cycles a millisecond");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            up: Default::default(),
            trouble: Default::default(),
            fatal: Default::default(),
            lit: Default::default(),
            colours: Default::default(),
            cycles: Default::default(),
            phase: Default::default(),
            shown: Default::default(),
            lamp: Default::default(),
            colour: Default::default(),
            millisecond: Default::default(),
            flash: Default::default(),
            last_cycle: Constant::new(u64::from(cycles_per_ms - 1).into()),
            longest: Constant::new(SHOWN_MS.into()),
        }
    }
}

impl Logic for StatusLed {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cycles, phase, shown, lamp, colour);
        self.millisecond.next = self.cycles.q.val() == self.last_cycle.val();
        self.cycles.d.next = self.cycles.q.val() + 1;
        if self.millisecond.val() {
            self.cycles.d.next = 0.into();
            self.phase.d.next = self.phase.q.val() + 1;
            if self.shown.q.val().any() {
                self.shown.d.next = self.shown.q.val() - 1;
            }
        }
        if self.trouble.val() {
            self.shown.d.next = self.longest.val();
        }
        self.flash.next = self.phase.q.val().get_bits::<3>(7);
        self.lamp.d.next = self.up.val() | !self.phase.q.val().get_bit(9);
        self.colour.d.next = 4.into();
        if self.up.val() {
            self.colour.d.next = 2.into();
        }
        if self.shown.q.val().any() {
            self.lamp.d.next = !self.phase.q.val().get_bit(7);
        }
        if self.fatal.val() {
            self.lamp.d.next = (self.flash.val() == 0) | (self.flash.val() == 2);
            self.colour.d.next = 1.into();
        }
        if self.reset.val() {
            self.cycles.d.next = 0.into();
            self.phase.d.next = 0.into();
            self.shown.d.next = 0.into();
            self.lamp.d.next = false;
            self.colour.d.next = 0.into();
        }
        self.lit.next = self.lamp.q.val();
        self.colours.next = self.colour.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    /// Times that the LED goes on within 1,024 ms, and milliseconds that it is lit.
    fn second(uut: &mut StatusLed) -> (u32, u32) {
        let (mut rises, mut lit, mut before) = (0, 0, uut.lit.val());
        for _ in 0..1024 * 2 {
            tick(uut, |u| &mut u.clock);
            rises += u32::from(uut.lit.val() && !before);
            lit += u32::from(uut.lit.val());
            before = uut.lit.val();
        }
        (rises, lit / 2)
    }

    #[test]
    fn ck4_each_state_has_its_pattern() {
        let mut uut = StatusLed::new(2);
        uut.connect_all();
        uut.reset.next = true;
        tick(&mut uut, |u| &mut u.clock);
        assert!(!uut.lit.val() && uut.colours.val() == 0);
        uut.reset.next = false;
        assert_eq!((second(&mut uut), uut.colours.val().to_u64()), ((1, 512), 4));
        uut.up.next = true;
        second(&mut uut);
        assert_eq!((second(&mut uut), uut.colours.val().to_u64()), ((0, 1024), 2));
        uut.trouble.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.trouble.next = false;
        let (rises, lit) = second(&mut uut);
        assert!((3..=4).contains(&rises) && (500..=536).contains(&lit), "{rises} {lit}");
        assert_eq!(second(&mut uut), (0, 1024), "trouble is over");
        uut.fatal.next = true;
        second(&mut uut);
        assert_eq!((second(&mut uut), uut.colours.val().to_u64()), ((2, 256), 1));
    }
}
