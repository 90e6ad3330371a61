//! Judges MODIFY_QP: the transition and its attributes (rule T1), and the values of the given ones (rule T2). One register stage
//! between the comparisons and the verdict.
//!
//! The tables are those of `rnic_abi::qp`. Attributes that are not given are not looked at; bits without a name are 0.
use super::words::WORDS;
use rnic_abi::admin::{modify_qp as word, Command};
use rnic_abi::qp::{self, RANGES, RD_MAX, TRANSITIONS};
use rnic_abi::{access, preset::Preset, WordField};
use rust_hdl::prelude::*;

const ROWS: usize = TRANSITIONS.len();
const CHECKS: usize = RANGES.len();

/// The fields of [`RANGES`] in its order, as the kernel cuts them.
const FIELDS: [WordField; CHECKS] = [
    word::ACCESS,
    word::OWN_ADDRESS,
    word::FLOW_LABEL,
    word::MTU,
    word::DEST_QPN,
    word::RQ_PSN,
    word::MAX_DEST_RD,
    word::MIN_RNR,
    word::TIMEOUT,
    word::RETRY_CNT,
    word::RNR_RETRY,
    word::SQ_PSN,
    word::MAX_RD,
    word::DRAINED_EVENT,
];

/// Check of MODIFY_QP.
#[derive(LogicBlock)]
pub struct ModifyCheck {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Words of the command.
    pub words: [Signal<In, Bits<32>>; WORDS],
    /// State of the queue pair.
    pub state: Signal<In, Bits<3>>,
    /// The command of one cycle ago may be carried out.
    pub valid: Signal<Out, Bit>,
    row_good: Signal<Local, Bit>,
    out_of_range: [DFF<Bit>; CHECKS],
    row_kept: DFF<Bit>,
    shape_kept: DFF<Bit>,
    ranges_good: Signal<Local, Bit>,
    misshaped: Signal<Local, Bit>,
    mask: Signal<Local, Bits<32>>,
    new_state: Signal<Local, Bits<32>>,
    values: [Signal<Local, Bits<32>>; CHECKS],
    offsets: [Signal<Local, Bits<32>>; CHECKS],
    any_state: [Constant<Bit>; ROWS],
    from: [Constant<Bits<3>>; ROWS],
    to: [Constant<Bits<32>>; ROWS],
    required: [Constant<Bits<32>>; ROWS],
    permitted: [Constant<Bits<32>>; ROWS],
    attribute: [Constant<Bits<32>>; CHECKS],
    least: [Constant<Bits<32>>; CHECKS],
    span: [Constant<Bits<32>>; CHECKS],
    forbidden: [Constant<Bits<32>>; CHECKS],
    reserved: [Constant<Bits<32>>; 3],
}

