//! Receives frames from GMII (MC3): [`ReceiveHunt`] and [`ReceiveJudge`].
//!
//! One byte a cycle and no way to hold it up; seven cycles from a byte on the wire to the same byte of the frame, two from the
//! fall of RX_DV to the last byte and the verdict.
use super::{FrameByte, ReceiveHunt, ReceiveJudge};
use rust_hdl::prelude::*;

/// Receiver; `clock` is the receive clock of the PHY.
#[derive(LogicBlock)]
pub struct GmiiReceive {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame under way.
    pub reset: Signal<In, Bit>,
    /// Byte on the wire.
    pub gmii_rxd: Signal<In, Bits<8>>,
    /// It belongs to a frame.
    pub gmii_rx_dv: Signal<In, Bit>,
    /// The PHY saw an error.
    pub gmii_rx_er: Signal<In, Bit>,
    /// Byte of a frame,
    pub frame: Signal<Out, FrameByte>,
    /// if it counts.
    pub frame_valid: Signal<Out, Bit>,
    /// The frame is bad; counts in its last byte.
    pub frame_bad: Signal<Out, Bit>,
    /// A good frame is over.
    pub good_frame: Signal<Out, Bit>,
    /// A bad frame, or something that was no frame, is over.
    pub bad_frame: Signal<Out, Bit>,
    hunt: ReceiveHunt,
    judge: ReceiveJudge,
    astray: DFF<Bit>,
}

impl GmiiReceive {
    /// Takes frames of up to `longest` bytes with FCS.
    pub fn new(longest: usize) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            gmii_rxd: Default::default(),
            gmii_rx_dv: Default::default(),
            gmii_rx_er: Default::default(),
            frame: Default::default(),
            frame_valid: Default::default(),
            frame_bad: Default::default(),
            good_frame: Default::default(),
            bad_frame: Default::default(),
            hunt: Default::default(),
            judge: ReceiveJudge::new(longest),
            astray: Default::default(),
        }
    }
}

