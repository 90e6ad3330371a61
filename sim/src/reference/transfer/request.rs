//! The format of a data request (rules T10, T11, C20): what is wrong with it, whatever it names.

use rnic_abi::opcode::{self, Opcode};
use rnic_abi::syndrome::Syndrome;
use rnic_abi::wqe::{self, Data, Slot};

/// Longest message (T10).
const LONGEST: u64 = 1 << 31;

/// Only what the opcode names is not 0.
fn only_named(data: &Data) -> Data {
    let code = data.opcode;
    let atomic = matches!(code, opcode::CMP_SWAP | opcode::FETCH_ADD);
    let remote = atomic || matches!(code, opcode::WRITE | opcode::WRITE_IMM | opcode::READ | opcode::READ_INV);
    let word = matches!(code, opcode::SEND_IMM | opcode::SEND_INV | opcode::WRITE_IMM | opcode::READ_INV);
    Data {
        imm: if word { data.imm } else { 0 },
        remote_address: if remote { data.remote_address } else { 0 },
        rkey: if remote { data.rkey } else { 0 },
        swap_add: if atomic { data.swap_add } else { 0 },
        ..*data
    }
}

fn flags_allowed(data: &Data) -> bool {
    let tells = matches!(data.opcode, opcode::SEND | opcode::SEND_IMM | opcode::SEND_INV | opcode::WRITE_IMM);
    let solicited = if tells { wqe::FLAG_SOLICITED } else { 0 };
    data.flags & !(wqe::FLAG_SIGNALLED | wqe::FLAG_FENCE | solicited) == 0
}

/// The request in these slots, as far as the send queue had them.
pub(super) fn decode(slots: &[Slot], max_rd: u32) -> Result<Data, Syndrome> {
    let data = Data::decode(&slots[0], slots.get(1));
    let known = Opcode::from_u8(data.opcode).is_some_and(Opcode::is_data);
    let whole = data.num_sge <= 4 && slots.len() == data.blocks() && usize::from(slots[0][2]) == data.blocks();
    if !known || !whole || !flags_allowed(&data) {
        return Err(Syndrome::WqeFormat);
    }
    let [first, second] = only_named(&data).encode();
    let same = slots[0] == first && slots.get(1).is_none_or(|slot| *slot == second);
    let sum: u64 = data.sges.iter().map(|sge| u64::from(sge.length)).sum();
    let reads = matches!(data.opcode, opcode::READ | opcode::READ_INV | opcode::CMP_SWAP | opcode::FETCH_ADD);
    let single = match data.opcode {
        opcode::READ_INV => data.num_sge == 1 && data.sges[0].lkey == data.imm,
        opcode::CMP_SWAP | opcode::FETCH_ADD => data.num_sge == 1 && data.sges[0].length == 8,
        _ => true,
    };
    if same && sum <= LONGEST && single && !(reads && max_rd == 0) {
        Ok(data)
    } else {
        Err(Syndrome::WqeFormat)
    }
}
