//! F8: memory that was taken away from the device can be neither used nor taken away again.
use rnic_driver::*;

fn twice<P: Platform>(device: &Device<P>, mr: &mut MemoryRegion<P>, list: DmaSgList) {
    let _ = device.dma_unmap(list);
    let _ = mr.map_mr_sg(&list, 0, 4096);
    let _ = device.dma_unmap(list);
}

fn main() {}
