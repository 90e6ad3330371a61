//! Raw Ethernet frames of one interface (HO1).

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::ifaddrs::getifaddrs;
use nix::libc;
use nix::net::if_::{if_nametoindex, InterfaceFlags};
use nix::sys::socket::{self, AddressFamily, LinkAddr, MsgFlags, SockFlag, SockType, SockaddrLike};
use rnic_abi::link::frame::ETHERTYPE;

use super::FrameTransport;

/// The smallest MTU that carries the largest frame of the link.
const MIN_MTU: u32 = 1100;

nix::ioctl_read_bad!(interface_mtu, libc::SIOCGIFMTU, libc::ifreq);

/// An interface cannot be used for raw frames.
///
/// ```
/// use rnic_link::{PacketError, PacketSocket};
///
/// let error = PacketSocket::open("none0").unwrap_err();
/// assert!(matches!(error, PacketError::NoInterface { name } if name == "none0"));
/// assert!(PacketError::NotPermitted.to_string().contains("CAP_NET_RAW"));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum PacketError {
    /// EPERM.
    #[error(
        "raw sockets need the capability CAP_NET_RAW: run as root, or `setcap cap_net_raw+ep FILE` on the program's file"
    )]
    NotPermitted,
    /// ENODEV.
    #[error("no network interface `{name}`")]
    NoInterface {
        /// Its name.
        name: String,
    },
    /// ENETDOWN.
    #[error("interface `{name}` is down: `ip link set {name} up`")]
    Down {
        /// Its name.
        name: String,
    },
    /// It has no MAC address.
    #[error("interface `{name}` is no Ethernet interface")]
    NotEthernet {
        /// Its name.
        name: String,
    },
    /// Frames of the link do not fit.
    #[error("interface `{name}` has MTU {mtu}; the link needs 1100")]
    Mtu {
        /// Its name.
        name: String,
        /// What it has.
        mtu: u32,
    },
    /// Anything else.
    #[error("{step}: {error}")]
    Io {
        /// What was being done.
        step: &'static str,
        /// Why it failed.
        error: io::Error,
    },
}

/// Frames of EtherType 88B5 on an Ethernet interface, by an AF_PACKET socket. The kernel filters; the interface stays usable for
/// everything else. Whatever is on the same cable can open a session (SE5): a direct cable is meant.
///
/// ```no_run
/// // Needs root rights and an interface that is up.
/// use rnic_link::{Link, LinkOptions, MonotonicClock, PacketSocket};
///
/// let socket = PacketSocket::open("enp3s0")?;
/// let options = LinkOptions { host_mac: socket.mac(), ..LinkOptions::default() };
/// let link = Link::open(socket, MonotonicClock::default(), options)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PacketSocket {
    socket: OwnedFd,
    mac: [u8; 6],
}

impl PacketSocket {
    /// Binds to an interface.
    ///
    /// # Errors
    /// [`PacketError`]; the text says what to do.
    pub fn open(interface: &str) -> Result<PacketSocket, PacketError> {
        let name = || interface.to_owned();
        let index = if_nametoindex(interface).map_err(|_| PacketError::NoInterface { name: name() })?;
        let (mac, up) = address(interface)?.ok_or_else(|| PacketError::NotEthernet { name: name() })?;
        // Without a protocol nothing is received until the socket is bound.
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let socket = socket::socket(AddressFamily::Packet, SockType::Raw, flags, None);
        let socket = socket.map_err(|error| named("socket", error, interface))?;
        if !up {
            return Err(PacketError::Down { name: name() });
        }
        let mtu = mtu(&socket, interface)?;
        if mtu < MIN_MTU {
            return Err(PacketError::Mtu { name: name(), mtu });
        }
        let bound = socket::bind(socket.as_raw_fd(), &link_address(index));
        bound.map_err(|error| named("bind", error, interface))?;
        Ok(PacketSocket { socket, mac })
    }

