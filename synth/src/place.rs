//! Place and route with nextpnr: no pins, so paths to and from them do not count.
use crate::path::{hops, Hop};
use crate::tools::{said, Tools};
use crate::{io, Progress, SynthError};
use serde::Serialize;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A part that the core is placed on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Part {
    /// Name and speed grade.
    pub name: &'static str,
    /// Clock that the core must reach, MHz.
    pub target_mhz: f64,
    #[serde(skip)]
    device: &'static str,
    #[serde(skip)]
    speed: &'static str,
}

/// The parts of the figures, slowest first.
pub const PARTS: [Part; 2] = [
    Part { name: "ECP5-85F-6", target_mhz: 84.0, device: "--85k", speed: "6" },
    Part { name: "UM5G-85F-8", target_mhz: 130.0, device: "--um5g-85k", speed: "8" },
];

/// What the router is asked for above the target: it stops trying where timing is met.
const ASKED_PART: f64 = 1.15;

/// File of the clock constraint.
const CONSTRAINTS: &str = "clock.lpf";

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timing {
    /// Where.
    #[serde(flatten)]
    pub part: Part,
    /// Clock of the slowest path between registers, MHz.
    pub fmax_mhz: f64,
    /// At least the target.
    pub passed: bool,
    /// That path.
    pub critical_path: Vec<Hop>,
    /// LUTs of all kinds, as placed, and how many there are.
    pub luts: (u64, u64),
    /// Block RAMs, likewise.
    pub block_rams: (u64, u64),
}

/// Reads nextpnr's report.
pub(crate) fn timing(part: Part, report: &str) -> Result<Timing, SynthError> {
    let failed = |what: &str| SynthError::Failed(format!("nextpnr's report for {}: {what}", part.name));
    let report: Value = serde_json::from_str(report).map_err(|error| failed(&error.to_string()))?;
    let clocks = report["fmax"].as_object().ok_or_else(|| failed("no fmax"))?;
    let slowest = clocks
        .iter()
        .filter_map(|(clock, value)| Some((clock, value["achieved"].as_f64()?)))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    let (clock, fmax_mhz) = slowest.ok_or_else(|| failed("no clock"))?;
    let edge = |end: &Value| end.as_str().is_some_and(|text| text.ends_with(&format!("edge {clock}")));
    let paths = report["critical_paths"].as_array().ok_or_else(|| failed("no critical_paths"))?;
    let path = paths.iter().find(|path| edge(&path["from"]) && edge(&path["to"]));
    let used = |cell: &str| {
        let entry = &report["utilization"][cell];
        (entry["used"].as_u64().unwrap_or(0), entry["available"].as_u64().unwrap_or(0))
    };
    Ok(Timing {
        part,
        fmax_mhz,
        passed: fmax_mhz >= part.target_mhz,
        critical_path: hops(path.ok_or_else(|| failed("no path between registers"))?),
        luts: used("TRELLIS_COMB"),
        block_rams: used("DP16KD"),
    })
}

