//! Reads and writes of the device to host memory.

use rnic_driver::{Bar, Direction, DmaBuffer, DmaMemory};
use rnic_link::{Answers, LinkEvent, LinkOptions};

use crate::support::bench::{options, Bench, TestLink};
use crate::support::device::Knobs;

/// Lets the device read and answers what it got.
fn device_reads(bench: &Bench, link: &TestLink, address: u64, bytes: usize) -> Result<Vec<u8>, u8> {
    let number = bench.device(|device| device.bus.read(address, bytes));
    assert!(bench.until(link, 100_000, |device| device.bus.reads[number].done), "the read ends");
    bench.device(|device| {
        let read = &device.bus.reads[number];
        read.failed.map_or(Ok(read.data.clone()), Err)
    })
}

fn device_writes(bench: &Bench, link: &TestLink, address: u64, bytes: &[u8]) {
    bench.device(|device| device.bus.write(address, bytes));
    assert!(bench.until(link, 100_000, |device| device.bus.ordered.is_empty()), "the writes leave");
    bench.run(link, 10);
}

fn pattern(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|byte| (byte * 31 + byte / 256 * 7 + seed) as u8).collect()
}

#[test]
fn ho6_ho8_every_offset_and_many_lengths_are_read_and_written() {
    for answers in [Answers::default(), Answers { every_boundary: true, shuffle: true }] {
        let bench = Bench::new(Knobs::default());
        let link = bench.open(LinkOptions { answers, ..options(1) }).unwrap();
        let memory = link.platform().memory;
        // The first buffer is below 4 GiB, the second above.
        let buffers = [memory.allocate(16384).unwrap(), memory.allocate(16384).unwrap()];
        assert!(buffers[0].bus_address() < 1 << 32 && buffers[1].bus_address() >= 1 << 32);
        for (round, bytes) in [1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 65, 511, 512, 513, 2048].into_iter().enumerate() {
            for offset in (0..8).chain([4096 - 5, 4096 - 64, 4095]) {
                let buffer = &buffers[round % 2];
                let data = pattern(bytes, offset);
                let mut before = vec![0; bytes + 16];
                buffer.read_bytes(offset.saturating_sub(8), &mut before);
                device_writes(&bench, &link, buffer.bus_address() + offset as u64, &data);
                let mut after = vec![0; bytes + 16];
                buffer.read_bytes(offset.saturating_sub(8), &mut after);
                let first = offset.min(8);
                before[first..first + bytes].copy_from_slice(&data);
                assert_eq!(after, before, "{bytes} bytes at {offset}");
                let read = device_reads(&bench, &link, buffer.bus_address() + offset as u64, bytes);
                assert_eq!(read, Ok(data), "{bytes} bytes at {offset}");
            }
        }
        bench.assert_clean();
    }
}

#[test]
fn ho3_wr5_a_write_outside_the_window_is_dropped_and_told() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    let memory = link.platform().memory;
    let buffer = memory.allocate(4096).unwrap();
    let end = buffer.bus_address() + 4096;
    for (address, bytes) in [(end, 4), (buffer.bus_address() - 4, 4), (0x10, 8), (1 << 51, 64), (u64::MAX - 7, 8)] {
        device_writes(&bench, &link, address, &vec![0xFF; bytes]);
        assert_eq!(link.next_event(), Some(LinkEvent::BadWrite { address, bytes }));
    }
    // One DW inside, one behind: nothing is stored.
    let tlp = |address: u64| {
        let mut tlp = vec![0x60, 0, 0, 2, 1, 0, 0, 0xFF];
        tlp.extend(address.to_be_bytes());
        tlp.extend([0xFF; 8]);
        tlp
    };
    let other = memory.allocate(4096).unwrap();
    let last = other.bus_address() + 4092;
    bench.device(|device| device.send_tlp(tlp(last)));
    bench.run(&link, 10);
    // It would cross a page, which no request may.
    assert_eq!(link.next_event(), Some(LinkEvent::Malformed { bytes: 24 }));
    let mut seen = vec![1; 4096];
    for buffer in [&buffer, &other] {
        buffer.read_bytes(0, &mut seen);
        assert!(seen.iter().all(|byte| *byte == 0));
    }
    assert_eq!((link.counters().bad_writes, link.lost()), (5, None));
    bench.assert_clean();
}

