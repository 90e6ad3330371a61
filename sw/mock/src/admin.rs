//! The mock's admin commands.

use rnic_abi::register as reg;

use crate::{Cq, Qp, State};

/// A region in the mock's table.
///
/// ```
/// let rnic_mock::Rig { mock, device, pd, .. } = rnic_mock::connected();
/// let mr = device.alloc_fast_reg_mr(&pd, 8)?;
/// let entry = mock.with(|state| state.mrs[&mr.index()].clone());
/// assert_eq!((entry.pd, entry.key, entry.valid), (pd.number(), mr.key(), false));
/// # Ok::<(), rnic_driver::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Mr {
    /// Protection domain.
    pub pd: u32,
    /// Key that accesses are compared with.
    pub key: u32,
    /// It is registered.
    pub valid: bool,
    /// Most pages of a registration.
    pub max_pages: u32,
    /// First entry in the page buffer.
    pub page_base: u32,
    /// Rights of the last registration.
    pub access: u8,
    /// log2 of its page size.
    pub page_shift: u8,
    /// Offset of its first byte in the first page.
    pub fbo: u32,
    /// First address.
    pub iova: u64,
    /// Bytes.
    pub length: u64,
    /// Bus addresses of its pages.
    pub pages: Vec<u64>,
}

/// The next command with this opcode is not executed.
///
/// ```
/// use rnic_driver::{Errno, Error};
///
/// let rnic_mock::Rig { mock, device, pd, .. } = rnic_mock::connected();
/// mock.with(|state| state.refusals.push_back(rnic_mock::Refusal::Errno(0x01, 12)));
/// let refused = device.alloc_fast_reg_mr(&pd, 8).unwrap_err();
/// assert_eq!(refused, Error::Admin { opcode: 0x01, errno: Errno::Enomem });
/// ```
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
    pub(crate) fn run_admin(&mut self) {
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
        let mr = self.mrs.get(&index).cloned();
        let state = mr.as_ref().map_or(0, |mr| if mr.valid { 2 } else { 1 });
        let mr = mr.unwrap_or_default();
        let wide = |value: u64| [value as u32, (value >> 32) as u32];
        let ([iova_low, iova_high], [length_low, length_high]) = (wide(mr.iova), wide(mr.length));
        self.answer(&[
            state | 1 << 8 | u32::from(mr.access) << 16 | u32::from(mr.page_shift) << 24,
            mr.key,
            mr.pd,
            mr.pages.len() as u32 | mr.max_pages << 16,
            iova_low,
            iova_high,
            length_low,
            length_high,
            mr.fbo,
            mr.page_base,
            5,
            6,
        ]);
        0
    }

    fn probe(&mut self, words: &[u32]) -> u8 {
        self.probe_questions.push(words[..6].to_vec());
        let prepared = self.probes.pop_front();
        let Some((syndrome, bytes, address)) = prepared.or_else(|| self.look_up(words)) else { return EINVAL };
        self.answer(&[syndrome, bytes, address as u32, (address >> 32) as u32]);
        0
    }

    /// What the table of regions says of an access (E1 to E8, E11): syndrome, and bytes and bus address of the first piece. `None` if
    /// there is no such queue pair.
    fn look_up(&self, words: &[u32]) -> Option<(u32, u32, u64)> {
        let qp = self.qps.get(&(words[0] % self.preset.qps)).filter(|qp| qp.qpn == words[0])?;
        let va = u64::from(words[2]) | u64::from(words[3]) << 32;
        let (length, needed) = (u64::from(words[4]), words[5] as u8);
        if length == 0 {
            return Some((0, 0, 0));
        }
        let remote = words[5] >> 8 & 1 != 0;
        if words[1] == rnic_abi::limits::LOCAL_DMA_LKEY && qp.privileged && !remote {
            return Some((0, words[4], va));
        }
        let mr = self.mrs.get(&(words[1] >> 8)).filter(|mr| mr.key == words[1]);
        let syndrome = match mr {
            None => 0x30,
            Some(mr) if mr.pd != qp.pd => 0x31,
            Some(mr) if !mr.valid => 0x32,
            Some(mr) if needed & !mr.access != 0 => 0x33,
            Some(mr) if va < mr.iova || length > mr.length || va - mr.iova > mr.length - length => 0x34,
            Some(mr) => {
                let (at, page) = (u64::from(mr.fbo) + (va - mr.iova), 1 << mr.page_shift);
                let inside = at & (page - 1);
                let bytes = length.min(page - inside) as u32;
                return Some((0, bytes, mr.pages[(at >> mr.page_shift) as usize] + inside));
            }
        };
        Some((syndrome, 0, 0))
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
