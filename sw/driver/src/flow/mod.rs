//! Memory of the application for local use and for peers: two flows of one shape (F11 to F20).
//!
//! A [`SlotPool`] belongs to a queue pair and has a fixed number of slots; each is one memory region and two places of the send
//! ring, for its registration and its invalidation. So a slot that could be had can always be registered and invalidated.
//!
//! | | for local use | for the peer |
//! | --- | --- | --- |
//! | take a slot | [`SlotPool::lkey_slot`] | [`SlotPool::rkey_slot`] |
//! | map memory | [`LkeySlot::make_sge`](Slot::make_sge): plain elements where they fit, else one registered | [`RkeySlot::make_remote`](Slot::make_remote): always registered |
//! | use it | [`LocalMap::sges`](Mapping::sges) | [`RemoteMap::remote`](Mapping::remote) |
//! | post | [`Mapping::post`]: the registration goes in front of the request, if there is one | the same |
//! | end | [`Mapping::unmap`]: invalidates if that is needed, takes the memory away from the device, gives the slot back | the same |
//!
//! ```
//! # use rnic_driver::*;
//! # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
//! # let (limit, memory, capsule) = (rnic_mock::LIMIT, rnic_mock::memory(3), Sge::default());
//! let pool = SlotPool::new(&qp, &pd, SlotOptions { remote: 4, ..SlotOptions::default() })?;
//!
//! // The peer may read the memory until the mapping ends.
//! let mut map = pool.rkey_slot()?.make_remote(&memory, Access::REMOTE_READ)?;
//! println!("tell the peer: {:?}, {} bytes", map.remote(), map.length());
//! map.post([SendRequest::send(1, [capsule])])?;
//! while cq.next(limit)?.wr_id != 1 {}
//!
//! // If the peer has not invalidated it, we do, and wait for that.
//! match map.unmap(2)? {
//!     Unmap::Done(slot) => drop(slot), // back in the pool
//!     Unmap::Pending(pending) => {
//!         while cq.next(limit)?.wr_id != 2 {}
//!         drop(pending.finish()?);
//!     }
//! }
//! # assert!(pool.taken() == (0, 0) && mock.with(|state| state.mapped.is_empty()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod keys;
mod map;
mod orphan;
mod pool;
mod unanswered;
mod unmap;

pub use keys::KeyPolicy;
pub use map::{Chain, LocalMap, Mapping, RemoteMap};
pub(crate) use orphan::Orphan;
pub use pool::{Lkey, LkeySlot, Rkey, RkeySlot, Slot, SlotOptions, SlotPool, SlotSide};
pub(crate) use unanswered::Unanswered;
pub use unmap::{Unmap, Unmapping};
