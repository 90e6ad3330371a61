//! ICRC engine: CRC-32 of the Ethernet polynomial over masked bytes, one beat a cycle (T93).
//!
//! Latency six cycles from the last beat to `crc_valid`, for every width: bytes that do not count become zeros (1), parities
//! of the beat (1), the state's own step (1), and the way back over the zeros in three registers of two steps. Frames may
//! follow each other without a gap, and beats may have gaps.
//!
//! The caller masks (G11) and feeds the bytes before the IP header as zeros; `start` makes up for those zeros.
use super::XorMatrix;
use rust_hdl::prelude::*;

/// Reflected polynomial.
pub const POLYNOMIAL: u32 = 0xEDB8_8320;
/// State after the eight bytes of ones in front of the IP header (G11).
pub const AFTER_ONES: u32 = 0xDEBB_20E3;
/// `crc` over a frame with its right ICRC (T94).
pub const GOOD_CRC: u32 = 0x2144_DF1C;
/// `start` of a frame without a VLAN tag: [`AFTER_ONES`] moved back by 14 zero bytes.
pub const START_UNTAGGED: u32 = 0xAE0B_ACAE;
/// `start` of a frame with a VLAN tag: [`AFTER_ONES`] moved back by 18 zero bytes.
pub const START_TAGGED: u32 = 0xBAE5_BB0A;

/// State after another byte.
pub fn step(state: u32, byte: u8) -> u32 {
    (0..8).fold(state ^ u32::from(byte), |state, _| (state >> 1) ^ if state & 1 == 1 { POLYNOMIAL } else { 0 })
}

/// State before a zero byte.
pub fn step_back(state: u32) -> u32 {
    (0..8).fold(state, |state, _| match state >> 31 {
        1 => ((state ^ POLYNOMIAL) << 1) | 1,
        _ => state << 1,
    })
}

fn repeat(times: usize, state: u32, step: impl Fn(u32) -> u32) -> u32 {
    (0..times).fold(state, |state, _| step(state))
}

/// Two conditional steps of the way back over zero bytes, and a register.
#[derive(LogicBlock)]
pub struct Retreat {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what it holds.
    pub reset: Signal<In, Bit>,
    /// State after the zeros.
    pub state: Signal<In, Bits<32>>,
    /// Number of zero bytes; each stage looks at two of its bits.
    pub spare: Signal<In, Bits<6>>,
    /// The state counts.
    pub valid: Signal<In, Bit>,
    /// State before the zeros of this stage, one cycle later.
    pub state_before: Signal<Out, Bits<32>>,
    /// `spare` of one cycle ago, two bits down.
    pub spare_before: Signal<Out, Bits<6>>,
    /// `valid` of one cycle ago.
    pub valid_before: Signal<Out, Bit>,
    held: DFF<Bits<32>>,
    held_spare: DFF<Bits<6>>,
    held_valid: DFF<Bit>,
    one_step: XorMatrix<32>,
    two_steps: XorMatrix<32>,
    halfway: Signal<Local, Bits<32>>,
}

impl Retreat {
    /// Stage `i` of the way: over 4^i and 2 x 4^i bytes.
    pub fn new(i: usize) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            state: Default::default(),
            spare: Default::default(),
            valid: Default::default(),
            state_before: Default::default(),
            spare_before: Default::default(),
            valid_before: Default::default(),
            held: Default::default(),
            held_spare: Default::default(),
            held_valid: Default::default(),
            one_step: XorMatrix::new(|j| repeat(1 << (2 * i), 1 << j, step_back)),
            two_steps: XorMatrix::new(|j| repeat(2 << (2 * i), 1 << j, step_back)),
            halfway: Default::default(),
        }
    }
}

impl Logic for Retreat {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, held_spare, held_valid);
        self.one_step.word.next = self.state.val();
        self.halfway.next = self.state.val();
        if self.spare.val().get_bit(0) {
            self.halfway.next = self.one_step.out.val();
        }
        self.two_steps.word.next = self.halfway.val();
        self.held.d.next = self.halfway.val();
        if self.spare.val().get_bit(1) {
            self.held.d.next = self.two_steps.out.val();
        }
        self.held_spare.d.next = self.spare.val() >> 2;
        self.held_valid.d.next = self.valid.val() & !self.reset.val();
        self.state_before.next = self.held.q.val();
        self.spare_before.next = self.held_spare.q.val();
        self.valid_before.next = self.held_valid.q.val();
    }
}

