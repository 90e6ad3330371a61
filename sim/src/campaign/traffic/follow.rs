//! The model executes what is posted; the devices' completions must be those that it expects, in order.

use super::super::Disagreement;
use super::bed::{peer_of, side_of, Bed, Pair};
use super::side::CQS;
use crate::reference::transfer::{Network, Progress};
use crate::reference::{Cqe, Memory, Step};
use crate::scenario::Machine;
use rnic_abi::status::Status;
use rnic_abi::{cqe, wqe};

/// Executes everything that can be. What is unordered between send queues gives the same in every order (see `hazards`).
pub(super) fn advance(model: &mut Network, pairs: &mut [Pair], rings: [&dyn Memory; 2]) {
    let mut moved = true;
    while std::mem::take(&mut moved) {
        for pair in 0..pairs.len() {
            let side = side_of(pair);
            let progress = model.execute(side, pairs[pair].qpn, rings);
            pairs[pair].waits = progress == Progress::NotReady;
            if let Progress::Ended(step, received) = progress {
                take(&mut pairs[pair], 0, step);
                received.into_iter().for_each(|step| take(&mut pairs[peer_of(pair)], 1, step));
                moved = true;
            }
            if let Some(step) = model.nics[side].flush_receive(pairs[pair].qpn) {
                take(&mut pairs[pair], 1, step);
                moved = true;
            }
        }
    }
}

/// A step of the model belongs to the oldest request of its queue that was not executed.
fn take(pair: &mut Pair, queue: usize, step: Step) {
    let request = pair.unexecuted[queue].pop_front().expect("the model executes what was posted");
    pair.expected[queue].extend(step.cqe.map(|cqe| (cqe, request)));
}

/// The same, but for the phase: which of two queue pairs completes first on a shared queue, the device decides. The monitor
/// checks the phase.
fn agrees(expected: &Cqe, found: &[u8; cqe::BYTES]) -> bool {
    Cqe { phase: found[cqe::BYTES - 1] & 0x80 != 0, ..*expected }.agrees_with(found)
}

impl Bed {
    /// Takes all completions that are there; whether there were any.
    pub(super) fn poll(&mut self) -> Result<bool, Disagreement> {
        let mut any = false;
        for side in 0..2 {
            for cqn in 0..CQS {
                let mut some = false;
                while let Some(bytes) = self.sides[side].poll(cqn) {
                    self.completion(side, cqn, &bytes)?;
                    some = true;
                }
                if some {
                    self.sides[side].consume(cqn)?;
                }
                any |= some;
            }
        }
        Ok(any)
    }

    fn completion(&mut self, side: usize, cqn: usize, bytes: &[u8; cqe::BYTES]) -> Result<(), Disagreement> {
        let found = cqe::Cqe::decode(bytes);
        let text = format!("{found:x?} on queue {cqn} of NIC {side}");
        self.note(|| format!("completion {text}"));
        let number = (0..self.pairs.len()).find(|pair| side_of(*pair) == side && self.pairs[*pair].qpn == found.qpn);
        let Some(pair) = number else {
            return Err(Disagreement::new("a completion of a known queue pair", text));
        };
        let queue = usize::from(found.flags & cqe::FLAG_RECEIVE != 0);
        let Some((expected, request)) = self.pairs[pair].expected[queue].pop_front() else {
            return Err(Disagreement::new("no completion", text));
        };
        if expected.cqn as usize != cqn || expected.cqn != self.cqs(pair)[queue] || !agrees(&expected, bytes) {
            return Err(Disagreement::new(format!("{expected:x?}"), text));
        }
        match Status::from_u8(found.status) {
            Some(Status::Success) => self.summary.completions[0] += 1,
            Some(Status::WrFlush) => self.summary.completions[2] += 1,
            _ => self.summary.completions[1] += 1,
        }
        self.complete(pair, queue, request);
        Ok(())
    }

    /// A request has completed, and with it all before it (D9).
    fn complete(&mut self, pair: usize, queue: usize, request: usize) {
        while let Some(id) = self.pairs[pair].outstanding[queue].pop_front() {
            self.requests[id].done = true;
            self.regions.iter_mut().for_each(|region| region.ended(id));
            if id == request {
                break;
            }
            self.summary.silent += 1;
        }
    }

    /// Nothing that was posted is without a completion; what is unsignaled at the end of a queue counts as completed.
    pub(super) fn is_quiet(&self, pair: usize) -> bool {
        let end = &self.pairs[pair];
        end.outstanding[0].is_empty() && end.expected.iter().all(|queue| queue.is_empty())
    }

    /// Runs until `done`, or finds that nothing happens any more.
    pub(super) fn settle(
        &mut self,
        what: &str,
        mut done: impl FnMut(&mut Self) -> Result<bool, Disagreement>,
    ) -> Result<(), Disagreement> {
        let mut quiet = 0;
        loop {
            quiet = if self.poll()? { 0 } else { quiet + 16 };
            if done(self)? {
                return Ok(());
            }
            if quiet > super::PATIENCE || self.sides[0].machine.failure().is_some() {
                return Err(Disagreement::new(
                    format!("{what}: {}", self.open()),
                    format!("nothing for {quiet} cycles"),
                ));
            }
            self.sides[0].machine.run(16);
        }
    }

    /// What has no completion.
    fn open(&self) -> String {
        let open = |(number, pair): (usize, &Pair)| {
            let [sends, receives] = [0, 1].map(|queue| pair.outstanding[queue].len());
            let [first, second] = [0, 1].map(|queue| pair.expected[queue].front().map(|(cqe, _)| *cqe));
            let text = format!("pair {number}: {sends} sends, {receives} receives, next {first:x?}, {second:x?}");
            (sends + receives > 0).then(|| if pair.waits { text + ", waits for a receive" } else { text })
        };
        self.pairs.iter().enumerate().filter_map(open).collect::<Vec<_>>().join("; ")
    }

    /// A request whose completion tells that everything before it is done: a WRITE without bytes.
    pub(super) fn mark(&mut self, pair: usize) -> Result<(), Disagreement> {
        if self.pairs[pair].silent == 0 || self.room(pair, 0) == 0 {
            return Ok(());
        }
        let write = wqe::Data { opcode: rnic_abi::opcode::WRITE, flags: wqe::FLAG_SIGNALLED, ..wqe::Data::default() };
        let request = super::bed::Request { queue: pair, touches: vec![], slots: 1, reads: false, done: false };
        self.write_send(pair, &write.encode()[..1], request);
        self.ring(pair)
    }
}
