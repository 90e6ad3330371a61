//! Export of a board top for simulations.
use super::{BoardSetup, TwoPorts};
use crate::check::verilog;
use crate::mac::Cells;
use crate::top::{export_with, ExportError};

/// The Verilog of [`TwoPorts`] with models of the pads and short times ([`BoardSetup::simulated`]); its top module is
/// `rnic_board`.
///
/// # Errors
/// The translator refuses the design.
pub fn export_simulated() -> Result<String, ExportError> {
    let setup = BoardSetup { cells: Cells::Modelled, ..BoardSetup::simulated() };
    export_with("board", move || verilog(&mut TwoPorts::new(&setup)))
}
