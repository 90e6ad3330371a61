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
use crate::platform::{Bar, BusError, DmaBuffer, DmaMemory, Platform};

/// The longest frame that a device takes, bytes: 4,096 of payload with all headers, in whole cache lines (T89).
pub const LONGEST_FRAME: usize = 4224;

/// The shortest frame: an Ethernet header, bytes.
const HEADER: usize = 14;
/// The shortest frame that can have an ICRC: IPv4, UDP and transport header behind the Ethernet header, bytes.
const PACKET: usize = 54;
/// Bytes that the device may append.
const ICRC: usize = 4;

/// Doorbells of the two rings.
const RECEIVE: u32 = reg::RAW_RECEIVE_PRODUCER;
const SEND: u32 = reg::RAW_SEND_PRODUCER;

/// How the raw rings are made.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// device.open_raw(RawOptions { receive_bytes: 256, ..RawOptions::default() })?;
/// device.send_raw(&[0xFF; 60], false)?;
/// # mock.run();
/// assert_eq!(device.raw_unsent()?, (0, 0)); // it has left, and none has failed
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawOptions {
    /// log2 of the frames that can wait to be received, cut to what the device offers.
    pub receive_log2: u8,
    /// log2 of the frames that can wait to be sent, cut to what the device offers.
    pub send_log2: u8,
    /// Bytes of a receive buffer, cut to 64 up to [`LONGEST_FRAME`]. A longer frame comes truncated.
    pub receive_bytes: usize,
}

impl Default for RawOptions {
    fn default() -> Self {
        RawOptions { receive_log2: 6, send_log2: 4, receive_bytes: LONGEST_FRAME }
    }
}

/// A received frame.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// device.open_raw(RawOptions::default())?;
/// // An ARP request comes from the wire.
/// # mock.with(|state| state.receive_raw(&[0xFF; 42], rnic_abi::raw::BROADCAST));
/// let frame = device.receive_raw()?.ok_or("no frame")?;
/// assert_eq!((frame.bytes.len(), frame.broadcast, frame.truncated), (42, true, false));
/// assert!(device.receive_raw()?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// Room for a frame, bytes.
    room: usize,
    log2: u8,
    /// Free-running count of descriptors given to the device.
    posted: u32,
    /// Free-running count of those that came back.
    returned: u32,
    /// Free-running count of those that the device certainly knows of: less than `posted` after a bus error.
    told: u32,
}

impl<P: Platform> Ring<P> {
    fn new(platform: &P, log2: u8, room: usize) -> Result<Self, Error> {
        let ring = platform.memory().allocate(raw::BYTES << log2)?;
        let frames = platform.memory().allocate(room << log2)?;
        Ok(Ring { ring, frames, room, log2, posted: 0, returned: 0, told: 0 })
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
        let address = self.frames.bus_address() + (slot * self.room) as u64;
        let flags = flags | (self.phase(self.posted) ^ raw::PHASE);
        let bytes = Descriptor { address, length, flags }.encode();
        for (word, bytes) in bytes.chunks_exact(8).enumerate() {
            let value = bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
            self.ring.write_u64(slot * raw::BYTES + 8 * word, value);
        }
        self.posted = self.posted.wrapping_add(1);
    }

    /// Tells the device of everything posted, if it does not know. After an error the next call does it.
    fn tell(&mut self, bar: &P::Bar, producer: u32) -> Result<(), BusError> {
        if self.told != self.posted {
            // Descriptors and frames are visible before the doorbell.
            fence(Ordering::Release);
            bar.write(producer, self.posted & 0xFFFF)?;
            self.told = self.posted;
        }
        Ok(())
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
    /// The device has got all registers.
    open: bool,
}

/// The rings, if they are open.
fn opened<P: Platform>(rings: &mut Option<RawRings<P>>) -> Result<&mut RawRings<P>, Error> {
    rings.as_mut().filter(|rings| rings.open).ok_or(Error::Invalid(Invalid::RawRings))
}

impl<P: Platform> Device<P> {
    /// Makes the raw rings and gives all receive buffers to the device. They stay until the device is closed.
    ///
    /// # Errors
    /// - [`Feature::Raw`](crate::Feature) (EOPNOTSUPP): the device has no raw rings.
    /// - [`Busy::RawRings`] (EBUSY): they are open already.
    /// - [`DmaError::NoMemory`](crate::DmaError), [`DmaError::TooLong`](crate::DmaError) (ENOMEM): no memory for the rings, or none in
    ///   one piece.
    /// - [`Error::Bus`]: the registers cannot be written. The rings are not open; the call may be repeated, and takes the sizes of
    ///   the first one.
    pub fn open_raw(&self, options: RawOptions) -> Result<(), Error> {
        if !self.capabilities().raw {
            return Err(Error::NotSupported(Feature::Raw));
        }
        let mut rings = self.raw_rings();
        if rings.as_ref().is_some_and(|rings| rings.open) {
            return Err(Error::Busy(Busy::RawRings));
        }
        // After an error the device may know the rings, so they stay; it has no descriptor of them.
        let rings = match &mut *rings {
            Some(rings) => rings,
            none => none.insert(self.make_rings(options)?),
        };
        let RawRings { receive, send, .. } = rings;
        let bar = self.platform().bar();
        for (ring, [low, high, log2, producer]) in [
            (&*receive, [reg::RAW_RECEIVE_BASE_LOW, reg::RAW_RECEIVE_BASE_HIGH, reg::RAW_RECEIVE_LOG2, RECEIVE]),
            (&*send, [reg::RAW_SEND_BASE_LOW, reg::RAW_SEND_BASE_HIGH, reg::RAW_SEND_LOG2, SEND]),
        ] {
            let base = ring.ring.bus_address();
            bar.write(low, base as u32)?;
            bar.write(high, (base >> 32) as u32)?;
            bar.write(producer, 0)?;
            bar.write(log2, ring.log2.into())?;
        }
        rings.open = true;
        // If it fails, the next call of `receive_raw` tells the device.
        let _ = rings.receive.tell(bar, RECEIVE);
        Ok(())
    }

