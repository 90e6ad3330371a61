//! Frames that the host sends in a session, in the order of their urgency.

use std::time::Duration;

use rnic_abi::link::frame as abi;
use rnic_abi::link::frame::FrameType;

use crate::frame::{encode, Header};
use crate::log::Log;

use super::Session;

impl Session {
    /// Writes the next frame that is due into `frame`. False: none is.
    pub(crate) fn transmit(&mut self, now: Duration, frame: &mut Vec<u8>, log: &mut Log) -> bool {
        // Before all else: until it arrives the device sends what will be dropped.
        if self.receiver.nak_due() {
            self.receiver.nak_carried(now);
            log.counters.naks_sent += 1;
            self.control(FrameType::Nak, 0, now, frame);
            return true;
        }
        if self.tlp_frame(now, frame, log) {
            return true;
        }
        // LK11: an ACK frame in place of silence.
        let keep_alive = self.agreement.keep_alive;
        let idle = !keep_alive.is_zero() && now >= self.last_sent + keep_alive / abi::KEEP_ALIVE_SHARE;
        let due = self.ask_limits || self.receiver.ack_due(now) || idle;
        if due {
            let flags = u8::from(self.ask_limits) << abi::FLAG_TELL_LIMITS;
            self.control(FrameType::Ack, flags, now, frame);
        }
        due
    }

    /// A TLP: first what is to be sent again, then new ones.
    fn tlp_frame(&mut self, now: Duration, frame: &mut Vec<u8>, log: &mut Log) -> bool {
        let again = self.next_kept(now, frame, log);
        if again {
            return true;
        }
        let Some(leaving) = self.outgoing.next(|bytes| self.sender.has_room(bytes)) else { return false };
        if leaving.answers {
            // The frame of this answer tells the limit that grows by it.
            self.nonposted.free();
        }
        log.counters.tlps_sent += 1;
        self.sender.push(leaving.tlp, now);
        self.next_kept(now, frame, log)
    }

    fn next_kept(&mut self, now: Duration, frame: &mut Vec<u8>, log: &mut Log) -> bool {
        let mut header = self.header(FrameType::Tlp, 0);
        let Some((sequence, resent, tlp)) = self.sender.next_frame() else { return false };
        header.sequence = sequence;
        header.flags = u8::from(resent) << abi::FLAG_RESENT;
        encode(&header, tlp, frame);
        log.counters.tlps_resent += u64::from(resent);
        self.carried(now);
        true
    }

    fn control(&mut self, kind: FrameType, flags: u8, now: Duration, frame: &mut Vec<u8>) {
        encode(&self.header(kind, flags), &[], frame);
        self.carried(now);
        if flags != 0 {
            self.ask_limits = false;
        }
    }

    /// The last frame of the session.
    pub(crate) fn close(&self, reason: u32, frame: &mut Vec<u8>) {
        let mut body = [0; abi::CLOSE_BYTES];
        abi::CLOSE_REASON.put(&mut body, reason.into());
        encode(&self.header(FrameType::Close, 0), &body, frame);
    }

    /// LK7, LK12: every frame tells what is expected and what is allowed.
    fn header(&self, kind: FrameType, flags: u8) -> Header {
        Header {
            destination: self.agreement.peer,
            source: self.agreement.own,
            kind,
            flags,
            session: self.agreement.session,
            sequence: self.sender.next_sequence(),
            ack: self.receiver.ack(),
            posted_limit: self.posted.limit(),
            nonposted_limit: self.nonposted.limit(),
        }
    }

    fn carried(&mut self, now: Duration) {
        self.last_sent = now;
        self.receiver.carried();
    }
}
