//! Words of the answer to QUERY_QP. Combinational.
//!
//! Drained: state SQD and everything that was started is retired (rule T77). At rest (rule T6) is stricter: what has been
//! fetched is gone, too.
use super::psn_copies::LivePsns;
use rnic_abi::admin::query_qp as word;
use rnic_abi::qp;
use rust_hdl::prelude::*;

/// Number of answer words.
pub const WORDS: usize = 7;

/// Answer words by number.
#[derive(LogicBlock)]
pub struct QueryAnswer {
    /// Word wanted.
    pub number: Signal<In, Bits<4>>,
    /// State.
    pub state: Signal<In, Bits<3>>,
    /// PSNs and MSN.
    pub psns: Signal<In, LivePsns>,
    /// SQ slots started.
    pub started: Signal<In, Bits<16>>,
    /// SQ slots fetched.
    pub fetched: Signal<In, Bits<16>>,
    /// SQ slots retired.
    pub retired: Signal<In, Bits<16>>,
    /// RQ slots used.
    pub used: Signal<In, Bits<16>>,
    /// Nothing of the send queue is on the chip.
    pub quiet: Signal<Out, Bit>,
    /// State SQD, and all that was started is retired.
    pub drained: Signal<Out, Bit>,
    /// The word.
    pub word: Signal<Out, Bits<32>>,
    live: Signal<Local, LivePsns>,
    in_flight: Signal<Local, Bits<16>>,
    sqd: Constant<Bits<3>>,
}

impl Default for QueryAnswer {
    fn default() -> Self {
        let places = [word::STATE, word::DRAINED, word::HPSN, word::UNA, word::EPSN, word::MSN];
        assert_eq!(places.map(|f| (f.word, f.lsb)), [(0, 0), (0, 8), (1, 0), (2, 0), (3, 0), (4, 0)]);
        let counts = [word::SQ_RETIRED, word::RQ_USED, word::IN_FLIGHT];
        assert_eq!(counts.map(|f| (f.word, f.lsb)), [(5, 0), (5, 16), (WORDS - 1, 0)]);
        Self {
            number: Default::default(),
            state: Default::default(),
            psns: Default::default(),
            started: Default::default(),
            fetched: Default::default(),
            retired: Default::default(),
            used: Default::default(),
            quiet: Default::default(),
            drained: Default::default(),
            word: Default::default(),
            live: Default::default(),
            in_flight: Default::default(),
            sqd: Constant::new(u64::from(qp::SQD).into()),
        }
    }
}

impl Logic for QueryAnswer {
    #[hdl_gen]
    fn update(&mut self) {
        self.live.next = self.psns.val();
        self.in_flight.next = self.started.val() - self.retired.val();
        self.quiet.next = self.fetched.val() == self.retired.val();
        self.drained.next = (self.in_flight.val() == 0) & (self.state.val() == self.sqd.val());
        self.word.next = 0.into();
        if self.number.val() == 0 {
            self.word.next = (bit_cast::<32, 1>(self.drained.val().into()) << 8) | bit_cast::<32, 3>(self.state.val());
        } else if self.number.val() == 1 {
            self.word.next = bit_cast::<32, 24>(self.live.val().hpsn);
        } else if self.number.val() == 2 {
            self.word.next = bit_cast::<32, 24>(self.live.val().una);
        } else if self.number.val() == 3 {
            self.word.next = bit_cast::<32, 24>(self.live.val().epsn);
        } else if self.number.val() == 4 {
            self.word.next = bit_cast::<32, 24>(self.live.val().msn);
        } else if self.number.val() == 5 {
            self.word.next = (bit_cast::<32, 16>(self.used.val()) << 16) | bit_cast::<32, 16>(self.retired.val());
        } else if self.number.val() == 6 {
            self.word.next = bit_cast::<32, 16>(self.in_flight.val());
        }
    }
}
