//! One round: batches on several queue pairs, their completions, state changes on the way, then everything is compared.

use super::bed::Bed;
use super::generate::Plans;
use super::Disagreement;
use crate::reference::Step;
use crate::scenario::Machine;
use rnic_abi::admin;
use rnic_abi::qp::State;
use rnic_abi::status::Status;
use rnic_abi::{cqe, qp, wqe};

/// Cycles without a completion after which the device counts as stuck.
const PATIENCE: u64 = 60_000;

impl<M: Machine> Bed<M> {
    /// One round.
    pub(super) fn round(&mut self) -> Result<(), Disagreement> {
        self.lists_used = 0;
        match self.random.below(14) {
            0 => self.held_back()?,
            _ => self.batches()?,
        }
        self.consume()?;
        self.poisoned.clear();
        self.machine.clear_faults();
        self.compare_round()?;
        self.commands()?;
        self.recover()
    }

    /// Batches on one to all queue pairs, doorbells in any order, perhaps one queue pair sent to ERR meanwhile.
    fn batches(&mut self) -> Result<(), Disagreement> {
        let mut plans = Plans::new(self);
        let mut active = Vec::new();
        for pair in 0..self.pairs.len() {
            if self.random.chance(70) {
                self.batch(pair, &mut plans)?;
                active.push(pair);
            }
        }
        while !active.is_empty() {
            let chosen = self.random.below(active.len() as u64) as usize;
            let pair = active.swap_remove(chosen);
            self.ring(pair)?;
            if self.random.chance(30) {
                let cycles = self.random.below(300);
                self.machine.run(cycles);
            }
        }
        if self.random.chance(8) {
            let pair = self.random.below(self.pairs.len() as u64) as usize;
            self.fail(pair)?;
        }
        self.settle()
    }

    /// Writes a batch; its last request is signaled, so that its completion tells that all is done.
    fn batch(&mut self, pair: usize, plans: &mut Plans) -> Result<(), Disagreement> {
        if self.random.chance(15) {
            let waiting = self.model.queue_pair(self.pairs[pair].qpn).map_or(0, |qp| qp.pending_receives());
            let room = (1 << super::bed::RING_LOG2) - waiting;
            let count = self.random.below(5).min(room.into()) as u16;
            self.receive(pair, count)?;
        }
        let mut requests = Vec::new();
        let mut room = self.room(pair);
        for _ in 0..=self.random.below(14) {
            let slots = self.request(pair, plans);
            if slots.len() > room {
                break;
            }
            room -= slots.len();
            requests.push(slots);
        }
        if let Some(last) = requests.last_mut() {
            last[0][1] |= wqe::FLAG_SIGNALLED;
        }
        for slots in requests {
            slots.iter().for_each(|slot| self.write_slot(pair, slot));
            // A doorbell in the middle of the batch.
            if self.random.chance(5) {
                self.ring(pair)?;
            }
        }
        Ok(())
    }

    /// MODIFY_QP to ERR on the device; the model learns of it when the first flush shows how far the device got.
    fn fail(&mut self, pair: usize) -> Result<(), Disagreement> {
        let qpn = self.pairs[pair].qpn;
        self.note(|| format!("qp {qpn:#x} to ERR"));
        self.summary.operations += 1;
        self.pairs[pair].failing = true;
        match self.ask(admin::MODIFY_QP, &[qpn, State::Err.code().into()])? {
            Ok(_) => Ok(()),
            Err(errno) => Err(Disagreement::new("MODIFY_QP to ERR succeeds", format!("errno {errno}"))),
        }
    }

    /// SQD: nothing starts; then the batch goes on, is flushed, or is forgotten.
    fn held_back(&mut self) -> Result<(), Disagreement> {
        let pair = self.random.below(self.pairs.len() as u64) as usize;
        let qpn = self.pairs[pair].qpn;
        self.command(admin::MODIFY_QP, &[qpn, State::Sqd.code().into()])?;
        let mut plans = Plans::new(self);
        self.batch(pair, &mut plans)?;
        self.ring(pair)?;
        self.machine.run(2000);
        let cqn = self.pairs[pair].group;
        if let Some(bytes) = self.poll(cqn) {
            return Err(Disagreement::new("nothing completes in SQD", format!("{bytes:x?}")));
        }
        match self.random.below(3) {
            0 => self.command(admin::MODIFY_QP, &[qpn, State::Rts.code().into()]).map(drop)?,
            1 => self.fail(pair)?,
            _ => self.reset(pair)?,
        }
        self.settle()
    }

