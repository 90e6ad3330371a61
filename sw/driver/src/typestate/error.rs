//! What can go wrong with a region whose state is part of its type.

use std::fmt;

use super::{Mr, Pending, Phase, Quarantined};
use crate::errno::Errno;
use crate::error::{Again, Busy, Error};
use crate::platform::Platform;
use crate::queue_pair::PostError;

/// Why a region is not where its request leads to.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let mut mr = device.alloc_fast_reg_mr(&pd, 8)?.into_typed()?;
/// # let list = device.dma_map(&rnic_mock::memory(1), Direction::ToDevice)?;
/// # mr.map_mr_sg(&list, 0, 4096)?;
/// # mock.with(|state| state.mrs.values_mut().for_each(|mr| mr.valid = true));
/// let pending = mr.register(&qp, 1, Access::NONE)?;
/// assert_eq!(cq.next(limit)?.syndrome, Syndrome::MrNotFree); // the device refuses it
/// let unsettled = pending.settle().unwrap_err();
/// assert_eq!(unsettled.errno(), Errno::Eio);
/// assert!(matches!(unsettled, Unsettled::Before(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub enum Unsettled<P: Platform, S: Phase> {
    /// EAGAIN: its completion has not been polled.
    Outstanding(Pending<P, S>),
    /// EIO: it is where it was before: the request has failed, and changed nothing (I4); or the peer has invalidated what was
    /// registered.
    Before(Mr<P, S::Before>),
    /// EBUSY: the request was flushed.
    Quarantined(Quarantined<P>),
}

/// The cases of [`Unsettled`], without their regions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unfinished {
    Outstanding,
    Before,
    Quarantined,
}

impl Unfinished {
    pub(crate) fn errno(self) -> Errno {
        match self {
            Unfinished::Outstanding => Error::Again(Again::Outstanding).errno(),
            Unfinished::Before => Errno::Eio,
            Unfinished::Quarantined => Error::Busy(Busy::Quarantined).errno(),
        }
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unfinished::Outstanding => "the request on the region has not completed",
            Unfinished::Before => "the region is in the state that it had before",
            Unfinished::Quarantined => "the request on the region was flushed",
        })
    }
}

impl<P: Platform, S: Phase> Unsettled<P, S> {
    fn case(&self) -> Unfinished {
        match self {
            Unsettled::Outstanding(_) => Unfinished::Outstanding,
            Unsettled::Before(_) => Unfinished::Before,
            Unsettled::Quarantined(_) => Unfinished::Quarantined,
        }
    }

    /// The Linux error number that it stands for.
    pub fn errno(&self) -> Errno {
        self.case().errno()
    }
}

impl<P: Platform, S: Phase> fmt::Display for Unsettled<P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.case().fmt(f)
    }
}

impl<P: Platform, S: Phase> std::error::Error for Unsettled<P, S> {}

impl<P: Platform, S: Phase> fmt::Debug for Unsettled<P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Why a request on a region was not posted.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let mr = device.alloc_fast_reg_mr(&pd, 8)?.into_typed()?;
/// let refused = mr.register(&qp, 1, Access::NONE).unwrap_err(); // nothing is mapped
/// assert_eq!(refused.error, RegisterError::Mapping(Error::Invalid(Invalid::NotMapped)));
/// assert_eq!(refused.error.errno(), Errno::Einval);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// Nothing is mapped into it, or its address was replaced by a wrong one.
    #[error(transparent)]
    Mapping(#[from] Error),
    /// The queue pair does not take it.
    #[error(transparent)]
    Post(#[from] PostError),
}

impl RegisterError {
    /// The Linux error number that the error stands for.
    pub fn errno(&self) -> Errno {
        match self {
            RegisterError::Mapping(error) => error.errno(),
            RegisterError::Post(error) => error.errno(),
        }
    }
}

/// A request that was not posted, and its region, unchanged.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let mr = device.alloc_fast_reg_mr(&pd, 8)?.into_typed()?;
/// let NotPosted { error, object: mut mr } = mr.register(&qp, 1, Access::NONE).unwrap_err();
/// assert_eq!(error.errno(), Errno::Einval); // nothing is mapped
/// # let list = device.dma_map(&rnic_mock::memory(1), Direction::ToDevice)?;
/// mr.map_mr_sg(&list, 0, 4096)?;
/// assert!(mr.register(&qp, 1, Access::NONE).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct NotPosted<T> {
    /// Why.
    pub error: RegisterError,
    /// The region.
    pub object: T,
}