impl Logic for GmiiReceive {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, astray);
        clock!(self, clock, hunt, judge);
        self.hunt.reset.next = self.reset.val();
        self.hunt.gmii_rxd.next = self.gmii_rxd.val();
        self.hunt.gmii_rx_dv.next = self.gmii_rx_dv.val();
        self.hunt.gmii_rx_er.next = self.gmii_rx_er.val();
        self.judge.reset.next = self.reset.val();
        self.judge.octet.next = self.hunt.octet.val();
        self.judge.valid.next = self.hunt.valid.val();
        self.judge.ends.next = self.hunt.ends.val();
        self.judge.error.next = self.hunt.error.val();
        self.astray.d.next = self.hunt.no_frame.val() & !self.reset.val();
        self.frame.next = self.judge.frame.val();
        self.frame_valid.next = self.judge.frame_valid.val();
        self.frame_bad.next = self.judge.frame_bad.val();
        self.good_frame.next = self.judge.good_frame.val();
        self.bad_frame.next = self.judge.bad_frame.val() | self.astray.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;
    use crate::mac::model::{burst, sample, sealed, Period};

    const LONGEST: usize = 1518;

    /// What came out: bytes and whether the frame is bad; and the pulses for good and bad frames.
    #[derive(Debug, Default, PartialEq)]
    struct Received {
        frames: Vec<(Vec<u8>, bool)>,
        good: usize,
        bad: usize,
    }

    fn receive(periods: impl IntoIterator<Item = Period>) -> Received {
        let mut uut = GmiiReceive::new(LONGEST);
        uut.connect_all();
        let (mut received, mut open) = (Received::default(), vec![]);
        uut.reset.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.reset.next = false;
        for period in [Period::IDLE; 4].into_iter().chain(periods).chain([Period::IDLE; 12]) {
            uut.gmii_rxd.next = u64::from(period.data).into();
            uut.gmii_rx_dv.next = period.enable;
            uut.gmii_rx_er.next = period.error;
            tick(&mut uut, |u| &mut u.clock);
            if uut.frame_valid.val() {
                open.push(uut.frame.val().data.to_u64() as u8);
                if uut.frame.val().last {
                    received.frames.push((std::mem::take(&mut open), uut.frame_bad.val()));
                }
            }
            received.good += usize::from(uut.good_frame.val());
            received.bad += usize::from(uut.bad_frame.val());
        }
        assert!(open.is_empty(), "a frame without end");
        received
    }

    fn gap() -> [Period; 12] {
        [Period::IDLE; 12]
    }

    #[test]
    fn mc3_frames_of_many_lengths_arrive_at_line_rate_behind_any_preamble() {
        let lengths = (1..=140).chain((140..1500).step_by(97)).chain(1506..=LONGEST - 4);
        // All of them: see `line_tests`, which run the Verilog.
        let frames: Vec<_> = lengths.map(|length| sample(length, 3)).collect();
        let wire = frames.iter().enumerate().flat_map(|(i, frame)| {
            let mut wire = burst(&sealed(frame), 1 + i % 7);
            wire.extend(gap());
            wire
        });
        let received = receive(wire);
        assert_eq!((received.frames.len(), received.good, received.bad), (frames.len(), frames.len(), 0));
        for (frame, (bytes, bad)) in frames.iter().zip(&received.frames) {
            let mut expected = frame.clone();
            expected.resize(frame.len().max(60), 0);
            assert!(*bytes == expected && !bad, "{} bytes", frame.len());
        }
    }

    #[test]
    fn mc3_each_bit_of_a_frame_is_guarded_by_the_fcs() {
        let whole = sealed(&sample(60, 4));
        for bit in (0..whole.len() * 8).step_by(5) {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let wire = burst(&flipped, 7).into_iter().chain(gap()).chain(burst(&whole, 7));
            let received = receive(wire);
            assert_eq!(received.frames[0], (flipped[..60].to_vec(), true), "bit {bit}");
            assert_eq!(received.frames[1], (whole[..60].to_vec(), false), "bit {bit}");
            assert_eq!((received.good, received.bad), (1, 1), "bit {bit}");
        }
    }

    #[test]
    fn mc3_rx_er_at_any_byte_makes_a_frame_bad_and_only_it() {
        let whole = sealed(&sample(60, 5));
        for at in 0..8 + whole.len() {
            let mut wire = burst(&whole, 7);
            wire[at].error = true;
            let received = receive(wire.into_iter().chain(gap()).chain(burst(&whole, 7)));
            let bad: Vec<_> = received.frames.iter().map(|(_, bad)| *bad).collect();
            assert_eq!((bad, received.good, received.bad), (vec![true, false], 1, 1), "byte {at}");
        }
    }

    #[test]
    fn mc3_frames_shorter_than_64_or_longer_than_the_limit_are_bad() {
        let fit = |length: usize| {
            let mut bytes = sample(length - 4, 6);
            bytes.extend(crate::mac::model::serial_crc(&bytes).to_le_bytes());
            bytes
        };
        for length in 4..64 {
            let received = receive(burst(&fit(length), 7).into_iter().chain(gap()).chain(burst(&fit(64), 7)));
            assert_eq!((received.good, received.bad), (1, 1), "{length} bytes");
            let bad: Vec<_> = received.frames.iter().map(|(_, bad)| *bad).collect();
            // Nothing is left of a frame that is no longer than an FCS.
            assert_eq!(bad, if length == 4 { vec![false] } else { vec![true, false] }, "{length} bytes");
        }
        for (length, good) in [(LONGEST, true), (LONGEST + 1, false), (LONGEST + 2, false), (9000, false)] {
            let bytes = fit(length);
            let received = receive(burst(&bytes, 7).into_iter().chain(gap()).chain(burst(&fit(64), 7)));
            let kept = length.min(LONGEST) - 4;
            assert_eq!(received.frames[0], (bytes[..kept].to_vec(), !good), "{length} bytes");
            assert_eq!((received.good, received.bad), (1 + usize::from(good), usize::from(!good)), "{length} bytes");
        }
    }

    #[test]
    fn mc3_a_truncated_frame_is_bad() {
        let whole = sealed(&sample(200, 7));
        for length in 0..whole.len() {
            let received = receive(burst(&whole[..length], 7).into_iter().chain(gap()).chain(burst(&whole, 7)));
            assert_eq!((received.good, received.bad), (1, 1), "cut to {length} bytes");
            assert_eq!(*received.frames.last().unwrap(), (whole[..200].to_vec(), false), "cut to {length} bytes");
            assert_eq!(received.frames.len(), 1 + usize::from(length > 4), "cut to {length} bytes");
        }
    }

    #[test]
    fn mc3_what_has_no_preamble_is_no_frame() {
        let whole = sealed(&sample(60, 8));
        let naked = burst(&whole, 0);
        let false_start = [0x55, 0x55, 0x5D, 0xD5].into_iter().chain(whole.iter().copied()).map(Period::of);
        let delimiter_missing = [0x55; 20].map(Period::of);
        for noise in [naked, false_start.collect(), delimiter_missing.to_vec(), vec![Period::of(0xFF)]] {
            let received = receive(noise.into_iter().chain(gap()).chain(burst(&whole, 7)));
            assert_eq!(received.frames, [(whole[..60].to_vec(), false)]);
            assert_eq!((received.good, received.bad), (1, 1));
        }
        // Carrier extension, false carrier, and what PHYs show in band between frames: no frame at all.
        let between = [0x0F, 0x0E, 0xD5, 0x55].map(|data| Period { data, enable: false, error: true });
        let in_band = Period { data: 0xDD, enable: false, error: false };
        let received = receive(between.into_iter().chain([in_band; 4]).chain(burst(&whole, 7)).chain([in_band; 3]));
        assert_eq!((received.frames.len(), received.good, received.bad), (1, 1, 0));
    }

    #[test]
    fn mc3_reset_in_a_frame_leaves_it_out() {
        let whole = sealed(&sample(60, 9));
        for reset_at in [1, 9, 40, 71] {
            let mut uut = GmiiReceive::new(LONGEST);
            uut.connect_all();
            let wire: Vec<_> = [Period::IDLE; 2]
                .into_iter()
                .chain(burst(&whole, 7))
                .chain(gap())
                .chain(burst(&whole, 7))
                .chain(gap())
                .collect();
            let mut ends = vec![];
            uut.reset.next = true;
            tick(&mut uut, |u| &mut u.clock);
            for (i, period) in wire.iter().enumerate() {
                uut.reset.next = i == 2 + reset_at;
                uut.gmii_rxd.next = u64::from(period.data).into();
                uut.gmii_rx_dv.next = period.enable;
                tick(&mut uut, |u| &mut u.clock);
                if uut.frame_valid.val() && uut.frame.val().last {
                    ends.push(uut.frame_bad.val());
                }
            }
            assert_eq!(ends, [false], "reset at {reset_at}");
        }
    }
}
