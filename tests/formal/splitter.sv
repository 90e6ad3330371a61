// dma/splitter, 64-bit bus: the bursts of a read (I7, E9, AXI4): no 4 KiB crossing, at most 256 beats, no byte left out or read
// twice, handshake.
//
// One read is followed: `next` is the byte that its next burst must begin at, `left` the bytes that are still to come.
module prove(input clock, input reset, input [67:0] command, input command_valid, input burst_ready);
    wire command_ready, burst_valid;
    wire [59:0] burst;
    wire busy;
    wire [51:0] at;
    wire [16:0] more;

    top dut(.clock(clock), .reset(reset), .command$data(command), .command$valid(command_valid), .command$ready(command_ready),
        .burst$data(burst), .burst$valid(burst_valid), .burst$ready(burst_ready),
        .dbg_busy(busy), .dbg_at(at), .dbg_more(more));

    reg start = 1;
    always @(posedge clock) start <= 0;
    always @* if (start) assume (reset);
    // T107 and types.rs: 1 to 65,535 bytes. Reads end below 2^52 (B16, T4).
    always @* if (command_valid) assume (command[67:52] != 0 && {1'b0, command[51:0]} + command[67:52] <= 53'h10_0000_0000_0000);

    // One read at a time, so that a burst tells whose it is; several are in order behind the same slot (slot.sv).
    reg open;
    reg [51:0] next;
    reg [16:0] left;
    wire takes = command_valid && command_ready && !reset;
    wire pops = burst_valid && burst_ready && !reset;
    wire [51:0] address = burst[51:0];
    wire [8:0] beats = burst[59:52] + 9'd1;
    // Bytes of the burst: from its first byte to the end of its last beat, or of the read.
    wire [16:0] span = {5'd0, beats, 3'd0} - {14'd0, address[2:0]};
    wire ends = left <= span;
    always @* if (open) assume (!command_valid);
    always @(posedge clock) begin
        if (pops) begin
            next <= next + span;
            left <= left - span;
            if (ends) open <= 0;
        end
        if (takes) begin
            open <= 1;
            next <= command[51:0];
            left <= command[67:52];
        end
        if (reset) open <= 0;
    end

    // What the slot holds ahead of the splitter's own registers, for the induction.
    wire [16:0] held = burst_valid ? span : 0;
    always @(posedge clock) if (!start) begin
        if ($past(burst_valid && !burst_ready && !reset)) begin
            handshake: assert (burst_valid && burst == $past(burst));
        end
        if (burst_valid) begin
            // I7: inside one 4 KiB page of the bus.
            i7_page: assert ({1'b0, address[11:3], 3'd0} + {4'd0, beats, 3'd0} <= 4096);
            // The burst continues exactly where the one before ended, and reads no beat beyond the end.
            continues: assert (open && address == next);
            no_more: assert (ends ? left + 8 > span : left > span);
        end
        link_open: assert (open == (busy || burst_valid));
        if (busy) link_at: assert (at == next + held[15:0] && left > held && more == left - held - 17'd1);
        if (!busy && burst_valid) link_end: assert (left <= held && left + 8 > held);
        if (open) link_left: assert (left != 0 && left < 65536 && {1'b0, next} + left <= 53'h10_0000_0000_0000);
        if (burst_valid) link_first: assert (busy ? left > span : ends);
        if (burst_valid && busy) link_aligned: assert (next + span == {address[51:3], 3'd0} + {43'd0, beats, 3'd0});
    end

    always @(posedge clock) if (!start) begin
        cover_cut: cover (pops && !ends && address[11:0] == 12'hFFF);
        cover_long: cover (pops && beats == 256);
        cover_last: cover (pops && ends && left == 1 && next[11:0] == 0);
        cover_wait: cover ($past(burst_valid && !burst_ready && !reset) && burst_valid);
    end
endmodule
