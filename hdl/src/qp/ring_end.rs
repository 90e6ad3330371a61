//! Whether the ring of a queue ends below 2^52, so that no address beyond DMA_ADDR_WIDTH reaches the bus. Combinational.
use rust_hdl::prelude::*;

/// 64 slots of 64 bytes are a frame of 4 KiB.
#[derive(LogicBlock, Default)]
pub struct RingEnd {
    /// Frame in which the ring begins.
    pub base: Signal<In, Bits<40>>,
    /// Its slots are 2^log2, at most 2^15.
    pub log2: Signal<In, Bits<4>>,
    /// The last slot lies beyond.
    pub beyond: Signal<Out, Bit>,
    slots: Signal<Local, Bits<41>>,
    last_slot: Signal<Local, Bits<41>>,
    last_frame: Signal<Local, Bits<41>>,
    frame: Signal<Local, Bits<41>>,
}

impl Logic for RingEnd {
    #[hdl_gen]
    fn update(&mut self) {
        self.slots.next = bits::<41>(1) << self.log2.val();
        self.last_slot.next = self.slots.val() - 1;
        self.last_frame.next = self.last_slot.val() >> 6;
        self.frame.next = bit_cast::<41, 40>(self.base.val()) + self.last_frame.val();
        self.beyond.next = self.frame.val().get_bit(40);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t2_a_ring_ends_below_2_pow_52() {
        for log2 in 2..16u64 {
            let frames = (64u64 << log2).div_ceil(4096);
            for below in 1..=frames + 1 {
                let mut uut = RingEnd::default();
                uut.connect_all();
                uut.base.next = ((1u64 << 40) - below).into();
                uut.log2.next = log2.into();
                simulate(&mut uut, 100);
                assert_eq!(uut.beyond.val(), below < frames, "2^{log2} slots, {below} frames below the end");
            }
        }
    }
}
