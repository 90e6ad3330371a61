//! The scripts against the rules: files, part, blocks and their settings (VP1-VP4).
use super::{broken, project, source, tcl};
use std::collections::BTreeMap;

/// Settings of a block: those of `set_property -dict` on it.
fn settings(script: &str, block: &str) -> BTreeMap<String, String> {
    let commands = tcl::parse(script).expect("Tcl");
    let of_block = |words: &&Vec<String>| {
        words[0] == "set_property"
            && words[1] == "-dict"
            && words[3].trim_matches(['[', ']']).ends_with(&format!(" {block}"))
    };
    let lists = commands.iter().filter(of_block).map(|words| words[2].trim_matches(['[', ']']).to_string());
    let words = lists.flat_map(|list| tcl::parse(&list).expect("a list").remove(0)).filter(|word| word != "list");
    let words: Vec<_> = words.collect();
    words.chunks(2).map(|pair| (pair[0].trim_start_matches("CONFIG.").into(), pair[1].clone())).collect()
}

/// Settings that differ from those wanted.
fn wrong(script: &str, block: &str, wanted: &[(&str, &str)]) -> Vec<String> {
    let found = settings(script, block);
    let differs = |(key, value): &&(&str, &str)| found.get(*key).map(String::as_str) != Some(*value);
    wanted.iter().filter(differs).map(|(key, _)| (*key).to_string()).collect()
}

/// What is wrong with the outline of a script: first words, part, files, steps (VP4).
fn outline_flaws(name: &str, script: &str) -> Vec<String> {
    let project = project(name);
    let commands = tcl::all_commands(script).expect("Tcl");
    let mut flaws = vec![];
    if commands[0][0] != "puts" || !commands[0][1].contains("NEVER RUN") {
        flaws.push("does not say first that it was never run".into());
    }
    if !commands.contains(&vec!["set".into(), "part".into(), project.part.into()]) {
        flaws.push("another part".into());
    }
    let takes_part = |command: &str| {
        commands.iter().any(|words| words[0] == command && words.ends_with(&["-part".into(), "$part".into()]))
    };
    let creates = commands
        .iter()
        .any(|words| words[0] == "create_project" && words.windows(2).any(|pair| pair == ["-part", "$part"]));
    if !creates || !takes_part("synth_design") {
        flaws.push("the part is not used".into());
    }
    let named = |words: &&Vec<String>| words[..3] == ["file", "join", "$here"] && words[3].contains('.');
    let mut added: Vec<_> =
        commands.iter().filter(|words| words.len() == 4).filter(named).map(|words| words[3].clone()).collect();
    let written = project.sources.iter().map(|(file, _)| (*file).to_string()).filter(|file| file != "project.tcl");
    let mut there: Vec<_> = project.exported().into_iter().chain(written).collect();
    added.sort();
    there.sort();
    flaws.extend(added.iter().filter(|file| !there.contains(file)).map(|file| format!("no file {file}")));
    flaws.extend(there.iter().filter(|file| !added.contains(file)).map(|file| format!("{file} is not added")));
    let steps = [
        "create_project",
        "create_ip",
        "generate_target",
        "synth_design",
        "opt_design",
        "place_design",
        "phys_opt_design",
        "route_design",
        "report_timing_summary",
        "report_utilization",
        "report_cdc",
        "get_timing_paths",
        "error",
        "write_bitstream",
    ];
    let mut rest = commands.iter();
    for step in steps {
        if !rest.any(|words| words[0] == step) {
            flaws.push(format!("no {step} where it belongs"));
            break;
        }
    }
    flaws
}

#[test]
fn vp4_scripts_follow_the_outline() {
    for name in ["kc705", "alveo-u50"] {
        assert_eq!(outline_flaws(name, source(name, "project.tcl")), [""; 0], "{name}");
    }
}

