//! Steps about connections and frames.

use super::super::file::WireTable;
use super::super::machine::Machine;
use super::super::step::{self, Connect, ExpectFrame, FrameTable, InjectFrame, MishapName, PATIENCE};
use super::data::pattern;
use super::expect::{hex, plain, Comparison};
use super::objects::{bring_to, Connection};
use super::{unexpected, Outcome, Runner, Unmet};
use crate::wire::capture::read_capture;
use crate::wire::frame::{self, opcode, Aeth, AtomicEth, Bth, Extension, Frame, Network, Reth};
use crate::wire::{Counters, EndId, FrameFault, FrameRecord, Mishap, Wire};
use rnic_abi::qp::State;
use rnic_driver::{source_port, Access, ConnectOptions, Endpoint, PathMtu};
use std::path::Path;

/// The address of a peer without one.
const STRANGER: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 99];

fn no_wire() -> Unmet {
    Unmet::new("a wire", "the reference model has none")
}

fn options(body: &Connect) -> ConnectOptions {
    ConnectOptions {
        mtu: PathMtu::from_bytes(body.mtu).unwrap_or_default(),
        access: Access::from_bits(body.access.0),
        pkey: body.pkey,
        vlan: body.vlan,
        traffic_class: body.traffic_class,
        hop_limit: body.hop_limit,
        flow_label: body.flow_label,
        source_port: None,
        max_rd: body.max_rd,
        max_dest_rd: body.max_rd,
        timeout: body.timeout,
        retry_cnt: body.retry_cnt,
        rnr_retry: body.rnr_retry,
        min_rnr: body.min_rnr,
    }
}

impl<M: Machine> Runner<M> {
    fn with_wire<T>(&self, nic: usize, access: impl FnOnce(&mut Wire, EndId, u64) -> T) -> Result<T, Unmet> {
        self.nics[nic].machine.wire(access).ok_or_else(no_wire)
    }

    pub(super) fn connect(&mut self, body: &Connect) -> Outcome {
        let options = options(body);
        let own = self.objects.qp(&body.qp)?.endpoint(body.own_address, body.psn).map_err(unexpected)?;
        let Some(to) = &body.to else {
            let peer = Endpoint {
                qpn: body.qpn.unwrap_or(2),
                psn: body.peer_psn,
                mac: body.mac.map_or([2, 0, 0, 0, 0, 99], |mac| mac.0),
                address: body.address.map_or(STRANGER, |address| address.0),
            };
            return self.connect_one(&body.qp, &own, &peer, &options);
        };
        let other = self.objects.qp(to)?.endpoint(body.own_address, body.peer_psn).map_err(unexpected)?;
        self.connect_one(&body.qp, &own, &other.endpoint(), &options)?;
        self.connect_one(to, &other, &own.endpoint(), &options)
    }

    fn connect_one(
        &mut self,
        name: &str,
        own: &rnic_driver::OwnEndpoint,
        peer: &Endpoint,
        options: &ConnectOptions,
    ) -> Outcome {
        let qp = self.objects.qp(name)?;
        if qp.state() == State::Init {
            qp.connect_from_init(own, peer, options).map_err(unexpected)?;
        } else {
            if qp.state() != State::Reset {
                qp.drain().map_err(unexpected)?;
                bring_to(qp, State::Reset).map_err(unexpected)?;
            }
            qp.connect(own, peer, options).map_err(unexpected)?;
        }
        let connection = Connection { own: own.endpoint(), peer: *peer, options: *options };
        self.objects.connections.insert(name.to_string(), connection);
        Ok(())
    }

    fn connection(&self, qp: &str) -> Result<Connection, Unmet> {
        let found = self.objects.connections.get(qp).copied();
        found.ok_or_else(|| Unmet::new(format!("queue pair `{qp}` connected by a step"), "it is not"))
    }

