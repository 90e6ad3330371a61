//! Cuts a WQE into packets and READ requests (rules T12, T15, T38).
//!
//! SENDs and WRITEs are cut at the MTU; READs at 1 MiB of the message, wherever they begin, so that a request that is sent
//! again ends where the first one ended. `piece` is right two cycles after its inputs, its `psns` three.
use super::{kind, DataWqe, Piece};
use rust_hdl::prelude::*;

/// The next piece of the WQE at the cursor.
#[derive(LogicBlock)]
pub struct PieceMaker {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The WQE.
    pub wqe: Signal<In, DataWqe>,
    /// Bytes of it that have been sent.
    pub offset: Signal<In, Bits<32>>,
    /// Path MTU code, 1 to 5.
    pub mtu: Signal<In, Bits<3>>,
    /// The piece.
    pub piece: Signal<Out, Piece>,
    rest: DFF<Bits<32>>,
    limit: DFF<Bits<32>>,
    reach: DFF<Bits<32>>,
    rounded: DFF<Bits<32>>,
    address: DFF<Bits<64>>,
    begins: DFF<Bit>,
    early: DFF<Piece>,
    rounded_rest: DFF<Bits<32>>,
    rounded_limit: DFF<Bits<32>>,
    psns: DFF<Bits<24>>,
    now: Signal<Local, DataWqe>,
    data: Signal<Local, Bit>,
    mtu_bytes: Signal<Local, Bits<32>>,
    less: Signal<Local, Bits<32>>,
    shift: Signal<Local, Bits<4>>,
    wide_shift: Signal<Local, Bits<4>>,
    chunk_part: Signal<Local, Bits<20>>,
    chunk_wide: Signal<Local, Bits<32>>,
    room: Signal<Local, Bits<32>>,
    wide_offset: Signal<Local, Bits<64>>,
    last: Signal<Local, Bit>,
    whole: Signal<Local, Bits<32>>,
    part: Signal<Local, Bits<32>>,
    ends: Signal<Local, Bits<32>>,
    shown: Signal<Local, Piece>,
    chunk: Constant<Bits<32>>,
    least: Constant<Bits<32>>,
    seven: Constant<Bits<4>>,
    send_write: Constant<Bits<3>>,
}

impl Default for PieceMaker {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            wqe: Default::default(),
            offset: Default::default(),
            mtu: Default::default(),
            piece: Default::default(),
            rest: Default::default(),
            limit: Default::default(),
            reach: Default::default(),
            rounded: Default::default(),
            address: Default::default(),
            begins: Default::default(),
            early: Default::default(),
            rounded_rest: Default::default(),
            rounded_limit: Default::default(),
            psns: Default::default(),
            now: Default::default(),
            data: Default::default(),
            mtu_bytes: Default::default(),
            less: Default::default(),
            shift: Default::default(),
            wide_shift: Default::default(),
            chunk_part: Default::default(),
            chunk_wide: Default::default(),
            room: Default::default(),
            wide_offset: Default::default(),
            last: Default::default(),
            whole: Default::default(),
            part: Default::default(),
            ends: Default::default(),
            shown: Default::default(),
            chunk: Constant::new((1u64 << 20).to_bits()),
            least: Constant::new(128u64.to_bits()),
            seven: Constant::new(7u64.to_bits()),
            send_write: Constant::new(kind::SEND_WRITE.to_bits()),
        }
    }
}

