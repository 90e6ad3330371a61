//! The cursor of the send queues: executes WQEs, one engine for all queue pairs (rules T17, T18, T20 to T23, T40, T42 to T50).
//!
//! A WQE that may not go on never waits here: its queue pair goes to sleep, what has been fetched of it is dropped until the
//! mark of its rewind comes, and a change of anything that it may wait for makes the cursor look again (`wakes`). A queue pair
//! that has just fallen asleep is looked at once more, so a change that came while it was being judged is not lost (T21).
//! Restart is by level: before every packet the epoch is compared, and whether more is acknowledged than the cursor has sent.
//!
//! Seven cycles a WQE of one packet, five for each further packet: take, read the rows, compare (two cycles), decide, emit,
//! save. A local operation takes seven as well; while nothing of its queue pair is outstanding it does not come here.
use super::{
    kind, Choice, CursorBits, CursorChoice, CursorFlags, CursorRow, CursorStep, CursorTables, CursorView, CursorWakes,
    DataWqe, FrameMaker, HeldWqe, Outstanding, Piece, PieceMaker, RetireRow, RewindWalk, WqeFields,
};
use crate::rx::{AckOrder, AckState, OpenRead, ReadSink, RequesterContext};
use crate::types::{QpControl, SqContext, WorkItem};
use crate::widgets::{ChannelSink, ChannelSource, Memory};
use crate::wire::{Span, TxFrame};
use rust_hdl::prelude::*;

/// Steps of the cursor.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum CursorState {
    /// Take a queue pair that was woken, an order, or a WQE; the tables get its index.
    Choose,
    /// Rows arrive.
    Read,
    /// Distances; the entry of the WQE is read.
    Compare,
    /// Flags.
    Judge,
    /// What to do.
    Decide,
    /// A frame goes out.
    Emit,
    /// A local operation goes out.
    Pass,
    /// A failed WQE is remembered.
    Mark,
    /// The row is written.
    Save,
    /// The walk over the outstanding WQEs runs.
    AwaitWalk,
    /// Its result is taken.
    Land,
    /// The queue pair falls asleep.
    Sleep,
    /// It wakes.
    Rouse,
    /// A new life begins.
    Open,
}