impl ModifyCheck {
    /// Check for a preset.
    pub fn new(preset: &Preset) -> Self {
        assert_eq!(Command::ModifyQp.used_words().ilog2() as usize + 1, WORDS);
        assert_eq!(RANGES.iter().map(|r| r.field).collect::<Vec<_>>(), FIELDS);
        let cuts = FIELDS.map(|f| (f.word, f.lsb, f.width));
        #[rustfmt::skip]
        assert_eq!(cuts, [
            (3, 16, 8), (11, 16, 8), (16, 0, 32), (3, 24, 8), (4, 0, 32), (5, 0, 32), (8, 8, 8),
            (7, 24, 8), (7, 0, 8), (7, 8, 8), (7, 16, 8), (6, 0, 32), (8, 0, 8), (8, 16, 8),
        ]);
        let number = |value: u32| Constant::new(u64::from(value).into());
        let not_access = |attribute| if attribute == qp::ACCESS { !u32::from(access::QP) } else { 0 };
        Self {
            clock: Default::default(),
            words: std::array::from_fn(|_| Default::default()),
            state: Default::default(),
            valid: Default::default(),
            row_good: Default::default(),
            out_of_range: std::array::from_fn(|_| Default::default()),
            row_kept: Default::default(),
            shape_kept: Default::default(),
            ranges_good: Default::default(),
            misshaped: Default::default(),
            mask: Default::default(),
            new_state: Default::default(),
            values: std::array::from_fn(|_| Default::default()),
            offsets: std::array::from_fn(|_| Default::default()),
            any_state: std::array::from_fn(|i| Constant::new(TRANSITIONS[i].from.is_none())),
            from: std::array::from_fn(|i| {
                Constant::new(u64::from(TRANSITIONS[i].from.map_or(0, |state| state.code())).into())
            }),
            to: std::array::from_fn(|i| number(TRANSITIONS[i].to.code().into())),
            required: std::array::from_fn(|i| number(TRANSITIONS[i].required)),
            permitted: std::array::from_fn(|i| number(TRANSITIONS[i].required | TRANSITIONS[i].optional)),
            attribute: std::array::from_fn(|i| number(RANGES[i].attribute)),
            least: std::array::from_fn(|i| number(RANGES[i].min)),
            span: std::array::from_fn(|i| {
                number(if RANGES[i].max == RD_MAX { preset.rd_max } else { RANGES[i].max } - RANGES[i].min)
            }),
            forbidden: std::array::from_fn(|i| number(not_access(RANGES[i].attribute))),
            reserved: [8, 11, 17].map(|i| number(!Command::ModifyQp.used_bits(i))),
        }
    }
}

