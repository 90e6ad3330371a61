//! The steps of the smoke test.
use super::machine::Machine;
use rnic_abi::register as reg;
use rnic_driver::{
    Access, CompletionQueue, ConnectOptions, Device, Direction, MrTableState, OpenOptions, Probe, ProtectionDomain,
    QpOptions, QueuePair, ReceiveRequest, SendRequest, SlotOptions, SlotPool, Status, Syndrome, Unmap,
};
use std::error::Error;

/// Bytes of the transfers: several packets, no multiple of anything.
const BYTES: usize = 20_001;
/// Where in a page the memory begins.
const START: usize = 1236;
/// Our address while the test runs.
const ADDRESS: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1];

type Outcome = Result<String, Box<dyn Error>>;
type Action<M> = fn(&mut Option<M>, &mut Option<Bench<M>>) -> Outcome;

/// What the steps hand on.
pub struct Bench<M: Machine> {
    // In the order in which things must go.
    links: Vec<Link<M>>,
    cq: CompletionQueue<M>,
    pd: ProtectionDomain<M>,
    device: Device<M>,
}

/// An end of the connection.
struct Link<M: Machine> {
    pool: SlotPool<M>,
    qp: QueuePair<M>,
}

/// The steps, in order.
pub fn all<M: Machine>() -> [(&'static str, Action<M>); 6] {
    [
        ("identity", |machine, bench| {
            let machine = machine.take().ok_or("no device")?;
            let (opened, text) = identity(machine)?;
            *bench = Some(opened);
            Ok(text)
        }),
        ("registers", |_, bench| registers(&there(bench)?.device)),
        ("registration", |_, bench| registration(there(bench)?)),
        ("loop-back transfer", |_, bench| transfer(there(bench)?)),
        ("errors", |_, bench| errors(there(bench)?)),
        ("teardown", |_, bench| teardown(bench.take().ok_or("no device")?)),
    ]
}

fn there<M: Machine>(bench: &mut Option<Bench<M>>) -> Result<&mut Bench<M>, Box<dyn Error>> {
    bench.as_mut().ok_or_else(|| "no device".into())
}

/// A check, with what is wrong if it fails.
fn check(holds: bool, wrong: impl Into<String>) -> Result<(), Box<dyn Error>> {
    if holds {
        Ok(())
    } else {
        Err(wrong.into().into())
    }
}

/// MAGIC, VERSION, reset, capabilities.
fn identity<M: Machine>(machine: M) -> Result<(Bench<M>, String), Box<dyn Error>> {
    let options = OpenOptions { mac: Some([2, 0, 0, 0, 0, 1]), addresses: vec![ADDRESS], ..OpenOptions::default() };
    let device = Device::open_with(machine, options)?;
    let caps = device.capabilities();
    check(caps.mem_mgt_ext && caps.rc, "the device offers no registration, or no connections")?;
    let (major, minor) = caps.version;
    let text = format!(
        "interface {major}.{minor}, build {:08x}, {} bits at {} MHz, {} queue pairs, {} regions",
        caps.build,
        caps.data_bits,
        caps.core_khz / 1000,
        caps.qps,
        caps.max_mr
    );
    let (pd, cq) = (device.alloc_pd()?, device.create_cq(256, 1)?);
    Ok((Bench { links: vec![], cq, pd, device }, text))
}

/// What is written is read, what is read only stays, the counters count nothing.
fn registers<M: Machine>(device: &Device<M>) -> Outcome {
    let status = device.read_register(reg::STATUS)?;
    check(reg::STATUS_READY.is_set(status), format!("STATUS holds {status:#010x}: not ready"))?;
    for pattern in [0x5555_5555u32, 0xAAAA_AAAA, 0x0123_4567] {
        let address: [u8; 16] = [pattern; 4].map(u32::to_be_bytes).concat().try_into().map_err(|_| "16 bytes")?;
        device.set_own_address(7, address)?;
        check(device.own_address(7)? == Some(address), format!("own address 7 does not keep {pattern:#010x}"))?;
    }
    device.set_own_address(7, [0; 16])?;
    check(device.own_address(7)?.is_none(), "own address 7 cannot be cleared")?;
    check(device.mac()? == [2, 0, 0, 0, 0, 1], "the MAC address is not the one that was set")?;
    let magic = device.read_register(reg::MAGIC)?;
    check(magic == reg::MAGIC_VALUE, format!("MAGIC has become {magic:#010x}"))?;
    let (errors, drops) = device.counters()?;
    check(errors.is_empty(), format!("errors by syndrome after a reset: {errors:?}"))?;
    Ok(format!("address and MAC registers, 256 counters, {} drops so far", drops.len()))
}

/// Two queue pairs, each the other's peer.
fn link<M: Machine>(bench: &mut Bench<M>) -> Result<(), Box<dyn Error>> {
    let Bench { links, cq, pd, device } = bench;
    for _ in 0..2 {
        let qp =
            device.create_qp(pd, cq, cq, QpOptions { send_slots: 32, receive_slots: 8, ..QpOptions::default() })?;
        let pool = SlotPool::new(&qp, pd, SlotOptions { local: 2, remote: 2, ..SlotOptions::default() })?;
        links.push(Link { pool, qp });
    }
    connect(links)
}

fn connect<M: Machine>(links: &[Link<M>]) -> Result<(), Box<dyn Error>> {
    let access = Access::REMOTE_READ | Access::REMOTE_WRITE;
    let options = ConnectOptions { access, ..ConnectOptions::default() };
    let [a, b] = links else { return Err("two ends are needed".into()) };
    let (own, peer) = (a.qp.endpoint(0, 100)?, b.qp.endpoint(0, 200)?);
    a.qp.connect(&own, &peer.endpoint(), &options)?;
    b.qp.connect(&peer, &own.endpoint(), &options)?;
    Ok(())
}

/// A region is registered, looked at, and invalidated; its completion comes by interrupt.
fn registration<M: Machine>(bench: &mut Bench<M>) -> Outcome {
    link(bench)?;
    let (qp, cq, device) = (&bench.links[0].qp, &bench.cq, &bench.device);
    let area = device.platform().area(START, BYTES)?;
    let list = device.dma_map(&area, Direction::ToDevice)?;
    let mut mr = device.alloc_fast_reg_mr(&bench.pd, 16)?;
    let mapped = mr.map_mr_sg(&list, 0, 4096)?;
    check(mapped.is_whole(), format!("{mapped:?}"))?;
    let key = mr.bump_key();
    qp.post_send(SendRequest::reg_mr(1, mr.reg_wr(key, Access::REMOTE_READ)?))?;
    check(cq.wait(M::LIMIT)?, "no completion of REG_MR")?;
    let completion = cq.next(M::LIMIT)?;
    check(completion.is_success(), format!("REG_MR: {completion:?}"))?;
    let info = mr.query()?;
    check(info.state == MrTableState::Valid && info.length == BYTES as u64, format!("after REG_MR: {info:?}"))?;
    let probe = device.probe(qp.number(), key, mapped.iova, BYTES as u32, Access::REMOTE_READ, true)?;
    let Probe::Granted(pieces) = &probe else { return Err(format!("the device refuses an access: {probe:?}").into()) };
    let granted: u64 = pieces.iter().map(|piece| u64::from(piece.bytes)).sum();
    check(granted == BYTES as u64 && pieces[0].address == list.entries()[0].address, format!("{probe:x?}"))?;
    let beyond = device.probe(qp.number(), key, mapped.iova, BYTES as u32 + 1, Access::REMOTE_READ, true)?;
    check(beyond == Probe::Refused(Syndrome::AccBounds), format!("one byte too many: {beyond:?}"))?;
    qp.post_send(SendRequest::local_inv(2, key))?;
    let completion = cq.next(M::LIMIT)?;
    check(completion.is_success(), format!("LOCAL_INV: {completion:?}"))?;
    check(mr.query()?.state == MrTableState::Free, "the region is not free after LOCAL_INV")?;
    mr.dereg().map_err(|kept| kept.error)?;
    device.dma_unmap(list)?;
    Ok(format!("{} pages in {} pieces on the bus", mapped.npages, pieces.len()))
}

/// WRITE, READ back, and a SEND that takes the key away.
fn transfer<M: Machine>(bench: &mut Bench<M>) -> Outcome {
    let Bench { links, cq, device, .. } = bench;
    let [a, b] = &links[..] else { return Err("two ends are needed".into()) };
    let platform = device.platform();
    let (source, sink, target) =
        (platform.area(START, BYTES)?, platform.area(8, BYTES)?, platform.area(START + 40, BYTES)?);
    let data: Vec<u8> = (0..BYTES).map(|byte| (byte * 7 + byte / 256) as u8).collect();
    M::fill(&source, &data);
    b.qp.post_receive(&ReceiveRequest::new(50, []))?;
    // D3: a message behind the registration tells the other end that it is there.
    let mut remote = b.pool.rkey_slot()?.make_remote(&target, Access::REMOTE_WRITE | Access::REMOTE_READ)?;
    a.qp.post_receive(&ReceiveRequest::new(52, []))?;
    remote.post([SendRequest::send(53, [])])?;
    let mut from = a.pool.lkey_slot()?.make_sge(&source, Direction::ToDevice, 4)?;
    let mut into = a.pool.lkey_slot()?.make_sge(&sink, Direction::FromDevice, 4)?;
    wait(cq, &[52, 53])?;
    from.post([SendRequest::write(54, from.sges(), remote.remote())])?;
    into.post([SendRequest::read(55, into.sges(), remote.remote())])?;
    wait(cq, &[54, 55])?;
    check(M::bytes(&target, BYTES) == data, "WRITE has brought other bytes")?;
    check(M::bytes(&sink, BYTES) == data, "READ has brought other bytes")?;
    a.qp.post_send(SendRequest::send_inv(56, [], remote.rkey()))?;
    let key = wait(cq, &[50, 56])?;
    check(key == Some(remote.rkey()), format!("invalidated by the peer: {key:x?}"))?;
    check(matches!(remote.unmap(57)?, Unmap::Done(_)), "the key is not known to be gone")?;
    for (wr_id, map) in [(58, from), (59, into)] {
        let Unmap::Pending(end) = map.unmap(wr_id)? else { return Err("a registered element needs an end".into()) };
        wait(cq, &[wr_id])?;
        end.finish()?;
    }
    Ok(format!("{BYTES} bytes written and read back"))
}

/// Waits for these successful completions, in any order. Answers the key that a message has taken away.
fn wait<M: Machine>(cq: &CompletionQueue<M>, wr_ids: &[u64]) -> Result<Option<u32>, Box<dyn Error>> {
    let (mut left, mut key) = (wr_ids.to_vec(), None);
    while !left.is_empty() {
        let completion = cq
            .next(M::LIMIT)
            .map_err(|error| format!("{error}, waiting for requests {left:?}: has the port a loop-back plug?"))?;
        check(completion.is_success(), format!("{completion:?}"))?;
        let place = left.iter().position(|wr_id| *wr_id == completion.wr_id);
        left.remove(place.ok_or_else(|| format!("unexpected {completion:?}"))?);
        key = key.or(completion.invalidated_key);
    }
    Ok(key)
}

/// A registration that must fail, what it does to the queue pair, and the way back.
fn errors<M: Machine>(bench: &mut Bench<M>) -> Outcome {
    let Bench { links, cq, pd, device } = bench;
    let qp = &links[0].qp;
    let area = device.platform().area(0, 4096)?;
    let list = device.dma_map(&area, Direction::ToDevice)?;
    let mut mr = device.alloc_fast_reg_mr(pd, 4)?;
    mr.map_mr_sg(&list, 0, 4096)?;
    let mut registration = mr.reg_wr(mr.key(), Access::NONE)?;
    registration.length = 0;
    qp.post_unchecked(SendRequest::reg_mr(60, registration))?;
    qp.post_unchecked(SendRequest::local_inv(61, mr.key()))?;
    let (first, second) = (cq.next(M::LIMIT)?, cq.next(M::LIMIT)?);
    let failed = (first.wr_id, first.status, first.syndrome) == (60, Status::MwBind, Syndrome::Length);
    check(failed, format!("REG_MR of no bytes: {first:?}"))?;
    check((second.wr_id, second.status) == (61, Status::WrFlush), format!("behind it: {second:?}"))?;
    check(device.error_count(Syndrome::Length)? == 1, "the error was not counted once")?;
    check(mr.query()?.state == MrTableState::Free, "the failed REG_MR has changed the region")?;
    for link in links.iter() {
        link.qp.recover()?;
    }
    connect(links)?;
    links[0].qp.post_send(SendRequest::reg_mr(62, mr.reg_wr(mr.key(), Access::NONE)?))?;
    wait(cq, &[62])?;
    // VALID: deregistration alone takes it away.
    mr.dereg().map_err(|kept| kept.error)?;
    device.dma_unmap(list)?;
    Ok("refused, flushed, counted, recovered".into())
}

/// Everything ends, and the device holds nothing any more.
fn teardown<M: Machine>(bench: Bench<M>) -> Outcome {
    let Bench { links, cq, pd, device } = bench;
    for Link { pool, qp } in links {
        pool.close().map_err(|kept| kept.error)?;
        qp.destroy().map_err(|kept| kept.error)?;
    }
    let left = device.reclaim()?;
    check(left == 0, format!("{left} dropped mappings are left"))?;
    let mapped = device.platform().mapped();
    check(mapped == 0, format!("{mapped} lists of memory are still mapped"))?;
    cq.destroy().map_err(|kept| kept.error)?;
    pd.free().map_err(|kept| kept.error)?;
    for index in 1..device.capabilities().mr_entries {
        let state = device.query_mr(index)?.state;
        check(state == MrTableState::Unalloc, format!("region {index} is left: {state:?}"))?;
    }
    Ok(format!("{} regions looked at, none is left, and no memory is mapped", device.capabilities().max_mr))
}
