//! Sends frames on GMII: preamble, frame, padding, FCS, gap (MC1).
//!
//! Two cycles from the first byte offered to the first of the preamble; eight more and a byte a cycle is taken. Frames that
//! are offered in time follow each other with a gap of exactly 12 bytes, 100 % of the line rate.
//!
//! Ethernet has no pause: a byte that is missing inside a frame (no reader of [`super::FrameFifo`] leaves one out, MC2) makes
//! the frame bad by TX_ER, and its rest is swallowed.
use super::{FcsStep, FrameByte, FCS_START};
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// What the transmitter puts on the wire.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum TransmitState {
    /// Nothing, for as long as there is no frame.
    Idle,
    /// Preamble and start delimiter.
    Preamble,
    /// Bytes of the frame.
    Data,
    /// Zeros up to the shortest frame.
    Pad,
    /// The FCS.
    Fcs,
    /// Nothing, 12 byte times.
    Gap,
    /// Nothing, until the rest of a spoilt frame is swallowed.
    Discard,
}

/// Transmitter; `clock` is the 125 MHz of GMII.
#[derive(LogicBlock)]
pub struct GmiiTransmit {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Ends what is being sent.
    pub reset: Signal<In, Bit>,
    /// Frames; no gap inside a frame once its first byte is offered.
    pub sink: ChannelSink<FrameByte>,
    /// Byte on the wire.
    pub gmii_txd: Signal<Out, Bits<8>>,
    /// It belongs to a frame.
    pub gmii_tx_en: Signal<Out, Bit>,
    /// It makes the frame bad.
    pub gmii_tx_er: Signal<Out, Bit>,
    /// A frame was sent whole.
    pub sent: Signal<Out, Bit>,
    /// A frame was spoilt for want of a byte.
    pub starved: Signal<Out, Bit>,
    state: DFF<TransmitState>,
    count: DFF<Bits<6>>,
    fcs: DFF<Bits<32>>,
    txd: DFF<Bits<8>>,
    tx_en: DFF<Bit>,
    tx_er: DFF<Bit>,
    ends: DFF<Bit>,
    offered: Signal<Local, FrameByte>,
    first_of_fcs: Signal<Local, Bits<8>>,
    step: FcsStep,
    fcs_start: Constant<Bits<32>>,
}

impl Default for GmiiTransmit {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            sink: Default::default(),
            gmii_txd: Default::default(),
            gmii_tx_en: Default::default(),
            gmii_tx_er: Default::default(),
            sent: Default::default(),
            starved: Default::default(),
            state: Default::default(),
            count: Default::default(),
            fcs: Default::default(),
            txd: Default::default(),
            tx_en: Default::default(),
            tx_er: Default::default(),
            ends: Default::default(),
            offered: Default::default(),
            first_of_fcs: Default::default(),
            step: Default::default(),
            fcs_start: Constant::new(u64::from(FCS_START).into()),
        }
    }
}

