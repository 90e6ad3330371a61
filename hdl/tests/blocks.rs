//! Every block passes every check, and no block is missing from the list.
use rnic_hdl::check::scratch;

/// All checks of all blocks whose name begins with `prefix`.
fn check_all_of(prefix: &str) {
    let failed: Vec<_> = rnic_hdl::blocks()
        .into_iter()
        .filter(|block| block.name.starts_with(prefix))
        .map(|block| block.run(&scratch("blocks")))
        .filter(|report| !report.passed())
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

macro_rules! subsystems {
    ($($name:ident),*) => { $(#[test] fn $name() { check_all_of(concat!(stringify!($name), "/")); })* };
}

subsystems!(widgets, bar, dma, mr, sq, rq, cq, qp, wire, tx, rx, raw, pcie, mac, link, board, top);

/// The list of blocks is complete: each `derive(LogicBlock)` in the source is the type of an entry.
#[test]
fn every_block_is_in_the_list() {
    let kinds: Vec<_> = rnic_hdl::blocks().iter().map(|block| block.kind).collect();
    let mut missing = vec![];
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let text = std::fs::read_to_string(&entry).unwrap();
                let text = text.split("#[cfg(test)]").next().unwrap();
                let mut blocks = text
                    .split("LogicBlock")
                    .skip(1)
                    .filter(|part| part.split("struct ").next().unwrap().lines().count() < 4);
                while let Some(part) = blocks.next() {
                    let name =
                        part.split("struct ").nth(1).and_then(|rest| rest.split(['<', ' ', '{']).next()).unwrap_or("");
                    if part.contains("pub struct ") && !kinds.iter().any(|kind| kind.contains(&format!("::{name}"))) {
                        missing.push(format!("{}: {name}", entry.display()));
                    }
                }
            }
        }
    }
    assert!(missing.is_empty(), "blocks without an entry in a `blocks()` list: {missing:#?}");
}
