//! Attributes and states of queue pairs: the transitions of T1 as typed functions.
//!
//! Ranges (T2) and transitions are judged by the device, which answers EINVAL and changes nothing.

use rnic_abi::admin::{modify_qp as word, Command};
use rnic_abi::qp::{self, State};

use super::QueuePair;
use crate::access::Access;
use crate::error::Error;
use crate::platform::Platform;

/// Attributes that MODIFY_QP can set; `None` is not given.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// qp.to_sqd(None)?; // nothing new starts
/// qp.update(&QpAttributes { timeout: Some(18), retry_cnt: Some(3), ..QpAttributes::default() })?;
/// qp.resume()?;
/// assert_eq!(qp.state(), QpState::Rts);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QpAttributes {
    /// Rights of the peer: remote write, read, atomic.
    pub access: Option<Access>,
    /// Partition key.
    pub pkey: Option<u16>,
    /// Where the peer is.
    pub address: Option<AddressVector>,
    /// Path MTU, code 1..5 for 256..4096 bytes.
    pub mtu: Option<u8>,
    /// The peer's queue pair number.
    pub dest_qpn: Option<u32>,
    /// First PSN that the peer sends.
    pub rq_psn: Option<u32>,
    /// READs and atomics that the peer may have in flight.
    pub max_dest_rd: Option<u8>,
    /// RNR timer code that we ask for, 0..31.
    pub min_rnr: Option<u8>,
    /// Acknowledgement timeout code, 0..31.
    pub timeout: Option<u8>,
    /// Retries after a timeout, 0..7.
    pub retry_cnt: Option<u8>,
    /// Retries after RNR, 0..7 (7: without end).
    pub rnr_retry: Option<u8>,
    /// First PSN that we send.
    pub sq_psn: Option<u32>,
    /// READs and atomics that we may have in flight.
    pub max_rd: Option<u8>,
    /// Whether SQD raises an event once it is drained.
    pub drained_event: Option<bool>,
}

/// Where the peer is, and how its frames look.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default())?;
/// # let peer = rnic_mock::peer();
/// # qp.to_init(&InitAttributes::default())?;
/// let address = AddressVector {
///     mac: peer.mac,
///     destination: peer.address,
///     source_port: source_port(qp.number(), peer.qpn),
///     hop_limit: 64,
///     ..AddressVector::default()
/// };
/// let attributes = ReadyToReceive { address, dest_qpn: peer.qpn, ..ReadyToReceive::default() };
/// qp.to_rtr(&attributes, QpAttributes::default())?;
/// assert_eq!(qp.state(), QpState::Rtr);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressVector {
    /// UDP source port.
    pub source_port: u16,
    /// VLAN tag, if there is one.
    pub vlan: Option<u16>,
    /// MAC address of the next hop.
    pub mac: [u8; 6],
    /// Which of our own addresses is the source.
    pub own_address: u8,
    /// The addresses are IPv6.
    pub ipv6: bool,
    /// Destination address, 16 bytes in network order, IPv4 as `::ffff:a.b.c.d`.
    pub destination: [u8; 16],
    /// IPv6 flow label.
    pub flow_label: u32,
    /// Traffic class or TOS.
    pub traffic_class: u8,
    /// Hop limit or TTL.
    pub hop_limit: u8,
}

/// What RESET to INIT must be given.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default())?;
/// qp.to_init(&InitAttributes { access: Access::REMOTE_READ, ..InitAttributes::default() })?;
/// qp.post_receive(&ReceiveRequest::new(1, []))?; // possible from here on
/// assert_eq!(qp.state(), QpState::Init);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitAttributes {
    /// Partition key.
    pub pkey: u16,
    /// Rights of the peer.
    pub access: Access,
}

/// What INIT to RTR must be given.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default())?;
/// # qp.to_init(&InitAttributes::default())?;
/// let attributes = ReadyToReceive { dest_qpn: 0x22, rq_psn: 0x5000, ..ReadyToReceive::default() };
/// qp.to_rtr(&attributes, QpAttributes::default())?;
/// assert_eq!(qp.state(), QpState::Rtr);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadyToReceive {
    /// Where the peer is.
    pub address: AddressVector,
    /// Path MTU, code 1..5.
    pub mtu: u8,
    /// The peer's queue pair number.
    pub dest_qpn: u32,
    /// First PSN that the peer sends.
    pub rq_psn: u32,
    /// READs and atomics that the peer may have in flight.
    pub max_dest_rd: u8,
    /// RNR timer code, 0..31.
    pub min_rnr: u8,
}

