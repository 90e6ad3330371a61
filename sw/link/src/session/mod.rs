//! An open session: what a frame does, and what time does.

mod outgoing;
mod requests;
mod transmit;

use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rnic_abi::link::frame as abi;
use rnic_abi::link::frame::FrameType;
use rnic_driver::BusError;

use crate::bar_reads::BarReads;
use crate::dma::Answering;
use crate::error::LostReason;
use crate::frame::{Header, Mac};
use crate::log::Log;
use crate::region::Regions;
use crate::reliability::credit::Grant;
use crate::reliability::receiver::{Receiver, Verdict};
use crate::reliability::sender::{Sender, Timeout};
use crate::tlp::{memory_read, memory_write, Limits, Request};

use outgoing::Outgoing;

/// What both sides have agreed on.
#[derive(Clone, Debug)]
pub(crate) struct Agreement {
    pub session: u32,
    pub own: Mac,
    pub peer: Mac,
    pub limits: Limits,
    pub answering: Answering,
    /// Bus address of BAR0, and its bytes.
    pub bar0: u64,
    pub bar0_bytes: u64,
    /// Zero: the session never ends by silence (LK11).
    pub keep_alive: Duration,
    /// First limits of the device.
    pub posted_limit: u16,
    pub nonposted_limit: u16,
    /// Test mode: completions of different tags overtake each other (HO8).
    pub shuffle: Option<ChaCha8Rng>,
}

/// Everything that lives as long as one session.
#[derive(Debug)]
pub(crate) struct Session {
    agreement: Agreement,
    sender: Sender,
    receiver: Receiver,
    outgoing: Outgoing,
    posted: Grant,
    nonposted: Grant,
    reads: BarReads,
    regions: Regions,
    /// An ACK must ask for limits (LK15).
    ask_limits: bool,
    last_sent: Duration,
    last_heard: Duration,
}

impl Session {
    pub(crate) fn new(agreement: Agreement, regions: Regions, now: Duration) -> Session {
        let outgoing = Outgoing::new(agreement.posted_limit, agreement.nonposted_limit, agreement.shuffle.clone());
        Session {
            agreement,
            sender: Sender::new(0),
            receiver: Receiver::new(0),
            outgoing,
            posted: Grant::new(0, abi::HOST_POSTED),
            nonposted: Grant::new(0, abi::HOST_NONPOSTED),
            reads: BarReads::new(),
            regions,
            ask_limits: false,
            last_sent: now,
            last_heard: now,
        }
    }

    pub(crate) fn agreement(&self) -> &Agreement {
        &self.agreement
    }

    /// Takes a frame of this session. The error is the end of it.
    pub(crate) fn frame(
        &mut self,
        header: &Header,
        body: &[u8],
        now: Duration,
        log: &mut Log,
    ) -> Result<(), LostReason> {
        match header.kind {
            FrameType::NoSession => return Err(LostReason::NoSession),
            FrameType::Close => {
                let reason = if body.len() >= abi::CLOSE_BYTES { abi::CLOSE_REASON.get(body) as u32 } else { 0 };
                return Err(LostReason::ClosedByDevice(reason));
            }
            FrameType::Opened | FrameType::Tlp | FrameType::Ack | FrameType::Nak => {}
            FrameType::Beacon | FrameType::Open | FrameType::Refused => {
                log.counters.unexpected_type += 1;
                return Ok(());
            }
        }
        // LK7: with a wrong acknowledgement nothing of the frame is used.
        if self.sender.acknowledge(header.ack, now).is_err() {
            log.counters.bad_ack += 1;
            return Ok(());
        }
        self.last_heard = now;
        self.outgoing.raise_limits(header.posted_limit, header.nonposted_limit);
        if header.flags >> abi::FLAG_TELL_LIMITS & 1 == 1 {
            self.receiver.ack_at_once();
        }
        match header.kind {
            FrameType::Tlp => self.tlp(header.sequence, body, now, log),
            FrameType::Nak => {
                log.counters.naks_received += 1;
                self.sender.resend(now);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn tlp(&mut self, sequence: u16, tlp: &[u8], now: Duration, log: &mut Log) -> Result<(), LostReason> {
        match self.receiver.judge(sequence, now) {
            Verdict::Accept => {
                log.counters.tlps_accepted += 1;
                self.accept(tlp, log)?;
            }
            Verdict::Duplicate => log.counters.duplicates += 1,
            Verdict::Gap => log.counters.gaps += 1,
        }
        Ok(())
    }

    /// Looks at the clock (LK10, LK11, LK15). The error is the end of the session.
    pub(crate) fn tick(&mut self, now: Duration, log: &mut Log) -> Result<(), LostReason> {
        let keep_alive = self.agreement.keep_alive;
        if !keep_alive.is_zero() && now >= self.last_heard + keep_alive {
            return Err(LostReason::Silent);
        }
        match self.sender.check_time(now) {
            Some(Timeout::Lost) => return Err(LostReason::NoProgress),
            Some(Timeout::Resend) => log.counters.retransmit_timeouts += 1,
            None => {}
        }
        if self.outgoing.ask_for_credit(now) {
            log.counters.credit_requests += 1;
            self.ask_limits = true;
        }
        Ok(())
    }

    /// When [`Session::tick`] or [`Session::transmit`] has something to do without a frame.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        let keep_alive = self.agreement.keep_alive;
        let silent = (!keep_alive.is_zero()).then(|| self.last_heard + keep_alive);
        let idle = (!keep_alive.is_zero()).then(|| self.last_sent + keep_alive / abi::KEEP_ALIVE_SHARE);
        let others = [self.sender.deadline(), self.receiver.deadline(), self.outgoing.deadline()];
        others.into_iter().chain([silent, idle]).flatten().min()
    }

    /// Queues a register write. False: there is no room now.
    pub(crate) fn write_register(&mut self, offset: u32, value: u32) -> bool {
        let room = self.outgoing.has_room_for_a_write();
        if room {
            let address = self.agreement.bar0 + u64::from(offset);
            let requester = abi::HOST_ID;
            let request = Request { requester, tag: 0, address, dwords: 1, first: 0xF, last: 0 };
            self.outgoing.write(memory_write(&request, &value.to_le_bytes()));
        }
        room
    }

    /// Queues a register read and answers its tag. `None`: all tags are in use.
    pub(crate) fn begin_read(&mut self, offset: u32, now: Duration) -> Option<u8> {
        let request = self.reads.begin(self.agreement.bar0, offset, now)?;
        self.outgoing.read(request.tag, memory_read(&request));
        Some(request.tag)
    }

    /// The result of a read, once it has one. In time it always has one (HO4).
    pub(crate) fn take_read(&mut self, tag: u8, now: Duration, log: &mut Log) -> Option<Result<u32, BusError>> {
        let result = self.reads.take(tag);
        result.or_else(|| {
            let error = self.reads.give_up(tag, now, || self.outgoing.cancel_read(tag))?;
            log.counters.read_timeouts += 1;
            Some(Err(error))
        })
    }

    /// Whether everything has been sent and acknowledged.
    pub(crate) fn is_idle(&self) -> bool {
        self.outgoing.is_empty() && self.sender.is_empty()
    }
}
