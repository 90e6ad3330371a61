//! Read return: gives each R beat to the client of its id.
//!
//! R is registered once and never held up: the client reserved room before it asked (T107). SLVERR and DECERR become
//! `error` of their beat. A beat for which nobody waits is dropped (I9). Latency one cycle, one beat a cycle.
use rust_hdl::prelude::*;

/// Demultiplexer of R for N clients.
#[derive(LogicBlock)]
pub struct ReadReturn<const DATA: usize, const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the beat held.
    pub reset: Signal<In, Bit>,
    /// AXI id.
    pub rid: Signal<In, Bits<4>>,
    /// Beat.
    pub rdata: Signal<In, Bits<DATA>>,
    /// Response.
    pub rresp: Signal<In, Bits<2>>,
    /// Last of its burst.
    pub rlast: Signal<In, Bit>,
    /// The beat counts.
    pub rvalid: Signal<In, Bit>,
    /// Clients with bursts in flight.
    pub live: Signal<In, Bits<N>>,
    /// Client of the beat, none when 0.
    pub valid: Signal<Out, Bits<N>>,
    /// The beat.
    pub data: Signal<Out, Bits<DATA>>,
    /// It came with an error.
    pub error: Signal<Out, Bit>,
    /// Client whose burst ends with it.
    pub finish: Signal<Out, Bits<N>>,
    id: DFF<Bits<4>>,
    beat: DFF<Bits<DATA>>,
    wrong: DFF<Bit>,
    last: DFF<Bit>,
    came: DFF<Bit>,
    owner: Signal<Local, Bits<N>>,
    mask: [Constant<Bits<N>>; N],
    ids: [Constant<Bits<4>>; N],
}

impl<const DATA: usize, const N: usize> ReadReturn<DATA, N> {
    /// Return to clients with these AXI ids.
    pub fn new(ids: [u8; N]) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            rid: Default::default(),
            rdata: Default::default(),
            rresp: Default::default(),
            rlast: Default::default(),
            rvalid: Default::default(),
            live: Default::default(),
            valid: Default::default(),
            data: Default::default(),
            error: Default::default(),
            finish: Default::default(),
            id: Default::default(),
            beat: Default::default(),
            wrong: Default::default(),
            last: Default::default(),
            came: Default::default(),
            owner: Default::default(),
            mask: std::array::from_fn(|i| Constant::new(bits(1 << i))),
            ids: ids.map(|id| Constant::new(bits(id.into()))),
        }
    }
}

impl<const DATA: usize, const N: usize> Logic for ReadReturn<DATA, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, id, beat, wrong, last, came);
        self.id.d.next = self.rid.val();
        self.beat.d.next = self.rdata.val();
        // OKAY 0 and EXOKAY 1 are successes.
        self.wrong.d.next = self.rresp.val().get_bit(1);
        self.last.d.next = self.rlast.val();
        self.came.d.next = self.rvalid.val();
        if self.reset.val() {
            self.came.d.next = false;
        }
        self.owner.next = 0.into();
        for i in 0..N {
            if self.came.q.val() & (self.id.q.val() == self.ids[i].val()) & self.live.val().get_bit(i) {
                self.owner.next = self.mask[i].val();
            }
        }
        self.valid.next = self.owner.val();
        self.finish.next = 0.into();
        if self.last.q.val() {
            self.finish.next = self.owner.val();
        }
        self.data.next = self.beat.q.val();
        self.error.next = self.wrong.q.val();
    }
}