#[test]
fn vp4_each_departure_from_the_outline_is_found() {
    for name in ["kc705", "alveo-u50"] {
        let text = source(name, "project.tcl");
        let project = project(name);
        let core = format!("rnic_{}.v", project.preset);
        let no_file = format!("no file {}", core.replace(".v", "s.v"));
        for (from, to, complaint) in [
            ("NEVER RUN", "tested", "does not say first that it was never run"),
            (project.part, "xc7a35tcsg324-1", "another part"),
            ("-top top -part $part", "-top top", "the part is not used"),
            (&core, &core.replace(".v", "s.v"), no_file.as_str()),
            ("    [file join $here top.v] \\\n", "", "top.v is not added"),
            ("phys_opt_design\n", "", "no phys_opt_design where it belongs"),
            ("opt_design\nplace_design", "place_design\nopt_design", "no place_design where it belongs"),
            ("        error \"$kind", "        puts \"$kind", "no error where it belongs"),
        ] {
            let script =
                if from.starts_with("opt_design") { text.replacen(from, to, 1) } else { broken(text, from, to) };
            assert!(
                outline_flaws(name, &script).iter().any(|flaw| flaw == complaint),
                "{name} {from}: {:?}",
                outline_flaws(name, &script)
            );
        }
    }
}

const PCIE_7X: &[(&str, &str)] = &[
    ("Link_Speed", "2.5_GT/s"),
    ("Maximum_Link_Width", "X4"),
    ("Ref_Clk_Freq", "100_MHz"),
    ("User_Clk_Freq", "125"),
    ("Interface_Width", "64_bit"),
    ("Max_Payload_Size", "512_bytes"),
    ("Bar0_Scale", "Kilobytes"),
    ("Bar0_Size", "64"),
    ("Legacy_Interrupt", "None"),
    ("IntX_Generation", "false"),
    ("MSIx_Enabled", "true"),
    ("MSIx_Table_Size", "20"),
    ("MSIx_Table_Offset", "8000"),
    ("MSIx_PBA_Offset", "C000"),
    ("Vendor_ID", "FADE"),
    ("Device_ID", "4E1C"),
];

const XDMA: &[(&str, &str)] = &[
    ("functional_mode", "AXI_Bridge"),
    ("mode_selection", "Advanced"),
    ("pl_link_cap_max_link_width", "X16"),
    ("pl_link_cap_max_link_speed", "8.0_GT/s"),
    ("axi_addr_width", "64"),
    ("axi_data_width", "512_bit"),
    ("axisten_freq", "250"),
    ("en_axi_slave_if", "true"),
    ("axibar_num", "1"),
    ("axibar_0", "0x0000000000000000"),
    ("axibar_highaddr_0", "0x000FFFFFFFFFFFFF"),
    ("axibar2pciebar_0", "0x0000000000000000"),
    ("pf0_bar0_64bit", "true"),
    ("pf0_bar0_scale", "Kilobytes"),
    ("pf0_bar0_size", "64"),
    ("pciebar2axibar_0", "0x0000000000000000"),
    ("pf0_msix_enabled", "true"),
    ("c_s_axi_supports_narrow_burst", "false"),
    ("xdma_num_usr_irq", "8"),
    ("vendor_id", "FADE"),
    ("pf0_device_id", "4E1C"),
];

const CMAC: &[(&str, &str)] = &[
    ("CMAC_CAUI4_MODE", "1"),
    ("NUM_LANES", "4x25"),
    ("USER_INTERFACE", "AXIS"),
    ("INCLUDE_RS_FEC", "1"),
    ("TX_FLOW_CONTROL", "0"),
    ("RX_FLOW_CONTROL", "0"),
    ("RX_MAX_PACKET_LEN", "4352"),
    ("GT_REF_CLK_FREQ", "161.1328125"),
    ("GT_DRP_CLK", "125"),
    ("CMAC_CORE_SELECT", "CMACE4_X0Y4"),
    ("GT_GROUP_SELECT", "X0Y28~X0Y31"),
    ("LANE1_GT_LOC", "X0Y28"),
    ("LANE2_GT_LOC", "X0Y29"),
    ("LANE3_GT_LOC", "X0Y30"),
    ("LANE4_GT_LOC", "X0Y31"),
];

/// Every setting is there, and each is missed when its key is another.
fn all_needed(name: &str, block: &str, wanted: &[(&str, &str)]) {
    let text = source(name, "project.tcl");
    assert_eq!(wrong(text, block, wanted), [""; 0], "{block}");
    for (key, value) in wanted {
        let script = broken(text, &format!("CONFIG.{key} {{{value}}}"), &format!("CONFIG.{key} {{other}}"));
        assert_eq!(wrong(&script, block, wanted), [*key]);
    }
}

