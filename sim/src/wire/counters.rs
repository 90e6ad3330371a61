//! What has passed an end of the wire.

macro_rules! counters {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// Counters of one end. Faults count at the end that should have received the frame.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counters {
            $($(#[doc = $doc])+ pub $name: u64,)+
        }

        impl Counters {
            /// Names of all counters.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name),)+];

            /// The counter with this name.
            #[must_use]
            pub fn by_name(&self, name: &str) -> Option<u64> {
                match name {
                    $(stringify!($name) => Some(self.$name),)+
                    _ => None,
                }
            }
        }
    };
}

counters! {
    /// Frames that the end has sent.
    sent,
    /// Bytes of those.
    sent_bytes,
    /// Frames that have been handed to the end.
    received,
    /// Bytes of those.
    received_bytes,
    /// Frames made up and sent to the end.
    injected,
    /// Frames that were lost on the way to the end.
    lost,
    /// Second copies of frames for the end.
    duplicated,
    /// Frames that were late.
    reordered,
    /// Frames with flipped bits.
    corrupted,
    /// Frames marked bad.
    marked,
    /// Frames dropped because too many were waiting.
    overrun,
}
