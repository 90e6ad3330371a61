//! Checksum of the IPv4 header (T85): one's complement sum of ten words, folded twice.
//!
//! The sum is made of words as they stand in the frame, first byte in the low half, which gives the checksum in the same
//! order. Three cycles from `load`; the operands that are known earlier are added in the cycle before.
use super::WirePath;
use rust_hdl::prelude::*;

/// Sum registers.
#[derive(LogicBlock)]
pub struct Ipv4Checksum {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Path of the frame, stable in the cycle before `load`.
    pub path: Signal<In, WirePath>,
    /// IPv4 source address, first byte in the lowest bits; counts with `load`.
    pub source: Signal<In, Bits<32>>,
    /// Total length of the datagram as a number; counts with `load`.
    pub total_length: Signal<In, Bits<16>>,
    /// Takes the operands.
    pub load: Signal<In, Bit>,
    /// The checksum, first byte in the low half, from the third cycle after `load` on until the next `load`.
    pub checksum: Signal<Out, Bits<16>>,
    destination: DFF<Bits<17>>,
    life: DFF<Bits<17>>,
    early: DFF<Bits<18>>,
    origin: DFF<Bits<17>>,
    length: DFF<Bits<16>>,
    late: DFF<Bits<18>>,
    sum: DFF<Bits<19>>,
    way: Signal<Local, WirePath>,
    target: Signal<Local, Bits<128>>,
    target_low: Signal<Local, Bits<16>>,
    target_high: Signal<Local, Bits<16>>,
    class_word: Signal<Local, Bits<16>>,
    life_word: Signal<Local, Bits<16>>,
    source_low: Signal<Local, Bits<16>>,
    source_high: Signal<Local, Bits<16>>,
    length_low: Signal<Local, Bits<8>>,
    length_high: Signal<Local, Bits<8>>,
    low: Signal<Local, Bits<16>>,
    carries: Signal<Local, Bits<3>>,
    once: Signal<Local, Bits<17>>,
    once_low: Signal<Local, Bits<16>>,
    carry: Signal<Local, Bits<1>>,
    twice: Signal<Local, Bits<16>>,
    /// Version and IHL, flags (DF).
    fixed: Constant<Bits<16>>,
    protocol: Constant<Bits<16>>,
}

impl Default for Ipv4Checksum {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            path: Default::default(),
            source: Default::default(),
            total_length: Default::default(),
            load: Default::default(),
            checksum: Default::default(),
            destination: Default::default(),
            life: Default::default(),
            early: Default::default(),
            origin: Default::default(),
            length: Default::default(),
            late: Default::default(),
            sum: Default::default(),
            way: Default::default(),
            target: Default::default(),
            target_low: Default::default(),
            target_high: Default::default(),
            class_word: Default::default(),
            life_word: Default::default(),
            source_low: Default::default(),
            source_high: Default::default(),
            length_low: Default::default(),
            length_high: Default::default(),
            low: Default::default(),
            carries: Default::default(),
            once: Default::default(),
            once_low: Default::default(),
            carry: Default::default(),
            twice: Default::default(),
            fixed: Constant::new(bits(0x0045 + 0x0040)),
            protocol: Constant::new(bits(17 << 8)),
        }
    }
}