/// Cursor of QPS = 2^QA queue pairs with 2^OA outstanding WQEs each, RA = QA + OA.
#[derive(LogicBlock)]
pub struct Cursor<const QA: usize, const QPS: usize, const OA: usize, const RA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what is in hand.
    pub reset: Signal<In, Bit>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Orders of `qp`; here `clear` and `wake` count.
    pub control: Signal<In, QpControl>,
    /// First PSN of a queue pair, before its first WQE.
    pub order: ChannelSink<AckOrder>,
    /// Packets that may be unacknowledged (T18).
    pub window: Signal<In, Bits<24>>,
    /// The queue pair in hand.
    pub current: Signal<Out, Bits<8>>,
    /// Another queue pair waits (T20).
    pub others: Signal<In, Bit>,
    /// Context of the queue pair.
    pub context_write: Signal<In, Bit>,
    /// Its index.
    pub context_index: Signal<In, Bits<8>>,
    /// The context.
    pub context_row: Signal<In, SqContext>,
    /// Attributes are written.
    pub attributes_write: Signal<In, Bit>,
    /// Of this queue pair.
    pub attributes_index: Signal<In, Bits<8>>,
    /// The attributes.
    pub attributes_row: Signal<In, RequesterContext>,
    /// The engine of acknowledgements writes a state.
    pub state_write: Signal<In, Bit>,
    /// Its queue pair.
    pub state_index: Signal<In, Bits<8>>,
    /// The state.
    pub state_row: Signal<In, AckState>,
    /// A count of stored READs and atomics is written.
    pub done_write: Signal<In, Bit>,
    /// Its queue pair.
    pub done_index: Signal<In, Bits<8>>,
    /// The count.
    pub done_count: Signal<In, Bits<18>>,
    /// The walker writes how far it is.
    pub retire_write: Signal<In, Bit>,
    /// Its queue pair.
    pub retire_index: Signal<In, Bits<8>>,
    /// How far.
    pub retire_row: Signal<In, RetireRow>,
    /// Slots retired are written.
    pub retired_write: Signal<In, Bit>,
    /// Of this queue pair.
    pub retired_index: Signal<In, Bits<8>>,
    /// So many.
    pub retired_count: Signal<In, Bits<16>>,
    /// Frames that have come back are counted.
    pub returned_write: Signal<In, Bit>,
    /// Of this queue pair.
    pub returned_index: Signal<In, Bits<8>>,
    /// So many.
    pub returned_count: Signal<In, Bits<12>>,
    /// A lost frame came to nothing (T49): the cursor goes back to what is not acknowledged.
    pub voided: Signal<In, Bit>,
    /// Of this queue pair.
    pub voided_index: Signal<In, Bits<8>>,
    /// The cursor looks at a queue pair, or waits for room for a frame of it:
    pub busy: Signal<Out, Bit>,
    /// this one;
    pub busy_index: Signal<Out, Bits<8>>,
    /// its packets are sent again.
    pub busy_resends: Signal<Out, Bit>,
    /// Queue pairs that retirement wants to rest (T48).
    pub hold_all: Signal<In, Bits<QPS>>,
    /// Queue pairs of which an error is known: no WQE starts.
    pub halted_all: Signal<In, Bits<QPS>>,
    /// WQEs in the order of fetching; `ready` when it is done with or dropped.
    pub held: ChannelSink<HeldWqe>,
    /// The WQE's item is to be passed on as work, in this cycle.
    pub pass: Signal<Out, Bit>,
    /// An item could be passed on.
    pub pass_free: Signal<In, Bit>,
    /// The mark of a rewind has come out of the pool.
    pub land: Signal<In, Bit>,
    /// Its queue pair.
    pub land_index: Signal<In, Bits<8>>,
    /// The scheduler has set its fetch count back.
    pub unpark: Signal<In, Bit>,
    /// Of this queue pair.
    pub unpark_index: Signal<In, Bits<8>>,
    /// A queue pair is to be fetched from its cursor on.
    pub rewind: Signal<Out, Bit>,
    /// This one.
    pub rewind_index: Signal<Out, Bits<8>>,
    /// Queue pairs with WQEs in the table of outstanding ones: all their WQEs come here.
    pub engaged_all: Signal<Out, Bits<QPS>>,
    /// Queue pairs whose fetched slots are dropped.
    pub dropping_all: Signal<Out, Bits<QPS>>,
    /// Queue pairs that are not to be fetched.
    pub parked_all: Signal<Out, Bits<QPS>>,
    /// Queue pairs that sleep.
    pub asleep_all: Signal<Out, Bits<QPS>>,
    /// Frames to send, in the order of each queue pair's PSNs.
    pub frame: ChannelSource<TxFrame>,
    /// Payload of the frame offered.
    pub span: Signal<Out, Span>,
    /// A cursor is written.
    pub row_write: Signal<Out, Bit>,
    /// Its queue pair.
    pub row_index: Signal<Out, Bits<8>>,
    /// The cursor.
    pub row_data: Signal<Out, CursorRow>,
    /// An entry of the table of outstanding WQEs is written.
    pub entry_write: Signal<Out, Bit>,
    /// Its place.
    pub entry_index: Signal<Out, Bits<RA>>,
    /// The entry.
    pub entry_data: Signal<Out, Outstanding>,
    /// It is one that has failed.
    pub entry_failed: Signal<Out, Bit>,
    /// A READ or atomic is opened, before its frame is offered.
    pub open_write: Signal<Out, Bit>,
    /// Its queue pair.
    pub open_index: Signal<Out, Bits<8>>,
    /// Its place in the ring.
    pub open_slot: Signal<Out, Bits<4>>,
    /// Its head.
    pub open_head: Signal<Out, OpenRead>,
    /// Its SGEs.
    pub open_sink: Signal<Out, ReadSink>,
    tables: CursorTables<QA>,
    marks: CursorBits<QA, QPS>,
    wakes: CursorWakes<QA, QPS>,
    view: CursorView<OA>,
    fields: WqeFields,
    cutter: PieceMaker,
    maker: FrameMaker,
    choice: Choice,
    step: CursorStep,
    walk: RewindWalk,
    entries: Memory<Outstanding, RA>,
    state: DFF<CursorState>,
    qp: DFF<Bits<8>>,
    woken: DFF<Bit>,
    opens: DFF<Bit>,
    turn: DFF<Bit>,
    row: DFF<CursorRow>,
    ack: DFF<AckState>,
    retired_row: DFF<RetireRow>,
    rd_done: DFF<Bits<18>>,
    retired: DFF<Bits<16>>,
    returned: DFF<Bits<12>>,
    present: DFF<Bits<3>>,
    attributes: DFF<RequesterContext>,
    entry: DFF<Outstanding>,
    psn: DFF<Bits<24>>,
    goal: DFF<Bits<24>>,
    epoch: DFF<Bits<4>>,
    quits: DFF<Bit>,
    ends: DFF<Bit>,
    spent: DFF<Bits<17>>,
    over: DFF<Bit>,
    sent: DFF<TxFrame>,
    sent_span: DFF<Span>,
    shows: DFF<Bit>,
    choosing: Signal<Local, Bit>,
    takes_wake: Signal<Local, Bit>,
    takes_order: Signal<Local, Bit>,
    takes_wqe: Signal<Local, Bit>,
    useful: Signal<Local, Bit>,
    stale: Signal<Local, Bit>,
    held_qp: Signal<Local, Bits<QA>>,
    short_qp: Signal<Local, Bits<QA>>,
    fresh_wqe: Signal<Local, HeldWqe>,
    item: Signal<Local, WorkItem>,
    wqe: Signal<Local, DataWqe>,
    look: Signal<Local, Bits<8>>,
    now: Signal<Local, CursorRow>,
    known: Signal<Local, AckState>,
    loaded: Signal<Local, CursorRow>,
    walked: Signal<Local, RetireRow>,
    of: Signal<Local, RequesterContext>,
    seq: Signal<Local, Bits<16>>,
    high: Signal<Local, Bits<RA>>,
    low: Signal<Local, Bits<OA>>,
    low_wide: Signal<Local, Bits<RA>>,
    place: Signal<Local, Bits<RA>>,
    mine: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    emits: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    made: Signal<Local, TxFrame>,
    plan: Signal<Local, CursorChoice>,
    seen: Signal<Local, CursorFlags>,
    part: Signal<Local, Piece>,
    zero: Signal<Local, CursorRow>,
    told: Signal<Local, AckState>,
    retold: Signal<Local, RetireRow>,
    cost: Signal<Local, Bits<17>>,
    base_spent: Signal<Local, Bits<17>>,
    packets: Signal<Local, Bits<32>>,
    scale: Signal<Local, Bits<4>>,
    wide_mtu: Signal<Local, Bits<4>>,
    rest: Signal<Local, Bits<17>>,
    shift: Constant<Bits<RA>>,
    seven: Constant<Bits<4>>,
    quantum: Constant<Bits<17>>,
    least: Constant<Bits<17>>,
    zero_row: Constant<CursorRow>,
    send_write: Constant<Bits<3>>,
}

