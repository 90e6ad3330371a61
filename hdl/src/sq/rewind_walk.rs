//! Walks the table of outstanding WQEs from the oldest one to the one that contains a PSN (rules T42, T43): one entry a cycle
//! and four more.
use super::Outstanding;
use rust_hdl::prelude::*;

/// The walk of one queue pair.
#[derive(LogicBlock)]
pub struct RewindWalk {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Stops.
    pub reset: Signal<In, Bit>,
    /// Begins; only when no walk is under way.
    pub start: Signal<In, Bit>,
    /// Number of the oldest WQE.
    pub from: Signal<In, Bits<16>>,
    /// Number behind the newest WQE.
    pub limit: Signal<In, Bits<16>>,
    /// PSN to find.
    pub una: Signal<In, Bits<24>>,
    /// Number of the WQE whose entry is to be read.
    pub seq: Signal<Out, Bits<16>>,
    /// That entry, one cycle later.
    pub row: Signal<In, Outstanding>,
    /// The walk has ended; for one cycle.
    pub done: Signal<Out, Bit>,
    /// An entry contains the PSN; the next three tell of it.
    pub found: Signal<Out, Bit>,
    /// Its number.
    pub number: Signal<Out, Bits<16>>,
    /// Count of its first slot.
    pub slot: Signal<Out, Bits<16>>,
    /// Packets of it before the PSN.
    pub packets: Signal<Out, Bits<24>>,
    upcoming: DFF<Bits<16>>,
    goes: DFF<Bit>,
    seq_1: DFF<Bits<16>>,
    valid_1: DFF<Bit>,
    seq_2: DFF<Bits<16>>,
    valid_2: DFF<Bit>,
    row_2: DFF<Outstanding>,
    seq_3: DFF<Bits<16>>,
    valid_3: DFF<Bit>,
    distance: DFF<Bits<24>>,
    length: DFF<Bits<24>>,
    slot_3: DFF<Bits<16>>,
    ends: DFF<Bit>,
    hits: DFF<Bit>,
    hit_seq: DFF<Bits<16>>,
    hit_slot: DFF<Bits<16>>,
    hit_distance: DFF<Bits<24>>,
    busy: DFF<Bit>,
    more: Signal<Local, Bit>,
    second: Signal<Local, Outstanding>,
    hit: Signal<Local, Bit>,
    empty: Signal<Local, Bit>,
}

impl Default for RewindWalk {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            start: Default::default(),
            from: Default::default(),
            limit: Default::default(),
            una: Default::default(),
            seq: Default::default(),
            row: Default::default(),
            done: Default::default(),
            found: Default::default(),
            number: Default::default(),
            slot: Default::default(),
            packets: Default::default(),
            upcoming: Default::default(),
            goes: Default::default(),
            seq_1: Default::default(),
            valid_1: Default::default(),
            seq_2: Default::default(),
            valid_2: Default::default(),
            row_2: Default::default(),
            seq_3: Default::default(),
            valid_3: Default::default(),
            distance: Default::default(),
            length: Default::default(),
            slot_3: Default::default(),
            ends: Default::default(),
            hits: Default::default(),
            hit_seq: Default::default(),
            hit_slot: Default::default(),
            hit_distance: Default::default(),
            busy: Default::default(),
            more: Default::default(),
            second: Default::default(),
            hit: Default::default(),
            empty: Default::default(),
        }
    }
}

