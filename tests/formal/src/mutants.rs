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

/// All mutants.
pub const MUTANTS: &[Mutant] = &[
    once("fifo: bound off by one", "top$fifo", "fill >= limit", "fill > limit", &["widgets/fifo"]),
    once("stage: stored word lost", "top", "shown$d = kept$q", "shown$d = sink$data", &["widgets/stage"]),
];
