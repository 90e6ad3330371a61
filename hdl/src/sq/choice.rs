//! Decides what the cursor does with a WQE or a queue pair (rules T18, T23, T42, T45, T46, T50, T73, T77). Combinational, of
//! registers.
use super::{kind, CursorChoice, CursorFlags, CursorNeeds, CursorRow, DataWqe, Outstanding, Piece};
use rust_hdl::prelude::*;

/// The decision.
#[derive(LogicBlock)]
pub struct Choice {
    /// A queue pair was woken; else a WQE is at the cursor.
    pub woken: Signal<In, Bit>,
    /// The queue pair has been reset since.
    pub cleared: Signal<In, Bit>,
    /// It sleeps.
    pub asleep: Signal<In, Bit>,
    /// It waits for the mark of a rewind.
    pub dropping: Signal<In, Bit>,
    /// WQEs of it are in the table of outstanding ones.
    pub engaged: Signal<In, Bit>,
    /// Its turn is over (T20).
    pub tired: Signal<In, Bit>,
    /// How it stands.
    pub flags: Signal<In, CursorFlags>,
    /// Where its cursor stands.
    pub row: Signal<In, CursorRow>,
    /// The WQE.
    pub wqe: Signal<In, DataWqe>,
    /// A block of it could not be read.
    pub broken: Signal<In, Bit>,
    /// Its next piece.
    pub piece: Signal<In, Piece>,
    /// Its entry, if it has been started.
    pub entry: Signal<In, Outstanding>,
    /// What to do.
    pub plan: Signal<Out, CursorChoice>,
    /// It changed while it was posted (T45).
    pub changed: Signal<Out, Bit>,
    of: Signal<Local, CursorFlags>,
    at: Signal<Local, CursorRow>,
    now: Signal<Local, DataWqe>,
    known: Signal<Local, Outstanding>,
    part: Signal<Local, Piece>,
    is_local: Signal<Local, Bit>,
    data: Signal<Local, Bit>,
    faulty: Signal<Local, Bit>,
    differs: Signal<Local, Bit>,
    failed: Signal<Local, Bit>,
    wants: Signal<Local, CursorNeeds>,
    needs: Signal<Local, CursorNeeds>,
    may: Signal<Local, Bit>,
    act: Signal<Local, Bit>,
    none: Constant<CursorNeeds>,
    stop: Constant<CursorNeeds>,
    nothing: Constant<CursorChoice>,
    send_write: Constant<Bits<3>>,
    local_kind: Constant<Bits<3>>,
    failed_kind: Constant<Bits<3>>,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            woken: Default::default(),
            cleared: Default::default(),
            asleep: Default::default(),
            dropping: Default::default(),
            engaged: Default::default(),
            tired: Default::default(),
            flags: Default::default(),
            row: Default::default(),
            wqe: Default::default(),
            broken: Default::default(),
            piece: Default::default(),
            entry: Default::default(),
            plan: Default::default(),
            changed: Default::default(),
            of: Default::default(),
            at: Default::default(),
            now: Default::default(),
            known: Default::default(),
            part: Default::default(),
            is_local: Default::default(),
            data: Default::default(),
            faulty: Default::default(),
            differs: Default::default(),
            failed: Default::default(),
            wants: Default::default(),
            needs: Default::default(),
            may: Default::default(),
            act: Default::default(),
            none: Constant::new(Default::default()),
            stop: Constant::new(CursorNeeds { rewind: true, ..Default::default() }),
            nothing: Constant::new(Default::default()),
            send_write: Constant::new(kind::SEND_WRITE.to_bits()),
            local_kind: Constant::new(kind::LOCAL.to_bits()),
            failed_kind: Constant::new(kind::FAILED.to_bits()),
        }
    }
}

