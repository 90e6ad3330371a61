//! Admin mailbox: commands, their words and the words of their answers.
//!
//! Words are written to `register::ADMIN_COMMAND`, then GO starts the command; ADMIN_STATUS tells when it is done and its
//! errno, then the answer words are valid. Words that the command does not use must be 0.
use crate::NamedWordField;

pub mod alloc_mr;
pub mod create_cq;
pub mod create_qp;
pub mod dereg_mr;
pub mod destroy_cq;
pub mod destroy_qp;
pub mod modify_qp;
pub mod probe;
pub mod query_mr;
pub mod query_qp;

/// Command words in the BAR.
pub const COMMAND_WORDS: usize = 32;
/// Answer words in the BAR.
pub const ANSWER_WORDS: usize = 16;

codes! {
    /// Opcode of an admin command.
    pub enum Command {
        /// Allocates an MR entry with a key, a PD and a range of the page buffer.
        AllocMr, ALLOC_MR = 0x01, "A6";
        /// Frees an MR entry: blocks it, waits for accesses in flight, frees it.
        DeregMr, DEREG_MR = 0x02, "A14";
        /// Reads an MR entry.
        QueryMr, QUERY_MR = 0x03, "M1";
        /// Runs the access check and translation of the hardware, without an access.
        Probe, PROBE = 0x04, "E";
        /// Creates a completion queue.
        CreateCq, CREATE_CQ = 0x08, "";
        /// Destroys a completion queue that no queue pair uses.
        DestroyCq, DESTROY_CQ = 0x09, "";
        /// Creates a queue pair in RESET.
        CreateQp, CREATE_QP = 0x0A, "T5";
        /// Changes state and attributes of a queue pair.
        ModifyQp, MODIFY_QP = 0x0B, "T1, T2";
        /// Destroys a queue pair after its last bus access.
        DestroyQp, DESTROY_QP = 0x0C, "T6";
        /// Reads the state of a queue pair.
        QueryQp, QUERY_QP = 0x0D, "";
    }
}

impl Command {
    /// Fields of the command.
    pub const fn fields(self) -> &'static [NamedWordField] {
        match self {
            Self::AllocMr => alloc_mr::FIELDS,
            Self::DeregMr => dereg_mr::FIELDS,
            Self::QueryMr => query_mr::FIELDS,
            Self::Probe => probe::FIELDS,
            Self::CreateCq => create_cq::FIELDS,
            Self::DestroyCq => destroy_cq::FIELDS,
            Self::CreateQp => create_qp::FIELDS,
            Self::ModifyQp => modify_qp::FIELDS,
            Self::DestroyQp => destroy_qp::FIELDS,
            Self::QueryQp => query_qp::FIELDS,
        }
    }

    /// Fields of the answer.
    pub const fn answer(self) -> &'static [NamedWordField] {
        match self {
            Self::QueryMr => query_mr::ANSWER,
            Self::Probe => probe::ANSWER,
            Self::QueryQp => query_qp::ANSWER,
            _ => &[],
        }
    }

    /// Errors that the command can answer besides EAGAIN (in reset) and EINVAL (a field is wrong), with the reason.
    pub const fn errors(self) -> &'static str {
        match self {
            Self::AllocMr => "EBUSY: the entry is not UNALLOC; EOPNOTSUPP: type other than MEM_REG",
            Self::DeregMr => "EINVAL: the entry is UNALLOC; ETIMEDOUT: the drain took longer than DRAIN_MAX",
            Self::CreateCq => "EBUSY: the CQN exists",
            Self::DestroyCq => "EBUSY: a queue pair uses it",
            Self::CreateQp => "EBUSY: the index is in use",
            _ => "",
        }
    }

    /// Bit n is set when word n is used; the other words must be 0.
    pub const fn used_words(self) -> u32 {
        let (fields, mut mask, mut index) = (self.fields(), 0, 0);
        while index < fields.len() {
            mask |= fields[index].field.words();
            index += 1;
        }
        mask
    }

    /// Bits of word `word` that some field uses; the others must be 0.
    pub const fn used_bits(self, word: usize) -> u32 {
        let (fields, mut mask, mut index) = (self.fields(), 0u32, 0);
        while index < fields.len() {
            let field = fields[index].field;
            let bits = (u128::MAX >> (128 - field.width)) << field.lsb;
            if word >= field.word && word - field.word < 4 {
                mask |= (bits >> (32 * (word - field.word))) as u32;
            }
            index += 1;
        }
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_words_follow_from_the_fields() {
        assert_eq!(Command::AllocMr.used_words(), 0b1_1111);
        assert_eq!(Command::Probe.used_words(), 0b11_1111);
        assert_eq!(Command::CreateQp.used_words(), 0b11_1101_1111);
        assert_eq!(Command::ModifyQp.used_words(), 0x3_FFFF);
        assert_eq!(Command::QueryMr.used_words(), 1);
    }

    #[test]
    fn used_bits_follow_from_the_fields() {
        assert_eq!(Command::AllocMr.used_bits(2), 0xFFFF);
        assert_eq!(Command::Probe.used_bits(5), 0x1FF);
        assert_eq!(Command::CreateQp.used_bits(4), 0x3_FFFF);
        assert_eq!(Command::CreateQp.used_bits(5), 0);
        assert_eq!(Command::ModifyQp.used_bits(0xA), u32::MAX);
        assert_eq!(Command::ModifyQp.used_bits(0xB), 0x03FF_FFFF);
        assert_eq!(Command::ModifyQp.used_bits(0xF), u32::MAX);
    }

    #[test]
    fn fields_fit_and_do_not_overlap() {
        for command in Command::ALL {
            for (fields, words) in [(command.fields(), COMMAND_WORDS), (command.answer(), ANSWER_WORDS)] {
                let mut used = [0u32; 32];
                for named in fields {
                    for bit in named.field.lsb..named.field.lsb + named.field.width {
                        let (word, mask) = (named.field.word + bit as usize / 32, 1 << (bit % 32));
                        assert!(word < words, "{command} {}", named.name);
                        assert_eq!(used[word] & mask, 0, "{command} {} overlaps", named.name);
                        used[word] |= mask;
                    }
                }
            }
        }
    }
}
