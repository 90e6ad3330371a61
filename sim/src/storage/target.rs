//! The target: moves data between its disk and the memory that the initiator has lent it, and answers.
use super::capsule::{response, Command, COMMAND_BYTES};
use super::held::Held;
use super::side::{Kind, Side, Slots};
use super::{others_are_zero, Figures, Settings, StorageError};
use crate::host::PAGE;
use crate::platform::{HostPages, Shared, SimPlatform};
use crate::random::Random;
use rnic_driver::{Again, Completion, Direction, Error, Lkey, Remote, SendRequest, Sge};
use std::collections::VecDeque;
use std::ops::Range;

/// The pages that hold an element: bursts have whole beats.
fn whole_pages(sge: &Sge) -> Range<u64> {
    let end = sge.address + u64::from(sge.length);
    sge.address & !(PAGE - 1)..end.next_multiple_of(PAGE)
}

/// A command being executed.
struct Job {
    command: Command,
    pages: HostPages,
    start: u64,
    held: Held<Lkey>,
    /// Lent to the monitor by hand: behind the local DMA lkey.
    lent: Vec<Range<u64>>,
    moved: bool,
    answered: bool,
}

pub(super) struct Target {
    pub side: Side,
    jobs: Vec<Option<Job>>,
    /// Commands for which there is no slot yet.
    waiting: VecDeque<Command>,
    slots: usize,
    disk: Vec<u8>,
    random: Random,
}

impl Target {
    pub fn new(simulator: &Shared, settings: &Settings) -> Result<Self, StorageError> {
        let slots = settings.depth as usize;
        Ok(Self {
            side: Side::new(simulator, 1, settings, &Slots { local: slots, remote: 0 })?,
            jobs: (0..2 * settings.depth).map(|_| None).collect(),
            waiting: VecDeque::new(),
            slots,
            disk: vec![0; settings.disk as usize],
            random: Random::new(settings.seed, 41),
        })
    }

