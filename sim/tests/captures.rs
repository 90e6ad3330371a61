//! Frames of our devices against those that Linux soft-RoCE has sent for the same operations (`tests/captures`).
//!
//! Both ends of a recorded conversation are played again, message by message, and what the recorded device has sent must be what
//! ours sends: every bit of the headers that is not an address, a key, a port, a PSN, an MSN, an IP identification (ours is 0,
//! T85) or the ICRC, and the number of payload bytes.
use rnic_abi::register;
use rnic_abi::wqe::Sge;
use rnic_driver::{
    Access, CompletionQueue, ConnectOptions, Device, DmaBuffer, DmaMemory, MemoryRegion, OpenOptions, Pages, QpOptions,
    QueuePair, ReceiveRequest, RegMr, Remote, SendRequest,
};
use rnic_sim::host::{Permission, Region};
use rnic_sim::monitor::Role;
use rnic_sim::platform::{attach_nic, HostBuffer, Shared, SimPlatform};
use rnic_sim::wire::capture::read_capture;
use rnic_sim::wire::frame::{map, opcode, Extensions, Network};
use rnic_sim::wire::Frame;
use rnic_sim::{Settings, Simulator};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

/// Bytes of memory at each end: more than the longest message.
const BYTES: u64 = 1 << 17;
/// Bits of CONTROL.
const ENABLE: u32 = 1 << 1;
const MIGREQ: u32 = 1 << 4;
/// Where the region of each end begins.
const START: u64 = 0x7000_0000;

/// A message as its sender asked for it.
#[derive(Clone, Debug)]
struct Message {
    /// Which end sends it.
    end: usize,
    first: Frame,
    /// Opcode and extension headers of its last packet.
    last: Frame,
    bytes: u32,
}

/// The RoCE frames of a capture with the number of the end that has sent each; the first sender of a request is end 0.
fn recorded(file: &str) -> Vec<(usize, Frame)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/captures").join(file);
    let frames = read_capture(&path).unwrap();
    let frames: Vec<Frame> = frames.iter().filter_map(|frame| Frame::parse(&frame.bytes).ok()).collect();
    let frames: Vec<Frame> = frames.into_iter().filter(|frame| frame.bth.opcode < 0x20).collect();
    let zero = frames[0].network.source();
    frames.into_iter().map(|frame| (usize::from(frame.network.source() != zero), frame)).collect()
}

/// The messages behind the request packets, in their order.
fn messages(frames: &[(usize, Frame)]) -> Vec<Message> {
    let mut open: [Option<Message>; 2] = [None, None];
    let mut done = vec![];
    for (end, frame) in frames.iter().filter(|(_, frame)| !opcode::is_response(frame.bth.opcode)) {
        let message = open[*end].get_or_insert_with(|| Message {
            end: *end,
            first: frame.clone(),
            last: frame.clone(),
            bytes: 0,
        });
        message.bytes += frame.payload.len() as u32;
        message.last = frame.clone();
        let continues = opcode::name(frame.bth.opcode);
        if !continues.ends_with("FIRST") && !continues.ends_with("MIDDLE") {
            done.extend(open[*end].take());
        }
    }
    done
}

/// What must be the same in both frames.
fn comparable(frame: &Frame) -> (Frame, usize) {
    let mut frame = frame.clone();
    (frame.destination, frame.source, frame.source_port) = Default::default();
    (frame.bth.qpn, frame.bth.psn) = (0, 0);
    match &mut frame.network {
        Network::V4 { source, destination, identification, .. } => {
            (*source, *destination, *identification) = Default::default();
        }
        Network::V6 { source, destination, .. } => (*source, *destination) = Default::default(),
    }
    let Extensions { reth, aeth, atomic, original, .. } = &mut frame.extensions;
    reth.iter_mut().for_each(|reth| (reth.va, reth.rkey) = (0, 0));
    aeth.iter_mut().for_each(|aeth| aeth.msn = 0);
    // The value before an atomic is payload.
    atomic.iter_mut().for_each(|atomic| (atomic.va, atomic.rkey) = (0, 0));
    original.iter_mut().for_each(|original| *original = 0);
    let bytes = std::mem::take(&mut frame.payload).len();
    (frame, bytes)
}

