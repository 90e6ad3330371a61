//! Words of the answer to QUERY_QP. Combinational.
//!
//! Until the transport exists, `una` is the first PSN that would be sent and `epsn` the first one expected, and MSN is 0.
//! Drained: state SQD and nothing in flight (rule T77).
use super::records::QpAttributes;
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
    /// Attributes.
    pub attributes: Signal<In, QpAttributes>,
    /// SQ slots fetched.
    pub fetched: Signal<In, Bits<16>>,
    /// SQ slots retired.
    pub retired: Signal<In, Bits<16>>,
    /// RQ slots used.
    pub used: Signal<In, Bits<16>>,
    /// Nothing of the send queue is in flight.
    pub quiet: Signal<Out, Bit>,
    /// State SQD and quiet.
    pub drained: Signal<Out, Bit>,
    /// The word.
    pub word: Signal<Out, Bits<32>>,
    fields: Signal<Local, QpAttributes>,
    sq_psn: Signal<Local, Bits<24>>,
    rq_psn: Signal<Local, Bits<24>>,
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
            attributes: Default::default(),
            fetched: Default::default(),
            retired: Default::default(),
            used: Default::default(),
            quiet: Default::default(),
            drained: Default::default(),
            word: Default::default(),
            fields: Default::default(),
            sq_psn: Default::default(),
            rq_psn: Default::default(),
            in_flight: Default::default(),
            sqd: Constant::new(u64::from(qp::SQD).into()),
        }
    }
}

impl Logic for QueryAnswer {
    #[hdl_gen]
    fn update(&mut self) {
        self.fields.next = self.attributes.val();
        self.sq_psn.next = self.fields.val().sq_psn;
        self.rq_psn.next = self.fields.val().rq_psn;
        self.in_flight.next = self.fetched.val() - self.retired.val();
        self.quiet.next = self.in_flight.val() == 0;
        self.drained.next = self.quiet.val() & (self.state.val() == self.sqd.val());
        self.word.next = 0.into();
        if self.number.val() == 0 {
            self.word.next = (bit_cast::<32, 1>(self.drained.val().into()) << 8) | bit_cast::<32, 3>(self.state.val());
        } else if self.number.val() <= 2 {
            self.word.next = bit_cast::<32, 24>(self.sq_psn.val());
        } else if self.number.val() == 3 {
            self.word.next = bit_cast::<32, 24>(self.rq_psn.val());
        } else if self.number.val() == 5 {
            self.word.next = (bit_cast::<32, 16>(self.used.val()) << 16) | bit_cast::<32, 16>(self.retired.val());
        } else if self.number.val() == 6 {
            self.word.next = bit_cast::<32, 16>(self.in_flight.val());
        }
    }
}
