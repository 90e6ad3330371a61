//! Raw frames: everything that is not for a reliable connection, sent and received as it is on the wire (T95, T96).
//!
//! Both rings hold descriptors that the device writes back in place, in order. The driver owns a buffer for each
//! descriptor; frames are copied, because a raw frame is rare and small.

use std::sync::atomic::{fence, Ordering};

use rnic_abi::raw::{self, Descriptor};
use rnic_abi::{limits, register as reg};

use super::Device;
use crate::error::{Busy, Error, Feature, Invalid};
use crate::page_list::Buffer;
use crate::platform::{Bar, DmaBuffer, DmaMemory, Platform};

/// Room for a frame, bytes: the longest that the device takes, and whole cache lines.
const FRAME: usize = 4224;

/// The shortest frame: an Ethernet header, bytes.
const HEADER: usize = 14;
/// Bytes that the device may append.
const ICRC: usize = 4;

/// How the raw rings are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawOptions {
    /// log2 of the frames that can wait to be received, cut to what the device offers.
    pub receive_log2: u8,
    /// log2 of the frames that can wait to be sent, cut to what the device offers.
    pub send_log2: u8,
}

impl Default for RawOptions {
    fn default() -> Self {
        RawOptions { receive_log2: 6, send_log2: 4 }
    }
}

/// A received frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFrame {
    /// From the destination MAC address on, without FCS.
    pub bytes: Vec<u8>,
    /// It ended with a right ICRC.
    pub icrc_ok: bool,
    /// It has a VLAN tag.
    pub vlan: bool,
    /// It came to the broadcast address.
    pub broadcast: bool,
    /// It was longer than the buffer; `bytes` is its beginning.
    pub truncated: bool,
    /// It could not be written to memory; `bytes` is void.
    pub error: bool,
}

/// One ring with its buffers.
struct Ring<P: Platform> {
    /// Descriptors.
    ring: Buffer<P>,
    /// One frame's room behind the other.
    frames: Buffer<P>,
    log2: u8,
    /// Free-running count of descriptors given to the device.
    posted: u32,
    /// Free-running count of those that came back.
    returned: u32,
}

impl<P: Platform> Ring<P> {
    fn new(platform: &P, log2: u8) -> Result<Self, Error> {
        let ring = platform.memory().allocate(raw::BYTES << log2)?;
        let frames = platform.memory().allocate(FRAME << log2)?;
        Ok(Ring { ring, frames, log2, posted: 0, returned: 0 })
    }

    fn slot(&self, count: u32) -> usize {
        (count & ((1 << self.log2) - 1)) as usize
    }

    /// The phase of a descriptor that has come back, in the round of this count.
    fn phase(&self, count: u32) -> u32 {
        if count >> self.log2 & 1 == 0 {
            raw::PHASE
        } else {
            0
        }
    }

    fn is_full(&self) -> bool {
        self.posted.wrapping_sub(self.returned) == 1 << self.log2
    }

    /// Writes the next descriptor, for its own buffer. The phase that it must not have yet stays in it.
    fn post(&mut self, length: u32, flags: u32) {
        let slot = self.slot(self.posted);
        let address = self.frames.bus_address() + (slot * FRAME) as u64;
        let flags = flags | (self.phase(self.posted) ^ raw::PHASE);
        let bytes = Descriptor { address, length, flags }.encode();
        for (word, bytes) in bytes.chunks_exact(8).enumerate() {
            let value = bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
            self.ring.write_u64(slot * raw::BYTES + 8 * word, value);
        }
        self.posted = self.posted.wrapping_add(1);
    }

    /// The oldest descriptor that has come back: its slot, bytes and flags.
    fn take(&mut self) -> Option<(usize, u32, u32)> {
        if self.returned == self.posted {
            return None;
        }
        let slot = self.slot(self.returned);
        let flags = self.ring.read_u32(slot * raw::BYTES + raw::FLAGS.byte);
        if flags & raw::PHASE != self.phase(self.returned) {
            return None;
        }
        // Nothing else may be read before the phase bit.
        fence(Ordering::Acquire);
        self.returned = self.returned.wrapping_add(1);
        Some((slot, self.ring.read_u32(slot * raw::BYTES + raw::LENGTH.byte), flags))
    }
}

/// The raw rings of a device.
pub(crate) struct RawRings<P: Platform> {
    receive: Ring<P>,
    send: Ring<P>,
    /// Frames that were not sent because of a bus error.
    failed: u64,
}

