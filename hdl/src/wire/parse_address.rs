//! Which of our addresses a frame came to: MAC and IP. Two cycles, one frame a cycle; a cycle holds
//! one comparison of 128 bits.
use rust_hdl::prelude::*;

/// Own addresses.
pub const OWN_ADDRESSES: usize = 8;

/// Compares destination addresses with our own.
#[derive(LogicBlock)]
pub struct ParseAddress {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Own MAC address.
    pub own_mac: Signal<In, Bits<48>>,
    /// Own addresses in network order, 0: unused.
    pub own: [Signal<In, Bits<128>>; OWN_ADDRESSES],
    /// Destination MAC address.
    pub mac: Signal<In, Bits<48>>,
    /// Destination address; IPv4 as ::ffff:a.b.c.d.
    pub dest: Signal<In, Bits<128>>,
    /// The frame of one cycle ago came to our MAC address, the broadcast or a multicast address.
    pub mac_ours: Signal<Out, Bit>,
    /// The frame of two cycles ago came to one of our addresses.
    pub ours: Signal<Out, Bit>,
    /// Number of that address.
    pub index: Signal<Out, Bits<3>>,
    same_mac: DFF<Bit>,
    same: DFF<Bits<8>>,
    used: DFF<Bits<8>>,
    hits: DFF<Bits<8>>,
    equal: Signal<Local, Bits<8>>,
    set: Signal<Local, Bits<8>>,
    numbers: [Constant<Bits<3>>; OWN_ADDRESSES],
}

impl Default for ParseAddress {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            own_mac: Default::default(),
            own: std::array::from_fn(|_| Default::default()),
            mac: Default::default(),
            dest: Default::default(),
            mac_ours: Default::default(),
            ours: Default::default(),
            index: Default::default(),
            same_mac: Default::default(),
            same: Default::default(),
            used: Default::default(),
            hits: Default::default(),
            equal: Default::default(),
            set: Default::default(),
            numbers: std::array::from_fn(|i| Constant::new(i.to_bits())),
        }
    }
}

impl Logic for ParseAddress {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, same_mac, same, used, hits);
        // The broadcast address is a group address too.
        self.same_mac.d.next = (self.mac.val() == self.own_mac.val()) | self.mac.val().get_bit(0);
        self.mac_ours.next = self.same_mac.q.val();
        self.equal.next = 0.into();
        self.set.next = 0.into();
        for i in 0..8 {
            self.equal.next = self.equal.val().replace_bit(i, self.dest.val() == self.own[i].val());
            self.set.next = self.set.val().replace_bit(i, self.own[i].val().any());
        }
        self.same.d.next = self.equal.val();
        self.used.d.next = self.set.val();
        self.hits.d.next = self.same.q.val() & self.used.q.val();
        self.ours.next = self.hits.q.val().any();
        self.index.next = 0.into();
        for i in 0..8 {
            if self.hits.q.val().get_bit(i) {
                self.index.next = self.numbers[i].val();
            }
        }
    }
}
