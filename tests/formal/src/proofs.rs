//! The list of proofs: block, property file, method, depth, debug ports.
use crate::debug::{wire, word, Debug};
use Method::{Bounded, Induction, Window};

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
            Induction(_) => "induction",
            Window(_) => "window",
            Bounded(_) => "bounded",
        }
    }

    /// Its cycles.
    pub fn depth(self) -> usize {
        match self {
            Induction(depth) | Window(depth) | Bounded(depth) => depth,
        }
    }

    /// Arguments of yosys-smtbmc.
    pub fn calls(self) -> Vec<Vec<String>> {
        let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
        match self {
            Induction(k) => vec![words(&["-t", &self.steps()]), words(&["-i", "-t", &k.to_string()])],
            _ => vec![words(&["-t", &self.steps()])],
        }
    }

    /// A clocked assertion is judged in the step after its cycle, hence one more step.
    fn steps(self) -> String {
        match self {
            Induction(depth) | Bounded(depth) => (depth + 1).to_string(),
            Window(depth) => format!("{depth}:{}", depth + 1),
        }
    }
}

/// One proof.
#[derive(Debug)]
pub struct Proof {
    /// `block`, or `block: what`.
    pub name: &'static str,
    /// Block as `rnic check` calls it.
    pub block: &'static str,
    /// The property file.
    pub text: &'static str,
    /// Macro that chooses among the properties of the file, so that each question is small enough for the solver.
    pub part: Option<&'static str>,
    /// How.
    pub method: Method,
    /// Steps within which covers are reached and mutants found.
    pub search: usize,
    /// Makes a wait shorter that would only lengthen the search: module, text, replacement.
    pub shorten: Option<(&'static str, &'static str, &'static str)>,
    /// What it looks at inside.
    pub debug: &'static [Debug],
}

impl Proof {
    /// The properties without those that only make an induction work (`link_...`): a mutant must break one of the others.
    pub fn without_links(&self) -> String {
        let mut inside = false;
        let kept = self.text.lines().filter(|line| {
            inside |= line.contains("link_");
            let drop = inside;
            inside &= !line.ends_with(';');
            !drop
        });
        kept.flat_map(|line| [line, "\n"]).collect()
    }