/// One end of the conversation.
struct End {
    qp: QueuePair<SimPlatform>,
    cq: CompletionQueue<SimPlatform>,
    region: MemoryRegion<SimPlatform>,
    buffer: HostBuffer,
    device: Device<SimPlatform>,
}

impl End {
    fn new(simulator: &Shared, nic: usize) -> Self {
        let last = nic as u8 + 1;
        let v6 = [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last];
        let options = OpenOptions {
            mac: Some([2, 0, 0, 0, 0, last]),
            addresses: vec![map([10, 0, 0, last]), v6],
            ..OpenOptions::default()
        };
        let device = Device::open_with(attach_nic(simulator, nic), options).unwrap();
        let (pd, cq) = (device.alloc_pd().unwrap(), device.create_cq(1024, 0).unwrap());
        let options = QpOptions { privileged: true, ..QpOptions::default() };
        let qp = device.create_qp(&pd, &cq, &cq, options).unwrap();
        let buffer = device.platform().memory.allocate(BYTES as usize).unwrap();
        let own = buffer.bus_address()..buffer.bus_address() + BYTES;
        simulator.borrow_mut().nic(nic).monitor().lend(own, Role::Payload);
        let region = device.alloc_fast_reg_mr(&pd, 1).unwrap();
        Self { qp, cq, region, buffer, device }
    }

    /// The region that the peer reaches: one large page.
    fn register(&self) {
        let host = self.device.platform().memory.host();
        let page = host.map(&Rc::new(Region::new(BYTES)), 0..BYTES, BYTES, Permission::ALL).unwrap();
        let access = Access::LOCAL_WRITE | Access::REMOTE_WRITE | Access::REMOTE_READ | Access::REMOTE_ATOMIC;
        let request = RegMr::new(&self.region, access, START, BYTES, Pages::Inline(vec![page])).page_shift(17);
        self.qp.post_send(SendRequest::reg_mr(0, request)).unwrap();
        self.wait();
    }

    fn sge(&self, bytes: u32) -> Vec<Sge> {
        let lkey = self.device.capabilities().local_dma_lkey;
        let sge = Sge { address: self.buffer.bus_address(), length: bytes, lkey };
        if bytes > 0 {
            vec![sge]
        } else {
            vec![]
        }
    }

    fn wait(&self) {
        let completion = self.cq.next(Duration::from_millis(100)).unwrap();
        assert!(completion.is_success(), "{completion:?}");
    }
}

/// Sends a message again.
fn play(ends: &[End; 2], message: &Message) {
    let (own, peer) = (&ends[message.end], &ends[1 - message.end]);
    let remote = Remote { address: START, rkey: peer.region.key() };
    let immediate = message.last.extensions.immediate;
    let lkey = own.device.capabilities().local_dma_lkey;
    let sink = own.buffer.bus_address();
    let (mut request, receives) = match message.first.bth.opcode {
        opcode::WRITE_FIRST | opcode::WRITE_ONLY | opcode::WRITE_ONLY_IMM => match immediate {
            Some(immediate) => (SendRequest::write_imm(1, own.sge(message.bytes), remote, immediate), true),
            None => (SendRequest::write(1, own.sge(message.bytes), remote), false),
        },
        opcode::READ_REQUEST => {
            let bytes = message.first.extensions.reth.unwrap().length;
            (SendRequest::read(1, own.sge(bytes), remote), false)
        }
        opcode::FETCH_ADD => {
            let add = message.first.extensions.atomic.unwrap().swap_add;
            (SendRequest::fetch_add(1, sink, lkey, remote, add), false)
        }
        opcode::COMPARE_SWAP => {
            let atomic = message.first.extensions.atomic.unwrap();
            (SendRequest::compare_swap(1, sink, lkey, remote, atomic.compare, atomic.swap_add), false)
        }
        _ => match immediate {
            Some(immediate) => (SendRequest::send_imm(1, own.sge(message.bytes), immediate), true),
            None => (SendRequest::send(1, own.sge(message.bytes)), true),
        },
    };
    request.solicited = message.last.bth.solicited;
    if receives {
        peer.qp.post_receive(&ReceiveRequest::new(2, peer.sge(BYTES as u32))).unwrap();
    }
    own.qp.post_send(request).unwrap();
    if receives {
        peer.wait();
    }
    own.wait();
}

