//! `rnic export`: the core as Verilog for other people's designs.
use crate::output;
use clap::Args;
use rnic_hdl::top::{self, ExportError};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `rnic export`.
#[derive(Args)]
pub struct ExportArguments {
    /// tiny, small or large
    #[arg(long, default_value = "small")]
    preset: String,
    /// Folder to write to; made if it does not exist
    #[arg(long)]
    out: PathBuf,
    /// Print one JSON object instead of the list of files
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &ExportArguments) -> ExitCode {
    let files = match top::export_files(&arguments.preset) {
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
        println!("{}", serde_json::json!({ "passed": true, "preset": arguments.preset, "files": names }));
    }
    ExitCode::SUCCESS
}