    /// Steps of the search for covers and for a mutant's counterexample.
    pub fn search_range(&self) -> String {
        match self.method {
            Window(_) => self.method.steps(),
            _ => self.search.to_string(),
        }
    }
}

/// A proof that looks at nothing inside but what is listed.
const fn proof(
    block: &'static str,
    text: &'static str,
    method: Method,
    search: usize,
    debug: &'static [Debug],
) -> Proof {
    Proof { name: block, block, text, part: None, method, search, shorten: None, debug }
}

/// The row of one region in the back end's own copy of the table.
const OWN_ROW: Debug = word("top$rows$rows", "dbg_row", 239, "words[dbg_index]", ("dbg_index", 2));
/// That, and what leaves the walk.
const STEPS: &[Debug] = &[
    OWN_ROW,
    wire("top", "dbg_step", 282, "walk$request"),
    wire("top", "dbg_valid", 1, "walk$valid"),
    wire("top", "dbg_last", 1, "walk$last"),
    wire("top", "dbg_advance", 1, "advance"),
];

/// A part of the proof of the back end. The drain's pause for lookups under way is 1 cycle instead of 20.
const fn back(
    name: &'static str,
    text: &'static str,
    part: Option<&'static str>,
    depth: usize,
    search: usize,
) -> Proof {
    Proof {
        name,
        block: "mr/back",
        text,
        part,
        method: Bounded(depth),
        search,
        shorten: Some(("top$drain", "pause$d = 32'h14", "pause$d = 32'h1")),
        debug: STEPS,
    }
}

/// All proofs; long ones first, so that both workers end together.
pub const PROOFS: &[Proof] = &[
    back("mr/back: rows", include_str!("../back.sv"), Some("ROWS"), 12, 14),
    back("mr/back: edges", include_str!("../back.sv"), Some("EDGES"), 12, 14),
    back("mr/back: outcomes", include_str!("../back.sv"), Some("OUTCOMES"), 13, 17),
    back("mr/back: order", include_str!("../back.sv"), Some("ORDER"), 9, 13),
    back("mr/back: list", include_str!("../back_list.sv"), None, 14, 14),
    proof(
        "mr/lookup",
        include_str!("../lookup.sv"),
        Window(15),
        16,
        &[
            word("top$rows$rows", "dbg_row", 239, "words[dbg_index]", ("dbg_index", 2)),
            word("top$rows$generations", "dbg_generation", 32, "words[dbg_index_2]", ("dbg_index_2", 2)),
            word("top$banks$bank$0", "dbg_bank_0", 40, "words[dbg_slot_0]", ("dbg_slot_0", 3)),
            word("top$banks$bank$1", "dbg_bank_1", 40, "words[dbg_slot_1]", ("dbg_slot_1", 3)),
        ],
    ),
    proof("mr/page_checks", include_str!("../page_checks.sv"), Induction(1), 2, &[]),
    proof(
        "dma/splitter",
        include_str!("../splitter.sv"),
        Induction(2),
        8,
        &[
            wire("top", "dbg_busy", 1, "busy$q"),
            wire("top", "dbg_at", 52, "address$q"),
            wire("top", "dbg_more", 17, "more$q"),
        ],
    ),
    proof("dma/write_buffer", include_str!("../buffer.sv"), Bounded(11), 14, &[]),
    proof("dma/read_issue", include_str!("../issue.sv"), Induction(2), 8, &[]),
    proof(
        "dma/write_beats",
        include_str!("../beats.sv"),
        Induction(2),
        8,
        &[
            wire("top", "dbg_busy", 1, "busy$q"),
            wire("top", "dbg_first", 1, "first$q"),
            wire("top", "dbg_rest", 8, "left$q"),
            wire("top", "dbg_client", 2, "client$q"),
            wire("top", "dbg_shape", 72, "shape$q"),
        ],
    ),
    proof(
        "dma/read",
        include_str!("../read.sv"),
        Induction(3),
        14,
        &[
            wire("top$credits", "dbg_count_0", 8, "count$0$q"),
            wire("top$credits", "dbg_count_1", 8, "count$1$q"),
            wire("top$credits", "dbg_count_2", 8, "count$2$q"),
            wire("top$credits", "dbg_shared", 8, "taken$q"),
            wire("top$credits", "dbg_full", 3, "{full$2$q, full$1$q, full$0$q}"),
            wire("top$credits", "dbg_some", 3, "{some$2$q, some$1$q, some$0$q}"),
            wire("top$credits", "dbg_none", 1, "none$q"),
        ],
    ),
    proof(
        "dma/write",
        include_str!("../write.sv"),
        Induction(3),
        16,
        &[
            wire("top$credits", "dbg_count_0", 8, "count$0$q"),
            wire("top$credits", "dbg_count_1", 8, "count$1$q"),
            wire("top$credits", "dbg_shared", 8, "taken$q"),
            wire("top$credits", "dbg_full", 2, "{full$1$q, full$0$q}"),
            wire("top$credits", "dbg_some", 2, "{some$1$q, some$0$q}"),
            wire("top$credits", "dbg_none", 1, "none$q"),
        ],
    ),
    proof(
        "widgets/fifo",
        include_str!("../fifo.sv"),
        Induction(4),
        20,
        &[
            wire("top$fifo", "dbg_head", 3, "head$q"),
            wire("top$fifo", "dbg_tail", 3, "tail$q"),
            wire("top$fifo", "dbg_shown", 1, "shown$q"),
            wire("top$fifo", "dbg_full", 1, "full$q"),
            word("top$fifo$memory", "dbg_word", 9, "words[dbg_slot]", ("dbg_slot", 3)),
        ],
    ),
    proof(
        "widgets/stage",
        include_str!("../stage.sv"),
        Induction(3),
        12,
        &[wire("top", "dbg_keeps", 1, "keeps$q"), wire("top", "dbg_kept", 9, "kept$q")],
    ),
    proof("widgets/slot", include_str!("../slot.sv"), Induction(2), 12, &[]),
    proof("widgets/arbiter", include_str!("../arbiter.sv"), Bounded(16), 12, &[]),
    proof(
        "widgets/table",
        include_str!("../table.sv"),
        Induction(4),
        6,
        &[
            word("top$copies$0", "dbg_word_0", 9, "words[dbg_at_0]", ("dbg_at_0", 3)),
            word("top$copies$1", "dbg_word_1", 9, "words[dbg_at_1]", ("dbg_at_1", 3)),
        ],
    ),
    proof(
        "widgets/byte_memory",
        include_str!("../byte_memory.sv"),
        Induction(4),
        6,
        &[word("top", "dbg_word", 24, "words[dbg_at]", ("dbg_at", 3))],
    ),
    proof("widgets/flags", include_str!("../flags.sv"), Induction(2), 6, &[]),
    proof("widgets/first", include_str!("../first.sv"), Induction(1), 2, &[]),
    proof("widgets/delay", include_str!("../delay.sv"), Window(4), 5, &[]),
];
