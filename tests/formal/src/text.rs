//! Changes to exported Verilog, each of which fails when the text is not what it expects.

/// The range of module `name` in `text`.
fn module(text: &str, name: &str) -> Result<std::ops::Range<usize>, String> {
    let missing = || format!("there is no module `{name}`");
    let from = text.find(&format!("module {name}(")).ok_or_else(missing)?;
    let end = format!("endmodule // {name}\n");
    let custom = "endmodule // ";
    let length = text[from..].find(&end).or_else(|| text[from..].find(custom)).ok_or_else(missing)?;
    Ok(from..from + length)
}

/// Replaces `find`, which module `name` must hold `count` times.
pub fn substitute(text: &str, name: &str, find: &str, replace: &str, count: usize) -> Result<String, String> {
    let range = module(text, name)?;
    let body = &text[range.clone()];
    match body.matches(find).count() {
        found if found == count => {
            Ok(text[..range.start].to_string() + &body.replace(find, replace) + &text[range.end..])
        }
        found => Err(format!("module `{name}` holds `{find}` {found} times, not {count}")),
    }
}

/// Adds a port to module `name`: its name in the list, its declaration (and whatever else) in the body.
pub fn add_port(text: &str, name: &str, port: &str, declaration: &str) -> Result<String, String> {
    let range = module(text, name)?;
    let list = text[range.clone()].find(");").ok_or_else(|| format!("module `{name}` has no port list"))? + range.start;
    Ok(format!("{},{port});\n    {declaration}{}", &text[..list], &text[list + 2..]))
}

/// The module that instantiates `name`, and the name of the instance there.
pub fn parent<'a>(text: &str, name: &'a str) -> Result<(&'a str, &'a str), String> {
    name.rmatch_indices('$')
        .map(|(at, _)| (&name[..at], &name[at + 1..]))
        .find(|(parent, _)| text.contains(&format!("module {parent}(")))
        .ok_or_else(|| format!("module `{name}` has no parent"))
}

/// Connects `port` of the instance of module `name` to the port of the same name of its parent.
pub fn connect(text: &str, name: &str, instance: &str, port: &str) -> Result<String, String> {
    let head = format!("    {name} {instance}(\n");
    match text.matches(&head).count() {
        1 => Ok(text.replace(&head, &format!("{head}        .{port}({port}),\n"))),
        n => Err(format!("{n} instances of module `{name}`")),
    }
}

/// Takes the initial values of all flip-flops away: they may hold anything at the start.
pub fn free_start(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let opens = line.trim() == "initial begin";
        if opens && lines.peek().is_some_and(|next| next.trim().starts_with("q = ")) {
            lines.by_ref().take_while(|line| line.trim() != "end").for_each(drop);
        } else {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "module top(a);\n    top$sub$0 sub$0(\n        .a(a)\n    );\nendmodule // top\n\nmodule top$sub$0(a);\n    b = c;\nendmodule // top$sub$0\n";

    #[test]
    fn a_substitution_wants_the_text_exactly_as_often_as_said() {
        assert!(substitute(TEXT, "top$sub$0", "b = c", "b = d", 1).unwrap().contains("b = d"));
        assert!(substitute(TEXT, "top", "b = c", "b = d", 1).is_err());
        assert!(substitute(TEXT, "top$sub$0", "b = c", "b = d", 2).is_err());
        assert!(substitute(TEXT, "top$other", "b = c", "b = d", 1).is_err());
    }

    #[test]
    fn an_element_of_an_array_finds_its_parent() {
        assert_eq!(parent(TEXT, "top$sub$0"), Ok(("top", "sub$0")));
        assert!(connect(TEXT, "top$sub$0", "sub$0", "x").unwrap().contains(".x(x)"));
    }

    #[test]
    fn flip_flops_lose_their_initial_values() {
        let text = "initial begin\n   q = 1'h0;\nend\nalways @(posedge clock) begin\n";
        assert_eq!(free_start(text), "always @(posedge clock) begin\n");
    }
}
