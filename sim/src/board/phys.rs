//! The PHYs of a board on their management bus (IEEE 802.3 clause 22): each has a link of 1000 Mb/s.

/// Bits of a management frame behind its preamble.
const BITS: u32 = 32;
/// Bits before the turnaround: start, operation, PHY, register.
const HEAD: u32 = 14;
/// Start and operation of a read.
const READ: u32 = 0b0110;
/// Basic mode status register, and its bit of the link.
const STATUS: (u32, u16) = (1, 1 << 2);
/// 1000BASE-T status register, and its bit of a partner with full duplex.
const PARTNER: (u32, u16) = (10, 1 << 11);

/// PHYs at addresses 0 and 1.
#[derive(Debug, Default)]
pub(super) struct Phys {
    mdc: bool,
    /// Bits of the frame so far, and how many they are.
    head: u32,
    count: u32,
    answer: Option<u16>,
    /// Registers that were read.
    pub reads: u64,
}

impl Phys {
    /// Sees the bus in a byte time; answers the level of MDIO for the board.
    pub fn see(&mut self, mdc: bool, driven: Option<bool>) -> bool {
        let rises = mdc && !self.mdc;
        self.mdc = mdc;
        if rises {
            self.rising(driven.unwrap_or(true));
        }
        // The second bit of the turnaround is a zero; the value follows, most significant bit first.
        match self.answer {
            Some(_) if self.count == HEAD + 1 => false,
            Some(value) if (HEAD + 2..BITS).contains(&self.count) => value >> (BITS - 1 - self.count) & 1 == 1,
            _ => true,
        }
    }

    fn rising(&mut self, level: bool) {
        if self.count == 0 && level {
            return;
        }
        self.count += 1;
        if self.count <= HEAD {
            self.head = self.head << 1 | u32::from(level);
        }
        if self.count == HEAD && self.head >> 10 == READ && self.head >> 5 & 31 < 2 {
            let bits = [STATUS, PARTNER].into_iter().filter(|(register, _)| self.head & 31 == *register);
            self.answer = Some(bits.map(|(_, bit)| bit).sum());
            self.reads += 1;
        }
        if self.count == BITS {
            *self = Self { mdc: self.mdc, reads: self.reads, ..Self::default() };
        }
    }
}
