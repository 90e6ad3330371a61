//! The constraints against the ports of the outermost module and against VP5.
use super::{broken, source, tcl, wrapper};
use std::collections::BTreeMap;

/// Ports that have no known pin. None: a port without one is not made up but named here and on the board's page.
const UNPLACED: [&str; 0] = [];

/// Ports of transceivers: a place, but no standard.
const SERIAL: [&str; 6] = ["pcie_refclk", "pcie_rx", "pcie_tx", "qsfp_refclk", "qsfp_rx", "qsfp_tx"];

fn is_serial(port: &str) -> bool {
    let stem = port.split('[').next().unwrap_or_default();
    SERIAL.iter().any(|serial| [format!("{serial}_p"), format!("{serial}_n")].contains(&stem.to_string()))
}

fn commands(text: &str) -> Vec<Vec<String>> {
    tcl::parse(text).expect("Tcl")
}

/// Names in `[get_ports ...]`.
fn ports_of(word: &str) -> Vec<String> {
    let inner = word.trim_start_matches('[').strip_suffix(']').unwrap_or_default();
    let words = tcl::parse(inner).expect("Tcl").remove(0);
    assert_eq!(words[0], "get_ports", "{word}");
    words[1].split_whitespace().map(String::from).collect()
}

/// Properties of each port.
fn properties(text: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let mut found = BTreeMap::<String, Vec<(String, String)>>::new();
    for words in commands(text) {
        let last = words.last().expect("a word");
        if words[0] != "set_property" || !last.contains("get_ports") {
            continue;
        }
        let pairs: Vec<String> = if words[1] == "-dict" {
            words[2].split_whitespace().map(String::from).collect()
        } else {
            words[1..3].to_vec()
        };
        for port in ports_of(last) {
            let of_port = found.entry(port).or_default();
            of_port.extend(pairs.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())));
        }
    }
    found
}

/// Letters of rows leave out what looks like a digit or another letter.
fn is_site(site: &str) -> bool {
    let split = site.find(|c: char| c.is_ascii_digit()).unwrap_or(site.len());
    let (row, column) = site.split_at(split);
    let known = (1..=2).contains(&row.len()) && row.chars().all(|c| "ABCDEFGHJKLMNPRTUVWY".contains(c));
    known && column.parse().is_ok_and(|column: u32| (1..=46).contains(&column))
}

/// What is wrong with pins and standards.
fn pin_flaws(top: &str, text: &str) -> Vec<String> {
    let found = properties(text);
    let (mut flaws, mut sites) = (vec![], BTreeMap::new());
    let bits = wrapper::port_bits(top);
    for port in &bits {
        let of_port = found.get(port).map(Vec::as_slice).unwrap_or_default();
        let values = |key: &str| {
            of_port.iter().filter(|(found, _)| found == key).map(|(_, value)| value.clone()).collect::<Vec<_>>()
        };
        let places = values("PACKAGE_PIN");
        if places.len() != 1 && !UNPLACED.contains(&port.as_str()) {
            flaws.push(format!("{port} has {} pins", places.len()));
        }
        if values("IOSTANDARD").len() != usize::from(!is_serial(port)) {
            flaws.push(format!("{port} has {} standards", values("IOSTANDARD").len()));
        }
        for site in places {
            if !is_site(&site) {
                flaws.push(format!("{site} is no site"));
            }
            if let Some(first) = sites.insert(site.clone(), port.clone()) {
                flaws.push(format!("{site} is used by {first} and {port}"));
            }
        }
    }
    flaws.extend(found.keys().filter(|port| !bits.contains(port)).map(|port| format!("{port} is no port")));
    flaws
}

#[test]
fn vp5_every_port_has_one_pin_and_a_standard_and_no_pin_is_used_twice() {
    for name in ["kc705", "alveo-u50"] {
        assert_eq!(pin_flaws(source(name, "top.v"), source(name, "board.xdc")), [""; 0], "{name}");
    }
}

