//! Chains of a slot pool: registrations in front of the requests that use them, and invalidations (F12, F14, F17, F19).
//!
//! A chain is posted whole or not at all. Its registrations take places of the ring that were promised to the pool, the requests
//! behind them take ordinary ones.

use std::rc::Rc;

use super::check::{check_send, check_send_state, PostError};
use super::post::{BadWr, Share};
use super::request::SendRequest;
use super::{Promise, QueuePair};
use crate::platform::Platform;

/// A request, and the promise that gives it its place in the ring.
pub(crate) type Promised<P> = (SendRequest<P>, Rc<Promise>);

impl<P: Platform> QueuePair<P> {
    /// Posts `registrations`, each in a place of a promise, and behind them `requests`, with one doorbell. `before` is called when nothing can go wrong any more
    /// but the doorbell (F19). The last request holds `uses` until it is retired.
    ///
    /// # Errors
    /// as [`post_send`](QueuePair::post_send). Nothing is posted, and all `requests` come back, unless only the doorbell failed.
    pub(crate) fn post_chain(
        &self,
        registrations: Vec<Promised<P>>,
        requests: Vec<SendRequest<P>>,
        uses: Vec<Rc<()>>,
        before: impl FnOnce(),
    ) -> Result<(), BadWr<P>> {
        if let Err(error) = self.judge_chain(&registrations, &requests) {
            return Err(BadWr { error, posted: 0, rest: requests });
        }
        before();
        let (posted, last) = (requests.len(), registrations.len() + requests.len());
        let registrations = registrations.into_iter().map(|(request, promise)| (request, Some(promise)));
        let requests = requests.into_iter().map(|request| (request, None));
        for (index, (request, promised)) in registrations.chain(requests).enumerate() {
            let uses = if index + 1 == last { uses.clone() } else { Vec::new() };
            self.write_with(request, Share { promised, uses });
        }
        self.ring_after(posted)
    }

    fn judge_chain(&self, registrations: &[Promised<P>], requests: &[SendRequest<P>]) -> Result<(), PostError> {
        check_send_state(&self.pair)?;
        for request in registrations.iter().map(|(request, _)| request).chain(requests) {
            check_send(self.device.capabilities(), &self.pair, request)?;
        }
        let blocks: usize = requests.iter().map(|request| request.encode().1).sum();
        let fits = blocks as u64 <= self.pair.free_sends();
        let all = (blocks + registrations.len()) as u64;
        if !fits || all > self.pair.send.borrow().free() {
            return Err(PostError::Full);
        }
        Ok(())
    }
}
