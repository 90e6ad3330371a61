//! What the raw rings need of their registers: copies of the stored ones, all visible at once (T95).
//!
//! Writes are checked before they come here; reads are answered by the stored registers. Latency one cycle. A write to the
//! base or the size of a ring starts it afresh (`restarts`, in the cycle in which the new value shows).
use super::value::word_of;
use crate::raw::RawSettings;
use rnic_abi::register as map;
use rust_hdl::prelude::*;

/// Rings: receive, send.
const RINGS: usize = 2;

/// Copies of the registers.
#[derive(LogicBlock)]
pub struct RawRegisters {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// No rings.
    pub reset: Signal<In, Bit>,
    /// A stored register is written,
    pub write: Signal<In, Bit>,
    /// this word of the BAR,
    pub word: Signal<In, Bits<8>>,
    /// with this value.
    pub data: Signal<In, Bits<32>>,
    /// The rings: receive, send.
    pub rings: [Signal<Out, RawSettings>; RINGS],
    /// The base or the size of a ring was written.
    pub restarts: [Signal<Out, Bit>; RINGS],
    kept: [DFF<RawSettings>; RINGS],
    restart: [DFF<Bit>; RINGS],
    place: Signal<Local, Bits<2>>,
    ring: Signal<Local, Bits<6>>,
    hit: Signal<Local, Bit>,
    low: Signal<Local, Bits<40>>,
    high: Signal<Local, Bits<40>>,
    now: Signal<Local, RawSettings>,
    base: Signal<Local, Bits<40>>,
    here: [Constant<Bits<6>>; RINGS],
    low_mask: Constant<Bits<40>>,
    high_mask: Constant<Bits<40>>,
}

impl Default for RawRegisters {
    fn default() -> Self {
        let first = [map::RAW_RECEIVE_BASE_LOW, map::RAW_SEND_BASE_LOW];
        // The kernel cuts the word number into ring and place.
        assert_eq!(
            [map::RAW_SEND_BASE_LOW, map::RAW_SEND_BASE_HIGH, map::RAW_SEND_LOG2, map::RAW_SEND_PRODUCER]
                .map(|offset| offset - map::RAW_SEND_BASE_LOW + map::RAW_RECEIVE_BASE_LOW),
            [map::RAW_RECEIVE_BASE_LOW, map::RAW_RECEIVE_BASE_HIGH, map::RAW_RECEIVE_LOG2, map::RAW_RECEIVE_PRODUCER]
        );
        assert_eq!(first.map(|offset| offset % 16), [0, 0]);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write: Default::default(),
            word: Default::default(),
            data: Default::default(),
            rings: std::array::from_fn(|_| Default::default()),
            restarts: std::array::from_fn(|_| Default::default()),
            kept: std::array::from_fn(|_| Default::default()),
            restart: std::array::from_fn(|_| Default::default()),
            place: Default::default(),
            ring: Default::default(),
            hit: Default::default(),
            low: Default::default(),
            high: Default::default(),
            now: Default::default(),
            base: Default::default(),
            here: first.map(|offset| {
                let word: Bits<8> = word_of(offset).val();
                Constant::new(word.get_bits::<6>(2))
            }),
            low_mask: Constant::new(bits(0xF_FFFF)),
            high_mask: Constant::new(bits(0xF_FFFF << 20)),
        }
    }
}

impl Logic for RawRegisters {
    #[hdl_gen]
    fn update(&mut self) {
        self.place.next = self.word.val().get_bits::<2>(0);
        self.ring.next = self.word.val().get_bits::<6>(2);
        self.low.next = bit_cast::<40, 20>(self.data.val().get_bits::<20>(12));
        self.high.next = bit_cast::<40, 20>(self.data.val().get_bits::<20>(0)) << 20;
        for i in 0..2 {
            self.kept[i].clock.next = self.clock.val();
            self.restart[i].clock.next = self.clock.val();
            self.now.next = self.kept[i].q.val();
            self.base.next = self.now.val().base;
            self.hit.next = self.write.val() & (self.ring.val() == self.here[i].val());
            self.restart[i].d.next = self.hit.val() & (self.place.val() != 3);
            if self.hit.val() & (self.place.val() == 0) {
                self.now.next.base = (self.base.val() & self.high_mask.val()) | self.low.val();
            }
            if self.hit.val() & (self.place.val() == 1) {
                self.now.next.base = (self.base.val() & self.low_mask.val()) | self.high.val();
            }
            if self.hit.val() & (self.place.val() == 2) {
                self.now.next.log2 = self.data.val().get_bits::<4>(0);
            }
            if self.hit.val() & (self.place.val() == 3) {
                self.now.next.producer = self.data.val().get_bits::<16>(0);
            }
            if self.reset.val() {
                self.now.next.base = 0.into();
                self.now.next.log2 = 0.into();
                self.now.next.producer = 0.into();
            }
            self.kept[i].d.next = self.now.val();
            self.rings[i].next = self.kept[i].q.val();
            self.restarts[i].next = self.restart[i].q.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    #[test]
    fn t95_every_register_of_both_rings_shows_and_all_but_the_producer_restart_theirs() {
        let mut uut = RawRegisters::default();
        uut.connect_all();
        uut.reset.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.reset.next = false;
        let mut put = |offset: u32, value: u32, write: bool| {
            uut.write.next = write;
            uut.word.next = u64::from(offset >> 2 & 0xFF).into();
            uut.data.next = u64::from(value).into();
            tick(&mut uut, |u| &mut u.clock);
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 10));
            let ring = |i: usize| {
                let ring = uut.rings[i].val();
                (ring.base.to_u64(), ring.log2.to_u64(), ring.producer.to_u64(), uut.restarts[i].val())
            };
            [ring(0), ring(1)]
        };
        let none = (0, 0, 0, false);
        put(map::RAW_RECEIVE_LOG2, 12, true);
        put(map::RAW_RECEIVE_BASE_HIGH, 0xA_BCDE, true);
        let [receive, send] = put(map::RAW_RECEIVE_BASE_LOW, 0x1234_5000, true);
        assert_eq!((receive, send), ((0xAB_CDE1_2345, 12, 0, true), none));
        let [receive, send] = put(map::RAW_RECEIVE_PRODUCER, 0xFFFF, true);
        assert_eq!((receive, send), ((0xAB_CDE1_2345, 12, 0xFFFF, false), none));
        assert_eq!(put(map::RAW_SEND_PRODUCER, 7, false)[1], none, "not written");
        put(map::RAW_SEND_PRODUCER, 7, true);
        put(map::RAW_SEND_BASE_LOW, 0xFFFF_F000, true);
        put(map::RAW_SEND_BASE_HIGH, 0xF_FFFF, true);
        let [receive, send] = put(map::RAW_SEND_LOG2, 4, true);
        assert_eq!(send, (0xFF_FFFF_FFFF, 4, 7, true));
        assert_eq!(receive, (0xAB_CDE1_2345, 12, 0xFFFF, false));
        assert_eq!(put(map::EVENT_LOG2, 5, true)[1].3, false, "another ring");
    }
}