    /// Takes completions until nothing is outstanding on the model.
    fn settle(&mut self) -> Result<(), Disagreement> {
        let mut quiet = 0;
        loop {
            let mut any = false;
            for cqn in 0..super::bed::PDS.len() {
                while let Some(bytes) = self.poll(cqn) {
                    self.completion(cqn, &bytes)?;
                    any = true;
                }
            }
            if self.is_settled() {
                break;
            }
            quiet = if any { 0 } else { quiet + 8 };
            if quiet > PATIENCE || self.machine.failure().is_some() {
                return Err(Disagreement::new(self.outstanding(), format!("no completion for {quiet} cycles")));
            }
            self.machine.run(8);
        }
        // A completion too many would come late.
        self.machine.run(300);
        for cqn in 0..super::bed::PDS.len() {
            if let Some(bytes) = self.poll(cqn) {
                return Err(Disagreement::new("no further completion", format!("{bytes:x?} on queue {cqn}")));
            }
        }
        Ok(())
    }

    /// Nothing is posted any more, but what waits for a state change. Late MODIFY_QPs to ERR take effect here.
    fn is_settled(&mut self) -> bool {
        let waits = |bed: &Self, pair: usize| {
            let qp = bed.model.queue_pair(bed.pairs[pair].qpn);
            qp.is_some_and(|qp| qp.pending_sends() > 0 && qp.state != State::Reset)
        };
        if (0..self.pairs.len()).any(|pair| waits(self, pair)) {
            return false;
        }
        for pair in 0..self.pairs.len() {
            self.apply_failure(pair);
        }
        let flushing = |pair: &super::bed::Pair<M>| {
            let qp = self.model.queue_pair(pair.qpn);
            qp.is_some_and(|qp| qp.state == State::Err && qp.pending_receives() > 0)
        };
        !self.pairs.iter().any(flushing)
    }

    fn outstanding(&self) -> String {
        let open = |pair: &super::bed::Pair<M>| {
            let qp = self.model.queue_pair(pair.qpn)?;
            let (sends, receives) = (qp.pending_sends(), qp.pending_receives());
            (sends > 0 || receives > 0).then(|| format!("qp {:#x}: {sends} sends, {receives} receives", pair.qpn))
        };
        format!("completions of {}", self.pairs.iter().filter_map(open).collect::<Vec<_>>().join("; "))
    }

    /// A flush shows how far the device got before it entered ERR: what was posted before that slot was executed.
    fn learn_failure(&mut self, pair: usize, receive: bool, slot: u16) -> Result<(), Disagreement> {
        let qpn = self.pairs[pair].qpn;
        if receive {
            self.model.fail_receives(qpn);
            return Ok(());
        }
        while self.model.queue_pair(qpn).and_then(|qp| qp.next_slot()).is_some_and(|next| next != slot) {
            let step = self.execute(qpn).expect("a slot is posted");
            if step.cqe.is_some() {
                return Err(Disagreement::new(
                    format!("{step:x?}"),
                    format!("a flush of slot {slot} of qp {qpn:#x} first"),
                ));
            }
            self.summary.silent += 1;
        }
        self.apply_failure(pair);
        Ok(())
    }

    /// The model enters ERR because it was told to.
    fn apply_failure(&mut self, pair: usize) {
        if std::mem::take(&mut self.pairs[pair].failing) {
            let mut words = [0; 32];
            words[..2].copy_from_slice(&[self.pairs[pair].qpn, State::Err.code().into()]);
            self.model.admin(admin::MODIFY_QP, &words).expect("every state goes to ERR");
        }
    }