impl Logic for Ipv4Checksum {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, destination, life, early, origin, length, late, sum);
        self.way.next = self.path.val();
        self.target.next = self.way.val().dest_address;
        self.target_low.next = self.target.val().get_bits::<16>(96);
        self.target_high.next = self.target.val().get_bits::<16>(112);
        // 45 and 40 are low halves: no carry into the traffic class.
        self.class_word.next = (bit_cast::<16, 8>(self.way.val().traffic_class) << 8) | self.fixed.val();
        self.life_word.next = bit_cast::<16, 8>(self.way.val().hop_limit) | self.protocol.val();
        self.source_low.next = self.source.val().get_bits::<16>(0);
        self.source_high.next = self.source.val().get_bits::<16>(16);
        self.length_low.next = self.total_length.val().get_bits::<8>(0);
        self.length_high.next = self.total_length.val().get_bits::<8>(8);

        self.destination.d.next =
            bit_cast::<17, 16>(self.target_low.val()) + bit_cast::<17, 16>(self.target_high.val());
        self.life.d.next = bit_cast::<17, 16>(self.class_word.val()) + bit_cast::<17, 16>(self.life_word.val());
        if self.load.val() {
            self.early.d.next = bit_cast::<18, 17>(self.destination.q.val()) + bit_cast::<18, 17>(self.life.q.val());
            self.origin.d.next = bit_cast::<17, 16>(self.source_low.val()) + bit_cast::<17, 16>(self.source_high.val());
            self.length.d.next =
                (bit_cast::<16, 8>(self.length_low.val()) << 8) | bit_cast::<16, 8>(self.length_high.val());
        }
        self.late.d.next = bit_cast::<18, 17>(self.origin.q.val()) + bit_cast::<18, 16>(self.length.q.val());
        self.sum.d.next = bit_cast::<19, 18>(self.early.q.val()) + bit_cast::<19, 18>(self.late.q.val());

        self.low.next = self.sum.q.val().get_bits::<16>(0);
        self.carries.next = self.sum.q.val().get_bits::<3>(16);
        self.once.next = bit_cast::<17, 16>(self.low.val()) + bit_cast::<17, 3>(self.carries.val());
        self.once_low.next = self.once.val().get_bits::<16>(0);
        self.carry.next = self.once.val().get_bits::<1>(16);
        self.twice.next = self.once_low.val() + bit_cast::<16, 1>(self.carry.val());
        self.checksum.next = !self.twice.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{tick, RandomDrive};

    /// Checksum over the ten big-endian words, folded until nothing is left to fold.
    fn model(class: u32, life: u32, length: u32, addresses: [u32; 2]) -> u16 {
        let words = [0x4500 | class, length, 0, 0x4000, life << 8 | 17];
        let halves = addresses.iter().flat_map(|address| [address >> 16, address & 0xFFFF]);
        let mut sum: u32 = words.into_iter().chain(halves).sum();
        while sum > 0xFFFF {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        !(sum as u16)
    }

    fn check(uut: &mut Ipv4Checksum, class: u32, life: u32, length: u32, [source, target]: [u32; 2]) {
        let mut path = WirePath::default();
        path.traffic_class = bits(class.into());
        path.hop_limit = bits(life.into());
        path.dest_address = Bits::<128>::from(u64::from(target.swap_bytes())) << 96;
        uut.path.next = path;
        uut.load.next = false;
        tick(uut, |u| &mut u.clock);
        uut.load.next = true;
        uut.source.next = bits(source.swap_bytes().into());
        uut.total_length.next = bits(length.into());
        tick(uut, |u| &mut u.clock);
        uut.load.next = false;
        uut.source.next = bits(0x5555_AAAA);
        tick(uut, |u| &mut u.clock);
        tick(uut, |u| &mut u.clock);
        let expected = model(class, life, length, [source, target]).swap_bytes();
        assert_eq!(
            uut.checksum.val(),
            bits::<16>(expected.into()),
            "{class:x} {life:x} {length:x} {source:x} {target:x}"
        );
    }

    #[test]
    fn t85_checksum_is_folded_twice() {
        let mut uut = Ipv4Checksum::default();
        uut.connect_all();
        check(&mut uut, 0, 64, 0x4C, [0x0A00_0001, 0x0A00_0002]);
        let mut random = RandomDrive::new(9);
        let mut carried_twice = 0;
        for _ in 0..400 {
            let address = |r: &mut RandomDrive| if r.chance(1, 3) { 0xFFFF_FFFF } else { r.below(1 << 32) as u32 };
            let [class, life, length] = [256, 256, 5000].map(|limit| random.below(limit) as u32);
            let addresses = [address(&mut random), address(&mut random)];
            check(&mut uut, class, life, length, addresses);
        }
        // The sum 0x1FFFF needs the second fold (V53 on the other side).
        for low in 0..0x1_0000u32 {
            let sum = 0x4500 + 0x4C + 0x4000 + 0x4011 + 0xFFFF + low;
            if sum == 0x1_FFFF {
                check(&mut uut, 0, 64, 0x4C, [0xFFFF_0000, low]);
                carried_twice += 1;
            }
        }
        assert_eq!(carried_twice, 1);
    }
}
