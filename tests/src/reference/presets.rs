//! Page of presets and limits.
use super::{code, Page};
use rnic_abi::preset::{Preset, ALL};
use rnic_abi::{axi, limits, pci};

pub(super) fn page() -> String {
    let mut page = Page::new("Presets and limits");
    page.section("Presets");
    page.text("One source is built in three sizes; the capability registers tell a driver all of them.");
    let [tiny, small, large] = ALL.map(rows);
    page.table(
        ["", "`tiny`", "`small`", "`large`"],
        tiny.into_iter().zip(small).zip(large).map(|((a, b), c)| [a.0.into(), a.1, b.1, c.1]),
    );
    page.section("Limits of all presets");
    page.table(
        ["Limit", "Value", "Meaning"],
        limits::COUNTS.iter().map(|(name, value, text)| [code(name), value.to_string(), text.trim().into()]),
    );
    page.text("Sizes in bytes, hexadecimal:");
    page.table(
        ["Limit", "Value", "Meaning"],
        limits::SIZES.iter().map(|(name, value, text)| [code(name), format!("{value:X}"), text.trim().into()]),
    );
    page.section("AXI ids");
    page.text("Reads:");
    ids(&mut page, axi::READ_IDS);
    page.text("Writes:");
    ids(&mut page, axi::WRITE_IDS);
    page.section("PCI identity");
    page.text(&format!(
        "Vendor {:04X}, device {:04X} (unassigned, for development), class {:04X}, BAR0 of {} KiB.",
        pci::VENDOR,
        pci::DEVICE,
        pci::CLASS,
        pci::BAR0_BYTES >> 10
    ));
    page.finish()
}

fn ids(page: &mut Page, table: &[(&str, u8, &str)]) {
    page.table(
        ["Id", "Name", "Client"],
        table.iter().map(|(name, id, text)| [id.to_string(), code(name), text.trim().into()]),
    );
}

fn rows(preset: &Preset) -> Vec<(&'static str, String)> {
    // Named one by one, so that a new number of the preset cannot be forgotten here.
    let Preset {
        name: _,
        data,
        qps,
        mr_entries,
        pages,
        max_page_list,
        outstanding,
        receive_depth,
        rd_max,
        reads_in_flight,
        read_share,
        wqe_pool,
        tx_frames,
        core_khz,
    } = *preset;
    vec![
        ("Data path, bits", data.to_string()),
        ("Queue pairs", qps.to_string()),
        ("Completion queues", preset.cqs().to_string()),
        ("Entries of the MR table (index 0 is reserved)", mr_entries.to_string()),
        ("Entries of the page buffer", pages.to_string()),
        ("Longest page list", max_page_list.to_string()),
        ("Longest memory region, MiB", (preset.max_mr_len() >> 20).to_string()),
        ("Outstanding WQEs of a queue pair", outstanding.to_string()),
        ("Receive WQEs prefetched for a queue pair", receive_depth.to_string()),
        ("Outstanding READs and atomics of a queue pair (RD_MAX)", rd_max.to_string()),
        ("DMA reads in flight", reads_in_flight.to_string()),
        ("of these reserved for each read client", read_share.to_string()),
        ("Slots of the WQE prefetch pool", wqe_pool.to_string()),
        ("Transmit frames in flight", tx_frames.to_string()),
        ("Core clock unless the build says otherwise, kHz", core_khz.to_string()),
    ]
}
