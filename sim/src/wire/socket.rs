//! A unix datagram socket as an end of the wire: one Ethernet frame without FCS in each datagram.
//!
//! QEMU speaks this: `-netdev dgram,id=n0,local.type=unix,local.path=PEER,remote.type=unix,remote.path=PATH`. Our side binds
//! PATH and answers to whoever has sent last; until then, frames that we send have nowhere to go and are counted.
use super::frame::{HEADER, LARGEST};
use std::io::ErrorKind;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Datagrams that one look at the socket takes at most, so that a flood of useless ones does not stop the run.
const LOOKS: usize = 64;

/// The socket cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("socket `{}`: {reason}", path.display())]
pub struct SocketError {
    /// Its path.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

/// A bound socket. The path is removed when it is dropped.
#[derive(Debug)]
pub struct Socket {
    path: PathBuf,
    socket: UnixDatagram,
    peer: Option<PathBuf>,
    /// The last datagram; a longer one is cut, and then no good frame.
    buffer: Vec<u8>,
    unsent: u64,
    runts: u64,
}

impl Socket {
    /// Binds a path. One that is left over from an earlier run is taken over; one that is in use, or no socket, is not.
    ///
    /// # Errors
    /// It cannot be bound.
    pub fn bind(path: &Path) -> Result<Self, SocketError> {
        let failed = |reason: String| SocketError { path: path.into(), reason };
        if is_left_over(path) {
            let _ = std::fs::remove_file(path);
        }
        let socket = UnixDatagram::bind(path).map_err(|error| failed(error.to_string()))?;
        socket.set_nonblocking(true).map_err(|error| failed(error.to_string()))?;
        Ok(Self { path: path.into(), socket, peer: None, buffer: vec![0; LARGEST], unsent: 0, runts: 0 })
    }

    /// The next frame that has come, if there is one. Datagrams too short for an Ethernet header are counted and dropped.
    ///
    /// # Errors
    /// The socket is broken.
    pub fn receive(&mut self) -> Result<Option<Vec<u8>>, SocketError> {
        for _ in 0..LOOKS {
            match self.socket.recv_from(&mut self.buffer) {
                Ok((bytes, from)) => {
                    if let Some(path) = from.as_pathname() {
                        self.peer = Some(path.into());
                    }
                    if bytes >= HEADER {
                        return Ok(Some(self.buffer[..bytes].to_vec()));
                    }
                    self.runts += 1;
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                    return Ok(None)
                }
                Err(error) => return Err(SocketError { path: self.path.clone(), reason: error.to_string() }),
            }
        }
        Ok(None)
    }

    /// Sends a frame. False when the peer's queue is full, so that it must be tried again; a frame without a peer is dropped.
    ///
    /// # Errors
    /// The socket is broken.
    pub fn send(&mut self, frame: &[u8]) -> Result<bool, SocketError> {
        let Some(peer) = &self.peer else {
            self.unsent += 1;
            return Ok(true);
        };
        match self.socket.send_to(frame, peer) {
            Ok(_) => Ok(true),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(false),
            // The peer has gone; it may come back.
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::NotFound) => {
                self.unsent += 1;
                Ok(true)
            }
            Err(error) => Err(SocketError { path: self.path.clone(), reason: error.to_string() }),
        }
    }

    /// Frames that were sent while nobody was there.
    #[must_use]
    pub fn unsent(&self) -> u64 {
        self.unsent
    }

    /// Datagrams that were too short to be frames.
    #[must_use]
    pub fn runts(&self) -> u64 {
        self.runts
    }
}

/// A socket that nobody listens on.
fn is_left_over(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
    let refused = || {
        UnixDatagram::unbound()
            .and_then(|probe| probe.connect(path))
            .is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
    };
    is_socket && refused()
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("rnic-wire-{}-{name}", std::process::id()))
    }

    #[test]
    fn a_frame_is_a_datagram_both_ways() {
        let (ours, theirs) = (path("ours"), path("theirs"));
        let mut socket = Socket::bind(&ours).unwrap();
        assert_eq!(socket.receive(), Ok(None));
        assert_eq!((socket.send(&[1; 60]), socket.unsent()), (Ok(true), 1));
        let peer = UnixDatagram::bind(&theirs).unwrap();
        peer.send_to(&[2; 4198], &ours).unwrap();
        assert_eq!(socket.receive(), Ok(Some(vec![2; 4198])));
        assert_eq!(socket.send(&[3; 70]), Ok(true));
        let mut buffer = [0; 100];
        assert_eq!(peer.recv(&mut buffer).unwrap(), 70);
        drop(peer);
        std::fs::remove_file(&theirs).unwrap();
        assert_eq!((socket.send(&[4; 60]), socket.unsent()), (Ok(true), 2), "the peer has gone");
        drop(socket);
        assert!(!ours.exists());
    }

    #[test]
    fn datagrams_that_are_no_frames_are_counted_and_dropped() {
        let ours = path("runts");
        let mut socket = Socket::bind(&ours).unwrap();
        let peer = UnixDatagram::unbound().unwrap();
        for bytes in [0, 1, 13, 14] {
            peer.send_to(&vec![9; bytes], &ours).unwrap();
        }
        assert_eq!((socket.receive(), socket.runts()), (Ok(Some(vec![9; 14])), 3));
        assert_eq!((socket.receive(), socket.runts()), (Ok(None), 3));
    }

    #[test]
    fn a_full_queue_holds_the_frame_back() {
        let (ours, theirs) = (path("full-ours"), path("full-theirs"));
        let mut socket = Socket::bind(&ours).unwrap();
        let peer = UnixDatagram::bind(&theirs).unwrap();
        peer.send_to(&[0; 60], &ours).unwrap();
        socket.receive().unwrap();
        let sent = (0..100_000).take_while(|_| socket.send(&[5; 1000]).unwrap()).count();
        assert!(sent < 100_000, "the queue never fills");
        let mut buffer = [0; 1000];
        (0..sent).for_each(|_| assert_eq!(peer.recv(&mut buffer).unwrap(), 1000));
        assert_eq!(socket.send(&[5; 1000]), Ok(true));
        std::fs::remove_file(&theirs).unwrap();
    }

    #[test]
    fn a_path_in_use_is_refused_and_a_left_over_one_is_taken() {
        let taken = path("taken");
        let first = Socket::bind(&taken).unwrap();
        assert!(Socket::bind(&taken).unwrap_err().to_string().contains("rnic-wire"));
        drop(first);
        assert!(!taken.exists());
        let stale = path("stale");
        drop(UnixDatagram::bind(&stale).unwrap());
        assert!(stale.exists());
        drop(Socket::bind(&stale).unwrap());
        let file = path("file");
        std::fs::write(&file, "text").unwrap();
        assert!(Socket::bind(&file).is_err());
        assert_eq!(std::fs::read(&file).unwrap(), b"text");
        std::fs::remove_file(&file).unwrap();
    }
}