impl Logic for Choice {
    #[hdl_gen]
    fn update(&mut self) {
        self.of.next = self.flags.val();
        self.at.next = self.row.val();
        self.now.next = self.wqe.val();
        self.known.next = self.entry.val();
        self.part.next = self.piece.val();
        self.is_local.next = self.now.val().kind == self.local_kind.val();
        self.data.next = self.now.val().kind == self.send_write.val();
        self.faulty.next = self.broken.val()
            | self.now.val().bad
            | (!self.is_local.val() & !self.data.val() & !self.of.val().takes_reads);
        self.failed.next = self.known.val().kind == self.failed_kind.val();
        self.differs.next = self.broken.val()
            | (self.known.val().kind != self.now.val().kind)
            | (!self.is_local.val() & (self.known.val().packets != self.part.val().packets));
        self.changed.next = self.differs.val() & !self.of.val().fresh;

        // What the WQE waits for.
        self.wants.next = self.none.val();
        self.wants.next.start = self.of.val().fresh;
        self.wants.next.fence = self.of.val().fresh & self.now.val().fence & !self.faulty.val();
        self.wants.next.acked = self.of.val().fresh & self.now.val().invalidate & !self.faulty.val();
        self.wants.next.locals = self.of.val().fresh & (!self.is_local.val() | self.faulty.val());
        self.wants.next.window = self.data.val() & !(self.of.val().fresh & self.faulty.val());
        self.wants.next.credit = !self.data.val()
            & !self.is_local.val()
            & self.of.val().first_time
            & !(self.of.val().fresh & self.faulty.val());
        self.needs.next = self.wants.val();
        if self.woken.val() {
            self.needs.next = self.at.val().needs;
        }
        self.may.next = self.of.val().sends
            & self.of.val().free
            & self.of.val().before_failure
            & !self.needs.val().rewind
            & (!self.needs.val().start | (self.of.val().rts & self.of.val().sound & self.of.val().room))
            & (!self.needs.val().fence | self.of.val().stored)
            & (!self.needs.val().acked | (self.of.val().stored & self.of.val().acked))
            & (!self.needs.val().locals | self.of.val().locals_back)
            & (!self.needs.val().window | self.of.val().window)
            & (!self.needs.val().credit | self.of.val().credit);

        self.plan.next = self.nothing.val();
        self.plan.next.needs = self.needs.val();
        self.act.next = !self.woken.val() & self.of.val().sends & !self.of.val().moves & !self.tired.val();
        if self.woken.val() {
            self.plan.next.forget = self.cleared.val();
            if !self.cleared.val() & (self.asleep.val() | (self.engaged.val() & !self.dropping.val())) {
                self.plan.next.walk = self.of.val().sends & self.of.val().moves;
            }
            if !self.cleared.val() & self.asleep.val() {
                self.plan.next.rouse = self.may.val() & !self.of.val().moves;
                if !self.of.val().sends {
                    self.plan.next.rouse = self.of.val().empty;
                    self.plan.next.quit = self.of.val().empty;
                }
            }
        } else {
            self.plan.next.walk = self.of.val().sends & self.of.val().moves;
            if !self.of.val().sends | (self.tired.val() & !self.of.val().moves) {
                self.plan.next.sleep = true;
                self.plan.next.needs = self.none.val();
            }
        }
        if self.act.val() & !self.of.val().fresh {
            if self.failed.val() {
                self.plan.next.sleep = true;
                self.plan.next.needs = self.stop.val();
            } else if self.differs.val() {
                self.plan.next.mark = true;
                self.plan.next.needs = self.stop.val();
            } else if self.is_local.val() {
                self.plan.next.skip = true;
            } else {
                self.plan.next.send = self.may.val();
                self.plan.next.sleep = !self.may.val();
            }
        }
        if self.act.val() & self.of.val().fresh {
            self.plan.next.sleep = !self.may.val();
            if self.may.val() & self.faulty.val() {
                self.plan.next.mark = true;
                self.plan.next.needs = self.stop.val();
            }
            if self.may.val() & !self.faulty.val() {
                self.plan.next.pass = self.is_local.val();
                self.plan.next.send = !self.is_local.val();
                self.plan.next.quit = self.is_local.val() & self.of.val().empty;
            }
        }
    }
}
