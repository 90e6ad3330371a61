//! The constraint file of an ECP5 board (BD1): rust-hdl's generator for what it knows, lines of our own for the rest.
//!
//! The generator reads constraints off the signals of a block. It writes `IO_TYPE` for 3.3 V only, and neither pulls nor
//! differential inputs; those go in as custom lines, which it copies.
use super::{Board, IoStandard, Pin};
use rust_hdl::prelude::*;
use rust_hdl_fpga_support::toolchains::ecp5::generate_lpf;

/// One signal a pin, with the constraints on it.
struct Pins(Vec<(String, Signal<In, Bit>)>);

impl Logic for Pins {
    fn update(&mut self) {}
}

impl Block for Pins {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_scope(name, self);
        for (name, signal) in &self.0 {
            signal.accept(name, probe);
        }
        probe.visit_end_scope(name, self);
    }
}

/// The signal of a pin.
fn constrained(pin: &Pin) -> Signal<In, Bit> {
    let mut signal = Signal::<In, Bit>::default();
    signal.add_location(0, pin.site);
    if pin.standard == IoStandard::Lvcmos33 {
        signal.add_signal_type(0, SignalType::LowVoltageCMOS_3v3);
    } else {
        let line = format!("IOBUF PORT \"{}\" IO_TYPE={}", pin.name(), pin.standard.lattice());
        signal.add_constraint(PinConstraint { index: 0, constraint: Constraint::Custom(line) });
    }
    if pin.fast {
        signal.add_constraint(PinConstraint { index: 0, constraint: Constraint::Slew(SlewType::Fast) });
    }
    if pin.pull_up {
        let line = format!("IOBUF PORT \"{}\" PULLMODE=UP", pin.name());
        signal.add_constraint(PinConstraint { index: 0, constraint: Constraint::Custom(line) });
    }
    if let Some(mhz) = pin.clock_mhz {
        let timing = PeriodicTiming { net: pin.name(), period_nanoseconds: 1000.0 / f64::from(mhz), duty_cycle: 50.0 };
        let constraint = Constraint::Timing(Timing::Periodic(timing));
        signal.add_constraint(PinConstraint { index: 0, constraint });
    }
    signal
}

impl Board {
    /// The text of `constraints/NAME/board.lpf`.
    #[must_use]
    pub fn lpf(&self) -> String {
        let pins = Pins(self.pins.iter().map(|pin| (pin.name(), constrained(pin))).collect());
        let Board { title, part, .. } = self;
        format!(
            "# {title}, {}. Generated from synth/src/board; RNIC_BLESS=1 with the test `constraints` writes it anew.\n{}",
            part.name,
            generate_lpf(&pins)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::board;

    #[test]
    fn bd1_what_the_generator_cannot_say_is_there_too() {
        let versa = board("versa-ecp5-5g").expect("a board").lpf();
        for line in [
            "LOCATE COMP \"clk\" SITE \"P3\";",
            "IOBUF PORT \"clk\" IO_TYPE=LVDS;",
            "FREQUENCY PORT \"clk\" 100 MHz;",
            "FREQUENCY PORT \"a_rxc\" 125 MHz;",
            "LOCATE COMP \"a_txd[3]\" SITE \"P20\";",
            "IOBUF PORT \"a_txd[3]\" IO_TYPE=LVCMOS25;",
            "IOBUF PORT \"a_txd[3]\" SLEWRATE=FAST;",
            "IOBUF PORT \"b_mdio\" PULLMODE=UP;",
            "IOBUF PORT \"uart_tx\" IO_TYPE=LVCMOS33;",
        ] {
            assert_eq!(versa.lines().filter(|found| *found == line).count(), 1, "{line}");
        }
    }
}
