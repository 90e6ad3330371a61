//! Drain: ERR, one marker request, its completion (D15).
//!
//! The marker's completion comes after those of all earlier requests of the send queue. Receive requests are flushed in their
//! own order, so the drain counts them.

use rnic_abi::qp::State;

use super::QueuePair;
use crate::completion::Retired;
use crate::error::{Error, Wait};
use crate::platform::Platform;

impl<P: Platform> QueuePair<P> {
    /// Moves to ERR and waits until every request posted has been completed or flushed. Their completions wait in the completion
    /// queues for the consumer. Answers the requests that ended without a completion: unsignaled and successful.
    /// After it, [`reset`](QueuePair::reset) is possible (D16) and memory regions of flushed requests can be
    /// [recovered](crate::MemoryRegion::recover) or deregistered (D13).
    ///
    /// # Errors
    /// - [`Wait::Drain`] (ETIMEDOUT): completions are missing, for example because the completion queue has overflowed. The call may be
    ///   repeated; [`reset_now`](QueuePair::reset_now) and [`destroy`](QueuePair::destroy) end everything.
    /// - [`Error::Protocol`] (EPROTO): the device wrote a completion that cannot be.
    /// - [`Error::Admin`]: the device refused the transition to ERR.
    /// - [`Protocol::AdminErrno`](crate::Protocol) (EPROTO): it answered with an errno that no command has.
    /// - [`Wait::AdminCommand`], [`Wait::MailboxFree`] (ETIMEDOUT), [`Error::Bus`]: the device does not answer.
    pub fn drain(&self) -> Result<Vec<Retired<P>>, Error> {
        let pair = &self.pair;
        let limit = self.device.limits().drain;
        if pair.state.get() != State::Err {
            self.to_err()?;
        }
        // Requests that were staged but never rung must be flushed too; and a full ring has no room for the marker.
        self.ring_all()?;
        self.device.wait_until(limit, Wait::Drain, || {
            pair.send_cq.gather(&self.device)?;
            Ok(pair.send.borrow().free() > 0)
        })?;
        self.write_marker();
        pair.markers.set(pair.markers.get() + 1);
        self.ring_all()?;
        self.device.wait_until(limit, Wait::Drain, || {
            pair.send_cq.gather(&self.device)?;
            pair.receive_cq.gather(&self.device)?;
            Ok(pair.markers.get() == 0 && pair.receive.borrow().outstanding() == 0)
        })?;
        pair.drained.borrow().set(true);
        Ok(std::mem::take(&mut *pair.unclaimed.borrow_mut()))
    }

    /// After an error: everything posted ends, and the queue pair is in RESET and can be connected anew. Nothing else is touched.
    /// Completions that have not been polled are discarded; the answer names all requests that ended without one the consumer
    /// has seen. If completions are missing, RESET ends everything all the same (T6).
    ///
    /// ```
    /// # use rnic_driver::*;
    /// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
    /// # let (peer, options) = (rnic_mock::peer(), ConnectOptions::default());
    /// qp.post_send_list([SendRequest::send(1, []), SendRequest::send(2, [])])?;
    /// let ended = qp.recover()?;
    /// assert_eq!(ended.len(), 2); // to be repeated
    /// let own = qp.endpoint(0, 4711)?; // tell the peer
    /// qp.connect(&own, &peer, &options)?;
    /// assert_eq!(qp.state(), QpState::Rts);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The call may be repeated after each of them.
    /// - as [`drain`](QueuePair::drain) and [`reset_now`](QueuePair::reset_now), but for [`Wait::Drain`].
    pub fn recover(&self) -> Result<Vec<Retired<P>>, Error> {
        let mut ended = match self.drain() {
            Ok(ended) => ended,
            Err(Error::Timeout(Wait::Drain)) => Vec::new(),
            Err(error) => return Err(error),
        };
        ended.extend(self.reset_now()?);
        Ok(ended)
    }

    fn ring_all(&self) -> Result<(), Error> {
        let failed = match self.ring_send() {
            Err(bad) => Some(bad.error),
            Ok(()) => self.ring_receive().err(),
        };
        match failed {
            Some(super::PostError::Doorbell(error)) => Err(Error::Bus(error)),
            _ => Ok(()),
        }
    }
}
