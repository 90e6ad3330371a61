//! F14: a mapping ends once.
use rnic_driver::*;

fn twice<P: Platform>(map: RemoteMap<P>) {
    let _ = map.unmap(1);
    let _ = map.unmap(2);
}

fn main() {}