#[test]
fn vp1_the_pcie_block_of_the_kc705_is_set_as_the_bridge_wants_it() {
    all_needed("kc705", "pcie_7x_0", PCIE_7X);
    let commands = tcl::all_commands(source("kc705", "project.tcl")).expect("Tcl");
    assert!(commands.iter().any(|words| words[0] == "create_ip" && words[2] == "pcie_7x"));
}

#[test]
fn vp1_table_and_pending_bits_are_where_the_bridge_has_them() {
    use rnic_abi::link::bridge;
    let found = settings(source("kc705", "project.tcl"), "pcie_7x_0");
    let hex = |key: &str| u32::from_str_radix(&found[key], 16).expect("a number");
    assert_eq!(hex("MSIx_Table_Offset"), u32::from(bridge::MSIX_TABLE));
    assert_eq!(hex("MSIx_PBA_Offset"), u32::from(bridge::MSIX_PENDING));
    assert_eq!(hex("MSIx_Table_Size") as usize, bridge::VECTORS);
}

#[test]
fn vp2_the_pcie_bridge_of_the_u50_maps_addresses_as_they_are() {
    all_needed("alveo-u50", "xdma_0", XDMA);
}

#[test]
fn vp2_the_bridge_is_joined_to_both_sides_of_the_core() {
    let joined = |script: &str| {
        let commands = tcl::parse(script).expect("Tcl");
        let ends = |words: &Vec<String>| {
            words[1..]
                .iter()
                .map(|word| word.trim_matches(['[', ']']).split(' ').next_back().unwrap_or_default().to_string())
                .collect::<Vec<_>>()
        };
        let nets: Vec<_> = commands.iter().filter(|words| words[0].starts_with("connect_bd")).map(ends).collect();
        [
            vec!["xdma_0/M_AXI_B", "smartconnect_0/S00_AXI"],
            vec!["smartconnect_0/M00_AXI", "m_axil"],
            vec!["s_axi", "xdma_0/S_AXI_B"],
            vec!["usr_irq_req", "xdma_0/usr_irq_req"],
        ]
        .iter()
        .filter(|net| !nets.iter().any(|found| found == *net))
        .count()
    };
    let text = source("alveo-u50", "project.tcl");
    assert_eq!(joined(text), 0);
    assert_eq!(joined(&broken(text, "xdma_0/S_AXI_B]", "xdma_0/S_AXI_LITE]")), 1);
    assert_eq!(joined(&broken(text, "xdma_0/usr_irq_req]", "xdma_0/usr_irq]")), 1);
}

#[test]
fn vp3_the_cmac_is_that_of_the_cage() {
    all_needed("alveo-u50", "cmac_usplus_0", CMAC);
}

#[test]
fn vp3_frames_leave_whole_and_come_whole_or_not_at_all() {
    let longest_beats = rnic_hdl::mac::LONGEST_ROCE_FRAME.div_ceil(64);
    let judge = |script: &str| {
        let (send, receive) = (settings(script, "send_fifo"), settings(script, "receive_fifo"));
        let number = |of: &BTreeMap<String, String>, key: &str| of[key].parse::<usize>().expect("a number");
        let crossing = |of: &BTreeMap<String, String>| of["IS_ACLK_ASYNC"] == "1" && of["TDATA_NUM_BYTES"] == "64";
        let room = number(&receive, "FIFO_DEPTH") - number(&receive, "PROG_FULL_THRESH");
        // The flag is some beats late.
        let whole = receive["HAS_PROG_FULL"] == "1" && room >= longest_beats + 16;
        (crossing(&send) && crossing(&receive), send["FIFO_MODE"] == "2", whole)
    };
    let text = source("alveo-u50", "project.tcl");
    assert_eq!(judge(text), (true, true, true));
    assert!(!judge(&text.replace("IS_ACLK_ASYNC {1}", "IS_ACLK_ASYNC {0}")).0);
    assert!(!judge(&broken(text, "FIFO_MODE {2}", "FIFO_MODE {1}")).1);
    assert!(!judge(&broken(text, "THRESH {424}", "THRESH {440}")).2);
}
