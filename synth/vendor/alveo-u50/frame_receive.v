// Frames from the CMAC, which cannot be held up (VP3): one that begins while the FIFO may lack room for the longest frame is
// dropped whole (MC4), never cut.
`default_nettype none

module frame_receive (
    input  wire clock,
    input  wire mac_reset,
    input  wire fifo_reset,
    input  wire crowded,
    input  wire in_tvalid,
    input  wire in_tlast,
    output wire out_tvalid,
    output reg  dropped
);
    // Follows the CMAC through resets of the FIFO: a frame that is under way then must not be taken from its middle.
    reg begun = 1'b0;
    reg taking = 1'b0;

    wire take = ~fifo_reset & (begun ? taking : ~crowded);

    assign out_tvalid = in_tvalid & take;

    always @(posedge clock) begin
        dropped <= in_tvalid & in_tlast & ~take;
        if (in_tvalid) begin
            begun <= ~in_tlast;
            taking <= take;
        end
        if (fifo_reset)
            taking <= 1'b0;
        if (mac_reset)
            begun <= 1'b0;
    end
endmodule

`default_nettype wire
