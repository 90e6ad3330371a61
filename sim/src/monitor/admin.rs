//! Learns from the BAR what the driver makes and destroys.
use rnic_abi::admin::{Command, COMMAND_WORDS};
use rnic_abi::register::{
    admin_command, ADMIN_STATUS, ADMIN_STATUS_DONE, ADMIN_STATUS_ERRNO, ADMIN_STATUS_TOKEN, GO, GO_OPCODE, GO_TOKEN,
};

/// An admin command as it was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Started {
    pub command: Command,
    pub words: [u32; COMMAND_WORDS],
    token: u32,
}

/// A change of the command's life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It begins: from here on the device may act.
    Begun(Started),
    /// The driver has read how it ended.
    Ended(Started, bool),
}

/// The mailbox as seen from outside.
#[derive(Debug)]
pub(super) struct Mailbox {
    words: [u32; COMMAND_WORDS],
    running: Option<Started>,
}

impl Mailbox {
    pub fn new() -> Self {
        Self { words: [0; COMMAND_WORDS], running: None }
    }

    /// A write of GO begins.
    pub fn go(&mut self, value: u32) -> Option<Change> {
        let command = Command::from_u8(GO_OPCODE.get(value) as u8)?;
        let started = Started { command, words: self.words, token: GO_TOKEN.get(value) };
        self.running = Some(started.clone());
        Some(Change::Begun(started))
    }

    /// A write of the BAR has ended well, or a write of GO was refused.
    pub fn written(&mut self, offset: u32, value: u32, accepted: bool) -> Option<Change> {
        let first = admin_command(0);
        if offset == GO && !accepted {
            return self.running.take().map(|started| Change::Ended(started, false));
        }
        if accepted && (first..admin_command(COMMAND_WORDS as u32)).contains(&offset) {
            self.words[((offset - first) / 4) as usize] = value;
        }
        None
    }

    /// A register was read.
    pub fn read(&mut self, offset: u32, value: u32) -> Option<Change> {
        let done = offset == ADMIN_STATUS && ADMIN_STATUS_DONE.is_set(value);
        let started = self.running.take_if(|started| done && started.token == ADMIN_STATUS_TOKEN.get(value))?;
        Some(Change::Ended(started, ADMIN_STATUS_ERRNO.get(value) == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_runs_from_go_until_its_end_is_read() {
        let mut mailbox = Mailbox::new();
        mailbox.written(admin_command(0), 7, true);
        mailbox.written(admin_command(1), 8, false);
        let Some(Change::Begun(started)) =
            mailbox.go(GO_OPCODE.put(Command::DestroyCq.code().into()) | GO_TOKEN.put(5))
        else {
            panic!("not begun")
        };
        assert_eq!((started.command, started.words[0], started.words[1]), (Command::DestroyCq, 7, 0));
        let status = |token| ADMIN_STATUS_DONE.put(1) | ADMIN_STATUS_TOKEN.put(token);
        assert_eq!(mailbox.read(ADMIN_STATUS, status(4)), None);
        assert_eq!(mailbox.read(ADMIN_STATUS, ADMIN_STATUS_TOKEN.put(5)), None);
        assert_eq!(mailbox.read(ADMIN_STATUS, status(5)), Some(Change::Ended(started, true)));
        assert_eq!(mailbox.read(ADMIN_STATUS, status(5)), None);
    }

    #[test]
    fn a_refused_go_ends_at_once() {
        let mut mailbox = Mailbox::new();
        mailbox.go(Command::DestroyCq.code().into());
        assert!(matches!(mailbox.written(GO, 0, false), Some(Change::Ended(_, false))));
        assert_eq!(mailbox.go(0xFF), None);
    }
}
