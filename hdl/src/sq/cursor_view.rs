//! Finds how the queue pair at the cursor stands (rules T18, T23, T40, T42, T43): two register stages, distances and then
//! flags of them. All PSN comparisons are modular: bit 23 of a distance tells before from after.
use super::{CursorFlags, CursorRow, RetireRow};
use crate::rx::AckState;
use rnic_abi::qp;
use rust_hdl::prelude::*;

/// Distances and flags of one queue pair with a table of 2^OA outstanding WQEs. The flags follow their inputs after two cycles.
#[derive(LogicBlock)]
pub struct CursorView<const OA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Where the cursor stands.
    pub row: Signal<In, CursorRow>,
    /// How far the queue pair is acknowledged.
    pub ack: Signal<In, AckState>,
    /// How far it is retired.
    pub retire: Signal<In, RetireRow>,
    /// READs and atomics that are stored, modulo 2^18.
    pub rd_done: Signal<In, Bits<18>>,
    /// Slots retired.
    pub retired: Signal<In, Bits<16>>,
    /// State (rule T1).
    pub state: Signal<In, Bits<3>>,
    /// READs and atomics that may be open.
    pub max_rd: Signal<In, Bits<5>>,
    /// WQEs of the queue pair are in the table of outstanding ones.
    pub engaged: Signal<In, Bit>,
    /// An error is known that no row tells yet.
    pub halted: Signal<In, Bit>,
    /// Retirement wants the queue pair to rest (T48).
    pub hold: Signal<In, Bit>,
    /// Packets that may be unacknowledged (T18).
    pub window: Signal<In, Bits<24>>,
    /// The flags.
    pub flags: Signal<Out, CursorFlags>,
    past_una: DFF<Bits<24>>,
    past_read: DFF<Bits<24>>,
    past_fail: DFF<Bits<24>>,
    past_lost: DFF<Bits<24>>,
    open_reads: DFF<Bits<5>>,
    started: DFF<Bits<16>>,
    early: DFF<CursorFlags>,
    late: DFF<CursorFlags>,
    reads_open: DFF<Bit>,
    other_epoch: DFF<Bit>,
    fails: DFF<Bit>,
    loses: DFF<Bit>,
    limit: DFF<Bits<24>>,
    tight: DFF<Bits<24>>,
    rd_tail: Signal<Local, Bits<5>>,
    now: Signal<Local, CursorRow>,
    known: Signal<Local, AckState>,
    done: Signal<Local, RetireRow>,
    pre: Signal<Local, CursorFlags>,
    in_window: Signal<Local, Bit>,
    in_tight: Signal<Local, Bit>,
    rts: Constant<Bits<3>>,
    sqd: Constant<Bits<3>>,
    otd: Constant<Bits<16>>,
    span: Constant<Bits<24>>,
    zero: Constant<CursorFlags>,
}

impl<const OA: usize> Default for CursorView<OA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            row: Default::default(),
            ack: Default::default(),
            retire: Default::default(),
            rd_done: Default::default(),
            retired: Default::default(),
            state: Default::default(),
            max_rd: Default::default(),
            engaged: Default::default(),
            halted: Default::default(),
            hold: Default::default(),
            window: Default::default(),
            flags: Default::default(),
            past_una: Default::default(),
            past_read: Default::default(),
            past_fail: Default::default(),
            past_lost: Default::default(),
            open_reads: Default::default(),
            started: Default::default(),
            early: Default::default(),
            late: Default::default(),
            reads_open: Default::default(),
            other_epoch: Default::default(),
            fails: Default::default(),
            loses: Default::default(),
            limit: Default::default(),
            tight: Default::default(),
            rd_tail: Default::default(),
            now: Default::default(),
            known: Default::default(),
            done: Default::default(),
            pre: Default::default(),
            in_window: Default::default(),
            in_tight: Default::default(),
            rts: Constant::new(qp::RTS.to_bits()),
            sqd: Constant::new(qp::SQD.to_bits()),
            otd: Constant::new((1usize << OA).to_bits()),
            span: Constant::new(((1usize << 22) - 4096).to_bits()),
            zero: Constant::new(Default::default()),
        }
    }
}

