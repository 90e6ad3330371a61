//! The next packet of a READ response (rules T64, T58, T101) from the entry and how far it has come.
//!
//! Latency two cycles from stable inputs. Addresses are modular in 64 bits, PSNs in 24; only First, Last and Only carry an AETH,
//! whose fields are filled in for all.
use super::{RespondContext, ResponseEntry, ResponseProgress};
use crate::wire::{Span, TxFrame};
use rnic_abi::{access, aeth, bth};
use rust_hdl::prelude::*;

/// Works the next packet out.
#[derive(LogicBlock)]
pub struct ResponseStep {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Index of the queue pair.
    pub qp: Signal<In, Bits<8>>,
    /// Entry at the head of its ring.
    pub entry: Signal<In, ResponseEntry>,
    /// How far it has come.
    pub progress: Signal<In, ResponseProgress>,
    /// Context.
    pub context_row: Signal<In, RespondContext>,
    /// The frame.
    pub frame: Signal<Out, TxFrame>,
    /// Where its payload lies.
    pub span: Signal<Out, Span>,
    /// It has no payload.
    pub empty: Signal<Out, Bit>,
    /// It is the last one of the entry.
    pub last: Signal<Out, Bit>,
    /// Bytes sent behind it.
    pub offset: Signal<Out, Bits<32>>,
    /// Packets sent behind it.
    pub sent: Signal<Out, Bits<24>>,
    place: DFF<Bits<64>>,
    left: DFF<Bits<32>>,
    due: DFF<Bits<24>>,
    mtu: DFF<Bits<13>>,
    starts: DFF<Bit>,
    payload: DFF<Bits<13>>,
    opcode: DFF<Bits<8>>,
    offset_after: DFF<Bits<32>>,
    sent_after: DFF<Bits<24>>,
    ends: DFF<Bit>,
    nothing: DFF<Bit>,
    begun: Signal<Local, ResponseEntry>,
    done: Signal<Local, ResponseProgress>,
    known: Signal<Local, RespondContext>,
    wide_mtu: Signal<Local, Bits<32>>,
    rest: Signal<Local, Bits<32>>,
    closes: Signal<Local, Bit>,
    first_bytes: Constant<Bits<13>>,
    no_frame: Constant<TxFrame>,
    no_span: Constant<Span>,
    need: Constant<Bits<8>>,
    ack: Constant<Bits<8>>,
    read_first: Constant<Bits<8>>,
    read_middle: Constant<Bits<8>>,
    read_last: Constant<Bits<8>>,
    read_only: Constant<Bits<8>>,
    marker: Constant<Bits<32>>,
}

impl Default for ResponseStep {
    fn default() -> Self {
        let code = |value: u8| Constant::new(u64::from(value).into());
        Self {
            clock: Default::default(),
            qp: Default::default(),
            entry: Default::default(),
            progress: Default::default(),
            context_row: Default::default(),
            frame: Default::default(),
            span: Default::default(),
            empty: Default::default(),
            last: Default::default(),
            offset: Default::default(),
            sent: Default::default(),
            place: Default::default(),
            left: Default::default(),
            due: Default::default(),
            mtu: Default::default(),
            starts: Default::default(),
            payload: Default::default(),
            opcode: Default::default(),
            offset_after: Default::default(),
            sent_after: Default::default(),
            ends: Default::default(),
            nothing: Default::default(),
            begun: Default::default(),
            done: Default::default(),
            known: Default::default(),
            wide_mtu: Default::default(),
            rest: Default::default(),
            closes: Default::default(),
            first_bytes: Constant::new(128.into()),
            no_frame: Constant::new(Default::default()),
            no_span: Constant::new(Default::default()),
            need: Constant::new(u64::from(access::RR).into()),
            ack: code(aeth::ACK),
            read_first: code(bth::READ_RESPONSE_FIRST),
            read_middle: code(bth::READ_RESPONSE_MIDDLE),
            read_last: code(bth::READ_RESPONSE_LAST),
            read_only: code(bth::READ_RESPONSE_ONLY),
            marker: Constant::new((1u64 << 31).into()),
        }
    }
}

