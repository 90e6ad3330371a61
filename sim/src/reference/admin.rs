//! The admin commands (`interfaces.md` section 4; rules A5, A14, T1, T2, T5, T6). An error changes nothing.

use super::{transition, CompletionQueue, Event, QueuePair, ReferenceNic, Region, RegionState};
use rnic_abi::qp::State;
use rnic_abi::{access, admin, event, limits, mr};

pub use rnic_abi::errno::Errno;

/// Response words of a command that succeeded.
pub type Answer = [u32; 16];

/// Bits of a queue pair number and of a protection domain.
const NUMBER: u32 = 0xFF_FFFF;

fn require(condition: bool, errno: Errno) -> Result<(), Errno> {
    if condition {
        Ok(())
    } else {
        Err(errno)
    }
}

/// Words behind the ones that a command uses are 0.
fn only(words: &[u32; 32], used: usize) -> Result<(), Errno> {
    require(words[used..].iter().all(|&word| word == 0), Errno::Einval)
}

/// A ring's base: 4 KiB aligned, and the whole ring inside the bus (T2, `interfaces.md` section 1).
fn ring(low: u32, high: u32, bytes: u64) -> Result<u64, Errno> {
    let base = u64::from(low) | u64::from(high) << 32;
    require(base % 4096 == 0, Errno::Einval)?;
    require(u128::from(base) + u128::from(bytes) <= 1 << limits::DMA_ADDR_WIDTH, Errno::Einval)?;
    Ok(base)
}

fn log2_in_range(log2: u32, largest: u32) -> Result<u8, Errno> {
    require((2..=largest).contains(&log2), Errno::Einval)?;
    Ok(log2 as u8)
}

fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

impl ReferenceNic {
    /// Runs one command: the answer words, or the errno of the first failed check.
    pub fn admin(&mut self, opcode: u8, words: &[u32; 32]) -> Result<Answer, Errno> {
        match opcode {
            admin::ALLOC_MR => self.alloc_mr(words),
            admin::DEREG_MR => self.dereg_mr(words),
            admin::QUERY_MR => self.query_mr(words),
            admin::PROBE => self.probe_command(words),
            admin::CREATE_CQ => self.create_cq(words),
            admin::DESTROY_CQ => self.destroy_cq(words),
            admin::CREATE_QP => self.create_qp(words),
            admin::MODIFY_QP => self.modify_qp(words),
            admin::DESTROY_QP => self.destroy_qp(words),
            admin::QUERY_QP => self.query_qp(words),
            _ => Err(Errno::Einval),
        }
    }

    fn region_index(&self, word: u32) -> Result<usize, Errno> {
        require(word != 0 && (word as usize) < self.regions.len(), Errno::Einval)?;
        Ok(word as usize)
    }

    fn alloc_mr(&mut self, words: &[u32; 32]) -> Result<Answer, Errno> {
        only(words, 5)?;
        let index = self.region_index(words[0])?;
        let (pd, key_byte, kind, max, base) = (words[1], words[2] & 0xFF, words[2] >> 8 & 0xFF, words[3], words[4]);
        require(pd <= NUMBER && words[2] >> 16 == 0, Errno::Einval)?;
        require(kind != u32::from(mr::SG_GAPS), Errno::Eopnotsupp)?;
        require(kind == u32::from(mr::MEM_REG), Errno::Einval)?;
        require(max >= 1 && max <= self.preset.max_page_list, Errno::Einval)?;
        let end = u64::from(base) + u64::from(max.next_multiple_of(8));
        require(base % 8 == 0 && end <= self.preset.pages.into(), Errno::Einval)?;
        let region = &mut self.regions[index];
        require(region.state == RegionState::Unallocated, Errno::Ebusy)?;
        *region = Region {
            state: RegionState::Free,
            kind: kind as u8,
            key: (index as u32) << 8 | key_byte,
            pd,
            max_pages: max as u16,
            page_base: base,
            generation: region.generation,
            ..Region::default()
        };
        Ok(Answer::default())
    }

    fn dereg_mr(&mut self, words: &[u32; 32]) -> Result<Answer, Errno> {
        only(words, 1)?;
        let index = self.region_index(words[0])?;
        let region = &mut self.regions[index];
        require(region.state != RegionState::Unallocated, Errno::Einval)?;
        *region = Region { generation: region.generation, ..Region::default() };
        Ok(Answer::default())
    }

    fn query_mr(&mut self, words: &[u32; 32]) -> Result<Answer, Errno> {
        only(words, 1)?;
        let index = self.region_index(words[0])?;
        let region = &self.regions[index];
        let state = [region.state_code(), region.kind, region.access, region.page_shift];
        let [iova_low, iova_high] = halves(region.iova);
        let [length_low, length_high] = halves(region.length);
        let mut answer = Answer::default();
        answer[..12].copy_from_slice(&[
            u32::from_le_bytes(state),
            region.key,
            region.pd,
            region.pages.len() as u32 | u32::from(region.max_pages) << 16,
            iova_low,
            iova_high,
            length_low,
            length_high,
            region.fbo,
            region.page_base,
            region.generation,
            0,
        ]);
        Ok(answer)
    }

