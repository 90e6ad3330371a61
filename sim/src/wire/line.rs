//! The line between the ends: delay, faults, counters, log, capture.
use super::capture::{CaptureError, CaptureFile, Way};
use super::counters::Counters;
use super::fault::{FrameFault, FrameFaults, Mishap};
use super::frame::Frame;
use super::record::{Fate, FrameLog, FrameRecord};
use super::settings::{Chances, WireSettings};
use crate::random::Random;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

/// Stream of random numbers of the wire among those of a seed.
const STREAM: u64 = 10;
/// Frames that an end has sent and that nobody has looked at: older ones are forgotten.
const UNSEEN: usize = 10_000;

/// An end of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndId(pub usize);

/// A frame that has reached an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its bytes.
    pub bytes: Rc<[u8]>,
    /// The MAC has found it to be bad.
    pub bad: bool,
}

#[derive(Debug, Default)]
struct End {
    name: String,
    /// Frames on their way to the end, by cycle of arrival, then in the order in which they were sent.
    coming: BTreeMap<(u64, u64), Arrival>,
    counters: Counters,
    /// Frames that it has sent, for who waits for them.
    unseen: VecDeque<FrameRecord>,
}

/// A wire with any number of ends. What one sends, all others receive, and with a loop-back plug the end itself.
#[derive(Debug)]
pub struct Wire {
    settings: WireSettings,
    ends: Vec<End>,
    random: Random,
    faults: FrameFaults,
    log: FrameLog,
    capture: Option<CaptureFile>,
    /// The capture that could not be written any more.
    broken: Option<CaptureError>,
    /// Nanoseconds of a cycle in the capture: kHz of the core clock.
    khz: u32,
    /// Copies of frames so far.
    copies: u64,
}

impl Wire {
    /// A wire without ends. `khz` is the clock in which its cycles are counted, for captures.
    #[must_use]
    pub fn new(settings: WireSettings, khz: u32) -> Self {
        Self {
            settings,
            ends: vec![],
            random: Random::new(settings.seed, STREAM),
            faults: FrameFaults::default(),
            log: FrameLog::new(settings.log_depth),
            capture: None,
            broken: None,
            khz: khz.max(1),
            copies: 0,
        }
    }

    /// Adds an end.
    ///
    /// # Errors
    /// The capture cannot be written.
    pub fn add_end(&mut self, name: &str) -> Result<EndId, CaptureError> {
        if let Some(capture) = &mut self.capture {
            capture.add_interface(name)?;
        }
        self.ends.push(End { name: name.into(), ..End::default() });
        Ok(EndId(self.ends.len() - 1))
    }

