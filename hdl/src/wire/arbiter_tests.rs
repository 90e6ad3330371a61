//! Tests of the wire arbiter.
use super::super::model::number;
use super::*;
use crate::check::RandomDrive;

/// A stream of frames of given lengths; the first lanes of a beat say whose frame it is, which, and which beat.
struct Stream {
    lengths: Vec<usize>,
    frame: usize,
    at: usize,
    /// Cycles until the next frame is offered.
    pause: u64,
}

struct Seen {
    stream: usize,
    bytes: usize,
}

/// Runs until `frames` frames are out, checks that they are whole and in order, and returns them.
fn run(lengths: [Vec<usize>; 3], frames: usize, pauses: [u64; 3], wire: u32) -> (Vec<Seen>, u64) {
    let mut uut = WireArbiter::<64, 8, 3>::default();
    uut.connect_all();
    let mut r = RandomDrive::new(23);
    let mut streams = lengths.map(|lengths| Stream { lengths, frame: 0, at: 0, pause: 0 });
    uut.reset.next = true;
    crate::check::tick(&mut uut, |u| &mut u.clock);
    uut.reset.next = false;
    let (mut seen, mut current, mut idle, mut cycle) = (vec![], None::<(usize, usize)>, 0, 0);
    let mut expected = [0; 3];
    let mut first = None;
    while seen.len() < frames {
        idle += 1;
        assert!(idle < 500, "stuck after {} of {frames} frames", seen.len());
        for (i, stream) in streams.iter_mut().enumerate() {
            let left = stream.lengths.get(stream.frame).map_or(0, |length| length - stream.at);
            let mut mark = FrameMark::default();
            mark.count = bits(left.min(8) as u64);
            mark.last = left <= 8;
            uut.sinks[i].data.next = bits((i | stream.frame << 8 | stream.at << 24) as u64);
            uut.sinks[i].mark.next = mark;
            uut.sinks[i].valid.next = left > 0 && stream.pause == 0;
            stream.pause = stream.pause.saturating_sub(1);
        }
        uut.stream.tready.next = r.chance(wire, 4);
        uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut uut, 100));
        let taken: Vec<_> = (0..3).filter(|&i| uut.sinks[i].valid.val() && uut.sinks[i].ready.val()).collect();
        assert!(taken.len() <= 1, "{taken:?} at once");
        for i in taken {
            idle = 0;
            let stream = &mut streams[i];
            assert!(current.is_none_or(|(owner, _)| owner == i), "frame of {current:?} broken by {i}");
            stream.at += 8;
            current = Some((i, stream.at));
            if stream.at >= stream.lengths[stream.frame] {
                (stream.frame, stream.at, current) = (stream.frame + 1, 0, None);
                stream.pause = if pauses[i] > 0 { r.below(pauses[i]) } else { 0 };
            }
        }
        let mut left = 0;
        if uut.stream.tvalid.val() && uut.stream.tready.val() {
            first.get_or_insert(cycle);
            let word = number(uut.stream.tdata.val()) as usize;
            let (stream, frame, at) = (word & 0xFF, word >> 8 & 0xFFFF, word >> 24);
            assert_eq!(frame, expected[stream], "frame of stream {stream}");
            let count = number(uut.stream.tkeep.val()).count_ones() as usize;
            assert_eq!(number(uut.stream.tkeep.val()) + 1, 1 << count, "tkeep is not a run from lane 0");
            let length = streams[stream].lengths[frame];
            assert_eq!(count, (length - at).min(8));
            assert_eq!(uut.stream.tlast.val(), length - at <= 8);
            if uut.stream.tlast.val() {
                left = 1 << stream;
                expected[stream] += 1;
                seen.push(Seen { stream, bytes: length });
            }
        }
        assert_eq!(number(uut.left.val()), left, "a frame has left when the wire has its last beat");
        uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut uut, 100));
        cycle += 1;
    }
    (seen, cycle - first.unwrap())
}