impl Logic for ResponseStep {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, place, left, due, mtu, starts);
        dff_setup!(self, clock, payload, opcode, offset_after, sent_after, ends, nothing);
        self.begun.next = self.entry.val();
        self.done.next = self.progress.val();
        self.known.next = self.context_row.val();
        // First cycle: sums.
        self.place.d.next = self.begun.val().va + bit_cast::<64, 32>(self.done.val().offset);
        self.left.d.next = self.begun.val().length - self.done.val().offset;
        self.due.d.next = self.begun.val().psn + self.done.val().sent;
        self.mtu.d.next = self.first_bytes.val() << self.known.val().mtu;
        self.starts.d.next = self.done.val().offset == 0;
        // Second cycle: what they mean.
        self.rest.next = self.left.q.val();
        self.wide_mtu.next = bit_cast::<32, 13>(self.mtu.q.val());
        self.closes.next = self.rest.val() <= self.wide_mtu.val();
        self.ends.d.next = self.closes.val();
        self.nothing.d.next = self.rest.val() == 0;
        self.payload.d.next = self.mtu.q.val();
        self.opcode.d.next = self.read_middle.val();
        if self.starts.q.val() {
            self.opcode.d.next = self.read_first.val();
        }
        if self.closes.val() {
            self.payload.d.next = self.rest.val().get_bits::<13>(0);
            self.opcode.d.next = self.read_last.val();
            if self.starts.q.val() {
                self.opcode.d.next = self.read_only.val();
            }
        }
        self.offset_after.d.next = self.done.val().offset + self.wide_mtu.val();
        self.sent_after.d.next = self.done.val().sent + 1;

        self.frame.next = self.no_frame.val();
        self.frame.next.qp = self.qp.val();
        self.frame.next.opcode = self.opcode.q.val();
        self.frame.next.psn = self.due.q.val();
        self.frame.next.syndrome = self.ack.val();
        self.frame.next.msn = self.begun.val().msn;
        self.frame.next.payload = self.payload.q.val();
        self.frame.next.tag = self.marker.val()
            | (bit_cast::<32, 1>(self.begun.val().duplicate.into()) << 14)
            | (bit_cast::<32, 6>(self.done.val().head) << 8)
            | bit_cast::<32, 8>(self.qp.val());
        self.span.next = self.no_span.val();
        self.span.next.address0 = self.place.q.val();
        self.span.next.length0 = bit_cast::<32, 13>(self.payload.q.val());
        self.span.next.key0 = self.begun.val().rkey;
        self.span.next.bytes = self.payload.q.val();
        self.span.next.pd = self.known.val().pd;
        self.span.next.need = self.need.val();
        self.span.next.remote = true;
        self.span.next.privileged = self.known.val().privileged;
        self.span.next.same_generation = true;
        self.span.next.generation = self.begun.val().generation;
        self.empty.next = self.nothing.q.val();
        self.last.next = self.ends.q.val();
        self.offset.next = self.offset_after.q.val();
        self.sent.next = self.sent_after.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    /// The packets of an answer as (opcode, psn, address, bytes).
    fn packets(mtu: u64, psn: u64, va: u64, length: u64) -> Vec<(u8, u64, u64, u64)> {
        let mut uut = ResponseStep::default();
        uut.connect_all();
        uut.qp.next = 9.into();
        uut.entry.next = ResponseEntry {
            psn: psn.into(),
            msn: 8.into(),
            va: va.into(),
            rkey: 0x55AA.into(),
            length: length.into(),
            generation: 77.into(),
            ..Default::default()
        };
        uut.context_row.next = RespondContext { mtu: mtu.into(), pd: 0xABC.into(), privileged: false };
        let mut progress = ResponseProgress { head: 33.into(), ..Default::default() };
        let mut seen = vec![];
        loop {
            uut.progress.next = progress;
            for _ in 0..2 {
                tick(&mut uut, |u| &mut u.clock);
            }
            let (frame, span) = (uut.frame.val(), uut.span.val());
            assert_eq!((frame.syndrome.to_u64(), frame.msn.to_u64()), (0x1F, 8));
            assert_eq!((frame.qp.to_u64(), frame.tag.to_u64()), (9, 1 << 31 | 33 << 8 | 9));
            assert_eq!(
                (span.length0.to_u64(), span.bytes, span.key0.to_u64()),
                (span.bytes.to_u64(), frame.payload, 0x55AA)
            );
            assert_eq!((span.need.to_u64(), span.remote, span.pd.to_u64()), (4, true, 0xABC));
            assert_eq!((span.same_generation, span.generation.to_u64(), span.skip.to_u64()), (true, 77, 0));
            let opcode = frame.opcode.to_u64() as u8;
            seen.push((opcode, frame.psn.to_u64(), span.address0.to_u64(), frame.payload.to_u64()));
            assert_eq!(uut.empty.val(), frame.payload.to_u64() == 0);
            if uut.last.val() {
                return seen;
            }
            progress.offset = uut.offset.val();
            progress.sent = uut.sent.val();
            assert!(seen.len() < 40, "{seen:?}");
        }
    }

    #[test]
    fn v15_t58_a_read_of_nothing_is_one_only_response() {
        assert_eq!(packets(3, 100, 0x1000, 0), [(bth::READ_RESPONSE_ONLY, 100, 0x1000, 0)]);
    }

    #[test]
    fn v16_one_byte_more_than_the_mtu_is_a_first_and_a_last() {
        let expected = [(bth::READ_RESPONSE_FIRST, 100, 0x1000, 1024), (bth::READ_RESPONSE_LAST, 101, 0x1400, 1)];
        assert_eq!(packets(3, 100, 0x1000, 1025), expected);
    }

    #[test]
    fn t64_t101_every_cut_of_every_mtu_is_what_arithmetic_says() {
        for code in 1..=5u64 {
            let mtu = 128 << code;
            for length in [1, mtu - 1, mtu, mtu + 1, 2 * mtu, 2 * mtu + 1, 7 * mtu - 1, 7 * mtu] {
                // Address and PSN wrap on the way.
                let (psn, va) = (0xFF_FFFE, u64::MAX - mtu - 2);
                let count = length.div_ceil(mtu);
                let expected: Vec<_> = (0..count)
                    .map(|k| {
                        let opcode = match (k, k + 1 == count) {
                            (0, true) => bth::READ_RESPONSE_ONLY,
                            (0, false) => bth::READ_RESPONSE_FIRST,
                            (_, false) => bth::READ_RESPONSE_MIDDLE,
                            (_, true) => bth::READ_RESPONSE_LAST,
                        };
                        (opcode, (psn + k) & 0xFF_FFFF, va.wrapping_add(k * mtu), mtu.min(length - k * mtu))
                    })
                    .collect();
                assert_eq!(packets(code, psn, va, length), expected, "{code} {length}");
            }
        }
    }
}
