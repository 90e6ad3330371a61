//! What has happened on a link, counted.

macro_rules! counters {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// Counters of a link since it was opened.
        ///
        /// ```
        /// use rnic_link::Counters;
        ///
        /// let counters = Counters { duplicates: 2, ..Counters::default() };
        /// let seen: Vec<_> = counters.rows().filter(|(_, value)| *value != 0).collect();
        /// assert_eq!(seen, [("duplicates", 2)]);
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counters {
            $($(#[doc = $doc])+ pub $name: u64,)+
        }

        impl Counters {
            /// All of them with their names.
            pub fn rows(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name)),+].into_iter()
            }
        }
    };
}

counters! {
    /// Frames given to the transport.
    frames_sent,
    /// Frames that the transport had no room for, or could not send for the moment; the link takes them as lost on the wire.
    frames_refused,
    /// Frames from the transport, good or bad.
    frames_received,
    /// TLPs sent, each once.
    tlps_sent,
    /// TLPs sent again.
    tlps_resent,
    /// TLPs accepted, each once.
    tlps_accepted,
    /// Resends because nothing was acknowledged in time (LK10).
    retransmit_timeouts,
    /// NAK frames sent (LK6).
    naks_sent,
    /// NAK frames received (LK9).
    naks_received,
    /// Times that a class asked for credit (LK15).
    credit_requests,
    /// Frames shorter than a header (LK2).
    short_frames,
    /// Frames of another station than the device.
    foreign_source,
    /// Frames for another station (LK2).
    foreign_destination,
    /// Frames of another protocol (LK2).
    foreign_ethertype,
    /// Frames of another version (LK2).
    bad_version,
    /// Frames of a type that does not exist (LK2).
    bad_type,
    /// Frames whose body is no multiple of 4 bytes or passes their end (LK2).
    bad_length,
    /// OPENED frames whose body makes no sense.
    bad_body,
    /// Frames of another session (LK2).
    other_session,
    /// Frames of a type that a host does not take, or not in this state.
    unexpected_type,
    /// Frames with an acknowledgement outside the window (LK7).
    bad_ack,
    /// TLPs that had been accepted before (LK6).
    duplicates,
    /// TLPs behind one that is missing (LK6).
    gaps,
    /// BEACON frames.
    beacons,
    /// TLPs that break the format (TL6).
    tlp_malformed,
    /// Requests that are answered with UR because nobody serves their kind (TL7).
    tlp_unsupported,
    /// Poisoned writes, dropped (TL8).
    tlp_poisoned,
    /// Completions that nobody waits for (RD3).
    completions_unexpected,
    /// Completions whose fields do not fit the read (RD3).
    completions_wrong,
    /// BAR reads without an answer in time (HO4).
    read_timeouts,
    /// Writes by the device outside its memory (HO3).
    bad_writes,
    /// Reads by the device outside its memory (HO3).
    bad_reads,
    /// Interrupts.
    interrupts,
    /// Events that had no room in the queue.
    events_lost,
}