/// Plays a conversation of `count` messages again, the last `refused` of which did not succeed, and compares what the ends in
/// `real` have sent.
fn same_frames(file: &str, own_address: u8, real: &[usize], count: usize, refused: usize) {
    let frames = recorded(file);
    let messages = messages(&frames);
    assert_eq!(messages.len(), count, "messages in {file}");
    let nics = vec!["a".into(), "b".into()];
    let simulator: Shared = Rc::new(RefCell::new(Simulator::new(&Settings { nics, ..Settings::default() }).unwrap()));
    let ends = [End::new(&simulator, 0), End::new(&simulator, 1)];
    let access = Access::REMOTE_WRITE | Access::REMOTE_READ | Access::REMOTE_ATOMIC;
    // rxe sends its requests with the customary attributes; the recorded PSNs wrap, and so do these.
    let options = ConnectOptions { access, ..ConnectOptions::default() };
    let own = [0, 1].map(|end: usize| ends[end].qp.endpoint(own_address, 0xFF_FFFA).unwrap());
    for end in [0, 1] {
        // T13: the MigReq bit is a setting of the device; connections of the kernel's connection manager have it.
        if frames.iter().any(|(from, frame)| *from == end && frame.bth.migration) {
            ends[end].device.write_register(register::CONTROL, ENABLE | MIGREQ).unwrap();
        }
        ends[end].qp.connect(&own[end], &own[1 - end].endpoint(), &options).unwrap();
        ends[end].register();
    }
    for message in &messages[..count - refused] {
        play(&ends, message);
    }
    simulator.borrow_mut().run(2000).unwrap();
    for end in real {
        let port = simulator.borrow().nics()[*end].end();
        let mut simulator = simulator.borrow_mut();
        let sent = std::iter::from_fn(|| simulator.wire_mut().take_sent(port));
        let sent: Vec<Frame> = sent.map(|record| Frame::parse(&record.bytes).unwrap()).collect();
        let wanted: Vec<&Frame> = frames.iter().filter(|(from, _)| from == end).map(|(_, frame)| frame).collect();
        assert_eq!(sent.len() + refused, wanted.len(), "frames of end {end}");
        for (number, (sent, wanted)) in sent.iter().zip(&wanted).enumerate() {
            assert_eq!(comparable(sent), comparable(wanted), "frame {number} of end {end}: {sent} for {wanted}");
        }
    }
    simulator.borrow_mut().finish().unwrap();
}

#[test]
fn t12_t13_t14_t64_frames_of_all_verbs_are_those_of_soft_roce() {
    // The other end was a test program; the last request is refused there.
    same_frames("rxe-all-verbs.pcap", 0, &[0], 15, 1);
}

#[test]
fn t85_frames_over_ipv6_are_those_of_soft_roce() {
    same_frames("rxe-ipv6.pcap", 1, &[0, 1], 40, 0);
}

#[test]
fn t12_t13_t14_t61_frames_of_rping_are_those_of_soft_roce() {
    // Both ends are soft-RoCE: SENDs that tell a key, READs and WRITEs by the other end.
    same_frames("rxe-rping-rdma-cm.pcap", 0, &[0, 1], 60, 0);
}
