//! Connecting: from RESET to RTS with what two sides tell each other.
//!
//! Each side makes an [`OwnEndpoint`] of its queue pair, gives the [`Endpoint`] in it to the other side by whatever means, and
//! connects with the one it got.

use rnic_abi::qp::State;

use super::attributes::{AddressVector, InitAttributes, QpAttributes, ReadyToReceive, ReadyToSend};
use super::QueuePair;
use crate::access::Access;
use crate::error::{Error, Invalid};
use crate::platform::Platform;

/// Path MTU: bytes of payload in a packet (G9).
///
/// ```
/// # use rnic_driver::PathMtu;
/// assert_eq!((PathMtu::Bytes4096.code(), PathMtu::Bytes4096.bytes()), (5, 4096));
/// assert_eq!(PathMtu::from_bytes(1500), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathMtu {
    /// 256 bytes.
    Bytes256 = 1,
    /// 512 bytes.
    Bytes512,
    /// 1,024 bytes.
    #[default]
    Bytes1024,
    /// 2,048 bytes.
    Bytes2048,
    /// 4,096 bytes.
    Bytes4096,
}

impl PathMtu {
    /// All of them.
    pub const ALL: [PathMtu; 5] =
        [PathMtu::Bytes256, PathMtu::Bytes512, PathMtu::Bytes1024, PathMtu::Bytes2048, PathMtu::Bytes4096];

    /// The code of the attribute.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Bytes of payload.
    pub const fn bytes(self) -> u32 {
        128 << self as u8
    }

    /// The MTU of this many bytes, if there is one.
    pub fn from_bytes(bytes: u32) -> Option<PathMtu> {
        PathMtu::ALL.into_iter().find(|mtu| mtu.bytes() == bytes)
    }
}

/// What the other side must know of a queue pair to connect to it.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let Endpoint { qpn, psn, .. } = qp.endpoint(0, 0x1000)?.endpoint(); // tell the peer
/// assert_eq!((qpn, psn), (qp.number(), 0x1000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// Queue pair number.
    pub qpn: u32,
    /// First PSN that it sends, below 2^24.
    pub psn: u32,
    /// MAC address of the device, or of the next hop towards it.
    pub mac: [u8; 6],
    /// Address of the device, 16 bytes in network order, IPv4 as `::ffff:a.b.c.d`.
    pub address: [u8; 16],
}

/// Our own side of a connection. Only [`QueuePair::endpoint`] makes one, so it fits its queue pair and the device's registers
/// as they were then; connecting compares both again.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let (other, peer) = (qp, rnic_mock::peer());
/// # let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default())?;
/// let own: OwnEndpoint = qp.endpoint(0, 0x1000)?;
/// qp.connect(&own, &peer, &ConnectOptions::default())?;
/// assert_eq!(qp.state(), QpState::Rts);
/// let refused = other.connect(&own, &peer, &ConnectOptions::default());
/// assert_eq!(refused, Err(Error::Invalid(Invalid::OtherQueuePair)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnEndpoint {
    endpoint: Endpoint,
    index: u8,
}

impl OwnEndpoint {
    /// What to tell the other side.
    pub fn endpoint(&self) -> Endpoint {
        self.endpoint
    }
}

/// How a connection is to be. The limits of READs and retries are those of [`ReadyToReceive`] and [`ReadyToSend`].
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let peer = rnic_mock::peer();
/// # let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default())?;
/// let options = ConnectOptions { mtu: PathMtu::Bytes4096, access: Access::REMOTE_WRITE, ..ConnectOptions::default() };
/// let own = qp.endpoint(0, 0x1000)?;
/// qp.connect(&own, &peer, &options)?;
/// assert_eq!(qp.state(), QpState::Rts);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectOptions {
    /// Path MTU; both sides must have the same.
    pub mtu: PathMtu,
    /// Rights of the peer on this queue pair.
    pub access: Access,
    /// Partition key.
    pub pkey: u16,
    /// VLAN tag, if there is one.
    pub vlan: Option<u16>,
    /// Traffic class or TOS.
    pub traffic_class: u8,
    /// Hop limit or TTL.
    pub hop_limit: u8,
    /// IPv6 flow label, 20 bits.
    pub flow_label: u32,
    /// UDP source port; else one that follows from the queue pair numbers ([`source_port`]).
    pub source_port: Option<u16>,
    /// READs and atomics that we may have in flight; not more than the peer's `max_dest_rd`.
    pub max_rd: u8,
    /// READs and atomics that the peer may have in flight.
    pub max_dest_rd: u8,
    /// Acknowledgement timeout code: 4.096 us times 2^code; 0 is for ever.
    pub timeout: u8,
    /// Retries after a timeout, 0..7.
    pub retry_cnt: u8,
    /// Retries after RNR, 0..7 (7: without end).
    pub rnr_retry: u8,
    /// RNR timer code that we ask for, 0..31.
    pub min_rnr: u8,
}