fn bytes(seen: &[Seen], stream: usize) -> usize {
    seen.iter().filter(|seen| seen.stream == stream).map(|seen| seen.bytes).sum()
}

#[test]
fn t63_a_stream_alone_has_the_wire() {
    let (seen, cycles) = run([vec![62; 50], vec![], vec![]], 50, [0; 3], 4);
    assert_eq!((seen.len(), cycles), (50, 50 * 8));
}

#[test]
fn t63_t97_others_share_the_wire_by_bytes() {
    for [a, b] in [[4_170, 138], [138, 4_170], [1_100, 1_100], [60, 1_514]] {
        let frames = 60_000 / a.min(b) + 8;
        let (seen, _) = run([vec![a; 2_000], vec![], vec![b; 2_000]], frames, [0; 3], 4);
        // Up to the last change of turns.
        let end = seen.iter().rposition(|s| s.stream != seen.last().unwrap().stream).unwrap() + 1;
        let (of_a, of_b) = (bytes(&seen[..end], 0) as i64, bytes(&seen[..end], 2) as i64);
        // The bound of deficit round robin: a quantum, and a frame that overdraws.
        let slack = QUANTUM as i64 + a.max(b) as i64;
        assert!((of_a - of_b).abs() <= slack && of_a > 0 && of_b > 0, "{a}, {b}: {of_a} and {of_b} bytes");
    }
}

#[test]
fn t63_frames_stay_whole_under_back_pressure_and_pauses() {
    let mut r = RandomDrive::new(29);
    let lengths = || (0..100).map(|_| 60 + r.below(200) as usize).collect::<Vec<_>>();
    let mut lengths = lengths;
    let (seen, _) = run([lengths(), lengths(), lengths()], 150, [60, 30, 80], 2);
    assert!((0..3).all(|stream| bytes(&seen, stream) > 0));
}

#[test]
fn t63_no_gap_between_frames_of_different_streams() {
    let (seen, cycles) = run([vec![64; 40], vec![64; 40], vec![64; 40]], 60, [0; 3], 4);
    assert_eq!(cycles, 8 * seen.len() as u64);
}

#[test]
fn i7_stop_lets_the_frame_under_way_end_and_no_other_begin() {
    let mut r = RandomDrive::new(31);
    for _ in 0..40 {
        let mut uut = WireArbiter::<64, 8, 3>::default();
        uut.connect_all();
        let (length, stopped) = (2 + r.below(8) as usize, r.below(30) as usize);
        let (mut at, mut begun, mut ended, mut offered) = ([0; 3], 0, 0, false);
        for cycle in 0..400 {
            // While it is stopped a frame needs its beats and a ready wire, both of which are slow.
            uut.stop.next = cycle >= stopped;
            for (i, at) in at.iter().enumerate() {
                let mut mark = FrameMark::default();
                mark.count = bits(8);
                mark.last = *at + 1 == length;
                uut.sinks[i].mark.next = mark;
                uut.sinks[i].valid.next = r.chance(1, 2);
            }
            uut.stream.tready.next = r.chance(1, 4);
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            assert!(uut.stream.tvalid.val() || !offered, "an offered beat was withdrawn");
            offered = uut.stream.tvalid.val() && !uut.stream.tready.val();
            for (i, at) in at.iter_mut().enumerate() {
                if uut.sinks[i].valid.val() && uut.sinks[i].ready.val() {
                    assert!(cycle < stopped || *at > 0, "a frame began after the stop");
                    begun += usize::from(*at == 0);
                    *at = (*at + 1) % length;
                }
            }
            ended += usize::from(uut.stream.tvalid.val() && uut.stream.tready.val() && uut.stream.tlast.val());
            let idle = uut.idle.val();
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
            assert!(cycle < stopped || !idle || begun == ended, "idle with {begun} frames begun and {ended} ended");
        }
        assert!(uut.idle.val() && begun == ended && at == [0; 3]);
    }
}
