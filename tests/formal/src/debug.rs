//! Debug ports: what a proof may look at inside a block. Only proof builds have them; the product has none.
use crate::text::{add_port, connect, parent};

/// A value of an inner module, led to the top as an output called `name`.
#[derive(Debug, Clone, Copy)]
pub struct Debug {
    /// Module whose value it is.
    pub module: &'static str,
    /// Name of the output.
    pub name: &'static str,
    /// Its bits.
    pub width: usize,
    /// The value, in the Verilog of the module.
    pub value: &'static str,
    /// An input that the value needs (the row of a memory): name and bits.
    pub input: Option<(&'static str, usize)>,
}

/// A register or wire.
pub const fn wire(module: &'static str, name: &'static str, width: usize, value: &'static str) -> Debug {
    Debug { module, name, width, value, input: None }
}

/// The word of a memory that the input `at` points to.
pub const fn word(
    module: &'static str,
    name: &'static str,
    width: usize,
    value: &'static str,
    at: (&'static str, usize),
) -> Debug {
    Debug { module, name, width, value, input: Some(at) }
}

/// The Verilog with these ports.
pub fn expose(text: &str, ports: &[Debug]) -> Result<String, String> {
    let mut text = text.to_string();
    for Debug { module, name, width, value, input } in ports {
        let range = |width: usize| if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) };
        let output = format!("output wire {}{name};", range(*width));
        let inputs = input.map(|(at, bits)| (at, format!("input wire {}{at};", range(bits))));
        text = add_port(&text, module, name, &format!("{output}\n    assign {name} = {value};"))?;
        if let Some((at, declaration)) = &inputs {
            text = add_port(&text, module, at, declaration)?;
        }
        let mut below = *module;
        while below != "top" {
            let (above, instance) = parent(&text, below)?;
            text = add_port(&text, above, name, &output)?;
            text = connect(&text, below, instance, name)?;
            if let Some((at, declaration)) = &inputs {
                text = add_port(&text, above, at, declaration)?;
                text = connect(&text, below, instance, at)?;
            }
            below = above;
        }
    }
    Ok(text)
}