impl Default for ConnectOptions {
    /// MTU 1024, no rights for the peer, one READ each way, timeout 67 ms, 7 retries.
    fn default() -> Self {
        ConnectOptions {
            mtu: PathMtu::default(),
            access: Access::NONE,
            pkey: 0xFFFF,
            vlan: None,
            traffic_class: 0,
            hop_limit: 64,
            flow_label: 0,
            source_port: None,
            max_rd: 1,
            max_dest_rd: 1,
            timeout: 14,
            retry_cnt: 7,
            rnr_retry: 7,
            min_rnr: 12,
        }
    }
}

/// The customary UDP source port of a connection: the same for both sides, and different for different connections (T86).
///
/// ```
/// # use rnic_driver::source_port;
/// assert_eq!(source_port(0x11, 0x22), 0xC242);
/// assert_eq!(source_port(0x22, 0x11), 0xC242);
/// ```
pub fn source_port(qpn: u32, peer: u32) -> u16 {
    let mut value = u64::from(qpn) * u64::from(peer);
    value ^= value >> 20;
    value ^= value >> 40;
    let flow = (value & 0xF_FFFF) as u32;
    0xC000 | ((flow & 0x3FFF) ^ (flow >> 14)) as u16
}

/// Whether an address is an IPv4 one, `::ffff:a.b.c.d`.
fn is_ipv4(address: &[u8; 16]) -> bool {
    address[..10] == [0; 10] && address[10..12] == [0xFF; 2]
}

impl<P: Platform> QueuePair<P> {
    /// Our side of a connection: this queue pair behind own address `index` of the device, with `psn` as its first PSN.
    ///
    /// # Errors
    /// - [`Invalid::AddressIndex`] (EINVAL): there is no such address, or it is not set.
    /// - [`Invalid::Psn`] (EINVAL): not below 2^24.
    /// - [`Error::Bus`]: the registers cannot be read.
    pub fn endpoint(&self, index: u8, psn: u32) -> Result<OwnEndpoint, Error> {
        let address = self.device.own_address(index.into())?.ok_or(Error::Invalid(Invalid::AddressIndex))?;
        if psn >= 1 << 24 {
            return Err(Error::Invalid(Invalid::Psn));
        }
        let endpoint = Endpoint { qpn: self.number(), psn, mac: self.device.mac()?, address };
        Ok(OwnEndpoint { endpoint, index })
    }

    /// RESET to RTS, connected to `peer`. Receive requests that must not be missed are to be posted before the peer sends:
    /// use [`to_init`](QueuePair::to_init), [`post_receive`](QueuePair::post_receive) and
    /// [`connect_from_init`](QueuePair::connect_from_init) if it may send at once.
    ///
    /// # Errors
    /// After each of them the queue pair is in RESET again, unless the device does not even take that: then the state is unknown,
    /// and [`reset_now`](QueuePair::reset_now) may be repeated. One that was not in RESET stays as it was.
    /// - [`Invalid::OtherQueuePair`], [`Invalid::OwnPeer`], [`Invalid::AddressFamily`] (EINVAL): as
    ///   [`connect_from_init`](QueuePair::connect_from_init).
    /// - [`Error::Admin`] (EINVAL): not in RESET, or a value that the device does not take (T2).
    /// - [`Protocol::AdminErrno`](crate::Protocol) (EPROTO): it answered with an errno that no command has.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`]: the device does not
    ///   answer.
    pub fn connect(&self, own: &OwnEndpoint, peer: &Endpoint, options: &ConnectOptions) -> Result<(), Error> {
        let address = self.address_vector(own, peer, options)?;
        let from_reset = self.state() == State::Reset;
        let connected = self
            .to_init(&InitAttributes { pkey: options.pkey, access: options.access })
            .and_then(|()| self.connect_along(address, own, peer, options));
        if connected.is_err() && from_reset {
            // Nothing was posted since RESET, so nothing is discarded. What went wrong first is what the caller must know.
            let _ = self.reset_now();
        }
        connected
    }

