//! A storage protocol over two simulated NICs, in the manner of NVMe over fabrics and iSER: the proof of the driver's flows.
//!
//! The initiator registers the memory of an I/O and sends a command with its key. The target reads or writes that memory,
//! answers, and takes the key away with its answer; now and then it does not, and the initiator does it. Sizes, places and
//! scatter lists are random; frames are lost, I/Os are aborted in mid-transfer, the connection is lost and made anew. Every byte
//! is compared.
mod capsule;
mod held;
mod initiator;
mod side;
mod target;

use crate::platform::{HostPages, Shared};
use crate::random::Random;
use crate::simulator::{SimError, Simulator};
use crate::wire::{Chances, WireSettings};
use crate::Variant;
use initiator::Initiator;
use rnic_driver::{Error, PostError};
use serde::Serialize;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use target::Target;
use thiserror::Error as ThisError;

/// What a run is to be.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which core.
    pub variant: Variant,
    /// Decides everything random.
    pub seed: u64,
    /// I/Os to complete.
    pub ios: u32,
    /// I/Os in flight.
    pub depth: u32,
    /// Random faults of the wire.
    pub chances: Chances,
    /// Percent of I/Os that are aborted in mid-transfer.
    pub aborts: u8,
    /// The connection is lost, and made anew, after each so many I/Os; 0 for never.
    pub reconnect_every: u32,
    /// Bytes of the disk, a multiple of 512.
    pub disk: u64,
    /// Most bytes of an I/O, a multiple of 512.
    pub largest: u64,
    /// FST trace of all signals.
    pub trace: Option<PathBuf>,
    /// Capture of all frames.
    pub pcap: Option<PathBuf>,
}

impl Default for Settings {
    /// 1,000 I/Os, 32 in flight, 2 % of the frames lost.
    fn default() -> Self {
        Self {
            variant: Variant::Small,
            seed: 1,
            ios: 1000,
            depth: 32,
            chances: Chances { loss: 20, ..Chances::default() },
            aborts: 1,
            reconnect_every: 400,
            disk: 1 << 20,
            largest: 32 << 10,
            trace: None,
            pcap: None,
        }
    }
}

/// What is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// I/Os done.
    pub ios: u64,
    /// Bytes of those.
    pub bytes: u64,
    /// Registrations of both sides.
    pub registrations: u64,
    /// Mappings of the target that needed none.
    pub plain: u64,
    /// Keys that the target has taken away with its answer.
    pub invalidated_by_peer: u64,
    /// Keys that the side which registered them has taken away.
    pub invalidated_by_us: u64,
    /// Times that a command waited because all slots of the target were taken.
    pub waits: u64,
    /// Slots refused although not all were taken: beyond the bound of F20.
    pub eagain: u64,
    /// I/Os aborted in mid-transfer.
    pub aborts: u64,
    /// Connections made after the first.
    pub reconnects: u64,
    /// I/Os issued again on a new connection.
    pub repeated: u64,
    /// I/Os whose bytes were not what they should have been.
    pub mismatches: u64,
}

/// What has come of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// No mismatch, nothing beyond a bound, nothing left.
    pub passed: bool,
    /// Always `storage`.
    pub scenario: &'static str,
    /// The preset.
    pub preset: &'static str,
    /// The seed.
    pub seed: u64,
    /// I/Os in flight.
    pub depth: u32,
    /// Cycles of the whole run.
    pub cycles: u64,
    /// I/Os in a million cycles.
    pub ios_per_million_cycles: f64,
    /// The counts.
    #[serde(flatten)]
    pub figures: Figures,
    /// Frames that the wire has lost.
    pub lost_frames: u64,
    /// Lists of application memory that a device can still reach.
    pub mappings_left: usize,
    /// Memory regions that are still allocated.
    pub regions_left: usize,
    /// The disk holds what the initiator has written.
    pub disk_verified: bool,
}

