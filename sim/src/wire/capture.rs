//! Capture files: recorded ones are read, the frames of a run are written as pcapng.
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use pcap_file::pcapng::{Block, PcapNgReader, PcapNgWriter};
use pcap_file::DataLink;
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

/// A capture file cannot be read or written.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("capture `{}`: {reason}", path.display())]
pub struct CaptureError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

impl CaptureError {
    fn new(path: &Path, reason: impl ToString) -> Self {
        Self { path: path.into(), reason: reason.to_string() }
    }
}

/// A recorded frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// When, by the clock of the recorder.
    pub time: Duration,
    /// The frame, without FCS.
    pub bytes: Vec<u8>,
}

/// All frames of a pcap or pcapng file, in its order.
///
/// # Errors
/// There is no such file, or it is neither.
pub fn read_capture(path: &Path) -> Result<Vec<Recorded>, CaptureError> {
    let bytes = std::fs::read(path).map_err(|error| CaptureError::new(path, error))?;
    let failed = |error| CaptureError::new(path, error);
    let mut frames = vec![];
    if bytes.starts_with(&[0x0A, 0x0D, 0x0D, 0x0A]) {
        let mut reader = PcapNgReader::new(&bytes[..]).map_err(failed)?;
        while let Some(block) = reader.next_block() {
            if let Block::EnhancedPacket(packet) = block.map_err(failed)? {
                frames.push(Recorded { time: packet.timestamp, bytes: packet.data.into_owned() });
            }
        }
    } else {
        let mut reader = PcapReader::new(&bytes[..]).map_err(failed)?;
        while let Some(packet) = reader.next_packet() {
            let packet = packet.map_err(failed)?;
            frames.push(Recorded { time: packet.timestamp, bytes: packet.data.into_owned() });
        }
    }
    Ok(frames)
}

/// Which way a frame passed the interface that it is recorded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The end has sent it.
    Out,
    /// It was made up, or changed, and goes to the end.
    In,
}

/// Code of the option if_tsresol: timestamps in nanoseconds.
const NANOSECONDS: u8 = 9;

/// A pcapng file that is being written: one interface for each end of the wire, which shows what the end sends.
pub struct CaptureFile {
    path: PathBuf,
    writer: PcapNgWriter<BufWriter<File>>,
    interfaces: u32,
}

impl CaptureFile {
    /// A new file, without interfaces.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(path: &Path) -> Result<Self, CaptureError> {
        let file = File::create(path).map_err(|error| CaptureError::new(path, error))?;
        let writer = PcapNgWriter::new(BufWriter::new(file)).map_err(|error| CaptureError::new(path, error))?;
        Ok(Self { path: path.into(), writer, interfaces: 0 })
    }

    /// Adds the next interface.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add_interface(&mut self, name: &str) -> Result<(), CaptureError> {
        let options = vec![
            InterfaceDescriptionOption::IfName(Cow::Owned(name.to_owned())),
            InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
        ];
        let block = InterfaceDescriptionBlock { linktype: DataLink::ETHERNET, snaplen: 0, options };
        self.writer.write_pcapng_block(block).map_err(|error| CaptureError::new(&self.path, error))?;
        self.interfaces += 1;
        Ok(())
    }

    /// Writes a frame of an interface, with a comment if there is something to say.
    ///
    /// # Errors
    /// The file cannot be written, or has no such interface.
    pub fn write(
        &mut self,
        interface: usize,
        way: Way,
        time: Duration,
        bytes: &[u8],
        comment: &str,
    ) -> Result<(), CaptureError> {
        let direction = if way == Way::In { 1 } else { 2 };
        let mut options = vec![EnhancedPacketOption::Flags(direction)];
        if !comment.is_empty() {
            options.push(EnhancedPacketOption::Comment(Cow::Borrowed(comment)));
        }
        let block = EnhancedPacketBlock {
            interface_id: interface as u32,
            timestamp: time,
            original_len: bytes.len() as u32,
            data: Cow::Borrowed(bytes),
            options,
        };
        self.writer.write_pcapng_block(block).map_err(|error| CaptureError::new(&self.path, error))?;
        Ok(())
    }

    /// Brings everything to the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn flush(&mut self) -> Result<(), CaptureError> {
        self.writer.get_mut().flush().map_err(|error| CaptureError::new(&self.path, error))
    }
}

impl std::fmt::Debug for CaptureFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CaptureFile {{ {}, {} interfaces }}", self.path.display(), self.interfaces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let path = std::env::temp_dir().join(format!("rnic-capture-{}.pcapng", std::process::id()));
        let mut file = CaptureFile::create(&path).unwrap();
        file.add_interface("a").unwrap();
        file.add_interface("b").unwrap();
        let frames = [(0, 20, vec![1; 60]), (1, 5_000_000_040, vec![2; 61]), (0, 5_000_000_041, vec![3; 4198])];
        for (interface, nanoseconds, bytes) in &frames {
            file.write(*interface, Way::Out, Duration::from_nanos(*nanoseconds), bytes, "remark").unwrap();
        }
        assert!(file.write(2, Way::In, Duration::ZERO, &[0], "").is_err(), "no such interface");
        file.flush().unwrap();
        let found = read_capture(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let expected = frames.map(|(_, time, bytes)| Recorded { time: Duration::from_nanos(time), bytes });
        assert_eq!(found, expected);
    }

    #[test]
    fn a_file_that_is_no_capture_is_an_error_with_its_name() {
        let missing = read_capture(Path::new("no/such/file.pcap")).unwrap_err();
        assert!(missing.to_string().contains("no/such/file.pcap"), "{missing}");
        assert!(CaptureFile::create(Path::new("no/such/file.pcapng")).is_err());
        let path = std::env::temp_dir().join(format!("rnic-no-capture-{}", std::process::id()));
        std::fs::write(&path, "text").unwrap();
        let found = read_capture(&path);
        std::fs::remove_file(&path).unwrap();
        assert!(found.is_err());
    }
}
