//! Vendor projects, as far as text can be checked without Vivado (VP1-VP5). Every check has a test that breaks the text and
//! expects the complaint.
mod project;
mod tcl;
mod wrapper;
mod xdc;

use rnic_synth::{vendor_project, VendorProject};

/// Project by name.
fn project(name: &str) -> VendorProject {
    vendor_project(name).expect("a project")
}

/// Text of one of its files.
fn source(name: &str, file: &str) -> &'static str {
    project(name).source(file).expect("a file")
}

/// The text with its one `from` replaced: a break of a test must hit.
fn broken(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

#[test]
fn files_are_those_of_the_repository() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for project in rnic_synth::VENDOR_PROJECTS {
        let page = format!("docs/src/board-{}.md", project.name);
        assert!(root.join(&page).is_file(), "{page}, which the command names, is not there");
        for folder in [format!("synth/vendor/{}", project.name), format!("constraints/{}", project.name)] {
            for entry in std::fs::read_dir(root.join(&folder)).expect("the folder").flatten() {
                let name = entry.file_name().into_string().expect("a name");
                assert!(project.source(&name).is_some(), "{folder}/{name} is in no project");
            }
        }
    }
}