impl<const QA: usize, const QPS: usize, const OA: usize, const RA: usize> Cursor<QA, QPS, OA, RA> {
    /// What a queue pair may send in a turn while others wait, in bytes with at least 512 a packet (T20). A turn that ends inside
    /// a WQE costs a fetch behind the payload that was asked for before, so it is as long as that takes from memory 250 cycles away:
    /// with 4 KiB at DATA 64, four queue pairs with messages of 4 KiB leave 18 % of the wire empty.
    pub const fn quantum(data: usize) -> u64 {
        if data > 128 {
            32 * data as u64
        } else {
            8192
        }
    }

    /// A cursor for a bus of `data` bits.
    pub fn new(data: usize) -> Self {
        assert!(RA == QA + OA && QPS == 1 << QA, "{QPS} queue pairs, {RA} bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            control: Default::default(),
            order: Default::default(),
            window: Default::default(),
            current: Default::default(),
            others: Default::default(),
            context_write: Default::default(),
            context_index: Default::default(),
            context_row: Default::default(),
            attributes_write: Default::default(),
            attributes_index: Default::default(),
            attributes_row: Default::default(),
            state_write: Default::default(),
            state_index: Default::default(),
            state_row: Default::default(),
            done_write: Default::default(),
            done_index: Default::default(),
            done_count: Default::default(),
            retire_write: Default::default(),
            retire_index: Default::default(),
            retire_row: Default::default(),
            retired_write: Default::default(),
            retired_index: Default::default(),
            retired_count: Default::default(),
            returned_write: Default::default(),
            returned_index: Default::default(),
            returned_count: Default::default(),
            voided: Default::default(),
            voided_index: Default::default(),
            busy: Default::default(),
            busy_index: Default::default(),
            busy_resends: Default::default(),
            hold_all: Default::default(),
            halted_all: Default::default(),
            held: Default::default(),
            pass: Default::default(),
            pass_free: Default::default(),
            land: Default::default(),
            land_index: Default::default(),
            unpark: Default::default(),
            unpark_index: Default::default(),
            rewind: Default::default(),
            rewind_index: Default::default(),
            engaged_all: Default::default(),
            dropping_all: Default::default(),
            parked_all: Default::default(),
            asleep_all: Default::default(),
            frame: Default::default(),
            span: Default::default(),
            row_write: Default::default(),
            row_index: Default::default(),
            row_data: Default::default(),
            entry_write: Default::default(),
            entry_index: Default::default(),
            entry_data: Default::default(),
            entry_failed: Default::default(),
            open_write: Default::default(),
            open_index: Default::default(),
            open_slot: Default::default(),
            open_head: Default::default(),
            open_sink: Default::default(),
            tables: Default::default(),
            marks: Default::default(),
            wakes: Default::default(),
            view: Default::default(),
            fields: Default::default(),
            cutter: Default::default(),
            maker: Default::default(),
            choice: Default::default(),
            step: Default::default(),
            walk: Default::default(),
            entries: Default::default(),
            state: Default::default(),
            qp: Default::default(),
            woken: Default::default(),
            opens: Default::default(),
            turn: Default::default(),
            row: Default::default(),
            ack: Default::default(),
            retired_row: Default::default(),
            rd_done: Default::default(),
            retired: Default::default(),
            returned: Default::default(),
            present: Default::default(),
            attributes: Default::default(),
            entry: Default::default(),
            psn: Default::default(),
            goal: Default::default(),
            epoch: Default::default(),
            quits: Default::default(),
            ends: Default::default(),
            spent: Default::default(),
            over: Default::default(),
            sent: Default::default(),
            sent_span: Default::default(),
            shows: Default::default(),
            choosing: Default::default(),
            takes_wake: Default::default(),
            takes_order: Default::default(),
            takes_wqe: Default::default(),
            useful: Default::default(),
            stale: Default::default(),
            held_qp: Default::default(),
            short_qp: Default::default(),
            fresh_wqe: Default::default(),
            item: Default::default(),
            wqe: Default::default(),
            look: Default::default(),
            now: Default::default(),
            known: Default::default(),
            loaded: Default::default(),
            walked: Default::default(),
            of: Default::default(),
            seq: Default::default(),
            high: Default::default(),
            low: Default::default(),
            low_wide: Default::default(),
            place: Default::default(),
            mine: Default::default(),
            room: Default::default(),
            emits: Default::default(),
            passes: Default::default(),
            made: Default::default(),
            plan: Default::default(),
            seen: Default::default(),
            part: Default::default(),
            zero: Default::default(),
            told: Default::default(),
            retold: Default::default(),
            cost: Default::default(),
            base_spent: Default::default(),
            packets: Default::default(),
            scale: Default::default(),
            wide_mtu: Default::default(),
            rest: Default::default(),
            shift: Constant::new(OA.to_bits()),
            seven: Constant::new(7u64.to_bits()),
            quantum: Constant::new(Self::quantum(data).to_bits()),
            least: Constant::new(512u64.to_bits()),
            zero_row: Constant::new(Default::default()),
            send_write: Constant::new(kind::SEND_WRITE.to_bits()),
        }
    }
}

