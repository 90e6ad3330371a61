//! The book holds together: every page is in the summary, and every relative link leads somewhere.
use rnic_tests::root;
use std::path::{Path, PathBuf};

fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let pages = entries.flat_map(|path| if path.is_dir() { pages(&path) } else { vec![path] });
    pages.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect()
}

/// Targets of the links of a page that stay within the book.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).collect()
}

/// Anchors as mdBook makes them from headings.
fn anchors(text: &str) -> Vec<String> {
    let titles = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let anchor = |title: &str| title.to_lowercase().replace(' ', "-");
    titles.map(|title| anchor(title).chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()).collect()
}

#[test]
fn every_page_is_in_the_summary() {
    let source = root().join("docs/src");
    let summary = std::fs::read_to_string(source.join("SUMMARY.md")).unwrap();
    let listed: Vec<_> = links(&summary).iter().map(|link| source.join(link)).collect();
    for page in pages(&source) {
        assert!(page.ends_with("SUMMARY.md") || listed.contains(&page), "{} is not in the summary", page.display());
    }
}

#[test]
fn every_link_leads_somewhere() {
    for page in pages(&root().join("docs/src")) {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let found = std::fs::read_to_string(&target);
            assert!(found.is_ok(), "{}: no page {link}", page.display());
            assert!(
                anchor.is_empty() || anchors(&found.unwrap()).contains(&anchor.into()),
                "{}: {link}",
                page.display()
            );
        }
    }
}
