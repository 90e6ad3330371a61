//! The objects that the driver has made, and what they let the device reach.
use super::admin::{Change, Started};
use super::completion::CompletionQueue;
use super::lists::{Lent, Lists};
use super::pages::Pages;
use super::problem::{check, Problem};
use super::ring::Ring;
use super::send::{Ended, SendQueue};
use rnic_abi::admin::{create_cq, create_qp, dereg_mr, destroy_cq, destroy_qp, modify_qp, Command};
use rnic_abi::preset::Preset;
use rnic_abi::{key, limits, opcode, qp, wqe};
use std::collections::BTreeMap;
use std::ops::Range;

/// A queue pair as the driver made it.
#[derive(Debug)]
pub(super) struct QueuePair {
    pub qpn: u32,
    pub send: SendQueue,
    pub receive: Ring,
    send_cqn: u32,
    receive_cqn: u32,
    signal_all: bool,
    /// Receives completed and posted, free-running.
    used: u64,
    posted: u64,
}

/// Everything that the driver has made.
#[derive(Debug)]
pub(super) struct Objects {
    qps: u32,
    pub cqs: BTreeMap<u32, CompletionQueue>,
    pub pairs: BTreeMap<u32, QueuePair>,
    pub pages: Pages,
    pub lists: Lists,
    /// The object that a running command has made, to be removed if the command fails.
    made: Option<(Command, u32)>,
}

impl Objects {
    pub fn new(preset: &Preset) -> Self {
        Self {
            qps: preset.qps,
            cqs: BTreeMap::new(),
            pairs: BTreeMap::new(),
            pages: Pages::default(),
            lists: Lists::default(),
            made: None,
        }
    }

    /// A change of the admin mailbox. What is destroyed or reset must be still.
    pub fn change(&mut self, change: Change) -> Result<(), Problem> {
        match change {
            Change::Begun(started) => {
                let words = &started.words;
                if started.command == Command::ModifyQp && modify_qp::STATE.get(words) == u64::from(qp::ERR) {
                    self.in_error(self.index(modify_qp::QPN.get(words) as u32));
                }
                self.made = self.make(&started);
            }
            Change::Ended(started, success) => match (success, self.made.take()) {
                (true, _) => self.ended(&started)?,
                (false, Some((Command::CreateCq, cqn))) => drop(self.cqs.remove(&cqn)),
                (false, Some((_, index))) => drop(self.pairs.remove(&index)),
                (false, None) => {}
            },
        }
        Ok(())
    }

    /// A queue pair is in ERR, or will be: what it has read may be read again to be flushed (T73).
    pub fn in_error(&mut self, index: u32) {
        if let Some(pair) = self.pairs.get_mut(&index) {
            pair.send.in_error();
        }
    }

    fn make(&mut self, started: &Started) -> Option<(Command, u32)> {
        let words = &started.words;
        match started.command {
            Command::CreateCq => {
                let (cqn, log2) = (create_cq::CQN.get(words) as u32, create_cq::LOG2.get(words) as u32);
                let fits = (limits::CQ_LOG2_MIN..=limits::CQ_LOG2_MAX).contains(&log2);
                (fits && !self.cqs.contains_key(&cqn)).then(|| {
                    self.cqs.insert(cqn, CompletionQueue::new(cqn, create_cq::BASE.get(words), log2));
                    (Command::CreateCq, cqn)
                })
            }
            Command::CreateQp => {
                let pair = self.pair(words)?;
                let index = self.index(pair.qpn);
                (!self.pairs.contains_key(&index)).then(|| {
                    self.pairs.insert(index, pair);
                    (Command::CreateQp, index)
                })
            }
            _ => None,
        }
    }

    fn pair(&self, words: &[u32]) -> Option<QueuePair> {
        let log2 = [create_qp::SQ_LOG2, create_qp::RQ_LOG2].map(|field| field.get(words) as u32);
        log2.iter().all(|log2| (limits::SQ_LOG2_MIN..=limits::SQ_LOG2_MAX).contains(log2)).then(|| {
            let qpn = create_qp::QPN.get(words) as u32;
            let signal_all = create_qp::SIG_ALL.get(words) == 1;
            QueuePair {
                qpn,
                send: SendQueue::new(self.index(qpn), create_qp::SQ_BASE.get(words), log2[0], signal_all),
                receive: Ring { base: create_qp::RQ_BASE.get(words), log2: log2[1], entry: wqe::BYTES as u64 },
                send_cqn: create_qp::SEND_CQN.get(words) as u32,
                receive_cqn: create_qp::RECEIVE_CQN.get(words) as u32,
                signal_all,
                used: 0,
                posted: 0,
            }
        })
    }