impl<const QA: usize, const QPS: usize, const OA: usize, const RA: usize> Logic for Cursor<QA, QPS, OA, RA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            state,
            qp,
            woken,
            opens,
            turn,
            row,
            ack,
            retired_row,
            rd_done,
            retired,
            returned,
            present
        );
        dff_setup!(self, clock, attributes, entry, psn, goal, epoch, quits, ends, spent, over, sent, sent_span, shows);
        clock!(self, clock, tables, marks, wakes, view, fields, cutter, walk, entries);
        self.marks.reset.next = self.reset.val();
        self.wakes.reset.next = self.reset.val();
        self.walk.reset.next = self.reset.val();

        // Copies of what others write.
        self.tables.clearing.next = self.clearing.val();
        self.tables.clear_index.next = self.clear_index.val();
        self.tables.context_write.next = self.context_write.val();
        self.tables.context_index.next = self.context_index.val();
        self.tables.context_row.next = self.context_row.val();
        self.tables.attributes_write.next = self.attributes_write.val();
        self.tables.attributes_index.next = self.attributes_index.val();
        self.tables.attributes_row.next = self.attributes_row.val();
        self.tables.state_write.next = self.state_write.val();
        self.tables.state_index.next = self.state_index.val();
        self.tables.state_row.next = self.state_row.val();
        self.tables.done_write.next = self.done_write.val();
        self.tables.done_index.next = self.done_index.val();
        self.tables.done_count.next = self.done_count.val();
        self.tables.retire_write.next = self.retire_write.val();
        self.tables.retire_index.next = self.retire_index.val();
        self.tables.retire_row.next = self.retire_row.val();
        self.tables.retired_write.next = self.retired_write.val();
        self.tables.retired_index.next = self.retired_index.val();
        self.tables.retired_count.next = self.retired_count.val();
        self.tables.returned_write.next = self.returned_write.val();
        self.tables.returned_index.next = self.returned_index.val();
        self.tables.returned_count.next = self.returned_count.val();
        self.wakes.clearing.next = self.clearing.val();
        self.wakes.clear_index.next = self.clear_index.val();
        self.wakes.control.next = self.control.val();
        self.wakes.state_write.next = self.state_write.val();
        self.wakes.state_index.next = self.state_index.val();
        self.wakes.state_row.next = self.state_row.val();
        self.wakes.done_write.next = self.done_write.val();
        self.wakes.done_index.next = self.done_index.val();
        self.wakes.retire_write.next = self.retire_write.val();
        self.wakes.retire_index.next = self.retire_index.val();
        self.wakes.retired_write.next = self.retired_write.val();
        self.wakes.retired_index.next = self.retired_index.val();
        self.wakes.voided.next = self.voided.val();
        self.wakes.voided_index.next = self.voided_index.val();
        self.wakes.land.next = self.land.val();
        self.wakes.land_index.next = self.land_index.val();
        self.wakes.asleep_all.next = self.marks.asleep_all.val();
        self.wakes.watched_all.next = self.marks.watched_all.val();
        self.wakes.again.next = self.state.q.val() == CursorState::Sleep;
        self.wakes.again_index.next = self.qp.q.val();
        self.marks.control.next = self.control.val();
        self.marks.hurry.next = self.wakes.hurry.val();
        self.marks.hurry_index.next = self.wakes.hurry_index.val();
        self.marks.land.next = self.land.val();
        self.marks.land_index.next = self.land_index.val();
        self.marks.unpark.next = self.unpark.val();
        self.marks.unpark_index.next = self.unpark_index.val();
        self.engaged_all.next = self.marks.engaged_all.val();
        self.dropping_all.next = self.marks.dropping_all.val();
        self.parked_all.next = self.marks.parked_all.val();
        self.asleep_all.next = self.marks.asleep_all.val();

        // Choose.
        self.fresh_wqe.next = self.held.data.val();
        self.item.next = self.fresh_wqe.val().item;
        self.choosing.next = self.state.q.val() == CursorState::Choose;
        self.useful.next =
            self.marks.asleep.val() | self.marks.expecting.val() | self.marks.urgent.val() | self.marks.cleared.val();
        self.takes_wake.next = self.choosing.val()
            & self.wakes.source.valid.val()
            & self.useful.val()
            & (self.turn.q.val() | !self.held.valid.val());
        self.takes_order.next = self.choosing.val() & self.order.valid.val() & !self.takes_wake.val();
        self.held_qp.next = bit_cast::<QA, 8>(self.item.val().qp);
        self.short_qp.next = bit_cast::<QA, 8>(self.qp.q.val());
        self.stale.next = self.held.valid.val() & self.marks.dropping_all.val().get_bit(self.held_qp.val().index());
        self.takes_wqe.next = self.choosing.val()
            & self.held.valid.val()
            & !self.stale.val()
            & !self.takes_wake.val()
            & !self.order.valid.val();
        self.wakes.source.ready.next = self.takes_wake.val() | (self.choosing.val() & !self.useful.val());
        self.order.ready.next = self.takes_order.val();
        self.look.next = self.qp.q.val();
        if self.choosing.val() {
            self.look.next = self.item.val().qp;
            if self.order.valid.val() {
                self.look.next = self.order.data.val().qp;
            }
            if self.takes_wake.val() {
                self.look.next = self.wakes.source.data.val();
            }
            self.qp.d.next = self.look.val();
            self.woken.d.next = self.takes_wake.val();
            self.opens.d.next = self.takes_order.val();
        }
        self.marks.index.next = self.qp.q.val();
        if self.choosing.val() {
            self.marks.index.next = self.wakes.source.data.val();
        }
        self.tables.index.next = self.look.val();

        // Read: every cycle, so that each packet sees the newest rows.
        self.ack.d.next = self.tables.ack.val();
        self.retired_row.d.next = self.tables.retire.val();
        self.rd_done.d.next = self.tables.rd_done.val();
        self.retired.d.next = self.tables.retired.val();
        self.returned.d.next = self.tables.returned.val();
        self.present.d.next = self.tables.state.val();
        self.attributes.d.next = self.tables.attributes.val();
        self.now.next = self.row.q.val();
        self.known.next = self.ack.q.val();
        self.of.next = self.attributes.q.val();
        self.walked.next = self.retired_row.q.val();
        self.loaded.next = self.tables.row.val();
        self.zero.next = self.zero_row.val();
        self.told.next = self.tables.ack.val();
        self.retold.next = self.tables.retire.val();

        // Compare and judge.
        self.view.row.next = self.now.val();
        self.view.ack.next = self.known.val();
        self.view.retire.next = self.walked.val();
        self.view.rd_done.next = self.rd_done.q.val();
        self.view.retired.next = self.retired.q.val();
        self.view.state.next = self.present.q.val();
        self.view.max_rd.next = self.of.val().max_rd;
        self.view.engaged.next = self.marks.engaged.val();
        self.view.halted.next = self.marks.stopped.val() | self.halted_all.val().get_bit(self.short_qp.val().index());
        self.view.hold.next = self.hold_all.val().get_bit(self.short_qp.val().index());
        self.view.window.next = self.window.val();
        self.fields.block.next = self.item.val().wqe;
        self.fields.second.next = self.fresh_wqe.val().second;
        self.fields.two_blocks.next = self.fresh_wqe.val().double;
        self.wqe.next = self.fields.wqe.val();
        self.cutter.wqe.next = self.wqe.val();
        self.cutter.offset.next = self.now.val().offset;
        self.cutter.mtu.next = self.of.val().mtu;
        self.high.next = bit_cast::<RA, 8>(self.qp.q.val());
        self.seq.next = self.now.val().seq;
        if self.state.q.val() == CursorState::AwaitWalk {
            self.seq.next = self.walk.seq.val();
        }
        self.low.next = bit_cast::<OA, 16>(self.seq.val());
        self.low_wide.next = bit_cast::<RA, OA>(self.low.val());
        self.place.next = (self.high.val() << self.shift.val()) | self.low_wide.val();
        self.entries.read.next = true;
        self.entries.read_address.next = self.place.val();
        self.entry.d.next = self.entries.out.val();
        self.walk.row.next = self.entries.out.val();

        // Decide.
        self.plan.next = self.choice.plan.val();
        self.seen.next = self.view.flags.val();
        self.part.next = self.cutter.piece.val();
        self.over.d.next = self.spent.q.val() >= self.quantum.val();
        self.choice.woken.next = self.woken.q.val();
        self.choice.cleared.next = self.marks.cleared.val();
        self.choice.asleep.next = self.marks.asleep.val();
        self.choice.dropping.next = self.marks.dropping.val();
        self.choice.engaged.next = self.marks.engaged.val();
        self.current.next = self.qp.q.val();
        self.choice.tired.next = self.over.q.val() & self.others.val();
        self.choice.flags.next = self.view.flags.val();
        self.choice.row.next = self.now.val();
        self.choice.wqe.next = self.wqe.val();
        self.choice.broken.next = self.fresh_wqe.val().broken;
        self.choice.piece.next = self.cutter.piece.val();
        self.choice.entry.next = self.entry.q.val();

        // Act.
        self.maker.wqe.next = self.wqe.val();
        self.maker.held.next = self.fresh_wqe.val();
        self.maker.piece.next = self.cutter.piece.val();
        self.maker.offset.next = self.now.val().offset;
        self.maker.psn.next = self.now.val().psn;
        self.maker.issued.next = self.now.val().issued;
        self.maker.unasked.next = self.now.val().unasked;
        self.maker.fills.next = self.seen.val().fills;
        self.maker.attributes.next = self.of.val();
        self.made.next = self.maker.frame.val();
        self.step.row.next = self.now.val();
        self.step.wqe.next = self.wqe.val();
        self.step.held.next = self.fresh_wqe.val();
        self.step.piece.next = self.cutter.piece.val();
        self.step.asks.next = self.made.val().ack_request;
        self.step.span.next = self.maker.span.val();
        self.step.is_local.next =
            (self.state.q.val() == CursorState::Pass) | (self.state.q.val() == CursorState::Decide);
        self.step.changed.next = self.choice.changed.val();
        self.step.entry.next = self.entry.q.val();
        self.walk.start.next = false;
        self.walk.from.next = self.walked.val().rseq;
        self.walk.limit.next = self.now.val().hseq;
        self.walk.una.next = self.goal.q.val();
        self.mine.next = self.held.valid.val() & (self.item.val().qp == self.qp.q.val());
        self.room.next = !self.shows.q.val() | self.frame.ready.val();
        self.emits.next = (self.state.q.val() == CursorState::Emit) & self.room.val();
        self.passes.next = (self.state.q.val() == CursorState::Pass) & self.pass_free.val();
        self.cost.next = bit_cast::<17, 13>(self.made.val().payload);
        if self.made.val().payload < 512 {
            self.cost.next = self.least.val();
        }
        self.base_spent.next = self.spent.q.val();
        if self.over.q.val() {
            self.base_spent.next = 0.into();
        }
        self.rest.next = self.spent.q.val() - self.quantum.val();
        self.wide_mtu.next = bit_cast::<4, 3>(self.of.val().mtu);
        self.scale.next = self.wide_mtu.val() + self.seven.val();
        self.packets.next = bit_cast::<32, 24>(self.walk.packets.val());
        self.marks.sleep.next = self.state.q.val() == CursorState::Sleep;
        self.marks.rouse.next = self.state.q.val() == CursorState::Rouse;
        self.marks.meet.next = (self.state.q.val() == CursorState::Read) & !self.woken.q.val() & !self.opens.q.val();
        self.marks.stop.next = self.state.q.val() == CursorState::Mark;
        self.marks.engage.next =
            self.emits.val() | (self.passes.val() & !self.quits.q.val()) | (self.state.q.val() == CursorState::Mark);
        self.marks.disengage.next =
            self.quits.q.val() & (self.passes.val() | (self.state.q.val() == CursorState::Rouse));
        self.marks.forget.next = self.state.q.val() == CursorState::Open;
        self.marks.calm.next = false;
        if self.room.val() {
            self.shows.d.next = false;
        }

        match self.state.q.val() {
            CursorState::Choose => {
                if self.takes_wake.val() | self.takes_order.val() | self.takes_wqe.val() {
                    self.state.d.next = CursorState::Read;
                    self.turn.d.next = !self.takes_wake.val();
                }
            }
            CursorState::Read => {
                self.row.d.next = self.loaded.val();
                if !self.marks.engaged.val() {
                    // Nothing is outstanding: the row's place is old, and no restart can be owed.
                    self.row.d.next.epoch = self.told.val().epoch;
                    self.row.d.next.voids = self.retold.val().voids;
                    if !self.woken.q.val() {
                        self.row.d.next.slot = self.fresh_wqe.val().count;
                        self.row.d.next.hslot = self.fresh_wqe.val().count;
                        self.row.d.next.offset = 0.into();
                    }
                }
                if !self.woken.q.val() & self.fresh_wqe.val().begins {
                    self.spent.d.next = bit_cast::<17, 13>(self.loaded.val().debt);
                }
                self.state.d.next = CursorState::Compare;
                if self.opens.q.val() {
                    self.state.d.next = CursorState::Open;
                }
            }
            CursorState::Compare => self.state.d.next = CursorState::Judge,
            CursorState::Judge => self.state.d.next = CursorState::Decide,
            CursorState::Decide => {
                self.row.d.next.needs = self.plan.val().needs;
                self.goal.d.next = self.known.val().una;
                self.epoch.d.next = self.known.val().epoch;
                self.quits.d.next = self.plan.val().quit;
                self.marks.calm.next = self.woken.q.val()
                    & (self.marks.asleep.val() | !self.marks.dropping.val() | !self.marks.engaged.val());
                self.marks.forget.next = self.plan.val().forget;
                self.state.d.next = CursorState::Choose;
                if self.plan.val().walk {
                    self.state.d.next = CursorState::AwaitWalk;
                    self.walk.start.next = true;
                } else if self.plan.val().mark {
                    self.state.d.next = CursorState::Mark;
                } else if self.plan.val().sleep {
                    self.state.d.next = CursorState::Sleep;
                    self.row.d.next.debt = 0.into();
                    if self.over.q.val() {
                        self.row.d.next.debt = bit_cast::<13, 17>(self.rest.val());
                    }
                } else if self.plan.val().rouse {
                    self.state.d.next = CursorState::Rouse;
                    if self.plan.val().quit & self.marks.engaged.val() {
                        self.row.d.next.seq = self.now.val().hseq;
                        self.row.d.next.slot = self.now.val().hslot;
                        self.row.d.next.offset = 0.into();
                        self.row.d.next.psn = self.now.val().hpsn;
                    }
                } else if self.plan.val().send {
                    self.state.d.next = CursorState::Emit;
                } else if self.plan.val().pass {
                    self.state.d.next = CursorState::Pass;
                } else if self.plan.val().skip {
                    self.state.d.next = CursorState::Save;
                    self.row.d.next = self.step.moved.val();
                    self.ends.d.next = true;
                }
            }
            CursorState::Emit => {
                if self.room.val() {
                    self.sent.d.next = self.made.val();
                    self.sent_span.d.next = self.maker.span.val();
                    self.shows.d.next = true;
                    self.row.d.next = self.step.moved.val();
                    self.row.d.next.debt = 0.into();
                    self.ends.d.next = self.part.val().last;
                    self.spent.d.next = self.base_spent.val() + self.cost.val();
                    self.state.d.next = CursorState::Save;
                }
            }
            CursorState::Pass => {
                if self.pass_free.val() {
                    if !self.quits.q.val() {
                        self.row.d.next = self.step.moved.val();
                    }
                    self.ends.d.next = true;
                    self.state.d.next = CursorState::Save;
                }
            }
            CursorState::Mark => {
                self.row.d.next = self.step.stopped.val();
                self.state.d.next = CursorState::Sleep;
            }
            CursorState::Save => {
                self.state.d.next = CursorState::Compare;
                if self.ends.q.val() {
                    self.state.d.next = CursorState::Choose;
                }
            }
            CursorState::AwaitWalk => {
                if self.walk.done.val() {
                    self.state.d.next = CursorState::Land;
                }
            }
            CursorState::Land => {
                self.row.d.next.epoch = self.epoch.q.val();
                self.row.d.next.voids = self.walked.val().voids;
                self.row.d.next.needs = self.zero.val().needs;
                self.row.d.next.seq = self.now.val().hseq;
                self.row.d.next.slot = self.now.val().hslot;
                self.row.d.next.offset = 0.into();
                self.row.d.next.psn = self.now.val().hpsn;
                if self.walk.found.val() {
                    self.row.d.next.seq = self.walk.number.val();
                    self.row.d.next.slot = self.walk.slot.val();
                    self.row.d.next.offset = self.packets.val() << self.scale.val();
                    self.row.d.next.psn = self.goal.q.val();
                }
                self.state.d.next = CursorState::Sleep;
            }
            CursorState::Sleep => self.state.d.next = CursorState::Choose,
            CursorState::Rouse => self.state.d.next = CursorState::Choose,
            CursorState::Open => {
                self.state.d.next = CursorState::Choose;
            }
        }

        // What others learn.
        self.busy.next = !self.choosing.val();
        self.busy_index.next = self.qp.q.val();
        self.busy_resends.next = self.now.val().psn != self.now.val().hpsn;
        self.held.ready.next = ((self.state.q.val() == CursorState::Save) & self.ends.q.val())
            | ((self.state.q.val() == CursorState::Sleep) & self.mine.val())
            | (self.choosing.val() & self.stale.val());
        self.pass.next = self.passes.val();
        self.rewind.next = self.state.q.val() == CursorState::Rouse;
        self.rewind_index.next = self.qp.q.val();
        self.frame.data.next = self.sent.q.val();
        self.frame.valid.next = self.shows.q.val();
        self.span.next = self.sent_span.q.val();
        self.entry_write.next = ((self.emits.val() | (self.passes.val() & !self.quits.q.val()))
            & (self.now.val().seq == self.now.val().hseq))
            | (self.state.q.val() == CursorState::Mark);
        self.entry_failed.next = self.state.q.val() == CursorState::Mark;
        self.entry_index.next = self.place.val();
        self.entry_data.next = self.step.started.val();
        if self.state.q.val() == CursorState::Mark {
            self.entry_data.next = self.step.failed.val();
        }
        self.entries.write.next = self.entry_write.val();
        self.entries.write_address.next = self.place.val();
        self.entries.data.next = self.entry_data.val();
        self.open_write.next = self.emits.val()
            & (self.now.val().psn == self.now.val().hpsn)
            & (self.wqe.val().kind != self.send_write.val());
        self.open_index.next = self.qp.q.val();
        self.open_slot.next = bit_cast::<4, 18>(self.now.val().rd_tail);
        self.open_head.next = self.step.open.val();
        self.open_sink.next = self.step.sink.val();
        self.row_write.next = (self.state.q.val() == CursorState::Save)
            | (self.state.q.val() == CursorState::Sleep)
            | (self.state.q.val() == CursorState::Rouse)
            | (self.state.q.val() == CursorState::Open);
        self.row_data.next = self.now.val();
        if self.state.q.val() == CursorState::Open {
            self.row_data.next = self.zero_row.val();
            self.row_data.next.seq = self.walked.val().rseq;
            self.row_data.next.hseq = self.walked.val().rseq;
            self.row_data.next.locals = self.walked.val().total;
            self.row_data.next.issued = self.returned.q.val();
            self.row_data.next.resent = self.returned.q.val();
            self.row_data.next.psn = self.psn.q.val();
            self.row_data.next.hpsn = self.psn.q.val();
            self.row_data.next.rd_end = self.psn.q.val();
        }
        self.row_index.next = self.qp.q.val();
        self.tables.row_write.next = self.row_write.val();
        self.tables.row_index.next = self.qp.q.val();
        self.tables.row_data.next = self.row_data.val();
        if self.takes_order.val() {
            self.psn.d.next = self.order.data.val().psn;
        }
        if self.reset.val() {
            self.state.d.next = CursorState::Choose;
            self.shows.d.next = false;
            self.turn.d.next = false;
        }
    }
}
