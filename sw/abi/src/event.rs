//! Event ring entry: 16 bytes, written in one burst.

/// Bytes of an entry.
pub const BYTES: usize = 16;

places! {
    /// The fields of an entry.
    FIELDS;
    /// Event kind.
    KIND = 0x00, 4;
    /// Number of the queue pair or completion queue, else 0.
    NUMBER = 0x04, 4;
    /// Detail: a syndrome.
    DETAIL = 0x08, 4;
    /// The last word, whose bit 31 is the phase.
    OWNER = 0x0C, 4;
}

/// Phase bit of the owner word, as in a CQE.
pub const PHASE: u32 = 1 << 31;

codes! {
    /// What happened; numbers as `ibv_event_type` where it has them.
    ///
    /// ```
    /// # use rnic_abi::event::Kind;
    /// assert_eq!((Kind::SqDrained.code(), Kind::from_u8(5)), (5, Some(Kind::SqDrained)));
    /// assert_eq!(Kind::SqDrained.name(), "SQ_DRAINED");
    /// ```
    pub enum Kind {
        /// A completion queue overflowed, or could not be written (CQN).
        CqErr, CQ_ERR = 0, "T78";
        /// A queue pair failed by an internal fault, or we sent NAK 63 (QPN).
        QpFatal, QP_FATAL = 1, "T76";
        /// We sent NAK 61 (QPN).
        QpReqErr, QP_REQ_ERR = 2, "T76";
        /// We sent NAK 62 (QPN).
        QpAccessErr, QP_ACCESS_ERR = 3, "T76";
        /// First request on a queue pair in RTR (QPN).
        CommEst, COMM_EST = 4, "T3";
        /// The send queue is drained in SQD (QPN).
        SqDrained, SQ_DRAINED = 5, "T77";
        /// The device cannot go on; it needs a reset (0).
        DeviceFatal, DEVICE_FATAL = 8, "C9";
    }
}

/// An event as the device writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// See [`Kind`]; kept as a number, so that an unknown one can be shown.
    pub kind: u32,
    /// Number of the object.
    pub number: u32,
    /// Syndrome.
    pub detail: u32,
    /// Phase bit of the round in which it was written.
    pub phase: bool,
}

impl Event {
    /// The bytes in host memory.
    pub fn encode(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        KIND.put(&mut bytes, self.kind.into());
        NUMBER.put(&mut bytes, self.number.into());
        DETAIL.put(&mut bytes, self.detail.into());
        OWNER.put(&mut bytes, if self.phase { PHASE.into() } else { 0 });
        bytes
    }

    /// Reads the bytes of host memory.
    pub fn decode(bytes: &[u8; BYTES]) -> Self {
        Self {
            kind: KIND.get(bytes) as u32,
            number: NUMBER.get(bytes) as u32,
            detail: DETAIL.get(bytes) as u32,
            phase: OWNER.get(bytes) as u32 & PHASE != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_comes_back() {
        let event = Event { kind: DEVICE_FATAL.into(), number: 0x123456, detail: 0x10, phase: true };
        let bytes = event.encode();
        assert_eq!((bytes[0], bytes[4], bytes[8], bytes[15]), (8, 0x56, 0x10, 0x80));
        assert_eq!(Event::decode(&bytes), event);
    }
}