    pub fn disk(&self) -> &[u8] {
        &self.disk
    }

    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.jobs.iter().all(Option::is_none)
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
        if kind == Kind::Receive {
            let command = Command::decode(&self.side.message::<COMMAND_BYTES>(index));
            let command = command.ok_or(StorageError::Protocol("a message that is no command".into()))?;
            self.side.expect_message(index)?;
            self.waiting.push_back(command);
            self.begin_waiting(figures)?;
            return Ok(true);
        }
        let Some(job) = self.jobs[index as usize].as_mut() else {
            return Err(StorageError::Protocol(format!("{kind:?} for command {index}, which does not run")));
        };
        match kind {
            Kind::Data => {
                job.moved = true;
                let mut data = vec![0; job.command.length as usize];
                job.pages.region().read(job.start, &mut data);
                self.disk[job.command.offset as usize..][..data.len()].copy_from_slice(&data);
                figures.mismatches += u64::from(!others_are_zero(&job.pages, job.start, data.len() as u64));
                self.answer(index)?;
            }
            Kind::Send => (job.moved, job.answered) = (true, true),
            Kind::Receive | Kind::Unmap => {}
        }
        self.go_on(index, figures)?;
        Ok(true)
    }

    /// Begins the commands that wait, as far as there are slots for them.
    fn begin_waiting(&mut self, figures: &mut Figures) -> Result<(), StorageError> {
        while let Some(command) = self.waiting.front().copied() {
            if !self.begin(command, figures)? {
                break;
            }
            self.waiting.pop_front();
        }
        Ok(())
    }

    /// Begins to move the data of a command; false if it must wait. A command whose response has not been acknowledged holds
    /// its place, and perhaps its slot, though its tag may be in use again.
    fn begin(&mut self, command: Command, figures: &mut Figures) -> Result<bool, StorageError> {
        let Some(index) = self.jobs.iter().position(Option::is_none) else { return Ok(false) };
        let slot = match self.side.pool.lkey_slot() {
            Ok(slot) => slot,
            Err(Error::Again(Again::Slot)) => {
                // F20: only when all slots are taken.
                figures.eagain += u64::from(self.side.pool.taken().0 < self.slots);
                figures.waits += 1;
                return Ok(false);
            }
            Err(error) => return Err(error.into()),
        };
        let start = if self.random.chance(50) { self.random.below(4096) & !3 } else { 0 };
        let pages = HostPages::new(start + u64::from(command.length), 12);
        let memory = pages.part(start..start + u64::from(command.length));
        let direction = if command.write { Direction::FromDevice } else { Direction::ToDevice };
        let max_sge = usize::from(self.side.device.capabilities().max_sge);
        let mut map = slot.make_sge(&memory, direction, max_sge).map_err(|kept| kept.error)?;
        let lent = match map.is_registered() {
            true => vec![],
            false => map.sges().iter().map(whole_pages).collect(),
        };
        lent.iter().for_each(|range| self.side.lend(range.clone()));
        let remote = Remote { address: command.address, rkey: command.rkey };
        let posted = if command.write {
            map.post([SendRequest::read(Kind::Data.wr_id(index as u32), map.sges(), remote)])
        } else {
            let data = &self.disk[command.offset as usize..][..command.length as usize];
            pages.region().write(start, data);
            let write = SendRequest::write(Kind::Send.wr_id(index as u32), map.sges(), remote).unsignaled();
            map.post([write, self.response(index as u32, &command)])
        };
        posted.map_err(|bad| bad.error)?;
        let counter = if map.is_registered() { &mut figures.registrations } else { &mut figures.plain };
        *counter += 1;
        let held = Held::Live(map);
        self.jobs[index] = Some(Job { command, pages, start, held, lent, moved: false, answered: false });
        Ok(true)
    }

    fn response(&self, index: u32, command: &Command) -> SendRequest<SimPlatform> {
        let sge = self.side.write_message(index, &response(command.tag));
        let wr_id = Kind::Send.wr_id(index);
        match command.invalidate {
            true => SendRequest::send_inv(wr_id, [sge], command.rkey),
            false => SendRequest::send(wr_id, [sge]),
        }
    }

    fn answer(&mut self, index: u32) -> Result<(), StorageError> {
        let job = self.jobs[index as usize].as_ref().expect("a command that is answered");
        let response = self.response(index, &job.command);
        Ok(self.side.qp.post_send(response).map_err(|bad| bad.error)?)
    }

    /// Ends the mapping as soon as the data have moved; the command is over when it is answered too.
    fn go_on(&mut self, index: u32, figures: &mut Figures) -> Result<(), StorageError> {
        let job = self.jobs[index as usize].as_mut().expect("a command that goes on");
        if job.moved {
            if let Held::Live(map) = &job.held {
                figures.invalidated_by_us += u64::from(map.is_registered());
                job.held.unmap(Kind::Unmap.wr_id(index))?;
            }
        }
        if job.held.finish()? && job.answered {
            job.lent.iter().for_each(|range| self.side.take_back(range));
            self.jobs[index as usize] = None;
        }
        self.begin_waiting(figures)
    }

    /// Ends the mappings of all commands after the queue pair has been reset, and forgets the commands.
    pub fn end_mappings(&mut self) -> Result<(), StorageError> {
        self.waiting.clear();
        for mut job in self.jobs.iter_mut().filter_map(Option::take) {
            job.held.end_after_reset()?;
            job.lent.iter().for_each(|range| self.side.take_back(range));
        }
        Ok(())
    }

    /// What runs, for a report.
    pub fn state(&self) -> String {
        let text = self.jobs.iter().flatten().map(|Job { command, moved, answered, .. }| {
            format!(
                "command {}: write {}, {} bytes, moved {moved}, answered {answered}\n",
                command.tag, command.write, command.length
            )
        });
        text.collect()
    }
}
