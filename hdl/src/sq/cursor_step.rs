//! Moves the cursor behind a piece, a local operation or a failed WQE, and writes what is remembered of it (rules T17, T43).
//! Combinational.
use super::{kind, CursorRow, DataWqe, HeldWqe, Outstanding, Piece};
use crate::rx::{OpenRead, ReadSink};
use crate::wire::Span;
use rnic_abi::{status, syndrome};
use rust_hdl::prelude::*;

/// The cursor after a step.
#[derive(LogicBlock)]
pub struct CursorStep {
    /// Where the cursor stands.
    pub row: Signal<In, CursorRow>,
    /// The WQE.
    pub wqe: Signal<In, DataWqe>,
    /// As it was fetched.
    pub held: Signal<In, HeldWqe>,
    /// The piece that is sent.
    pub piece: Signal<In, Piece>,
    /// Its frame asks for an acknowledgement.
    pub asks: Signal<In, Bit>,
    /// Its span, which has the SGEs.
    pub span: Signal<In, Span>,
    /// The WQE is local, or has been stepped over.
    pub is_local: Signal<In, Bit>,
    /// The WQE changed while it was posted.
    pub changed: Signal<In, Bit>,
    /// Entry of the WQE, if it has been started.
    pub entry: Signal<In, Outstanding>,
    /// The cursor behind the piece or local operation.
    pub moved: Signal<Out, CursorRow>,
    /// The cursor at a WQE that has failed.
    pub stopped: Signal<Out, CursorRow>,
    /// What is remembered of the WQE, if it starts with this step.
    pub started: Signal<Out, Outstanding>,
    /// What is remembered of a WQE that has failed.
    pub failed: Signal<Out, Outstanding>,
    /// What is remembered of a READ request or atomic.
    pub open: Signal<Out, OpenRead>,
    /// Its SGEs.
    pub sink: Signal<Out, ReadSink>,
    at: Signal<Local, CursorRow>,
    now: Signal<Local, DataWqe>,
    taken: Signal<Local, HeldWqe>,
    part: Signal<Local, Piece>,
    old: Signal<Local, Outstanding>,
    sges: Signal<Local, Span>,
    fresh: Signal<Local, Bit>,
    first_time: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    behind: Signal<Local, Bits<16>>,
    after: Signal<Local, Bits<24>>,
    seq: Signal<Local, Bits<16>>,
    issued: Signal<Local, Bits<12>>,
    begun: Signal<Local, Outstanding>,
    zero_entry: Constant<Outstanding>,
    local_kind: Constant<Bits<3>>,
    failed_kind: Constant<Bits<3>>,
    send_write: Constant<Bits<3>>,
    bad_request: Constant<Bits<8>>,
    format: Constant<Bits<8>>,
    bus: Constant<Bits<8>>,
    other: Constant<Bits<8>>,
    zero_open: Constant<OpenRead>,
}

impl Default for CursorStep {
    fn default() -> Self {
        Self {
            row: Default::default(),
            wqe: Default::default(),
            held: Default::default(),
            piece: Default::default(),
            asks: Default::default(),
            span: Default::default(),
            is_local: Default::default(),
            changed: Default::default(),
            entry: Default::default(),
            moved: Default::default(),
            stopped: Default::default(),
            started: Default::default(),
            failed: Default::default(),
            open: Default::default(),
            sink: Default::default(),
            at: Default::default(),
            now: Default::default(),
            taken: Default::default(),
            part: Default::default(),
            old: Default::default(),
            sges: Default::default(),
            fresh: Default::default(),
            first_time: Default::default(),
            reads: Default::default(),
            behind: Default::default(),
            after: Default::default(),
            seq: Default::default(),
            issued: Default::default(),
            begun: Default::default(),
            zero_entry: Constant::new(Default::default()),
            local_kind: Constant::new(kind::LOCAL.to_bits()),
            failed_kind: Constant::new(kind::FAILED.to_bits()),
            send_write: Constant::new(kind::SEND_WRITE.to_bits()),
            bad_request: Constant::new(status::LOC_QP_OP.to_bits()),
            format: Constant::new(syndrome::WQE_FORMAT.to_bits()),
            bus: Constant::new(syndrome::PAYLOAD_BUS.to_bits()),
            other: Constant::new(syndrome::WQE_CHANGED.to_bits()),
            zero_open: Constant::new(Default::default()),
        }
    }
}

