//! The example of the driver's guide, kept here so that it is compiled and can be run.
use rnic_driver::{
    Access, Completion, Device, Error, MemoryRegion, Platform, Probe, QpOptions, QueuePair, RegMr, SendRequest,
};
use std::time::Duration;

/// What the example saw.
pub struct Seen<P: Platform> {
    /// Answer of a probe while the region was registered.
    pub registered: Probe,
    /// The same probe after the invalidation.
    pub invalidated: Probe,
    /// The two completions, oldest first.
    pub completions: [Completion<P>; 2],
}

// ANCHOR: example
/// Registers the pages at the given bus addresses as 4 KiB pages of one region, probes it, and invalidates it.
pub fn register_and_invalidate<P: Platform>(platform: P, pages: &[u64]) -> Result<Seen<P>, Error> {
    let limit = Duration::from_secs(1);
    let device = Device::open(platform)?;
    let pd = device.alloc_pd()?;
    let cq = device.create_cq(64, 1)?;
    let qp: QueuePair<P> = device.create_qp(&pd, &cq, &cq, QpOptions::default())?;
    qp.activate()?;

    let mr: MemoryRegion<P> = device.alloc_fast_reg_mr(&pd, pages.len() as u16)?;
    let mut list = device.alloc_page_list(pages.len())?;
    list.fill(pages)?;

    // The list moves into the request; the completion gives it back.
    let access = Access::LOCAL_WRITE | Access::REMOTE_READ;
    let (iova, length) = (0x7000_0000, pages.len() as u64 * 4096);
    let registration = RegMr::new(&mr, access, iova, length, list);
    qp.post_send(SendRequest::reg_mr(1, registration)).expect("room in the queue, and fields that fit");
    let first = cq.next(limit)?;

    let probe = || device.probe(qp.number(), mr.rkey(), iova, 16, Access::REMOTE_READ, true);
    let registered = probe()?;

    qp.post_send(SendRequest::local_inv(2, mr.rkey())).expect("room in the queue");
    let second = cq.next(limit)?;
    Ok(Seen { registered, invalidated: probe()?, completions: [first, second] })
}
// ANCHOR_END: example
