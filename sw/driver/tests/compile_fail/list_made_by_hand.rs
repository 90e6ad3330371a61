//! F8: bus addresses come from a mapping only.
use rnic_driver::*;

fn forge<P: Platform>(mr: &mut MemoryRegion<P>) {
    let entries = vec![DmaSgEntry { address: 0x1000, length: 0x1000 }];
    let _ = mr.map_mr_sg(&entries[..], 0, 4096);
    let _ = DmaSgList { entries, direction: Direction::ToDevice };
}

fn main() {}