impl<P: Platform> Device<P> {
    /// Makes the raw rings and gives all receive buffers to the device. They stay until the device is closed.
    ///
    /// # Errors
    /// - [`Error::NotSupported`] (EOPNOTSUPP): the device has no raw rings.
    /// - [`Busy::RawRings`] (EBUSY): they are open already.
    /// - [`Error::Dma`] (ENOMEM): no memory.
    /// - [`Error::Bus`]: the registers cannot be written.
    pub fn open_raw(&self, options: RawOptions) -> Result<(), Error> {
        if !self.capabilities().raw {
            return Err(Error::NotSupported(Feature::Raw));
        }
        if self.raw_rings().is_some() {
            return Err(Error::Busy(Busy::RawRings));
        }
        let log2 = |log2: u8| log2.clamp(limits::EVENT_LOG2_MIN as u8, self.capabilities().max_event_log2);
        let (receive_log2, send_log2) = (log2(options.receive_log2), log2(options.send_log2));
        let mut rings = RawRings {
            receive: Ring::new(self.platform(), receive_log2)?,
            send: Ring::new(self.platform(), send_log2)?,
            failed: 0,
        };
        (0..1u32 << receive_log2).for_each(|_| rings.receive.post(FRAME as u32, 0));
        let (receive, send) = (rings.receive.ring.bus_address(), rings.send.ring.bus_address());
        // From here on the device may know the rings, so they must stay whatever fails.
        *self.raw_rings() = Some(rings);
        let bar = self.platform().bar();
        for (offset, value) in [
            (reg::RAW_RECEIVE_BASE_LOW, receive as u32),
            (reg::RAW_RECEIVE_BASE_HIGH, (receive >> 32) as u32),
            (reg::RAW_RECEIVE_PRODUCER, 0),
            (reg::RAW_RECEIVE_LOG2, receive_log2.into()),
            (reg::RAW_SEND_BASE_LOW, send as u32),
            (reg::RAW_SEND_BASE_HIGH, (send >> 32) as u32),
            (reg::RAW_SEND_PRODUCER, 0),
            (reg::RAW_SEND_LOG2, send_log2.into()),
        ] {
            bar.write(offset, value)?;
        }
        fence(Ordering::Release);
        Ok(bar.write(reg::RAW_RECEIVE_PRODUCER, 1 << receive_log2)?)
    }

    /// Takes the oldest received frame, if there is one, and gives its buffer to the device again.
    ///
    /// # Errors
    /// - [`Invalid::RawRings`] (EINVAL): [`open_raw`](Device::open_raw) comes first.
    /// - [`Error::Bus`]: the doorbell cannot be written; the frame is lost.
    pub fn receive_raw(&self) -> Result<Option<RawFrame>, Error> {
        let mut rings = self.raw_rings();
        let ring = &mut rings.as_mut().ok_or(Error::Invalid(Invalid::RawRings))?.receive;
        let Some((slot, length, flags)) = ring.take() else { return Ok(None) };
        let is_set = |flag| flags & flag != 0;
        let (error, bytes) = (is_set(raw::ERROR), (length as usize).min(FRAME));
        let mut frame = vec![0; if error { 0 } else { bytes }];
        ring.frames.read_bytes(slot * FRAME, &mut frame);
        ring.post(FRAME as u32, 0);
        let posted = ring.posted & 0xFFFF;
        drop(rings);
        fence(Ordering::Release);
        self.platform().bar().write(reg::RAW_RECEIVE_PRODUCER, posted)?;
        Ok(Some(RawFrame {
            bytes: frame,
            icrc_ok: is_set(raw::ICRC_OK),
            vlan: is_set(raw::VLAN),
            broadcast: is_set(raw::BROADCAST),
            truncated: is_set(raw::TRUNCATED),
            error,
        }))
    }

    /// Sends a frame, from the destination MAC address on. The device pads it to 60 bytes. With `icrc` it appends the ICRC of
    /// the IP packet, whose length fields must count those four bytes.
    ///
    /// # Errors
    /// - [`Invalid::RawRings`] (EINVAL): [`open_raw`](Device::open_raw) comes first.
    /// - [`Invalid::FrameLength`] (EINVAL): less than a header, or more than the device sends.
    /// - [`Busy::RawSend`] (EBUSY): the ring is full; frames must leave first.
    /// - [`Error::Bus`]: the doorbell cannot be written; the next one sends the frame too.
    pub fn send_raw(&self, frame: &[u8], icrc: bool) -> Result<(), Error> {
        let mut rings = self.raw_rings();
        let RawRings { send, failed, .. } = rings.as_mut().ok_or(Error::Invalid(Invalid::RawRings))?;
        if !(HEADER..=FRAME - ICRC).contains(&frame.len()) {
            return Err(Error::Invalid(Invalid::FrameLength));
        }
        *failed += reap(send);
        if send.is_full() {
            return Err(Error::Busy(Busy::RawSend));
        }
        let slot = send.slot(send.posted);
        send.frames.write_bytes(slot * FRAME, frame);
        send.post(frame.len() as u32, if icrc { raw::SEND_ICRC } else { 0 });
        let posted = send.posted & 0xFFFF;
        drop(rings);
        fence(Ordering::Release);
        Ok(self.platform().bar().write(reg::RAW_SEND_PRODUCER, posted)?)
    }

    /// Frames that [`send_raw`](Device::send_raw) took and that have not left yet, and how many could never be sent because
    /// the device could not read them.
    ///
    /// # Errors
    /// - [`Invalid::RawRings`] (EINVAL): [`open_raw`](Device::open_raw) comes first.
    pub fn raw_unsent(&self) -> Result<(u32, u64), Error> {
        let mut rings = self.raw_rings();
        let RawRings { send, failed, .. } = rings.as_mut().ok_or(Error::Invalid(Invalid::RawRings))?;
        *failed += reap(send);
        Ok((send.posted.wrapping_sub(send.returned), *failed))
    }
}

/// Takes back what has been sent; answers how many of them failed.
fn reap<P: Platform>(send: &mut Ring<P>) -> u64 {
    std::iter::from_fn(|| send.take()).filter(|(_, _, flags)| flags & raw::ERROR != 0).count() as u64
}
