//! Boards of AMD: everything that Vivado needs, as text (host-link.md section 7). Nothing of it was ever run; the scripts say so
//! first, and the tests of this crate check what can be checked without Vivado.
use rnic_hdl::top::{export_at, export_part, ExportError};

/// A project: an exported core, exported parts, and the files in `synth/vendor` and `constraints`.
#[derive(Clone, Copy, Debug)]
pub struct VendorProject {
    /// Name on the command line and of its folders.
    pub name: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// Its FPGA, as Vivado writes it.
    pub part: &'static str,
    /// Preset of the core.
    pub preset: &'static str,
    /// Clock of the core, kHz: that of the PCIe block.
    pub core_khz: u32,
    /// Exported parts beside the core.
    pub parts: &'static [&'static str],
    /// Name and text of the files that are written by hand.
    pub sources: &'static [(&'static str, &'static str)],
}

/// Every project.
pub const VENDOR_PROJECTS: [VendorProject; 2] = [
    VendorProject {
        name: "kc705",
        title: "AMD KC705",
        part: "xc7k325tffg900-2",
        preset: "small",
        core_khz: 125_000,
        parts: &["tlp_bridge", "gigabit_mac", "mdio"],
        sources: &[
            ("project.tcl", include_str!("../vendor/kc705/project.tcl")),
            ("top.v", include_str!("../vendor/kc705/top.v")),
            ("reset_release.v", include_str!("../vendor/common/reset_release.v")),
            ("board.xdc", include_str!("../../constraints/kc705/board.xdc")),
        ],
    },
    VendorProject {
        name: "alveo-u50",
        title: "AMD Alveo U50",
        part: "xcu50-fsvh2104-2-e",
        preset: "large",
        core_khz: 250_000,
        parts: &[],
        sources: &[
            ("project.tcl", include_str!("../vendor/alveo-u50/project.tcl")),
            ("top.v", include_str!("../vendor/alveo-u50/top.v")),
            ("frame_send.v", include_str!("../vendor/alveo-u50/frame_send.v")),
            ("frame_receive.v", include_str!("../vendor/alveo-u50/frame_receive.v")),
            ("irq_lines.v", include_str!("../vendor/alveo-u50/irq_lines.v")),
            ("reset_release.v", include_str!("../vendor/common/reset_release.v")),
            ("board.xdc", include_str!("../../constraints/alveo-u50/board.xdc")),
        ],
    },
];

/// The project of this name.
#[must_use]
pub fn vendor_project(name: &str) -> Option<VendorProject> {
    VENDOR_PROJECTS.into_iter().find(|project| project.name == name)
}

impl VendorProject {
    /// Text of a file that is written by hand.
    #[must_use]
    pub fn source(&self, name: &str) -> Option<&'static str> {
        self.sources.iter().find(|(found, _)| *found == name).map(|(_, text)| *text)
    }

    /// Names of the exported files.
    #[must_use]
    pub fn exported(&self) -> Vec<String> {
        std::iter::once(&self.preset).chain(self.parts).map(|name| format!("rnic_{name}.v")).collect()
    }

    /// Names and texts of all files of the project.
    ///
    /// # Errors
    /// The core or a part does not translate.
    pub fn files(&self) -> Result<Vec<(String, String)>, ExportError> {
        let core = export_at(self.preset, Some(self.core_khz));
        let parts = self.parts.iter().map(|part| export_part(part, self.core_khz));
        let texts = std::iter::once(core).chain(parts).collect::<Result<Vec<_>, _>>()?;
        let written = self.sources.iter().map(|(name, text)| ((*name).into(), (*text).into()));
        Ok(self.exported().into_iter().zip(texts).chain(written).collect())
    }
}
