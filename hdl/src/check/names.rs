//! Names that reach the Verilog and mean something there; `check_all` and yosys let most of them through.
use rust_hdl::prelude::*;

/// Keywords of Verilog and SystemVerilog that one might take for a field.
const KEYWORDS: &str = "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin \
    bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const \
    constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge else end \
    endcase endfunction endmodule enum event eventually expect export extends extern final first_match for force foreach forever \
    fork forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import \
    incdir include initial inout input inside instance int integer interconnect interface intersect join large let liblist library \
    local localparam logic longint macromodule matches medium modport module nand negedge nettype new nexttime nmos nor \
    noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive priority program property \
    protected pull0 pull1 pulldown pullup pure rand randc randcase randsequence rcmos real realtime ref reg reject_on release \
    repeat restrict return rnmos rpmos rtran s_always s_eventually s_nexttime s_until scalared sequence shortint shortreal \
    showcancelled signed small soft solve specify specparam static string strong strong0 strong1 struct super supply0 supply1 \
    sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit tran tri tri0 tri1 triand trior \
    trireg type typedef union unique unique0 unsigned until untyped use uwire var vectored virtual void wait wait_order wand weak \
    weak0 weak1 while wildcard wire with within wor xnor xor";

#[derive(Default)]
struct NameProbe {
    path: Vec<String>,
    findings: Vec<String>,
}

impl NameProbe {
    fn look(&mut self, name: &str) {
        let plain = name.split('$').next().unwrap_or(name);
        if KEYWORDS.split_whitespace().any(|keyword| keyword == plain) {
            self.findings.push(format!("{}: `{plain}` is a keyword of SystemVerilog", self.path.join(".")));
        }
    }
}

impl Probe for NameProbe {
    fn visit_start_scope(&mut self, name: &str, _node: &dyn Block) {
        self.look(name);
        self.path.push(name.into());
    }
    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.path.pop();
    }
    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        self.look(name);
    }
    fn visit_atom(&mut self, name: &str, _signal: &dyn Atom) {
        self.look(name);
    }
}

/// Fields and instances of a design that are named like keywords.
pub fn name_findings(uut: &dyn Block) -> Vec<String> {
    let mut probe = NameProbe::default();
    uut.accept("top", &mut probe);
    probe.findings
}
