//! A count a row, modulo 4,096: one writer, one reader. Takes one pulse a cycle, also of one row again and again.
//!
//! The count is read with one cycle of latency and knows the pulses of two or more cycles before the read.
use super::{LooseMemory, Memory};
use rust_hdl::prelude::*;

/// 2^MA counts.
#[derive(LogicBlock, Default)]
pub struct PulseCounts<const MA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// No pulse is under way.
    pub reset: Signal<In, Bit>,
    /// Counts are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Count to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// Count up,
    pub pulse: Signal<In, Bit>,
    /// this one.
    pub pulse_index: Signal<In, Bits<MA>>,
    /// Count to read.
    pub index: Signal<In, Bits<MA>>,
    /// Its value.
    pub count: Signal<Out, Bits<12>>,
    own: LooseMemory<Bits<12>, MA>,
    copy: Memory<Bits<12>, MA>,
    pulsed: DFF<Bit>,
    pulsed_index: DFF<Bits<MA>>,
    last: DFF<Bit>,
    last_index: DFF<Bits<MA>>,
    last_value: DFF<Bits<12>>,
    earlier: Signal<Local, Bits<12>>,
    after: Signal<Local, Bits<12>>,
    write: Signal<Local, Bit>,
    write_index: Signal<Local, Bits<MA>>,
}

impl<const MA: usize> Logic for PulseCounts<MA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, pulsed, pulsed_index, last, last_index, last_value);
        clock!(self, clock, own, copy);
        self.own.read.next = true;
        self.own.read_address.next = self.pulse_index.val();
        self.pulsed.d.next = self.pulse.val();
        self.pulsed_index.d.next = self.pulse_index.val();
        self.earlier.next = self.own.out.val();
        // The RAM returns anything when it was read while the last pulse was written.
        if self.last.q.val() & (self.last_index.q.val() == self.pulsed_index.q.val()) {
            self.earlier.next = self.last_value.q.val();
        }
        self.after.next = self.earlier.val() + 1;
        self.write.next = self.pulsed.q.val();
        self.write_index.next = self.pulsed_index.q.val();
        if self.clearing.val() {
            self.write.next = true;
            self.write_index.next = bit_cast::<MA, 16>(self.clear_index.val());
            self.after.next = 0.into();
        }
        self.last.d.next = self.write.val();
        self.last_index.d.next = self.write_index.val();
        self.last_value.d.next = self.after.val();
        self.own.write.next = self.write.val();
        self.own.write_address.next = self.write_index.val();
        self.own.data.next = self.after.val();
        self.copy.write.next = self.write.val();
        self.copy.write_address.next = self.write_index.val();
        self.copy.data.next = self.after.val();
        self.copy.read.next = true;
        self.copy.read_address.next = self.index.val();
        self.count.next = self.copy.out.val();
        if self.reset.val() {
            self.pulsed.d.next = false;
            self.last.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    #[test]
    fn t98_counts_are_right_for_pulses_at_any_distance() {
        let mut uut = PulseCounts::<2>::default();
        uut.connect_all();
        let mut expected = [0u64; 4];
        let pulses =
            [Some(1), Some(1), Some(1), None, Some(1), Some(2), Some(1), None, None, Some(2), Some(3), Some(2)];
        for pulse in pulses.into_iter().cycle().take(60).chain([None; 3]) {
            uut.pulse.next = pulse.is_some();
            uut.pulse_index.next = pulse.unwrap_or(0u64).into();
            tick(&mut uut, |u| &mut u.clock);
            if let Some(index) = pulse {
                expected[index as usize] += 1;
            }
        }
        for (index, count) in expected.into_iter().enumerate() {
            uut.index.next = (index as u64).into();
            tick(&mut uut, |u| &mut u.clock);
            assert_eq!(uut.count.val(), Bits::<12>::from(count), "count {index}");
        }
    }
}
