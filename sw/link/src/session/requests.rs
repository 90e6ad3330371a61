//! TLPs of the device, in the order of their sequence numbers (HO3, HO5, HO6).

use crate::bar_reads::Arrival;
use crate::dma;
use crate::error::LostReason;
use crate::event::LinkEvent;
use crate::interrupt;
use crate::log::Log;
use crate::tlp::{byte_enable, class, parse, Class, Request, Tlp};

use super::Session;

impl Session {
    /// Applies an accepted TLP. Everything that the device may get wrong is counted and has no other effect than its answer;
    /// only a TLP without credit ends the session (LK13).
    pub(super) fn accept(&mut self, tlp: &[u8], log: &mut Log) -> Result<(), LostReason> {
        let class = class(tlp);
        let has_credit = match class {
            Some(Class::Posted) => self.posted.accept(),
            Some(Class::NonPosted) => self.nonposted.accept(),
            Some(Class::Completion) | None => true,
        };
        if !has_credit {
            return Err(LostReason::Overrun);
        }
        let answered = match parse(tlp, self.agreement.limits) {
            Ok(Tlp::Write { request, payload, poisoned }) => {
                self.memory_write(&request, payload, poisoned, log);
                false
            }
            Ok(Tlp::Read(request)) => {
                self.memory_read(&request, log);
                true
            }
            Ok(Tlp::Completion { header, payload, poisoned }) => {
                match self.reads.complete(&header, payload, poisoned) {
                    Arrival::Answer => {}
                    Arrival::Unexpected => log.counters.completions_unexpected += 1,
                    Arrival::Wrong => log.counters.completions_wrong += 1,
                }
                false
            }
            Ok(Tlp::Unsupported { requester, tag, byte_count, lower_address }) => {
                log.counters.tlp_unsupported += 1;
                self.outgoing.answer(tag, dma::unsupported(requester, tag, byte_count, lower_address), true);
                true
            }
            Ok(Tlp::Message) => false,
            Err(_) => {
                log.counters.tlp_malformed += 1;
                log.event(LinkEvent::Malformed { bytes: tlp.len() });
                false
            }
        };
        match class {
            Some(Class::Posted) => self.posted.free(),
            // An answer that waits keeps the buffer of its request, so the device cannot make the host queue without bound.
            Some(Class::NonPosted) if !answered => self.nonposted.free(),
            _ => {}
        }
        Ok(())
    }

    fn memory_write(&mut self, request: &Request, payload: &[u8], poisoned: bool, log: &mut Log) {
        if poisoned {
            log.counters.tlp_poisoned += 1;
            return;
        }
        let stored = if interrupt::meant(request) {
            interrupt::vector(request, payload).map(|vector| log.interrupt(vector)).is_some()
        } else {
            dma::write(&self.regions, request, payload).is_ok()
        };
        if !stored {
            log.counters.bad_writes += 1;
            log.event(LinkEvent::BadWrite { address: request.address, bytes: payload.len() });
        }
    }

    fn memory_read(&mut self, request: &Request, log: &mut Log) {
        let tag = request.tag;
        let mut answers = Vec::new();
        if dma::read(&self.regions, request, self.agreement.answering, |answer| answers.push(answer)).is_err() {
            let Request { address, dwords, first, last, requester, .. } = *request;
            log.counters.bad_reads += 1;
            log.event(LinkEvent::BadRead { address, bytes: 4 * dwords });
            let byte_count = byte_enable::byte_count(dwords, first, last);
            let lower_address = byte_enable::lower_address(address, first);
            answers = vec![dma::unsupported(requester, tag, byte_count, lower_address)];
        }
        let last = answers.len() - 1;
        for (number, answer) in answers.into_iter().enumerate() {
            self.outgoing.answer(tag, answer, number == last);
        }
    }
}
