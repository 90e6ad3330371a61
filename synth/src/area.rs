//! Cells of each subsystem, from `stat -json`.
use crate::SynthError;
use serde::Serialize;
use serde_json::{Map, Value};

/// Instances that are counted, and synthesised, by themselves, as paths below the top module; everything else is `top`. The
/// transport is cut once more: as one module it took the optimiser half an hour.
pub const SUBSYSTEMS: [&str; 18] = [
    "bar",
    "dma",
    "mr",
    "sq",
    "rq",
    "cq",
    "qp",
    "transport",
    "transport$receiver",
    "transport$responder",
    "transport$placer",
    "transport$prefetch",
    "transport$answers",
    "transport$acknowledge",
    "transport$timers",
    "transport$gather",
    "transport$builder",
    "transport$raw",
];

/// LUTs that nextpnr builds one carry cell from.
const LUTS_OF_CARRY: u64 = 2;
/// LUTs that hold the bits of a 16 x 4 RAM, and those that its write port occupies.
const LUTS_OF_RAM: u64 = 4 + 2;

/// What a design of ECP5 takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Area {
    /// LUT4 of logic.
    pub lut4: u64,
    /// LUT4 inside carry chains.
    pub carry_luts: u64,
    /// LUT4 used as distributed RAM, with their write ports.
    pub ram_luts: u64,
    /// Flip-flops.
    pub ff: u64,
    /// Block RAMs of 18 kbit.
    pub dp16kd: u64,
}

/// What a design takes of UltraScale+.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct XilinxArea {
    /// LUT1 to LUT6.
    pub lut: u64,
    /// LUTs used as distributed RAM.
    pub ram_luts: u64,
    /// Shift-register primitives.
    pub srl: u64,
    /// Flip-flops.
    pub ff: u64,
    /// Block RAMs of 36 kbit.
    pub ramb36: u64,
    /// Block RAMs of 18 kbit.
    pub ramb18: u64,
}

/// One subsystem on ECP5.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AreaRow {
    /// Instance name; `top` for what stands beside the subsystems.
    pub subsystem: String,
    /// Its cells.
    #[serde(flatten)]
    pub area: Area,
}

/// One subsystem on UltraScale+.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct XilinxRow {
    /// Instance name; `top` for what stands beside the subsystems.
    pub subsystem: String,
    /// Its cells.
    #[serde(flatten)]
    pub area: XilinxArea,
}

/// Cells by type.
type Cells = Map<String, Value>;

fn count(cells: &Cells, wanted: impl Fn(&str) -> bool) -> u64 {
    cells.iter().filter(|(name, _)| wanted(name)).filter_map(|(_, number)| number.as_u64()).sum()
}

impl Area {
    fn of(cells: &Cells) -> Self {
        let number = |name: &str| count(cells, |cell| cell == name);
        Self {
            lut4: number("LUT4"),
            carry_luts: LUTS_OF_CARRY * number("CCU2C"),
            ram_luts: LUTS_OF_RAM * number("TRELLIS_DPR16X4"),
            ff: number("TRELLIS_FF"),
            dp16kd: number("DP16KD"),
        }
    }

    /// LUT4 of all kinds, as nextpnr counts TRELLIS_COMB.
    pub fn luts(&self) -> u64 {
        self.lut4 + self.carry_luts + self.ram_luts
    }

    /// Of all rows together.
    pub fn total(rows: &[AreaRow]) -> Self {
        rows.iter().fold(Self::default(), |sum, AreaRow { area, .. }| Self {
            lut4: sum.lut4 + area.lut4,
            carry_luts: sum.carry_luts + area.carry_luts,
            ram_luts: sum.ram_luts + area.ram_luts,
            ff: sum.ff + area.ff,
            dp16kd: sum.dp16kd + area.dp16kd,
        })
    }
}

/// LUTs of a distributed RAM primitive, by its name.
fn distributed(name: &str) -> u64 {
    match name {
        "RAM32M16" | "RAM64M8" => 8,
        "RAM32M" | "RAM64M" | "RAM128X1D" => 4,
        "RAM32X1D" | "RAM64X1D" | "RAM128X1S" => 2,
        "RAM256X1D" => 8,
        other if other.starts_with("RAM") && !other.starts_with("RAMB") => 1,
        _ => 0,
    }
}

