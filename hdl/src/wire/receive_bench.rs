//! Test bench of the frame receiver: plays the MAC and the engines behind it.
use super::receive_model::*;
use super::{FrameReceiver, RxFrame};
use crate::check::RandomDrive;
use num_bigint::BigUint;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// What came out of the receiver: good frames with their bytes, reasons of drops, both in order; cycles in which the MAC was
/// held up.
#[derive(Default)]
pub struct Outcome {
    pub frames: Vec<(RxFrame, Vec<u8>)>,
    pub drops: Vec<u8>,
    pub stalls: usize,
    /// Cycle in which the MAC's last beat was taken, and the one of the first offer.
    pub last_beat: usize,
    pub first_offer: usize,
}

/// How a run goes.
#[derive(Clone)]
pub struct Pace {
    /// Beats of the MAC, in eighths of all cycles.
    pub beats: u32,
    /// `ready` of frames and drops, in eighths.
    pub ready: u32,
    /// Cycles before anything is taken from the receiver.
    pub sleep: usize,
    pub drop_when_full: bool,
    /// The device is enabled from this cycle on.
    pub enabled: usize,
    pub limit: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self { beats: 8, ready: 8, sleep: 0, drop_when_full: false, enabled: 0, limit: 60_000 }
    }
}

/// Runs frames, marked bad or not, through a receiver.
pub fn run<const DATA: usize, const STRB: usize, const A: usize>(
    frames: &[(Vec<u8>, bool)],
    settings: &Settings,
    pace: &Pace,
) -> Outcome {
    let mut uut = FrameReceiver::<DATA, STRB, A>::default();
    uut.connect_all();
    uut.own_mac.next = le(&settings.mac).into();
    for (port, own) in uut.own.iter_mut().zip(&settings.own) {
        port.next = le(own).into();
    }
    uut.promiscuous.next = settings.promiscuous;
    uut.drop_when_full.next = pace.drop_when_full;
    uut.reset.next = true;
    let mut random = RandomDrive::new(11);
    crate::check::tick(&mut uut, |u| &mut u.clock);
    crate::check::tick(&mut uut, |u| &mut u.clock);
    uut.reset.next = false;
    crate::check::tick(&mut uut, |u| &mut u.clock);
    crate::check::tick(&mut uut, |u| &mut u.clock);

    let mut beats: VecDeque<(Vec<u8>, bool, bool)> = frames
        .iter()
        .flat_map(|(frame, bad)| {
            let count = frame.len().div_ceil(STRB);
            frame
                .chunks(STRB)
                .enumerate()
                .map(move |(i, chunk)| (chunk.to_vec(), i + 1 == count, *bad))
                .collect::<Vec<_>>()
        })
        .collect();
    let mut outcome = Outcome::default();
    // Rows to read: frame, row, whether it is the frame's last; and those on the way.
    let mut rows: VecDeque<(usize, u64, bool)> = VecDeque::new();
    let mut reads: VecDeque<(usize, usize, bool)> = VecDeque::new();
    let mut shown = false;
    for now in 0.. {
        let ended = outcome.frames.len() + outcome.drops.len();
        if ended == frames.len() && rows.is_empty() && reads.is_empty() && beats.is_empty() {
            break;
        }
        assert!(
            now < pace.limit,
            "stuck: {} of {} frames, {} beats to come, tready {}, offer {}",
            ended,
            frames.len(),
            beats.len(),
            uut.axis.tready.val(),
            uut.frame.valid.val(),
        );
        shown = !beats.is_empty() && (shown || random.chance(pace.beats, 8));
        uut.axis.tvalid.next = shown;
        if let Some((bytes, last, bad)) = beats.front() {
            let mut word = bytes.clone();
            word.resize(STRB, 0xA5);
            uut.axis.tdata.next = le(&word).into();
            uut.axis.tkeep.next = ((BigUint::from(1u8) << bytes.len()) - 1u8).into();
            uut.axis.tlast.next = *last;
            uut.axis.tuser.next = *last && *bad;
        }
        uut.enable.next = now >= pace.enabled;
        let awake = now >= pace.sleep;
        uut.frame.ready.next = awake && random.chance(pace.ready, 8);
        uut.drop.ready.next = awake && random.chance(pace.ready, 8);
        uut.release_frame.next = false;
        if reads.front().is_some_and(|(due, _, last)| *due == now && *last) {
            uut.release_frame.next = true;
        }
        if let Some((event, row, last)) = rows.pop_front() {
            uut.read_address.next = bits(row);
            reads.push_back((now + 2, event, last));
        }
        uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut uut, 200), "combinational loop");
        if shown && uut.axis.tready.val() {
            beats.pop_front();
            outcome.last_beat = now;
            shown = false;
        } else if shown {
            outcome.stalls += 1;
        }
        if reads.front().is_some_and(|(due, ..)| *due == now) {
            let (_, event, _) = reads.pop_front().unwrap();
            let mut row = BigUint::from(uut.read_data.val()).to_bytes_le();
            row.resize(STRB, 0);
            let (header, bytes) = &mut outcome.frames[event];
            bytes.extend(row);
            bytes.truncate(header.bytes.to_u64() as usize);
        }
        if uut.frame.valid.val() && outcome.first_offer == 0 {
            outcome.first_offer = now;
        }
        if uut.frame.valid.val() && uut.frame.ready.val() {
            let header: RxFrame = uut.frame.data.val();
            let count = header.bytes.to_u64().div_ceil(STRB as u64);
            let row = |i| (header.first_row.to_u64() + i) % (1 << A);
            rows.extend((0..count).map(|i| (outcome.frames.len(), row(i), i + 1 == count)));
            outcome.frames.push((header, vec![]));
        }
        if uut.drop.valid.val() && uut.drop.ready.val() {
            outcome.drops.push(uut.drop.data.val().to_u64() as u8);
        }
        uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut uut, 200), "combinational loop");
    }
    outcome
}

/// Runs frames and compares what comes out with the model; returns the fates and the stalls.
pub fn check<const DATA: usize, const STRB: usize, const A: usize>(
    frames: &[(Vec<u8>, bool)],
    settings: &Settings,
    pace: &Pace,
) -> (Vec<Fate>, usize) {
    let outcome = run::<DATA, STRB, A>(frames, settings, pace);
    let fates: Vec<_> = frames.iter().map(|(frame, bad)| fate(frame, *bad, settings)).collect();
    let goals: Vec<_> =
        fates.iter().filter_map(|fate| if let Fate::Drop(reason) = fate { Some(*reason) } else { None }).collect();
    let mut offered = outcome.frames.iter();
    for ((frame, _), fate) in frames.iter().zip(&fates).filter(|(_, fate)| !matches!(fate, Fate::Drop(_))) {
        let (header, bytes) = offered.next().unwrap_or_else(|| panic!("no offer of {frame:02x?}"));
        assert_eq!(bytes, frame, "another frame");
        match fate {
            Fate::Roce(own, at, payload) => check_fields(header, frame, (*own, *at, *payload)),
            _ => {
                assert!(header.raw && header.icrc_ok == (*fate == Fate::Raw(true)), "{frame:02x?}");
                assert_eq!(header.tagged, be(frame, 12, 2) == 0x8100);
                assert_eq!(header.broadcast, frame[..6] == [0xFF; 6]);
            }
        }
    }
    assert!(offered.next().is_none(), "more frames than were sent");
    assert_eq!(outcome.drops, goals);
    (fates, outcome.stalls)
}
