//! The slowest path in the source's own names.
//!
//! yosys joins instances with dots and names a mapped cell after a net of the source, `sq.pool.free_LUT4_Z_2`; nextpnr appends
//! `$...` for what it packs. What is left in front of that is the block and its field.
use serde::Serialize;
use serde_json::Value;

/// One part of a path: what is passed until the next name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hop {
    /// Instance path and field, `mr.front.intake.sums.q`.
    pub at: String,
    /// Nanoseconds in cells.
    pub logic_ns: f64,
    /// Nanoseconds on wires.
    pub routing_ns: f64,
}

/// Cell types that yosys puts behind a net's name.
const TYPES: [&str; 7] = ["_TRELLIS_", "_LUT4", "_PFUMX", "_L6MUX21", "_CCU2C", "_DP16KD", "_$"];

/// Block and field of a cell.
pub(crate) fn source_name(cell: &str) -> String {
    let cell = cell.strip_prefix("$flatten").unwrap_or(cell).trim_start_matches('\\');
    let cut = TYPES.iter().filter_map(|word| cell.find(word)).min().unwrap_or(cell.len());
    let mut name = cell[..cut].replace(".\\", ".").replace('\\', "");
    // A name that the mapper made up, `mr.$auto$alumacc...`: what is known is where.
    if let Some(made_up) = name.find(".$") {
        name.truncate(made_up);
    }
    // RAMs of several primitives are numbered: `words.0.0`.
    while let Some((rest, number)) = name.rsplit_once('.') {
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        name = rest.to_string();
    }
    if let Some(packed) = name.find(|c| c == '$').filter(|at| *at > 0 && name[*at..].starts_with("$nextpnr")) {
        name.truncate(packed);
    }
    name
}

/// Adds one piece of a path; pieces at one name become one hop.
fn add(hops: &mut Vec<Hop>, at: String, logic_ns: f64, routing_ns: f64) {
    match hops.last_mut() {
        Some(last) if last.at == at => {
            last.logic_ns += logic_ns;
            last.routing_ns += routing_ns;
        }
        _ => hops.push(Hop { at, logic_ns, routing_ns }),
    }
}

/// The hops of one entry of nextpnr's `critical_paths`; the last is the register at the end.
pub(crate) fn hops(path: &Value) -> Vec<Hop> {
    let mut hops = vec![];
    for piece in path["path"].as_array().into_iter().flatten() {
        let delay = piece["delay"].as_f64().unwrap_or(0.0);
        let cell = |end: &str| source_name(piece[end]["cell"].as_str().unwrap_or("?"));
        match piece["type"].as_str() {
            Some("routing") => add(&mut hops, cell("from"), 0.0, delay),
            Some(_) => add(&mut hops, cell("to"), delay, 0.0),
            None => {}
        }
    }
    hops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_get_the_name_of_their_block_and_field() {
        for (cell, name) in [
            ("mr.front.intake.sums.q_TRELLIS_FF_Q_41", "mr.front.intake.sums.q"),
            ("sq.pool.free_LUT4_Z_2_D_LUT4_Z", "sq.pool.free"),
            ("mr.back.rows.rows.words.0.0", "mr.back.rows.rows.words"),
            ("$flatten\\bar.\\counters.$auto$alumacc.cc:485$12", "bar.counters"),
            ("cq.judge.left_CCU2C_S0_3$nextpnr_ccu2c_comb_0", "cq.judge.left"),
        ] {
            assert_eq!(source_name(cell), name, "{cell}");
        }
    }
}
