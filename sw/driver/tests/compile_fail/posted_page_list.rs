//! A23: a page list that has been posted belongs to the device.
use rnic_driver::*;

fn post<P: Platform>(qp: &QueuePair<P>, mr: &MemoryRegion<P>, mut list: PageList<P>) {
    let registration = RegMr::new(mr, Access::NONE, 0x1000, 0x1000, list);
    let _ = qp.post_send(SendRequest::reg_mr(1, registration));
    let _ = list.set(0, 0x5000);
}

fn main() {}