/// Why a run could not go on.
#[derive(Debug, ThisError)]
pub enum StorageError {
    /// The driver.
    #[error(transparent)]
    Driver(#[from] Error),
    /// A request could not be posted.
    #[error(transparent)]
    Post(#[from] PostError),
    /// The simulation.
    #[error(transparent)]
    Simulation(#[from] SimError),
    /// A message or a key that cannot be.
    #[error("protocol: {0}")]
    Protocol(String),
    /// Nothing goes on.
    #[error("stuck: {0}")]
    Stuck(String),
}

/// Polls without any progress after which a run is given up: much longer than all retries of a connection take.
const PATIENCE: u32 = 400_000;

/// No byte of the memory was written but those of the I/O: the rest is as it was made.
fn others_are_zero(pages: &HostPages, start: u64, length: u64) -> bool {
    let region = pages.region();
    let mut bytes = vec![0; region.bytes() as usize];
    region.read(0, &mut bytes);
    let (before, after) = (&bytes[..start as usize], &bytes[(start + length) as usize..]);
    before.iter().chain(after).all(|byte| *byte == 0)
}

/// A run.
struct Run {
    simulator: Shared,
    initiator: Initiator,
    target: Target,
    settings: Settings,
    figures: Figures,
    random: Random,
    /// I/Os after which the connection is lost next.
    next_loss: u64,
}

/// Runs the protocol; `progress` is told the number of I/Os done, now and then.
///
/// # Errors
/// Something of the device, the driver or the simulation that no fault on the wire excuses.
pub fn run(settings: &Settings, mut progress: impl FnMut(u64)) -> Result<Report, StorageError> {
    let wire = WireSettings { seed: settings.seed, delay: 20, chances: settings.chances, ..WireSettings::default() };
    let simulator: Shared = Rc::new(RefCell::new(Simulator::new(&crate::Settings {
        variant: settings.variant,
        seed: settings.seed,
        nics: vec!["initiator".into(), "target".into()],
        wire,
        trace: settings.trace.clone(),
        pcap: settings.pcap.clone(),
        ..crate::Settings::default()
    })?));
    let report = Run::new(&simulator, settings).and_then(|run| run.go(&mut progress));
    // The monitor's finding is worth more than what the driver made of it.
    if let Some(failure) = simulator.borrow().failure().cloned() {
        return Err(failure.into());
    }
    report
}

impl Run {
    fn new(simulator: &Shared, settings: &Settings) -> Result<Self, StorageError> {
        let mut run = Self {
            simulator: simulator.clone(),
            initiator: Initiator::new(simulator, settings)?,
            target: Target::new(simulator, settings)?,
            settings: settings.clone(),
            figures: Figures::default(),
            random: Random::new(settings.seed, 42),
            next_loss: settings.reconnect_every.into(),
        };
        run.connect()?;
        Ok(run)
    }

    fn connect(&mut self) -> Result<(), StorageError> {
        let (ours, theirs) = (self.initiator.side.endpoint()?, self.target.side.endpoint()?);
        // The target first, so that it is ready for the first command.
        self.target.side.connect(&theirs, &ours)?;
        self.initiator.side.connect(&ours, &theirs)
    }

    fn go(mut self, progress: &mut impl FnMut(u64)) -> Result<Report, StorageError> {
        let mut idle = 0;
        while self.figures.ios < self.settings.ios.into() || !self.target.is_idle() {
            let mut moved = self.initiator.fill(&mut self.figures)?;
            let (polled, mut healthy) = self.poll()?;
            moved |= polled;
            self.initiator.abort(&mut self.figures)?;
            if self.settings.reconnect_every > 0 && self.figures.ios >= self.next_loss {
                self.next_loss += u64::from(self.settings.reconnect_every);
                healthy = false;
            }
            if !healthy || self.initiator.has_abort() {
                self.reconnect()?;
                moved = true;
            }
            if moved {
                idle = 0;
                progress(self.figures.ios);
                continue;
            }
            idle += 1;
            if idle > PATIENCE {
                let state = self.initiator.state() + &self.target.state();
                return Err(StorageError::Stuck(format!("no completion for {PATIENCE} polls\n{state}")));
            }
            rnic_driver::Clock::pause(&self.initiator.side.device.platform().clock);
        }
        self.report()
    }

    /// Takes what is in the completion queues: whether there was something, and whether the connection is healthy.
    fn poll(&mut self) -> Result<(bool, bool), StorageError> {
        let (mut found, mut healthy) = (false, true);
        while let Some(completion) = self.initiator.side.poll()? {
            found = true;
            healthy &= self.initiator.complete(&completion, &mut self.figures)?;
        }
        while let Some(completion) = self.target.side.poll()? {
            found = true;
            healthy &= self.target.complete(&completion, &mut self.figures)?;
        }
        Ok((found, healthy))
    }

    /// Ends the connection in the middle of whatever goes on, one side after the other, and makes a new one.
    fn reconnect(&mut self) -> Result<(), StorageError> {
        let first = self.random.chance(50);
        for initiator in [first, !first] {
            let side = if initiator { &self.initiator.side } else { &self.target.side };
            side.qp.recover()?;
        }
        self.initiator.end_mappings()?;
        self.target.end_mappings()?;
        self.figures.reconnects += 1;
        self.connect()?;
        self.initiator.repeat(&mut self.figures)
    }

    fn report(self) -> Result<Report, StorageError> {
        let Run { simulator, initiator, target, settings, figures, .. } = self;
        let cycles = simulator.borrow().cycle();
        let disk_verified = initiator.disk() == target.disk();
        let mappings_left = initiator.side.mapped() + target.side.mapped();
        let (initiator, target) = (initiator.side, target.side);
        let mut regions_left = 0;
        for side in [initiator, target] {
            regions_left += side.close()?;
        }
        let lost_frames = {
            let simulator = simulator.borrow();
            simulator.nics().iter().map(|nic| simulator.wire().counters(nic.end()).lost).sum()
        };
        simulator.borrow_mut().finish()?;
        let clean = mappings_left == 0 && regions_left == 0 && figures.mismatches == 0 && figures.eagain == 0;
        Ok(Report {
            passed: clean && disk_verified && figures.ios == u64::from(settings.ios),
            scenario: "storage",
            preset: settings.variant.preset().name,
            seed: settings.seed,
            depth: settings.depth,
            cycles,
            ios_per_million_cycles: figures.ios as f64 * 1e6 / cycles as f64,
            figures,
            lost_frames,
            mappings_left,
            regions_left,
            disk_verified,
        })
    }
}
