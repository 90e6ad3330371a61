// dma/write_buffer, 64-bit bus, 8 beats, 8 bursts: a burst is offered with the right shape (I7) and only when all its beats are
// there (T107): whoever has taken a burst finds its beats without a gap, in the order in which they came.
//
// From reset; `nth` is any burst, `beat_nth` any beat.
module prove(
    input clock, input [64:0] command, input command_valid, input [63:0] beat, input beat_valid, input burst_take, input beats_take
);
    (* anyconst *) reg [3:0] nth;
    (* anyconst *) reg [3:0] beat_nth;
    wire command_ready, beat_ready, burst_valid, beats_valid;
    wire [71:0] burst;
    wire [63:0] beats;
    reg start = 1;
    always @(posedge clock) start <= 0;
    wire reset = start;
    // The beats of one burst at a time, as WriteBeats takes them.
    reg [8:0] owed;
    wire burst_ready = burst_take && owed == 0;
    wire beats_ready = beats_take && owed != 0;
    top dut(
        .clock(clock), .reset(reset), .command$data(command), .command$valid(command_valid), .command$ready(command_ready),
        .beat$data(beat), .beat$valid(beat_valid), .beat$ready(beat_ready),
        .burst$data(burst), .burst$valid(burst_valid), .burst$ready(burst_ready),
        .beats$data(beats), .beats$valid(beats_valid), .beats$ready(beats_ready)
    );
    // types.rs: 1 to 4,096 bytes inside a 4 KiB page; the buffer holds 7 beats, here bursts of up to 4.
    wire [12:0] length = command[64:52];
    always @* if (command_valid) assume (length != 0 && {1'b0, command[11:0]} + length <= 4096 && {10'd0, command[2:0]} + length <= 32);

    reg [3:0] commands, bursts;
    reg [3:0] in, out;
    reg [64:0] asked;
    reg [63:0] word;
    reg knows, has;
    wire takes = command_valid && command_ready && !reset;
    wire [12:0] lanes = {10'd0, asked[2:0]} + asked[64:52];
    always @(posedge clock) begin
        if (takes) begin
            commands <= commands + 1;
            if (commands == nth) begin
                asked <= command;
                knows <= 1;
            end
        end
        if (beat_valid && beat_ready) begin
            in <= in + 1;
            if (in == beat_nth) begin
                word <= beat;
                has <= 1;
            end
        end
        if (burst_valid && burst_ready) bursts <= bursts + 1;
        if (beats_valid && beats_ready) out <= out + 1;
        owed <= owed + (burst_valid && burst_ready ? burst[59:52] + 9'd1 : 9'd0) - (beats_valid && beats_ready);
        if (reset) begin
            commands <= 0;
            bursts <= 0;
            in <= 0;
            out <= 0;
            owed <= 0;
            knows <= 0;
            has <= 0;
        end
    end
    always @(posedge clock) if (!start) begin
        if ($past(burst_valid && !burst_ready && !reset)) hold: assert (burst_valid && burst == $past(burst));
        if ($past(beats_valid && !beats_ready && !reset)) hold_beats: assert (beats_valid && beats == $past(beats));
        // Address, beats - 1, lanes below the first byte, lanes above the last (I7: AWLEN and strobes follow from them).
        if (burst_valid && bursts == nth) shape: assert (knows && burst[51:0] == asked[51:0]
            && burst[59:52] == ((lanes - 1) >> 3) && burst[65:60] == asked[2:0] && burst[71:66] == ((13'd0 - lanes) & 7));
        // T107: the beats of a burst that was taken are there.
        if (owed != 0) whole: assert (beats_valid);
        if (beats_valid && out == beat_nth) order: assert (has && beats == word);
    end
    always @(posedge clock) if (!start) begin
        cover_three: cover (burst_valid && burst_ready && burst[59:52] == 2 && bursts == 1 && nth == 1);
        cover_order: cover (beats_valid && out == beat_nth && beat_nth == 3);
        cover_wait: cover ($past(burst_valid && !burst_ready && !reset) && burst_valid);
    end
endmodule