    pub(super) fn wire(&mut self, body: &WireTable) -> Outcome {
        match self.machine.set_wire(|settings| body.apply(settings)) {
            true => Ok(()),
            false => Err(no_wire()),
        }
    }

    pub(super) fn wire_fault(&mut self, body: &step::WireFault) -> Outcome {
        let qpn = body.qp.as_ref().map(|name| self.objects.qp(name).map(|qp| qp.number())).transpose()?;
        let from = body.from.as_ref().map(|name| self.nic_index(Some(name)));
        let from = from.map(|nic| self.with_wire(nic, |_, end, _| end)).transpose()?;
        let mishap = match body.what {
            MishapName::Lose => Mishap::Lose,
            MishapName::Duplicate => Mishap::Duplicate(body.cycles),
            MishapName::Delay => Mishap::Delay(body.cycles),
            MishapName::Flip => Mishap::Flip(body.bit),
            MishapName::Mark => Mishap::Mark,
        };
        let fault = FrameFault {
            from,
            opcode: body.opcode.map(|opcode| opcode.0),
            qpn,
            psn: body.psn,
            skip: body.skip,
            times: (body.times > 0).then_some(body.times),
            mishap,
        };
        self.with_wire(0, |wire, _, _| wire.add_fault(fault))
    }

    pub(super) fn clear_wire_faults(&mut self) -> Outcome {
        self.with_wire(0, |wire, _, _| wire.clear_faults())
    }

    pub(super) fn inject_frame(&mut self, body: &InjectFrame) -> Outcome {
        let nic = self.nic_index_or(body.nic.as_ref(), body.to.as_ref());
        let mut bytes = match (&body.hex, &body.frame, &body.capture) {
            (Some(hex), ..) => {
                let mut bytes = hex.0.clone();
                bytes.resize(body.length.unwrap_or(bytes.len()), 0);
                bytes
            }
            (_, Some(frame), _) => self.made_up(body.to.as_deref().unwrap_or_default(), frame)?.build(),
            (.., capture) => self.captured(body, capture.as_deref().unwrap_or_default())?,
        };
        if !frame::CARRIED.contains(&bytes.len()) {
            let wanted = format!("a frame of {} to {} bytes", frame::HEADER, frame::LARGEST);
            return Err(Unmet::new(wanted, format!("{} bytes", bytes.len())));
        }
        for bit in body.flip.iter().map(|bit| *bit as usize) {
            let last = 8 * bytes.len() - 1;
            let byte = bytes.get_mut(bit / 8);
            let byte = byte.ok_or_else(|| Unmet::new(format!("`flip` of bits 0 to {last}"), format!("bit {bit}")))?;
            *byte ^= 1 << (bit % 8);
        }
        let bad = body.bad;
        self.with_wire(nic, |wire, end, cycle| wire.inject(cycle, end, bytes, bad))
    }

    /// A frame of a capture file; with `to` as the peer of that queue pair would have sent it.
    fn captured(&self, body: &InjectFrame, file: &str) -> Result<Vec<u8>, Unmet> {
        let path = Path::new(file);
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
        let path = if path.exists() { path } else { &own };
        let frames = read_capture(path).map_err(|error| Unmet::new(format!("capture {file}"), error.to_string()))?;
        let recorded = frames.get(body.number - 1).map(|frame| frame.bytes.clone());
        let wanted = || format!("frame {} of {file}", body.number);
        let bytes = recorded.ok_or_else(|| Unmet::new(wanted(), format!("it has {}", frames.len())))?;
        let Some(to) = &body.to else { return Ok(bytes) };
        let recorded = Frame::parse(&bytes).map_err(|reason| Unmet::new(wanted(), reason.to_string()))?;
        let mut frame = self.from_peer(&self.connection(to)?, recorded.bth);
        frame.bth.qpn = self.objects.qp(to)?.number();
        frame.bth.psn = body.psn.unwrap_or(frame.bth.psn);
        (frame.extensions, frame.payload) = (recorded.extensions, recorded.payload);
        Ok(frame.build())
    }

