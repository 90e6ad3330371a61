//! Judges CREATE_QP by its words alone, and makes the record of them. Combinational.
//!
//! The QPN is below 2^24 and neither 0 nor 1 (rule T5), the PD below 2^24, CQNs below CQS; rings have 2^2 to 2^15 slots and
//! begin at a multiple of 4 KiB and end below 2^52 (rule T2); bits without a name are 0. Whether index and CQs are free and exist is
//! the sequencer's to ask.
use super::records::QpRings;
use super::ring_end::RingEnd;
use rnic_abi::admin::{create_qp as word, Command};
use rnic_abi::{limits, preset::Preset};
use rust_hdl::prelude::*;

/// Words of the command.
pub const WORDS: usize = 10;

/// Check of CREATE_QP.
#[derive(LogicBlock)]
pub struct CreateCheck {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Words of the command.
    pub words: [Signal<In, Bits<32>>; WORDS],
    /// No field of one cycle ago is wrong.
    pub valid: Signal<Out, Bit>,
    /// The queue pair.
    pub rings: Signal<Out, QpRings>,
    numbers_kept: DFF<Bit>,
    sizes_kept: DFF<Bit>,
    shape_kept: DFF<Bit>,
    ends_kept: DFF<Bit>,
    sq_end: RingEnd,
    rq_end: RingEnd,
    sizes: Signal<Local, Bits<32>>,
    sq_log2: Signal<Local, Bits<8>>,
    rq_log2: Signal<Local, Bits<8>>,
    qpn_good: Signal<Local, Bit>,
    cqs_good: Signal<Local, Bit>,
    sizes_good: Signal<Local, Bit>,
    reserved: Signal<Local, Bit>,
    beyond: Signal<Local, Bit>,
    sq_base: Signal<Local, Bits<40>>,
    rq_base: Signal<Local, Bits<40>>,
    number_limit: Constant<Bits<32>>,
    cqs: Constant<Bits<32>>,
    log2_min: Constant<Bits<8>>,
    sq_log2_max: Constant<Bits<8>>,
    rq_log2_max: Constant<Bits<8>>,
    sizes_reserved: Constant<Bits<32>>,
    low_reserved: Constant<Bits<32>>,
    high_reserved: Constant<Bits<32>>,
}

impl CreateCheck {
    /// Check for a preset.
    pub fn new(preset: &Preset) -> Self {
        assert_eq!(Command::CreateQp.used_words().ilog2() as usize + 1, WORDS);
        // The kernel cuts the words where these fields are.
        let places = [word::QPN, word::PD, word::SEND_CQN, word::RECEIVE_CQN, word::SQ_BASE, word::RQ_BASE];
        assert_eq!(places.map(|f| (f.word, f.lsb)), [(0, 0), (1, 0), (2, 0), (3, 0), (6, 0), (8, 0)]);
        let sizes = [word::SQ_LOG2, word::RQ_LOG2, word::PRIVILEGED, word::SIG_ALL];
        assert_eq!(sizes.map(|f| (f.word, f.lsb)), [(4, 0), (4, 8), (4, 16), (4, 17)]);
        assert_eq!((limits::PD_LIMIT, limits::DMA_ADDR_WIDTH, limits::RING_ALIGN), (limits::QPN_LIMIT, 52, 4096));
        let number = |value: u32| Constant::new(u64::from(value).into());
        let code = |value: u32| Constant::new(u64::from(value).into());
        Self {
            clock: Default::default(),
            words: std::array::from_fn(|_| Default::default()),
            valid: Default::default(),
            rings: Default::default(),
            numbers_kept: Default::default(),
            sizes_kept: Default::default(),
            shape_kept: Default::default(),
            ends_kept: Default::default(),
            sq_end: Default::default(),
            rq_end: Default::default(),
            sizes: Default::default(),
            sq_log2: Default::default(),
            rq_log2: Default::default(),
            qpn_good: Default::default(),
            cqs_good: Default::default(),
            sizes_good: Default::default(),
            reserved: Default::default(),
            beyond: Default::default(),
            sq_base: Default::default(),
            rq_base: Default::default(),
            number_limit: number(limits::QPN_LIMIT),
            cqs: number(preset.cqs()),
            log2_min: code(limits::SQ_LOG2_MIN),
            sq_log2_max: code(limits::SQ_LOG2_MAX),
            rq_log2_max: code(limits::RQ_LOG2_MAX),
            sizes_reserved: number(!Command::CreateQp.used_bits(4)),
            low_reserved: number(limits::RING_ALIGN as u32 - 1),
            high_reserved: number(!((1 << (limits::DMA_ADDR_WIDTH - 32)) - 1)),
        }
    }
}