#[test]
fn ho3_a_read_outside_the_window_is_answered_with_ur() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    let memory = link.platform().memory;
    let buffer = memory.allocate(4096).unwrap();
    for address in [buffer.bus_address() + 4096, buffer.bus_address() - 512, 0x400, 1 << 45] {
        assert_eq!(device_reads(&bench, &link, address, 512), Err(1), "{address:x}");
        assert_eq!(link.next_event(), Some(LinkEvent::BadRead { address, bytes: 512 }));
    }
    assert_eq!(device_reads(&bench, &link, buffer.bus_address(), 512), Ok(vec![0; 512]), "it goes on");
    bench.assert_clean();
}

#[test]
fn ho3_the_direction_of_a_mapping_holds() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    let memory = link.platform().memory;
    let area = memory.area(4096).unwrap();
    area.write(0, b"secret");
    let source = memory.map(&area, Direction::ToDevice).unwrap();
    device_writes(&bench, &link, source.entries()[0].address, b"xx");
    let mut seen = [0; 6];
    area.read(0, &mut seen);
    assert_eq!((&seen, link.counters().bad_writes), (b"secret", 1));
    let sink = memory.map(&area, Direction::FromDevice).unwrap();
    assert_eq!(device_reads(&bench, &link, sink.entries()[0].address, 6), Err(1));
    device_writes(&bench, &link, sink.entries()[0].address, b"public");
    area.read(0, &mut seen);
    assert_eq!(&seen, b"public");
    bench.assert_clean();
}

#[test]
fn ho7_after_free_accesses_are_refused() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    let memory = link.platform().memory;
    let buffer = memory.allocate(8192).unwrap();
    let address = buffer.bus_address();
    assert!(device_reads(&bench, &link, address, 4096).is_ok());
    let number = bench.device(|device| device.bus.read(address, 8192));
    bench.run(&link, 1);
    drop(buffer);
    assert!(bench.until(&link, 10_000, |device| device.bus.reads[number].done));
    assert_eq!(device_reads(&bench, &link, address, 4096), Err(1));
    device_writes(&bench, &link, address, &[1; 64]);
    assert_eq!(link.counters().bad_writes, 1);
    bench.assert_clean();
}

#[test]
fn ho2_a_thread_that_waits_for_a_register_serves_the_device() {
    let bench = Bench::new(Knobs { serves: false, ..Knobs::default() });
    let link = bench.open(options(1)).unwrap();
    let platform = link.platform();
    let buffer = platform.memory.allocate(65536).unwrap();
    let number = bench.device(|device| device.bus.read(buffer.bus_address(), 65536));
    // The register never answers; meanwhile all DMA is done.
    assert!(platform.bar.read(0).is_err());
    bench.device(|device| assert!(device.bus.reads[number].done && device.bus.reads[number].failed.is_none()));
    bench.assert_clean();
}

#[test]
fn ho6_i5_whoever_sees_the_owner_bit_sees_the_data() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    let memory = link.platform().memory;
    let (data, queue) = (memory.allocate(65536).unwrap(), memory.allocate(4096).unwrap());
    for round in 1..=64_u32 {
        bench.device(|device| {
            device.bus.write(data.bus_address(), &vec![round as u8; 65536]);
            device.bus.write(queue.bus_address() + 28, &round.to_le_bytes());
        });
        while queue.read_u32(28) != round {
            link.work();
        }
        assert_eq!((data.read_u32(0), data.read_u32(65532)), (round * 0x0101_0101, round * 0x0101_0101));
    }
    bench.assert_clean();
}

#[test]
fn to1_a_register_read_that_returned_has_pushed_all_writes_before_it() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    let platform = link.platform();
    let buffer = platform.memory.allocate(65536).unwrap();
    for round in 1..=20_u8 {
        bench.device(|device| device.bus.write(buffer.bus_address(), &vec![round; 65536]));
        platform.bar.read(0).unwrap();
        let mut last = [0; 1];
        buffer.read_bytes(65535, &mut last);
        assert_eq!(last, [round]);
    }
    bench.assert_clean();
}
