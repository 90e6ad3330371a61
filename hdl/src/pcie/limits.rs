//! MPS and MRRS in the units of the blocks, from the codes of PCIe's Device Control register (0 = 128 bytes, 1 = 256, ...).
use rust_hdl::prelude::*;

/// Sizes that hold now, never above 512 bytes (RD2: a slot has no more). Registered.
#[derive(LogicBlock, Default)]
pub struct SizeLimits {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Code of the largest payload.
    pub mps: Signal<In, Bits<3>>,
    /// Code of the largest read request.
    pub mrrs: Signal<In, Bits<3>>,
    /// Largest payload in DW.
    pub payload_dwords: Signal<Out, Bits<11>>,
    /// Largest read in DW.
    pub read_dwords: Signal<Out, Bits<11>>,
    /// Beats of the largest payload, less 1.
    pub payload_beats: Signal<Out, Bits<6>>,
    /// Beats of the largest read, less 1.
    pub read_beats: Signal<Out, Bits<6>>,
    payload: DFF<Bits<6>>,
    reads: DFF<Bits<6>>,
}

impl Logic for SizeLimits {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, payload, reads);
        self.payload.d.next = 63.into();
        if self.mps.val() == 0 {
            self.payload.d.next = 15.into();
        } else if self.mps.val() == 1 {
            self.payload.d.next = 31.into();
        }
        self.reads.d.next = 63.into();
        if self.mrrs.val() == 0 {
            self.reads.d.next = 15.into();
        } else if self.mrrs.val() == 1 {
            self.reads.d.next = 31.into();
        }
        self.payload_beats.next = self.payload.q.val();
        self.read_beats.next = self.reads.q.val();
        self.payload_dwords.next = (bit_cast::<11, 6>(self.payload.q.val()) << 1) + 2;
        self.read_dwords.next = (bit_cast::<11, 6>(self.reads.q.val()) << 1) + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    #[test]
    fn tl4_codes_of_sizes() {
        let mut uut = SizeLimits::default();
        uut.connect_all();
        for (code, bytes) in [(0u64, 128u64), (1, 256), (2, 512), (3, 512), (5, 512)] {
            uut.mps.next = bits(code);
            uut.mrrs.next = bits(code);
            tick(&mut uut, |u| &mut u.clock);
            assert_eq!(uut.payload_dwords.val(), bits(bytes / 4));
            assert_eq!(uut.read_dwords.val(), bits(bytes / 4));
            assert_eq!(uut.payload_beats.val(), bits(bytes / 8 - 1));
            assert_eq!(uut.read_beats.val(), bits(bytes / 8 - 1));
        }
    }
}
