//! Kernel lint: walks the kernels of a design and reports expressions whose Verilog may mean something else than the Rust.
//!
//! rust-hdl prints expressions without regard to precedence and width: literals are 32 bits wide, casts do not truncate
//! what is inside, bit operators bind weaker than comparisons. The lint admits the style in which none of that matters;
//! it is stricter than necessary and no proof, so every block is co-simulated as well.
use rust_hdl::prelude::ast::*;
use rust_hdl::prelude::*;
use std::collections::HashMap;

#[derive(Default)]
struct KernelLint {
    path: Vec<String>,
    namespace: Vec<String>,
    /// Per open scope: its kernel and the widths of the names it can see.
    scopes: Vec<(Verilog, HashMap<String, usize>)>,
    findings: Vec<String>,
}

/// Findings in the kernels of a design, one line each; call `connect_all` first.
pub fn kernel_lint(uut: &dyn Block) -> Vec<String> {
    let mut lint = KernelLint::default();
    uut.accept("top", &mut lint);
    lint.findings
}

impl Probe for KernelLint {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        self.path.push(name.into());
        self.namespace.clear();
        self.scopes.push((node.hdl(), HashMap::new()));
    }
    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        self.namespace.push(name.into());
    }
    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        self.namespace.pop();
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let mut full = self.namespace.clone();
        full.push(name.into());
        let full = full.join("$");
        let depth = self.scopes.len();
        if depth > 1 && signal.kind().is_parameter() {
            let outer = format!("{}${full}", self.path[depth - 1]);
            self.scopes[depth - 2].1.insert(outer, signal.bits());
        }
        self.scopes[depth - 1].1.insert(full, signal.bits());
    }
    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        let (code, widths) = self.scopes.pop().unwrap();
        if let Verilog::Combinatorial(block) = &code {
            let at = self.path.join(".");
            check_block(block, &widths, &mut |what, e| self.findings.push(format!("{at}: {what}: {}", brief(e))));
        }
        self.path.pop();
    }
}

type Report<'a> = dyn FnMut(&str, &VerilogExpression) + 'a;

fn brief(e: &VerilogExpression) -> String {
    format!("{e:?}").chars().take(160).collect()
}

fn check_block(block: &VerilogBlock, widths: &HashMap<String, usize>, report: &mut Report) {
    for statement in block {
        match statement {
            VerilogStatement::Assignment(target, value)
            | VerilogStatement::SliceAssignment { base: target, replacement: value, .. } => {
                let name = if let VerilogExpression::Signal(name) = target { name.as_str() } else { "?" };
                check_top(value, widths, &mut |what, e| report(&format!("{name}: {what}"), e))
            }
            VerilogStatement::If(c) => check_if(c, widths, report),
            VerilogStatement::Match(m) => {
                check_inner(&m.test, widths, report);
                m.cases.iter().for_each(|c| check_block(&c.block, widths, report));
            }
            VerilogStatement::Loop(l) => check_block(&l.block, widths, report),
            VerilogStatement::Macro(b) => check_block(b, widths, report),
            VerilogStatement::Comment(_) | VerilogStatement::Link(_) => {}
        }
    }
}

fn check_if(c: &VerilogConditional, widths: &HashMap<String, usize>, report: &mut Report) {
    check_inner(&c.test, widths, report);
    check_block(&c.then, widths, report);
    match &c.otherwise {
        VerilogBlockOrConditional::Block(b) => check_block(b, widths, report),
        VerilogBlockOrConditional::Conditional(s) => check_block(&vec![(**s).clone()], widths, report),
        VerilogBlockOrConditional::None => {}
    }
}

fn strip(e: &VerilogExpression) -> &VerilogExpression {
    match e {
        VerilogExpression::Paren(e) => strip(e),
        e => e,
    }
}
fn is_literal(e: &VerilogExpression) -> bool {
    match strip(e) {
        VerilogExpression::Literal(_) => true,
        VerilogExpression::Cast(e, _) => is_literal(e),
        _ => false,
    }
}
fn is_mask(e: &VerilogExpression) -> bool {
    matches!(strip(e), VerilogExpression::Unary(VerilogOpUnary::Not, e) if is_literal(e)) || is_literal(e)
}
/// One bit that stays one bit when the context widens it.
fn is_bit(e: &VerilogExpression, widths: &HashMap<String, usize>) -> bool {
    match strip(e) {
        VerilogExpression::Binary(l, op, r) if is_bitwise(op) => is_bit(l, widths) && is_bit(r, widths),
        VerilogExpression::Literal(_) => true,
        e => fixed_width(e, widths).is_some(),
    }
}
/// Width of a name, slice or bit; None for anything whose width the context can stretch.
fn fixed_width(e: &VerilogExpression, widths: &HashMap<String, usize>) -> Option<usize> {
    use VerilogExpression::*;
    match strip(e) {
        Signal(name) => {
            let name = name.replace("$next", "");
            let mut first = String::new();
            let mut skip = false;
            for c in name.chars() {
                match c {
                    '[' => {
                        skip = true;
                        first.push_str("$0");
                    }
                    ']' => skip = false,
                    c if !skip => first.push(c),
                    _ => {}
                }
            }
            Some(*widths.get(&first).unwrap_or(&usize::MAX))
        }
        Slice(_, width, _) => Some(*width),
        Index(..) => Some(1),
        Binary(_, op, _) if is_compare(op) || matches!(op, VerilogOp::LogicalAnd | VerilogOp::LogicalOr) => Some(1),
        Unary(VerilogOpUnary::All | VerilogOpUnary::Any | VerilogOpUnary::Xor, _) => Some(1),
        _ => None,
    }
}
fn is_compare(op: &VerilogOp) -> bool {
    matches!(op, VerilogOp::Eq | VerilogOp::Ne | VerilogOp::Lt | VerilogOp::Le | VerilogOp::Gt | VerilogOp::Ge)
}
fn is_bitwise(op: &VerilogOp) -> bool {
    matches!(op, VerilogOp::BitAnd | VerilogOp::BitOr | VerilogOp::BitXor)
}

