//! Where a received TLP goes, and what is counted of it. Combinational.
use super::records::{BarRequest, BarWrite, TlpHead};
use rust_hdl::prelude::*;

/// Sorter of judged TLPs.
#[derive(LogicBlock, Default)]
pub struct ReceiveSort {
    /// Header of the TLP under way.
    pub head: Signal<In, TlpHead>,
    /// It has ended.
    pub finish: Signal<In, Bit>,
    /// Its length agrees with its header.
    pub agrees: Signal<In, Bit>,
    /// Payload under way is that of a BAR write.
    pub write_payload: Signal<Out, Bit>,
    /// The BAR write counts.
    pub write_commit: Signal<Out, Bit>,
    /// A TLP has ended that is no BAR write, or none that counts.
    pub write_revert: Signal<Out, Bit>,
    /// The BAR write.
    pub write: Signal<Out, BarWrite>,
    /// A request counts.
    pub request_valid: Signal<Out, Bit>,
    /// The request.
    pub request: Signal<Out, BarRequest>,
    /// The TLP under way is a completion.
    pub is_completion: Signal<Out, Bit>,
    /// The completion counts.
    pub completion_valid: Signal<Out, Bit>,
    /// The TLP is malformed (TL6).
    pub malformed: Signal<Out, Bit>,
    /// It is posted and not for the bridge (TL7).
    pub unsupported: Signal<Out, Bit>,
    /// It is a poisoned write (TL8).
    pub poisoned: Signal<Out, Bit>,
    /// It is a write of more than 16 DW (BA2).
    pub too_long: Signal<Out, Bit>,
    kind: Signal<Local, Bits<3>>,
    good: Signal<Local, Bit>,
    is_write: Signal<Local, Bit>,
    is_read: Signal<Local, Bit>,
    is_word: Signal<Local, Bit>,
    wanted: Signal<Local, Bit>,
    spoilt: Signal<Local, Bit>,
    length: Signal<Local, Bits<11>>,
}

impl Logic for ReceiveSort {
    #[hdl_gen]
    fn update(&mut self) {
        // Kinds in the order of `records::kind`.
        self.kind.next = self.head.val().kind;
        self.good.next = self.finish.val() & self.agrees.val() & (self.kind.val() != 6);
        self.malformed.next = self.finish.val() & !self.good.val();
        self.is_write.next = self.kind.val() == 0;
        self.is_read.next = self.kind.val() == 1;
        self.is_word.next = self.kind.val() == 5;
        self.spoilt.next = self.head.val().poisoned;
        // Of a write that is too long not even the first bytes reach the bus (BA2).
        self.wanted.next = self.is_write.val() & self.head.val().hits & !self.head.val().too_long & !self.spoilt.val();
        self.write_payload.next = self.wanted.val();
        self.write_commit.next = self.good.val() & self.wanted.val();
        self.write_revert.next = self.finish.val() & !(self.good.val() & self.wanted.val());
        self.length.next = self.head.val().length;
        self.write.next.address = self.head.val().address;
        self.write.next.length = bit_cast::<5, 11>(self.length.val());
        self.write.next.first = self.head.val().first;
        self.write.next.last = self.head.val().last;
        self.unsupported.next = self.good.val() & self.is_write.val() & !self.head.val().hits;
        self.poisoned.next = self.good.val() & self.is_write.val() & self.head.val().hits & self.spoilt.val();
        self.too_long.next = self.good.val()
            & self.is_write.val()
            & self.head.val().hits
            & self.head.val().too_long
            & !self.spoilt.val();
        self.request_valid.next = self.good.val() & (self.is_read.val() | self.is_word.val() | (self.kind.val() == 4));
        self.request.next.address = self.head.val().address;
        self.request.next.length = self.head.val().length;
        self.request.next.first = self.head.val().first;
        self.request.next.last = self.head.val().last;
        self.request.next.requester = self.head.val().requester;
        self.request.next.tag = self.head.val().tag;
        self.request.next.word = self.is_word.val();
        // UR, but what BAR0 serves, and CA for more than it serves (BA2).
        self.request.next.verdict = 1.into();
        if self.is_read.val() & self.head.val().hits {
            self.request.next.verdict = 0.into();
            if self.head.val().too_long {
                self.request.next.verdict = 4.into();
            }
        }
        self.is_completion.next = self.kind.val() == 2;
        self.completion_valid.next = self.good.val() & (self.kind.val() == 2);
    }
}
