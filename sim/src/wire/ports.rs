//! The two stream ports of a core: beats to frames, frames to beats.
//!
//! Both look at a rising edge - the outputs before it, the inputs that it saw - and set the inputs of the next cycle, as the
//! host does for its buses.
use super::line::Arrival;
use super::settings::Rate;
use crate::core::{Inputs, Outputs, DATA_WORDS};
use thiserror::Error;

/// A beat that is not allowed on `m_axis_tx`.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum StreamError {
    /// tkeep is not a run of ones from byte 0 on, or not full before the last beat.
    #[error("m_axis_tx: tkeep {keep:x} in a beat of {width} bytes, tlast {last}")]
    Keep {
        /// The signal.
        keep: u64,
        /// Bytes of a beat.
        width: usize,
        /// tlast.
        last: u8,
    },
    /// tuser before the last beat.
    #[error("m_axis_tx: tuser before the last beat")]
    User,
    /// More bytes than any frame has.
    #[error("m_axis_tx: a frame of more than {limit} bytes")]
    Long {
        /// The largest number.
        limit: usize,
    },
    /// Fewer bytes than Ethernet allows (T87).
    #[error("m_axis_tx: a frame of {bytes} bytes")]
    Runt {
        /// Its bytes.
        bytes: usize,
    },
}

/// tkeep of a beat with this many bytes.
fn keep(bytes: usize) -> u64 {
    u64::MAX.checked_shr(64 - bytes as u32).unwrap_or(0)
}

/// Takes frames from `m_axis_tx`, at the rate of the line.
#[derive(Debug)]
pub struct Transmitter {
    /// Bytes of a beat.
    width: usize,
    frame: Vec<u8>,
    rate: Option<Rate>,
    overhead: u32,
    /// Bytes times `rate.cycles` that have been taken and have not passed the line yet.
    debt: u64,
}

impl Transmitter {
    /// A line that takes frames of a core with this data width in bits.
    #[must_use]
    pub fn new(data_bits: u32, rate: Option<Rate>, overhead: u32) -> Self {
        Self { width: data_bits as usize / 8, frame: vec![], rate, overhead, debt: 0 }
    }

    /// Changes the rate, from the next beat on.
    pub fn set_rate(&mut self, rate: Option<Rate>, overhead: u32) {
        (self.rate, self.overhead) = (rate, overhead);
    }

    /// One rising edge. Answers the frame whose last beat it took; true says that the core has marked it bad.
    /// `stall` lets the line not take a beat in the next cycle.
    ///
    /// # Errors
    /// The beat is not allowed.
    #[inline]
    pub fn clock(
        &mut self,
        outputs: &Outputs,
        inputs: &mut Inputs,
        stall: bool,
    ) -> Result<Option<(Vec<u8>, bool)>, StreamError> {
        let mut done = None;
        if outputs.tx_tvalid & inputs.tx_tready == 1 {
            done = self.beat(outputs)?;
        }
        if let Some(rate) = self.rate {
            self.debt = self.debt.saturating_sub(rate.bytes.into());
        }
        // What is left passes within the next cycle, so the next beat need not wait for it.
        let free = self.rate.is_none_or(|rate| self.debt < u64::from(rate.bytes));
        inputs.tx_tready = u8::from(free && !stall);
        Ok(done)
    }

    fn beat(&mut self, outputs: &Outputs) -> Result<Option<(Vec<u8>, bool)>, StreamError> {
        let Outputs { tx_tkeep, tx_tlast, tx_tuser, tx_tdata, .. } = *outputs;
        let bytes = tx_tkeep.trailing_ones() as usize;
        let shaped = bytes > 0 && bytes <= self.width && tx_tkeep == keep(bytes);
        if !shaped || tx_tlast == 0 && bytes != self.width {
            return Err(StreamError::Keep { keep: tx_tkeep, width: self.width, last: tx_tlast });
        }
        if tx_tuser == 1 && tx_tlast == 0 {
            return Err(StreamError::User);
        }
        let words = tx_tdata.iter().flat_map(|word| word.to_le_bytes());
        self.frame.extend(words.take(bytes));
        if self.frame.len() > super::frame::LONGEST {
            return Err(StreamError::Long { limit: super::frame::LONGEST });
        }
        let cycles = self.rate.map_or(0, |rate| u64::from(rate.cycles));
        self.debt += cycles * (bytes as u64 + if tx_tlast == 1 { u64::from(self.overhead) } else { 0 });
        if tx_tlast == 0 {
            return Ok(None);
        }
        let frame = std::mem::take(&mut self.frame);
        if frame.len() < super::frame::SHORTEST {
            return Err(StreamError::Runt { bytes: frame.len() });
        }
        Ok(Some((frame, tx_tuser == 1)))
    }

    /// Whether a frame has begun and not ended.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.frame.is_empty()
    }

    /// Forgets the frame that has begun: the core has been reset.
    pub fn clear(&mut self) {
        self.frame.clear();
    }
}

/// Gives frames to `s_axis_rx`.
#[derive(Debug)]
pub struct Receiver {
    /// Bytes of a beat.
    width: usize,
    frame: Option<Arrival>,
    /// Bytes of the frame before the beat that is offered.
    offset: usize,
}

impl Receiver {
    /// A port of a core with this data width in bits.
    #[must_use]
    pub fn new(data_bits: u32) -> Self {
        Self { width: data_bits as usize / 8, frame: None, offset: 0 }
    }

    /// One rising edge. Takes the next frame from `next` when there is none; true when the last beat of one was taken.
    /// `gap` offers nothing new in the next cycle.
    #[inline]
    pub fn clock(
        &mut self,
        outputs: &Outputs,
        inputs: &mut Inputs,
        gap: bool,
        next: impl FnOnce() -> Option<Arrival>,
    ) -> bool {
        let mut done = false;
        if inputs.rx_tvalid == 1 {
            if outputs.rx_tready == 0 {
                return false;
            }
            done = inputs.rx_tlast == 1;
            self.offset += self.width;
            inputs.rx_tvalid = 0;
            if done {
                self.frame = None;
            }
        }
        if gap {
            return done;
        }
        if self.frame.is_none() {
            (self.frame, self.offset) = (next(), 0);
        }
        if let Some(frame) = &self.frame {
            offer(frame, self.offset, self.width, inputs);
        }
        done
    }

    /// Whether no frame is on its way into the core.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.frame.is_none()
    }

    /// Ends the frame that has begun: the core has been reset.
    pub fn clear(&mut self, inputs: &mut Inputs) {
        self.frame = None;
        inputs.rx_tvalid = 0;
    }
}

/// Puts a beat on the port. Bytes that do not count hold something.
fn offer(frame: &Arrival, offset: usize, width: usize, inputs: &mut Inputs) {
    let rest = &frame.bytes[offset..];
    let bytes = rest.len().min(width);
    let mut data = [0xEE; 8 * DATA_WORDS];
    data[..bytes].copy_from_slice(&rest[..bytes]);
    for (word, bytes) in inputs.rx_tdata.iter_mut().zip(data.chunks_exact(8)).take(width / 8) {
        *word = u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
    }
    let last = rest.len() <= width;
    inputs.rx_tkeep = keep(bytes);
    inputs.rx_tlast = last.into();
    inputs.rx_tuser = u8::from(last && frame.bad);
    inputs.rx_tvalid = 1;
}