/// Whether the context can push extra high bits into a right shift below.
fn shifts_right(e: &VerilogExpression) -> bool {
    match strip(e) {
        VerilogExpression::Binary(_, VerilogOp::Shr, _) => true,
        VerilogExpression::Binary(l, op, r) if !is_compare(op) => {
            shifts_right(l) || (!matches!(op, VerilogOp::Shl) && shifts_right(r))
        }
        VerilogExpression::Unary(VerilogOpUnary::Not | VerilogOpUnary::Neg, e) => shifts_right(e),
        VerilogExpression::Cast(e, _) => shifts_right(e),
        _ => false,
    }
}

/// The whole right-hand side: the assignment truncates it, so a literal or narrowing cast may be a direct operand.
fn check_top(e: &VerilogExpression, widths: &HashMap<String, usize>, report: &mut Report) {
    match strip(e) {
        VerilogExpression::Binary(l, op, r) if !is_compare(op) && !matches!(op, VerilogOp::Shr) => {
            for (side, other) in [(l, r), (r, l)] {
                let narrows = matches!(strip(side), VerilogExpression::Cast(inner, bits) if fixed_width(inner, widths).is_some_and(|w| w > *bits));
                if (narrows || is_mask(side)) && !matches!(op, VerilogOp::Shl) && shifts_right(other) {
                    report("literal or narrowing cast widens a right shift", e);
                }
                match strip(side) {
                    s if is_mask(s) => {}
                    VerilogExpression::Cast(inner, _) => check_cast(inner, usize::MAX, widths, report),
                    s => check_inner(s, widths, report),
                }
            }
        }
        VerilogExpression::Cast(inner, bits) => check_cast(inner, *bits, widths, report),
        VerilogExpression::IndexReplace(base, _, value) => {
            if !is_bit(value, widths) {
                report("replacement bit is widened before it is inverted", value);
            }
            check_inner(base, widths, report);
            check_inner(value, widths, report);
        }
        e if is_mask(e) => {}
        e => check_inner(e, widths, report),
    }
}

fn check_cast(inner: &VerilogExpression, _bits: usize, widths: &HashMap<String, usize>, report: &mut Report) {
    if fixed_width(inner, widths).is_none() && !is_literal(inner) {
        report("cast of an expression keeps carries and inverts the padding", inner);
    }
    check_inner(inner, widths, report);
}

fn check_inner(e: &VerilogExpression, widths: &HashMap<String, usize>, report: &mut Report) {
    use VerilogExpression::*;
    match e {
        Signal(_) | Literal(_) => {}
        Paren(e) | Signed(e) | Unsigned(e) => check_inner(e, widths, report),
        Cast(inner, bits) => {
            check_cast(inner, *bits, widths, report);
            if fixed_width(inner, widths).is_some_and(|w| w > *bits) || is_literal(inner) {
                report("narrowing cast or sized literal inside a larger expression is not truncated", e);
            }
        }
        Unary(_, inner) => {
            if matches!(**inner, Unary(..)) {
                report("stacked unary operators are not Verilog", e);
            }
            if is_literal(inner) {
                report("inverted literal is 32 bits wide", e);
            }
            check_inner(inner, widths, report)
        }
        Binary(l, op, r) => {
            if is_compare(op) {
                for side in [l, r] {
                    if matches!(&**side, Binary(_, op, _) if is_bitwise(op)) {
                        report("bitwise operator beside a comparison needs parentheses", e);
                    }
                }
                for (side, other) in [(l, r), (r, l)] {
                    if is_literal(side) && fixed_width(other, widths).is_none() {
                        report("comparing an expression with a literal widens it to 32 bits", e);
                    } else if !is_literal(side) {
                        match strip(side) {
                            Cast(inner, bits) => {
                                let narrows = fixed_width(inner, widths).is_some_and(|w| w > *bits);
                                if narrows && fixed_width(other, widths).is_none() && !is_literal(other) {
                                    report("narrowing cast widens the other side of the comparison", e);
                                }
                                check_cast(inner, 0, widths, report)
                            }
                            side => check_inner(side, widths, report),
                        }
                    }
                }
            } else if matches!(op, VerilogOp::Shl | VerilogOp::Shr) {
                if is_literal(l) {
                    report("shifted literal is 32 bits wide", e);
                }
                check_inner(l, widths, report);
                if !is_literal(r) {
                    check_inner(r, widths, report);
                }
            } else {
                if is_literal(l) || is_literal(r) {
                    report("literal inside a larger expression widens it to 32 bits", e);
                }
                for side in [l, r] {
                    if !is_literal(side) {
                        check_inner(side, widths, report);
                    }
                }
            }
        }
        Index(base, offset) | Slice(base, _, offset) => {
            if matches!(e, Slice(..)) && fixed_width(base, widths) == Some(1) {
                report("slice of a one-bit signal is not Verilog", e);
            }
            if !matches!(**base, Signal(_)) {
                report("slice of something that is not a signal is not Verilog", e);
            }
            if let (Slice(_, width, _), Some(have), Literal(at)) = (e, fixed_width(base, widths), &**offset) {
                if have != usize::MAX && at.as_usize() + width > have {
                    report("slice past the end", e);
                }
            }
        }
        IndexReplace(..) => report("replace_bit inside a larger expression is 32 bits or wider", e),
    }
}
