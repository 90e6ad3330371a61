//! Deliberate mistakes in the exported bridge, each with the judge and the test that must find it.

/// One mistake: texts of a module and what stands there instead.
#[derive(Debug, Clone, Copy)]
pub struct Mutant {
    /// What is wrong.
    pub name: &'static str,
    /// Module of the exported Verilog,
    pub module: &'static str,
    /// or, if not 0, the beginning of the names of so many equal modules, which go on with a number.
    pub copies: usize,
    /// Each text stands once in the module.
    pub edits: &'static [(&'static str, &'static str)],
    /// The Python module,
    pub judge: &'static str,
    /// and the test in it.
    pub test: &'static str,
}

const fn mutant(
    name: &'static str,
    module: &'static str,
    edits: &'static [(&'static str, &'static str)],
    judge: &'static str,
    test: &'static str,
) -> Mutant {
    Mutant { name, module, copies: 0, edits, judge, test }
}

/// All mutants.
pub const MUTANTS: &[Mutant] = &[
    mutant(
        "B at AW",
        "top$writes$gather",
        &[
            (
                "bus$awready = step$q == WriteStep$AwaitBurst;",
                "bus$awready = (step$q == WriteStep$AwaitBurst) & bus$bready;",
            ),
            ("if (bus$awvalid) begin", "if (bus$awvalid & bus$bready) begin"),
            ("if (bus$bready) begin", "if (1'b1) begin"),
            ("bus$bid = id$q;", "bus$bid = bus$awid;"),
            (
                "bus$bvalid = step$q == WriteStep$Answer;",
                "bus$bvalid = (step$q == WriteStep$AwaitBurst) & bus$awvalid;",
            ),
        ],
        "test_order",
        "wr3_no_b_before_the_last_beat",
    ),
    mutant(
        "completions beside the posted queue",
        "top$transmit$order",
        &[
            ("merge$sinks$1$valid = posted$1$valid;", "merge$sinks$1$valid = 1'b0;"),
            ("posted$1$ready = merge$sinks$1$ready;", "posted$1$ready = ~holds$q & ~request$valid;"),
            ("if (posted$1$valid & merge$sinks$1$ready) begin", "if (1'b0) begin"),
            ("held$d = request$data;", "held$d = request$valid ? request$data : posted$1$data;"),
            ("holds$d = request$valid;", "holds$d = request$valid | posted$1$valid;"),
            ("earlier$d = remain;", "earlier$d = request$valid ? remain : 0;"),
        ],
        "test_order",
        "to1_answers_and_interrupts_stay_behind_the_data",
    ),
    mutant(
        "a read passes writes",
        "top$transmit$order",
        &[("earlier$d = remain;", "earlier$d = 32'h0;")],
        "test_order",
        "to2_a_read_after_b_sees_the_write",
    ),
    mutant(
        "reads ask for no credit",
        "top$transmit$order",
        &[(" & (nonposted_ok | ~link_up);", ";")],
        "test_order",
        "to3_nothing_waits_for_a_read_without_credit",
    ),
    Mutant {
        name: "tag free at timeout",
        module: "top$completion$slots$slots$",
        copies: 8,
        edits: &[("free = ~held$q & ~outstanding$q;", "free = ~held$q;")],
        judge: "test_completions",
        test: "rd7_silence_then_a_late_completion",
    },
    mutant(
        "byte count of completions unchecked",
        "top$completion$check",
        &[("in_place = (count == wanted) & ", "in_place = ")],
        "test_completions",
        "rd3_wrong_fields_fail_the_read",
    ),
    mutant(
        "lower address without the first byte",
        "top$bar$sequencer$builder$bytes",
        &[("lane = below;", "lane = 32'h0;")],
        "test_vectors",
        "v17_to_v26_register_accesses",
    ),
    mutant(
        "byte enables of a read swapped",
        "top$request$builder",
        &[(
            "(((last) & 32'hffffffff) << 32'h4) | ((first) & 32'hffffffff)",
            "(((first) & 32'hffffffff) << 32'h4) | ((last) & 32'hffffffff)",
        )],
        "test_root_complex",
        "random_traffic_at_512_bytes",
    ),
    mutant(
        "reads cross multiples of MRRS",
        "top$request$split",
        &[("& read_beats;", "& 32'h0;")],
        "test_random",
        "stalls_at_256_and_128",
    ),
    mutant(
        "first byte enables of what comes unchecked",
        "top$receive$decode$enables",
        &[("fine = runs_up & runs_down;", "fine = runs_down;")],
        "test_malformed",
        "tl6_every_malformed_tlp_is_dropped_whole",
    ),
];
