//! Page lists and their ownership.

use std::sync::Arc;

use rnic_driver::{Access, Errno, Pages, RegMr, SendRequest};
use rnic_mock::Rig;

#[test]
fn a21_size_is_from_1_to_the_device_maximum() {
    let rig = Rig::new();
    for entries in [0, 33, usize::MAX] {
        assert_eq!(rig.device.alloc_page_list(entries).unwrap_err().errno(), Errno::Einval);
    }
    for entries in [1, 32] {
        assert_eq!(rig.device.alloc_page_list(entries).unwrap().len(), entries);
    }
    rig.mock.with(|state| state.allocations_left = 0);
    assert_eq!(rig.device.alloc_page_list(1).unwrap_err().errno(), Errno::Enomem);
}

#[test]
fn a21_a_list_is_aligned_to_64_bytes_and_padded_with_zeros() {
    let rig = Rig::new();
    for entries in 1..=17 {
        let mut list = rig.device.alloc_page_list(entries).unwrap();
        list.fill(&vec![u64::MAX; entries]).unwrap();
        let memory = rig.mock.with(|state| state.memory[&list.bus_address()].borrow().clone());
        assert_eq!(list.bus_address() % 64, 0);
        assert_eq!(memory.len(), (8 * entries).next_multiple_of(64));
        assert!(memory[8 * entries..].iter().all(|byte| *byte == 0));
    }
}

#[test]
fn a21_entries_are_little_endian_words() {
    let rig = Rig::new();
    let mut list = rig.device.alloc_page_list(3).unwrap();
    list.set(1, 0x0008_1122_3344_5000).unwrap();
    assert_eq!((list.get(0), list.get(1), list.get(3)), (Some(0), Some(0x0008_1122_3344_5000), None));
    assert_eq!(list.set(3, 0).unwrap_err().errno(), Errno::Einval);
    assert_eq!(list.fill(&[1, 2, 3, 4]).unwrap_err().errno(), Errno::Einval);
    assert_eq!(list.entries(), [0, 0x0008_1122_3344_5000, 0]);
    let memory = rig.mock.with(|state| state.memory[&list.bus_address()].borrow()[8..16].to_vec());
    assert_eq!(memory, [0x00, 0x50, 0x44, 0x33, 0x22, 0x11, 0x08, 0x00]);
}

#[test]
fn a22_the_driver_never_changes_entries() {
    let rig = Rig::new();
    let mr = rig.mr();
    let mut list = rig.device.alloc_page_list(2).unwrap();
    list.fill(&[0xA000, 0x5000]).unwrap();
    for _ in 0..2 {
        let registration = RegMr::new(&mr, Access::NONE, 0x7000, 0x2000, list);
        rig.qp.post_send(SendRequest::reg_mr(1, registration)).unwrap();
        list = rig.next().pages.unwrap().into_list().unwrap();
        assert_eq!(list.entries(), [0xA000, 0x5000]);
        rig.qp.post_send(rig.invalidation(2, &mr)).unwrap();
        assert!(rig.next().pages.is_none());
    }
}

#[test]
fn a23_a_list_comes_back_with_its_own_completion() {
    let rig = Rig::new();
    let mr = rig.mr();
    let list = rig.device.alloc_page_list(2).unwrap();
    let address = list.bus_address();
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send(SendRequest::reg_mr(7, RegMr::new(&mr, Access::NONE, 0, 0x2000, list))).unwrap();
    rig.mock.run();
    assert!(rig.cq.poll().unwrap().is_none());
    assert!(rig.mock.with(|state| state.memory.contains_key(&address)), "lent to the device");
    rig.mock.with(|state| state.held = false);
    let completion = rig.next();
    assert_eq!(completion.pages.unwrap().into_list().unwrap().bus_address(), address);
}

#[test]
fn a23_a_list_of_an_unsignaled_request_comes_back_with_a_later_completion() {
    let rig = Rig::new();
    let (first, second) = (rig.mr(), rig.mr());
    let list = |_| rig.device.alloc_page_list(1).unwrap();
    let lists = [list(0), list(1)];
    let addresses = [lists[0].bus_address(), lists[1].bus_address()];
    let [a, b] = lists;
    let requests = [
        SendRequest::reg_mr(1, RegMr::new(&first, Access::NONE, 0, 1, a)).unsignaled(),
        SendRequest::reg_mr(2, RegMr::new(&second, Access::NONE, 0, 1, b)).unsignaled(),
        rig.invalidation(3, &first),
    ];
    rig.qp.post_send_list(requests).unwrap();
    let completion = rig.next();
    assert_eq!(completion.wr_id, 3);
    let back: Vec<_> = completion
        .earlier
        .into_iter()
        .map(|retired| (retired.wr_id, retired.pages.unwrap().into_list().unwrap().bus_address()))
        .collect();
    assert_eq!(back, [(1, addresses[0]), (2, addresses[1])]);
}

#[test]
fn a23_a_list_of_a_request_that_was_not_posted_comes_back_with_the_error() {
    let rig = Rig::new();
    let mr = rig.mr();
    let list = rig.device.alloc_page_list(2).unwrap();
    let address = list.bus_address();
    let registration = RegMr::new(&mr, Access::NONE, 0, 0, list);
    let bad = rig.qp.post_send(SendRequest::reg_mr(1, registration)).unwrap_err();
    let rnic_driver::Operation::RegMr(registration) = bad.rest.into_iter().next().unwrap().operation else { panic!() };
    assert_eq!(registration.pages.into_list().unwrap().bus_address(), address);
}

// The mock lives in one thread; the driver does not ask that of a platform.
#[allow(clippy::arc_with_non_send_sync)]
#[test]
fn a24_a_shared_list_serves_several_regions_at_once() {
    let rig = Rig::new();
    let (first, second) = (rig.mr(), rig.mr());
    let mut list = rig.device.alloc_page_list(1).unwrap();
    list.set(0, 0x9000).unwrap();
    let list = Arc::new(list);
    rig.mock.with(|state| state.held = true);
    for mr in [&first, &second] {
        let registration = RegMr::new(mr, Access::NONE, 0, 1, list.clone());
        rig.qp.post_send(SendRequest::reg_mr(0, registration)).unwrap();
    }
    assert_eq!(Arc::strong_count(&list), 3);
    rig.mock.with(|state| state.held = false);
    for _ in 0..2 {
        let completion = rig.next();
        assert!(completion.is_success());
        assert!(matches!(completion.pages, Some(Pages::Shared(back)) if Arc::ptr_eq(&back, &list)));
    }
    assert_eq!(Arc::strong_count(&list), 1);
}

#[test]
fn a24_a_list_is_not_tied_to_a_region() {
    let rig = Rig::new();
    let mut list = rig.device.alloc_page_list(4).unwrap();
    for _ in 0..5 {
        let mr = rig.mr();
        rig.qp.post_send(SendRequest::reg_mr(0, RegMr::new(&mr, Access::NONE, 0, 1, list))).unwrap();
        list = rig.next().pages.unwrap().into_list().unwrap();
    }
}

#[test]
fn a25_a_list_may_be_dropped_while_the_region_is_valid() {
    let rig = Rig::new();
    let mr = rig.mr();
    let list = rig.device.alloc_page_list(4).unwrap();
    rig.qp.post_send(SendRequest::reg_mr(0, RegMr::new(&mr, Access::NONE, 0, 1, list))).unwrap();
    drop(rig.next());
    rig.qp.post_send(rig.invalidation(1, &mr)).unwrap();
    assert!(rig.next().is_success());
    assert!(rig.mock.with(|state| state.stray_accesses.is_empty()));
}
