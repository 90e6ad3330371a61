//! Queue pairs: states, attributes, and the transitions that MODIFY_QP takes (T1, T2).
use crate::admin::modify_qp as word;
use crate::{limits, WordField};

codes! {
    /// State of a queue pair.
    ///
    /// ```
    /// # use rnic_abi::qp::State;
    /// assert!(State::Init.takes_receives() && !State::Init.takes_sends());
    /// assert_eq!(State::from_name("RTS"), Some(State::Rts));
    /// ```
    pub enum State {
        /// Created, or reset; nothing is posted.
        Reset, RESET = 0, "T1";
        /// Receives may be posted.
        Init, INIT = 1, "T1";
        /// Ready to receive.
        Rtr, RTR = 2, "T1";
        /// Ready to send.
        Rts, RTS = 3, "T1";
        /// Send queue draining: nothing new starts.
        Sqd, SQD = 4, "T77";
        /// Send queue error; not used for RC.
        Sqe, SQE = 5, "T1";
        /// Error: everything posted is flushed.
        Err, ERR = 6, "D11";
    }
}

impl State {
    /// Sends may be posted: a doorbell is taken (B23).
    pub const fn takes_sends(self) -> bool {
        matches!(self, Self::Rts | Self::Sqd | Self::Err)
    }

    /// Receives may be posted: a doorbell is taken (T4).
    pub const fn takes_receives(self) -> bool {
        !matches!(self, Self::Reset)
    }
}

described! {
    /// Bits of the attribute mask of MODIFY_QP: which fields are given.
    ATTRIBUTES: u32;
    /// Access flags.
    ACCESS = 1 << 0;
    /// Partition key.
    PKEY = 1 << 1;
    /// Address vector: words 9 to 11h.
    ADDRESS_VECTOR = 1 << 2;
    /// Path MTU.
    MTU = 1 << 3;
    /// Queue pair number of the peer.
    DEST_QPN = 1 << 4;
    /// First PSN that we expect.
    RQ_PSN = 1 << 5;
    /// READs and atomics that the peer may have outstanding here.
    MAX_DEST_RD = 1 << 6;
    /// Code of the RNR timer that we ask for.
    MIN_RNR = 1 << 7;
    /// Code of the acknowledge timeout.
    TIMEOUT = 1 << 8;
    /// Retries after a timeout.
    RETRY_CNT = 1 << 9;
    /// Retries after RNR; 7 is for ever.
    RNR_RETRY = 1 << 10;
    /// First PSN that we send.
    SQ_PSN = 1 << 11;
    /// READs and atomics that we may have outstanding.
    MAX_RD = 1 << 12;
    /// Whether SQ_DRAINED is wanted.
    DRAINED_EVENT = 1 << 13;
}

/// A transition that MODIFY_QP takes. Anything else answers EINVAL and changes nothing (T1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// State before; `None` is any.
    pub from: Option<State>,
    /// State after.
    pub to: State,
    /// Attributes that must be given.
    pub required: u32,
    /// Attributes that may be given besides.
    pub optional: u32,
}

const fn row(from: Option<State>, to: State, required: u32, optional: u32) -> Transition {
    Transition { from, to, required, optional }
}

/// The table of T1.
pub const TRANSITIONS: &[Transition] = &[
    row(Some(State::Reset), State::Init, PKEY | ACCESS, 0),
    row(Some(State::Init), State::Init, 0, PKEY | ACCESS),
    row(Some(State::Init), State::Rtr, ADDRESS_VECTOR | MTU | DEST_QPN | RQ_PSN | MAX_DEST_RD | MIN_RNR, PKEY | ACCESS),
    row(Some(State::Rtr), State::Rts, TIMEOUT | RETRY_CNT | RNR_RETRY | SQ_PSN | MAX_RD, ACCESS | MIN_RNR),
    row(Some(State::Rts), State::Rts, 0, ACCESS | MIN_RNR),
    row(Some(State::Sqd), State::Rts, 0, ACCESS | MIN_RNR),
    row(Some(State::Rts), State::Sqd, 0, DRAINED_EVENT),
    row(
        Some(State::Sqd),
        State::Sqd,
        0,
        ADDRESS_VECTOR | TIMEOUT | RETRY_CNT | RNR_RETRY | MAX_RD | MAX_DEST_RD | ACCESS | PKEY | MIN_RNR,
    ),
    row(None, State::Err, 0, 0),
    row(None, State::Reset, 0, 0),
];

