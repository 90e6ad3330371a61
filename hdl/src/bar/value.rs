//! Whether a value may be written to a register. Combinational.
//!
//! Bits without a name are 0. Rings are 4 KiB aligned below 2^52 with 2^4 to 2^12 entries, or none; indices have 16 bits;
//! WINDOW is 2 to 65,536 (rule T18); TICK is not 0 (rule T79).
use rnic_abi::register as map;
use rnic_abi::{limits, Field};
use rust_hdl::prelude::*;

/// Check of the values of registers below 0400; `refused` means nothing for words without a rule (they take any value).
#[derive(LogicBlock)]
pub struct ValueCheck {
    /// Word of the map.
    pub word: Signal<In, Bits<8>>,
    /// The value.
    pub data: Signal<In, Bits<32>>,
    /// The register does not take it.
    pub refused: Signal<Out, Bit>,
    /// Low and high word of a ring base, log2, index: registers 0 to 3 of a ring.
    ring_word: Signal<Local, Bits<2>>,
    ring: Signal<Local, Bits<6>>,
    is_ring: Signal<Local, Bit>,
    is_log2: Signal<Local, Bit>,
    forbidden: Signal<Local, Bits<32>>,
    rings: [Constant<Bits<6>>; 3],
    forbidden_in_ring: [Constant<Bits<32>>; 4],
    masked: [Constant<Bits<8>>; 4],
    forbidden_in: [Constant<Bits<32>>; 4],
    tick: Constant<Bits<8>>,
    window: Constant<Bits<8>>,
    window_min: Constant<Bits<32>>,
    window_max: Constant<Bits<32>>,
    log2_min: Constant<Bits<32>>,
    log2_max: Constant<Bits<32>>,
    window_bad: Signal<Local, Bit>,
    log2_bad: Signal<Local, Bit>,
}

/// Number of a word of the map.
pub(super) fn word_of(offset: u32) -> Constant<Bits<8>> {
    Constant::new((offset as usize / 4 % 256).to_bits())
}

fn all_but(fields: &[Field]) -> Constant<Bits<32>> {
    Constant::new(u64::from(!fields.iter().fold(0, |mask, field| mask | field.mask())).into())
}

impl Default for ValueCheck {
    fn default() -> Self {
        let number = |value: u32| Constant::new(u64::from(value).into());
        let rings = [map::EVENT_BASE_LOW, map::RAW_RECEIVE_BASE_LOW, map::RAW_SEND_BASE_LOW];
        let low_bits = Field::new(31, limits::RING_ALIGN.ilog2());
        let high_bits = Field::new(limits::DMA_ADDR_WIDTH - 33, 0);
        let half = Field::new(15, 0);
        Self {
            word: Default::default(),
            data: Default::default(),
            refused: Default::default(),
            ring_word: Default::default(),
            ring: Default::default(),
            is_ring: Default::default(),
            is_log2: Default::default(),
            forbidden: Default::default(),
            rings: rings.map(|offset| Constant::new((offset as usize / 16).to_bits())),
            forbidden_in_ring: [low_bits, high_bits, Field::new(31, 0), half].map(|field| all_but(&[field])),
            masked: [map::CONTROL, map::STATUS, map::GO, map::MAC_HIGH].map(word_of),
            forbidden_in: [
                all_but(&[
                    map::CONTROL_RESET,
                    map::CONTROL_ENABLE,
                    map::CONTROL_PROMISCUOUS,
                    map::CONTROL_DROP_WHEN_FULL,
                    map::CONTROL_MIGREQ,
                ]),
                all_but(&[map::STATUS_EVENT_OVERFLOW]),
                all_but(&[map::GO_OPCODE, map::GO_TOKEN]),
                all_but(&[half]),
            ],
            tick: word_of(map::TICK),
            window: word_of(map::WINDOW),
            window_min: number(limits::WINDOW_MIN),
            window_max: number(limits::WINDOW_MAX),
            log2_min: number(limits::EVENT_LOG2_MIN),
            log2_max: number(limits::EVENT_LOG2_MAX),
            window_bad: Default::default(),
            log2_bad: Default::default(),
        }
    }
}