impl Logic for CreateCheck {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, numbers_kept, sizes_kept, shape_kept, ends_kept);
        self.sizes.next = self.words[4].val();
        self.sq_log2.next = self.sizes.val().get_bits::<8>(0);
        self.rq_log2.next = self.sizes.val().get_bits::<8>(8);
        self.qpn_good.next = (self.words[0].val() > 1)
            & (self.words[0].val() < self.number_limit.val())
            & (self.words[1].val() < self.number_limit.val());
        self.cqs_good.next = (self.words[2].val() < self.cqs.val()) & (self.words[3].val() < self.cqs.val());
        self.sizes_good.next = (self.sq_log2.val() >= self.log2_min.val())
            & (self.sq_log2.val() <= self.sq_log2_max.val())
            & (self.rq_log2.val() >= self.log2_min.val())
            & (self.rq_log2.val() <= self.rq_log2_max.val());
        self.reserved.next = (self.sizes.val() & self.sizes_reserved.val()).any()
            | (self.words[6].val() & self.low_reserved.val()).any()
            | (self.words[7].val() & self.high_reserved.val()).any()
            | (self.words[8].val() & self.low_reserved.val()).any()
            | (self.words[9].val() & self.high_reserved.val()).any();
        self.sq_base.next = (bit_cast::<40, 32>(self.words[7].val()) << 20)
            | bit_cast::<40, 20>(self.words[6].val().get_bits::<20>(12));
        self.rq_base.next = (bit_cast::<40, 32>(self.words[9].val()) << 20)
            | bit_cast::<40, 20>(self.words[8].val().get_bits::<20>(12));
        self.sq_end.base.next = self.sq_base.val();
        self.sq_end.log2.next = bit_cast::<4, 8>(self.sq_log2.val());
        self.rq_end.base.next = self.rq_base.val();
        self.rq_end.log2.next = bit_cast::<4, 8>(self.rq_log2.val());
        self.beyond.next = self.sq_end.beyond.val() | self.rq_end.beyond.val();
        self.numbers_kept.d.next = self.qpn_good.val() & self.cqs_good.val();
        self.sizes_kept.d.next = self.sizes_good.val();
        self.shape_kept.d.next = !self.reserved.val();
        self.ends_kept.d.next = !self.beyond.val();
        self.valid.next =
            self.numbers_kept.q.val() & self.sizes_kept.q.val() & self.shape_kept.q.val() & self.ends_kept.q.val();
        self.rings.next.qpn = bit_cast::<24, 32>(self.words[0].val());
        self.rings.next.pd = bit_cast::<24, 32>(self.words[1].val());
        self.rings.next.privileged = self.sizes.val().get_bit(16);
        self.rings.next.sig_all = self.sizes.val().get_bit(17);
        self.rings.next.send_cqn = bit_cast::<12, 32>(self.words[2].val());
        self.rings.next.receive_cqn = bit_cast::<12, 32>(self.words[3].val());
        self.rings.next.sq_log2 = bit_cast::<4, 8>(self.sq_log2.val());
        self.rings.next.rq_log2 = bit_cast::<4, 8>(self.rq_log2.val());
        self.rings.next.sq_base = self.sq_base.val();
        self.rings.next.rq_base = self.rq_base.val();
    }
}
