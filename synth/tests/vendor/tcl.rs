//! As much of Tcl as the scripts use: commands and words, with substitution in brackets followed and variables left alone.

/// Commands of Tcl and Vivado that the scripts may use.
const KNOWN: &[&str] = &[
    "add_files",
    "assign_bd_address",
    "connect_bd_intf_net",
    "connect_bd_net",
    "create_bd_cell",
    "create_bd_design",
    "create_bd_intf_port",
    "create_bd_port",
    "create_clock",
    "create_generated_clock",
    "create_ip",
    "create_project",
    "current_design",
    "error",
    "file",
    "foreach",
    "generate_target",
    "get_bd_addr_segs",
    "get_bd_cells",
    "get_bd_intf_pins",
    "get_bd_intf_ports",
    "get_bd_pins",
    "get_bd_ports",
    "get_clocks",
    "get_files",
    "get_ips",
    "get_nets",
    "get_pins",
    "get_ports",
    "get_property",
    "get_timing_paths",
    "if",
    "info",
    "list",
    "make_wrapper",
    "opt_design",
    "phys_opt_design",
    "place_design",
    "puts",
    "report_cdc",
    "report_timing_summary",
    "report_utilization",
    "route_design",
    "save_bd_design",
    "set",
    "set_clock_groups",
    "set_false_path",
    "set_input_delay",
    "set_max_delay",
    "set_operating_conditions",
    "set_output_delay",
    "set_property",
    "synth_design",
    "synth_ip",
    "validate_bd_design",
    "write_bitstream",
];

/// Words of a command; a word in braces or quotes without them, one in brackets with them.
pub type Command = Vec<String>;

/// Characters up to the bracket that closes the one at `start`; braces hide brackets.
fn closing(text: &[char], start: usize) -> Result<usize, String> {
    let (open, close) = if text[start] == '{' { ('{', '}') } else { ('[', ']') };
    let (mut depth, mut at) = (0, start);
    while at < text.len() {
        match text[at] {
            '\\' => at += 1,
            '{' if open == '[' => at = closing(text, at)?,
            c if c == open => depth += 1,
            c if c == close => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(at);
        }
        at += 1;
    }
    Err(format!("`{open}` is never closed: {}", text[start..].iter().take(40).collect::<String>()))
}

/// Commands at the outermost level.
pub fn parse(script: &str) -> Result<Vec<Command>, String> {
    let text: Vec<char> = script.replace("\\\n", " ").chars().collect();
    let (mut commands, mut words, mut at) = (vec![], vec![], 0);
    while at < text.len() {
        match text[at] {
            '\n' | ';' => {
                commands.push(std::mem::take(&mut words));
                at += 1;
            }
            c if c.is_whitespace() => at += 1,
            '#' if words.is_empty() => at += text[at..].iter().take_while(|c| **c != '\n').count(),
            '{' => {
                let end = closing(&text, at)?;
                words.push(text[at + 1..end].iter().collect());
                at = end + 1;
                if text.get(at).is_some_and(|c| !c.is_whitespace() && *c != ';') {
                    return Err(format!("text behind a brace: {}", words.join(" ")));
                }
            }
            '"' => {
                let length = text[at + 1..].iter().take_while(|c| **c != '"').count();
                let end = at + 1 + length;
                if end == text.len() {
                    return Err("a quote is never closed".into());
                }
                words.push(text[at + 1..end].iter().collect());
                at = end + 1;
            }
            '}' | ']' => return Err(format!("`{}` closes nothing", text[at])),
            _ => {
                let start = at;
                while at < text.len() && !text[at].is_whitespace() && text[at] != ';' {
                    at = if text[at] == '[' { closing(&text, at)? + 1 } else { at + 1 };
                }
                words.push(text[start..at].iter().collect());
            }
        }
    }
    commands.push(words);
    commands.retain(|words| !words.is_empty());
    Ok(commands)
}

/// Scripts in the brackets of a word.
fn brackets(word: &str) -> Result<Vec<String>, String> {
    let text: Vec<char> = word.chars().collect();
    let (mut scripts, mut at) = (vec![], 0);
    while at < text.len() {
        if text[at] == '[' {
            let end = closing(&text, at)?;
            scripts.push(text[at + 1..end].iter().collect());
            at = end;
        }
        at += 1;
    }
    Ok(scripts)
}

/// All commands, those in brackets and in bodies too; the outer one first.
pub fn all_commands(script: &str) -> Result<Vec<Command>, String> {
    let mut all = vec![];
    for words in parse(script)? {
        let bodies = match words[0].as_str() {
            "if" => words[2..].iter().filter(|word| *word != "else").cloned().collect(),
            "foreach" => vec![words.last().cloned().unwrap_or_default()],
            _ => vec![],
        };
        // Brackets in braces are text, such as the index of a port; but a condition in braces is evaluated.
        let evaluated: Vec<_> = words.iter().filter(|word| word.starts_with('[')).cloned().collect();
        all.push(words.clone());
        for word in evaluated {
            for inner in brackets(&word)? {
                all.extend(all_commands(&inner)?);
            }
        }
        for body in bodies {
            all.extend(all_commands(&body)?);
        }
    }
    Ok(all)
}

/// What is wrong with a script by itself.
pub fn flaws(script: &str) -> Vec<String> {
    match all_commands(script) {
        Err(error) => vec![error],
        Ok(commands) => commands
            .iter()
            .filter(|words| !KNOWN.contains(&words[0].as_str()))
            .map(|words| format!("unknown command `{}`", words[0]))
            .collect(),
    }
}

#[test]
fn vp4_scripts_and_constraints_are_tcl_of_known_commands() {
    for project in rnic_synth::VENDOR_PROJECTS {
        for file in ["project.tcl", "board.xdc"] {
            let text = project.source(file).expect("a file");
            assert_eq!(flaws(text), [""; 0], "{} {file}", project.name);
        }
    }
}

#[test]
fn vp4_each_mistake_of_tcl_is_found() {
    let text = super::source("kc705", "project.tcl");
    for (from, to, complaint) in [
        ("CONFIG.Vendor_ID {FADE}", "CONFIG.Vendor_ID {FADE", "`{` is never closed: {FADE"),
        ("] [get_ips pcie_7x_0]\ngenerate", " [get_ips pcie_7x_0]\ngenerate", "`[` is never closed: [list"),
        ("if {$slack < 0} {", "if {$slack < 0} ", "`}` closes nothing"),
        ("see timing_summary.txt\"", "see timing_summary.txt", "a quote is never closed"),
        ("\nplace_design", "\nplace_desing", "unknown command `place_desing`"),
        ("[get_property SLACK", "[get_propertie SLACK", "unknown command `get_propertie`"),
        ("        error \"", "        eror \"", "unknown command `eror`"),
    ] {
        let found = flaws(&super::broken(text, from, to));
        assert!(found.iter().any(|flaw| flaw.starts_with(complaint)), "{from}: {found:?}");
    }
}
