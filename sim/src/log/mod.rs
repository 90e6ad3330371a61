//! A readable log of what passes the core's ports: the last transactions for a report, all of them on request.
mod transaction;

pub use transaction::{register_name, Event, Meaning, Transaction};

use std::collections::VecDeque;
use std::fmt;
use std::io::Write;

/// The log of one run.
pub struct Log {
    last: VecDeque<Transaction>,
    depth: usize,
    output: Option<Box<dyn Write>>,
}

impl Log {
    /// Keeps the last `depth` transactions.
    #[must_use]
    pub fn new(depth: usize) -> Self {
        Self { last: VecDeque::with_capacity(depth), depth: depth.max(1), output: None }
    }

    /// Writes every transaction from now on as a line of text, too. A write that fails ends the output.
    pub fn write_to(&mut self, output: Box<dyn Write>) {
        self.output = Some(output);
    }

    /// Adds a transaction.
    pub fn push(&mut self, cycle: u64, event: Event) {
        let transaction = Transaction { cycle, event };
        if let Some(output) = &mut self.output {
            if writeln!(output, "{transaction}").is_err() {
                self.output = None;
            }
        }
        if self.last.len() == self.depth {
            self.last.pop_front();
        }
        self.last.push_back(transaction);
    }

    /// The last transactions, oldest first.
    pub fn last(&self) -> impl DoubleEndedIterator<Item = &Transaction> + ExactSizeIterator {
        self.last.iter()
    }

    /// The last `count` transactions as lines of text.
    #[must_use]
    pub fn tail(&self, count: usize) -> String {
        let skip = self.last.len().saturating_sub(count);
        self.last.iter().skip(skip).map(|transaction| format!("{transaction}\n")).collect()
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("last", &self.last).field("depth", &self.depth).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    #[derive(Clone, Default)]
    struct Shared(Rc<RefCell<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.borrow_mut().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_ring_keeps_the_last_and_the_output_all() {
        let (mut log, output) = (Log::new(3), Shared::default());
        log.write_to(Box::new(output.clone()));
        for vector in 0..5 {
            log.push(10 + u64::from(vector), Event::Interrupt { vector });
        }
        assert_eq!(log.last().map(|transaction| transaction.cycle).collect::<Vec<_>>(), [12, 13, 14]);
        assert_eq!(log.tail(1).lines().count(), 1);
        assert_eq!(String::from_utf8(output.0.take()).unwrap().lines().count(), 5);
    }
}
