//! Frames over a unix socket, one a message.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use nix::errno::Errno;
use nix::sys::socket::{self, AddressFamily, Backlog, MsgFlags, SockFlag, SockType, UnixAddr};

use super::FrameTransport;

/// Frames over a unix socket of type SOCK_SEQPACKET, one a message: to a device that another process simulates. In order and
/// undamaged; what finds no room in the socket's buffer is refused. The end of the peer ends the session.
///
/// ```
/// use rnic_link::{FrameTransport, SequencedPair};
///
/// let (mut host, mut device) = SequencedPair::pair()?;
/// host.send(&[1; 60])?;
/// host.send(&[2; 100])?;
/// let mut buffer = [0; 1600];
/// assert_eq!((device.receive(&mut buffer)?, device.receive(&mut buffer)?), (Some(60), Some(100)));
/// drop(device);
/// assert!(host.receive(&mut buffer).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SequencedPair {
    socket: OwnedFd,
}

const FLAGS: SockFlag = SockFlag::SOCK_NONBLOCK.union(SockFlag::SOCK_CLOEXEC);

impl SequencedPair {
    /// Two ends without a name.
    ///
    /// # Errors
    /// The process has too many files open.
    pub fn pair() -> io::Result<(SequencedPair, SequencedPair)> {
        let (one, other) = socket::socketpair(AddressFamily::Unix, SockType::SeqPacket, None, FLAGS)?;
        Ok((SequencedPair { socket: one }, SequencedPair { socket: other }))
    }

    /// Connects to the end that listens at `path`.
    ///
    /// # Errors
    /// Nobody listens there.
    pub fn connect(path: &Path) -> io::Result<SequencedPair> {
        let socket = socket::socket(AddressFamily::Unix, SockType::SeqPacket, FLAGS, None)?;
        socket::connect(socket.as_raw_fd(), &UnixAddr::new(path)?)?;
        Ok(SequencedPair { socket })
    }

    /// Listens at `path`, which must not exist, and waits for one peer.
    ///
    /// # Errors
    /// The name is taken, or cannot be made.
    pub fn listen(path: &Path) -> io::Result<SequencedPair> {
        let listening = socket::socket(AddressFamily::Unix, SockType::SeqPacket, SockFlag::SOCK_CLOEXEC, None)?;
        socket::bind(listening.as_raw_fd(), &UnixAddr::new(path)?)?;
        socket::listen(&listening, Backlog::new(1)?)?;
        let accepted = socket::accept4(&listening, FLAGS);
        std::fs::remove_file(path)?;
        let socket = accepted?;
        Ok(SequencedPair { socket })
    }
}

impl FrameTransport for SequencedPair {
    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        socket::send(self.socket.as_raw_fd(), frame, MsgFlags::MSG_NOSIGNAL)?;
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match socket::recv(self.socket.as_raw_fd(), buffer, MsgFlags::empty()) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
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
    fn two_processes_meet_at_a_path() {
        let path = std::env::temp_dir().join(format!("rnic-link-{}", std::process::id()));
        let there = path.clone();
        let listener = std::thread::spawn(move || SequencedPair::listen(&there));
        let mut host = loop {
            match SequencedPair::connect(&path) {
                Ok(host) => break host,
                Err(_) => std::thread::yield_now(),
            }
        };
        let mut device = listener.join().unwrap().unwrap();
        host.send(b"frame").unwrap();
        let mut buffer = [0; 16];
        assert_eq!(device.receive(&mut buffer).unwrap(), Some(5));
        assert!(!path.exists());
    }

    #[test]
    fn a_full_socket_refuses_and_the_end_of_the_peer_is_told() {
        let (mut host, device) = SequencedPair::pair().unwrap();
        let refused = loop {
            match host.send(&[0; 1000]) {
                Ok(()) => {}
                Err(error) => break error,
            }
        };
        assert!(super::super::is_passing(&refused), "{refused}");
        drop(device);
        let gone = host.send(&[0; 60]).unwrap_err();
        assert!(!super::super::is_passing(&gone), "{gone}");
    }
}
