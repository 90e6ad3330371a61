//! Takes frames from the core: words for the FIFO, and whether the frame counts (MC2).
//!
//! A frame with tuser is taken back, so it is never started; so is one that is longer than the longest, which would wait for
//! room for ever. Combinational between stream and FIFO.
use super::MacWord;
use crate::widgets::AxiStreamSubordinate;
use rust_hdl::prelude::*;

/// Intake of frames of up to 8 x `words` bytes; `clock` is the core's.
#[derive(LogicBlock)]
pub struct TransmitStore {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame under way.
    pub reset: Signal<In, Bit>,
    /// From the core.
    pub axis: AxiStreamSubordinate<64, 8>,
    /// The FIFO has no room for another word.
    pub full: Signal<In, Bit>,
    /// Word for the FIFO.
    pub word: Signal<Out, MacWord>,
    /// It counts.
    pub write: Signal<Out, Bit>,
    /// The frame counts.
    pub commit: Signal<Out, Bit>,
    /// The frame is taken back.
    pub rollback: Signal<Out, Bit>,
    words: DFF<Bits<10>>,
    too_long: DFF<Bit>,
    ready: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    spoilt: Signal<Local, Bit>,
    end_lane: Signal<Local, Bits<8>>,
    code: Signal<Local, Bits<3>>,
    limit: Constant<Bits<10>>,
    lanes: [Constant<Bits<8>>; 3],
}

impl TransmitStore {
    /// Takes frames of up to `longest` bytes with FCS, give or take the rest of a word.
    pub fn new(longest: usize) -> Self {
        let words = (longest - 4).div_ceil(8);
        assert!((8..1 << 10).contains(&words), "frames of {longest} bytes");
        let lanes = |i: usize| {
            let mut mask = Bits::<8>::default();
            for lane in (0..8).filter(|lane| lane >> i & 1 == 1) {
                mask = mask.replace_bit(lane, true);
            }
            Constant::new(mask)
        };
        Self {
            clock: Default::default(),
            reset: Default::default(),
            axis: Default::default(),
            full: Default::default(),
            word: Default::default(),
            write: Default::default(),
            commit: Default::default(),
            rollback: Default::default(),
            words: Default::default(),
            too_long: Default::default(),
            ready: Default::default(),
            takes: Default::default(),
            spoilt: Default::default(),
            end_lane: Default::default(),
            code: Default::default(),
            limit: Constant::new((words as u64 - 1).into()),
            lanes: std::array::from_fn(lanes),
        }
    }
}

impl Logic for TransmitStore {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, words, too_long);
        self.ready.next = !self.full.val() | self.too_long.q.val();
        self.axis.tready.next = self.ready.val();
        self.takes.next = self.axis.tvalid.val() & self.ready.val() & !self.reset.val();
        self.end_lane.next = self.axis.tkeep.val() & !(self.axis.tkeep.val() >> 1);
        self.code.next = 0.into();
        for i in 0..3 {
            self.code.next = self.code.val().replace_bit(i, (self.end_lane.val() & self.lanes[i].val()).any());
        }
        self.word.next.data = self.axis.tdata.val();
        self.word.next.count_less_1 = self.code.val();
        self.word.next.last = self.axis.tlast.val();
        self.word.next.bad = false;
        self.spoilt.next = self.axis.tuser.val() | self.too_long.q.val();
        self.write.next = self.takes.val() & !self.too_long.q.val();
        self.commit.next = self.takes.val() & self.axis.tlast.val() & !self.spoilt.val();
        self.rollback.next = self.takes.val() & self.axis.tlast.val() & self.spoilt.val();
        if self.takes.val() {
            self.words.d.next = self.words.q.val() + 1;
            self.too_long.d.next = self.too_long.q.val() | (self.words.q.val() == self.limit.val());
        }
        if self.reset.val() | (self.takes.val() & self.axis.tlast.val()) {
            self.words.d.next = 0.into();
            self.too_long.d.next = false;
        }
    }
}
