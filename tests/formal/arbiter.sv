// widgets/arbiter, five requests: one grant, to one that asks, whenever one asks; each in its turn.
module prove(input clock, input reset, input [4:0] requests, input advance);
    (* anyconst *) reg [2:0] who;
    wire [4:0] grant;
    wire [2:0] index;
    wire some;
    top dut(.clock(clock), .reset(reset), .requests(requests), .advance(advance), .grant(grant), .index(index), .some(some));
    reg start = 1;
    always @(posedge clock) start <= 0;
    always @* if (start) assume (reset);
    always @* assume (who < 5);
    // Others granted while `who` asks without a break.
    reg [2:0] passed;
    reg [4:0] served;
    wire uses = advance && some && !reset;
    always @(posedge clock) begin
        passed <= reset || !requests[who] || (uses && grant[who]) ? 0 : passed + uses;
        served <= reset || !requests[who] || (uses && grant[who]) ? 0 : uses ? served | grant : served;
    end
    always @(posedge clock) if (!start) begin
        one: assert ((grant & (grant - 1)) == 0);
        asked: assert ((grant & ~requests) == 0 && some == (requests != 0) && some == (grant != 0));
        number: assert (!some || grant == 5'd1 << index);
        // I8: nobody is passed over twice by the same one while it asks.
        fair: assert (!(grant != 0 && requests[who] && (grant & served) != 0 && !grant[who]));
        bounded: assert (passed <= 4);
    end
    always @(posedge clock) if (!start) begin
        cover_last: cover (uses && grant[who] && passed == 4 && who == 2);
    end
endmodule
