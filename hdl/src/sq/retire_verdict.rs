//! Decides what becomes of the oldest WQE of a queue pair (rules T48, T50, T69, T71, T73; D9, D9a, D11). Combinational, of
//! registers.
//!
//! A success comes before everything: what is acknowledged has happened. A failure is told by the WQE that holds it; whatever
//! follows a WQE without success is flushed. Nothing is retired that may still be read: a success waits for the frames that
//! are sent again, everything else for all frames (I11), and for data that may still be written.
use super::{Outstanding, RetireFlags, RetireRow};
use crate::rx::AckState;
use rnic_abi::status;
use rust_hdl::prelude::*;

/// The verdict.
#[derive(LogicBlock)]
pub struct RetireVerdict {
    /// How the WQE stands.
    pub flags: Signal<In, RetireFlags>,
    /// How far the queue pair is retired.
    pub row: Signal<In, RetireRow>,
    /// Entry of the WQE.
    pub entry: Signal<In, Outstanding>,
    /// What acknowledgements told of a failure.
    pub ack: Signal<In, AckState>,
    /// Data of responses may still be written.
    pub landing: Signal<In, Bit>,
    /// The cursor may have chosen a frame of the queue pair that is not counted yet.
    pub busy: Signal<In, Bit>,
    /// It is one that is sent again.
    pub resends: Signal<In, Bit>,
    /// The cursor has been told to rest.
    pub held: Signal<In, Bit>,
    /// It is retired.
    pub retires: Signal<Out, Bit>,
    /// It could be, but for frames that are being gathered.
    pub holds: Signal<Out, Bit>,
    /// The lost frame came to nothing (T49), and no frame behind it is on its way.
    pub voids: Signal<Out, Bit>,
    /// Retired without a CQE, because of a reset.
    pub discard: Signal<Out, Bit>,
    /// Status.
    pub status: Signal<Out, Bits<8>>,
    /// Syndrome.
    pub syndrome: Signal<Out, Bits<8>>,
    /// The row behind it.
    pub after: Signal<Out, RetireRow>,
    of: Signal<Local, RetireFlags>,
    now: Signal<Local, RetireRow>,
    head: Signal<Local, Outstanding>,
    known: Signal<Local, AckState>,
    good: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    rests: Signal<Local, Bit>,
    calm: Signal<Local, Bit>,
    there: Signal<Local, Bit>,
    told: Signal<Local, Bits<8>>,
    success: Constant<Bits<8>>,
    flush: Constant<Bits<8>>,
    protection: Constant<Bits<8>>,
}

impl Default for RetireVerdict {
    fn default() -> Self {
        Self {
            flags: Default::default(),
            row: Default::default(),
            entry: Default::default(),
            ack: Default::default(),
            landing: Default::default(),
            busy: Default::default(),
            resends: Default::default(),
            held: Default::default(),
            voids: Default::default(),
            calm: Default::default(),
            retires: Default::default(),
            holds: Default::default(),
            discard: Default::default(),
            status: Default::default(),
            syndrome: Default::default(),
            after: Default::default(),
            of: Default::default(),
            now: Default::default(),
            head: Default::default(),
            known: Default::default(),
            good: Default::default(),
            ends: Default::default(),
            rests: Default::default(),
            there: Default::default(),
            told: Default::default(),
            success: Constant::new(status::SUCCESS.to_bits()),
            flush: Constant::new(status::WR_FLUSH.to_bits()),
            protection: Constant::new(status::LOC_PROT.to_bits()),
        }
    }
}

impl Logic for RetireVerdict {
    #[hdl_gen]
    fn update(&mut self) {
        self.of.next = self.flags.val();
        self.now.next = self.row.val();
        self.head.next = self.entry.val();
        self.known.next = self.ack.val();
        self.told.next = bit_cast::<8, 5>(self.known.val().status);
        // A local operation has an end when its outcome is there, whatever else happens.
        self.there.next = !self.of.val().is_local | self.of.val().back;
        self.good.next = !self.of.val().none
            & !self.now.val().over
            & !self.of.val().failed
            & ((self.of.val().is_local & self.of.val().good & !self.of.val().discards)
                | (!self.of.val().is_local & self.of.val().acked & self.of.val().stored));
        self.ends.next = !self.of.val().none
            & !self.good.val()
            & self.there.val()
            & (self.of.val().is_local
                | self.of.val().failed
                | self.of.val().refused
                | self.of.val().lost
                | self.of.val().flushes
                | self.of.val().discards);
        self.rests.next = self.of.val().is_local | (self.of.val().quiet & !self.busy.val() & !self.landing.val());
        self.calm.next = self.of.val().is_local | (self.of.val().calm & !self.resends.val());
        self.retires.next = (self.good.val() & self.calm.val()) | (self.ends.val() & self.rests.val());
        // The frames behind a lost one have vanished: the cursor rests until they are back, and then begins again (T49).
        self.holds.next =
            (self.good.val() & !self.calm.val()) | (self.ends.val() & !self.rests.val()) | self.of.val().lost_void;
        self.voids.next = self.of.val().lost_void & self.of.val().quiet & !self.busy.val() & self.held.val();
        self.discard.next = !self.good.val() & self.of.val().discards;

        self.status.next = self.flush.val();
        self.syndrome.next = 0.into();
        if self.good.val() {
            self.status.next = self.success.val();
        } else if !self.of.val().flushes & !self.of.val().discards {
            if self.of.val().is_local {
                self.status.next = self.now.val().status;
                self.syndrome.next = self.now.val().syndrome;
            } else if self.of.val().failed {
                self.status.next = self.head.val().status;
                self.syndrome.next = self.head.val().syndrome;
            } else if self.of.val().refused & !(self.of.val().lost & self.of.val().lost_first) {
                self.status.next = self.told.val();
                self.syndrome.next = self.known.val().syndrome;
            } else {
                self.status.next = self.protection.val();
                self.syndrome.next = self.now.val().lost_syndrome;
            }
        }

        self.after.next = self.now.val();
        if self.voids.val() {
            self.after.next.lost = false;
            self.after.next.voids = !self.now.val().voids;
        }
        if self.retires.val() {
            self.after.next.rseq = self.now.val().rseq + 1;
            if self.of.val().is_local {
                self.after.next.back = self.now.val().back - 1;
                if self.of.val().good {
                    self.after.next.good = self.now.val().good - 1;
                }
            }
            if !self.good.val() {
                self.after.next.over = true;
            }
        }
    }
}