/// CRC engine of one direction; STRB = DATA / 8.
#[derive(LogicBlock)]
pub struct Icrc<const DATA: usize, const STRB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what is under way.
    pub reset: Signal<In, Bit>,
    /// Masked bytes, the first one in the lowest bits.
    pub beat: Signal<In, Bits<DATA>>,
    /// The beat counts.
    pub valid: Signal<In, Bit>,
    /// It is the first of a frame: the state begins at `start`.
    pub first: Signal<In, Bit>,
    /// State before the first byte of `beat`, read with `first`.
    pub start: Signal<In, Bits<32>>,
    /// Bytes of the beat that count: DATA / 8, or 1 to DATA / 8 in the last beat; the others may be anything.
    pub count: Signal<In, Bits<7>>,
    /// It is the last of a frame.
    pub last: Signal<In, Bit>,
    /// CRC of the frame, final complement included; as ICRC its least significant byte goes first. Holds for one cycle.
    pub crc: Signal<Out, Bits<32>>,
    /// `crc` is the CRC of the frame whose last beat came six cycles ago.
    pub crc_valid: Signal<Out, Bit>,
    kept: DFF<Bits<DATA>>,
    kept_valid: DFF<Bit>,
    kept_first: DFF<Bit>,
    kept_start: DFF<Bits<32>>,
    kept_last: DFF<Bit>,
    kept_spare: DFF<Bits<6>>,
    parity: DFF<Bits<32>>,
    parity_valid: DFF<Bit>,
    parity_first: DFF<Bit>,
    parity_start: DFF<Bits<32>>,
    parity_last: DFF<Bit>,
    parity_spare: DFF<Bits<6>>,
    state: DFF<Bits<32>>,
    state_last: DFF<Bit>,
    state_spare: DFF<Bits<6>>,
    of_beat: XorMatrix<DATA>,
    advance: XorMatrix<32>,
    retreat: [Retreat; 3],
    unused: Signal<Local, Bits<7>>,
    shift: Signal<Local, Bits<10>>,
    ones: Constant<Bits<DATA>>,
    lanes: Constant<Bits<7>>,
    lane_mask: Constant<Bits<7>>,
}

impl<const DATA: usize, const STRB: usize> Default for Icrc<DATA, STRB> {
    fn default() -> Self {
        assert!(DATA == 8 * STRB && STRB.is_power_of_two() && STRB <= 64, "{DATA} data bits, {STRB} lanes");
        let byte_image = |j: usize| repeat(STRB - 1 - j / 8, step(0, 1 << (j % 8)), |state| step(state, 0));
        let advance = |j: usize| repeat(STRB, 1 << j, |state| step(state, 0));
        Self {
            clock: Default::default(),
            reset: Default::default(),
            beat: Default::default(),
            valid: Default::default(),
            first: Default::default(),
            start: Default::default(),
            count: Default::default(),
            last: Default::default(),
            crc: Default::default(),
            crc_valid: Default::default(),
            kept: Default::default(),
            kept_valid: Default::default(),
            kept_first: Default::default(),
            kept_start: Default::default(),
            kept_last: Default::default(),
            kept_spare: Default::default(),
            parity: Default::default(),
            parity_valid: Default::default(),
            parity_first: Default::default(),
            parity_start: Default::default(),
            parity_last: Default::default(),
            parity_spare: Default::default(),
            state: Default::default(),
            state_last: Default::default(),
            state_spare: Default::default(),
            of_beat: XorMatrix::new(byte_image),
            advance: XorMatrix::new(advance),
            retreat: std::array::from_fn(|i| Retreat::new(i)),
            unused: Default::default(),
            shift: Default::default(),
            ones: Constant::new(!Bits::default()),
            lanes: Constant::new(bits(STRB as u64)),
            lane_mask: Constant::new(bits(STRB as u64 - 1)),
        }
    }
}