impl<const OA: usize> Logic for CursorView<OA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, past_una, past_read, past_fail, past_lost, open_reads, started, early, late);
        dff_setup!(self, clock, reads_open, other_epoch, fails, loses, limit, tight);
        self.now.next = self.row.val();
        self.known.next = self.ack.val();
        self.done.next = self.retire.val();
        // Stage 1: distances, and what is equal.
        self.past_una.d.next = self.now.val().psn - self.known.val().una;
        self.past_read.d.next = self.now.val().psn - self.now.val().rd_end;
        self.past_fail.d.next = self.now.val().psn - self.known.val().fail_psn;
        self.past_lost.d.next = self.now.val().psn - self.done.val().lost_psn;
        self.rd_tail.next = bit_cast::<5, 18>(self.now.val().rd_tail);
        // At most 16 are open.
        self.open_reads.d.next = self.rd_tail.val() - bit_cast::<5, 18>(self.rd_done.val());
        self.started.d.next = self.now.val().hseq - self.done.val().rseq;
        self.limit.d.next = self.window.val();
        self.tight.d.next = self.window.val() - 1;
        self.reads_open.d.next = self.rd_tail.val() != self.known.val().rd_head;
        self.other_epoch.d.next = ((self.now.val().epoch != self.known.val().epoch)
            | (self.now.val().voids != self.done.val().voids))
            & self.engaged.val();
        self.fails.d.next = self.known.val().fail;
        self.loses.d.next = self.done.val().lost;
        self.early.d.next = self.zero.val();
        self.early.d.next.rts = self.state.val() == self.rts.val();
        self.early.d.next.sends = (self.state.val() == self.rts.val()) | (self.state.val() == self.sqd.val());
        self.early.d.next.moves = self.engaged.val();
        self.early.d.next.fresh = self.now.val().seq == self.now.val().hseq;
        self.early.d.next.first_time = self.now.val().psn == self.now.val().hpsn;
        self.early.d.next.acked = self.known.val().una == self.now.val().hpsn;
        self.early.d.next.free = !self.known.val().rnr_wait & !self.hold.val();
        self.early.d.next.sound = !self.halted.val();
        self.early.d.next.locals_back = (self.now.val().locals == self.done.val().total)
            & (self.engaged.val() | (self.now.val().slot == self.retired.val()));
        self.early.d.next.takes_reads = self.max_rd.val().any();

        // Stage 2: flags.
        self.pre.next = self.early.q.val();
        self.in_window.next = self.past_una.q.val().get_bit(23)
            | (self.past_una.q.val() < self.limit.q.val())
            | (self.reads_open.q.val()
                & (self.past_read.q.val().get_bit(23) | (self.past_read.q.val() < self.limit.q.val())));
        self.in_tight.next = self.past_una.q.val().get_bit(23)
            | (self.past_una.q.val() < self.tight.q.val())
            | (self.reads_open.q.val()
                & (self.past_read.q.val().get_bit(23) | (self.past_read.q.val() < self.tight.q.val())));
        self.late.d.next = self.early.q.val();
        self.late.d.next.moves = self.other_epoch.q.val() | (self.past_una.q.val().get_bit(23) & self.pre.val().moves);
        self.late.d.next.empty = self.started.q.val() == 0;
        self.late.d.next.room = self.started.q.val() < self.otd.val();
        self.late.d.next.sound = self.pre.val().sound & !self.fails.q.val() & !self.loses.q.val();
        self.late.d.next.before_failure = (!self.fails.q.val() | self.past_fail.q.val().get_bit(23))
            & (!self.loses.q.val() | self.past_lost.q.val().get_bit(23));
        self.late.d.next.stored = self.open_reads.q.val() == 0;
        self.late.d.next.window = self.in_window.val();
        self.late.d.next.fills = self.in_window.val() & !self.in_tight.val();
        self.late.d.next.credit = (self.open_reads.q.val() < self.max_rd.val())
            & (self.past_una.q.val().get_bit(23) | (self.past_una.q.val() < self.span.val()));
        self.flags.next = self.late.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    struct Case {
        row: CursorRow,
        ack: AckState,
        retire: RetireRow,
        rd_done: u64,
        retired: u64,
        state: u8,
        engaged: bool,
        halted: bool,
        hold: bool,
    }

    /// The fixture of the specification: una = hpsn = cursor = 500, nothing open.
    fn fixture() -> Case {
        let row = CursorRow {
            seq: 7.into(),
            slot: 9.into(),
            psn: 500.into(),
            hseq: 7.into(),
            hslot: 9.into(),
            hpsn: 500.into(),
            rd_end: 500.into(),
            ..Default::default()
        };
        let ack = AckState { una: 500.into(), ..Default::default() };
        let retire = RetireRow { rseq: 7.into(), ..Default::default() };
        Case { row, ack, retire, rd_done: 0, retired: 9, state: qp::RTS, engaged: true, halted: false, hold: false }
    }

    fn view(case: &Case) -> CursorFlags {
        let mut uut = CursorView::<4>::default();
        uut.connect_all();
        uut.row.next = case.row;
        uut.ack.next = case.ack;
        uut.retire.next = case.retire;
        uut.rd_done.next = case.rd_done.into();
        uut.retired.next = case.retired.into();
        uut.state.next = case.state.to_bits();
        uut.engaged.next = case.engaged;
        uut.halted.next = case.halted;
        uut.hold.next = case.hold;
        uut.max_rd.next = 4.into();
        uut.window.next = 64.into();
        tick(&mut uut, |u| &mut u.clock);
        tick(&mut uut, |u| &mut u.clock);
        uut.flags.val()
    }

    #[test]
    fn t18_the_window_is_counted_from_una_or_from_the_newest_open_read() {
        for una in [500u64, 0xFF_FFE0, 0] {
            for ahead in 0..70u64 {
                let mut case = fixture();
                case.ack.una = una.into();
                case.row.psn = ((una + ahead) & 0xFF_FFFF).into();
                case.row.hpsn = case.row.psn;
                let flags = view(&case);
                assert_eq!((flags.window, flags.fills), (ahead < 64, ahead == 63), "{una} {ahead}");
                assert!(!flags.moves && flags.first_time);
                // A READ that ended 10 packets ago: the window begins behind it, while it is open.
                case.row.rd_end = ((una + ahead + 0x100_0000 - 10) & 0xFF_FFFF).into();
                case.row.rd_tail = 1.into();
                let flags = view(&case);
                assert!(flags.window && !flags.fills);
                case.ack.rd_head = 1.into();
                assert_eq!(view(&case).window, ahead < 64);
            }
        }
    }

    #[test]
    fn t18_reads_have_credits_and_a_limit_of_psns() {
        for (tail, done, credit) in [(0, 0, true), (3, 0, true), (4, 0, false), (1, 30, true), (2, 30, false)] {
            let mut case = fixture();
            case.row.rd_tail = u64::to_bits(tail);
            case.rd_done = done;
            let flags = view(&case);
            assert_eq!((flags.credit, flags.stored), (credit, tail == done), "{tail} {done}");
        }
        let mut case = fixture();
        case.row.psn = (500 + (1 << 22) - 4097u64).into();
        assert!(view(&case).credit);
        case.row.psn = (500 + (1 << 22) - 4096u64).into();
        assert!(!view(&case).credit);
    }

    #[test]
    fn t18_t21_starting_needs_room_state_and_no_failure() {
        let mut case = fixture();
        case.row.hseq = (7 + 15u64).into();
        assert!(view(&case).room);
        case.row.hseq = (7 + 16u64).into();
        assert!(!view(&case).room && !view(&case).empty);
        for state in 0..=6 {
            let flags = view(&Case { state, ..fixture() });
            assert_eq!((flags.rts, flags.sends), (state == qp::RTS, state == qp::RTS || state == qp::SQD));
        }
        assert!(view(&fixture()).sound && view(&fixture()).empty && view(&fixture()).free);
        assert!(!view(&Case { halted: true, ..fixture() }).sound);
        assert!(!view(&Case { hold: true, ..fixture() }).free);
        let mut case = fixture();
        case.ack.rnr_wait = true;
        assert!(!view(&case).free);
    }

    #[test]
    fn t40_packets_before_the_smallest_failure_may_still_go() {
        for psn in [498u64, 499, 500, 501] {
            let mut case = fixture();
            case.row.psn = psn.into();
            case.ack.fail = true;
            case.ack.fail_psn = 500.into();
            assert_eq!((view(&case).before_failure, view(&case).sound), (psn < 500, false));
            case.retire.lost = true;
            case.retire.lost_psn = 499.into();
            assert_eq!(view(&case).before_failure, psn < 499);
        }
    }

    #[test]
    fn t42_t43_another_epoch_or_una_ahead_moves_the_cursor() {
        assert!(!view(&fixture()).moves);
        let mut case = fixture();
        case.ack.epoch = 15.into();
        assert!(view(&case).moves);
        case.engaged = false;
        assert!(!view(&case).moves);
        let mut case = fixture();
        case.row.psn = 499.into();
        assert!(view(&case).moves && !view(&case).first_time);
    }

    #[test]
    fn d2_data_wait_for_the_local_operations_before_them() {
        let mut case = fixture();
        assert!(view(&case).locals_back);
        case.row.locals = 1.into();
        assert!(!view(&case).locals_back);
        case.retire.total = 1.into();
        assert!(view(&case).locals_back);
        // While nothing is outstanding, local operations are counted by their slots.
        case.engaged = false;
        case.retired = 8;
        assert!(!view(&case).locals_back);
    }
}
