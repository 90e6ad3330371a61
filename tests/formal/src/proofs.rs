//! The list of proofs: block, property file, method, depth, debug ports.
use crate::debug::{wire, word, Debug};

/// How a proof is led.
#[derive(Debug, Clone, Copy)]
pub enum Method {
    /// k-induction: holds for ever.
    Induction(usize),
    /// A window of so many cycles from any state of the flip-flops: holds for ever, for blocks that forget within the window.
    Window(usize),
    /// From reset, so many cycles and no further.
    Bounded(usize),
}

impl Method {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::Induction(_) => "induction",
            Method::Window(_) => "window",
            Method::Bounded(_) => "bounded",
        }
    }

    /// Its cycles.
    pub fn depth(self) -> usize {
        match self {
            Method::Induction(depth) | Method::Window(depth) | Method::Bounded(depth) => depth,
        }
    }

    /// Arguments of yosys-smtbmc. A clocked assertion is judged in the step after its cycle, hence one more step.
    pub fn calls(self) -> Vec<Vec<String>> {
        let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
        let steps = self.steps();
        match self {
            Method::Induction(k) => vec![words(&["-t", &steps]), words(&["-i", "-t", &k.to_string()])],
            _ => vec![words(&["-t", &steps])],
        }
    }

    fn steps(self) -> String {
        match self {
            Method::Induction(depth) | Method::Bounded(depth) => (depth + 1).to_string(),
            Method::Window(depth) => format!("{depth}:{}", depth + 1),
        }
    }
}

/// One proof.
#[derive(Debug)]
pub struct Proof {
    /// `block/what`.
    pub name: &'static str,
    /// Block as `rnic check` calls it.
    pub block: &'static str,
    /// The property file.
    pub text: &'static str,
    /// How.
    pub method: Method,
    /// Steps within which covers are reached and mutants found.
    pub search: usize,
    /// What it looks at inside.
    pub debug: &'static [Debug],
}

impl Proof {
    /// The properties without those that only make an induction work (`link_...`): a mutant must break one of the others.
    pub fn without_links(&self) -> String {
        self.text.lines().filter(|line| !line.contains("link_")).flat_map(|line| [line, "\n"]).collect()
    }

    /// Steps of the search for covers and for a mutant's counterexample.
    pub fn search_range(&self) -> String {
        match self.method {
            Method::Window(_) => self.method.steps(),
            _ => self.search.to_string(),
        }
    }
}

/// All proofs.
pub const PROOFS: &[Proof] = &[
    Proof {
        name: "widgets/fifo",
        block: "widgets/fifo",
        text: include_str!("../fifo.sv"),
        method: Method::Induction(4),
        search: 20,
        debug: &[
            wire("top$fifo", "dbg_head", 3, "head$q"),
            wire("top$fifo", "dbg_tail", 3, "tail$q"),
            wire("top$fifo", "dbg_shown", 1, "shown$q"),
            wire("top$fifo", "dbg_full", 1, "full$q"),
            word("top$fifo$memory", "dbg_word", 9, "words[dbg_slot]", ("dbg_slot", 3)),
        ],
    },
    Proof {
        name: "widgets/stage",
        block: "widgets/stage",
        text: include_str!("../stage.sv"),
        method: Method::Induction(3),
        search: 12,
        debug: &[wire("top", "dbg_keeps", 1, "keeps$q"), wire("top", "dbg_kept", 9, "kept$q")],
    },
    Proof {
        name: "mr/lookup",
        block: "mr/lookup",
        text: include_str!("../lookup.sv"),
        method: Method::Window(15),
        search: 16,
        debug: &[
            word("top$rows$rows", "dbg_row", 239, "words[dbg_index]", ("dbg_index", 2)),
            word("top$rows$generations", "dbg_generation", 32, "words[dbg_index_2]", ("dbg_index_2", 2)),
            word("top$banks$bank$0", "dbg_bank_0", 40, "words[dbg_slot_0]", ("dbg_slot_0", 3)),
            word("top$banks$bank$1", "dbg_bank_1", 40, "words[dbg_slot_1]", ("dbg_slot_1", 3)),
        ],
    },
];