impl<const DATA: usize, const STRB: usize> Logic for Icrc<DATA, STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept, kept_valid, kept_first, kept_start, kept_last, kept_spare);
        dff_setup!(self, clock, parity, parity_valid, parity_first, parity_start, parity_last, parity_spare);
        dff_setup!(self, clock, state, state_last, state_spare);

        // Lanes that do not count become zeros.
        self.unused.next = (self.lanes.val() - self.count.val()) & self.lane_mask.val();
        self.shift.next = bit_cast::<10, 7>(self.unused.val()) << 3;
        self.kept.d.next = self.beat.val() & (self.ones.val() >> self.shift.val());
        self.kept_valid.d.next = self.valid.val();
        self.kept_first.d.next = self.first.val();
        self.kept_start.d.next = self.start.val();
        self.kept_last.d.next = self.valid.val() & self.last.val();
        self.kept_spare.d.next = bit_cast::<6, 7>(self.unused.val());

        // What the beat adds to a state.
        self.of_beat.word.next = self.kept.q.val();
        self.parity.d.next = self.of_beat.out.val();
        self.parity_valid.d.next = self.kept_valid.q.val();
        self.parity_first.d.next = self.kept_first.q.val();
        self.parity_start.d.next = self.kept_start.q.val();
        self.parity_last.d.next = self.kept_last.q.val();
        self.parity_spare.d.next = self.kept_spare.q.val();

        // The state.
        self.advance.word.next = self.state.q.val();
        if self.parity_first.q.val() {
            self.advance.word.next = self.parity_start.q.val();
        }
        if self.parity_valid.q.val() {
            self.state.d.next = self.advance.out.val() ^ self.parity.q.val();
        }
        self.state_spare.d.next = self.parity_spare.q.val();
        self.state_last.d.next = self.parity_last.q.val();

        // Back over the zeros behind the frame.
        for i in 0..3 {
            self.retreat[i].clock.next = self.clock.val();
            self.retreat[i].reset.next = self.reset.val();
        }
        self.retreat[0].state.next = self.state.q.val();
        self.retreat[0].spare.next = self.state_spare.q.val();
        self.retreat[0].valid.next = self.state_last.q.val();
        for i in 1..3 {
            self.retreat[i].state.next = self.retreat[i - 1].state_before.val();
            self.retreat[i].spare.next = self.retreat[i - 1].spare_before.val();
            self.retreat[i].valid.next = self.retreat[i - 1].valid_before.val();
        }
        self.crc.next = !self.retreat[2].state_before.val();
        self.crc_valid.next = self.retreat[2].valid_before.val();
        if self.reset.val() {
            self.kept_valid.d.next = false;
            self.kept_last.d.next = false;
            self.parity_valid.d.next = false;
            self.parity_last.d.next = false;
            self.state_last.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{tick, RandomDrive};

    /// Byte-wise CRC with a table, independent of the functions above.
    fn crc32(bytes: &[u8]) -> u32 {
        let mut table = [0u32; 256];
        for (i, entry) in table.iter_mut().enumerate() {
            let mut value = i as u32;
            for _ in 0..8 {
                value = if value % 2 == 1 { 0xEDB8_8320 ^ (value / 2) } else { value / 2 };
            }
            *entry = value;
        }
        !bytes.iter().fold(!0, |crc: u32, byte| table[(crc as u8 ^ byte) as usize] ^ (crc >> 8))
    }

    /// Feeds frames one behind the other and returns the CRCs; panics unless each comes six cycles after its last beat.
    fn run<const DATA: usize, const STRB: usize>(start: u32, frames: &[Vec<u8>], gaps: bool) -> Vec<u32> {
        let mut uut = Icrc::<DATA, STRB>::default();
        uut.connect_all();
        let mut random = RandomDrive::new(3);
        uut.reset.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.reset.next = false;
        uut.start.next = start.to_bits();
        let mut beats = vec![];
        for frame in frames {
            let chunks: Vec<_> = frame.chunks(STRB).collect();
            for (i, chunk) in chunks.iter().enumerate() {
                let mut word = random.word(DATA);
                for (lane, byte) in chunk.iter().enumerate() {
                    for bit in 0..8 {
                        word.set_bit((8 * lane + bit) as u64, byte >> bit & 1 == 1);
                    }
                }
                beats.push((word, i == 0, i + 1 == chunks.len(), chunk.len()));
            }
        }
        let (mut crcs, mut due, mut now) = (vec![], std::collections::VecDeque::new(), 0);
        let mut beats = beats.into_iter().peekable();
        while beats.peek().is_some() || !due.is_empty() {
            assert!(now < 100_000, "no CRC after {} of {}", crcs.len(), frames.len());
            uut.valid.next = false;
            uut.last.next = random.chance(1, 2);
            uut.first.next = random.chance(1, 2);
            if !gaps || random.chance(1, 2) {
                if let Some((word, first, last, count)) = beats.next() {
                    uut.beat.next = word.into();
                    uut.valid.next = true;
                    uut.first.next = first;
                    uut.last.next = last;
                    uut.count.next = bits(count as u64);
                    if last {
                        due.push_back(now + 6);
                    }
                }
            }
            // Outputs while the clock is low belong to this cycle.
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            assert_eq!(uut.crc_valid.val(), due.front() == Some(&now), "cycle {now}");
            if uut.crc_valid.val() {
                due.pop_front();
                crcs.push(uut.crc.val().to_u32());
            }
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
            now += 1;
        }
        crcs
    }

    fn random_frames(lengths: impl Iterator<Item = usize>) -> Vec<Vec<u8>> {
        let mut random = RandomDrive::new(5);
        lengths.map(|n| (0..n).map(|_| random.below(256) as u8).collect()).collect()
    }

    fn all_lengths<const DATA: usize, const STRB: usize>(longest: usize, gaps: bool) {
        let frames = random_frames(1..=longest);
        let expected: Vec<_> = frames.iter().map(|frame| crc32(frame)).collect();
        assert_eq!(run::<DATA, STRB>(!0, &frames, gaps), expected);
    }

    #[test]
    fn t93_every_length_at_64_bits() {
        all_lengths::<64, 8>(299, false);
        all_lengths::<64, 8>(80, true);
    }

    #[test]
    fn t93_every_length_at_128_bits() {
        all_lengths::<128, 16>(299, true);
    }

    #[test]
    fn t93_every_length_at_256_bits() {
        all_lengths::<256, 32>(299, true);
    }

    #[test]
    fn t93_every_length_at_512_bits() {
        all_lengths::<512, 64>(299, false);
        all_lengths::<512, 64>(130, true);
    }

    #[test]
    fn t93_start_states_stand_for_the_bytes_before_the_ip_header() {
        for (start, bytes) in [(START_UNTAGGED, 14), (START_TAGGED, 18)] {
            assert_eq!(repeat(bytes, start, |state| step(state, 0)), AFTER_ONES);
            let frame: Vec<u8> = [vec![0; bytes], b"datagram".to_vec()].concat();
            let plain: Vec<u8> = [vec![0xFF; 8], b"datagram".to_vec()].concat();
            assert_eq!(run::<64, 8>(start, &[frame.clone()], false), [crc32(&plain)]);
            assert_eq!(run::<512, 64>(start, &[frame], false), [crc32(&plain)]);
        }
    }

    #[test]
    fn t94_a_frame_with_its_own_crc_gives_the_constant() {
        let frames = random_frames([1, 7, 60, 200].into_iter())
            .into_iter()
            .map(|frame| {
                let crc = crc32(&frame);
                [frame, crc.to_le_bytes().to_vec()].concat()
            })
            .collect::<Vec<_>>();
        assert_eq!(run::<64, 8>(!0, &frames, false), [GOOD_CRC; 4]);
    }

    /// The masked bytes of the vectors of section G, after the eight ones.
    #[test]
    fn g11_golden_masked_inputs() {
        let hex = |text: &str| {
            let digits: Vec<u8> = text.bytes().filter(|c| *c != b' ').collect();
            digits
                .chunks(2)
                .map(|c| u8::from_str_radix(std::str::from_utf8(c).unwrap(), 16).unwrap())
                .collect::<Vec<_>>()
        };
        let tail = "0000000012345ff000001a2b00000010 000102030405060708090a0b0c0d0e0f";
        let v4 = "45ff004c00004000ff11ffff0a0000010a000002 c00012b70038ffff 0a00ffffff00001180123456";
        let v6 = "6fffffff003811ff fd000000000000000000000000000001 fd000000000000000000000000000002 c00012b70038ffff 0a00ffffff00001180123456";
        let ack = "45ff003000004000ff11ffff0a0000010a000002 c00012b7001cffff 1100ffffff00001100123456 1f000001";
        let frames: Vec<Vec<u8>> = [format!("{v4}{tail}"), format!("{v6}{tail}"), ack.into()]
            .iter()
            .map(|text| [vec![0; 14], hex(text)].concat())
            .collect();
        let icrcs: Vec<_> = run::<64, 8>(START_UNTAGGED, &frames, true).into_iter().map(u32::swap_bytes).collect();
        assert_eq!(icrcs, [0xd381_0d0d, 0x74cc_acd8, 0xa0fe_a7e8]);
        let wide: Vec<_> = run::<512, 64>(START_UNTAGGED, &frames, true).into_iter().map(u32::swap_bytes).collect();
        assert_eq!(wide, icrcs);
    }
}
