//! Collects the words of an admin command and checks its fields (`interfaces.md` section 4). Words come before `start`,
//! word 0 first.
use rust_hdl::prelude::*;

/// Table of 2^MA rows. The verdicts follow the last word by two cycles.
#[derive(LogicBlock)]
pub struct AdminWords<const MA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A word comes.
    pub word_valid: Signal<In, Bit>,
    /// Its number.
    pub word_index: Signal<In, Bits<5>>,
    /// The word.
    pub word: Signal<In, Bits<32>>,
    /// MAX_PL of the preset.
    pub max_pages: Signal<In, Bits<16>>,
    /// Entries of the page buffer.
    pub page_entries: Signal<In, Bits<32>>,
    /// Words 0 to 5.
    pub word0: Signal<Out, Bits<32>>,
    /// Word 1.
    pub word1: Signal<Out, Bits<32>>,
    /// Word 2.
    pub word2: Signal<Out, Bits<32>>,
    /// Word 3.
    pub word3: Signal<Out, Bits<32>>,
    /// Word 4.
    pub word4: Signal<Out, Bits<32>>,
    /// Word 5.
    pub word5: Signal<Out, Bits<32>>,
    /// The fields are wrong for ALLOC_MR,
    pub alloc_bad: Signal<Out, Bit>,
    /// or its type is SG_GAPS, which is not offered;
    pub alloc_gaps: Signal<Out, Bit>,
    /// wrong for DEREG_MR and QUERY_MR,
    pub index_bad: Signal<Out, Bit>,
    /// wrong for PROBE.
    pub probe_bad: Signal<Out, Bit>,
    words: [DFF<Bits<32>>; 6],
    end_of_range: DFF<Bits<33>>,
    shape_bad: DFF<Bit>,
    gaps: DFF<Bit>,
    table_bad: DFF<Bit>,
    question_bad: DFF<Bit>,
    extra: DFF<Bit>,
    own: Signal<Local, Bits<MA>>,
    index_wrong: Signal<Local, Bit>,
    kind: Signal<Local, Bits<8>>,
    most: Signal<Local, Bits<32>>,
    base: Signal<Local, Bits<32>>,
    padded: Signal<Local, Bits<16>>,
    rounded: Signal<Local, Bits<16>>,
    range_end: Signal<Local, Bits<33>>,
    beyond: Signal<Local, Bit>,
    upper1: Signal<Local, Bits<8>>,
    upper2: Signal<Local, Bits<16>>,
    upper5: Signal<Local, Bits<23>>,
    need: Signal<Local, Bits<8>>,
    first: Signal<Local, Bits<32>>,
    numbers: [Constant<Bits<5>>; 6],
    rights: Constant<Bits<8>>,
}

impl<const MA: usize> Default for AdminWords<MA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            word_valid: Default::default(),
            word_index: Default::default(),
            word: Default::default(),
            max_pages: Default::default(),
            page_entries: Default::default(),
            word0: Default::default(),
            word1: Default::default(),
            word2: Default::default(),
            word3: Default::default(),
            word4: Default::default(),
            word5: Default::default(),
            alloc_bad: Default::default(),
            alloc_gaps: Default::default(),
            index_bad: Default::default(),
            probe_bad: Default::default(),
            words: Default::default(),
            end_of_range: Default::default(),
            shape_bad: Default::default(),
            gaps: Default::default(),
            table_bad: Default::default(),
            question_bad: Default::default(),
            extra: Default::default(),
            own: Default::default(),
            index_wrong: Default::default(),
            kind: Default::default(),
            most: Default::default(),
            base: Default::default(),
            padded: Default::default(),
            rounded: Default::default(),
            range_end: Default::default(),
            beyond: Default::default(),
            upper1: Default::default(),
            upper2: Default::default(),
            upper5: Default::default(),
            need: Default::default(),
            first: Default::default(),
            numbers: std::array::from_fn(|i| Constant::new(i.to_bits())),
            // LW RW RR RA: what an access can need.
            rights: Constant::new(0x0Fusize.to_bits()),
        }
    }
}

impl<const MA: usize> Logic for AdminWords<MA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, extra, end_of_range, shape_bad, gaps, table_bad, question_bad);
        for i in 0..6 {
            self.words[i].clock.next = self.clock.val();
            self.words[i].d.next = self.words[i].q.val();
            if self.word_valid.val() & (self.word_index.val() == 0) {
                self.words[i].d.next = 0.into();
            }
            if self.word_valid.val() & (self.word_index.val() == self.numbers[i].val()) {
                self.words[i].d.next = self.word.val();
            }
        }
        if self.word_valid.val() {
            if self.word_index.val() == 0 {
                self.extra.d.next = false;
            } else if (self.word_index.val() > 5) & self.word.val().any() {
                self.extra.d.next = true;
            }
        }
        self.first.next = self.words[0].q.val();
        self.own.next = bit_cast::<MA, 32>(self.first.val());
        self.index_wrong.next = (self.own.val() == 0) | (self.first.val() != bit_cast::<32, MA>(self.own.val()));
        self.upper1.next = self.words[1].q.val().get_bits::<8>(24);
        self.upper2.next = self.words[2].q.val().get_bits::<16>(16);
        self.kind.next = self.words[2].q.val().get_bits::<8>(8);
        self.most.next = self.words[3].q.val();
        self.base.next = self.words[4].q.val();
        self.padded.next = bit_cast::<16, 32>(self.most.val()) + 7;
        self.rounded.next = (self.padded.val() >> 3) << 3;
        self.range_end.next = bit_cast::<33, 32>(self.base.val()) + bit_cast::<33, 16>(self.rounded.val());
        self.end_of_range.d.next = self.range_end.val();
        self.beyond.next = self.end_of_range.q.val() > bit_cast::<33, 32>(self.page_entries.val());
        self.shape_bad.d.next = self.index_wrong.val()
            | self.upper1.val().any()
            | self.upper2.val().any()
            | ((self.kind.val() != 1) & (self.kind.val() != 2))
            | (self.most.val() == 0)
            | (self.most.val() > bit_cast::<32, 16>(self.max_pages.val()))
            | self.base.val().get_bits::<3>(0).any()
            | self.words[5].q.val().any()
            | self.extra.q.val();
        self.alloc_bad.next = self.shape_bad.q.val() | self.beyond.val();
        self.gaps.d.next = self.kind.val() == 2;
        self.alloc_gaps.next = self.gaps.q.val();
        self.table_bad.d.next = self.index_wrong.val()
            | self.words[1].q.val().any()
            | self.words[2].q.val().any()
            | self.words[3].q.val().any()
            | self.words[4].q.val().any()
            | self.words[5].q.val().any()
            | self.extra.q.val();
        self.index_bad.next = self.table_bad.q.val();
        self.upper5.next = self.words[5].q.val().get_bits::<23>(9);
        self.need.next = self.words[5].q.val().get_bits::<8>(0);
        self.question_bad.d.next =
            self.upper5.val().any() | (self.need.val() & !self.rights.val()).any() | self.extra.q.val();
        self.probe_bad.next = self.question_bad.q.val();
        self.word0.next = self.words[0].q.val();
        self.word1.next = self.words[1].q.val();
        self.word2.next = self.words[2].q.val();
        self.word3.next = self.words[3].q.val();
        self.word4.next = self.words[4].q.val();
        self.word5.next = self.words[5].q.val();
    }
}
