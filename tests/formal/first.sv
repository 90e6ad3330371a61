// widgets/first, five flags from 3 on: the number of the lowest flag, 0 without one (the order of the checks, section 1).
module prove(input clock, input [4:0] flags);
    (* anyconst *) reg [2:0] own;
    wire [7:0] code;
    top dut(.flags(flags), .code(code));
    always @* assume (own < 5);
    always @(posedge clock) begin
        if (flags == 0) none: assert (code == 0);
        if (flags[own] && (flags & ((5'd1 << own) - 5'd1)) == 0) lowest: assert (code == 3 + own);
    end
    always @(posedge clock) begin
        cover_last: cover (code == 7);
        cover_none: cover (flags == 0);
    end
endmodule