impl Logic for ValueCheck {
    #[hdl_gen]
    fn update(&mut self) {
        self.ring_word.next = self.word.val().get_bits::<2>(0);
        self.ring.next = self.word.val().get_bits::<6>(2);
        self.is_ring.next = false;
        self.forbidden.next = 0.into();
        for i in 0..3 {
            if self.ring.val() == self.rings[i].val() {
                self.is_ring.next = true;
            }
        }
        if self.is_ring.val() {
            self.forbidden.next = self.forbidden_in_ring[3].val();
            if self.ring_word.val() == 0 {
                self.forbidden.next = self.forbidden_in_ring[0].val();
            } else if self.ring_word.val() == 1 {
                self.forbidden.next = self.forbidden_in_ring[1].val();
            } else if self.ring_word.val() == 2 {
                self.forbidden.next = self.forbidden_in_ring[2].val();
            }
        }
        for i in 0..4 {
            if self.word.val() == self.masked[i].val() {
                self.forbidden.next = self.forbidden_in[i].val();
            }
        }
        self.is_log2.next = self.is_ring.val() & (self.ring_word.val() == 2);
        self.log2_bad.next = (self.data.val() != 0)
            & ((self.data.val() < self.log2_min.val()) | (self.data.val() > self.log2_max.val()));
        self.window_bad.next = (self.data.val() < self.window_min.val()) | (self.data.val() > self.window_max.val());
        self.refused.next = (self.data.val() & self.forbidden.val()).any()
            | (self.is_log2.val() & self.log2_bad.val())
            | ((self.word.val() == self.window.val()) & self.window_bad.val())
            | ((self.word.val() == self.tick.val()) & (self.data.val() == 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bad(offset: u32, data: u32) -> bool {
        let mut uut = ValueCheck::default();
        uut.connect_all();
        uut.word.next = u64::from(offset / 4).into();
        uut.data.next = u64::from(data).into();
        assert!(simulate(&mut uut, 10));
        uut.refused.val()
    }

    #[test]
    fn unnamed_bits_are_refused() {
        for (offset, named) in [
            (map::CONTROL, 0x1Fu32),
            (map::STATUS, 4),
            (map::GO, 0xFFFF_00FF),
            (map::MAC_HIGH, 0xFFFF),
            (map::EVENT_CONSUMER, 0xFFFF),
            (map::RAW_RECEIVE_PRODUCER, 0xFFFF),
            (map::RAW_SEND_PRODUCER, 0xFFFF),
            (map::EVENT_BASE_LOW, 0xFFFF_F000),
            (map::RAW_SEND_BASE_LOW, 0xFFFF_F000),
            (map::RAW_RECEIVE_BASE_HIGH, 0xF_FFFF),
            (map::EVENT_BASE_HIGH, 0xF_FFFF),
            (map::MAC_LOW, u32::MAX),
            (map::OWN_ADDRESS, u32::MAX),
            (map::admin_command(3), u32::MAX),
        ] {
            assert!(!bad(offset, named), "{offset:04x}");
            for bit in 0..32 {
                assert_eq!(bad(offset, 1 << bit), named >> bit & 1 == 0, "{offset:04x} bit {bit}");
            }
        }
    }

    #[test]
    fn event_and_raw_rings_have_no_entries_or_2_pow_4_to_12() {
        for offset in [map::EVENT_LOG2, map::RAW_RECEIVE_LOG2, map::RAW_SEND_LOG2] {
            for log2 in 0..40 {
                assert_eq!(bad(offset, log2), log2 != 0 && !(4..=12).contains(&log2), "{offset:04x} {log2}");
            }
            assert!(bad(offset, 0x104));
        }
    }

    #[test]
    fn t18_t79_window_and_tick_have_their_limits() {
        let verdicts = |offset, values: &[u32]| values.iter().map(|v| bad(offset, *v)).collect::<Vec<_>>();
        assert_eq!(
            verdicts(map::WINDOW, &[0, 1, 2, 1024, 65_536, 65_537, u32::MAX]),
            [true, true, false, false, false, true, true]
        );
        assert_eq!(verdicts(map::TICK, &[0, 1, 0x1_0000, u32::MAX]), [true, false, false, false]);
    }
}
