//! Errors of admin commands: Linux numbers.

codes! {
    /// Answer of an admin command. One that answers an error has changed nothing; only after ETIMEDOUT the object stays
    /// blocked until a retry succeeds (A17).
    pub enum Errno {
        /// Done.
        Success, SUCCESS = 0, "";
        /// Not now: the device is in reset, or was stopped.
        Eagain, EAGAIN = 11, "";
        /// No room.
        Enomem, ENOMEM = 12, "A5";
        /// The object is in use.
        Ebusy, EBUSY = 16, "";
        /// A field is wrong, or the object does not exist.
        Einval, EINVAL = 22, "";
        /// The device does not offer it.
        Eopnotsupp, EOPNOTSUPP = 95, "A2";
        /// A drain took longer than DRAIN_MAX.
        Etimedout, ETIMEDOUT = 110, "A17";
    }
}
