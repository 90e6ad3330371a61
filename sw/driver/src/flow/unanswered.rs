//! Queue pairs and completion queues whose creation was not answered: the device may have them, and nobody has a handle (A7).

use std::rc::Rc;

use super::orphan::Reclaim;
use crate::completion_queue::CompletionRing;
use crate::device::Device;
use crate::platform::Platform;
use crate::queue_pair::Pair;

/// All of one device.
pub(crate) struct Unanswered<P: Platform> {
    pub(crate) pairs: Vec<Rc<Pair<P>>>,
    pub(crate) queues: Vec<Rc<CompletionRing<P>>>,
}

impl<P: Platform> Default for Unanswered<P> {
    fn default() -> Self {
        Unanswered { pairs: Vec::new(), queues: Vec::new() }
    }
}

impl<P: Platform> Unanswered<P> {
    /// Ends them; what could not be ended stays.
    pub(super) fn end(&mut self, device: &Device<P>, reclaim: &mut Reclaim) {
        reclaim.each(&mut self.pairs, |pair| device.end_pair(pair));
        reclaim.each(&mut self.queues, |ring| device.end_ring(ring));
    }

    /// Puts back what has stayed, in front of what has come meanwhile.
    pub(super) fn put_back(&mut self, mut left: Unanswered<P>) {
        left.pairs.append(&mut self.pairs);
        left.queues.append(&mut self.queues);
        *self = left;
    }
}