    /// Writes every frame from now on to a capture file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn capture(&mut self, mut file: CaptureFile) -> Result<(), CaptureError> {
        self.ends.iter().try_for_each(|end| file.add_interface(&end.name))?;
        self.capture = Some(file);
        Ok(())
    }

    /// Ends the capture.
    ///
    /// # Errors
    /// It could not be written, now or earlier.
    pub fn end_capture(&mut self) -> Result<(), CaptureError> {
        let written = self.capture.take().map_or(Ok(()), |mut file| file.flush());
        self.broken.take().map_or(written, Err)
    }

    /// An end has sent a frame, whose last byte passed in cycle `now`. A frame that the end itself has marked `bad` reaches
    /// the others marked. A frame without bytes has no beat, so it goes nowhere.
    pub fn send(&mut self, now: u64, from: EndId, bytes: Vec<u8>, bad: bool) {
        if bytes.is_empty() {
            return;
        }
        let bytes: Rc<[u8]> = bytes.into();
        let counters = &mut self.ends[from.0].counters;
        counters.sent += 1;
        counters.sent_bytes += bytes.len() as u64;
        let frame = if self.faults.is_empty() { None } else { Frame::parse(&bytes).ok() };
        let asked = self.faults.hit(from, frame.as_ref());
        let mut fates = vec![];
        let loopback = self.settings.loopback;
        for to in (0..self.ends.len()).map(EndId).filter(|to| loopback || *to != from) {
            let mut mishaps: Vec<Mishap> = asked.into_iter().collect();
            self.draw(bytes.len(), &mut mishaps);
            let arrival = Arrival { bytes: bytes.clone(), bad };
            fates.extend(self.pass(now, to, arrival, &mishaps).into_iter().map(|fate| (to, fate)));
        }
        let remarks: Vec<_> = fates.iter().filter(|(_, fate)| *fate != Fate::Delivered).collect();
        let comment = if remarks.is_empty() { String::new() } else { format!("{remarks:?}") };
        self.write_capture(now, from, Way::Out, &bytes, &comment);
        let record = FrameRecord { cycle: now, from: Some(from), bytes, fates };
        let unseen = &mut self.ends[from.0].unseen;
        unseen.push_back(record.clone());
        if unseen.len() > UNSEEN {
            unseen.pop_front();
        }
        self.log.push(record);
    }

    /// Sends a made-up frame to one end, without faults and delay. One without bytes goes nowhere.
    pub fn inject(&mut self, now: u64, to: EndId, bytes: Vec<u8>, bad: bool) {
        if bytes.is_empty() {
            return;
        }
        let bytes: Rc<[u8]> = bytes.into();
        self.ends[to.0].counters.injected += 1;
        self.write_capture(now, to, Way::In, &bytes, "injected");
        let fate = self.deliver(now, to, Arrival { bytes: bytes.clone(), bad });
        self.log.push(FrameRecord { cycle: now, from: None, bytes, fates: vec![(to, fate)] });
    }

    /// Draws the random faults of one copy.
    fn draw(&mut self, bytes: usize, mishaps: &mut Vec<Mishap>) {
        let Chances { loss, duplication, reordering, corruption, bad } = self.settings.chances;
        let random = &mut self.random;
        let mut hit = |chance: u16| chance > 0 && random.below(1000) < chance.into();
        let hits = [hit(loss), hit(duplication), hit(reordering), hit(corruption), hit(bad)];
        let [lost, twice, late, flipped, marked] = hits;
        let span = u64::from(self.settings.span.max(1));
        if lost {
            mishaps.push(Mishap::Lose);
        }
        if twice {
            mishaps.push(Mishap::Duplicate(self.random.below(span) as u32));
        }
        if late {
            mishaps.push(Mishap::Delay(1 + self.random.below(span) as u32));
        }
        if flipped {
            for _ in 0..=self.random.below(3) {
                mishaps.push(Mishap::Flip(self.random.below(8 * bytes as u64) as u32));
            }
        }
        if marked {
            mishaps.push(Mishap::Mark);
        }
    }

    /// One copy on its way to one end.
    fn pass(&mut self, now: u64, to: EndId, mut arrival: Arrival, mishaps: &[Mishap]) -> Vec<Fate> {
        let mut due = now + u64::from(self.settings.delay);
        let mut again = None;
        let mut fates = vec![];
        let (mut flipped, counters) = (false, &mut self.ends[to.0].counters);
        for mishap in mishaps {
            match *mishap {
                Mishap::Lose => {
                    counters.lost += 1;
                    return vec![Fate::Lost];
                }
                Mishap::Duplicate(later) => again = Some(u64::from(later)),
                Mishap::Delay(cycles) => {
                    due += u64::from(cycles);
                    counters.reordered += 1;
                    fates.push(Fate::Late);
                }
                Mishap::Flip(bit) => {
                    let mut bytes = arrival.bytes.to_vec();
                    let bit = bit as usize % (8 * bytes.len());
                    bytes[bit / 8] ^= 1 << (bit % 8);
                    arrival.bytes = bytes.into();
                    flipped = true;
                }
                Mishap::Mark => {
                    arrival.bad = true;
                    counters.marked += 1;
                    fates.push(Fate::Marked);
                }
            }
        }
        if flipped {
            counters.corrupted += 1;
            fates.push(Fate::Corrupted);
        }
        if let Some(later) = again {
            self.ends[to.0].counters.duplicated += 1;
            fates.push(Fate::Duplicated);
            self.deliver(due + later, to, arrival.clone());
        }
        let fate = self.deliver(due, to, arrival);
        if fates.is_empty() || fate != Fate::Delivered {
            fates.push(fate);
        }
        fates
    }

    fn deliver(&mut self, due: u64, to: EndId, arrival: Arrival) -> Fate {
        let end = &mut self.ends[to.0];
        if end.coming.len() >= self.settings.queue {
            end.counters.overrun += 1;
            return Fate::Overrun;
        }
        self.copies += 1;
        end.coming.insert((due, self.copies), arrival);
        Fate::Delivered
    }

    /// The next frame that has reached an end by cycle `now`.
    #[inline]
    pub fn receive(&mut self, now: u64, end: EndId) -> Option<Arrival> {
        let end = &mut self.ends[end.0];
        let first = end.coming.first_entry().filter(|first| first.key().0 <= now)?;
        let arrival = first.remove();
        end.counters.received += 1;
        end.counters.received_bytes += arrival.bytes.len() as u64;
        Some(arrival)
    }

    fn write_capture(&mut self, now: u64, end: EndId, way: Way, bytes: &[u8], comment: &str) {
        let time = Duration::from_nanos((u128::from(now) * 1_000_000 / u128::from(self.khz)) as u64);
        let Some(file) = &mut self.capture else { return };
        if let Err(error) = file.write(end.0, way, time, bytes, comment) {
            (self.capture, self.broken) = (None, Some(error));
        }
    }

    /// Counters of an end.
    #[must_use]
    pub fn counters(&self, end: EndId) -> Counters {
        self.ends[end.0].counters
    }

    /// The oldest frame that an end has sent and that has not been taken yet.
    pub fn take_sent(&mut self, end: EndId) -> Option<FrameRecord> {
        self.ends[end.0].unseen.pop_front()
    }

    /// The last frames, oldest first.
    pub fn log(&self) -> impl DoubleEndedIterator<Item = &FrameRecord> + ExactSizeIterator {
        self.log.last()
    }

    /// Adds a fault to come.
    pub fn add_fault(&mut self, fault: FrameFault) {
        self.faults.add(fault);
    }

    /// Removes the faults to come, and all random ones.
    pub fn clear_faults(&mut self) {
        self.faults.clear();
        self.settings.chances = Chances::default();
    }

    /// The settings; may be changed at any time, but for the seed.
    pub(crate) fn settings(&mut self) -> &mut WireSettings {
        &mut self.settings
    }

    /// Whether an end takes or gives nothing in the next cycle: (stall, gap).
    #[inline]
    pub(crate) fn pauses(&mut self) -> (bool, bool) {
        let WireSettings { stall, gap, .. } = self.settings;
        (self.random.chance(stall), self.random.chance(gap))
    }

    /// Whether no frame is on its way.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.ends.iter().all(|end| end.coming.is_empty())
    }
}
