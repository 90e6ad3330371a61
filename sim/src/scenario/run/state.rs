//! What a report says of the machines when a step has failed: buses and wire, every queue pair and memory region as the driver
//! and the device see them, and every counter that is not 0. At the end of a run both must see the same regions.

use super::super::machine::Machine;
use super::{Nic, Outcome, Runner, Unmet};
use rnic_abi::drop::Drop;
use rnic_abi::mr::State;
use rnic_abi::syndrome::Syndrome;
use rnic_driver::{Error, MrState};

impl<M: Machine> Runner<M> {
    /// The lines. They are asked for after the last transactions have been put aside, since questions are transactions too.
    pub(super) fn state(&self) -> Vec<String> {
        let machine =
            |nic: &Nic<M>| nic.machine.state().into_iter().map(|line| format!("{}: {line}", nic.name)).collect();
        let mut lines: Vec<String> = self.nics.iter().flat_map(|nic| -> Vec<String> { machine(nic) }).collect();
        for (index, nic) in self.nics.iter().enumerate() {
            // One question without an answer is enough: each takes until its limit.
            if let Err(error) = self.answers(index, nic, &mut lines) {
                lines.push(format!("{}: the device answers no more: {error}", nic.name));
            }
        }
        lines
    }

    /// What the driver has concluded from completions alone is what the device's table says, for every region of which the driver
    /// is certain. A completion that nobody has polled may tell of an invalidation by the peer.
    pub(super) fn regions_agree(&self) -> Outcome {
        if self.machine.failure().is_some() || self.objects.cqs.values().any(|cq| cq.has_completion()) {
            return Ok(());
        }
        for (name, region) in &self.objects.mrs {
            let expected = match region.state() {
                MrState::Free => State::Free,
                MrState::Valid => State::Valid,
                MrState::Pending | MrState::Invalidating | MrState::Quarantined => continue,
            };
            // A step may have taken the region away behind the driver's back, by reset or by an admin command.
            let Ok(found) = region.query() else { continue };
            let other = matches!(found.state, State::Free | State::Valid) && found.state != expected;
            if other {
                let expected = format!("memory region {name} {expected}, as its completions say");
                return Err(Unmet::new(expected, found.state.to_string()));
            }
        }
        Ok(())
    }

    fn answers(&self, index: usize, nic: &Nic<M>, lines: &mut Vec<String>) -> Result<(), Error> {
        let here = |name: &str| self.objects.nic_of(name) == index;
        let name = &nic.name;
        for (qp, pair) in self.objects.qps.iter().filter(|(qp, _)| here(qp)) {
            let (qp_number, driver) = (pair.qp.number(), pair.qp.state());
            let found = pair.qp.query()?;
            lines.push(format!(
                "{name}: queue pair {qp} ({qp_number:#x}): {} (driver: {driver}), hpsn {:#x}, una {:#x}, epsn {:#x}, \
                 msn {}, {} slots retired, {} receives used, {} in flight; free slots: {} send, {} receive",
                found.state,
                found.hpsn,
                found.una,
                found.epsn,
                found.msn,
                found.sq_retired,
                found.rq_used,
                found.in_flight,
                pair.qp.send_credits(),
                pair.qp.receive_credits(),
            ));
        }
        for (mr, region) in self.objects.mrs.iter().filter(|(mr, _)| here(mr)) {
            let found = region.query()?;
            lines.push(format!(
                "{name}: memory region {mr} ({:#x}): {} with key {:#x} (driver: {:?}), {} in flight",
                region.key(),
                found.state,
                found.key,
                region.state(),
                found.in_flight,
            ));
        }
        let (errors, drops) = nic.device.counters()?;
        let error = |code: u8| Syndrome::from_u8(code).map_or_else(|| format!("{code:#x}"), |code| code.to_string());
        let drop = |code: u8| Drop::from_u8(code).map_or_else(|| format!("{code:#x}"), |code| code.name().to_string());
        lines.extend(errors.into_iter().map(|(code, count)| format!("{name}: {count} errors {}", error(code))));
        lines.extend(drops.into_iter().map(|(code, count)| format!("{name}: {count} drops {}", drop(code))));
        Ok(())
    }
}