impl Logic for RewindWalk {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, upcoming, goes, seq_1, valid_1, seq_2, valid_2, row_2, seq_3, valid_3, distance, length
        );
        dff_setup!(self, clock, slot_3, ends, hits, hit_seq, hit_slot, hit_distance, busy);
        self.seq.next = self.upcoming.q.val();
        self.more.next = self.goes.q.val() & (self.upcoming.q.val() != self.limit.val());
        self.goes.d.next = self.more.val();
        self.valid_1.d.next = self.more.val();
        self.seq_1.d.next = self.upcoming.q.val();
        if self.more.val() {
            self.upcoming.d.next = self.upcoming.q.val() + 1;
        }
        self.valid_2.d.next = self.valid_1.q.val();
        self.seq_2.d.next = self.seq_1.q.val();
        self.row_2.d.next = self.row.val();
        self.second.next = self.row_2.q.val();
        self.valid_3.d.next = self.valid_2.q.val();
        self.seq_3.d.next = self.seq_2.q.val();
        self.distance.d.next = self.una.val() - self.second.val().first;
        self.length.d.next = self.second.val().packets;
        self.slot_3.d.next = self.second.val().slot;

        self.hit.next = self.busy.q.val() & self.valid_3.q.val() & (self.distance.q.val() < self.length.q.val());
        self.empty.next = self.busy.q.val()
            & !self.goes.q.val()
            & !self.valid_1.q.val()
            & !self.valid_2.q.val()
            & !self.valid_3.q.val();
        self.ends.d.next = self.hit.val() | self.empty.val();
        if self.hit.val() | self.empty.val() {
            self.busy.d.next = false;
            self.hits.d.next = self.hit.val();
            self.hit_seq.d.next = self.seq_3.q.val();
            self.hit_slot.d.next = self.slot_3.q.val();
            self.hit_distance.d.next = self.distance.q.val();
            self.goes.d.next = false;
        }
        if self.start.val() {
            self.upcoming.d.next = self.from.val();
            self.goes.d.next = true;
            self.busy.d.next = true;
            self.valid_1.d.next = false;
            self.valid_2.d.next = false;
            self.valid_3.d.next = false;
        }
        self.done.next = self.ends.q.val();
        self.found.next = self.hits.q.val();
        self.number.next = self.hit_seq.q.val();
        self.slot.next = self.hit_slot.q.val();
        self.packets.next = self.hit_distance.q.val();
        if self.reset.val() {
            self.busy.d.next = false;
            self.goes.d.next = false;
            self.ends.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{tick, RandomDrive};

    /// Walks over entries of these (first PSN, packets), numbered from `from`; what was found, and in how many cycles.
    fn walk(entries: &[(u64, u64)], from: u64, una: u64) -> (Option<(u64, u64)>, usize) {
        let mut uut = RewindWalk::default();
        uut.connect_all();
        let end = (from + entries.len() as u64) & 0xFFFF;
        uut.from.next = from.into();
        uut.limit.next = end.into();
        uut.una.next = una.into();
        uut.start.next = true;
        let mut answer = Outstanding::default();
        for cycle in 0..200 {
            uut.row.next = answer;
            assert!(simulate(&mut uut, 100));
            let asked = (uut.seq.val().to_u64() + 0x1_0000 - from) & 0xFFFF;
            answer = entries.get(asked as usize).map_or(Outstanding::default(), |&(first, packets)| Outstanding {
                first: first.into(),
                packets: packets.into(),
                slot: (asked + 0x40).into(),
                ..Default::default()
            });
            tick(&mut uut, |u| &mut u.clock);
            uut.start.next = false;
            if uut.done.val() {
                let number = (uut.number.val().to_u64() + 0x1_0000 - from) & 0xFFFF;
                assert!(!uut.found.val() || uut.slot.val().to_u64() == number + 0x40);
                return (uut.found.val().then(|| (number, uut.packets.val().to_u64())), cycle);
            }
        }
        panic!("no end");
    }

    #[test]
    fn t42_the_entry_that_contains_una_is_found_in_otd_and_8_cycles() {
        let mut random = RandomDrive::new(4);
        for start in [0u64, 500, 0xFF_FFF0, 0xFF_FFFF] {
            for count in [0usize, 1, 2, 16] {
                let mut entries = vec![];
                let mut psn = start;
                let mut places = vec![];
                for number in 0..count {
                    let packets = [0, 1, 1, 3, 20][random.below(5) as usize];
                    (0..packets).for_each(|packet| places.push(((psn + packet) & 0xFF_FFFF, number as u64, packet)));
                    entries.push((psn, packets));
                    psn = (psn + packets) & 0xFF_FFFF;
                }
                let (found, cycles) = walk(&entries, 0xFFFE, psn);
                assert!(found.is_none() && cycles <= 16 + 8, "{cycles}");
                for (una, number, packet) in places {
                    let (found, cycles) = walk(&entries, 0xFFFE, una);
                    assert_eq!(found, Some((number, packet)));
                    assert!(cycles as u64 <= number + 8, "{cycles}");
                }
            }
        }
    }
}
