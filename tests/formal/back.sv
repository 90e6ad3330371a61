// mr/back at 4 regions, 64-bit bus: what every sequence of operations does to one region (A8, B, C, I4, B7), through its ports.
//
// From reset, with any row in the table, it takes any operations without page lists and any commands, in any mix and at any
// distance. `own` is any region; its row is UNALLOC, FREE or VALID with any contents. As each operation is accepted, a model of the specification says what becomes of it, one after another; table
// writes and outcomes must then be those of the model, whatever overlaps inside. Lists are the matter of back_list.sv.
module prove(
    input clock, input [281:0] op, input op_valid, input [281:0] command, input command_valid, input outcome_ready,
    input [11:0] granted, input [11:0] read_ended, input [11:0] write_ended, input under_way
);
    (* anyconst *) reg [1:0] own;
    (* anyconst *) reg [7:0] at;
    (* anyconst *) reg [2:0] nth_write;
    (* anyconst *) reg [2:0] nth_outcome;
    wire op_ready, command_ready, outcome_valid, write, admin_ended, admin_refused, admin_timed_out;
    wire [50:0] outcome;
    wire [238:0] in_table;
    // The operation that leaves the walk: from here on they keep their order.
    wire [281:0] x;
    wire step_valid, step_last, advance, message_ended;
    wire [7:0] message_syndrome;
    (* anyconst *) reg [238:0] start_row;
    wire [1:0] index;
    wire [238:0] row;

    reg [4:0] cycle = 0;
    always @(posedge clock) if (cycle != 31) cycle <= cycle + 1;
    wire reset = cycle == 0;

    top dut(
        .clock(clock), .reset(reset), .clearing(1'b0), .clear_index(16'd0), .dbg_row(in_table), .dbg_index(own),
        .dbg_step(x), .dbg_valid(step_valid), .dbg_last(step_last), .dbg_advance(advance),
        .pending$data(op), .pending$valid(op_valid), .pending$ready(op_ready),
        .beat_valid(1'b0), .beat(64'd0), .beat_bad(1'b0), .inline_beat$data(64'd0), .inline_beat$valid(1'b0),
        .command$data(command), .command$valid(command_valid), .command$ready(command_ready),
        .control(13'd0), .outcome$data(outcome), .outcome$valid(outcome_valid), .outcome$ready(outcome_ready),
        .granted(granted), .read_ended(read_ended), .write_ended(write_ended), .under_way(under_way),
        .drain_max(32'hFFFF_FFFF), .write(write), .index(index), .row(row),
        .message_ended(message_ended), .message_syndrome(message_syndrome),
        .admin_ended(admin_ended), .admin_refused(admin_refused), .admin_timed_out(admin_timed_out)
    );

    always @* begin
        if (cycle == 1) assume (in_table == start_row);
        assume (start_row[1:0] != 3 && at < 239);
    end

    wire takes_op = op_valid && op_ready && !reset;
    wire takes_command = command_valid && command_ready && !reset;
    wire registers = x[0], invalidates = x[1], allocates = x[2], deregisters = x[3], queries = x[4];
    wire [23:0] x_index = x[36:13];
    wire [15:0] x_npages = x[65:50];
    wire [7:0] x_qp = x[226:219];
    wire silent = x[252], flush = x[253], message = x[280], remote = x[281];
    wire [7:0] decoded = x[261:254];
    wire ours = step_valid && step_last && advance && !reset && x_index[1:0] == own;

    // What the units before guarantee: one kind at a time; queues give REG_MR, LOCAL_INV or neither, the admin unit one command
    // with an index of the table, the transport one invalidation of any index, but for 0, which fails before the table; a silent or flushed one has no failures. Operations on other regions come from queue
    // pair 3, with slots of their own, so that an outcome tells whose it is. Without lists; syndrome 07 is given by nobody (B7).
    reg commanding = 0;
    always @(posedge clock) commanding <= (commanding || takes_command) && !admin_ended && !message_ended;
    always @* begin
        if (op_valid) begin
            assume (!op[2] && !op[3] && !op[4] && !(op[0] && op[1]) && op[208:207] == 0 && op[218:209] == 0);
            assume (op[226:219] < 4 && (op[226:219] == 3) == (op[14:13] != own) && op[242] == (op[14:13] != own));
            assume (!op[268] && op[281:277] == 0);
            if (op[252]) assume (!op[0] && !op[1] && op[254 +: 26] == 0);
            if (op[261:254] != 0) assume (op[261:254] != 7 && !op[0] && !op[1]);
        end
        if (command_valid) begin
            assume (!commanding && !command[0] && command[1] == command[280] && command[1] + command[2] + command[3] + command[4] == 3'd1);
            assume (command[280] ? command[36:13] != 0 && !command[252] && !command[253] : command[36:15] == 0);
            assume (command[280] || !command[281]);
            assume (command[208:207] == 0 && command[218:209] == 0 && command[254 +: 26] == 0);
        end
    end

    // The specification: row and failed queue pairs as the accepted operations leave them, one after another.
    reg [238:0] model;
    reg [3:0] failed;
    wire [1:0] state = model[1:0];
    wire missing = state == 0 || x_index >= 4;
    wire queued = !(allocates || deregisters || queries || message);
    wire stopped = queued && (failed[x_qp[1:0]] || flush);
    wire table_op = registers || invalidates;
    wire [17:0] checks = x[279:262] | {
        7'd0, registers && x_npages > model[238:223], 3'd0,                                      // 0A count
        registers && state != 1 || allocates && state != 0, table_op && model[48:25] != x[206:183], // 06, 05
        table_op && model[3:2] != 1, 1'b0,                                                        // 04
        (table_op && missing && x_index != 0) || (deregisters && state == 0), 1'b0};              // 02
    wire wrong_key = invalidates && model[11:4] != x[12:5];
    // C12: a message may only invalidate what was registered with a remote right, and that stays so while FREE.
    wire forbidden = message && remote && !model[16];
    wire error = checks != 0 || wrong_key || forbidden || decoded != 0;
    wire acts = !stopped && !error && !queries && (table_op || allocates || deregisters);
    reg [238:0] after;
    always @* begin
        after = model;
        if (registers) begin
            after[1:0] = 2;
            after[11:4] = x[12:5];
            after[24:12] = {x[49:45], x[44:37]};
            after[112:49] = x[150:87];
            after[152:113] = x[182:151];
            after[182:153] = x[86:66];
            after[222:207] = x_npages;
        end
        if (invalidates) after[1:0] = 1;
        if (allocates) after = {x_npages, 16'd0, x[110:87], 30'd0, 40'd0, 64'd0, x[206:183], 5'd0, 8'd0, x[12:5], 2'd1, 2'd1};
        if (deregisters) after[1:0] = 0;
    end
    reg [7:0] first;
    integer i;
    always @* begin
        first = 0;
        for (i = 17; i >= 0; i = i - 1) if (checks[i]) first = i + 1;
    end
    wire [7:0] status = stopped ? 5 : silent ? 0 : decoded != 0 || checks[0] ? 2 : error ? 6 : 0;
    wire [7:0] syndrome = stopped || silent ? 0 : decoded != 0 ? decoded : checks != 0 ? first : wrong_key ? 8'h20 : forbidden ? 8'h22 : 8'h00;

    reg [2:0] acted, ended;
    reg [238:0] expected_row, before_row;
    reg [15:0] expected_outcome, expected_slot;
    reg [2:0] expected_writes;
    reg knows_row, knows_outcome, knows_message;
    reg [7:0] expected_message;
    reg [238:0] shadow;
    reg [2:0] writes, outcomes;
    wire wrote = write && index == own && !reset;
    wire completes = wrote && row[1:0] != 3;
    // What was accepted is what leaves the walk: queue operations in order, and the one command.
    reg [281:0] accepted, command_accepted;
    reg [2:0] accepts;
    reg knows_accepted;
    always @(posedge clock) begin
        if (takes_op && op[14:13] == own) begin
            accepts <= accepts + 1;
            if (accepts == nth_outcome) begin
                knows_accepted <= 1;
                accepted <= op;
            end
        end
        if (takes_command) command_accepted <= command;
        if (reset) begin
            accepts <= 0;
            knows_accepted <= 0;
        end
    end
    always @(posedge clock) begin
        if (ours) begin
            if (acts) begin
                model <= after;
                acted <= acted + 1;
                if (acted == nth_write) begin
                    knows_row <= 1;
                    expected_row <= after;
                    before_row <= model;
                end
            end
            if (message) begin
                knows_message <= 1;
                expected_message <= syndrome;
            end
            if (queued && !silent && !stopped && error) failed[x_qp[1:0]] <= 1;
            if (queued) begin
                ended <= ended + 1;
                if (ended == nth_outcome) begin
                    knows_outcome <= 1;
                    expected_outcome <= {syndrome, status};
                    expected_slot <= x[242:227];
                    expected_writes <= acted + acts;
                end
            end
        end
        if (message_ended) knows_message <= 0;
        if (wrote) shadow <= row;
        if (completes) writes <= writes + 1;
        if (outcome_valid && outcome_ready && !outcome[23]) outcomes <= outcomes + 1;
        if (reset) begin
            model <= start_row;
            failed <= 0;
            shadow <= start_row;
            acted <= 0;
            ended <= 0;
            writes <= 0;
            outcomes <= 0;
            knows_row <= 0;
            knows_outcome <= 0;
            knows_message <= 0;
        end
    end

    wire [3:0] edge_taken = {shadow[1:0], row[1:0]};
    wire same = shadow[238:2] == row[238:2];
`ifdef EDGES
    always @(posedge clock) if (wrote) begin
        // A8: no other edge. FREE to FREE is LOCAL_INV of a FREE region (C2), DRAIN is the wait of C9 and A14.
        a8: assert (edge_taken == 4'b00_01 || edge_taken == 4'b01_10 || edge_taken == 4'b10_01 || edge_taken == 4'b01_00
            || edge_taken == 4'b10_00 || edge_taken == 4'b01_01 && same || edge_taken == 4'b10_11 || edge_taken == 4'b11_01
            || edge_taken == 4'b11_00);
        // A12, A6: what belongs to the allocation stays while the region exists; an edge without REG_MR or ALLOC_MR changes the
        // state and nothing else.
        if (shadow[1:0] != 0) a6: assert (row[3:2] == shadow[3:2] && row[48:25] == shadow[48:25] && row[206:183] == shadow[206:183] && row[238:223] == shadow[238:223]);
        if (row[1:0] != 2 && shadow[1:0] != 0) only_state: assert (same);
        // C9, A14: DRAIN is written only ahead of the end of one that takes VALID away.
        if (!completes && writes == nth_write) c9: assert (knows_row && before_row[1:0] == 2 && expected_row[1:0] != 2 && same);
    end
`endif
`ifdef ROWS
    always @(posedge clock) if (wrote) begin
        // B24, I4: the table changes exactly as the operations say, in their order: none that failed or was flushed
        // writes, none that succeeded is missed or doubled. `at` is any bit of the row, which is less work than all at once.
        if (completes && writes == nth_write) i4: assert (knows_row && row[at] == expected_row[at]);
    end
`endif
`ifdef ORDER
    always @(posedge clock) begin
        if (ours && queued && ended == nth_outcome) walk_op: assert (knows_accepted && x == accepted);
        if (ours && !queued) walk_command: assert (commanding && x == command_accepted);
        // Its table write has been done by then.
        if (outcome_valid && !outcome[23] && !reset && outcomes == nth_outcome) outcome_late: assert (writes >= expected_writes);
    end
`endif
`ifdef OUTCOMES
    always @(posedge clock) begin
        // The outcome of each, in order: first failing check (section 1), flush behind a failure (D9a).
        if (outcome_valid && !outcome[23] && !reset && outcomes == nth_outcome) outcome_right:
            assert (knows_outcome && outcome[47:32] == expected_outcome && outcome[23:8] == expected_slot);
        // C12: so does the answer to a message, after everything it waited for.
        if (message_ended && !reset && knows_message) c12: assert (message_syndrome == expected_message);
        // B7: syndrome 07 cannot appear.
        if (outcome_valid && !reset) b7: assert (outcome[47:40] != 7);
    end
`endif
    always @(posedge clock) begin
`ifdef EDGES
        cover_drain: cover (wrote && edge_taken == 4'b11_01);
        cover_dereg: cover (wrote && edge_taken == 4'b01_00);
`endif
`ifdef ROWS
        cover_valid: cover (completes && writes == 0 && nth_write == 0 && edge_taken == 4'b01_10);
        cover_free: cover (completes && writes == 1 && nth_write == 1 && edge_taken == 4'b10_01);
`endif
`ifdef ORDER
        cover_both: cover (ours && !queued && ended == 1 && nth_outcome == 0);
        cover_told: cover (outcome_valid && !outcome[23] && outcomes == nth_outcome && writes == 1 && expected_writes == 1);
`endif
`ifdef OUTCOMES
        cover_again: cover (outcome_valid && outcome[47:32] == 16'h0606 && writes == 1 && outcomes == nth_outcome && nth_outcome == 1);
        cover_flush: cover (outcome_valid && !outcome[23] && outcome[39:32] == 5 && outcomes == nth_outcome && nth_outcome == 1);
        cover_message: cover (message_ended && knows_message && expected_message == 8'h22);
        cover_message_acts: cover (message_ended && knows_message && expected_message == 0 && writes != 0);
        cover_key: cover (outcome_valid && !outcome[23] && outcome[47:32] == 16'h2006);
`endif
    end
endmodule
