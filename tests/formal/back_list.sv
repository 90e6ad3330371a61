// mr/back at 4 regions, 64-bit bus: one REG_MR with a page list of up to 3 beats (B17, B18, B19, B24, I4).
//
// From reset, with any row in the table; one operation that would succeed but for its list. Beats come when they like. One page
// entry is one beat here; several lanes are the matter of page_checks.sv.
module prove(input clock, input [281:0] op, input op_valid, input [63:0] beat, input beat_valid, input beat_bad, input outcome_ready);
    (* anyconst *) reg [1:0] own;
    (* anyconst *) reg [1:0] nth;
    (* anyconst *) reg [238:0] start_row;
    wire op_ready, outcome_valid, write, beat_ready;
    wire [50:0] outcome;
    wire [1:0] index;
    wire [238:0] row, in_table;
    wire page_lanes;
    wire [3:0] page_row;
    wire [63:0] page_data;

    reg [4:0] cycle = 0;
    always @(posedge clock) if (cycle != 31) cycle <= cycle + 1;
    wire reset = cycle == 0;
    top dut(
        .clock(clock), .reset(reset), .clearing(1'b0), .clear_index(16'd0), .dbg_row(in_table), .dbg_index(own),
        .pending$data(op), .pending$valid(op_valid), .pending$ready(op_ready),
        .beat_valid(beat_valid), .beat(beat), .beat_bad(beat_bad), .beat_ready(beat_ready),
        .inline_beat$data(64'd0), .inline_beat$valid(1'b0), .command$data(282'd0), .command$valid(1'b0),
        .control(13'd0), .outcome$data(outcome), .outcome$valid(outcome_valid), .outcome$ready(outcome_ready),
        .granted(12'd0), .read_ended(12'd0), .write_ended(12'd0), .under_way(1'b0), .drain_max(32'hFFFF_FFFF),
        .write(write), .index(index), .row(row), .page_lanes(page_lanes), .page_row(page_row), .page_data(page_data)
    );
    reg asked = 0;
    reg [281:0] x;
    wire takes = op_valid && op_ready && !reset;
    wire [15:0] npages = x[65:50];
    wire [4:0] shift = x[49:45];
    always @* begin
        if (cycle == 1) assume (in_table == start_row && start_row[1:0] == 1 && start_row[3:2] == 1);
        if (asked || reset) assume (!op_valid);
        if (op_valid) begin
            // REG_MR of the region, all checks before the list pass; 1 to 3 entries, page size 4 KiB to 2 MiB (B10).
            assume (op[4:0] == 1 && op[36:13] == own && own != 0 && op[206:183] == start_row[48:25] && op[254 +: 26] == 0);
            assume (op[281:280] == 0 && op[253:252] == 0 && op[207] && !op[208] && op[65:50] != 0 && op[65:50] <= 3 && op[218:209] == op[65:50]);
            assume (op[65:50] <= start_row[238:223] && op[49:45] >= 12 && op[49:45] <= 21);
        end
    end
    reg [2:0] beats, pages;
    reg failed_read, misaligned, beyond, has;
    reg [63:0] word;
    wire pops = beat_valid && beat_ready;
    always @(posedge clock) begin
        if (takes) begin
            asked <= 1;
            x <= op;
        end
        if (pops) begin
            beats <= beats + 1;
            failed_read <= failed_read || beat_bad;
            misaligned <= misaligned || (beat & ((64'd1 << shift) - 1)) != 0;
            beyond <= beyond || beat[63:52] != 0;
            if (beats == nth) begin
                has <= 1;
                word <= beat;
            end
        end
        if (page_lanes) pages <= pages + 1;
        if (reset) begin
            beats <= 0;
            pages <= 0;
            failed_read <= 0;
            misaligned <= 0;
            beyond <= 0;
            has <= 0;
        end
    end
    wire wrong = failed_read || misaligned || beyond;
    wire wrote = write && index == own && cycle > 1;
    wire [23:0] place = start_row[206:183] + nth;
    always @(posedge clock) begin
        // B24: VALID in one write, after the last beat and the last page entry. I4, B17 to B19: nothing if an entry is bad.
        if (wrote) b24: assert (row[1:0] == 2 && beats == npages && pages + page_lanes == npages);
        if (wrote) i4: assert (!wrong);
        // As many beats as the list has, each entry to its place of the page buffer, as it came.
        if (!reset) no_more: assert (beats == 0 || beats <= npages);
        if (page_lanes && !reset && pages == nth) place_right: assert (has && page_row == place[3:0] && page_data == word);
        if (outcome_valid && !reset) begin
            done: assert (asked && beats == npages);
            // The order of the checks: read, alignment, range.
            verdict: assert (outcome[39:32] == (wrong ? 6 : 0)
                && outcome[47:40] == (failed_read ? 8'h10 : misaligned ? 8'h11 : beyond ? 8'h12 : 8'h00));
        end
    end
    reg valid_written = 0;
    always @(posedge clock) begin
        valid_written <= valid_written || wrote;
        if (outcome_valid && outcome[39:32] == 0 && !reset) written: assert (valid_written);
    end
    always @(posedge clock) begin
        cover_three: cover (wrote && npages == 3);
        cover_bad: cover (outcome_valid && outcome[47:40] == 8'h12 && npages == 2);
        cover_late: cover (outcome_valid && outcome[47:40] == 8'h11 && npages == 3 && nth == 2 && word[11:0] == 8);
        cover_place: cover (page_lanes && pages == nth && nth == 2);
    end
endmodule
