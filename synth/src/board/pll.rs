//! Dividers of the ECP5 PLL (CK1). The tool of the vendor-free flow asks for approximations and takes what it gets; here the
//! MAC's 125 MHz must come out exactly, and the core's clock is an exact division of the same oscillator.
use serde::Serialize;
use thiserror::Error;

/// Clock of the MACs, MHz.
const MAC_MHZ: u32 = 125;
/// The core's clock is this oscillator frequency of the PLL, MHz, ...
const VCO_MHZ: u32 = 500;
/// ... divided by this: 83.33 MHz, the target of `small` on the slowest part.
const CORE_DIVIDER: u32 = 6;
/// What the phase detector takes, MHz.
const DETECTOR_MHZ: std::ops::RangeInclusive<u32> = 10..=400;

/// Parameters of an EHXPLLL with feedback from its first output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pll {
    /// MHz of the input.
    pub input_mhz: u32,
    /// `CLKI_DIV`.
    pub input_divider: u32,
    /// `CLKFB_DIV`.
    pub feedback_divider: u32,
    /// `CLKOP_DIV`: the MACs' clock.
    pub mac_divider: u32,
    /// `CLKOS_DIV`: the core's clock.
    pub core_divider: u32,
}

/// No dividers give the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an oscillator of {0} MHz does not give {MAC_MHZ} MHz exactly")]
pub struct PllError(u32);

impl Pll {
    /// The dividers for an oscillator.
    ///
    /// # Errors
    /// None give the MACs' clock exactly.
    pub fn of(input_mhz: u32) -> Result<Self, PllError> {
        let exact = |divider: &u32| {
            let detector = input_mhz / divider;
            input_mhz.is_multiple_of(*divider) && DETECTOR_MHZ.contains(&detector) && MAC_MHZ.is_multiple_of(detector)
        };
        let input_divider = (1..=128).filter(|divider| *divider <= input_mhz).find(exact).ok_or(PllError(input_mhz))?;
        let feedback_divider = MAC_MHZ / (input_mhz / input_divider);
        Ok(Self {
            input_mhz,
            input_divider,
            feedback_divider,
            mac_divider: VCO_MHZ / MAC_MHZ,
            core_divider: CORE_DIVIDER,
        })
    }

    /// Frequency of the oscillator inside, kHz.
    #[must_use]
    pub fn vco_khz(&self) -> u32 {
        1000 * self.input_mhz / self.input_divider * self.feedback_divider * self.mac_divider
    }

    /// Clock of the MACs, kHz.
    #[must_use]
    pub fn mac_khz(&self) -> u32 {
        self.vco_khz() / self.mac_divider
    }

    /// Clock of the core, kHz, rounded down.
    #[must_use]
    pub fn core_khz(&self) -> u32 {
        self.vco_khz() / self.core_divider
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ck1_dividers_are_those_of_the_data_sheets_limits() {
        let words = |input| {
            Pll::of(input).map(|pll| (pll.input_divider, pll.feedback_divider, pll.mac_divider, pll.core_divider))
        };
        assert_eq!(words(25), Ok((1, 5, 4, 6)));
        assert_eq!(words(100), Ok((4, 5, 4, 6)));
        assert_eq!(words(125), Ok((1, 1, 4, 6)));
        assert_eq!(words(48), Err(PllError(48)));
        for input in 1..=400 {
            if let Ok(pll) = Pll::of(input) {
                assert_eq!((pll.vco_khz(), pll.mac_khz(), pll.core_khz()), (500_000, 125_000, 83_333), "{input}");
                assert!((400_000..=800_000).contains(&pll.vco_khz()), "CK1: range of the oscillator");
            }
        }
    }
}
