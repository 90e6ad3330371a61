//! The mock's admin commands.

use rnic_abi::register as reg;

use super::{Cq, Qp, State};

/// A region in the mock's table.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mr {
    pub pd: u32,
    pub key: u32,
    pub valid: bool,
    pub max_pages: u32,
    pub page_base: u32,
    pub iova: u64,
    pub length: u64,
}

/// The next command with this opcode is not executed.
#[derive(Clone, Copy, Debug)]
pub enum Refusal {
    /// It is answered with this errno.
    Errno(u8, u8),
    /// It is never answered, and never executed.
    Silence(u8),
    /// It is executed, but never answered.
    LostAnswer(u8),
}

const EBUSY: u8 = 16;
const EINVAL: u8 = 22;

impl State {
    pub(super) fn run_admin(&mut self) {
        self.admin_pending = false;
        let go = self.registers[&reg::GO];
        let opcode = go as u8;
        let words: Vec<u32> =
            (0..32).map(|word| self.registers.get(&(0x200 + 4 * word)).copied().unwrap_or(0)).collect();
        let refusal = match self.refusals.front() {
            Some(Refusal::Errno(at, _) | Refusal::Silence(at) | Refusal::LostAnswer(at)) if *at == opcode => {
                self.refusals.pop_front()
            }
            _ => None,
        };
        let errno = match refusal {
            Some(Refusal::Errno(_, errno)) => errno,
            // Idle again, so that a later command is taken, but without the answer to this one.
            Some(Refusal::Silence(_)) => {
                self.registers.insert(reg::ADMIN_STATUS, 0);
                return;
            }
            Some(Refusal::LostAnswer(_)) => {
                self.execute(opcode, &words);
                self.answers_lost = true;
                self.registers.insert(reg::ADMIN_STATUS, 0);
                return;
            }
            None => self.execute(opcode, &words),
        };
        self.registers.insert(reg::ADMIN_STATUS, 2 | u32::from(errno) << 8 | go & 0xFFFF_0000);
    }

    fn execute(&mut self, opcode: u8, words: &[u32]) -> u8 {
        match opcode {
            0x01 => self.alloc_mr(words),
            0x02 => match self.mrs.remove(&words[0]) {
                Some(_) => 0,
                None => EINVAL,
            },
            0x03 => self.query_mr(words[0]),
            0x04 => self.probe(words),
            0x08 => {
                let base = u64::from(words[2]) | u64::from(words[3]) << 32;
                self.cqs.insert(words[0], Cq::new(words[1] & 0xFF, (words[1] >> 8) as u8, base));
                0
            }
            0x09 if self.qps.values().any(|qp| qp.send_cqn == words[0] || qp.receive_cqn == words[0]) => EBUSY,
            0x09 => match self.cqs.remove(&words[0]) {
                Some(_) => 0,
                None => EINVAL,
            },
            0x0A => self.create_qp(words),
            0x0B => self.modify_qp(words),
            0x0C => match self.qps.remove(&(words[0] % self.preset.qps)) {
                Some(_) => 0,
                None => EINVAL,
            },
            0x0D => self.query_qp(words[0]),
            _ => EINVAL,
        }
    }

    fn answer(&mut self, words: &[u32]) {
        for (index, word) in words.iter().enumerate() {
            self.registers.insert(0x280 + 4 * index as u32, *word);
        }
    }

    fn alloc_mr(&mut self, words: &[u32]) -> u8 {
        if self.mrs.contains_key(&words[0]) {
            return EBUSY;
        }
        let key = words[0] << 8 | words[2] & 0xFF;
        let mr = Mr { pd: words[1], key, max_pages: words[3], page_base: words[4], ..Mr::default() };
        self.mrs.insert(words[0], mr);
        0
    }

    fn query_mr(&mut self, index: u32) -> u8 {
        let mr = self.mrs.get(&index).copied();
        let state = mr.map_or(0, |mr| if mr.valid { 2 } else { 1 });
        let mr = mr.unwrap_or_default();
        let wide = |value: u64| [value as u32, (value >> 32) as u32];
        let ([iova_low, iova_high], [length_low, length_high]) = (wide(mr.iova), wide(mr.length));
        self.answer(&[
            state | 1 << 8 | 0x07 << 16 | 12 << 24,
            mr.key,
            mr.pd,
            3 | mr.max_pages << 16,
            iova_low,
            iova_high,
            length_low,
            length_high,
            0x800,
            mr.page_base,
            5,
            6,
        ]);
        0
    }

    fn probe(&mut self, words: &[u32]) -> u8 {
        self.probe_questions.push(words[..6].to_vec());
        let (syndrome, bytes, address) = self.probes.pop_front().expect("unexpected probe");
        self.answer(&[syndrome, bytes, address as u32, (address >> 32) as u32]);
        0
    }

    fn create_qp(&mut self, words: &[u32]) -> u8 {
        let index = words[0] % self.preset.qps;
        if self.qps.contains_key(&index) || words[0] < 2 {
            return EBUSY;
        }
        self.qps.insert(index, Qp::new(words));
        0
    }

    fn modify_qp(&mut self, words: &[u32]) -> u8 {
        let Some(qp) = self.qps.get_mut(&(words[0] % self.preset.qps)).filter(|qp| qp.qpn == words[0]) else {
            return EINVAL;
        };
        // RESET to INIT, RTR to RTS and so on; attributes are only kept for the test to look at.
        let legal = matches!(
            (qp.state, words[1]),
            (0, 1) | (1, 1) | (1, 2) | (2, 3) | (3, 3) | (4, 3) | (3, 4) | (4, 4) | (_, 6) | (_, 0)
        );
        let refused = self.refused_states.iter().position(|state| *state == words[1]);
        if let Some(index) = refused {
            self.refused_states.remove(index);
        }
        if !legal || refused.is_some() {
            return EINVAL;
        }
        if words[1] == 0 {
            qp.restart();
        }
        qp.state = words[1];
        qp.modified_by = words[..18].to_vec();
        0
    }

    fn query_qp(&mut self, qpn: u32) -> u8 {
        let Some(qp) = self.qps.get(&(qpn % self.preset.qps)).filter(|qp| qp.qpn == qpn) else { return EINVAL };
        let words = [qp.state | 1 << 8, 11, 12, 13, 14, qp.sq_done & 0xFFFF | qp.rq_done << 16, 15];
        self.answer(&words);
        0
    }
}
