//! QUERY_QP.

words! {
    /// Command.
    FIELDS;
    /// Queue pair number.
    QPN = 0 [31:0];
}

words! {
    /// Answer.
    ANSWER;
    /// State.
    STATE = 0 [7:0];
    /// The send queue is drained (T77).
    DRAINED = 0 [8:8];
    /// Next PSN to send.
    HPSN = 1 [31:0];
    /// Oldest PSN not acknowledged.
    UNA = 2 [31:0];
    /// Expected PSN.
    EPSN = 3 [31:0];
    /// Requests served.
    MSN = 4 [31:0];
    /// SQ slots retired, free-running.
    SQ_RETIRED = 5 [15:0];
    /// RQ slots used, free-running.
    RQ_USED = 5 [31:16];
    /// WQEs in flight.
    IN_FLIGHT = 6 [31:0];
}
