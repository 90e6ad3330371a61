//! Deliberate mistakes, each a named substitution in the exported Verilog of one module; a proof must find each.

/// One mistake.
#[derive(Debug)]
pub struct Mutant {
    /// What is wrong, in the words of the source.
    pub name: &'static str,
    /// Module of the exported block.
    pub module: &'static str,
    /// Text of it,
    pub find: &'static str,
    /// what stands there instead,
    pub replace: &'static str,
    /// and how often.
    pub count: usize,
    /// Proofs to ask.
    pub against: &'static [&'static str],
}

/// A mistake in a text that stands once.
const fn once(
    name: &'static str,
    module: &'static str,
    find: &'static str,
    replace: &'static str,
    against: &'static [&'static str],
) -> Mutant {
    Mutant { name, module, find, replace, count: 1, against }
}

const LOOKUP: &[&str] = &["mr/lookup"];
const ROWS: &[&str] = &["mr/back: rows"];
const OUTCOMES: &[&str] = &["mr/back: outcomes"];
const LIST: &[&str] = &["mr/back: list"];

/// All mutants.
pub const MUTANTS: &[Mutant] = &[
    // Section E.
    once("lookup: key byte ignored", "top$access", " | (question[(64'h0)+:(8)] != entry[(64'h4)+:(8)])", "", LOOKUP),
    once("lookup: PD check dropped", "top$access", "question[(64'h80)+:(24)] != entry[(64'h19)+:(24)]", "1'b0", LOOKUP),
    once("lookup: DRAIN grants", "top$access", "entry[(64'h0)+:(2)] != 32'h2;", "entry[(64'h0)+:(2)] < 32'h2;", LOOKUP),
    once(
        "lookup: any right is enough",
        "top$access",
        "|missing;",
        "(missing == question[(64'h98)+:(8)]) & |missing;",
        LOOKUP,
    ),
    once(
        "lookup: 64-bit instead of 65-bit compare",
        "top$access",
        "high$q[(32'h8)+:(25)]",
        "high$q[(32'h8)+:(24)]",
        LOOKUP,
    ),
    once("lookup: access longer than the region", "top$access", "second_room$q[32'h28] | ", "", LOOKUP),
    once(
        "lookup: first-byte offset left out",
        "top$access",
        "((passing[(64'h24)+:(30)]) & 41'h1ffffffffff)",
        "41'h0",
        LOOKUP,
    ),
    once("lookup: page index off by one", "top$locate", "+ number$q", "+ number$q + 32'h1", LOOKUP),
    once("lookup: piece crosses 4 KiB", "top$locate", "four_kib - in_frame", "four_kib", LOOKUP),
    once("lookup: race with a table write grants", "top$access", "if (first_raced$q) begin", "if (1'b0) begin", LOOKUP),
    // Sections A8, B and C.
    once(
        "back: REG_MR of a VALID region",
        "top$judge$table_checks",
        "entry[(64'h0)+:(2)] != 32'h1;",
        "entry[(64'h0)+:(2)] == 32'h0;",
        ROWS,
    ),
    once(
        "back: PD check dropped",
        "top$judge$table_checks",
        "entry[(64'h19)+:(24)] != request[(64'hb7)+:(24)]",
        "1'b0",
        OUTCOMES,
    ),
    once("back: key byte ignored", "top$judge$table_checks", "(entry[(64'h4)+:(8)] != key)", "1'b0", OUTCOMES),
    once("back: more pages than the region may have", "top$judge$table_checks", "npages > most", "1'b0", OUTCOMES),
    once(
        "back: failed operation acts",
        "top$commit$verdict",
        "act = ends & ~stopped & ~error",
        "act = ends & ~stopped",
        ROWS,
    ),
    once(
        "back: flushed operation acts",
        "top$commit$verdict",
        "act = ends & ~stopped & ~error",
        "act = ends & ~error",
        ROWS,
    ),
    once(
        "back: commit before the last list beat",
        "top$commit",
        "verdict$ends = valid & last",
        "verdict$ends = valid",
        LIST,
    ),
    once(
        "back: alignment seen in the last beat only",
        "top$judge",
        "alignment$q | alignment_seen$q",
        "alignment$q",
        LIST,
    ),
    once("back: alignment of one lane unchecked", "top", "taken$1 & |(low$1 & below)", "1'b0", &["mr/page_checks"]),
    once(
        "back: old key byte stays",
        "top$commit$compose",
        "made[(64'h4)+:(8)] = request[(64'h5)+:(8)];\n            made[(64'hc)",
        "made[(64'hc)",
        ROWS,
    ),
    once(
        "back: row being written not forwarded",
        "top$forward",
        "if (write & (write_index == index)) begin",
        "if (1'b0) begin",
        ROWS,
    ),
    once(
        "back: second operation on a region too early",
        "top$walk$hazard",
        "waits$d = 32'h3;",
        "waits$d = 32'h1;",
        ROWS,
    ),
    once(
        "back: a message takes a region without remote rights",
        "top$commit",
        "verdict$forbidden = forbidden",
        "verdict$forbidden = 1'b0",
        ROWS,
    ),
    once("back: no gap before a command", "top$walk$guest", "hold = gap$q != 32'h0", "hold = gap$q > 32'h2", ROWS),
    once("back: no gap behind a command", "top$walk$guest", "hold = gap$q != 32'h0", "hold = gap$q == 32'h3", ROWS),
    // Buses.
    once("splitter: burst crosses 4 KiB", "top", "crosses = |over", "crosses = reach > piece", &["dma/splitter"]),
    once("read: AR not held", "top$issue", "if (arready) begin", "if (1'b1) begin", &["dma/read"]),
    once("read: one credit too many", "top$credits", "taken$q == before_shared", "taken$q == shared", &["dma/read"]),
    once("write: W lost while it waits", "top", "busy$q & (~shows$q | wready)", "busy$q", &["dma/write_beats"]),
    once("write: strobes of the last beat not cut", "top$masks", "low & high", "low", &["dma/write_beats"]),
    once(
        "write: burst offered before its last beat",
        "top",
        "takes & (left$q == 32'h0)",
        "takes",
        &["dma/write_buffer"],
    ),
    // Widgets.
    once("fifo: bound off by one", "top$fifo", "fill >= limit", "fill > limit", &["widgets/fifo"]),
    once(
        "slot: word overwritten while it waits",
        "top",
        "sink$ready = ~full$q",
        "sink$ready = 1'b1",
        &["widgets/slot"],
    ),
    once("stage: stored word lost", "top", "shown$d = kept$q", "shown$d = sink$data", &["widgets/stage"]),
    once(
        "table: one reader's copy not written",
        "top",
        "copies$1$write = write | clearing",
        "copies$1$write = write",
        &["widgets/table"],
    ),
];
