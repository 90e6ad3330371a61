//! Words of the headers: keeps the first 106 bytes of a frame as 32-bit words.
//!
//! All headers behind the Ethernet addresses begin 2 bytes beyond a multiple of 4, for every DATA, with and without a VLAN tag
//! (section 6), so the beats are taken two bytes late and no field is ever cut: word i holds bytes 4 i - 2 to 4 i + 1. Words
//! in beats that the frame does not reach are 0. Latency one cycle, one beat a cycle; the words change with the beat that holds them.
use super::RxBeat;
use rust_hdl::prelude::*;

/// Words kept: up to the AtomicETH of an IPv6 frame with a VLAN tag.
pub const HEADER_WORDS: usize = 27;

/// Header words of a frame; STRB = DATA / 8.
#[derive(LogicBlock)]
pub struct RxWords<const DATA: usize, const STRB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the beat.
    pub reset: Signal<In, Bit>,
    /// Beat in.
    pub sink_data: Signal<In, Bits<DATA>>,
    /// What it is.
    pub sink: Signal<In, RxBeat>,
    /// The beat of one cycle ago.
    pub data: Signal<Out, Bits<DATA>>,
    /// What it is.
    pub beat: Signal<Out, RxBeat>,
    /// Words of its frame, as far as they have come with it.
    pub words: [Signal<Out, Bits<32>>; HEADER_WORDS],
    held: DFF<Bits<DATA>>,
    held_beat: DFF<RxBeat>,
    kept: [DFF<Bits<32>>; HEADER_WORDS],
    late: Signal<Local, Bits<DATA>>,
    two_bytes: Constant<Bits<10>>,
    rows: [Constant<Bits<10>>; HEADER_WORDS],
    lanes: [Constant<Bits<10>>; HEADER_WORDS],
}

impl<const DATA: usize, const STRB: usize> Default for RxWords<DATA, STRB> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            sink_data: Default::default(),
            sink: Default::default(),
            data: Default::default(),
            beat: Default::default(),
            words: std::array::from_fn(|_| Default::default()),
            held: Default::default(),
            held_beat: Default::default(),
            kept: std::array::from_fn(|_| Default::default()),
            late: Default::default(),
            two_bytes: Constant::new(bits(DATA as u64 - 16)),
            rows: std::array::from_fn(|i| Constant::new((4 * i / STRB).to_bits())),
            lanes: std::array::from_fn(|i| Constant::new((32 * i % DATA).to_bits())),
        }
    }
}

impl<const DATA: usize, const STRB: usize> Logic for RxWords<DATA, STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, held_beat);
        self.late.next = (self.sink_data.val() << 16) | (self.held.q.val() >> self.two_bytes.val());
        self.held_beat.d.next = self.sink.val();
        if self.sink.val().valid {
            self.held.d.next = self.sink_data.val();
        }
        for i in 0..27 {
            self.kept[i].clock.next = self.clock.val();
            self.kept[i].d.next = self.kept[i].q.val();
            if self.sink.val().valid & self.sink.val().first {
                self.kept[i].d.next = 0.into();
            }
            if self.sink.val().valid & (self.sink.val().index == self.rows[i].val()) {
                self.kept[i].d.next = self.late.val().get_bits::<32>(self.lanes[i].val().index());
            }
            self.words[i].next = self.kept[i].q.val();
        }
        self.data.next = self.held.q.val();
        self.beat.next = self.held_beat.q.val();
        if self.reset.val() {
            self.held_beat.d.next.valid = false;
        }
    }
}
