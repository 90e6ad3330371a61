//! The storage protocol over two verilated NICs: what the driver's flows are for.
use rnic_sim::storage::{run, Report, Settings};
use rnic_sim::wire::Chances;
use rnic_sim::Variant;

fn passes(settings: &Settings) -> Report {
    let report = run(settings, |_| {}).unwrap();
    assert!(report.passed, "{report:#?}");
    assert_eq!((report.mappings_left, report.regions_left, report.figures.eagain), (0, 0, 0));
    report
}

#[test]
fn f11_f12_f14_f16_f20_a_thousand_ios_at_depth_32_with_two_percent_loss() {
    let report = passes(&Settings { aborts: 0, reconnect_every: 0, ..Settings::default() });
    assert!(report.lost_frames > 100 && report.figures.reconnects == 0, "{report:#?}");
    let figures = report.figures;
    assert_eq!(figures.ios, 1000);
    assert!(figures.invalidated_by_peer > 500 && figures.invalidated_by_us > 100 && figures.plain > 500, "{report:#?}");
    assert_eq!(figures.registrations, figures.invalidated_by_peer + figures.invalidated_by_us);
}

#[test]
fn d13_f14_aborts_in_mid_transfer_and_lost_connections_lose_no_byte() {
    for seed in 1..4 {
        let chances = Chances { loss: 10, duplication: 10, reordering: 10, corruption: 5, ..Chances::default() };
        let settings =
            Settings { seed, ios: 150, depth: 16, aborts: 10, reconnect_every: 40, chances, ..Settings::default() };
        let report = passes(&settings);
        assert!(report.figures.reconnects >= 3 && report.figures.repeated > 0, "{report:#?}");
    }
}

#[test]
fn the_large_preset_serves_the_same_protocol() {
    passes(&Settings { variant: Variant::Large, ios: 100, aborts: 2, reconnect_every: 50, ..Settings::default() });
}
