//! Cost of data transfers between two NICs (transport rules, section 9; architecture, section 6).
//!
//! As with registrations, all WQEs are in the rings before the doorbells are rung. The cost is taken from the bytes that the
//! receiver of the data has got between 30 % and 95 % of the run. The wire carries a beat a cycle; its delay makes a frame and
//! its acknowledgement take `ack_delay` cycles.
use super::pair::{Pair, PairSettings, Sample, Workers};
use super::BenchError;
use crate::wire::frame::{opcode, Bth, Frame, Network};
use crate::Variant;
use rnic_abi::wqe::Sge;
use rnic_driver::{PathMtu, ReceiveRequest, Remote, SendRequest};
use serde::Serialize;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Transfer {
    /// RDMA WRITE.
    Write,
    /// SEND into posted receives.
    Send,
    /// RDMA READ; its data flow the other way.
    Read,
}

/// One measurement to make.
#[derive(Clone, Copy, Debug)]
pub struct WireCase {
    /// What is measured.
    pub op: Transfer,
    /// Bytes of a message.
    pub message: u32,
    /// Path MTU, bytes.
    pub mtu: u32,
    /// Queue pairs that send at once.
    pub qps: u32,
    /// Cycles from a read's address to its first beat.
    pub memory_latency: u32,
    /// Cycles that the wire adds to the way of a frame and its acknowledgement together.
    pub ack_delay: u32,
}

/// One measurement made.
#[derive(Clone, Debug, Serialize)]
pub struct WireRow {
    /// What was measured.
    pub op: Transfer,
    /// Bus width, bits.
    pub data: u32,
    /// Bytes of a message.
    pub message: u32,
    /// Path MTU, bytes.
    pub mtu: u32,
    /// Queue pairs that sent at once.
    pub qps: u32,
    /// Cycles a message.
    pub cycles_per_message: f64,
    /// Beats that passed on the wire a message, empty ones too: the wire has one a cycle.
    pub beats_used: f64,
    /// Beats that the frames with the data need.
    pub beats_needed: u32,
    /// `beats_needed` / `beats_used`.
    pub efficiency: f64,
}

impl WireCase {
    /// Beats of the frames of one message in its main direction.
    #[must_use]
    pub fn beats_needed(&self, data: u32) -> u32 {
        let packets = self.message.div_ceil(self.mtu).max(1);
        (0..packets).map(|packet| self.frame_bytes(packet, packets).div_ceil(data / 8)).sum()
    }

    /// Bytes of a frame, as the codec of frames builds it.
    fn frame_bytes(&self, packet: u32, packets: u32) -> u32 {
        let (first, last) = (packet == 0, packet + 1 == packets);
        let pick = |only, start, middle, end| match (first, last) {
            (true, true) => only,
            (true, false) => start,
            (false, false) => middle,
            (false, true) => end,
        };
        let code = match self.op {
            Transfer::Write => pick(opcode::WRITE_ONLY, opcode::WRITE_FIRST, opcode::WRITE_MIDDLE, opcode::WRITE_LAST),
            Transfer::Send => pick(opcode::SEND_ONLY, opcode::SEND_FIRST, opcode::SEND_MIDDLE, opcode::SEND_LAST),
            Transfer::Read => pick(
                opcode::READ_RESPONSE_ONLY,
                opcode::READ_RESPONSE_FIRST,
                opcode::READ_RESPONSE_MIDDLE,
                opcode::READ_RESPONSE_LAST,
            ),
        };
        let mut frame = Frame::new(Network::v4([10, 0, 0, 1], [10, 0, 0, 2]), Bth::new(code, 0x10, 0));
        let bytes = self.message.saturating_sub(packet * self.mtu).min(self.mtu);
        frame.payload = vec![0; bytes as usize];
        // RETH of a request's first packet, AETH of a response's first and last.
        let extension = match self.op {
            Transfer::Write if first => 16,
            Transfer::Read if first || last => 4,
            _ => 0,
        };
        frame.build().len() as u32 + extension
    }

    /// Bytes of all frames of a message with its data.
    fn message_bytes(&self) -> u32 {
        let packets = self.message.div_ceil(self.mtu).max(1);
        (0..packets).map(|packet| self.frame_bytes(packet, packets)).sum()
    }

