//! `rnic export`: the core as Verilog for other people's designs, or a whole project for a board of AMD.
use crate::output;
use clap::Args;
use rnic_hdl::top::{self, ExportError};
use rnic_synth::{vendor_project, VENDOR_PROJECTS};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `rnic export`.
#[derive(Args)]
pub struct ExportArguments {
    /// tiny, small or large
    #[arg(long, default_value = "small")]
    preset: String,
    /// kc705 or alveo-u50: everything that Vivado needs for the board, with the core at the board's preset (never run)
    #[arg(long, conflicts_with = "preset")]
    board: Option<String>,
    /// Folder to write to; made if it does not exist
    #[arg(long)]
    out: PathBuf,
    /// Print one JSON object instead of the list of files
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &ExportArguments) -> ExitCode {
    let project = match arguments.board.as_deref().map(|name| (name, vendor_project(name))) {
        Some((name, None)) => {
            let known = VENDOR_PROJECTS.map(|project| project.name).join(", ");
            return output::bad_input(format!("no project for board `{name}`: there are {known}"));
        }
        Some((_, project)) => project,
        None => None,
    };
    let preset = project.map_or(arguments.preset.as_str(), |project| project.preset);
    let files = match project.map_or_else(|| top::export_files(preset), |project| project.files()) {
        Ok(files) => files,
        Err(error @ ExportError::UnknownPreset(_)) => return output::bad_input(error),
        Err(error) => {
            eprintln!("rnic: {error}");
            return output::verdict(false);
        }
    };
    if let Err(error) = std::fs::create_dir_all(&arguments.out) {
        return output::bad_input(format!("{}: {error}", arguments.out.display()));
    }
    for (name, text) in &files {
        let path = arguments.out.join(name);
        if let Err(error) = std::fs::write(&path, text) {
            return output::bad_input(format!("{}: {error}", path.display()));
        }
        if !arguments.json {
            println!("{} ({} lines)", path.display(), text.lines().count());
        }
    }
    if arguments.json {
        let names: Vec<_> = files.iter().map(|(name, _)| name).collect();
        println!("{}", serde_json::json!({ "passed": true, "preset": preset, "files": names }));
    } else if let Some(project) = project {
        println!("Never run, in Vivado or on a board: docs/src/board-{}.md says what that means.", project.name);
    }
    ExitCode::SUCCESS
}