    fn ended(&mut self, started: &Started) -> Result<(), Problem> {
        let words = &started.words;
        match started.command {
            Command::DestroyCq => {
                let cqn = destroy_cq::CQN.get(words) as u32;
                let still = self.cqs.remove(&cqn).is_none_or(|cq| cq.is_idle());
                check!(still, "T6", "CQ {cqn} is destroyed while a CQE is on its way");
            }
            Command::DestroyQp => {
                let index = self.index(destroy_qp::QPN.get(words) as u32);
                self.still(index)?;
                self.pairs.remove(&index);
            }
            Command::ModifyQp if modify_qp::STATE.get(words) == u64::from(qp::RESET) => {
                let index = self.index(modify_qp::QPN.get(words) as u32);
                self.still(index)?;
                if let Some(pair) = self.pairs.get_mut(&index) {
                    let ring = pair.send.ring;
                    pair.send = SendQueue::new(index, ring.base, ring.log2, pair.signal_all);
                    (pair.used, pair.posted) = (0, 0);
                }
            }
            Command::DeregMr => self.pages.freed(dereg_mr::INDEX.get(words) as u32),
            _ => {}
        }
        Ok(())
    }

    /// A queue pair that is closed has nothing on its way; its lists go back.
    fn still(&mut self, index: u32) -> Result<(), Problem> {
        self.lists.forget(index);
        let still = self.pairs.get(&index).is_none_or(|pair| pair.send.is_idle());
        check!(still, "T6", "QP {index} is closed while its WQEs are fetched");
        Ok(())
    }

    /// Index of a queue pair number.
    pub fn index(&self, qpn: u32) -> u32 {
        qpn & (self.qps - 1)
    }

    /// The doorbell of a receive queue.
    pub fn receive_doorbell(&mut self, index: u32, count: u16) {
        if let Some(pair) = self.pairs.get_mut(&index) {
            let ahead = u64::from(count.wrapping_sub(pair.used as u16));
            if ahead <= pair.receive.size() {
                pair.posted = pair.posted.max(pair.used + ahead);
            }
        }
    }

    /// The queue pair of whose send queue these slots are; the one that is about to read them first.
    pub fn send_queue(&mut self, range: &Range<u64>) -> Option<&mut SendQueue> {
        let inside = |pair: &&QueuePair| pair.send.ring.contains(range);
        let next = |pair: &&QueuePair| pair.send.is_next(range.start);
        let mut holders = self.pairs.values().filter(inside);
        let first = holders.next()?;
        let chosen = if next(&first) { first } else { holders.find(next).unwrap_or(first) };
        let index = self.index(chosen.qpn);
        self.pairs.get_mut(&index).map(|pair| &mut pair.send)
    }

    /// The queue pair whose receive ring holds these bytes.
    pub fn receive_queue(&self, range: &Range<u64>) -> Option<u32> {
        self.pairs.iter().find(|(_, pair)| pair.receive.contains(range)).map(|(index, _)| *index)
    }

    /// The completion queue whose ring holds these bytes.
    pub fn completion_queue(&mut self, address: u64) -> Option<&mut CompletionQueue> {
        self.cqs.values_mut().find(|cq| cq.ring.range().contains(&address))
    }

    /// WRs of a queue pair have ended. Answers the lists that went back to the driver with them.
    pub fn end(&mut self, index: u32, ended: &[Ended]) -> Vec<Lent> {
        let mut back = vec![];
        for wr in ended {
            let Some(posted) = wr.posted else { continue };
            let region = key::index(posted.key);
            match posted.opcode {
                opcode::REG_MR => {
                    self.pages.registered(region, index, wr.count, wr.success);
                    back.extend(self.lists.take_back(index, wr.count));
                }
                opcode::LOCAL_INV | opcode::READ_INV if wr.success => self.pages.invalidated(region, index, wr.count),
                _ => {}
            }
        }
        back
    }

    /// A receive completion: slots are used one after another.
    pub fn receive_completion(&mut self, index: u32, slot: u32) -> Result<(), Problem> {
        let Some(pair) = self.pairs.get_mut(&index) else { return Ok(()) };
        let expected = pair.receive.index(pair.used);
        check!(slot == expected, "I6", "receive CQE of QP {index} slot {slot} instead of slot {expected}");
        check!(pair.used < pair.posted, "I6", "receive CQE of QP {index} slot {slot}, which is not posted");
        pair.used += 1;
        Ok(())
    }

    /// The CQ that completions of a queue pair go to.
    pub fn cqn_of(&self, index: u32, receive: bool) -> Option<u32> {
        self.pairs.get(&index).map(|pair| if receive { pair.receive_cqn } else { pair.send_cqn })
    }
}