impl Logic for CursorStep {
    #[hdl_gen]
    fn update(&mut self) {
        self.at.next = self.row.val();
        self.now.next = self.wqe.val();
        self.taken.next = self.held.val();
        self.part.next = self.piece.val();
        self.old.next = self.entry.val();
        self.sges.next = self.span.val();
        self.fresh.next = self.at.val().seq == self.at.val().hseq;
        self.first_time.next = (self.at.val().psn == self.at.val().hpsn) & !self.is_local.val();
        self.reads.next = (self.now.val().kind != self.send_write.val()) & !self.is_local.val();
        self.seq.next = self.at.val().seq + 1;
        self.behind.next = self.at.val().slot + 1;
        if self.taken.val().double {
            self.behind.next = self.at.val().slot + 2;
        }
        self.after.next = self.at.val().psn + self.part.val().psns;
        self.issued.next = self.at.val().issued + 1;

        self.moved.next = self.at.val();
        if self.part.val().last | self.is_local.val() {
            self.moved.next.seq = self.seq.val();
            self.moved.next.slot = self.behind.val();
            self.moved.next.offset = 0.into();
        } else {
            self.moved.next.offset = self.part.val().after;
        }
        if self.fresh.val() {
            self.moved.next.hseq = self.seq.val();
            self.moved.next.hslot = self.behind.val();
            if self.is_local.val() {
                self.moved.next.locals = self.at.val().locals + 1;
            }
        }
        if !self.is_local.val() {
            self.moved.next.psn = self.after.val();
            self.moved.next.issued = self.issued.val();
            self.moved.next.unasked = self.at.val().unasked + 1;
            if self.asks.val() {
                self.moved.next.unasked = 0.into();
            }
            if !self.first_time.val() {
                self.moved.next.resent = self.issued.val();
            }
        }
        if self.first_time.val() {
            self.moved.next.hpsn = self.after.val();
            if self.reads.val() {
                self.moved.next.rd_tail = self.at.val().rd_tail + 1;
                self.moved.next.rd_end = self.after.val();
            }
        }
        self.stopped.next = self.at.val();
        if self.fresh.val() {
            self.stopped.next.hseq = self.seq.val();
            self.stopped.next.hslot = self.behind.val();
        }

        // Entries.
        self.begun.next = self.zero_entry.val();
        self.begun.next.first = self.at.val().hpsn;
        self.begun.next.slot = self.taken.val().count;
        self.begun.next.double = self.taken.val().double;
        self.begun.next.kind = self.local_kind.val();
        self.begun.next.opcode = self.now.val().opcode;
        self.begun.next.signalled = self.now.val().signalled | self.taken.val().sig_all;
        self.started.next = self.begun.val();
        if !self.is_local.val() {
            self.started.next.kind = self.now.val().kind;
            self.started.next.packets = self.part.val().packets;
        }
        if self.reads.val() {
            self.started.next.length = self.now.val().total;
            self.started.next.rd_after = self.at.val().rd_tail + bit_cast::<18, 12>(self.now.val().chunks);
        }
        self.failed.next = self.begun.val();
        if self.changed.val() {
            self.failed.next = self.old.val();
        }
        self.failed.next.kind = self.failed_kind.val();
        self.failed.next.status = self.bad_request.val();
        self.failed.next.syndrome = self.format.val();
        if self.taken.val().broken {
            self.failed.next.syndrome = self.bus.val();
        } else if self.changed.val() {
            self.failed.next.syndrome = self.other.val();
        }

        self.open.next = self.zero_open.val();
        self.open.next.first = self.at.val().psn;
        self.open.next.packets = self.part.val().psns;
        self.open.next.offset = self.at.val().offset;
        self.open.next.length = self.part.val().bytes;
        self.open.next.kind = 0.into();
        if !self.now.val().read {
            self.open.next.kind = 2.into();
            if self.now.val().swap {
                self.open.next.kind = 1.into();
            }
        }
        self.open.next.wqe = bit_cast::<7, 16>(self.at.val().seq);
        // Of a message that is read in several requests the last one takes the sink along (T15, T16).
        self.open.next.invalidates = self.now.val().takes_sink & self.part.val().last;
        self.sink.next.address0 = self.sges.val().address0;
        self.sink.next.length0 = self.sges.val().length0;
        self.sink.next.key0 = self.sges.val().key0;
        self.sink.next.address1 = self.sges.val().address1;
        self.sink.next.length1 = self.sges.val().length1;
        self.sink.next.key1 = self.sges.val().key1;
        self.sink.next.address2 = self.sges.val().address2;
        self.sink.next.length2 = self.sges.val().length2;
        self.sink.next.key2 = self.sges.val().key2;
        self.sink.next.address3 = self.sges.val().address3;
        self.sink.next.length3 = self.sges.val().length3;
        self.sink.next.key3 = self.sges.val().key3;
    }
}
