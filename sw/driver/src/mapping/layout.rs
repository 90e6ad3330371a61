//! Which pages hold a list of pieces, and how much of it one region can hold (F2 to F7, F9). Numbers only: no device, no page
//! size of a host.

use crate::error::Invalid;
use crate::platform::DmaSgEntry;

/// How much of a list fits, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Whole elements.
    pub(crate) n: usize,
    /// Bytes of element `n` that are mapped too.
    pub(crate) next_offset: u64,
    /// Bus address of the first byte.
    pub(crate) iova: u64,
    /// Bytes.
    pub(crate) length: u64,
    /// Bus addresses of the pages, in order of the list.
    pub(crate) pages: Vec<u64>,
}

/// F2: what no list may be. `page_size` is a power of two that the device offers.
fn check(entries: &[DmaSgEntry], offset: u64) -> Result<(), Invalid> {
    let first = entries.first().ok_or(Invalid::SgList)?;
    let impossible =
        |entry: &DmaSgEntry| entry.length == 0 || u128::from(entry.address) + u128::from(entry.length) > 1 << 64;
    if entries.iter().any(impossible) {
        return Err(Invalid::SgList);
    }
    if offset >= first.length {
        return Err(Invalid::SgOffset);
    }
    Ok(())
}

/// Lays the list out, from byte `offset` of its first element on, in at most `max` pages.
pub(crate) fn lay_out(entries: &[DmaSgEntry], offset: u64, page_size: u64, max: usize) -> Result<Layout, Invalid> {
    check(entries, offset)?;
    let iova = entries[0].address + offset;
    let mut layout = Layout { n: 0, next_offset: 0, iova, length: 0, pages: Vec::new() };
    // 128 bits, because a piece may end at 2^64.
    let size = u128::from(page_size);
    let mut end = u128::from(iova);
    for (index, entry) in entries.iter().enumerate() {
        let start = if index == 0 { iova } else { entry.address };
        let stop = u128::from(entry.address) + u128::from(entry.length);
        let mut at = u128::from(start);
        let aligned = end % size == 0 && at % size == 0;
        if at != end && !aligned {
            return Ok(layout);
        }
        if index > 0 && end % size != 0 {
            // F5: the page of the byte before is listed already.
            at = (at - at % size + size).min(stop);
        }
        while at < stop && layout.pages.len() < max {
            layout.pages.push((at - at % size) as u64);
            at = (at - at % size + size).min(stop);
        }
        layout.length += (at - u128::from(start)) as u64;
        if at < stop {
            layout.next_offset = (at - u128::from(entry.address)) as u64;
            if at == u128::from(start) {
                // F6: not a byte of it is mapped.
                layout.next_offset = 0;
            }
            return Ok(layout);
        }
        layout.n = index + 1;
        end = stop;
    }
    Ok(layout)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bus addresses of all bytes of a list, one by one.
    fn bytes(entries: &[DmaSgEntry], offset: u64) -> Vec<(usize, u64, u64)> {
        let all = entries.iter().enumerate();
        let all = all.flat_map(|(index, e)| (0..e.length).map(move |byte| (index, byte, e.address + byte)));
        all.skip(offset as usize).collect()
    }

    /// The independent model: a byte joins if its page is the one that is being filled and it is the next byte of it, or if a
    /// page begins with it, and a page is left for it. The first byte that cannot join ends the mapping.
    fn model(entries: &[DmaSgEntry], offset: u64, page_size: u64, max: usize) -> Layout {
        let bytes = bytes(entries, offset);
        let iova = bytes[0].2;
        let mut pages = vec![iova / page_size * page_size];
        let mut length = 1;
        for pair in bytes.windows(2) {
            let ((_, _, before), (_, _, byte)) = (pair[0], pair[1]);
            if (before + 1) % page_size == 0 && byte % page_size == 0 {
                if pages.len() == max {
                    break;
                }
                pages.push(byte);
            } else if byte != before + 1 {
                break;
            }
            length += 1;
        }
        let (n, next_offset) = match bytes.get(length as usize) {
            Some(&(index, byte, _)) => (index, byte),
            None => (entries.len(), 0),
        };
        Layout { n, next_offset, iova, length, pages }
    }

    /// A list of up to six pieces that are often, not always, where the rules want them. A page has 16 or 64 bytes, so that
    /// every kind of edge is met; the rules know no page size.
    fn list() -> impl Strategy<Value = (Vec<DmaSgEntry>, u64, u64, usize)> {
        let piece = (0u8..5, 0u64..40, 1u64..80, any::<bool>());
        (proptest::collection::vec(piece, 1..7), 0u64..80, prop_oneof![Just(16u64), Just(64)], 1usize..7).prop_map(
            |(pieces, offset, page_size, max)| {
                let mut end = 0x1000;
                let mut entries = Vec::new();
                for (kind, page, length, whole) in pieces {
                    let address = match kind {
                        0 | 1 => end,
                        2 | 3 => 0x4000 + page * page_size,
                        _ => 0x4000 + page * 7,
                    };
                    // Whole pages, or up to the end of one, more often than chance has it.
                    let length = if whole { (address + length).next_multiple_of(page_size) - address } else { length };
                    end = address + length;
                    entries.push(DmaSgEntry { address, length });
                }
                let offset = offset % entries[0].length;
                (entries, offset, page_size, max)
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn f3_f4_f5_f6_f7_f9_each_byte_lies_at_its_bus_address_and_no_other_is_in_reach(
            (entries, offset, page_size, max) in list()
        ) {
            let layout = lay_out(&entries, offset, page_size, max).unwrap();
            let bytes = bytes(&entries, offset);
            // What an access through the region reaches, by rule E8, is what the list says, byte for byte, and no more.
            let fbo = layout.iova % page_size;
            for byte in 0..layout.length {
                let at = fbo + byte;
                let bus = layout.pages[(at / page_size) as usize] + at % page_size;
                prop_assert_eq!(bus, bytes[byte as usize].2);
            }
            // Pages that no byte needs are not listed (B14 would let them pass).
            prop_assert_eq!(layout.pages.len() as u64, (fbo + layout.length).div_ceil(page_size));
            // And the mapping ends exactly where it must.
            prop_assert_eq!(layout, model(&entries, offset, page_size, max));
        }

        #[test]
        fn f6_f7_what_is_left_can_be_mapped_by_further_regions((entries, offset, page_size, max) in list()) {
            let (mut rest, mut offset, mut mapped) = (&entries[..], offset, 0);
            let total = bytes(&entries, offset).len() as u64;
            while !rest.is_empty() {
                let layout = lay_out(rest, offset, page_size, max).unwrap();
                prop_assert!(layout.length > 0);
                mapped += layout.length;
                rest = &rest[layout.n..];
                offset = layout.next_offset;
            }
            prop_assert_eq!(mapped, total);
        }
    }

    #[test]
    fn f2_a_list_at_the_end_of_the_address_space_is_legal_and_one_behind_it_is_not() {
        let last = DmaSgEntry { address: 0xFFFF_FFFF_FFFF_F000, length: 0x1000 };
        let layout = lay_out(&[last], 0, 0x1000, 4).unwrap();
        assert_eq!((layout.n, layout.length, layout.pages), (1, 0x1000, vec![0xFFFF_FFFF_FFFF_F000]));
        assert_eq!(lay_out(&[DmaSgEntry { length: 0x1001, ..last }], 0, 0x1000, 4), Err(Invalid::SgList));
    }
}
