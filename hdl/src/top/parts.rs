//! Export of the blocks that a board with a PCIe hard block puts beside the core: TLP bridge, gigabit MAC, management of
//! its PHY. Each is one Verilog file with flat ports, as the core is.
use super::export::{export_with, ExportError};
use crate::check::verilog;
use crate::mac::{GigabitMac, Mdio, LONGEST_ROCE_FRAME};
use crate::pcie::Bridge;

/// Names of the parts; the module of part `p` is `rnic_p`.
pub const PARTS: [&str; 3] = ["gigabit_mac", "mdio", "tlp_bridge"];

/// Completion timeout behind a hard block, milliseconds (RD7).
pub const HARD_BLOCK_TIMEOUT_MS: u64 = 50;
/// Management address of the one PHY; the boards that use this export have it there.
const PHY_ADDRESS: u8 = 7;

/// The Verilog of a part for a core at `core_khz`; its top module is `rnic_<part>`, and port `x` of its interface `i` is `i_x`.
///
/// # Errors
/// An unknown part, or a design that `check_all` refuses.
pub fn export_part(part: &str, core_khz: u32) -> Result<String, ExportError> {
    let text = match part {
        "gigabit_mac" => export_with("gigabit_mac", || verilog(&mut GigabitMac::<11, 12>::new(LONGEST_ROCE_FRAME))),
        "mdio" => export_with("mdio", move || verilog(&mut Mdio::<1, 0>::new(core_khz, [PHY_ADDRESS], []))),
        "tlp_bridge" => {
            export_with("tlp_bridge", move || verilog(&mut Bridge::new(HARD_BLOCK_TIMEOUT_MS * u64::from(core_khz))))
        }
        other => return Err(ExportError::UnknownPart(other.into())),
    };
    Ok(flatten(&text?, &format!("rnic_{part}")))
}

/// Writes `i$x` as `i_x` wherever it is a port of module `top`, and nowhere else: an instance below may have a port of that name.
fn flatten(text: &str, top: &str) -> String {
    let start = text.find(&format!("module {top}(")).unwrap_or(text.len());
    let end = text[start..].find("endmodule").map_or(text.len(), |length| start + length);
    let module = &text[start..end];
    let header = module.split(';').next().unwrap_or_default();
    let ports: Vec<_> = header.split(['(', ',', ')']).filter_map(|port| port.split_whitespace().last()).collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut out = text[..start].to_string();
    let mut rest = module;
    while !rest.is_empty() {
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        let flat = ports.contains(&word) && !out.ends_with('.');
        out += &if flat { word.replace('$', "_") } else { word.into() };
        let between = after.find(is_word).unwrap_or(after.len());
        out += &after[..between];
        rest = &after[between..];
    }
    out + &text[end..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ports_of_the_parts_are_flat() {
        for (part, ports) in [
            (
                "tlp_bridge",
                ["sink_tdata", "source_tready", "registers_awaddr", "read_araddr", "write_wstrb", "irq_vector"],
            ),
            ("gigabit_mac", ["core_clock", "tx_axis_tdata", "rx_axis_tuser", "rx_dropped", "gmii_txd", "gmii_rx_er"]),
            ("mdio", ["clock", "phy_reset_n", "mdc", "mdio_drive", "link", "gigabit"]),
        ] {
            let text = export_part(part, 125_000).unwrap();
            let header = text.split(&format!("module rnic_{part}(")).nth(1).unwrap().split(';').next().unwrap();
            assert!(!header.contains('$'), "{header}");
            for port in ports {
                assert!(header.split([',', ')', ' ']).any(|word| word == port), "{port} in {header}");
            }
        }
    }

    #[test]
    fn only_ports_of_the_top_lose_their_dollar() {
        let text =
            "module t(a$b,c);\ninput a$b; x i(.a$b(a$b), .c(i$a$b), .d(xa$b));\nendmodule\nmodule t$x(a$b);endmodule";
        let flat =
            "module t(a_b,c);\ninput a_b; x i(.a$b(a_b), .c(i$a$b), .d(xa$b));\nendmodule\nmodule t$x(a$b);endmodule";
        assert_eq!(flatten(text, "t"), flat);
    }

    #[test]
    fn an_unknown_part_is_refused() {
        assert!(matches!(export_part("switch", 1), Err(ExportError::UnknownPart(name)) if name == "switch"));
    }
}
