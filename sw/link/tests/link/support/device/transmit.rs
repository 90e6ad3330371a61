//! What a device sends in a session, and when (TO1, TO2, LK5, LK8, LK11, LK13, LK15).

use rnic_link::FrameTransport;

use super::Device;
use crate::support::bus::Waiting;
use crate::support::frame::{self, Frame};

impl<T: FrameTransport> Device<T> {
    pub(super) fn transmit(&mut self) {
        let now = self.now;
        let Some(session) = &mut self.session else { return };
        self.bus.issue_reads();
        let mut frames = Vec::new();
        for (sequence, tlp) in session.stream.resends() {
            frames.push((1, sequence, tlp));
        }
        while session.stream.may_send(self.knobs.window) {
            let posted = matches!(self.bus.ordered.front(), Some(Waiting::Posted(_)));
            let tlp = if !self.bus.ordered.is_empty() && (!posted || session.posted.has()) {
                match self.bus.ordered.pop_front().unwrap() {
                    Waiting::Posted(tlp) => {
                        session.posted.used += 1;
                        session.posted_sent += 1;
                        tlp
                    }
                    Waiting::Completion(tlp) => tlp,
                }
            } else {
                let may = |(behind, _): &&(u64, Vec<u8>)| *behind <= session.posted_sent && session.nonposted.has();
                if self.bus.reads_waiting.front().filter(may).is_none() {
                    break;
                }
                session.nonposted.used += 1;
                self.bus.reads_waiting.pop_front().unwrap().1
            };
            frames.push((0, session.stream.send(tlp.clone(), now), tlp));
        }
        let posted = matches!(self.bus.ordered.front(), Some(Waiting::Posted(_))) && !session.posted.has();
        let nonposted = !self.bus.reads_waiting.is_empty() && !session.nonposted.has();
        session.ask |= session.posted.ask(posted, now) | session.nonposted.ask(nonposted, now);
        let nak = session.stream.nak_due(now);
        let any = !frames.is_empty() || nak;
        for (flags, sequence, body) in frames {
            let frame = Frame { flags, sequence, body, ..self.blank(frame::TLP) };
            self.put(&frame);
        }
        if nak {
            self.put(&self.blank(frame::NAK));
        }
        let session = self.session.as_mut().unwrap();
        let limits = (session.posted_limit, session.nonposted_limit);
        let grown = (limits.0 - session.told.0) * 4 >= u64::from(self.knobs.posted)
            || (limits.1 - session.told.1) * 4 >= u64::from(self.knobs.nonposted);
        let idle = session.keep_alive != 0 && now - session.spoken >= session.keep_alive / 4;
        let alone = !any && (session.stream.ack_due(now) || grown || idle);
        let tell = std::mem::take(&mut session.tell);
        let ask = std::mem::take(&mut session.ask);
        if any || alone || tell || ask {
            session.stream.carried();
            session.told = limits;
            session.spoken = now;
        }
        if alone || tell || ask {
            let flags = if ask { 2 } else { 0 };
            let ack = Frame { flags, ..self.blank(frame::ACK) };
            self.put(&ack);
        }
    }
}
