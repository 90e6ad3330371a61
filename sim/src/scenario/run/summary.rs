//! One line about a step that has no title.

use super::super::step::{Action, DataWr};
use crate::wire::frame::opcode;

fn among(what: &str, errno: Option<&str>) -> String {
    errno.map_or(what.to_string(), |errno| format!("{what}: {errno}"))
}

fn data(what: &str, body: &DataWr) -> String {
    let bytes: u64 = body.sges.iter().map(|sge| sge.length.0).sum();
    let times = if body.times > 1 { format!("{} x ", body.times) } else { String::new() };
    among(&format!("{times}{what} of {bytes} bytes on {}", body.qp), body.errno.map(|errno| errno.0.name()))
}

/// The line.
pub(super) fn summary(action: &Action) -> String {
    match action {
        Action::AllocMr(body) => among(&format!("allocate {}", body.mr), body.errno.map(|errno| errno.0.name())),
        Action::DeregMr(body) => among(&format!("deregister {}", body.mr), body.errno.map(|errno| errno.0.name())),
        Action::UpdateKey(body) => format!("driver's key byte of {} = {:#04x}", body.mr, body.byte),
        Action::RecoverMr(body) => among(&format!("recover {}", body.mr), body.errno.map(|errno| errno.0.name())),
        Action::FreePd(body) => among(&format!("free {}", body.pd), body.errno.map(|errno| errno.0.name())),
        Action::CreateCq(body) => among(&format!("create {}", body.cq), body.errno.map(|errno| errno.0.name())),
        Action::DestroyCq(body) => among(&format!("destroy {}", body.cq), body.errno.map(|errno| errno.0.name())),
        Action::CreateQp(body) => among(&format!("create {}", body.qp), body.errno.map(|errno| errno.0.name())),
        Action::DestroyQp(body) => format!("destroy {}", body.qp),
        Action::ModifyQp(body) => {
            among(&format!("{} to {}", body.qp, body.state.0), body.errno.map(|errno| errno.0.name()))
        }
        Action::Drain(body) => format!("drain {}", body.qp),
        Action::Admin(body) => {
            among(&format!("admin command {:#04x}", body.command.0), body.errno.map(|errno| errno.0.name()))
        }
        Action::RegMr(body) => {
            among(&format!("REG_MR {} on {}", body.mr, body.qp), body.errno.map(|errno| errno.0.name()))
        }
        Action::LocalInv(body) => {
            let key = body.key.map_or(String::new(), |key| format!("{:#x}", key.0));
            let what = body.mr.clone().unwrap_or(key);
            among(&format!("LOCAL_INV {what} on {}", body.qp), body.errno.map(|errno| errno.0.name()))
        }
        Action::Raw(body) => among(&format!("raw request on {}", body.qp), body.errno.map(|errno| errno.0.name())),
        Action::Receive(body) => {
            among(&format!("{} receives on {}", body.times, body.qp), body.errno.map(|errno| errno.0.name()))
        }
        Action::Connect(body) => {
            let to = body.to.clone().unwrap_or_else(|| format!("{:#x}", body.qpn.unwrap_or(0)));
            format!("connect {} to {to}", body.qp)
        }
        Action::Send(body) => data("SEND", body),
        Action::Write(body) => data("WRITE", body),
        Action::Read(body) => data("READ", body),
        Action::CmpSwap(body) => among(&format!("CMP_SWAP on {}", body.qp), body.errno.map(|errno| errno.0.name())),
        Action::FetchAdd(body) => among(&format!("FETCH_ADD on {}", body.qp), body.errno.map(|errno| errno.0.name())),
        Action::Ring(body) => format!("ring {}", body.qp),
        Action::Arm(body) => format!("arm {}", body.cq),
        Action::Completion(body) => {
            let syndrome = body.syndrome.map_or(String::new(), |syndrome| format!(" {}", syndrome.0));
            let times = if body.times > 1 { format!("{} x ", body.times) } else { String::new() };
            let queue = body.qp.as_ref().or(body.cq.as_ref()).map_or("", |name| name);
            format!("completion on {queue}: {times}{}{syndrome}", body.status.0)
        }
        Action::NoCompletion(body) => format!("no completion on {}", body.cq),
        Action::Probe(body) => {
            let result = body.syndrome.map_or("granted".to_string(), |syndrome| syndrome.0.to_string());
            format!("probe {:#x} bytes at {:#x}: {result}", body.length, body.va.0)
        }
        Action::QueryMr(body) => {
            let state = body.state.map_or(String::new(), |state| format!(": {}", state.0));
            let name = body.mr.clone().unwrap_or_else(|| body.index.unwrap_or(0).to_string());
            format!("query {name}{state}")
        }
        Action::QueryQp(body) => {
            let state = body.state.map_or(String::new(), |state| format!(": {}", state.0));
            format!("query {}{state}", body.qp)
        }
        Action::ReadRegister(body) => format!("read register {:#06x}", body.register.0),
        Action::WriteRegister(body) => format!("write register {:#06x}", body.register.0),
        Action::Counter(body) => match (body.syndrome, body.drop) {
            (Some(syndrome), _) => format!("count of {} is {}", syndrome.0, body.value),
            (None, reason) => format!("count of {} is {}", reason.map_or("?", |reason| reason.0.name()), body.value),
        },
        Action::Event(body) => format!("event {}", body.kind.0),
        Action::NoEvent(_) => "no event".into(),
        Action::Interrupt(body) => format!("interrupt {}", body.vector),
        Action::NoInterrupt(body) => format!("no interrupt {}", body.vector),
        Action::Memory(body) => format!("memory at {}", body.at),
        Action::WriteMemory(body) => format!("write memory at {}", body.at),
        Action::FillMemory(body) => format!("fill {} bytes at {}", body.bytes.0, body.at),
        Action::CompareMemory(body) => format!("compare {} bytes at {}", body.bytes.0, body.at),
        Action::Wire(_) => "change the wire".into(),
        Action::WireFault(body) => {
            let opcode = body.opcode.map_or("frames".into(), |code| opcode::name(code.0));
            format!("fault of the wire: {:?} {opcode}", body.what)
        }
        Action::ClearWireFaults(_) => "no more faults of the wire".into(),
        Action::InjectFrame(body) => match (&body.frame, &body.capture) {
            (Some(frame), _) => format!("frame {} psn {:06x}", opcode::name(frame.opcode.0), frame.psn),
            (None, Some(file)) => format!("frame {} of {file}", body.number),
            (None, None) => "a frame".into(),
        },
        Action::ExpectFrame(body) => {
            format!("expect frame {}", body.opcode.map_or(String::new(), |code| opcode::name(code.0)))
        }
        Action::NoFrame(_) => "no frame".into(),
        Action::ForgetFrames(_) => "forget frames".into(),
        Action::WireCounter(body) => format!("wire: {}", body.counter),
        Action::InjectFault(body) => {
            let at = body.at.as_ref().map_or(String::new(), |at| format!(" at {at}"));
            format!("let a {} fail{at}", if body.way == super::super::step::Way::Read { "read" } else { "write" })
        }
        Action::ClearFaults(_) => "no more faults".into(),
        Action::Unmap(body) => format!("unmap {}", body.memory),
        Action::NoAccess(body) => {
            let pages = body.pages.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            format!("no access to {pages} from here")
        }
        Action::OpenRaw(body) => among("open the raw rings", body.errno.map(|errno| errno.0.name())),
        Action::SendRaw(body) => {
            among(&format!("send {} raw frames", body.times), body.errno.map(|errno| errno.0.name()))
        }
        Action::ReceiveRaw(body) => format!("receive {} raw frames", body.times),
        Action::NoRaw(_) => "no raw frame".into(),
        Action::RawUnsent(body) => format!("{} raw frames unsent, {} failed", body.unsent, body.failed),
        Action::Run(body) => format!("{} cycles", body.cycles),
        Action::Repeat(body) => format!("{} times {} steps", body.times, body.step.len()),
    }
}
