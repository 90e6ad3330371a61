//! Credits: how many bursts each client may have in flight.
//!
//! Each of `reserved` clients owns a share of the bursts in flight that no other can take; the rest is shared, first come
//! first served, so no client starves or blocks another (invariant I8). Permission is registered: what a start or a finish
//! makes of it is compared beside the arbiter that decides about the start, not behind it.
use rust_hdl::prelude::*;

/// Counts the bursts in flight of N clients; a finish without a start is ignored (I9).
#[derive(LogicBlock)]
pub struct Credits<const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all bursts.
    pub reset: Signal<In, Bit>,
    /// A burst of this client starts: one bit at most, and only where `may` is set.
    pub start: Signal<In, Bits<N>>,
    /// A burst of this client has ended: one bit at most.
    pub finish: Signal<In, Bits<N>>,
    /// Clients that may start a burst.
    pub may: Signal<Out, Bits<N>>,
    /// Clients with bursts in flight.
    pub live: Signal<Out, Bits<N>>,
    count: [DFF<Bits<8>>; N],
    /// Has a burst in flight.
    some: [DFF<Bit>; N],
    /// Has its whole share in flight.
    full: [DFF<Bit>; N],
    /// Shared credits taken.
    taken: DFF<Bits<8>>,
    /// All of them.
    none: DFF<Bit>,
    starts: [Signal<Local, Bit>; N],
    finishes: [Signal<Local, Bit>; N],
    takes: Signal<Local, Bit>,
    returns: Signal<Local, Bit>,
    mask: [Constant<Bits<N>>; N],
    share: Constant<Bits<8>>,
    /// Shared credits.
    shared: Constant<Bits<8>>,
    before_share: Constant<Bits<8>>,
    before_shared: Constant<Bits<8>>,
    nothing_shared: Constant<Bit>,
}

impl<const N: usize> Credits<N> {
    /// `total` bursts in flight, `share` of them reserved for each of `reserved` clients (also those that do not exist yet).
    pub fn new(total: usize, share: usize, reserved: usize) -> Self {
        assert!(
            share > 0 && reserved >= N && total >= share * reserved && total < 256,
            "{total} bursts, {reserved} x {share}"
        );
        let shared = total - share * reserved;
        Self {
            clock: Default::default(),
            reset: Default::default(),
            start: Default::default(),
            finish: Default::default(),
            may: Default::default(),
            live: Default::default(),
            count: std::array::from_fn(|_| Default::default()),
            some: std::array::from_fn(|_| Default::default()),
            full: std::array::from_fn(|_| Default::default()),
            taken: Default::default(),
            none: Default::default(),
            starts: std::array::from_fn(|_| Default::default()),
            finishes: std::array::from_fn(|_| Default::default()),
            takes: Default::default(),
            returns: Default::default(),
            mask: std::array::from_fn(|i| Constant::new(bits(1 << i))),
            share: Constant::new(bits(share as u64)),
            shared: Constant::new(bits(shared as u64)),
            before_share: Constant::new(bits(share as u64 - 1)),
            before_shared: Constant::new(bits(shared.saturating_sub(1) as u64)),
            nothing_shared: Constant::new(shared == 0),
        }
    }
}

impl<const N: usize> Logic for Credits<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, taken, none);
        self.takes.next = false;
        self.returns.next = false;
        self.may.next = 0.into();
        self.live.next = 0.into();
        for i in 0..N {
            self.count[i].clock.next = self.clock.val();
            self.count[i].d.next = self.count[i].q.val();
            self.some[i].clock.next = self.clock.val();
            self.some[i].d.next = self.some[i].q.val();
            self.full[i].clock.next = self.clock.val();
            self.full[i].d.next = self.full[i].q.val();
            // Both at once leave everything as it is.
            self.starts[i].next = self.start.val().get_bit(i) & !self.finish.val().get_bit(i);
            self.finishes[i].next = self.finish.val().get_bit(i) & !self.start.val().get_bit(i) & self.some[i].q.val();
            if self.starts[i].val() {
                self.count[i].d.next = self.count[i].q.val() + 1;
                self.some[i].d.next = true;
                self.takes.next = self.full[i].q.val();
                self.full[i].d.next = self.full[i].q.val() | (self.count[i].q.val() == self.before_share.val());
            }
            if self.finishes[i].val() {
                self.count[i].d.next = self.count[i].q.val() - 1;
                self.some[i].d.next = self.count[i].q.val() != 1;
                self.returns.next = self.count[i].q.val() > self.share.val();
                self.full[i].d.next = self.full[i].q.val() & (self.count[i].q.val() != self.share.val());
            }
            if !(self.full[i].q.val() & self.none.q.val()) {
                self.may.next = self.may.val() | self.mask[i].val();
            }
            if self.some[i].q.val() {
                self.live.next = self.live.val() | self.mask[i].val();
            }
            if self.reset.val() {
                self.count[i].d.next = 0.into();
                self.some[i].d.next = false;
                self.full[i].d.next = false;
            }
        }
        if self.takes.val() & !self.returns.val() {
            self.taken.d.next = self.taken.q.val() + 1;
            self.none.d.next = self.none.q.val() | (self.taken.q.val() == self.before_shared.val());
        }
        if self.returns.val() & !self.takes.val() {
            self.taken.d.next = self.taken.q.val() - 1;
            self.none.d.next = self.none.q.val() & (self.taken.q.val() != self.shared.val());
        }
        if self.reset.val() {
            self.taken.d.next = 0.into();
            self.none.d.next = self.nothing_shared.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    #[test]
    fn i8_shares_are_kept_and_the_rest_is_first_come_first_served() {
        // Nine in flight: two for each of three clients, three shared.
        let mut uut = Credits::<3>::new(9, 2, 3);
        uut.connect_all();
        let mut counts = [0usize; 3];
        for step in 0..3000u64 {
            let random = step.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24;
            let shared: usize = counts.iter().map(|count| count.saturating_sub(2)).sum();
            tick_idle(&mut uut);
            for (client, count) in counts.iter().enumerate() {
                let may = uut.may.val().get_bit(client);
                assert_eq!(may, *count < 2 || shared < 3, "step {step} client {client} of {counts:?}");
                assert_eq!(uut.live.val().get_bit(client), *count > 0);
            }
            let (start, finish) = ((random % 3) as usize, (random >> 8) as usize % 3);
            let phase = step / 60 % 2;
            let starts = uut.may.val().get_bit(start) && (phase == 0 || random >> 16 & 3 == 0);
            // Also a finish of a client with nothing in flight, which must not count.
            let finishes = phase == 1 || random >> 20 & 3 == 0;
            uut.start.next = bits((starts as u64) << start);
            uut.finish.next = bits((finishes as u64) << finish);
            tick(&mut uut, |uut| &mut uut.clock);
            let stray = finishes && counts[finish] == 0;
            counts[start] += (starts && !(stray && start == finish)) as usize;
            counts[finish] -= (finishes && !stray) as usize;
        }
    }

    fn tick_idle(uut: &mut Credits<3>) {
        uut.start.next = 0.into();
        uut.finish.next = 0.into();
        tick(uut, |uut| &mut uut.clock);
    }
}
