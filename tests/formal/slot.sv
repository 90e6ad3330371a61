// widgets/slot, words of 9 bits: words leave in the order of their arrival, none is lost, doubled or changed (symbolic slot,
// as in fifo.sv); handshake (I7).
module prove(input clock, input reset, input [8:0] in_data, input in_valid, input out_ready);
    wire in_ready, out_valid;
    wire [8:0] out_data;
    (* anyconst *) reg [1:0] slot;

    top dut(
        .clock(clock), .reset(reset),
        .sink$data(in_data), .sink$valid(in_valid), .sink$ready(in_ready),
        .source$data(out_data), .source$valid(out_valid), .source$ready(out_ready)
    );

    reg start = 1;
    always @(posedge clock) start <= 0;
    always @* if (start) assume (reset);

    wire push = in_valid & in_ready & !reset;
    wire pop = out_valid & out_ready & !reset;
    reg [1:0] into, outof;
    reg [1:0] count;
    reg watching;
    reg [8:0] value;
    always @(posedge clock) begin
        if (push) into <= into + 1;
        if (pop) outof <= outof + 1;
        count <= count + push - pop;
        if (pop && outof == slot) watching <= 0;
        if (push && into == slot) begin
            watching <= 1;
            value <= in_data;
        end
        if (reset) begin
            into <= 0;
            outof <= 0;
            count <= 0;
            watching <= 0;
        end
    end

    wire [1:0] ahead = slot - outof;
    always @(posedge clock) if (!start) begin
        // I7: valid holds with stable data until ready.
        if ($past(out_valid && !out_ready && !reset)) begin
            handshake_valid: assert (out_valid);
            handshake_data: assert (out_data == $past(out_data));
        end
        bound: assert (count <= 1);
        // The word numbered `slot` comes out as it went in.
        if (out_valid && outof == slot) order: assert (watching && out_data == value);
        // For induction: what is where.
        link_count: assert (count == out_valid);
        link_into: assert (into == outof + count);
        link_watch: assert (watching == (count > ahead));
    end

    always @(posedge clock) if (!start) begin
        cover_full: cover (count == 1);
        cover_order: cover (out_valid && outof == slot && slot == 3 && value == 9'h155);
        cover_wait: cover ($past(out_valid && !out_ready && !reset) && out_valid);
    end
endmodule
