//! A mapping of an I/O: in use, being ended, ended. The same for both sides of the connection, and for plain and registered ones.
use super::StorageError;
use crate::platform::SimPlatform;
use rnic_driver::{Again, Error, Mapping, SlotSide, Unmap, Unmapping};

pub(super) enum Held<K: SlotSide> {
    Live(Mapping<SimPlatform, K>),
    Ending(Unmapping<SimPlatform, K>),
    Over,
}

impl<K: SlotSide> Held<K> {
    /// Begins to end it, if that has not begun.
    pub fn unmap(&mut self, wr_id: u64) -> Result<(), StorageError> {
        *self = match std::mem::replace(self, Held::Over) {
            Held::Live(map) => match map.unmap(wr_id).map_err(|kept| kept.error)? {
                Unmap::Done(_) => Held::Over,
                Unmap::Pending(end) => Held::Ending(end),
            },
            other => other,
        };
        Ok(())
    }

    /// Goes on with an end that has begun; true when nothing is left.
    pub fn finish(&mut self) -> Result<bool, StorageError> {
        *self = match std::mem::replace(self, Held::Over) {
            Held::Ending(end) => match end.finish() {
                Ok(_) => Held::Over,
                Err(kept) if kept.error == Error::Again(Again::Outstanding) => Held::Ending(kept.object),
                Err(kept) => return Err(kept.error.into()),
            },
            other => other,
        };
        Ok(matches!(self, Held::Over))
    }

    /// Ends it after the queue pair has been reset: nothing may be left then.
    pub fn end_after_reset(&mut self) -> Result<(), StorageError> {
        self.unmap(0)?;
        if self.finish()? {
            Ok(())
        } else {
            Err(StorageError::Stuck("a mapping is in use after the reset of its queue pair".into()))
        }
    }
}