impl Logic for ModifyCheck {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, row_kept, shape_kept);
        self.new_state.next = self.words[1].val();
        self.mask.next = self.words[2].val();
        self.row_good.next = false;
        for i in 0..ROWS {
            if (self.any_state[i].val() | (self.state.val() == self.from[i].val()))
                & (self.new_state.val() == self.to[i].val())
                & ((self.mask.val() & self.required[i].val()) == self.required[i].val())
                & ((self.mask.val() & self.permitted[i].val()) == self.mask.val())
            {
                self.row_good.next = true;
            }
        }
        self.values[0].next = bit_cast::<32, 8>(self.words[3].val().get_bits::<8>(16));
        self.values[1].next = bit_cast::<32, 8>(self.words[11].val().get_bits::<8>(16));
        self.values[2].next = self.words[16].val();
        self.values[3].next = bit_cast::<32, 8>(self.words[3].val().get_bits::<8>(24));
        self.values[4].next = self.words[4].val();
        self.values[5].next = self.words[5].val();
        self.values[6].next = bit_cast::<32, 8>(self.words[8].val().get_bits::<8>(8));
        self.values[7].next = bit_cast::<32, 8>(self.words[7].val().get_bits::<8>(24));
        self.values[8].next = bit_cast::<32, 8>(self.words[7].val().get_bits::<8>(0));
        self.values[9].next = bit_cast::<32, 8>(self.words[7].val().get_bits::<8>(8));
        self.values[10].next = bit_cast::<32, 8>(self.words[7].val().get_bits::<8>(16));
        self.values[11].next = self.words[6].val();
        self.values[12].next = bit_cast::<32, 8>(self.words[8].val().get_bits::<8>(0));
        self.values[13].next = bit_cast::<32, 8>(self.words[8].val().get_bits::<8>(16));
        self.ranges_good.next = true;
        for i in 0..CHECKS {
            // Wraps below the least value, so that one comparison sees both ends.
            self.offsets[i].next = self.values[i].val() - self.least[i].val();
            self.out_of_range[i].clock.next = self.clock.val();
            self.out_of_range[i].d.next = (self.mask.val() & self.attribute[i].val()).any()
                & ((self.offsets[i].val() > self.span[i].val())
                    | (self.values[i].val() & self.forbidden[i].val()).any());
            if self.out_of_range[i].q.val() {
                self.ranges_good.next = false;
            }
        }
        self.misshaped.next = (self.words[8].val() & self.reserved[0].val()).any()
            | (self.words[11].val() & self.reserved[1].val()).any()
            | (self.words[17].val() & self.reserved[2].val()).any();
        self.row_kept.d.next = self.row_good.val();
        self.shape_kept.d.next = self.misshaped.val();
        self.valid.next = self.row_kept.q.val() & self.ranges_good.val() & !self.shape_kept.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;
    use rnic_abi::preset;
    use rnic_abi::qp::{transition, State};

    struct Bench(ModifyCheck);

    impl Bench {
        fn new(preset: &Preset) -> Self {
            let mut uut = ModifyCheck::new(preset);
            uut.connect_all();
            Self(uut)
        }

        fn judge(&mut self, state: State, words: &[u32; WORDS]) -> bool {
            for (port, word) in self.0.words.iter_mut().zip(words) {
                port.next = u64::from(*word).into();
            }
            self.0.state.next = u64::from(state.code()).into();
            tick(&mut self.0, |uut| &mut uut.clock);
            self.0.valid.val()
        }
    }

    /// A command whose values are in range whatever is given.
    fn command(to: u32, mask: u32) -> [u32; WORDS] {
        let mut words = [0; WORDS];
        words[1] = to;
        words[2] = mask;
        for range in RANGES {
            range.field.put(&mut words, u64::from(range.min));
        }
        words
    }

    #[test]
    fn t1_exactly_the_listed_transitions_with_their_attributes_are_taken() {
        let mut bench = Bench::new(&preset::SMALL);
        for from in State::ALL {
            for to in 0..8 {
                let row = State::from_u8(to).and_then(|to| transition(*from, to));
                let to = u32::from(to);
                let Some(row) = row else {
                    for mask in [0, qp::ACCESS, 0x3FFF] {
                        assert!(!bench.judge(*from, &command(to, mask)), "{from} to {to} with {mask:x}");
                    }
                    continue;
                };
                assert!(bench.judge(*from, &command(to, row.required)), "{from} to {to}");
                assert!(bench.judge(*from, &command(to, row.required | row.optional)), "{from} to {to}, all");
                for bit in 0..32 {
                    let attribute = 1 << bit;
                    let mask = row.required ^ attribute;
                    let allowed = row.optional & attribute != 0;
                    assert_eq!(bench.judge(*from, &command(to, mask)), allowed, "{from} to {to}, bit {bit} changed");
                }
            }
            assert!(!bench.judge(*from, &command(u32::from(State::Reset.code()) | 0x100, 0)));
        }
    }

    #[test]
    fn t2_given_attributes_keep_to_their_ranges() {
        for preset in preset::ALL {
            let mut bench = Bench::new(preset);
            for range in RANGES {
                let row = TRANSITIONS.iter().find(|r| (r.required | r.optional) & range.attribute != 0).unwrap();
                let (from, to) = (row.from.unwrap(), u32::from(row.to.code()));
                let max = if range.max == RD_MAX { preset.rd_max } else { range.max };
                let top = u32::try_from(range.field.max()).unwrap();
                for value in [0, 1, 2, range.min, max, max.wrapping_add(1), max - 1, top, 0x80] {
                    let mut words = command(to, row.required | range.attribute);
                    let value = value & top;
                    range.field.put(&mut words, value.into());
                    let allowed = range.allows(value, preset.rd_max);
                    assert_eq!(bench.judge(from, &words), allowed, "{} {range:?} = {value}", preset.name);
                }
            }
        }
    }

    #[test]
    fn t2_attributes_that_are_not_given_do_not_matter_but_reserved_bits_do() {
        let mut bench = Bench::new(&preset::SMALL);
        let mut words = [u32::MAX; WORDS];
        (words[1], words[2]) = (State::Err.code().into(), 0);
        for (word, bits) in [(8, 0x00FF_FFFF), (11, 0x03FF_FFFF), (17, 0xFFFF)] {
            assert!(!bench.judge(State::Rts, &words), "word {word}");
            words[word] = bits;
        }
        assert!(bench.judge(State::Rts, &words));
        for (word, first) in [(8, 24), (11, 26), (17, 16)] {
            for bit in first..32 {
                let mut words = words;
                words[word] |= 1 << bit;
                assert!(!bench.judge(State::Rts, &words), "word {word} bit {bit}");
            }
        }
    }
}
