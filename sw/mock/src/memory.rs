//! Memory of the mock: coherent buffers that the device reaches, and memory of the application, which is nothing but the bus
//! addresses that its mapping gives.

use std::cell::RefCell;
use std::rc::Rc;

use rnic_driver::{Direction, DmaBuffer, DmaError, DmaMemory, DmaSgEntry, DmaSgList, Kept};

use crate::Mock;

/// Memory of the application for examples: pages of 4 KiB, no two of which lie side by side on the bus.
///
/// ```
/// let memory = rnic_mock::memory(3);
/// assert_eq!((memory.len(), memory[0].length), (3, 4096));
/// assert_ne!(memory[1].address, memory[0].address + 4096);
/// ```
pub fn memory(pages: u64) -> Vec<DmaSgEntry> {
    (0..pages).map(|page| DmaSgEntry { address: 0x4000_0000 - 0x2000 * page, length: 0x1000 }).collect()
}

/// Coherent memory of the mock.
///
/// ```
/// use rnic_driver::{DmaBuffer, DmaError, DmaMemory};
///
/// let mock = rnic_mock::Mock::new();
/// let buffer = mock.allocate(4096)?;
/// mock.with(|state| state.store(buffer.bus_address() + 8, &[1, 2])); // by the device
/// assert_eq!(buffer.read_u32(8), 0x0201);
/// # Ok::<(), DmaError>(())
/// ```
#[derive(Debug)]
pub struct MockBuffer {
    mock: Mock,
    address: u64,
    bytes: Rc<RefCell<Vec<u8>>>,
}

impl Drop for MockBuffer {
    fn drop(&mut self) {
        self.mock.with(|state| state.memory.remove(&self.address));
    }
}

impl DmaMemory for Mock {
    type Buffer = MockBuffer;
    type Memory = [DmaSgEntry];

    fn allocate(&self, bytes: usize) -> Result<MockBuffer, DmaError> {
        let memory = Rc::new(RefCell::new(vec![0; bytes]));
        let address = self.with(|state| {
            state.allocations_left = state.allocations_left.checked_sub(1).ok_or(DmaError::NoMemory { bytes })?;
            let address = state.next_address;
            state.next_address += bytes.next_multiple_of(4096) as u64 + 4096;
            state.memory.insert(address, memory.clone());
            Ok(address)
        })?;
        Ok(MockBuffer { mock: self.clone(), address, bytes: memory })
    }

    fn map(&self, memory: &[DmaSgEntry], direction: Direction) -> Result<DmaSgList, DmaError> {
        if memory.is_empty() {
            return Err(DmaError::NotMappable);
        }
        self.with(|state| {
            state.maps_left = state.maps_left.checked_sub(1).ok_or(DmaError::NotMappable)?;
            state.mapped.push(memory.to_vec());
            Ok(())
        })?;
        Ok(DmaSgList::from_platform(memory.to_vec(), direction))
    }

    fn unmap(&self, list: DmaSgList) -> Result<(), Kept<DmaSgList, DmaError>> {
        self.with(|state| {
            let place = state.mapped.iter().position(|mapped| mapped == list.entries());
            let Some(place) = place.filter(|_| state.unmaps_refused == 0) else {
                state.unmaps_refused = state.unmaps_refused.saturating_sub(1);
                return Err(Kept { error: DmaError::NotMappable, object: list });
            };
            state.mapped.remove(place);
            Ok(())
        })
    }
}

impl DmaBuffer for MockBuffer {
    fn bus_address(&self) -> u64 {
        self.address
    }

    fn len(&self) -> usize {
        self.bytes.borrow().len()
    }

    fn read_u32(&self, offset: usize) -> u32 {
        let mut bytes = [0; 4];
        self.read_bytes(offset, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    fn write_u32(&self, offset: usize, value: u32) {
        self.write_bytes(offset, &value.to_le_bytes());
    }

    fn read_u64(&self, offset: usize) -> u64 {
        let mut bytes = [0; 8];
        self.read_bytes(offset, &mut bytes);
        u64::from_le_bytes(bytes)
    }

    fn write_u64(&self, offset: usize, value: u64) {
        self.write_bytes(offset, &value.to_le_bytes());
    }

    fn read_bytes(&self, offset: usize, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.bytes.borrow()[offset..offset + bytes.len()]);
    }

    fn write_bytes(&self, offset: usize, bytes: &[u8]) {
        self.bytes.borrow_mut()[offset..offset + bytes.len()].copy_from_slice(bytes);
    }
}