/// What RTR to RTS must be given.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default())?;
/// # qp.to_init(&InitAttributes::default())?;
/// # qp.to_rtr(&ReadyToReceive::default(), QpAttributes::default())?;
/// let attributes = ReadyToSend { sq_psn: 0x1000, max_rd: 4, ..ReadyToSend::default() };
/// qp.to_rts(&attributes, QpAttributes::default())?;
/// assert_eq!(qp.state(), QpState::Rts);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadyToSend {
    /// Acknowledgement timeout code, 0..31.
    pub timeout: u8,
    /// Retries after a timeout, 0..7.
    pub retry_cnt: u8,
    /// Retries after RNR, 0..7.
    pub rnr_retry: u8,
    /// First PSN that we send.
    pub sq_psn: u32,
    /// READs and atomics that we may have in flight.
    pub max_rd: u8,
}

impl Default for InitAttributes {
    fn default() -> Self {
        InitAttributes { pkey: 0xFFFF, access: Access::NONE }
    }
}

impl Default for ReadyToReceive {
    /// Values that are legal on every device, towards the smallest queue pair number.
    fn default() -> Self {
        ReadyToReceive {
            address: AddressVector::default(),
            mtu: 3,
            dest_qpn: 2,
            rq_psn: 0,
            max_dest_rd: 1,
            min_rnr: 12,
        }
    }
}

impl Default for ReadyToSend {
    /// Values that are legal on every device.
    fn default() -> Self {
        ReadyToSend { timeout: 14, retry_cnt: 7, rnr_retry: 7, sq_psn: 0, max_rd: 1 }
    }
}

impl QpAttributes {
    /// The words of MODIFY_QP.
    fn encode(&self, qpn: u32, state: State) -> [u32; 18] {
        let mut words = [0; 18];
        let mut mask = 0;
        word::QPN.put(&mut words, qpn.into());
        word::STATE.put(&mut words, state.code().into());
        if let Some(address) = &self.address {
            mask |= qp::ADDRESS_VECTOR;
            address.encode(&mut words);
        }
        let scalars = [
            (qp::ACCESS, word::ACCESS, self.access.map(|access| access.bits().into())),
            (qp::PKEY, word::PKEY, self.pkey.map(u64::from)),
            (qp::MTU, word::MTU, self.mtu.map(u64::from)),
            (qp::DEST_QPN, word::DEST_QPN, self.dest_qpn.map(u64::from)),
            (qp::RQ_PSN, word::RQ_PSN, self.rq_psn.map(u64::from)),
            (qp::MAX_DEST_RD, word::MAX_DEST_RD, self.max_dest_rd.map(u64::from)),
            (qp::MIN_RNR, word::MIN_RNR, self.min_rnr.map(u64::from)),
            (qp::TIMEOUT, word::TIMEOUT, self.timeout.map(u64::from)),
            (qp::RETRY_CNT, word::RETRY_CNT, self.retry_cnt.map(u64::from)),
            (qp::RNR_RETRY, word::RNR_RETRY, self.rnr_retry.map(u64::from)),
            (qp::SQ_PSN, word::SQ_PSN, self.sq_psn.map(u64::from)),
            (qp::MAX_RD, word::MAX_RD, self.max_rd.map(u64::from)),
            (qp::DRAINED_EVENT, word::DRAINED_EVENT, self.drained_event.map(u64::from)),
        ];
        for (bit, field, value) in scalars {
            if let Some(value) = value {
                mask |= bit;
                field.put(&mut words, value);
            }
        }
        word::MASK.put(&mut words, mask.into());
        words
    }
}

impl AddressVector {
    fn encode(&self, words: &mut [u32]) {
        word::SOURCE_PORT.put(words, self.source_port.into());
        word::VLAN_TCI.put(words, self.vlan.unwrap_or(0).into());
        word::VLAN_VALID.put(words, self.vlan.is_some().into());
        for (index, byte) in self.mac.into_iter().enumerate() {
            word::DEST_MAC.put_byte(words, index, byte);
        }
        word::OWN_ADDRESS.put(words, self.own_address.into());
        word::IPV6.put(words, self.ipv6.into());
        for (index, byte) in self.destination.into_iter().enumerate() {
            word::DEST_ADDRESS.put_byte(words, index, byte);
        }
        word::FLOW_LABEL.put(words, self.flow_label.into());
        word::TRAFFIC_CLASS.put(words, self.traffic_class.into());
        word::HOP_LIMIT.put(words, self.hop_limit.into());
    }
}

