//! The constraint files in the repository are those that the board descriptions give. RNIC_BLESS=1 writes them.
use rnic_synth::{boards, VENDOR_PROJECTS};
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../constraints")
}

#[test]
fn bd1_constraint_files_are_current() {
    for board in boards() {
        let path = folder().join(board.name).join("board.lpf");
        if std::env::var_os("RNIC_BLESS").is_some() {
            fs::create_dir_all(path.parent().expect("a folder")).expect("the folder of constraints");
            fs::write(&path, board.lpf()).expect("the constraint file");
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(found == board.lpf(), "{} is not current: RNIC_BLESS=1 writes it", path.display());
    }
}

#[test]
fn no_file_is_left_of_a_board_that_is_gone() {
    let known: Vec<_> =
        boards().iter().map(|board| board.name).chain(VENDOR_PROJECTS.map(|project| project.name)).collect();
    for entry in fs::read_dir(folder()).expect("constraints").flatten() {
        let name = entry.file_name();
        assert!(name.to_str().is_some_and(|name| known.contains(&name)), "constraints/{}", name.display());
    }
}