#[test]
fn vp5_each_mistake_of_pins_is_found() {
    let (top, text) = (source("kc705", "top.v"), source("kc705", "board.xdc"));
    for (from, to, complaint) in [
        ("PACKAGE_PIN U30 ", "", "phy_rxd[0] has 0 pins"),
        ("PACKAGE_PIN U30 ", "PACKAGE_PIN U25 ", "U25 is used by phy_rxd[0] and phy_rxd[1]"),
        ("PACKAGE_PIN U30 ", "PACKAGE_PIN IO30 ", "IO30 is no site"),
        ("PACKAGE_PIN K30 IOSTANDARD LVCMOS25 ", "PACKAGE_PIN K30 ", "phy_gtx_clk has 0 standards"),
        ("{pcie_rx_p[3]}", "{pcie_rx_p[4]}", "pcie_rx_p[4] is no port"),
        (
            "set_property PACKAGE_PIN U8 ",
            "set_property -dict {PACKAGE_PIN U8 IOSTANDARD LVDS} ",
            "pcie_refclk_p has 1 standards",
        ),
    ] {
        let found = pin_flaws(top, &broken(text, from, to));
        assert!(found.iter().any(|flaw| flaw == complaint), "{from}: {found:?}");
    }
    let more = pin_flaws(
        &broken(top, "    inout  wire       phy_mdio,", "    inout  wire       phy_mdio,\n    input  wire [1:0] more,"),
        text,
    );
    assert_eq!(more.len(), 4, "two bits, no pin and no standard: {more:?}");
}

/// Clocks at the ports of each board, nanoseconds.
fn clocks(name: &str) -> &'static [(&'static str, &'static str)] {
    match name {
        "kc705" => &[("sysclk_p", "5.000"), ("pcie_refclk_p", "10.000"), ("phy_rx_clk", "8.000")],
        _ => &[("clk_100_p", "10.000"), ("pcie_refclk_p", "10.000"), ("qsfp_refclk_p", "6.206")],
    }
}

/// Pairs of clocks that FIFOs join: core to wire and back.
fn crossings(name: &str) -> Vec<[String; 2]> {
    let net = |net: &str| format!("[get_clocks -of_objects [get_nets {net}]]");
    let pairs = match name {
        "kc705" => vec![[net("core_clk"), net("gmii_clk")], [net("core_clk"), "[get_clocks phy_rx_clk]".into()]],
        _ => vec![[net("core_clk"), net("cmac_clk")]],
    };
    pairs.into_iter().flat_map(|[a, b]| [[a.clone(), b.clone()], [b, a]]).collect()
}

/// What VP5 asks for and the text does not have.
fn timing_flaws(name: &str, text: &str) -> Vec<String> {
    let commands = commands(text);
    let has = |command: &str, words: &[&str]| {
        commands
            .iter()
            .any(|found| found[0] == command && words.iter().all(|word| found.iter().any(|other| other == word)))
    };
    let mut flaws = vec![];
    for (port, period) in clocks(name) {
        if !has("create_clock", &["-period", period, &format!("[get_ports {port}]")]) {
            flaws.push(format!("no clock of {period} ns at {port}"));
        }
    }
    for [from, to] in crossings(name) {
        if !has("set_max_delay", &["-datapath_only", "-from", &from, "-to", &to]) {
            flaws.push(format!("no bound from {from} to {to}"));
        }
    }
    let groups: Vec<_> = commands.iter().filter(|words| words[0] == "set_clock_groups").collect();
    if groups.is_empty() || !groups.iter().all(|words| words.contains(&"-asynchronous".into())) {
        flaws.push("no asynchronous clock groups".into());
    }
    // A group takes precedence over a bound: a pair that FIFOs join must not be in two groups.
    let group_of = |words: &[String], clock: &str| words.iter().position(|word| word.contains(clock));
    for words in groups {
        let both = (group_of(words, "core_clk"), group_of(words, "cmac_clk").or(group_of(words, "gmii_clk")));
        if matches!(both, (Some(core), Some(wire)) if core != wire) {
            flaws.push("clock groups void the bounds".into());
        }
    }
    let perst = properties(text).remove("pcie_perst_n").unwrap_or_default();
    if !perst.iter().any(|(key, value)| key == "PULLUP" && value == "true") {
        flaws.push("perst is not pulled up".into());
    }
    let from_perst =
        |words: &&Vec<String>| words[..2] == ["set_false_path", "-from"] && words[2].contains("pcie_perst_n");
    if !commands.iter().any(|words| words.len() == 3 && from_perst(&words)) {
        flaws.push("perst has a time".into());
    }
    flaws
}

