// widgets/flags, eight flags: a flag is what its ports made of it last; set wins over clear; no port touches another flag.
module prove(input clock, input reset, input set_flag, input [2:0] set_index, input clear_flag, input [2:0] clear_index, input [2:0] index);
    (* anyconst *) reg [2:0] own;
    wire flag;
    wire [7:0] all;
    top dut(.clock(clock), .reset(reset), .set_flag(set_flag), .set_index(set_index), .clear_flag(clear_flag),
        .clear_index(clear_index), .index(index), .flag(flag), .all(all));
    reg start = 1, value;
    always @(posedge clock) begin
        start <= 0;
        if (clear_flag && clear_index == own) value <= 0;
        if (set_flag && set_index == own) value <= 1;
        if (reset) value <= 0;
    end
    always @* if (start) assume (reset);
    always @(posedge clock) if (!start) begin
        each: assert (all[own] == value);
        if (index == own) chosen: assert (flag == value);
    end
    always @(posedge clock) if (!start) begin
        cover_both: cover ($past(value && set_flag && clear_flag && set_index == own && clear_index == own) && flag && index == own);
        cover_clear: cover ($past(value && !reset) && !value);
    end
endmodule