impl Logic for GmiiTransmit {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, fcs, txd, tx_en, tx_er, ends);
        self.offered.next = self.sink.data.val();
        self.sink.ready.next = false;
        self.step.state.next = self.fcs.q.val();
        self.step.octet.next = self.offered.val().data;
        self.first_of_fcs.next = self.fcs.q.val().get_bits::<8>(0);
        self.txd.d.next = 0.into();
        self.tx_en.d.next = false;
        self.tx_er.d.next = false;
        self.ends.d.next = false;
        self.count.d.next = self.count.q.val() + 1;
        match self.state.q.val() {
            TransmitState::Idle => {
                self.count.d.next = 0.into();
                if self.sink.valid.val() {
                    self.state.d.next = TransmitState::Preamble;
                }
            }
            TransmitState::Preamble => {
                self.tx_en.d.next = true;
                self.txd.d.next = 0x55.into();
                self.fcs.d.next = self.fcs_start.val();
                if self.count.q.val() == 7 {
                    self.txd.d.next = 0xD5.into();
                    self.count.d.next = 0.into();
                    self.state.d.next = TransmitState::Data;
                }
            }
            TransmitState::Data => {
                self.sink.ready.next = true;
                self.tx_en.d.next = true;
                self.txd.d.next = self.offered.val().data;
                self.fcs.d.next = self.step.next_state.val();
                if self.count.q.val() == 59 {
                    self.count.d.next = self.count.q.val();
                }
                if !self.sink.valid.val() {
                    self.tx_er.d.next = true;
                    self.state.d.next = TransmitState::Discard;
                } else if self.offered.val().last {
                    self.state.d.next = TransmitState::Pad;
                    if self.count.q.val() == 59 {
                        self.count.d.next = 0.into();
                        self.state.d.next = TransmitState::Fcs;
                    }
                }
            }
            TransmitState::Pad => {
                self.tx_en.d.next = true;
                self.step.octet.next = 0.into();
                self.fcs.d.next = self.step.next_state.val();
                if self.count.q.val() == 59 {
                    self.count.d.next = 0.into();
                    self.state.d.next = TransmitState::Fcs;
                }
            }
            TransmitState::Fcs => {
                self.tx_en.d.next = true;
                self.txd.d.next = !self.first_of_fcs.val();
                self.fcs.d.next = self.fcs.q.val() >> 8;
                if self.count.q.val() == 3 {
                    self.ends.d.next = true;
                    self.count.d.next = 0.into();
                    self.state.d.next = TransmitState::Gap;
                }
            }
            TransmitState::Gap => {
                if self.count.q.val() == 11 {
                    self.count.d.next = 0.into();
                    self.state.d.next = TransmitState::Idle;
                    if self.sink.valid.val() {
                        self.state.d.next = TransmitState::Preamble;
                    }
                }
            }
            TransmitState::Discard => {
                self.sink.ready.next = true;
                self.count.d.next = 0.into();
                if self.sink.valid.val() & self.offered.val().last {
                    self.state.d.next = TransmitState::Gap;
                }
            }
        }
        self.gmii_txd.next = self.txd.q.val();
        self.gmii_tx_en.next = self.tx_en.q.val();
        self.gmii_tx_er.next = self.tx_er.q.val();
        self.sent.next = self.ends.q.val();
        self.starved.next = self.tx_er.q.val();
        if self.reset.val() {
            self.state.d.next = TransmitState::Idle;
            self.tx_en.d.next = false;
            self.tx_er.d.next = false;
            self.ends.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;
    use crate::mac::model::{frames_of, sample, sealed, Period, Seen};

    /// Offers frames, byte by byte without pauses, `idle` cycles between them; returns what was sent.
    fn send(frames: &[Vec<u8>], idle: usize) -> Vec<Period> {
        let mut uut = GmiiTransmit::default();
        uut.connect_all();
        let mut sent = vec![];
        let mut cycle = |uut: &mut GmiiTransmit, octet: Option<(u8, bool)>| {
            let (data, last) = octet.unwrap_or_default();
            uut.sink.data.next = FrameByte { data: u64::from(data).into(), last };
            uut.sink.valid.next = octet.is_some();
            uut.clock.next = Clock { clk: false };
            assert!(simulate(uut, 100));
            let ready = uut.sink.ready.val();
            uut.clock.next = Clock { clk: true };
            assert!(simulate(uut, 100));
            sent.push(Period {
                data: uut.gmii_txd.val().to_u64() as u8,
                enable: uut.gmii_tx_en.val(),
                error: uut.gmii_tx_er.val(),
            });
            ready
        };
        for frame in frames {
            for (i, octet) in frame.iter().enumerate() {
                let mut waited = 0;
                while !cycle(&mut uut, Some((*octet, i + 1 == frame.len()))) {
                    waited += 1;
                    assert!(waited < 100, "byte {i} of {} bytes not taken, {:?}", frame.len(), uut.state.q.val());
                }
            }
            (0..idle).for_each(|_| assert!(!cycle(&mut uut, None)));
        }
        (0..100).for_each(|_| assert!(!cycle(&mut uut, None)));
        sent
    }

    fn check_all_sent(frames: &[Vec<u8>], seen: &[Seen], gap: Option<usize>) {
        assert_eq!(seen.len(), frames.len());
        for (i, (frame, seen)) in frames.iter().zip(seen).enumerate() {
            assert_eq!(seen.start, [0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xD5], "frame {i}");
            assert!(seen.bytes == sealed(frame) && !seen.error, "frame {i} of {} bytes: {seen:x?}", frame.len());
            if i > 0 {
                assert!(gap.map_or(seen.gap >= 12, |gap| seen.gap == gap), "frame {i}: gap {}", seen.gap);
            }
        }
    }

    #[test]
    fn mc1_frames_of_many_lengths_follow_each_other_with_a_gap_of_exactly_12() {
        // All of them: see `line_tests`, which run the Verilog.
        let lengths = (1..=140).chain((140..1500).step_by(97)).chain(1506..=1514);
        let frames: Vec<_> = lengths.map(|length| sample(length, 1)).collect();
        check_all_sent(&frames, &frames_of(&send(&frames, 0)), Some(12));
    }

    #[test]
    fn mc1_a_frame_that_comes_late_has_a_gap_of_at_least_12() {
        for idle in [1, 11, 12, 13, 14, 40] {
            let frames: Vec<_> = [1, 59, 60, 61, 64].map(|length| sample(length, 2)).into();
            check_all_sent(&frames, &frames_of(&send(&frames, idle)), None);
        }
    }

    #[test]
    fn mc1_vector_of_the_host_link_tlp_frame() {
        let frame = "02524e49000102000000000188b5130000101234abcd000000000010000800004000000\
            10000000fe0000100efbeadde000000000000000000000000";
        let frame: Vec<u8> =
            (0..frame.len()).step_by(2).map(|at| u8::from_str_radix(&frame[at..at + 2], 16).unwrap()).collect();
        assert_eq!(frame.len(), 60);
        assert_eq!(frames_of(&send(&[frame], 0))[0].bytes[60..], [0x37, 0xFC, 0x1B, 0x3C]);
    }

    #[test]
    fn mc2_a_missing_byte_spoils_the_frame_and_only_it() {
        let mut uut = GmiiTransmit::default();
        uut.connect_all();
        let mut sent = vec![];
        let script = (0..200).map(|i| match i {
            0..=30 => Some(false),
            31 => None,
            32..=40 => Some(i == 40),
            41..=199 => Some(i == 199),
            _ => None,
        });
        let mut script = script.peekable();
        for _ in 0..400 {
            let offer = script.peek().copied().flatten();
            uut.sink.data.next = FrameByte { data: 0xA5.into(), last: offer == Some(true) };
            uut.sink.valid.next = offer.is_some();
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            if uut.sink.ready.val() {
                script.next();
            }
            tick(&mut uut, |u| &mut u.clock);
            sent.push(Period {
                data: uut.gmii_txd.val().to_u64() as u8,
                enable: uut.gmii_tx_en.val(),
                error: uut.gmii_tx_er.val(),
            });
        }
        let seen = frames_of(&sent);
        assert_eq!(seen.len(), 2, "{seen:x?}");
        assert!(seen[0].error && seen[0].bytes.len() == 32, "{:x?}", seen[0]);
        assert!(!seen[1].error && seen[1].bytes == sealed(&[0xA5; 159]) && seen[1].gap >= 12, "{:x?}", seen[1]);
    }
}