#[test]
fn vp5_clocks_groups_bounds_and_perst_are_there() {
    for name in ["kc705", "alveo-u50"] {
        assert_eq!(timing_flaws(name, source(name, "board.xdc")), [""; 0], "{name}");
    }
}

#[test]
fn vp5_each_missing_constraint_is_found() {
    for name in ["kc705", "alveo-u50"] {
        let text = source(name, "board.xdc");
        let missed = |gone: &str| {
            let left: Vec<_> = text.lines().filter(|line| !line.starts_with(gone)).collect();
            assert!(left.len() < text.lines().count(), "{gone}");
            timing_flaws(name, &left.join("\n")).len()
        };
        assert_eq!(missed("create_clock"), 3, "{name}");
        assert_eq!(missed("set_max_delay"), crossings(name).len(), "{name}");
        assert_eq!(missed("set_clock_groups"), 1, "{name}");
        assert_eq!(missed("set_false_path -from [get_ports"), 1, "{name}");
        let perst = broken(text, "PULLUP true} [get_ports pcie_perst_n]", "PULLUP false} [get_ports pcie_perst_n]");
        assert_eq!(timing_flaws(name, &perst), ["perst is not pulled up"]);
        let slow = text.replace("-period 10.000 [get_ports pcie_refclk_p]", "-period 8.000 [get_ports pcie_refclk_p]");
        assert_eq!(timing_flaws(name, &slow), ["no clock of 10.000 ns at pcie_refclk_p"]);
    }
    let apart = broken(
        source("alveo-u50", "board.xdc"),
        "-group [get_clocks -of_objects [get_nets {core_clk cmac_clk}]]",
        "-group [get_clocks -of_objects [get_nets core_clk]] -group [get_clocks -of_objects [get_nets cmac_clk]]",
    );
    assert_eq!(timing_flaws("alveo-u50", &apart), ["clock groups void the bounds"]);
}

/// Settings of the whole design.
fn of_design(text: &str, key: &str) -> Option<String> {
    let found =
        commands(text).into_iter().find(|words| words.len() == 4 && words[1] == key && words[3] == "[current_design]");
    found.map(|words| words[2].clone())
}

#[test]
fn vp5_the_configuration_voltage_is_the_boards() {
    let voltage = |text: &str| (of_design(text, "CONFIG_VOLTAGE"), of_design(text, "CFGBVS"));
    let is = |volts: &str, bank: &str| (Some(volts.to_string()), Some(bank.to_string()));
    assert_eq!(voltage(source("kc705", "board.xdc")), is("2.5", "VCCO"));
    let u50 = source("alveo-u50", "board.xdc");
    assert_eq!(voltage(u50), is("1.8", "GND"));
    assert_ne!(voltage(&broken(u50, "CONFIG_VOLTAGE 1.8", "CONFIG_VOLTAGE 3.3")), is("1.8", "GND"));
}

#[test]
fn vp5_the_u50_never_asks_for_its_power_to_be_cut() {
    let low =
        |top: &str| top.matches("assign hbm_cattrip = 1'b0;").count() == 1 && top.matches("hbm_cattrip").count() == 2;
    let top = source("alveo-u50", "top.v");
    assert!(low(top));
    assert!(!low(&broken(top, "hbm_cattrip = 1'b0", "hbm_cattrip = 1'b1")));
    let pulled =
        |text: &str| properties(text)["hbm_cattrip"].iter().any(|(key, value)| key == "PULLDOWN" && value == "true");
    let text = source("alveo-u50", "board.xdc");
    assert!(pulled(text));
    assert!(!pulled(&broken(text, "PULLDOWN true", "PULLUP true")));
}