    /// MAC address of the interface.
    pub fn mac(&self) -> [u8; 6] {
        self.mac
    }
}

fn named(step: &'static str, error: Errno, interface: &str) -> PacketError {
    let name = interface.to_owned();
    match error {
        Errno::EPERM | Errno::EACCES => PacketError::NotPermitted,
        Errno::ENODEV | Errno::ENXIO => PacketError::NoInterface { name },
        Errno::ENETDOWN => PacketError::Down { name },
        error => PacketError::Io { step, error: error.into() },
    }
}

/// MAC address of an Ethernet interface, and whether it is up.
fn address(interface: &str) -> Result<Option<([u8; 6], bool)>, PacketError> {
    let all = getifaddrs().map_err(|error| named("getifaddrs", error, interface))?;
    let of_interface = all.filter(|entry| entry.interface_name == interface);
    let mut found = of_interface.filter_map(|entry| {
        let link = *entry.address?.as_link_addr()?;
        let ethernet = link.hatype() == libc::ARPHRD_ETHER && link.halen() == 6;
        Some((link.addr().filter(|_| ethernet)?, entry.flags.contains(InterfaceFlags::IFF_UP)))
    });
    Ok(found.next())
}

fn mtu(socket: &OwnedFd, interface: &str) -> Result<u32, PacketError> {
    // SAFETY: all zeros is a value of this plain structure.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    // The kernel knows the interface, so its name fits with a zero behind it.
    for (to, from) in request.ifr_name.iter_mut().zip(interface.bytes()) {
        *to = from as libc::c_char;
    }
    // SAFETY: the structure is what this request reads and writes, and lives as long as the call.
    unsafe { interface_mtu(socket.as_raw_fd(), &mut request) }
        .map_err(|error| named("SIOCGIFMTU", error, interface))?;
    // SAFETY: this request writes this field.
    Ok(unsafe { request.ifr_ifru.ifru_mtu } as u32)
}

/// The frames of the link on interface `index`.
fn link_address(index: u32) -> LinkAddr {
    let address = libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as u16,
        sll_protocol: ETHERTYPE.to_be(),
        sll_ifindex: index as i32,
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    };
    let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: the pointer is to a whole `sockaddr_ll` of this family, which is read during the call only.
    let address = unsafe { LinkAddr::from_raw((&raw const address).cast(), Some(length)) };
    address.expect("family and length are those of a packet socket")
}

impl FrameTransport for PacketSocket {
    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        socket::send(self.socket.as_raw_fd(), frame, MsgFlags::empty())?;
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match socket::recv(self.socket.as_raw_fd(), buffer, MsgFlags::empty()) {
            Ok(length) => Ok(Some(length)),
            Err(Errno::EAGAIN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn readable(&self) -> io::Result<Option<OwnedFd>> {
        self.socket.try_clone().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho1_errors_of_the_kernel_have_names_and_cures() {
        let text = |error| named("bind", error, "eth7").to_string();
        assert!(text(Errno::EPERM).contains("CAP_NET_RAW") && text(Errno::EPERM).contains("setcap cap_net_raw+ep"));
        assert_eq!(text(Errno::ENODEV), "no network interface `eth7`");
        assert_eq!(text(Errno::ENETDOWN), "interface `eth7` is down: `ip link set eth7 up`");
        assert!(text(Errno::EINVAL).starts_with("bind: "));
    }

    #[test]
    fn ho1_the_loopback_interface_is_no_ethernet() {
        let error = PacketSocket::open("lo").unwrap_err();
        assert!(matches!(&error, PacketError::NotEthernet { name } if name == "lo"), "{error}");
    }

    #[test]
    fn ho1_the_socket_takes_the_ethertype_of_the_link_only() {
        let address = link_address(3);
        assert_eq!((address.ifindex(), address.protocol()), (3, 0x88B5_u16.to_be()));
    }
}
