//! Steps about the raw rings.

use super::super::machine::Machine;
use super::super::step::{self, PATIENCE};
use super::expect::{plain, Comparison};
use super::{driver_error, expect_errno, unexpected, Outcome, Runner, Unmet};
use rnic_driver::{RawFrame, RawOptions};

fn text(bytes: &Vec<u8>) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl<M: Machine> Runner<M> {
    pub(super) fn open_raw(&mut self, body: &step::OpenRaw) -> Outcome {
        let options = RawOptions {
            receive_log2: body.receive_log2,
            send_log2: body.send_log2,
            receive_bytes: body.receive_bytes,
        };
        let result = self.nic(body.nic.as_ref()).device.open_raw(options).map_err(driver_error);
        expect_errno(result, body.errno.map(|errno| errno.0)).map(drop)
    }

    pub(super) fn send_raw(&mut self, body: &step::SendRaw) -> Outcome {
        let mut frame = body.hex.0.clone();
        frame.resize(body.length.unwrap_or(frame.len()), 0);
        for _ in 0..body.times {
            let result = self.nic(body.nic.as_ref()).device.send_raw(&frame, body.icrc).map_err(driver_error);
            expect_errno(result, body.errno.map(|errno| errno.0))?;
        }
        Ok(())
    }

    fn next_raw(&mut self, nic: Option<&String>, limit: u64) -> Result<Option<RawFrame>, Unmet> {
        self.wait(limit, |runner| runner.nic(nic).device.receive_raw().map_err(unexpected))
    }

    pub(super) fn receive_raw(&mut self, body: &step::ReceiveRaw) -> Outcome {
        let limit = body.within.unwrap_or(PATIENCE);
        for number in 1..=body.times {
            let Some(frame) = self.next_raw(body.nic.as_ref(), limit)? else {
                let expected = format!("raw frame {number} of {}", body.times);
                return Err(Unmet::new(expected, format!("none within {limit} cycles")));
            };
            let mut fields = Comparison::default();
            let beginning = body.begins.as_ref().map(|begins| begins.0.clone());
            let begun = frame.bytes[..frame.bytes.len().min(beginning.as_ref().map_or(0, Vec::len))].to_vec();
            fields.field("beginning", beginning, begun, text);
            fields.field("bytes", body.bytes, frame.bytes.len(), plain);
            fields.field("frame", body.hex.as_ref().map(|hex| hex.0.clone()), frame.bytes, text);
            fields.field("icrc_ok", Some(body.icrc_ok), frame.icrc_ok, plain);
            fields.field("vlan", Some(body.vlan), frame.vlan, plain);
            fields.field("broadcast", Some(body.broadcast), frame.broadcast, plain);
            fields.field("truncated", Some(body.truncated), frame.truncated, plain);
            fields.field("error", Some(body.error), frame.error, plain);
            fields.outcome()?;
        }
        Ok(())
    }

    pub(super) fn no_raw(&mut self, body: &step::Within) -> Outcome {
        match self.next_raw(body.nic.as_ref(), body.within.unwrap_or(PATIENCE / 10))? {
            None => Ok(()),
            Some(frame) => Err(Unmet::new("no raw frame", text(&frame.bytes))),
        }
    }

    pub(super) fn raw_unsent(&mut self, body: &step::RawUnsent) -> Outcome {
        let wanted = (body.unsent, body.failed);
        let unsent = |runner: &mut Self| runner.nic(body.nic.as_ref()).device.raw_unsent().map_err(unexpected);
        self.wait(body.within.unwrap_or(0), |runner| Ok((unsent(runner)? == wanted).then_some(())))?;
        let found = unsent(self)?;
        match found == wanted {
            true => Ok(()),
            false => {
                let show = |(unsent, failed)| format!("{unsent} unsent, {failed} failed");
                Err(Unmet::new(show(wanted), show(found)))
            }
        }
    }
}
