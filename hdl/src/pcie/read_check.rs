//! Judges a completion by what its slot expects (rules RD3, RD6). Combinational.
use super::records::TlpHead;
use rust_hdl::prelude::*;

/// Checks of completions.
#[derive(LogicBlock, Default)]
pub struct CompletionCheck {
    /// The completion.
    pub head: Signal<In, TlpHead>,
    /// Bytes that its slot misses.
    pub missing: Signal<In, Bits<10>>,
    /// Where it has to begin.
    pub address: Signal<In, Bits<9>>,
    /// It brings bytes, and the right ones.
    pub good: Signal<Out, Bit>,
    /// So many; meaningful when it is good.
    pub bytes: Signal<Out, Bits<10>>,
    /// By its own account nothing follows it.
    pub ends: Signal<Out, Bit>,
    /// What the beats say when it is not good.
    pub response: Signal<Out, Bits<2>>,
    count: Signal<Local, Bits<13>>,
    brought: Signal<Local, Bits<13>>,
    whole: Signal<Local, Bits<13>>,
    wanted: Signal<Local, Bits<13>>,
    succeeds: Signal<Local, Bit>,
    in_place: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
}

impl Logic for CompletionCheck {
    #[hdl_gen]
    fn update(&mut self) {
        self.count.next = bit_cast::<13, 12>(self.head.val().byte_count);
        if self.head.val().byte_count == 0 {
            self.count.next = 4096.into();
        }
        self.whole.next = bit_cast::<13, 11>(self.head.val().length) << 2;
        self.brought.next = self.whole.val() - bit_cast::<13, 2>(self.head.val().lower_lane);
        self.wanted.next = bit_cast::<13, 10>(self.missing.val());
        self.bytes.next = self.brought.val().get_bits::<10>(0);
        self.succeeds.next = self.head.val().status == 0;
        self.in_place.next =
            (self.count.val() == self.wanted.val()) & (self.head.val().lower == self.address.val().get_bits::<7>(0));
        self.fits.next = self.brought.val() <= self.wanted.val();
        self.good.next = self.succeeds.val()
            & self.head.val().data
            & !self.head.val().poisoned
            & self.in_place.val()
            & self.fits.val();
        // An error ends its request; so does a success whose count is used up.
        self.last.next = self.count.val() <= self.brought.val();
        self.ends.next = !self.succeeds.val() | self.last.val();
        // RD6: UR is DECERR, all else SLVERR.
        self.response.next = 2.into();
        if self.head.val().status == 1 {
            self.response.next = 3.into();
        }
    }
}
