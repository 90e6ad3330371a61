//! Access rights of a memory region (section 1 of the rules; bits as the MR entry stores them, M1).

described! {
    /// The rights and modes, by bit.
    TABLE: u8;
    /// LW, local write: receive buffer, READ sink, atomic result. Local read needs no bit.
    LW = 0x01;
    /// RW, remote write; only together with LW (B8).
    RW = 0x02;
    /// RR, remote read.
    RR = 0x04;
    /// RA, remote atomic; only together with LW (B8).
    RA = 0x08;
    /// RINV, remote invalidation allowed. Set by hardware when a remote right is granted (C12); never in a REG_MR.
    RINV = 0x10;
    /// ZB, zero based: the valid addresses are 0 to length - 1 (E12). A mode, not a right.
    ZB = 0x20;
}

/// Bits that a REG_MR may carry; others fail B9.
pub const REGISTRABLE: u8 = LW | RW | RR | RA | ZB;
/// The remote rights; one of them makes the region remotely invalidable.
pub const REMOTE: u8 = RW | RR | RA;
/// Remote rights that are refused without LW (B8).
pub const NEED_LW: u8 = RW | RA;
/// Bits of the access flags of a queue pair (MODIFY_QP).
pub const QP: u8 = RW | RR | RA;
/// Bits that PROBE may ask for.
pub const PROBE: u8 = LW | RW | RR | RA;