    /// One completion of the device: the model must say the same of the next request that completes on that queue pair.
    fn completion(&mut self, cqn: usize, bytes: &[u8; cqe::BYTES]) -> Result<(), Disagreement> {
        let found = cqe::Cqe::decode(bytes);
        let text = format!("{found:x?} on queue {cqn}");
        let Some(pair) = self.pairs.iter().position(|pair| pair.qpn == found.qpn) else {
            return Err(Disagreement::new("a completion of a known queue pair", text));
        };
        self.note(|| format!("completion {text}"));
        let status = Status::from_u8(found.status);
        let (qpn, receive) = (found.qpn, found.flags & cqe::FLAG_RECEIVE != 0);
        if status == Some(Status::WrFlush) && self.pairs[pair].failing {
            self.learn_failure(pair, receive, found.slot)?;
        }
        let step = if receive { self.model.flush_receive(qpn) } else { self.next_reported(qpn) };
        let Some(step) = step else { return Err(Disagreement::new("no completion", text)) };
        let Some(expected) = step.cqe else { return Err(Disagreement::new(format!("{step:x?}"), text)) };
        if expected.cqn as usize != cqn || !expected.agrees_with(bytes) {
            return Err(Disagreement::new(format!("{expected:x?}"), text));
        }
        self.summary.completions[match status {
            Some(Status::Success) => 0,
            Some(Status::WrFlush) => 2,
            _ => 1,
        }] += 1;
        Ok(())
    }

    /// Executes on the model up to the next request that makes a completion.
    fn next_reported(&mut self, qpn: u32) -> Option<Step> {
        loop {
            let step = self.execute(qpn)?;
            if step.cqe.is_some() {
                return Some(step);
            }
            self.summary.silent += 1;
        }
    }

    /// RESET on both; the rings start again at slot 0.
    fn reset(&mut self, pair: usize) -> Result<(), Disagreement> {
        self.command(admin::MODIFY_QP, &[self.pairs[pair].qpn, State::Reset.code().into()])?;
        let pair = &mut self.pairs[pair];
        (pair.written, pair.received, pair.failing) = (0, 0, false);
        Ok(())
    }

    /// Queue pairs in ERR and RESET go back to RTS, now and then only in a later round.
    fn recover(&mut self) -> Result<(), Disagreement> {
        for pair in 0..self.pairs.len() {
            let state = self.model.queue_pair(self.pairs[pair].qpn).map(|qp| qp.state);
            if state == Some(State::Err) && self.random.chance(30) {
                // Posting in ERR: flushed (D15).
                let mut plans = Plans::new(self);
                self.batch(pair, &mut plans)?;
                self.ring(pair)?;
                self.settle()?;
            }
            match state {
                Some(State::Err) => {
                    self.reset(pair)?;
                    self.bring_up(pair)?;
                }
                Some(State::Reset) => self.bring_up(pair)?,
                _ => {}
            }
        }
        self.consume()
    }

    /// RESET to RTS with random attributes.
    pub(super) fn bring_up(&mut self, pair: usize) -> Result<(), Disagreement> {
        let qpn = self.pairs[pair].qpn;
        let rd = self.machine.preset().rd_max;
        let mut random = |below: u64| self.random.below(below) as u32;
        let init = [qpn, State::Init.code().into(), qp::PKEY | qp::ACCESS, 0xFFFF | random(8) << 17];
        let mask = qp::ADDRESS_VECTOR | qp::MTU | qp::DEST_QPN | qp::RQ_PSN | qp::MAX_DEST_RD | qp::MIN_RNR;
        let mut rtr = [0; 18];
        rtr[..3].copy_from_slice(&[qpn, State::Rtr.code().into(), mask]);
        rtr[3] = (1 + random(5)) << 24;
        rtr[4] = 2 + random(1 << 20);
        rtr[5] = random(1 << 24);
        rtr[7] = random(32) << 24;
        rtr[8] = random(u64::from(rd) + 1) << 8;
        rtr[0xA] = random(1 << 32);
        rtr[0xB] = random(1 << 16) | random(8) << 16;
        rtr[0xC..0x10].fill_with(|| random(1 << 32));
        rtr[0x10] = random(1 << 20);
        let mask = qp::TIMEOUT | qp::RETRY_CNT | qp::RNR_RETRY | qp::SQ_PSN | qp::MAX_RD;
        let timers = random(32) | random(8) << 8 | random(8) << 16;
        let rts = [qpn, State::Rts.code().into(), mask, 0, 0, 0, random(1 << 24), timers, random(u64::from(rd) + 1)];
        self.command(admin::MODIFY_QP, &init)?;
        self.command(admin::MODIFY_QP, &rtr)?;
        self.command(admin::MODIFY_QP, &rts).map(drop)
    }
}