    /// INIT to RTS, connected to `peer`; pkey and access are set again.
    ///
    /// # Errors
    /// Posted receive requests stay posted with each of them, so there is no way back to INIT: see [`state`](QueuePair::state).
    /// - [`Invalid::OtherQueuePair`] (EINVAL): `own` is not of this queue pair, or its address is no longer the device's.
    /// - [`Invalid::OwnPeer`] (EINVAL): `peer` is this queue pair.
    /// - [`Invalid::AddressFamily`] (EINVAL): one side has an IPv4 address and the other an IPv6 address.
    /// - [`Error::Admin`] (EINVAL): wrong state, or a value that the device does not take (T2). Where RTR was refused, nothing has
    ///   changed. Where RTS was refused (`timeout`, `retry_cnt`, `rnr_retry`, `max_rd`), the queue pair is in RTR:
    ///   [`to_rts`](QueuePair::to_rts) with better values goes on, [`reset_now`](QueuePair::reset_now) starts over.
    /// - [`Protocol::AdminErrno`](crate::Protocol) (EPROTO): it answered with an errno that no command has.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`]: the device does not
    ///   answer; the state is unknown, see [`query`](QueuePair::query).
    pub fn connect_from_init(&self, own: &OwnEndpoint, peer: &Endpoint, options: &ConnectOptions) -> Result<(), Error> {
        let address = self.address_vector(own, peer, options)?;
        self.connect_along(address, own, peer, options)
    }

    fn address_vector(
        &self,
        own: &OwnEndpoint,
        peer: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<AddressVector, Error> {
        let Endpoint { qpn, address, .. } = own.endpoint;
        // Queue pairs of two devices may have the same number.
        if qpn != self.number() || self.device.own_address(own.index.into())? != Some(address) {
            return Err(Error::Invalid(Invalid::OtherQueuePair));
        }
        if (peer.qpn, peer.address) == (qpn, address) {
            return Err(Error::Invalid(Invalid::OwnPeer));
        }
        let ipv4 = is_ipv4(&peer.address);
        if ipv4 != is_ipv4(&address) {
            return Err(Error::Invalid(Invalid::AddressFamily));
        }
        Ok(AddressVector {
            source_port: options.source_port.unwrap_or_else(|| source_port(self.number(), peer.qpn)),
            vlan: options.vlan,
            mac: peer.mac,
            own_address: own.index,
            ipv6: !ipv4,
            destination: peer.address,
            flow_label: options.flow_label,
            traffic_class: options.traffic_class,
            hop_limit: options.hop_limit,
        })
    }

    fn connect_along(
        &self,
        address: AddressVector,
        own: &OwnEndpoint,
        peer: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<(), Error> {
        let receive = ReadyToReceive {
            address,
            mtu: options.mtu.code(),
            dest_qpn: peer.qpn,
            rq_psn: peer.psn,
            max_dest_rd: options.max_dest_rd,
            min_rnr: options.min_rnr,
        };
        let again = QpAttributes { access: Some(options.access), pkey: Some(options.pkey), ..QpAttributes::default() };
        self.to_rtr(&receive, again)?;
        let send = ReadyToSend {
            timeout: options.timeout,
            retry_cnt: options.retry_cnt,
            rnr_retry: options.rnr_retry,
            sq_psn: own.endpoint.psn,
            max_rd: options.max_rd,
        };
        self.to_rts(&send, QpAttributes::default())
    }
}