impl Logic for PieceMaker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, rest, limit, reach, rounded, address, begins, early, rounded_rest, rounded_limit, psns);
        self.now.next = self.wqe.val();
        self.mtu_bytes.next = self.least.val() << self.mtu.val();
        self.less.next = self.mtu_bytes.val() - 1;
        self.wide_shift.next = bit_cast::<4, 3>(self.mtu.val());
        self.shift.next = self.wide_shift.val() + self.seven.val();
        // Stage 1: what is left, and the most that the next piece may be.
        self.data.next = self.now.val().kind == self.send_write.val();
        self.chunk_part.next = self.offset.val().get_bits::<20>(0);
        self.chunk_wide.next = bit_cast::<32, 20>(self.chunk_part.val());
        self.room.next = self.chunk.val() - self.chunk_wide.val();
        self.rest.d.next = self.now.val().total - self.offset.val();
        self.limit.d.next = self.room.val();
        if self.data.val() {
            self.limit.d.next = self.mtu_bytes.val();
        }
        self.rounded.d.next = self.now.val().total + self.less.val();
        self.wide_offset.next = bit_cast::<64, 32>(self.offset.val());
        self.address.d.next = self.now.val().address + self.wide_offset.val();
        self.begins.d.next = self.offset.val() == 0;
        self.reach.d.next = self.offset.val();

        // Stage 2: the piece.
        self.last.next = self.rest.q.val() <= self.limit.q.val();
        self.whole.next = self.rounded.q.val() >> self.shift.val();
        self.early.d.next.last = self.last.val();
        self.early.d.next.first = self.begins.q.val();
        self.early.d.next.address = self.address.q.val();
        self.early.d.next.after = self.reach.q.val() + self.limit.q.val();
        self.early.d.next.bytes = self.limit.q.val();
        if self.last.val() {
            self.early.d.next.bytes = self.rest.q.val();
        }
        self.early.d.next.psns = 1.into();
        self.early.d.next.packets = self.whole.val().get_bits::<24>(0);
        if self.whole.val() == 0 {
            self.early.d.next.packets = 1.into();
        }
        self.rounded_rest.d.next = self.rest.q.val() + self.less.val();
        self.rounded_limit.d.next = self.limit.q.val() + self.less.val();

        // Stage 3: its PSNs.
        self.shown.next = self.early.q.val();
        self.part.next = self.rounded_limit.q.val();
        if self.shown.val().last {
            self.part.next = self.rounded_rest.q.val();
        }
        self.ends.next = self.part.val() >> self.shift.val();
        self.psns.d.next = self.ends.val().get_bits::<24>(0);
        if (self.ends.val() == 0) | self.data.val() {
            self.psns.d.next = 1.into();
        }
        self.piece.next = self.early.q.val();
        self.piece.next.psns = self.psns.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    fn make(kind: u64, total: u64, offset: u64, mtu: u64) -> Piece {
        let mut uut = PieceMaker::default();
        uut.connect_all();
        uut.wqe.next = DataWqe {
            kind: kind.to_bits(),
            total: total.into(),
            address: 0xFFFF_FFFF_0000_0000_u64.into(),
            ..Default::default()
        };
        uut.offset.next = offset.into();
        uut.mtu.next = mtu.into();
        for _ in 0..3 {
            tick(&mut uut, |u| &mut u.clock);
        }
        uut.piece.val()
    }

    #[test]
    fn t12_sends_are_cut_at_the_mtu() {
        for mtu in 1..=5u64 {
            let bytes = 128u64 << mtu;
            for total in [0, 1, bytes - 1, bytes, bytes + 1, 3 * bytes, 100_001, 1 << 31] {
                let packets = total.div_ceil(bytes).max(1);
                for number in [0, 1, packets / 2, packets - 1].into_iter().filter(|number| *number < packets) {
                    let piece = make(kind::SEND_WRITE, total, number * bytes, mtu);
                    let rest = total - number * bytes;
                    assert_eq!(piece.bytes.to_u64(), rest.min(bytes));
                    assert_eq!((piece.first, piece.last), (number == 0, number == packets - 1), "{total} {number}");
                    assert_eq!((piece.psns.to_u64(), piece.packets.to_u64()), (1, packets));
                    if !piece.last {
                        assert_eq!(piece.after.to_u64(), (number + 1) * bytes);
                    }
                }
            }
        }
    }

    #[test]
    fn t15_t38_reads_are_cut_at_1_mib_and_end_there_when_sent_again() {
        let mib = 1u64 << 20;
        for (total, offset, bytes, last) in [
            (0, 0, 0, true),
            (5000, 0, 5000, true),
            (5000, 4096, 904, true),
            (mib, 0, mib, true),
            (mib + 1, 0, mib, false),
            (mib + 1, mib - 1024, 1024, false),
            (mib + 1, mib, 1, true),
            (5 * mib, 2 * mib + 4096, mib - 4096, false),
            (1 << 31, (1 << 31) - mib, mib, true),
        ] {
            for mtu in 1..=4u64 {
                let piece = make(kind::READ, total, offset, mtu);
                assert_eq!((piece.bytes.to_u64(), piece.last), (bytes, last), "{total} {offset}");
                assert_eq!(piece.psns.to_u64(), bytes.div_ceil(128 << mtu).max(1));
                assert_eq!(piece.packets.to_u64(), total.div_ceil(128 << mtu).max(1));
                assert_eq!(piece.address.to_u64(), 0xFFFF_FFFF_0000_0000 + offset);
            }
        }
    }
}
