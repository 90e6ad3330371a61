//! Bench of the frame builder: drives frames and payload, checks what comes out against the model.
use super::super::model::{bytes_of, frame, number, word_of, Own};
use super::*;
use crate::check::RandomDrive;
use std::collections::VecDeque;

/// A frame with its payload, and how the payload comes: lane and bytes of each beat.
pub struct Job {
    pub frame: TxFrame,
    pub payload: Vec<u8>,
    pub beats: Vec<(usize, usize)>,
    pub fails: bool,
}

impl Job {
    pub fn new(mut frame: TxFrame, payload: Vec<u8>, beats: Vec<(usize, usize)>) -> Self {
        frame.payload = bits(payload.len() as u64);
        Self { frame, payload, beats, fails: false }
    }
}

/// Beats of a piece of `bytes` that begins in `lane` of a bus of `lanes`.
pub fn piece(lanes: usize, lane: usize, bytes: usize) -> Vec<(usize, usize)> {
    let first = bytes.min(lanes - lane);
    let mut beats = vec![(lane, first)];
    let mut left = bytes - first;
    while left > 0 {
        beats.push((0, left.min(lanes)));
        left -= left.min(lanes);
    }
    beats
}

/// How often the test offers and takes, out of 4.
#[derive(Clone, Copy)]
pub struct Pace {
    pub frames: u32,
    pub payload: u32,
    pub wire: u32,
}

pub const FAST: Pace = Pace { frames: 4, payload: 4, wire: 4 };

pub struct Bench<const DATA: usize, const STRB: usize, const A: usize> {
    uut: FrameBuilder<DATA, STRB, 3, A>,
    random: RandomDrive,
    own: Own,
    paths: Vec<WirePath>,
    /// Cycles from the first beat on the wire to the last.
    pub span: (u64, u64),
}

impl<const DATA: usize, const STRB: usize, const A: usize> Bench<DATA, STRB, A> {
    pub fn new(own: Own, paths: Vec<WirePath>) -> Self {
        let mut uut = FrameBuilder::default();
        uut.connect_all();
        uut.own_mac.next = word_of(&own.mac);
        uut.own_addresses.iter_mut().zip(&own.addresses).for_each(|(port, address)| port.next = word_of(address));
        uut.migreq.next = own.migreq;
        let mut bench = Self { uut, random: RandomDrive::new(7), own, paths, span: (0, 0) };
        bench.uut.reset.next = true;
        bench.edge();
        bench.uut.reset.next = false;
        for (index, path) in bench.paths.clone().into_iter().enumerate() {
            bench.set_path(index, path);
        }
        bench
    }

    pub fn set_path(&mut self, index: usize, path: WirePath) {
        self.paths[index] = path;
        self.uut.path_write.next = true;
        self.uut.path_index.next = bits(index as u64);
        self.uut.path_row.next = path;
        self.edge();
        self.uut.path_write.next = false;
    }

    fn edge(&mut self) {
        crate::check::tick(&mut self.uut, |u| &mut u.clock);
    }

    fn expected(&self, job: &Job) -> Vec<u8> {
        frame(&self.own, &self.paths[number(job.frame.qp) as usize], &job.frame, &job.payload)
    }

    /// Sends the jobs, checks every frame and every `done`, and returns the frames.
    pub fn run(&mut self, jobs: &[Job], pace: Pace) -> Vec<Vec<u8>> {
        let wanted: Vec<_> = jobs.iter().filter(|job| !job.fails).map(|job| self.expected(job)).collect();
        let mut frames = jobs.iter().map(|job| job.frame).collect::<VecDeque<_>>();
        let mut beats = VecDeque::new();
        for job in jobs {
            let mut at = 0;
            for (i, &(lane, count)) in job.beats.iter().enumerate() {
                let mut mark = PayloadMark::default();
                mark.lane = bits(lane as u64);
                mark.count = bits(count as u64);
                mark.last = i + 1 == job.beats.len();
                mark.failed = mark.last && job.fails;
                let mut bytes: Vec<u8> = (0..STRB).map(|_| self.random.below(256) as u8).collect();
                let here = job.payload.len().min(at + count);
                bytes[lane..lane + here - at.min(here)].copy_from_slice(&job.payload[at.min(here)..here]);
                beats.push_back((word_of::<DATA>(&bytes), mark));
                at += count;
            }
        }
        let mut dones: VecDeque<_> = jobs.iter().map(|job| (job.frame.tag, job.fails)).collect();
        let (mut got, mut current, mut idle, mut cycle) = (vec![], vec![], 0, 0u64);
        let (mut offers_frame, mut offers_beat) = (false, false);
        self.span = (0, 0);
        while got.len() < wanted.len() || !dones.is_empty() {
            idle += 1;
            assert!(
                idle < 3_000,
                "stuck: {} of {} frames, {} not done, {} not taken, {} payload beats left, {} bytes of a frame",
                got.len(),
                wanted.len(),
                dones.len(),
                frames.len(),
                beats.len(),
                current.len()
            );
            offers_frame = !frames.is_empty() && (offers_frame || self.random.chance(pace.frames, 4));
            offers_beat = !beats.is_empty() && (offers_beat || self.random.chance(pace.payload, 4));
            let u = &mut self.uut;
            u.frame.valid.next = offers_frame;
            u.payload.valid.next = offers_beat;
            if offers_frame {
                u.frame.data.next = frames[0];
            }
            if offers_beat {
                u.payload.data.next = beats[0].0;
                u.payload.mark.next = beats[0].1;
            }
            u.source.ready.next = self.random.chance(pace.wire, 4);
            u.clock.next = Clock { clk: false };
            assert!(simulate(u, 100));
            if offers_frame && u.frame.ready.val() {
                frames.pop_front();
                (offers_frame, idle) = (false, 0);
            }
            if offers_beat && u.payload.ready.val() {
                beats.pop_front();
                (offers_beat, idle) = (false, 0);
            }
            if u.done.val() {
                assert_eq!(Some((u.done_tag.val(), u.done_failed.val())), dones.pop_front(), "done");
                idle = 0;
            }
            assert!(u.source.valid.val() || current.is_empty(), "gap in frame {}", got.len());
            if u.source.valid.val() && u.source.ready.val() {
                idle = 0;
                let mark = u.source.mark.val();
                let (bytes, count) = (bytes_of(u.source.data.val()), number(mark.count) as usize);
                assert!(mark.last || count == STRB, "beat of {count} bytes inside a frame");
                assert!(bytes[count..].iter().all(|&byte| byte == 0), "bytes behind the end");
                current.extend(&bytes[..count]);
                if mark.last {
                    assert!(got.len() < wanted.len(), "a frame too many: {current:02x?}");
                    assert_eq!(current, wanted[got.len()], "frame {}", got.len());
                    got.push(std::mem::take(&mut current));
                }
                self.span = (if self.span.0 == 0 { cycle } else { self.span.0 }, cycle);
            }
            u.clock.next = Clock { clk: true };
            assert!(simulate(u, 100));
            cycle += 1;
        }
        got
    }
}
