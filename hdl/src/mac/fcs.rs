//! The frame check sequence: CRC-32 of a byte a cycle (MC1).
use crate::wire::icrc::step;
use crate::wire::XorMatrix;
use rust_hdl::prelude::*;

/// State before the first byte of a frame.
pub const FCS_START: u32 = 0xFFFF_FFFF;
/// State after a frame and its right FCS (MC3).
pub const GOOD_FCS: u32 = 0xDEBB_20E3;

/// State of the CRC after another byte. Combinational: parities over constant selections.
#[derive(LogicBlock)]
pub struct FcsStep {
    /// State before the byte.
    pub state: Signal<In, Bits<32>>,
    /// The byte.
    pub octet: Signal<In, Bits<8>>,
    /// State after it.
    pub next_state: Signal<Out, Bits<32>>,
    leaving: Signal<Local, Bits<8>>,
    folded: XorMatrix<8>,
}

impl Default for FcsStep {
    fn default() -> Self {
        Self {
            state: Default::default(),
            octet: Default::default(),
            next_state: Default::default(),
            leaving: Default::default(),
            folded: XorMatrix::new(|j| step(0, 1 << j)),
        }
    }
}

impl Logic for FcsStep {
    #[hdl_gen]
    fn update(&mut self) {
        self.leaving.next = self.state.val().get_bits::<8>(0) ^ self.octet.val();
        self.folded.word.next = self.leaving.val();
        self.next_state.next = (self.state.val() >> 8) ^ self.folded.out.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::model::serial_crc;

    fn after(state: u32, bytes: &[u8]) -> u32 {
        let mut uut = FcsStep::default();
        uut.connect_all();
        bytes.iter().fold(state, |state, octet| {
            uut.state.next = u64::from(state).into();
            uut.octet.next = u64::from(*octet).into();
            assert!(simulate(&mut uut, 100));
            uut.next_state.val().to_u64() as u32
        })
    }

    #[test]
    fn mc1_the_step_is_that_of_a_bit_serial_crc() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in [1, 2, 9, 60, 256] {
            assert_eq!(!after(FCS_START, &bytes[..length]), serial_crc(&bytes[..length]), "{length} bytes");
        }
    }

    #[test]
    fn mc3_a_frame_with_its_fcs_leaves_the_residue() {
        let mut frame = b"any frame at all".to_vec();
        frame.extend(serial_crc(&frame).to_le_bytes());
        assert_eq!(after(FCS_START, &frame), GOOD_FCS);
        assert_eq!(serial_crc(&frame), 0x2144_DF1C);
    }
}
