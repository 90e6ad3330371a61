//! The socket as an end of the wire.
use super::SimError;
use crate::wire::{Arrival, EndId, Socket, Wire};

/// Cycles from one look at the socket to the next: a system call in each cycle would be slow.
const POLL: u64 = 64;
/// Frames that one look takes at most: the peer is faster than the simulation, and time must go on. The others wait in the
/// socket, whose queue the kernel bounds.
const BURST: usize = 16;

/// A socket, its end of the wire, and the frame that its peer has not taken yet.
pub(super) struct Outside {
    socket: Socket,
    end: EndId,
    waiting: Option<Arrival>,
}

impl Outside {
    pub fn new(socket: Socket, end: EndId) -> Self {
        Self { socket, end, waiting: None }
    }

    /// What a report says of it.
    pub fn state(&self) -> String {
        let (unsent, runts) = (self.socket.unsent(), self.socket.runts());
        format!("socket: {unsent} frames sent to nobody, {runts} datagrams too short for a frame\n")
    }

    /// One cycle.
    #[inline]
    pub fn step(&mut self, cycle: u64, wire: &mut Wire) -> Result<(), SimError> {
        if cycle % POLL != 0 {
            return Ok(());
        }
        for _ in 0..BURST {
            let Some(frame) = self.socket.receive()? else { break };
            wire.send(cycle, self.end, frame, false);
        }
        loop {
            let Some(arrival) = self.waiting.take().or_else(|| wire.receive(cycle, self.end)) else { return Ok(()) };
            // A frame that its receiver would see marked bad is dropped by a MAC.
            if !arrival.bad && !self.socket.send(&arrival.bytes)? {
                self.waiting = Some(arrival);
                return Ok(());
            }
        }
    }
}
