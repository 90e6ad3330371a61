//! What can be wrong in a description and no tool tells: nextpnr ignores the location of a port that does not exist, and only
//! warns of an attribute that it does not know (BD2).
use super::{Board, Pin};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// A mistake in a description.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Flaw {
    /// Two bits on one site.
    #[error("site {site} is used by {first} and {second}")]
    SiteTwice {
        /// The site.
        site: String,
        /// One bit.
        first: String,
        /// The other.
        second: String,
    },
    /// A bit has two sites.
    #[error("{0} is placed twice")]
    BitTwice(String),
    /// A bus whose bits are not 0 to n.
    #[error("the bits of {0} are not 0 to n")]
    Bits(String),
    /// No such site in the package.
    #[error("{0} is on {1}, which the package does not have")]
    NoSite(String, String),
    /// A clock without a frequency, or the oscillator's is not that of the board.
    #[error("clock {0} has no frequency, or a wrong one")]
    Clock(String),
    /// The module has a port, or a bit of it, that has no pin.
    #[error("the module's {0} has no pin")]
    NoPin(String),
    /// The module has no such port, or not this bit.
    #[error("{0} is no port of the module")]
    NoPort(String),
}

/// Row letters in front of the column of a site.
fn row_and_column(site: &str) -> Option<(&str, u32)> {
    let split = site.find(|c: char| c.is_ascii_digit())?;
    Some((&site[..split], site[split..].parse().ok()?))
}

impl Board {
    /// Mistakes of the description by itself.
    #[must_use]
    pub fn flaws(&self) -> Vec<Flaw> {
        let mut flaws = vec![];
        let (mut sites, mut bits) = (BTreeMap::<&str, &Pin>::new(), BTreeMap::<&str, Vec<Option<usize>>>::new());
        for pin in &self.pins {
            if let Some(first) = sites.insert(pin.site, pin) {
                let (first, second) = (first.name(), pin.name());
                flaws.push(Flaw::SiteTwice { site: pin.site.into(), first, second });
            }
            let of_port = bits.entry(pin.port).or_default();
            if of_port.contains(&pin.index) {
                flaws.push(Flaw::BitTwice(pin.name()));
            }
            of_port.push(pin.index);
            if !self.part.has(pin.site) {
                flaws.push(Flaw::NoSite(pin.name(), pin.site.into()));
            }
            let expected = match pin.port {
                "clk" => Some(self.oscillator_mhz),
                port if port.ends_with("rxc") => Some(125),
                _ => None,
            };
            if pin.clock_mhz != expected {
                flaws.push(Flaw::Clock(pin.name()));
            }
        }
        for (port, mut bits) in bits {
            bits.sort_unstable();
            let counted = bits == [None] || bits.iter().enumerate().all(|(index, bit)| *bit == Some(index));
            if !counted {
                flaws.push(Flaw::Bits(port.into()));
            }
        }
        flaws
    }

    /// Mistakes against the ports of the outermost module: name and number of bits, `None` for a scalar.
    #[must_use]
    pub fn flaws_against(&self, ports: &[(String, Option<usize>)]) -> Vec<Flaw> {
        let names = ports.iter().flat_map(|(port, bits)| match bits {
            None => vec![port.clone()],
            Some(bits) => (0..*bits).map(|bit| format!("{port}[{bit}]")).collect(),
        });
        let (wanted, placed): (BTreeSet<_>, BTreeSet<_>) = (names.collect(), self.pins.iter().map(Pin::name).collect());
        let without = wanted.difference(&placed).cloned().map(Flaw::NoPin);
        without.chain(placed.difference(&wanted).cloned().map(Flaw::NoPort)).collect()
    }
}

impl super::Device {
    /// Whether the grid of the package has such a site. Not every place of a grid is a pin for signals: nextpnr knows that.
    fn has(&self, site: &str) -> bool {
        let (letters, columns) = self.grid;
        row_and_column(site).is_some_and(|(row, column)| {
            let known = match row.len() {
                1 => letters.contains(row),
                // Behind the last letter the rows go on with AA, AB and so on, if the package is that large.
                2 => columns > letters.len() as u32 && row.starts_with('A') && ('A'..='F').any(|c| row.ends_with(c)),
                _ => false,
            };
            known && (1..=columns).contains(&column)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{board, pin, IoStandard};
    use super::*;

    fn flawed(change: impl Fn(&mut Board)) -> Vec<String> {
        let mut board = board("colorlight-i9").expect("a board");
        change(&mut board);
        board.flaws().iter().map(Flaw::to_string).collect()
    }

    #[test]
    fn bd2_each_mistake_is_found() {
        let two = flawed(|board| board.pins.push(pin("more", "P3", IoStandard::Lvcmos33)));
        assert_eq!(two, ["site P3 is used by clk and more"]);
        let twice = flawed(|board| board.pins.push(pin("mdc", "A2", IoStandard::Lvcmos33)));
        assert_eq!(twice, ["mdc is placed twice", "the bits of mdc are not 0 to n"]);
        let gap = flawed(|board| board.pins.retain(|pin| pin.name() != "a_txd[1]"));
        assert_eq!(gap, ["the bits of a_txd are not 0 to n"]);
        for site in ["I3", "A21", "AA3", "7", "P"] {
            let nowhere = flawed(|board| board.pins[0].site = site);
            assert_eq!(nowhere, [format!("clk is on {site}, which the package does not have")]);
        }
        let slow = flawed(|board| board.oscillator_mhz = 100);
        assert_eq!(slow, ["clock clk has no frequency, or a wrong one"]);
    }

    #[test]
    fn bd2_every_bit_of_the_module_has_a_pin_and_no_pin_is_left() {
        let board = board("ecpix5").expect("a board");
        let mut ports: Vec<(String, Option<usize>)> = vec![];
        for pin in &board.pins {
            match (ports.iter_mut().find(|(port, _)| port == pin.port), pin.index) {
                (Some((_, bits)), Some(index)) => *bits = Some(index + 1),
                (_, index) => ports.push((pin.port.into(), index.map(|index| index + 1))),
            }
        }
        assert_eq!(board.flaws_against(&ports), []);
        ports.retain(|(port, _)| port != "b_mdc");
        ports.push(("b_rx_er".into(), Some(2)));
        let flaws: Vec<_> = board.flaws_against(&ports).iter().map(Flaw::to_string).collect();
        assert_eq!(
            flaws,
            [
                "the module's b_rx_er[0] has no pin",
                "the module's b_rx_er[1] has no pin",
                "b_mdc is no port of the module"
            ]
        );
    }
}