    /// A frame without extension headers from the peer of a connection.
    fn from_peer(&self, connection: &Connection, bth: Bth) -> Frame {
        let Connection { own, peer, options } = connection;
        let mut frame = Frame::new(Network::between(peer.address, own.address), bth);
        match &mut frame.network {
            Network::V4 { tos, ttl, .. } => (*tos, *ttl) = (options.traffic_class, options.hop_limit),
            Network::V6 { traffic_class, hop_limit, flow_label, .. } => {
                (*traffic_class, *hop_limit, *flow_label) =
                    (options.traffic_class, options.hop_limit, options.flow_label);
            }
        }
        (frame.destination, frame.source, frame.vlan) = (own.mac, peer.mac, options.vlan);
        frame.source_port = source_port(own.qpn, peer.qpn);
        frame
    }

    fn made_up(&self, to: &str, table: &FrameTable) -> Result<Frame, Unmet> {
        let connection = self.connection(to)?;
        let code = table.opcode.0;
        let mut bth = Bth::new(code, table.qpn.unwrap_or(connection.own.qpn), table.psn & 0xFF_FFFF);
        bth.pkey = table.pkey.unwrap_or(connection.options.pkey);
        bth.ack_request = table.ack.unwrap_or(!opcode::is_response(code));
        bth.solicited = table.solicited;
        let mut frame = self.from_peer(&connection, bth);
        frame.payload = match &table.payload {
            Some(payload) => payload.0.clone(),
            None => pattern(table.seed, table.bytes.0),
        };
        let remote = table.remote.as_ref().map(|remote| self.remote(remote)).transpose()?.unwrap_or_default();
        let key = match (&table.invalidate, table.invalidate_key) {
            (Some(name), _) => self.objects.mr(name)?.key(),
            (None, key) => key.map_or(0, |key| key.0 as u32),
        };
        let immediate = table.imm.as_ref().and_then(|imm| imm.0.clone().try_into().ok()).unwrap_or_default();
        let length = table.length.unwrap_or(frame.payload.len() as u32);
        for extension in opcode::extensions(code).unwrap_or(&[]) {
            let extensions = &mut frame.extensions;
            match extension {
                Extension::Deth => {}
                Extension::Reth => {
                    extensions.reth = Some(Reth { va: remote.address, rkey: remote.rkey, length });
                }
                Extension::Aeth => {
                    extensions.aeth = Some(Aeth { syndrome: table.syndrome, msn: table.msn & 0xFF_FFFF });
                }
                Extension::AtomicEth => {
                    let (swap_add, compare) = (table.swap_add.0, table.compare.0);
                    extensions.atomic = Some(AtomicEth { va: remote.address, rkey: remote.rkey, swap_add, compare });
                }
                Extension::AtomicAckEth => extensions.original = Some(table.original.0),
                Extension::ImmDt => extensions.immediate = Some(immediate),
                Extension::Ieth => extensions.invalidate = Some(key),
            }
        }
        Ok(frame)
    }

    fn next_frame(&mut self, nic: usize, limit: u64) -> Result<Option<FrameRecord>, Unmet> {
        self.wait(limit, |runner| runner.with_wire(nic, |wire, end, _| wire.take_sent(end)))
    }

    pub(super) fn expect_frame(&mut self, body: &ExpectFrame) -> Outcome {
        let nic = self.nic_index_or(body.nic.as_ref(), body.from.as_ref());
        let peer = body.from.as_ref().map(|qp| self.connection(qp)).transpose()?.map(|connection| connection.peer.qpn);
        let limit = body.within.unwrap_or(PATIENCE);
        let end = self.machine.cycle() + limit;
        let mut passed = 0;
        loop {
            let left = end.saturating_sub(self.machine.cycle());
            let Some(record) = self.next_frame(nic, left)? else {
                let others = if passed > 0 { format!(" among {passed} frames") } else { String::new() };
                let expected = body.opcode.map_or("a frame".to_string(), |code| opcode::name(code.0));
                return Err(Unmet::new(expected, format!("none within {limit} cycles{others}")));
            };
            match compare(body, peer, &record) {
                Err(_) if body.search => passed += 1,
                outcome => return outcome,
            }
        }
    }

