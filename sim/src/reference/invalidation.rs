//! LOCAL_INV (rules C1 to C7). The model has no accesses in flight, so the drain of C9 is over at once.

use super::{ReferenceNic, RegionState};
use rnic_abi::syndrome::Syndrome;
use rnic_abi::wqe;

/// B1 for LOCAL_INV: flags, one block and a key, nothing else.
fn well_formed(slot: &[u8; 64]) -> bool {
    let allowed = wqe::FLAG_SIGNALLED | wqe::FLAG_FENCE;
    slot[1] & !allowed == 0 && slot[2] == 1 && slot[3] == 0 && slot[8..].iter().all(|&byte| byte == 0)
}

impl ReferenceNic {
    /// Executes a LOCAL_INV of a queue pair of `pd`. A region that is already free with the same key is a success (C2).
    pub(super) fn invalidate(&mut self, slot: &[u8; 64], pd: u32) -> Result<(), Syndrome> {
        if !well_formed(slot) {
            return Err(Syndrome::WqeFormat);
        }
        let key = u32::from_le_bytes(slot[4..8].try_into().unwrap());
        let index = self.judge_target(key, pd)?;
        let region = &mut self.regions[index];
        if region.key != key {
            return Err(Syndrome::InvKey);
        }
        region.state = RegionState::Free;
        Ok(())
    }
}