impl XilinxArea {
    fn of(cells: &Cells) -> Self {
        let starts = |prefix: &str| count(cells, |cell| cell.starts_with(prefix));
        Self {
            lut: count(cells, |cell| matches!(cell, "LUT1" | "LUT2" | "LUT3" | "LUT4" | "LUT5" | "LUT6")),
            ram_luts: cells.iter().map(|(name, number)| distributed(name) * number.as_u64().unwrap_or(0)).sum(),
            srl: starts("SRL"),
            ff: count(cells, |cell| matches!(cell, "FDRE" | "FDSE" | "FDCE" | "FDPE")),
            ramb36: starts("RAMB36"),
            ramb18: starts("RAMB18"),
        }
    }

    /// Of all rows together.
    pub fn total(rows: &[XilinxRow]) -> Self {
        rows.iter().fold(Self::default(), |sum, XilinxRow { area, .. }| Self {
            lut: sum.lut + area.lut,
            ram_luts: sum.ram_luts + area.ram_luts,
            srl: sum.srl + area.srl,
            ff: sum.ff + area.ff,
            ramb36: sum.ramb36 + area.ramb36,
            ramb18: sum.ramb18 + area.ramb18,
        })
    }
}

/// Name and cells of each subsystem of core `top`, then `top`.
fn modules(stat: &str, top: &str) -> Result<Vec<(String, Cells)>, SynthError> {
    let failed = |what: &str| SynthError::Failed(format!("yosys' statistics: {what}"));
    let stat: Value = serde_json::from_str(stat).map_err(|error| failed(&error.to_string()))?;
    let cells = |name: &str, module: &str| {
        let cells = stat["modules"][format!("\\{module}")]["num_cells_by_type"].as_object().cloned();
        cells.map(|cells| (name.replace('$', "."), cells)).ok_or_else(|| failed(&format!("no module {module}")))
    };
    SUBSYSTEMS
        .iter()
        .map(|name| cells(name, &format!("{top}${name}")))
        .chain(std::iter::once_with(|| cells("top", top)))
        .collect()
}

/// The rows of an ECP5 netlist.
pub(crate) fn ecp5(stat: &str, top: &str) -> Result<Vec<AreaRow>, SynthError> {
    let rows = modules(stat, top)?.into_iter();
    Ok(rows.map(|(subsystem, cells)| AreaRow { subsystem, area: Area::of(&cells) }).collect())
}

/// The rows of an UltraScale+ netlist.
pub(crate) fn xilinx(stat: &str, top: &str) -> Result<Vec<XilinxRow>, SynthError> {
    let rows = modules(stat, top)?.into_iter();
    Ok(rows.map(|(subsystem, cells)| XilinxRow { subsystem, area: XilinxArea::of(&cells) }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(cells: &str) -> String {
        let names = SUBSYSTEMS.iter().map(|name| format!("\\\\core${name}")).chain(std::iter::once("\\\\core".into()));
        let modules: Vec<_> =
            names.map(|name| format!("\"{name}\": {{ \"num_cells_by_type\": {{ {cells} }} }}")).collect();
        format!("{{ \"modules\": {{ {} }} }}", modules.join(", "))
    }

    #[test]
    fn ecp5_cells_are_counted_by_what_they_occupy() {
        let text = stat(r#""LUT4": 10, "PFUMX": 3, "CCU2C": 2, "TRELLIS_DPR16X4": 1, "TRELLIS_FF": 7, "DP16KD": 4"#);
        let rows = ecp5(&text, "core").unwrap();
        let (count, last) = (rows.len(), SUBSYSTEMS.len());
        assert_eq!((count, rows[2].subsystem.as_str(), rows[last].subsystem.as_str()), (last + 1, "mr", "top"));
        assert_eq!(rows[8].subsystem, "transport.receiver");
        assert_eq!(rows[2].area, Area { lut4: 10, carry_luts: 4, ram_luts: 6, ff: 7, dp16kd: 4 });
        assert_eq!(Area::total(&rows).luts(), 20 * count as u64);
    }

    #[test]
    fn xilinx_cells_are_counted_by_family_of_primitive() {
        let text = stat(
            r#""LUT2": 1, "LUT6": 2, "RAM32M16": 1, "SRL16E": 5, "SRLC32E": 1, "FDRE": 3, "FDSE": 1, "RAMB36E2": 2, "RAMB18E2": 1"#,
        );
        let rows = xilinx(&text, "core").unwrap();
        let area = XilinxArea { lut: 3, ram_luts: 8, srl: 6, ff: 4, ramb36: 2, ramb18: 1 };
        assert_eq!(rows[0].area, area);
        assert_eq!(XilinxArea::total(&rows).ff, 4 * rows.len() as u64);
    }

    #[test]
    fn a_subsystem_that_was_optimised_away_is_an_error() {
        assert!(ecp5(r#"{"modules": {}}"#, "core").unwrap_err().to_string().contains("core$bar"));
    }
}
