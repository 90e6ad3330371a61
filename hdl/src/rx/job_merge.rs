//! Puts the jobs of the engines into frame order: every frame is exactly one job of the placer, in the order of arrival.
//!
//! A dropped frame becomes a job that only releases its place in the frame buffer. Latency one cycle, a job every second
//! cycle; no `ready` passes through.
use crate::widgets::{ChannelSink, ChannelSource};
use crate::wire::{PlaceJob, Span};
use rust_hdl::prelude::*;

/// Merges the jobs of judge, engine of acknowledgements and raw rings.
#[derive(LogicBlock)]
pub struct JobMerge {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the job in hand.
    pub reset: Signal<In, Bit>,
    /// Where each frame went ([`super::dispatch_check::route`]).
    pub order: ChannelSink<Bits<2>>,
    /// Jobs of the judge.
    pub request: ChannelSink<PlaceJob>,
    /// Their spans.
    pub request_span: Signal<In, Span>,
    /// Jobs of the engine of acknowledgements.
    pub response: ChannelSink<PlaceJob>,
    /// Their spans.
    pub response_span: Signal<In, Span>,
    /// Jobs of the raw rings, which have no span.
    pub raw: ChannelSink<PlaceJob>,
    /// All jobs.
    pub job: ChannelSource<PlaceJob>,
    /// Span of the job offered; where its `bytes` are 0 the rest means nothing.
    pub span: Signal<Out, Span>,
    /// A job is handed over in this cycle.
    pub passed: Signal<Out, Bit>,
    shown: DFF<PlaceJob>,
    place: DFF<Span>,
    shows: DFF<Bit>,
    next: Signal<Local, Bits<2>>,
    free: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    no_job: Constant<PlaceJob>,
}

impl Default for JobMerge {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            order: Default::default(),
            request: Default::default(),
            request_span: Default::default(),
            response: Default::default(),
            response_span: Default::default(),
            raw: Default::default(),
            job: Default::default(),
            span: Default::default(),
            passed: Default::default(),
            shown: Default::default(),
            place: Default::default(),
            shows: Default::default(),
            next: Default::default(),
            free: Default::default(),
            takes: Default::default(),
            no_job: Constant::new(Default::default()),
        }
    }
}

impl Logic for JobMerge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, shown, place, shows);
        self.next.next = self.order.data.val();
        self.free.next = self.order.valid.val() & !self.shows.q.val();
        self.request.ready.next = self.free.val() & (self.next.val() == 1);
        self.response.ready.next = self.free.val() & (self.next.val() == 2);
        self.raw.ready.next = self.free.val() & (self.next.val() == 3);
        self.takes.next = self.free.val()
            & ((self.next.val() == 0)
                | (self.request.valid.val() & (self.next.val() == 1))
                | (self.response.valid.val() & (self.next.val() == 2))
                | (self.raw.valid.val() & (self.next.val() == 3)));
        self.order.ready.next = self.takes.val();
        self.passed.next = self.shows.q.val() & self.job.ready.val();
        if self.job.ready.val() {
            self.shows.d.next = false;
        }
        if self.takes.val() {
            self.shows.d.next = true;
            self.shown.d.next = self.no_job.val();
            self.place.d.next = self.request_span.val();
            if self.next.val() == 1 {
                self.shown.d.next = self.request.data.val();
            }
            if self.next.val() == 2 {
                self.shown.d.next = self.response.data.val();
                self.place.d.next = self.response_span.val();
            }
            if self.next.val() == 3 {
                self.shown.d.next = self.raw.data.val();
            }
            if (self.next.val() == 0) | (self.next.val() == 3) {
                self.place.d.next.bytes = 0.into();
            }
        }
        self.job.data.next = self.shown.q.val();
        self.job.valid.next = self.shows.q.val();
        self.span.next = self.place.q.val();
        if self.reset.val() {
            self.shows.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::RandomDrive;

    #[test]
    fn jobs_leave_in_frame_order_whatever_engine_is_slow() {
        let mut uut = JobMerge::default();
        uut.connect_all();
        let mut random = RandomDrive::new(1);
        // Frame n goes where `ways[n]` says; the engines offer the numbers of their frames.
        let ways: Vec<u64> = (0..500).map(|_| random.below(4)).collect();
        let (mut entered, mut left) = (0, 0);
        let mut offers = [false; 4];
        for cycle in 0.. {
            assert!(cycle < 9000, "{left} of {} jobs", ways.len());
            uut.order.valid.next = entered < ways.len();
            uut.order.data.next = bits(ways.get(entered).copied().unwrap_or(0));
            for way in 1..4 {
                offers[way] |= random.chance(1, 3);
                let frame = (entered..ways.len()).find(|n| ways[*n] == way as u64).unwrap_or(0) as u64;
                let sink = match way {
                    1 => &mut uut.request,
                    2 => &mut uut.response,
                    _ => &mut uut.raw,
                };
                sink.valid.next = offers[way];
                sink.data.next = PlaceJob { tag: bits(frame), ..Default::default() };
                let span = Span { skip: bits(frame), bytes: 1.into(), ..Default::default() };
                match way {
                    1 => uut.request_span.next = span,
                    2 => uut.response_span.next = span,
                    _ => {}
                }
            }
            uut.job.ready.next = random.chance(1, 2);
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            if uut.order.ready.val() {
                offers[ways[entered] as usize] = false;
                entered += 1;
            }
            if uut.job.valid.val() && uut.job.ready.val() {
                let number = if ways[left] == 0 { 0 } else { left as u64 };
                assert_eq!(uut.job.data.val().tag, bits::<32>(number));
                let (span, has_span) = (uut.span.val(), [1, 2].contains(&ways[left]));
                assert_eq!(span.bytes.to_u64(), u64::from(has_span));
                assert!(!has_span || span.skip == bits::<32>(number));
                left += 1;
            }
            if left == ways.len() {
                break;
            }
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
        }
    }
}
