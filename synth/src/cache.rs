//! Results kept by a hash of what they came from.
use crate::{io, SynthError};
use std::fs;
use std::path::{Path, PathBuf};

/// Written last: a folder without it is the remains of a run that was stopped.
const DONE: &str = "done";

/// 64-bit FNV-1a: the same on every machine and Rust version, which the standard hasher does not promise.
pub(crate) fn hash(parts: &[&str]) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for byte in parts.iter().flat_map(|part| part.bytes().chain([0xff])) {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    state
}

/// The folder of step `name` for these inputs; `make` fills it unless it was filled before.
pub(crate) fn cached(
    root: &Path,
    name: &str,
    inputs: &[&str],
    make: impl FnOnce(&Path) -> Result<(), SynthError>,
) -> Result<PathBuf, SynthError> {
    let folder = root.join(format!("{name}-{:016x}", hash(inputs)));
    let done = folder.join(DONE);
    if !done.exists() {
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(io(&folder))?;
        }
        fs::create_dir_all(&folder).map_err(io(&folder))?;
        make(&folder)?;
        fs::write(&done, "").map_err(io(&done))?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_fnv_1a_and_knows_where_a_part_ends() {
        assert_eq!(hash(&[]), 0xcbf2_9ce4_8422_2325);
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
    }

    #[test]
    fn a_step_runs_once_for_the_same_inputs_and_again_after_a_failure() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tmp/synth-cache");
        let _ = fs::remove_dir_all(&root);
        assert!(cached(&root, "step", &["x"], |_| Err(SynthError::Failed("no".into()))).is_err());
        let folder =
            cached(&root, "step", &["x"], |folder| fs::write(folder.join("a"), "1").map_err(io(folder))).unwrap();
        let again = cached(&root, "step", &["x"], |_| panic!("cached")).unwrap();
        assert_eq!(folder, again);
        assert_ne!(cached(&root, "step", &["y"], |_| Ok(())).unwrap(), folder);
    }
}
