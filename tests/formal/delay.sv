// widgets/delay, three deep: the output is the input of three cycles ago, from any state.
module prove(input clock, input [8:0] d);
    wire [8:0] q;
    top dut(.clock(clock), .d(d), .q(q));
    reg [2:0] cycle = 0;
    reg [8:0] first;
    always @(posedge clock) begin
        if (cycle != 7) cycle <= cycle + 1;
        if (cycle == 0) first <= d;
    end
    always @(posedge clock) if (cycle == 3) exact: assert (q == first);
    always @(posedge clock) cover_value: cover (cycle == 3 && q == 9'h155);
endmodule