    /// Both rings, all receive descriptors posted.
    fn make_rings(&self, options: RawOptions) -> Result<RawRings<P>, Error> {
        let log2 = |log2: u8| log2.clamp(limits::EVENT_LOG2_MIN as u8, self.capabilities().max_event_log2);
        // Whole words, so that every buffer begins at one.
        let room = options.receive_bytes.clamp(64, LONGEST_FRAME).next_multiple_of(8);
        let mut receive = Ring::new(self.platform(), log2(options.receive_log2), room)?;
        let send = Ring::new(self.platform(), log2(options.send_log2), LONGEST_FRAME)?;
        (0..1u32 << receive.log2).for_each(|_| receive.post(room as u32, 0));
        Ok(RawRings { receive, send, failed: 0, open: false })
    }

    /// Takes the oldest received frame, if there is one, and gives its buffer to the device again.
    ///
    /// # Errors
    /// - [`Invalid::RawRings`] (EINVAL): [`open_raw`](Device::open_raw) comes first.
    /// - [`Error::Bus`]: the device cannot be told of free buffers. No frame is lost: the next call finds what is there.
    pub fn receive_raw(&self) -> Result<Option<RawFrame>, Error> {
        let mut rings = self.raw_rings();
        let ring = &mut opened(&mut rings)?.receive;
        let bar = self.platform().bar();
        ring.tell(bar, RECEIVE)?;
        let Some((slot, length, flags)) = ring.take() else { return Ok(None) };
        let is_set = |flag| flags & flag != 0;
        let (error, bytes) = (is_set(raw::ERROR), (length as usize).min(ring.room));
        let mut frame = vec![0; if error { 0 } else { bytes }];
        ring.frames.read_bytes(slot * ring.room, &mut frame);
        ring.post(ring.room as u32, 0);
        // The frame is there, whatever becomes of its buffer: the next call tells the device, and of the error.
        let _ = ring.tell(bar, RECEIVE);
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
    /// the IP packet, whose length fields must count those four bytes; such a frame is one of the transport, so it has at least
    /// its headers, and whole words from the IP header on.
    ///
    /// After `Ok` the frame is in the ring, and sent once: where the doorbell could not be written, the next call of this function
    /// or of [`raw_unsent`](Device::raw_unsent) writes it, and tells of the error if it cannot.
    ///
    /// # Errors
    /// The frame is not sent with any of them.
    /// - [`Invalid::RawRings`] (EINVAL): [`open_raw`](Device::open_raw) comes first.
    /// - [`Invalid::FrameLength`] (EINVAL): less than a header, or more than the device sends; or no length that a packet with an
    ///   ICRC has.
    /// - [`Busy::RawSend`] (EBUSY): the ring is full; frames must leave first.
    /// - [`Error::Bus`]: the doorbell of earlier frames cannot be written.
    pub fn send_raw(&self, frame: &[u8], icrc: bool) -> Result<(), Error> {
        let mut rings = self.raw_rings();
        let RawRings { send, failed, .. } = opened(&mut rings)?;
        let fits = match icrc {
            true => (PACKET..=LONGEST_FRAME - ICRC).contains(&frame.len()) && frame.len() % 4 == HEADER % 4,
            false => (HEADER..=LONGEST_FRAME).contains(&frame.len()),
        };
        if !fits {
            return Err(Error::Invalid(Invalid::FrameLength));
        }
        let bar = self.platform().bar();
        send.tell(bar, SEND)?;
        *failed += reap(send);
        if send.is_full() {
            return Err(Error::Busy(Busy::RawSend));
        }
        let slot = send.slot(send.posted);
        send.frames.write_bytes(slot * send.room, frame);
        send.post(frame.len() as u32, if icrc { raw::SEND_ICRC } else { 0 });
        // An error here must not let the caller send the frame again: the device may know of it all the same.
        let _ = send.tell(bar, SEND);
        Ok(())
    }

    /// Frames that [`send_raw`](Device::send_raw) took and that have not left yet, and how many could never be sent because
    /// the device could not read them.
    ///
    /// # Errors
    /// - [`Invalid::RawRings`] (EINVAL): [`open_raw`](Device::open_raw) comes first.
    /// - [`Error::Bus`]: the device has not been told of all frames, and still cannot be.
    pub fn raw_unsent(&self) -> Result<(u32, u64), Error> {
        let mut rings = self.raw_rings();
        let RawRings { send, failed, .. } = opened(&mut rings)?;
        send.tell(self.platform().bar(), SEND)?;
        *failed += reap(send);
        Ok((send.posted.wrapping_sub(send.returned), *failed))
    }
}

/// Takes back what has been sent; answers how many of them failed.
fn reap<P: Platform>(send: &mut Ring<P>) -> u64 {
    std::iter::from_fn(|| send.take()).filter(|(_, _, flags)| flags & raw::ERROR != 0).count() as u64
}
