//! Changes of the exported Verilog.
use crate::{JudgeError, Mutant};

/// The Verilog with the clock on nets instead of in the combinational blocks.
///
/// rust-hdl passes the clock down inside `always @(*)`, so that Icarus evaluates every block at both edges. The same
/// assignments outside of them make a run about six times as fast.
///
/// # Errors
/// When an assignment has no declaration to go with it.
pub fn clock_nets(verilog: &str) -> Result<String, JudgeError> {
    let mut out = String::with_capacity(verilog.len());
    let (mut nets, mut assignments) = (0, 0);
    for line in verilog.lines() {
        let words = line.trim();
        let name = words.strip_prefix("reg").map(str::trim).and_then(|name| name.strip_suffix(';'));
        if let Some(name) = name.filter(|name| name.ends_with("$clock") && !name.contains(' ')) {
            out += &format!("    wire {name} = clock;\n");
            nets += 1;
        } else if words.ends_with("$clock = clock;") {
            assignments += 1;
        } else {
            out += line;
            out.push('\n');
        }
    }
    if nets == assignments && nets > 0 {
        Ok(out)
    } else {
        Err(JudgeError::Text(format!("{nets} clocks of inner modules, {assignments} assignments to them")))
    }
}

/// The Verilog with a mistake.
///
/// # Errors
/// When a text that the mutant replaces is not there exactly once in each of its modules.
pub fn mutate(verilog: &str, mutant: &Mutant) -> Result<String, JudgeError> {
    let wrong = |what: String| JudgeError::Text(format!("mutant \"{}\": {what}", mutant.name));
    let mut out = verilog.to_string();
    let all: Vec<String> = match mutant.copies {
        0 => vec![mutant.module.into()],
        copies => (0..copies).map(|copy| format!("{}{copy}", mutant.module)).collect(),
    };
    for module in all {
        let start = out.find(&format!("module {module}(")).ok_or_else(|| wrong(format!("no module {module}")))?;
        let length = out[start..].find("endmodule").ok_or_else(|| wrong(format!("{module} has no end")))?;
        let mut body = out[start..start + length].to_string();
        for (find, replace) in mutant.edits {
            let count = body.matches(find).count();
            if count != 1 {
                return Err(wrong(format!("`{find}` stands {count} times in {module}")));
            }
            body = body.replace(find, replace);
        }
        out.replace_range(start..start + length, &body);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "module top(clock);
    reg  a$clock;
    always @(*) begin
        a$clock = clock;
        b = 1'b0;
    end
endmodule
";

    #[test]
    fn clocks_become_nets() {
        let text = clock_nets(TEXT).unwrap();
        assert!(
            text.contains("wire a$clock = clock;") && !text.contains("        a$clock") && text.contains("b = 1'b0;")
        );
        assert!(clock_nets(&TEXT.replace("a$clock = clock;", "")).is_err());
    }

    #[test]
    fn a_mutant_without_its_text_is_an_error() {
        let mutant = |edits| Mutant { name: "m", module: "top", copies: 0, edits, judge: "test_vectors", test: "v1" };
        assert!(mutate(TEXT, &mutant(&[("b = 1'b0", "b = 1'b1")])).unwrap().contains("1'b1"));
        assert!(mutate(TEXT, &mutant(&[("c = 1'b0", "")])).is_err());
        assert!(mutate(TEXT, &mutant(&[("clock", "")])).is_err(), "more than once");
        assert!(mutate(TEXT, &Mutant { copies: 2, ..mutant(&[]) }).is_err(), "no such module");
    }
}