    /// Cycles between the samples nearest to 30 % and 95 % of the bytes, by the messages whose bytes came between them.
    fn cycles_per_message(&self, samples: &[Sample]) -> f64 {
        let (start, end) = (samples[0].bytes, samples[samples.len() - 1].bytes);
        let at = |percent: u64| {
            let wanted = start + (end - start) * percent / 100;
            samples.iter().find(|sample| sample.bytes >= wanted).expect("the last sample has all bytes")
        };
        let (from, to) = (at(30), at(95));
        (to.cycle - from.cycle) as f64 * f64::from(self.message_bytes()) / (to.bytes - from.bytes) as f64
    }

    /// Messages of each queue pair: enough for a steady state, within what a run may take.
    fn messages(&self) -> u32 {
        let all = match self.message {
            0..=256 => 2048,
            257..=1024 => 1024,
            1025..=4096 => 512,
            _ => 64,
        };
        // At least four: the run must be long against the time of one message.
        (all / self.qps).max(4)
    }
}

/// Makes one measurement on two fresh devices.
///
/// # Errors
/// What the driver reports; also when a completion is an error or does not come.
pub fn bench_wire(variant: Variant, case: &WireCase) -> Result<WireRow, BenchError> {
    let settings = PairSettings {
        variant,
        qps: case.qps,
        mtu: PathMtu::from_bytes(case.mtu).ok_or_else(|| BenchError::Completion(format!("no MTU {}", case.mtu)))?,
        memory_latency: case.memory_latency,
        wire_delay: case.ack_delay / 2,
        bytes: case.message.max(64),
        slots: case.messages().next_power_of_two().max(64),
    };
    let pair = Pair::new(&settings)?;
    let messages = case.messages();
    let every = (messages / 16).clamp(1, 8);
    for workers in &pair.workers {
        stage(&pair, workers, case, messages, every)?;
    }
    for workers in &pair.workers {
        workers.sender.ring_send().map_err(|bad| bad.error)?;
    }
    let samples = pair.watch(messages / every, usize::from(case.op != Transfer::Read))?;
    let cycles_per_message = case.cycles_per_message(&samples);
    let beats_needed = case.beats_needed(variant.preset().data);
    Ok(WireRow {
        op: case.op,
        data: variant.preset().data,
        message: case.message,
        mtu: case.mtu,
        qps: case.qps,
        cycles_per_message,
        beats_used: cycles_per_message,
        beats_needed,
        efficiency: f64::from(beats_needed) / cycles_per_message,
    })
}

/// Puts a queue pair's requests in its ring, and its peer's receives.
fn stage(pair: &Pair, workers: &Workers, case: &WireCase, messages: u32, every: u32) -> Result<(), BenchError> {
    let own = vec![Sge { address: pair.own_address(), length: case.message, lkey: pair.own_key() }];
    let remote = Remote { address: pair.peer_address(), rkey: pair.peer_key() };
    for number in 0..messages {
        let request = match case.op {
            Transfer::Write => SendRequest::write(number.into(), own.clone(), remote),
            Transfer::Read => SendRequest::read(number.into(), own.clone(), remote),
            Transfer::Send => {
                let sink = Sge { address: pair.peer_address(), length: case.message, lkey: pair.peer_key() };
                workers.receiver.stage_receive(&ReceiveRequest::new(number.into(), vec![sink]))?;
                SendRequest::send(number.into(), own.clone())
            }
        };
        let request = if (number + 1) % every == 0 { request } else { request.unsignaled() };
        workers.sender.stage_unchecked(request).map_err(|bad| bad.error)?;
    }
    if case.op == Transfer::Send {
        workers.receiver.ring_receive()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_that_of_section_9() {
        let case = |op, message, mtu| WireCase { op, message, mtu, qps: 1, memory_latency: 250, ack_delay: 500 };
        for (data, beats) in [(64, [18, 16, 16, 522, 520, 520]), (512, [3, 2, 2, 66, 65, 65])] {
            let found = [64, 4096].map(|message| {
                [Transfer::Write, Transfer::Send, Transfer::Read].map(|op| case(op, message, 4096).beats_needed(data))
            });
            assert_eq!(found.concat(), beats, "DATA {data}");
        }
    }
}
