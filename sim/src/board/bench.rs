//! The board, the cable to its host, and the clock of both.
use super::line::{LineReceiver, LineSender};
use super::model::{Inputs, Model};
use super::phys::Phys;
use crate::random::Random;
use rnic_abi::link::frame::SIMULATED_TICKS_PER_US;
use rnic_driver::Clock;
use rnic_link::{FrameTransport, Link, LinkError, LinkOptions, Lossy, LossyRates, SimulatedWire};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use thiserror::Error;

/// Byte times of a pause of the host.
const PAUSE: u32 = 24;
/// Byte times of reset.
const RESET: u32 = 40;
/// Byte times in which the PHYs must have been asked for everything.
const WAKE: u32 = 40_000;
/// Management reads until both ports are up: status twice and partner of each PHY.
const READS: u64 = 6;

/// Faults of the host link, each from 0 (never) to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// Frames that are lost, arrive twice, arrive behind the next one: this rate of each, in both directions.
    pub lost: f64,
    /// Frames with a bit turned over on the line, in both directions.
    pub damaged: f64,
}

/// Why there is no board.
#[derive(Debug, Error)]
pub enum BoardError {
    /// Its ports do not come up.
    #[error("the PHYs were asked for {0} registers instead of {READS} within {WAKE} byte times: the ports stay down")]
    Down(u64),
    /// The host cannot open a session.
    #[error("the host link does not open: {0}")]
    Link(#[from] LinkError),
}

/// What carries frames between host and board.
pub type BoardTransport = Lossy<SimulatedWire>;
/// The host's end of the link.
pub type BoardLink = Link<BoardTransport, BoardClock>;

/// The board and its end of the cable.
struct Bench {
    model: Model,
    phys: Phys,
    inputs: Inputs,
    sender: LineSender,
    receiver: LineReceiver,
    cable: BoardTransport,
    random: Random,
    damaged: f64,
    buffer: Vec<u8>,
}

impl Bench {
    fn byte_time(&mut self) {
        if self.sender.is_idle() {
            // An error of the cable is the end of the host, who needs no more frames.
            if let Ok(Some(length)) = self.cable.receive(&mut self.buffer) {
                let bit = Self::damage(&mut self.random, self.damaged, 8 * length);
                self.sender.push(&self.buffer[..length], bit);
            }
        }
        self.inputs.b = self.sender.next();
        let outputs = self.model.byte_time(&self.inputs);
        // The loop-back plug.
        self.inputs.a = outputs.a;
        let driven = (outputs.mdio_drive == 1).then_some(outputs.mdio == 1);
        self.inputs.mdio = u8::from(self.phys.see(outputs.mdc == 1, driven));
        let (random, rate) = (&mut self.random, self.damaged);
        if let Some(frame) = self.receiver.take(outputs.b, |bits| Self::damage(random, rate, bits)) {
            // A full cable loses it, as a switch would.
            let _ = self.cable.send(&frame);
        }
    }

    fn damage(random: &mut Random, rate: f64, bits: usize) -> Option<usize> {
        let hit = rate > 0.0 && (random.below(1 << 20) as f64) < rate * f64::from(1 << 20);
        hit.then(|| random.below(bits as u64) as usize)
    }

    fn run(&mut self, byte_times: u32) {
        (0..byte_times).for_each(|_| self.byte_time());
    }
}

/// The simulated time: pauses of the host move it.
#[derive(Clone)]
pub struct BoardClock {
    bench: Rc<RefCell<Bench>>,
}

impl BoardClock {
    /// Cycles of the core so far.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.bench.borrow().model.core_cycles()
    }

    /// Frames that came damaged over the line from the board.
    #[must_use]
    pub fn bad_frames(&self) -> u64 {
        self.bench.borrow().receiver.bad
    }
}

impl Clock for BoardClock {
    fn now(&self) -> Duration {
        Duration::from_nanos(self.cycles() * 1000 / SIMULATED_TICKS_PER_US)
    }

    fn pause(&self) {
        self.bench.borrow_mut().run(PAUSE);
    }
}

/// Powers a board up and opens a session with it.
///
/// # Errors
/// The ports do not come up, or no session begins.
pub fn open(seed: u32, faults: Faults) -> Result<(BoardLink, BoardClock), BoardError> {
    let (host, device) = SimulatedWire::pair();
    let rates = LossyRates { drop: faults.lost, duplicate: faults.lost, swap: faults.lost, ..LossyRates::default() };
    let lossy = |end, way| Lossy::new(end, rates, u64::from(seed) << 1 | way);
    let mut bench = Bench {
        model: Model::new(seed),
        phys: Phys::default(),
        inputs: Inputs { mdio: 1, reset: 1, ..Inputs::default() },
        sender: LineSender::default(),
        receiver: LineReceiver::default(),
        cable: lossy(device, 0),
        random: Random::new(u64::from(seed), 77),
        damaged: faults.damaged,
        buffer: vec![0; 1600],
    };
    bench.run(RESET);
    bench.inputs.reset = 0;
    for _ in 0..WAKE {
        bench.byte_time();
        if bench.phys.reads >= READS {
            break;
        }
    }
    if bench.phys.reads < READS {
        return Err(BoardError::Down(bench.phys.reads));
    }
    // The last answer has to arrive.
    bench.run(2000);
    let clock = BoardClock { bench: Rc::new(RefCell::new(bench)) };
    let options = LinkOptions { seed: Some(seed.into()), ..LinkOptions::default() };
    let link = Link::open(lossy(host, 1), clock.clone(), options)?;
    Ok((link, clock))
}