/// The transition from one state to another, if there is one.
pub fn transition(from: State, to: State) -> Option<&'static Transition> {
    TRANSITIONS.iter().find(|row| row.to == to && row.from.is_none_or(|state| state == from))
}

/// Values that an attribute may have (T2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Bit of the attribute mask.
    pub attribute: u32,
    /// Where the value stands in MODIFY_QP.
    pub field: WordField,
    /// Smallest value.
    pub min: u32,
    /// Largest value; [`RD_MAX`] stands for the preset's.
    pub max: u32,
}

/// Placeholder in [`RANGES`]: the largest value is `rd_max` of the preset.
pub const RD_MAX: u32 = u32::MAX;

const fn range(attribute: u32, field: WordField, min: u32, max: u32) -> Range {
    Range { attribute, field, min, max }
}

/// The ranges of T2. Only given attributes are judged.
pub const RANGES: &[Range] = &[
    range(ACCESS, word::ACCESS, 0, 0x0E),
    range(ADDRESS_VECTOR, word::OWN_ADDRESS, 0, limits::OWN_ADDRESSES - 1),
    range(ADDRESS_VECTOR, word::FLOW_LABEL, 0, (1 << 20) - 1),
    range(MTU, word::MTU, 1, 5),
    range(DEST_QPN, word::DEST_QPN, 2, limits::QPN_LIMIT - 1),
    range(RQ_PSN, word::RQ_PSN, 0, (1 << 24) - 1),
    range(MAX_DEST_RD, word::MAX_DEST_RD, 0, RD_MAX),
    range(MIN_RNR, word::MIN_RNR, 0, 31),
    range(TIMEOUT, word::TIMEOUT, 0, 31),
    range(RETRY_CNT, word::RETRY_CNT, 0, 7),
    range(RNR_RETRY, word::RNR_RETRY, 0, 7),
    range(SQ_PSN, word::SQ_PSN, 0, (1 << 24) - 1),
    range(MAX_RD, word::MAX_RD, 0, RD_MAX),
    range(DRAINED_EVENT, word::DRAINED_EVENT, 0, 1),
];

impl Range {
    /// Whether a value is allowed, with `rd_max` of the preset. Access flags have only RW, RR, RA.
    pub const fn allows(&self, value: u32, rd_max: u32) -> bool {
        let max = if self.max == RD_MAX { rd_max } else { self.max };
        value >= self.min && value <= max && (self.attribute != ACCESS || value & !(crate::access::QP as u32) == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_listed_transitions_exist() {
        let listed = |from, to| transition(from, to).is_some();
        let count = State::ALL.iter().flat_map(|f| State::ALL.iter().filter(move |t| listed(*f, **t))).count();
        // Eight rows of their own, and from each of seven states to ERR and to RESET.
        assert_eq!(count, 8 + 2 * State::ALL.len());
        assert!(listed(State::Rtr, State::Rts) && !listed(State::Init, State::Rts) && !listed(State::Err, State::Init));
        assert!(!State::ALL.iter().any(|from| listed(*from, State::Sqe)));
    }

    #[test]
    fn every_attribute_is_placed_by_some_transition() {
        let all = TRANSITIONS.iter().fold(0, |mask, row| mask | row.required | row.optional);
        assert_eq!(all, (1 << ATTRIBUTES.len()) - 1);
        assert!(TRANSITIONS.iter().all(|row| row.required & row.optional == 0));
    }

    #[test]
    fn ranges_have_their_edges() {
        let allows = |attribute, value| RANGES.iter().any(|r| r.attribute == attribute && r.allows(value, 4));
        assert!(allows(MTU, 1) && allows(MTU, 5) && !allows(MTU, 0) && !allows(MTU, 6));
        assert!(!allows(DEST_QPN, 1) && allows(DEST_QPN, 2) && allows(DEST_QPN, 0xFF_FFFF));
        assert!(allows(MAX_RD, 4) && !allows(MAX_RD, 5));
        assert!(allows(ACCESS, 0x0E) && !allows(ACCESS, 0x01) && !allows(ACCESS, 0x10));
    }
}