impl<P: Platform> QueuePair<P> {
    /// Any transition but to RESET, with any attributes: what the typed functions below are made of. To RESET see
    /// [`reset`](QueuePair::reset).
    ///
    /// # Errors
    /// - [`Error::Admin`] (EINVAL): no such transition, a required attribute is missing, a foreign one is given (T1), or a value is
    ///   out of range (T2). Nothing has changed.
    /// - [`Invalid::Transition`](crate::Invalid) (EINVAL): to RESET.
    /// - [`Protocol::AdminErrno`](crate::Protocol) (EPROTO): it answered with an errno that no command has.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`]: the device does not
    ///   answer.
    pub fn modify(&self, state: State, attributes: &QpAttributes) -> Result<(), Error> {
        if state == State::Reset {
            return Err(Error::Invalid(crate::error::Invalid::Transition));
        }
        self.modify_command(state, attributes)
    }

    pub(super) fn modify_command(&self, state: State, attributes: &QpAttributes) -> Result<(), Error> {
        self.device.command(Command::ModifyQp, &attributes.encode(self.pair.qpn, state))?;
        self.pair.state.set(state);
        if let Some(max_rd) = attributes.max_rd {
            self.pair.max_rd.set(max_rd);
        } else if state == State::Reset {
            self.pair.max_rd.set(0);
        }
        Ok(())
    }

    /// RESET to INIT: receive requests may be posted.
    ///
    /// # Errors
    /// as [`modify`](QueuePair::modify).
    pub fn to_init(&self, attributes: &InitAttributes) -> Result<(), Error> {
        let InitAttributes { pkey, access } = *attributes;
        let attributes = QpAttributes { pkey: Some(pkey), access: Some(access), ..QpAttributes::default() };
        self.modify(State::Init, &attributes)
    }

    /// INIT to RTR: the peer's requests are taken. `further` may give pkey and access again.
    ///
    /// # Errors
    /// as [`modify`](QueuePair::modify).
    pub fn to_rtr(&self, attributes: &ReadyToReceive, further: QpAttributes) -> Result<(), Error> {
        let attributes = attributes.clone();
        self.modify(
            State::Rtr,
            &QpAttributes {
                address: Some(attributes.address),
                mtu: Some(attributes.mtu),
                dest_qpn: Some(attributes.dest_qpn),
                rq_psn: Some(attributes.rq_psn),
                max_dest_rd: Some(attributes.max_dest_rd),
                min_rnr: Some(attributes.min_rnr),
                ..further
            },
        )
    }

    /// RTR to RTS: send requests are executed. `further` may give access and min_rnr again.
    ///
    /// # Errors
    /// as [`modify`](QueuePair::modify).
    pub fn to_rts(&self, attributes: &ReadyToSend, further: QpAttributes) -> Result<(), Error> {
        self.modify(
            State::Rts,
            &QpAttributes {
                timeout: Some(attributes.timeout),
                retry_cnt: Some(attributes.retry_cnt),
                rnr_retry: Some(attributes.rnr_retry),
                sq_psn: Some(attributes.sq_psn),
                max_rd: Some(attributes.max_rd),
                ..further
            },
        )
    }

    /// RESET to RTS by way of INIT and RTR with default attributes: enough for registration and invalidation.
    ///
    /// # Errors
    /// as [`modify`](QueuePair::modify).
    pub fn activate(&self) -> Result<(), Error> {
        self.to_init(&InitAttributes::default())?;
        self.to_rtr(&ReadyToReceive::default(), QpAttributes::default())?;
        self.to_rts(&ReadyToSend::default(), QpAttributes::default())
    }

    /// RTS to SQD: what has started ends, nothing new starts. With `event`, an event tells when that is so.
    ///
    /// # Errors
    /// as [`modify`](QueuePair::modify).
    pub fn to_sqd(&self, event: Option<bool>) -> Result<(), Error> {
        self.modify(State::Sqd, &QpAttributes { drained_event: event, ..QpAttributes::default() })
    }

    /// SQD to RTS: goes on.
    ///
    /// # Errors
    /// as [`modify`](QueuePair::modify).
    pub fn resume(&self) -> Result<(), Error> {
        self.modify(State::Rts, &QpAttributes::default())
    }

    /// Changes attributes without a change of state, in INIT, RTS and SQD.
    ///
    /// # Errors
    /// as [`modify`](QueuePair::modify).
    pub fn update(&self, attributes: &QpAttributes) -> Result<(), Error> {
        self.modify(self.state(), attributes)
    }

    /// Any state to ERR: everything posted is flushed, and so is everything posted later (D12).
    ///
    /// # Errors
    /// as [`modify`](QueuePair::modify).
    pub fn to_err(&self) -> Result<(), Error> {
        self.modify(State::Err, &QpAttributes::default())
    }
}
