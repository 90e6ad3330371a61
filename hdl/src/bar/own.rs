//! Own MAC and addresses, for the headers of frames: copies of the stored registers, all visible at once.
//!
//! Latency one cycle from the write. Unwritten ones are zero: no address (T89).
use super::value::word_of;
use rnic_abi::register as map;
use rust_hdl::prelude::*;

/// Copies of the registers.
#[derive(LogicBlock)]
pub struct OwnIdentity {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// All zero.
    pub reset: Signal<In, Bit>,
    /// A stored register is written,
    pub write: Signal<In, Bit>,
    /// this word of the BAR,
    pub word: Signal<In, Bits<8>>,
    /// with this value.
    pub data: Signal<In, Bits<32>>,
    /// Own MAC address, first byte on the wire in the least significant place.
    pub mac: Signal<Out, Bits<48>>,
    /// Own addresses, first byte on the wire in the least significant place.
    pub addresses: [Signal<Out, Bits<128>>; 8],
    mac_low: DFF<Bits<32>>,
    mac_high: DFF<Bits<32>>,
    kept: [DFF<Bits<128>>; 8],
    /// The value in the place of each word.
    placed: [Signal<Local, Bits<128>>; 4],
    /// The other words.
    others: [Constant<Bits<128>>; 4],
    mac_words: [Constant<Bits<8>>; 2],
    first_words: [Constant<Bits<8>>; 8],
    second_words: [Constant<Bits<8>>; 8],
    third_words: [Constant<Bits<8>>; 8],
    fourth_words: [Constant<Bits<8>>; 8],
}

impl Default for OwnIdentity {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write: Default::default(),
            word: Default::default(),
            data: Default::default(),
            mac: Default::default(),
            addresses: std::array::from_fn(|_| Default::default()),
            mac_low: Default::default(),
            mac_high: Default::default(),
            kept: std::array::from_fn(|_| Default::default()),
            placed: std::array::from_fn(|_| Default::default()),
            others: std::array::from_fn(|i| {
                let word = num_bigint::BigUint::from(u32::MAX) << (32 * i);
                let all = (num_bigint::BigUint::from(1u8) << 128) - 1u8;
                Constant::new(Bits::<128>::from(all ^ word))
            }),
            mac_words: [map::MAC_LOW, map::MAC_HIGH].map(word_of),
            first_words: std::array::from_fn(|i| word_of(map::own_address(i as u32, 0))),
            second_words: std::array::from_fn(|i| word_of(map::own_address(i as u32, 1))),
            third_words: std::array::from_fn(|i| word_of(map::own_address(i as u32, 2))),
            fourth_words: std::array::from_fn(|i| word_of(map::own_address(i as u32, 3))),
        }
    }
}

impl Logic for OwnIdentity {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, mac_low, mac_high);
        if self.write.val() & (self.word.val() == self.mac_words[0].val()) {
            self.mac_low.d.next = self.data.val();
        }
        if self.write.val() & (self.word.val() == self.mac_words[1].val()) {
            self.mac_high.d.next = self.data.val();
        }
        self.placed[0].next = bit_cast::<128, 32>(self.data.val());
        self.placed[1].next = self.placed[0].val() << 32;
        self.placed[2].next = self.placed[0].val() << 64;
        self.placed[3].next = self.placed[0].val() << 96;
        for i in 0..8 {
            self.kept[i].clock.next = self.clock.val();
            self.kept[i].d.next = self.kept[i].q.val();
            if self.write.val() & (self.word.val() == self.first_words[i].val()) {
                self.kept[i].d.next = (self.kept[i].q.val() & self.others[0].val()) | self.placed[0].val();
            }
            if self.write.val() & (self.word.val() == self.second_words[i].val()) {
                self.kept[i].d.next = (self.kept[i].q.val() & self.others[1].val()) | self.placed[1].val();
            }
            if self.write.val() & (self.word.val() == self.third_words[i].val()) {
                self.kept[i].d.next = (self.kept[i].q.val() & self.others[2].val()) | self.placed[2].val();
            }
            if self.write.val() & (self.word.val() == self.fourth_words[i].val()) {
                self.kept[i].d.next = (self.kept[i].q.val() & self.others[3].val()) | self.placed[3].val();
            }
            if self.reset.val() {
                self.kept[i].d.next = 0.into();
            }
            self.addresses[i].next = self.kept[i].q.val();
        }
        if self.reset.val() {
            self.mac_low.d.next = 0.into();
            self.mac_high.d.next = 0.into();
        }
        self.mac.next = (bit_cast::<48, 32>(self.mac_high.q.val()) << 32) | bit_cast::<48, 32>(self.mac_low.q.val());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    #[test]
    fn t89_every_register_shows_in_its_place() {
        let mut uut = OwnIdentity::default();
        uut.connect_all();
        uut.reset.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.reset.next = false;
        uut.write.next = true;
        let put = |offset: u32, value: u32, uut: &mut OwnIdentity| {
            uut.word.next = u64::from(offset >> 2 & 0xFF).into();
            uut.data.next = u64::from(value).into();
            tick(uut, |u| &mut u.clock);
        };
        put(map::MAC_LOW, 0x4433_2211, &mut uut);
        put(map::MAC_HIGH, 0x6655, &mut uut);
        for i in 0..8 {
            for part in 0..4 {
                put(map::own_address(i, part), 0x1000 * (i + 1) + part, &mut uut);
            }
        }
        assert_eq!(uut.mac.val(), bits(0x6655_4433_2211));
        for i in 0..8u64 {
            let words = [0, 1, 2, 3].map(|part| 0x1000 * (i + 1) + part);
            let want = words.iter().rev().fold(num_bigint::BigUint::from(0u8), |sum, word| (sum << 32) + *word);
            assert_eq!(uut.addresses[i as usize].val(), Bits::<128>::from(want), "address {i}");
        }
    }
}