    pub(super) fn no_frame(&mut self, body: &step::Within) -> Outcome {
        let nic = self.nic_index(body.nic.as_ref());
        match self.next_frame(nic, body.within.unwrap_or(PATIENCE / 10))? {
            None => Ok(()),
            Some(record) => Err(Unmet::new("no frame", frame::describe(&record.bytes))),
        }
    }

    pub(super) fn forget_frames(&mut self, body: &step::OnNic) -> Outcome {
        let nic = self.nic_index(body.nic.as_ref());
        self.with_wire(nic, |wire, end, _| while wire.take_sent(end).is_some() {})
    }

    pub(super) fn wire_counter(&mut self, body: &step::WireCounter) -> Outcome {
        let nic = self.nic_index(body.nic.as_ref());
        let counters = |runner: &Self| runner.with_wire(nic, |wire, end, _| wire.counters(end));
        let read = |counters: Counters| counters.by_name(&body.counter).unwrap_or(0);
        let met = |found: u64| {
            body.value.is_none_or(|value| value == found) && body.at_least.is_none_or(|least| found >= least)
        };
        self.wait(body.within.unwrap_or(0), |runner| Ok(met(read(counters(runner)?)).then_some(())))?;
        let found = read(counters(self)?);
        match met(found) {
            true => Ok(()),
            false => {
                let wanted = body
                    .value
                    .map_or_else(|| format!("at least {}", body.at_least.unwrap_or(0)), |value| value.to_string());
                Err(Unmet::new(format!("{} {wanted}", body.counter), found.to_string()))
            }
        }
    }
}

