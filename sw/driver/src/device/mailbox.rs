//! The admin mailbox: one command at a time, words then GO, answer by polling.
//!
//! Register writes are what a command costs, so the mailbox remembers what the command words hold and writes only those that differ.

use std::time::Duration;

use rnic_abi::{admin, register as reg};

use super::register::read;
use crate::errno::Errno;
use crate::error::{Error, Invalid, Protocol, Wait};
use crate::platform::{Bar, Clock, Platform};

/// Command words that the mailbox has.
pub(crate) const COMMAND_WORDS: usize = admin::COMMAND_WORDS;
/// Answer words that the mailbox has.
pub(crate) const ANSWER_WORDS: usize = admin::ANSWER_WORDS;

/// State of the driver's side of the mailbox.
#[derive(Debug)]
pub(crate) struct Mailbox {
    /// What each command word holds, where the driver knows.
    words: [Option<u32>; COMMAND_WORDS],
    /// Token of the last command; tells its answer from that of an earlier one that was given up.
    token: u16,
    /// A command was given up and may still run.
    abandoned: bool,
    /// The longest wait for one answer.
    limit: Duration,
}

impl Mailbox {
    pub(crate) fn new(limit: Duration) -> Mailbox {
        Mailbox { words: [None; COMMAND_WORDS], token: 0, abandoned: false, limit }
    }

    /// Forgets what the command words hold: a tool has written registers.
    pub(crate) fn forget(&mut self) {
        self.words = [None; COMMAND_WORDS];
    }

    /// Runs one command and reads `answers` answer words.
    pub(crate) fn run<P: Platform>(
        &mut self,
        platform: &P,
        opcode: u8,
        words: &[u32],
        answers: usize,
    ) -> Result<[u32; ANSWER_WORDS], Error> {
        if words.len() > COMMAND_WORDS {
            return Err(Error::Invalid(Invalid::CommandLength));
        }
        let bar = platform.bar();
        self.await_free(platform)?;
        for (index, known) in self.words.iter_mut().enumerate() {
            let word = words.get(index).copied().unwrap_or(0);
            if *known != Some(word) {
                // Unknown until the write has succeeded.
                *known = None;
                bar.write(reg::admin_command(index as u32), word)?;
                *known = Some(word);
            }
        }
        self.token = self.token.wrapping_add(1);
        bar.write(reg::GO, reg::GO_OPCODE.put(opcode.into()) | reg::GO_TOKEN.put(self.token.into()))?;
        self.await_answer(platform, opcode)?;
        let mut answer = [0; ANSWER_WORDS];
        for (index, word) in answer.iter_mut().enumerate().take(answers) {
            *word = read(bar, reg::admin_answer(index as u32))?;
        }
        Ok(answer)
    }

    /// After a command was given up, waits until the device no longer runs it: it would refuse our writes.
    fn await_free<P: Platform>(&mut self, platform: &P) -> Result<(), Error> {
        if self.abandoned {
            wait_until(platform.clock(), self.limit, Wait::MailboxFree, || {
                Ok(!reg::ADMIN_STATUS_BUSY.is_set(read(platform.bar(), reg::ADMIN_STATUS)?))
            })?;
            self.abandoned = false;
        }
        Ok(())
    }

    fn await_answer<P: Platform>(&mut self, platform: &P, opcode: u8) -> Result<(), Error> {
        let token = u32::from(self.token);
        let mut status = 0;
        let answered = wait_until(platform.clock(), self.limit, Wait::AdminCommand(opcode), || {
            status = read(platform.bar(), reg::ADMIN_STATUS)?;
            Ok(reg::ADMIN_STATUS_DONE.is_set(status) && reg::ADMIN_STATUS_TOKEN.get(status) == token)
        });
        self.abandoned = answered.is_err();
        answered?;
        match reg::ADMIN_STATUS_ERRNO.get(status) as u8 {
            0 => Ok(()),
            number => match Errno::from_number(number) {
                Some(errno) => Err(Error::Admin { opcode, errno }),
                None => Err(Error::Protocol(Protocol::AdminErrno { errno: number })),
            },
        }
    }
}

/// Polls `condition`, with a pause between two polls, until it holds or `limit` has passed.
pub(crate) fn wait_until<C: Clock>(
    clock: &C,
    limit: Duration,
    what: Wait,
    mut condition: impl FnMut() -> Result<bool, Error>,
) -> Result<(), Error> {
    let start = clock.now();
    loop {
        if condition()? {
            return Ok(());
        }
        // The condition is polled once more after the limit, so a long pause cannot turn success into a timeout.
        if clock.now().saturating_sub(start) > limit {
            return if condition()? { Ok(()) } else { Err(Error::Timeout(what)) };
        }
        clock.pause();
    }
}
