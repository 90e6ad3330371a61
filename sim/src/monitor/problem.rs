//! What a check of the monitor finds.
use std::fmt;

/// A broken rule, before it is known when and around what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub rule: &'static str,
    pub text: String,
}

/// Answers a [`Problem`] unless the condition holds.
macro_rules! check {
    ($condition:expr, $rule:literal, $($text:tt)+) => {
        if !$condition {
            return Err($crate::monitor::problem::Problem { rule: $rule, text: format!($($text)+) });
        }
    };
}
pub(super) use check;

/// A rule that the device has broken, seen from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Cycle in which it was seen.
    pub cycle: u64,
    /// The rule or invariant.
    pub rule: &'static str,
    /// What happened, with the transaction.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cycle {}: {} broken: {}", self.cycle, self.rule, self.text)
    }
}
