//! The Linux error numbers that the driver's errors stand for.

use std::fmt;

/// A Linux error number. Every error enum of this crate has a method `errno()` that gives one.
///
/// ```
/// # use rnic_driver::{Again, Errno, Error};
/// assert_eq!(Error::Again(Again::Slot).errno(), Errno::Eagain);
/// assert_eq!((Errno::Eagain.number(), Errno::from_name("EAGAIN")), (11, Some(Errno::Eagain)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Errno {
    /// 5: a bus access failed.
    Eio = 5,
    /// 11: not now; the same call may succeed later.
    Eagain = 11,
    /// 12: a table, a ring or memory is full.
    Enomem = 12,
    /// 16: the object is in use.
    Ebusy = 16,
    /// 19: there is no rnic behind this BAR.
    Enodev = 19,
    /// 22: an argument is not allowed.
    Einval = 22,
    /// 71: the device broke its own rules.
    Eproto = 71,
    /// 95: this device does not offer the operation.
    Eopnotsupp = 95,
    /// 110: the device did not answer within the time limit.
    Etimedout = 110,
}

impl Errno {
    /// The number as Linux has it.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The name as Linux has it, for example `EINVAL`.
    pub const fn name(self) -> &'static str {
        match self {
            Errno::Eio => "EIO",
            Errno::Eagain => "EAGAIN",
            Errno::Enomem => "ENOMEM",
            Errno::Ebusy => "EBUSY",
            Errno::Enodev => "ENODEV",
            Errno::Einval => "EINVAL",
            Errno::Eproto => "EPROTO",
            Errno::Eopnotsupp => "EOPNOTSUPP",
            Errno::Etimedout => "ETIMEDOUT",
        }
    }

    /// All numbers, for tools that read names.
    pub const ALL: [Errno; 9] = [
        Errno::Eio,
        Errno::Eagain,
        Errno::Enomem,
        Errno::Ebusy,
        Errno::Enodev,
        Errno::Einval,
        Errno::Eproto,
        Errno::Eopnotsupp,
        Errno::Etimedout,
    ];

    /// The error number with this Linux name.
    pub fn from_name(name: &str) -> Option<Errno> {
        Errno::ALL.into_iter().find(|errno| errno.name() == name)
    }

    /// The error number with this value, if the driver knows it.
    pub fn from_number(number: u8) -> Option<Errno> {
        Errno::ALL.into_iter().find(|errno| errno.number() == number)
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