/// Compares a frame with what a step expects of it.
fn compare(body: &ExpectFrame, peer: Option<u32>, record: &FrameRecord) -> Outcome {
    let text = |bytes: &Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut fields = Comparison::default();
    fields.field("frame", body.hex.as_ref().map(|hex| hex.0.clone()), record.bytes.to_vec(), text);
    let frame = match Frame::parse(&record.bytes) {
        Ok(frame) => frame,
        Err(_) if body.hex.is_some() => return fields.outcome(),
        Err(reason) => return Err(Unmet::new("a RoCEv2 frame", reason.to_string())),
    };
    let line = frame.to_string();
    let Frame { bth, extensions, payload, .. } = frame;
    let (reth, atomic, aeth) = (extensions.reth, extensions.atomic, extensions.aeth);
    fields.field("opcode", body.opcode.map(|code| code.0), bth.opcode, |code| opcode::name(*code));
    fields.field("psn", body.psn, bth.psn, hex);
    fields.field("qpn", body.qpn.or(peer), bth.qpn, hex);
    fields.field("ack", body.ack, bth.ack_request, plain);
    fields.field("solicited", body.solicited, bth.solicited, plain);
    let va = reth.map(|reth| reth.va).or(atomic.map(|atomic| atomic.va));
    let key = reth.map(|reth| reth.rkey).or(atomic.map(|atomic| atomic.rkey));
    fields.field("va", body.va.map(|va| Some(va.0)), va, plain);
    fields.field("key", body.key.map(|key| Some(key.0 as u32)), key, plain);
    fields.field("length", body.length.map(Some), reth.map(|reth| reth.length), plain);
    fields.field("syndrome", body.syndrome.map(Some), aeth.map(|aeth| aeth.syndrome), plain);
    fields.field("msn", body.msn.map(Some), aeth.map(|aeth| aeth.msn), plain);
    fields.field("original", body.original.map(|original| Some(original.0)), extensions.original, plain);
    let immediate = extensions.immediate.map(|imm| imm.to_vec());
    fields.field("imm", body.imm.as_ref().map(|imm| Some(imm.0.clone())), immediate, plain);
    fields.field("bytes", body.bytes, payload.len(), plain);
    fields.field("payload", body.payload.as_ref().map(|payload| payload.0.clone()), payload, text);
    fields.outcome().map_err(|unmet| Unmet::new(unmet.expected, format!("{} ({line})", unmet.found)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[derive(serde::Deserialize)]
    struct One {
        expect: ExpectFrame,
    }

    fn record(opcode: u8, change: impl Fn(&mut Frame)) -> FrameRecord {
        let mut frame = Frame::new(Network::v4([10, 0, 0, 1], [10, 0, 0, 2]), Bth::new(opcode, 0x11, 7));
        change(&mut frame);
        let bytes: Rc<[u8]> = frame.build().into();
        FrameRecord { cycle: 0, from: None, bytes, fates: vec![] }
    }

    /// What is found where a step expects something else; empty when it fits.
    fn found(expect: &str, record: &FrameRecord) -> String {
        let one: One = toml::from_str(&format!("expect = {{ {expect} }}")).unwrap_or_else(|error| panic!("{error}"));
        compare(&one.expect, Some(0x11), record).err().map_or(String::new(), |unmet| unmet.found)
    }

    #[test]
    fn every_field_of_an_expected_frame_is_compared() {
        let write = record(opcode::WRITE_ONLY_IMM, |frame| {
            frame.extensions.reth = Some(Reth { va: 0x1000, rkey: 0x511, length: 3 });
            frame.extensions.immediate = Some([1, 2, 3, 4]);
            frame.payload = vec![9, 8, 7];
            frame.bth.ack_request = true;
        });
        let right = "opcode = \"WRITE_ONLY_IMM\", psn = 7, ack = true, solicited = false, va = 0x1000, key = 0x511, \
                     length = 3, imm = \"01020304\", payload = \"090807\", bytes = 3";
        assert_eq!(found(right, &write), "");
        for (wrong, expected) in [
            ("opcode = \"WRITE_ONLY\"", "opcode WRITE_ONLY_IMM"),
            ("psn = 8", "psn 0x7"),
            ("qpn = 0x12", "qpn 0x11"),
            ("ack = false", "ack true"),
            ("solicited = true", "solicited false"),
            ("va = 0x1001", "va Some(4096)"),
            ("key = 0x512", "key Some(1297)"),
            ("length = 4", "length Some(3)"),
            ("imm = \"01020305\"", "imm Some([1, 2, 3, 4])"),
            ("payload = \"0908\"", "payload 090807"),
            ("bytes = 4", "bytes 3"),
            ("syndrome = 0x1F", "syndrome None"),
            ("hex = \"00\"", "frame 0200"),
        ] {
            let found = found(wrong, &write);
            assert!(found.starts_with(expected), "{wrong}: {found}");
        }
        let answer = record(opcode::ATOMIC_ACKNOWLEDGE, |frame| {
            frame.extensions.aeth = Some(Aeth { syndrome: 0x1F, msn: 5 });
            frame.extensions.original = Some(8);
        });
        assert_eq!(found("syndrome = 0x1F, msn = 5, original = 8", &answer), "");
        assert!(found("msn = 6", &answer).starts_with("msn Some(5)"));
        assert!(found("original = 9", &answer).starts_with("original Some(8)"));
    }

    #[test]
    fn a_frame_that_is_no_roce_can_be_expected_byte_by_byte_only() {
        let bytes: Rc<[u8]> = vec![0xFF; 60].into();
        let other = FrameRecord { cycle: 0, from: None, bytes, fates: vec![] };
        assert_eq!(found("psn = 1", &other), "EtherType ffff");
        assert_eq!(found(&format!("hex = \"{}\"", "FF".repeat(60)), &other), "");
    }
}
