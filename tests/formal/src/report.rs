//! What a run found.
use serde::Serialize;

/// One proof.
#[derive(Debug, Clone, Serialize)]
pub struct PropertyReport {
    /// `block/what`.
    pub name: String,
    /// `induction`, `window` or `bounded`.
    pub method: &'static str,
    /// Cycles: the k of the induction, the length of the window, the depth of the bounded check.
    pub depth: usize,
    /// Every assertion holds.
    pub passed: bool,
    /// Every cover is reached.
    pub cover: bool,
    /// Wall time.
    pub seconds: f64,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// One mutant.
#[derive(Debug, Clone, Serialize)]
pub struct MutantReport {
    /// What was made wrong.
    pub name: String,
    /// A proof found it.
    pub caught: bool,
    /// Proof and assertion that found it, or why none did.
    pub by: String,
    /// Wall time.
    pub seconds: f64,
}

/// A whole run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// All proved, all covers reached, all mutants caught.
    pub passed: bool,
    /// The proofs.
    pub properties: Vec<PropertyReport>,
    /// The mutants.
    pub mutants: Vec<MutantReport>,
}
