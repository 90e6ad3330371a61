//! The initiator: asks for I/Os, lends its memory to the target by a key, and looks at every byte that comes back.
use super::capsule::{response_tag, Command, COMMAND_BYTES, RESPONSE_BYTES};
use super::held::Held;
use super::side::{Kind, Side, Slots};
use super::{others_are_zero, Figures, Settings, StorageError};
use crate::platform::{HostPages, Shared, SimPlatform};
use crate::random::Random;
use rnic_driver::{Access, Again, Completion, Error, Rkey, SendRequest};

/// One I/O in flight.
struct Io {
    write: bool,
    offset: u64,
    length: u32,
    /// The target is to take the key away; else we do.
    invalidate: bool,
    /// What is written, or what a read must bring.
    data: Vec<u8>,
    pages: HostPages,
    /// Where in the pages the memory begins.
    start: u64,
    held: Held<Rkey>,
    rkey: u32,
    sent: bool,
    answered: bool,
    /// Take the key away in mid-transfer, after so many further polls.
    abort_in: Option<u32>,
    aborted: bool,
}

pub(super) struct Initiator {
    pub side: Side,
    ios: Vec<Option<Io>>,
    /// What the disk must hold.
    disk: Vec<u8>,
    random: Random,
    settings: Settings,
    started: u32,
}

impl Initiator {
    pub fn new(simulator: &Shared, settings: &Settings) -> Result<Self, StorageError> {
        let slots = Slots { local: 0, remote: settings.depth as usize };
        Ok(Self {
            side: Side::new(simulator, 0, settings, &slots)?,
            ios: (0..settings.depth).map(|_| None).collect(),
            disk: vec![0; settings.disk as usize],
            random: Random::new(settings.seed, 40),
            settings: settings.clone(),
            started: 0,
        })
    }

    pub fn disk(&self) -> &[u8] {
        &self.disk
    }

    /// Starts I/Os until the queue is full or all have been started.
    pub fn fill(&mut self, figures: &mut Figures) -> Result<bool, StorageError> {
        let mut progress = false;
        while self.started < self.settings.ios {
            let Some(tag) = self.ios.iter().position(Option::is_none) else { break };
            let Some(io) = self.choose() else { break };
            self.ios[tag] = Some(io);
            self.started += 1;
            self.issue(tag as u32, figures)?;
            progress = true;
        }
        Ok(progress)
    }

    /// A random piece of the disk that no I/O in flight touches, and random memory for it.
    fn choose(&mut self) -> Option<Io> {
        let random = &mut self.random;
        let blocks = match random.below(10) {
            0..=3 => 1,
            4..=7 => 1 + random.below(16),
            _ => 1 + random.below(self.settings.largest / BLOCK),
        };
        let length = blocks * BLOCK;
        let offset = random.below((self.settings.disk - length) / BLOCK + 1) * BLOCK;
        let clash = |io: &Io| io.offset < offset + length && offset < io.offset + u64::from(io.length);
        if self.ios.iter().flatten().any(clash) {
            return None;
        }
        let write = random.chance(50);
        let data = match write {
            true => (0..length).map(|_| random.next() as u8).collect(),
            false => self.disk[offset as usize..(offset + length) as usize].to_vec(),
        };
        // Any byte of a page may be the first.
        let start = if random.chance(50) { random.below(4096) & !3 } else { 0 };
        let pages = HostPages::new(start + length, 12);
        let invalidate = !random.chance(20);
        let abort_in = random.chance(self.settings.aborts).then(|| 1 + random.below(200) as u32);
        Some(Io {
            write,
            offset,
            length: length as u32,
            invalidate,
            data,
            pages,
            start,
            held: Held::Over,
            rkey: 0,
            sent: false,
            answered: false,
            abort_in,
            aborted: false,
        })
    }

    /// Lends the memory and sends the command.
    fn issue(&mut self, tag: u32, figures: &mut Figures) -> Result<(), StorageError> {
        let io = self.ios[tag as usize].as_mut().expect("an I/O to issue");
        let slot = match self.side.pool.rkey_slot() {
            Ok(slot) => slot,
            Err(error) => {
                figures.eagain += u64::from(error == Error::Again(Again::Slot));
                return Err(error.into());
            }
        };
        // A read must bring all of its bytes, so none of them is there before.
        let before = if io.write { io.data.clone() } else { io.data.iter().map(|byte| !byte).collect() };
        io.pages.region().write(io.start, &before);
        let memory = io.pages.part(io.start..io.start + u64::from(io.length));
        let access = if io.write { Access::REMOTE_READ } else { Access::REMOTE_WRITE };
        let mut map = slot.make_remote(&memory, access).map_err(|kept| kept.error)?;
        (io.rkey, io.sent, io.answered, io.aborted) = (map.rkey(), false, false, false);
        let command = Command {
            tag,
            write: io.write,
            invalidate: io.invalidate,
            offset: io.offset,
            length: io.length,
            address: map.remote().address,
            rkey: io.rkey,
        };
        let sge = self.side.write_message(tag, &command.encode());
        debug_assert_eq!(sge.length as usize, COMMAND_BYTES);
        map.post([SendRequest::send(Kind::Send.wr_id(tag), [sge])]).map_err(|bad| bad.error)?;
        figures.registrations += 1;
        io.held = Held::Live(map);
        Ok(())
    }

