//! Completion status; numbers in the order of `ibv_wc_status`.

codes! {
    /// Status of a completion.
    ///
    /// ```
    /// # use rnic_abi::status::Status;
    /// assert_eq!((Status::WrFlush.code(), Status::from_u8(5)), (5, Some(Status::WrFlush)));
    /// assert_eq!(Status::WrFlush.name(), "WR_FLUSH");
    /// ```
    pub enum Status {
        /// Done; so are all earlier WRs of the queue (D9).
        Success, SUCCESS = 0, "D9";
        /// Message longer than the receive buffer.
        LocLen, LOC_LEN = 1, "D";
        /// Malformed or unsupported WQE.
        LocQpOp, LOC_QP_OP = 2, "B1, D19";
        /// SGE failed the access check, or its memory could not be read or written.
        LocProt, LOC_PROT = 4, "D";
        /// Not executed: the queue pair was in ERR.
        WrFlush, WR_FLUSH = 5, "D11";
        /// REG_MR or LOCAL_INV failed; the region is unchanged.
        MwBind, MW_BIND = 6, "B2-B19, C3-C6";
        /// Response of the wrong kind.
        BadResp, BAD_RESP = 7, "G7";
        /// Reserved: never emitted.
        LocAccess, LOC_ACCESS = 8, "D";
        /// The peer refused the request.
        RemInvReq, REM_INV_REQ = 9, "D";
        /// The peer's memory region refused the access.
        RemAccess, REM_ACCESS = 10, "D";
        /// The peer could not do it.
        RemOp, REM_OP = 11, "D";
        /// No answer after all retries.
        RetryExc, RETRY_EXC = 12, "G8";
        /// The peer had no receive buffer after all retries.
        RnrRetryExc, RNR_RETRY_EXC = 13, "G8";
        /// The device failed.
        Fatal, FATAL = 19, "";
        /// Anything else.
        General, GENERAL = 21, "";
    }
}
