//! REG_MR.
use super::{Slot, BLOCKS, BYTES, FLAGS, FLAG_INLINE, KEY, OPCODE};
use crate::{limits, opcode};

mod places {
    places! {
        /// The fields of a REG_MR.
        REG_MR_FIELDS;
        /// Opcode, 20h.
        OPCODE = 0x00, 1;
        /// Flags.
        FLAGS = 0x01, 1;
        /// 1.
        BLOCKS = 0x02, 1;
        /// Access bits.
        ACCESS = 0x03, 1;
        /// Key with the new key byte.
        KEY = 0x04, 4;
        /// Log2 of the page size.
        PAGE_SHIFT = 0x08, 1;
        /// Pages in the list.
        NPAGES = 0x0A, 2;
        /// Offset of the first byte in the first page.
        FBO = 0x0C, 4;
        /// First address.
        IOVA = 0x10, 8;
        /// Bytes.
        LENGTH = 0x18, 8;
        /// Bus address of the list; with the flag INLINE, page 0.
        LIST = 0x20, 8;
        /// Page 1 with the flag INLINE, else 0.
        PAGE1 = 0x28, 8;
        /// Page 2 with the flag INLINE, else 0.
        PAGE2 = 0x30, 8;
        /// Page 3 with the flag INLINE, else 0.
        PAGE3 = 0x38, 8;
    }
}

pub use places::{ACCESS, FBO, IOVA, LENGTH, LIST, NPAGES, PAGE1, PAGE2, PAGE3, PAGE_SHIFT, REG_MR_FIELDS};

/// Where the pages are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageList {
    /// Bus address of a list in host memory, 64-byte aligned.
    Pointer(u64),
    /// Bus addresses of up to four pages in the WQE; unused ones 0.
    Inline([u64; limits::MAX_INLINE as usize]),
}

/// A fast registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegMr {
    /// `FLAG_*` without `FLAG_INLINE`, which `pages` decides.
    pub flags: u8,
    /// See [`crate::access`].
    pub access: u8,
    /// Key with the new key byte.
    pub key: u32,
    /// Log2 of the page size.
    pub page_shift: u8,
    /// Pages in the list.
    pub npages: u16,
    /// Offset of the first byte in the first page, bytes.
    pub fbo: u32,
    /// First address.
    pub iova: u64,
    /// Bytes.
    pub length: u64,
    /// The list.
    pub pages: PageList,
}

impl RegMr {
    /// The bytes of the slot.
    pub fn encode(&self) -> Slot {
        let mut slot = [0; BYTES];
        let (inline, pages) = match self.pages {
            PageList::Pointer(address) => (0, [address, 0, 0, 0]),
            PageList::Inline(pages) => (FLAG_INLINE, pages),
        };
        OPCODE.put(&mut slot, opcode::REG_MR.into());
        FLAGS.put(&mut slot, (self.flags & !FLAG_INLINE | inline).into());
        BLOCKS.put(&mut slot, 1);
        ACCESS.put(&mut slot, self.access.into());
        KEY.put(&mut slot, self.key.into());
        PAGE_SHIFT.put(&mut slot, self.page_shift.into());
        NPAGES.put(&mut slot, self.npages.into());
        FBO.put(&mut slot, self.fbo.into());
        IOVA.put(&mut slot, self.iova);
        LENGTH.put(&mut slot, self.length);
        for (place, page) in [LIST, PAGE1, PAGE2, PAGE3].into_iter().zip(pages) {
            place.put(&mut slot, page);
        }
        slot
    }

    /// Reads the fields of a slot, whatever its opcode, blocks and reserved bytes are.
    pub fn decode(slot: &Slot) -> Self {
        let flags = FLAGS.get(slot) as u8;
        Self {
            flags: flags & !FLAG_INLINE,
            access: ACCESS.get(slot) as u8,
            key: KEY.get(slot) as u32,
            page_shift: PAGE_SHIFT.get(slot) as u8,
            npages: NPAGES.get(slot) as u16,
            fbo: FBO.get(slot) as u32,
            iova: IOVA.get(slot),
            length: LENGTH.get(slot),
            pages: if flags & FLAG_INLINE != 0 {
                PageList::Inline([LIST, PAGE1, PAGE2, PAGE3].map(|place| place.get(slot)))
            } else {
                PageList::Pointer(LIST.get(slot))
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wqe::{unnamed_bytes_are_zero, FLAG_SIGNALLED};

    const BASE: RegMr = RegMr {
        flags: FLAG_SIGNALLED,
        access: 0x07,
        key: 0x0000_1A2B,
        page_shift: 12,
        npages: 3,
        fbo: 0x800,
        iova: 0x1122_3344_5566_7800,
        length: 0x2000,
        pages: PageList::Pointer(0x000F_0000_0000_0040),
    };

    #[test]
    fn b27_a_list_by_pointer_comes_back_and_leaves_the_rest_zero() {
        let slot = BASE.encode();
        assert_eq!(slot[..4], [0x20, 1, 1, 7]);
        assert_eq!(slot[8..16], [12, 0, 3, 0, 0, 8, 0, 0]);
        assert_eq!(slot[0x28..], [0; 0x18]);
        assert!(unnamed_bytes_are_zero(&slot, REG_MR_FIELDS));
        assert_eq!(RegMr::decode(&slot), BASE);
    }

    #[test]
    fn an_inline_list_comes_back() {
        let wr = RegMr { pages: PageList::Inline([0xA000, 0x5000, 0x9000, 0]), ..BASE };
        assert_eq!(wr.encode()[1], FLAG_SIGNALLED | FLAG_INLINE);
        assert_eq!(RegMr::decode(&wr.encode()), wr);
    }
}
