//! Identity and capability registers: constants of the build, by word number. Combinational.
use rnic_abi::preset::Preset;
use rnic_abi::register::{self as map, Reset};
use rust_hdl::prelude::*;

/// Words from MAGIC to LIMITS.
const WORDS: usize = map::LIMITS as usize / 4 + 1;

/// The read-only registers below 0100.
#[derive(LogicBlock)]
pub struct Identity {
    /// Word of the map.
    pub word: Signal<In, Bits<8>>,
    /// Its value, 0 behind the last.
    pub out: Signal<Out, Bits<32>>,
    numbers: [Constant<Bits<8>>; WORDS],
    values: [Constant<Bits<32>>; WORDS],
}

impl Identity {
    /// Registers of a preset at a core clock (kHz).
    pub fn new(preset: &Preset, core_khz: u32) -> Self {
        let value = |word: usize| {
            let register = map::REGISTERS.iter().find(|r| r.offset as usize == 4 * word).expect("a register");
            match register.reset {
                Reset::Value(value) => value,
                _ => map::build_value(register.offset, preset, core_khz).expect("a value of the build"),
            }
        };
        Self {
            word: Default::default(),
            out: Default::default(),
            numbers: std::array::from_fn(|i| Constant::new(i.to_bits())),
            values: std::array::from_fn(|i| Constant::new(u64::from(value(i)).into())),
        }
    }
}

impl Logic for Identity {
    #[hdl_gen]
    fn update(&mut self) {
        self.out.next = 0.into();
        for i in 0..WORDS {
            if self.word.val() == self.numbers[i].val() {
                self.out.next = self.values[i].val();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rnic_abi::{caps, preset};

    #[test]
    fn a1_capabilities_are_those_of_the_preset() {
        for (preset, [qps, entries, pages, list]) in
            preset::ALL.into_iter().zip([[8, 32, 512, 32], [16, 64, 1024, 64], [256, 4096, 65_536, 512]])
        {
            let mut uut = Identity::new(preset, 125_000);
            uut.connect_all();
            let mut read = |offset: u32| {
                uut.word.next = u64::from(offset / 4).into();
                assert!(simulate(&mut uut, 10));
                uut.out.val().to_u64()
            };
            assert_eq!(read(map::MAGIC), 0x4349_4E52);
            assert_eq!(read(map::VERSION) >> 16, u64::from(map::MAJOR));
            assert_eq!(read(map::CORE_KHZ), 125_000);
            assert_eq!(read(map::CAPS), u64::from(caps::OFFERED));
            assert_eq!(read(map::LOCAL_DMA_LKEY), 0xFF);
            assert_eq!(read(map::MR_ENTRIES), entries);
            assert_eq!(read(map::PAGES), pages);
            assert_eq!(read(map::PAGE_LIST), list | 4 << 16);
            assert_eq!(read(map::PAGE_SIZE_CAP_LOW), 0x3F_F000);
            assert_eq!(read(map::MAX_MR_LEN_LOW), list << 21);
            assert_eq!(read(map::QUEUES), qps | 2 * qps << 16);
            assert_eq!(read(map::RING_LOG2), 0x0C10_0F0F);
            assert_eq!(read(map::LIMITS) & 0xFFFF, 0x0834);
        }
    }
}
