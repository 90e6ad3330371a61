//! Words as AXI4-Stream: tkeep from the count of bytes (MC5). Combinational.
use super::MacWord;
use crate::widgets::{AxiStreamManager, ChannelSink};
use rust_hdl::prelude::*;

/// The core's receive stream.
#[derive(LogicBlock)]
pub struct WordsToAxis {
    /// Words in.
    pub sink: ChannelSink<MacWord>,
    /// The stream.
    pub axis: AxiStreamManager<64, 8>,
    word: Signal<Local, MacWord>,
    keep: Signal<Local, Bits<8>>,
    lane: [Constant<Bits<3>>; 8],
}

impl Default for WordsToAxis {
    fn default() -> Self {
        Self {
            sink: Default::default(),
            axis: Default::default(),
            word: Default::default(),
            keep: Default::default(),
            lane: std::array::from_fn(|lane| Constant::new((lane as u64).into())),
        }
    }
}

impl Logic for WordsToAxis {
    #[hdl_gen]
    fn update(&mut self) {
        self.word.next = self.sink.data.val();
        // The first byte of a word always counts.
        self.keep.next = 1.into();
        for i in 1..8 {
            self.keep.next = self.keep.val().replace_bit(i, self.word.val().count_less_1 >= self.lane[i].val());
        }
        self.axis.tdata.next = self.word.val().data;
        self.axis.tkeep.next = self.keep.val();
        self.axis.tlast.next = self.word.val().last;
        self.axis.tuser.next = self.word.val().bad & self.word.val().last;
        self.axis.tvalid.next = self.sink.valid.val();
        self.sink.ready.next = self.axis.tready.val();
    }
}