/// Places the netlist in folder `netlist` on a part.
pub(crate) fn place(
    tools: &Tools,
    part: Part,
    netlist: &Path,
    seed: u32,
    root: &Path,
    progress: Progress,
) -> Result<Timing, SynthError> {
    progress(&format!("place and route on {}", part.name));
    let source = netlist.join("netlist.json");
    let name = netlist.file_name().unwrap_or_default().to_string_lossy();
    // As a constraint on the net: else the frequency of the oscillator that drives it counts.
    let constraint = format!("FREQUENCY NET \"clock\" {:.1} MHz;\n", part.target_mhz * ASKED_PART);
    let seed = seed.to_string();
    let options = [
        part.device,
        "--speed",
        part.speed,
        "--package",
        "CABGA756",
        "--lpf",
        CONSTRAINTS,
        "--seed",
        &seed,
        "--lpf-allow-unconstrained",
        "--timing-allow-fail",
    ];
    let inputs: Vec<_> = [&*name, crate::tools::REQUIREMENTS, &constraint].into_iter().chain(options).collect();
    let folder = crate::cache::cached(root, &format!("place-{}", part.name.to_lowercase()), &inputs, |folder| {
        // Beside the report: nextpnr sees nothing but the folder it is started in.
        let copy = folder.join("netlist.json");
        fs::hard_link(&source, &copy).or_else(|_| fs::copy(&source, &copy).map(drop)).map_err(io(&source))?;
        let file = folder.join(CONSTRAINTS);
        fs::write(&file, &constraint).map_err(io(&file))?;
        let mut command = tools.nextpnr(folder);
        command.args(options).args(["--json", "netlist.json", "--report", "report.json", "--log", "nextpnr.log", "-q"]);
        let output =
            command.output().map_err(|error| SynthError::Missing(format!("nextpnr-ecp5 does not start: {error}")))?;
        let _ = fs::remove_file(&copy);
        if output.status.success() {
            return Ok(());
        }
        let text = said(&output);
        let last = text.lines().rev().find(|line| line.contains("ERROR")).unwrap_or("no message");
        Err(SynthError::Failed(format!("{}: {last} (see {}/nextpnr.log)", part.name, folder.display())))
    })?;
    let report = folder.join("report.json");
    timing(part, &fs::read_to_string(&report).map_err(io(&report))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"{
        "critical_paths": [
            {"from": "<async>", "to": "posedge $glbnet$clock", "path": []},
            {"from": "posedge $glbnet$clock", "to": "posedge $glbnet$clock", "path": [
                {"type": "clk-to-q", "delay": 0.5, "from": {"cell": "sq.turn.q_TRELLIS_FF_Q"}, "to": {"cell": "sq.turn.q_TRELLIS_FF_Q"}},
                {"type": "routing", "delay": 1.25, "from": {"cell": "sq.turn.q_TRELLIS_FF_Q"}, "to": {"cell": "mr.busy_LUT4_Z"}},
                {"type": "logic", "delay": 0.25, "from": {"cell": "mr.busy_LUT4_Z"}, "to": {"cell": "mr.busy_LUT4_Z"}},
                {"type": "routing", "delay": 0.5, "from": {"cell": "mr.busy_LUT4_Z"}, "to": {"cell": "mr.busy_LUT4_Z_1"}},
                {"type": "logic", "delay": 0.25, "from": {"cell": "mr.busy_LUT4_Z_1"}, "to": {"cell": "mr.busy_LUT4_Z_1"}},
                {"type": "routing", "delay": 1.0, "from": {"cell": "mr.busy_LUT4_Z_1"}, "to": {"cell": "mr.held.q_TRELLIS_FF_Q"}},
                {"type": "setup", "delay": 0.125, "from": {"cell": "mr.held.q_TRELLIS_FF_Q"}, "to": {"cell": "mr.held.q_TRELLIS_FF_Q"}}
            ]}
        ],
        "fmax": {"$glbnet$clock": {"achieved": 130.0, "constraint": 149.5}},
        "utilization": {"TRELLIS_COMB": {"used": 7, "available": 83640}, "DP16KD": {"used": 3, "available": 208}}
    }"#;

    #[test]
    fn a_report_gives_clock_path_and_use() {
        let timing = timing(PARTS[1], REPORT).unwrap();
        assert!(timing.passed, "the target itself is enough");
        assert_eq!((timing.luts, timing.block_rams), ((7, 83640), (3, 208)));
        let path: Vec<_> =
            timing.critical_path.iter().map(|hop| (hop.at.as_str(), hop.logic_ns, hop.routing_ns)).collect();
        assert_eq!(path, [("sq.turn.q", 0.5, 1.25), ("mr.busy", 0.5, 1.5), ("mr.held.q", 0.125, 0.0)]);
    }

    #[test]
    fn below_the_target_is_a_miss() {
        let report = REPORT.replace("130.0", "129.99");
        assert!(!timing(PARTS[1], &report).unwrap().passed);
    }

    #[test]
    fn a_report_without_a_clock_is_an_error() {
        let error = timing(PARTS[0], r#"{"fmax": {}, "critical_paths": []}"#).unwrap_err();
        assert!(error.to_string().contains("no clock"), "{error}");
    }
}