    fn probe_command(&mut self, words: &[u32; 32]) -> Result<Answer, Errno> {
        only(words, 6)?;
        let rights = access::LW | access::RW | access::RR | access::RA;
        require(words[5] & !(0x100 | u32::from(rights)) == 0, Errno::Einval)?;
        let qp = self.queue_pair(words[0]).ok_or(Errno::Einval)?;
        let va = u64::from(words[2]) | u64::from(words[3]) << 32;
        let (needed, remote) = (words[5] as u8, words[5] & 0x100 != 0);
        let mut answer = Answer::default();
        match self.probe(qp, words[1], va, words[4], needed, remote) {
            Ok(Some(piece)) => {
                let [low, high] = halves(piece.bus);
                answer[1..4].copy_from_slice(&[piece.bytes, low, high]);
            }
            Ok(None) => {}
            Err(syndrome) => answer[0] = syndrome as u32,
        }
        Ok(answer)
    }

    fn create_cq(&mut self, words: &[u32; 32]) -> Result<Answer, Errno> {
        only(words, 4)?;
        let cqn = words[0];
        require((cqn as usize) < self.completion_queues.len() && words[1] >> 16 == 0, Errno::Einval)?;
        let log2 = log2_in_range(words[1] & 0xFF, limits::CQ_LOG2_MAX)?;
        let vector = words[1] >> 8;
        require(vector < limits::VECTORS, Errno::Einval)?;
        let base = ring(words[2], words[3], 32 << log2)?;
        require(self.completion_queues[cqn as usize].is_none(), Errno::Ebusy)?;
        let queue = CompletionQueue {
            cqn,
            log2,
            vector: vector as u8,
            base,
            produced: 0,
            consumed: 0,
            failed: false,
            users: 0,
        };
        self.completion_queues[cqn as usize] = Some(queue);
        Ok(Answer::default())
    }

    fn destroy_cq(&mut self, words: &[u32; 32]) -> Result<Answer, Errno> {
        only(words, 1)?;
        let queue = self.completion_queue(words[0]).ok_or(Errno::Einval)?;
        require(queue.users == 0, Errno::Ebusy)?;
        self.completion_queues[words[0] as usize] = None;
        Ok(Answer::default())
    }

    fn create_qp(&mut self, words: &[u32; 32]) -> Result<Answer, Errno> {
        only(words, 10)?;
        let (qpn, pd, sizes) = (words[0], words[1], words[4]);
        require((2..=NUMBER).contains(&qpn) && pd <= NUMBER, Errno::Einval)?;
        require(sizes >> 18 == 0 && words[5] == 0, Errno::Einval)?;
        let sq_log2 = log2_in_range(sizes & 0xFF, limits::SQ_LOG2_MAX)?;
        let rq_log2 = log2_in_range(sizes >> 8 & 0xFF, limits::RQ_LOG2_MAX)?;
        let sq_base = ring(words[6], words[7], 64 << sq_log2)?;
        let rq_base = ring(words[8], words[9], 64 << rq_log2)?;
        for cqn in [words[2], words[3]] {
            require(self.completion_queue(cqn).is_some(), Errno::Einval)?;
        }
        let index = self.qp_index(qpn);
        require(self.queue_pairs[index].is_none(), Errno::Ebusy)?;
        for cqn in [words[2], words[3]] {
            self.completion_queue_mut(cqn).expect("checked above").users += 1;
        }
        let mut qp = QueuePair::new(qpn, pd, words[2], words[3]);
        (qp.sq_log2, qp.rq_log2, qp.sq_base, qp.rq_base) = (sq_log2, rq_log2, sq_base, rq_base);
        (qp.privileged, qp.sig_all) = (sizes >> 16 & 1 != 0, sizes >> 17 & 1 != 0);
        self.queue_pairs[index] = Some(qp);
        Ok(Answer::default())
    }

    fn modify_qp(&mut self, words: &[u32; 32]) -> Result<Answer, Errno> {
        let preset = self.preset;
        let index = self.qp_index(words[0]);
        let qp = self.queue_pairs[index].as_mut().filter(|qp| qp.qpn == words[0]).ok_or(Errno::Einval)?;
        let state = u8::try_from(words[1]).ok().and_then(|code| State::try_from(code).ok()).ok_or(Errno::Einval)?;
        require(transition::allowed(qp.state, state, words[2], words, &preset), Errno::Einval)?;
        if state == State::Reset {
            qp.reset();
        } else {
            qp.attributes.update(words[2], words);
            // T77: nothing is in progress between two steps of the model, so SQD is drained at once.
            if state == State::Sqd && qp.state != state && qp.attributes.drained_event() {
                self.events.push(Event { kind: event::SQ_DRAINED, number: qp.qpn, detail: 0 });
            }
            if state == State::Err {
                qp.fail();
            }
            qp.state = state;
        }
        Ok(Answer::default())
    }

    fn destroy_qp(&mut self, words: &[u32; 32]) -> Result<Answer, Errno> {
        only(words, 1)?;
        let qp = self.queue_pair(words[0]).ok_or(Errno::Einval)?;
        for cqn in [qp.send_cq, qp.receive_cq] {
            self.completion_queue_mut(cqn).expect("a queue that is used exists").users -= 1;
        }
        let index = self.qp_index(words[0]);
        self.queue_pairs[index] = None;
        Ok(Answer::default())
    }

    fn query_qp(&mut self, words: &[u32; 32]) -> Result<Answer, Errno> {
        only(words, 1)?;
        let qp = self.queue_pair(words[0]).ok_or(Errno::Einval)?;
        let drained = qp.state == State::Sqd;
        let mut answer = Answer::default();
        answer[..7].copy_from_slice(&[
            qp.state as u32 | u32::from(drained) << 8,
            qp.attributes.sq_psn(),
            qp.attributes.sq_psn(),
            qp.attributes.rq_psn(),
            0,
            u32::from(qp.sends_retired) | u32::from(qp.receives_used) << 16,
            0,
        ]);
        Ok(answer)
    }
}
