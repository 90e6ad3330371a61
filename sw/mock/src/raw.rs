//! The mock's raw rings.

use rnic_abi::register as reg;

use crate::State;

impl State {
    fn register(&self, offset: u32) -> u32 {
        self.registers.get(&offset).copied().unwrap_or(0)
    }

    /// The next descriptor of a ring: its address and what it holds, address, length, flags. None when none is posted.
    fn raw_descriptor(&mut self, base: u32, done: u32) -> Option<(u64, u64, u32, u32)> {
        let log2 = self.register(base + 8);
        if log2 == 0 || self.register(base + 12) == done & 0xFFFF {
            return None;
        }
        let ring = u64::from(self.register(base)) | u64::from(self.register(base + 4)) << 32;
        let at = ring + 16 * u64::from(done & ((1 << log2) - 1));
        let bytes = self.load(at, 16);
        let word = |n: usize| u32::from_le_bytes(bytes[4 * n..4 * n + 4].try_into().unwrap());
        Some((at, u64::from(word(0)) | u64::from(word(1)) << 32, word(2), word(3)))
    }

    fn write_back(&mut self, base: u32, done: u32, at: u64, length: u32, flags: u32) {
        let phase = if done >> self.register(base + 8) & 1 == 0 { 1 << 31 } else { 0 };
        let words: Vec<u8> = [length, flags | phase].into_iter().flat_map(u32::to_le_bytes).collect();
        self.store(at + 8, &words);
    }

    pub(crate) fn run_raw_send(&mut self) {
        while let Some((at, address, length, flags)) = self.raw_descriptor(reg::RAW_SEND_BASE_LOW, self.raw_done[1]) {
            let frame = self.load(address, length as usize);
            self.raw_sent.push((frame, flags & 0x7FFF_FFFF));
            self.write_back(reg::RAW_SEND_BASE_LOW, self.raw_done[1], at, length, self.raw_flags);
            self.raw_done[1] += 1;
        }
    }

    /// A frame comes from the wire. False when there is no buffer for it.
    pub fn receive_raw(&mut self, frame: &[u8], flags: u32) -> bool {
        let done = self.raw_done[0];
        let Some((at, address, length, _)) = self.raw_descriptor(reg::RAW_RECEIVE_BASE_LOW, done) else { return false };
        let bytes = frame.len().min(length as usize);
        self.store(address, &frame[..bytes]);
        self.write_back(reg::RAW_RECEIVE_BASE_LOW, done, at, frame.len() as u32, flags);
        self.raw_done[0] += 1;
        true
    }
}
