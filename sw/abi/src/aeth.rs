//! Syndromes of the acknowledge extended header (AETH), as they stand on the wire (G5).

codes! {
    /// Syndrome of an acknowledgement.
    pub enum Answer {
        /// ACK without a credit limit; the low five bits are the credit.
        Ack, ACK = 0x1F, "T60";
        /// RNR NAK; the low five bits are the code of the timer.
        Rnr, RNR = 0x20, "T55";
        /// NAK: PSN sequence error.
        Sequence, SEQUENCE = 0x60, "T51";
        /// NAK: invalid request.
        InvalidRequest, INVALID_REQUEST = 0x61, "G5";
        /// NAK: remote access error.
        RemoteAccess, REMOTE_ACCESS = 0x62, "G5";
        /// NAK: remote operational error.
        RemoteOperation, REMOTE_OPERATION = 0x63, "G5";
    }
}
