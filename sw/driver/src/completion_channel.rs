//! Completion channels: one wait for several completion queues that share an interrupt vector.

use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use crate::completion_queue::{CompletionQueue, CompletionRing};
use crate::device::Device;
use crate::error::{Error, Invalid};
use crate::platform::{Bar, Platform};

/// Completion queues of one interrupt vector, and a wait for any of them.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let mut channel = CompletionChannel::new(&device, 3)?;
/// let queues = [device.create_cq(64, 3)?, device.create_cq(64, 3)?];
/// for queue in &queues {
///     channel.add(queue)?;
/// }
/// # let qp = device.create_qp(&pd, &queues[1], &queues[1], QpOptions::default())?;
/// # qp.activate()?;
/// qp.post_send(SendRequest::send(1, []))?; // of a queue pair that completes into the second queue
/// assert_eq!(channel.wait(limit)?, [queues[1].number()]);
/// assert_eq!(queues[1].poll()?.map(|completion| completion.wr_id), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CompletionChannel<P: Platform> {
    device: Device<P>,
    vector: u8,
    rings: Vec<Rc<CompletionRing<P>>>,
}

impl<P: Platform> CompletionChannel<P> {
    /// A channel of interrupt `vector`, without queues yet.
    ///
    /// # Errors
    /// [`Invalid::Vector`] (EINVAL): the device has no such vector.
    pub fn new(device: &Device<P>, vector: u8) -> Result<CompletionChannel<P>, Error> {
        if vector >= device.capabilities().vectors {
            return Err(Error::Invalid(Invalid::Vector));
        }
        Ok(CompletionChannel { device: device.clone(), vector, rings: Vec::new() })
    }

    /// Adds a queue. Adding it twice changes nothing.
    ///
    /// # Errors
    /// - [`Invalid::OtherDevice`] (EINVAL): of another device.
    /// - [`Invalid::Vector`] (EINVAL): of another vector.
    pub fn add(&mut self, queue: &CompletionQueue<P>) -> Result<(), Error> {
        if !queue.belongs_to(&self.device) {
            return Err(Error::Invalid(Invalid::OtherDevice));
        }
        if queue.ring.vector() != self.vector {
            return Err(Error::Invalid(Invalid::Vector));
        }
        self.rings.retain(|ring| ring.is_live());
        if !self.rings.iter().any(|ring| Rc::ptr_eq(ring, &queue.ring)) {
            self.rings.push(queue.ring.clone());
        }
        Ok(())
    }

    /// Takes a queue out. One that is destroyed leaves by itself.
    pub fn remove(&mut self, queue: &CompletionQueue<P>) {
        self.rings.retain(|ring| !Rc::ptr_eq(ring, &queue.ring));
    }

    /// Numbers of the queues that have something to poll, now.
    pub fn ready(&self) -> Vec<u32> {
        self.rings.iter().filter(|ring| ring.has_completion()).map(|ring| ring.number).collect()
    }

    /// Waits by interrupt until some queue has something to poll, or `limit` has passed. Answers the numbers of those that have:
    /// none after a timeout.
    ///
    /// # Errors
    /// [`Error::Bus`]: a doorbell cannot be written, or no interrupt can arrive.
    pub fn wait(&self, limit: Duration) -> Result<Vec<u32>, Error> {
        let start = self.device.now();
        loop {
            let ready = self.ready();
            let left = limit.saturating_sub(self.device.now().saturating_sub(start));
            if !ready.is_empty() || left.is_zero() {
                return Ok(ready);
            }
            // Armed before the last look, so that nothing is missed: an armed queue that is not empty fires at once.
            self.rings.iter().try_for_each(|ring| ring.arm(&self.device))?;
            self.device.platform().bar().wait_interrupt(self.vector, left)?;
        }
    }
}

impl<P: Platform> fmt::Debug for CompletionChannel<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CompletionChannel {{ vector {}, {} queues }}", self.vector, self.rings.len())
    }
}