    /// Takes one completion; false when it says that the connection is broken.
    pub fn complete(
        &mut self,
        completion: &Completion<SimPlatform>,
        figures: &mut Figures,
    ) -> Result<bool, StorageError> {
        if !completion.is_success() {
            return Ok(false);
        }
        let (kind, index) = Kind::of(completion.wr_id);
        let tag = match kind {
            Kind::Receive => {
                let tag = response_tag(&self.side.message::<RESPONSE_BYTES>(index));
                self.side.expect_message(index)?;
                let tag = tag.filter(|tag| (*tag as usize) < self.ios.len());
                tag.ok_or(StorageError::Protocol("a message that is no response".into()))?
            }
            _ => index,
        };
        let Some(io) = self.ios[tag as usize].as_mut() else {
            return Err(StorageError::Protocol(format!("{kind:?} for I/O {tag}, which is not in flight")));
        };
        match kind {
            Kind::Receive => {
                io.answered = true;
                self.check_key(tag, completion.invalidated_key, figures)?;
            }
            Kind::Send => io.sent = true,
            Kind::Data | Kind::Unmap => {}
        }
        self.go_on(tag, figures)?;
        Ok(true)
    }

    /// C18: the key that the peer has taken away must be the one of this I/O; nothing is guessed.
    fn check_key(&mut self, tag: u32, key: Option<u32>, figures: &mut Figures) -> Result<(), StorageError> {
        let io = self.ios[tag as usize].as_ref().expect("an I/O that was answered");
        if key != io.invalidate.then_some(io.rkey) {
            let text = format!("the target invalidated {key:x?} with the response to the I/O with key {:#x}", io.rkey);
            return Err(StorageError::Protocol(text));
        }
        figures.invalidated_by_peer += u64::from(key.is_some());
        Ok(())
    }

    /// An I/O whose command is acknowledged and answered ends when nobody can reach its memory any more.
    fn go_on(&mut self, tag: u32, figures: &mut Figures) -> Result<(), StorageError> {
        let io = self.ios[tag as usize].as_mut().expect("an I/O that goes on");
        if io.sent && io.answered && matches!(io.held, Held::Live(_)) {
            figures.invalidated_by_us += u64::from(!io.invalidate);
            io.held.unmap(Kind::Unmap.wr_id(tag))?;
        }
        if !io.held.finish()? || !(io.sent && io.answered) {
            return Ok(());
        }
        let io = self.ios[tag as usize].take().expect("an I/O that is done");
        let mut found = vec![0; io.length as usize];
        io.pages.region().read(io.start, &mut found);
        let others = others_are_zero(&io.pages, io.start, io.length.into());
        figures.mismatches += u64::from(found != io.data || !others);
        if io.write {
            self.disk[io.offset as usize..][..io.data.len()].copy_from_slice(&io.data);
        }
        figures.ios += 1;
        figures.bytes += u64::from(io.length);
        Ok(())
    }

    /// Takes keys away in mid-transfer, as a timeout of an upper layer would.
    pub fn abort(&mut self, figures: &mut Figures) -> Result<(), StorageError> {
        for (tag, io) in self.ios.iter_mut().enumerate() {
            let Some(io) = io else { continue };
            let Some(left) = io.abort_in.filter(|_| io.sent && !io.answered && matches!(io.held, Held::Live(_))) else {
                continue;
            };
            io.abort_in = left.checked_sub(1);
            if left == 0 {
                io.aborted = true;
                figures.aborts += 1;
                figures.invalidated_by_us += 1;
                io.held.unmap(Kind::Unmap.wr_id(tag as u32))?;
            }
        }
        Ok(())
    }

    /// An I/O was aborted and its key is gone: the connection is of no use any more for it.
    pub fn has_abort(&self) -> bool {
        self.ios.iter().flatten().any(|io| io.aborted && !io.answered && matches!(io.held, Held::Over))
    }

    /// Ends the mappings of all I/Os in flight after the queue pair has been reset.
    pub fn end_mappings(&mut self) -> Result<(), StorageError> {
        self.ios.iter_mut().flatten().try_for_each(|io| io.held.end_after_reset())
    }

    /// Issues them again on the new connection.
    pub fn repeat(&mut self, figures: &mut Figures) -> Result<(), StorageError> {
        for tag in 0..self.ios.len() as u32 {
            if let Some(io) = &mut self.ios[tag as usize] {
                io.abort_in = None;
                figures.repeated += 1;
                self.issue(tag, figures)?;
            }
        }
        Ok(())
    }

    /// What is in flight, for a report.
    pub fn state(&self) -> String {
        let ios = self.ios.iter().enumerate().filter_map(|(tag, io)| Some((tag, io.as_ref()?)));
        let text = ios.map(|(tag, io)| {
            let Io { write, length, sent, answered, aborted, .. } = io;
            format!("I/O {tag}: write {write}, {length} bytes, sent {sent}, answered {answered}, aborted {aborted}\n")
        });
        text.collect()
    }
}

/// Bytes of a block.
const BLOCK: u64 = 512;
