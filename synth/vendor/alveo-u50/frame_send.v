// Frames to the CMAC: padded to 60 bytes, which the CMAC does not do, and thrown away while there is no link, so that a core
// that is reset need not wait for a cable. A frame that loses its link or its FIFO on the way is ended as bad when the link is
// back: otherwise the CMAC would put the next one behind it, with a good FCS.
`default_nettype none

module frame_send (
    input  wire         clock,
    input  wire         mac_reset,
    input  wire         fifo_reset,
    input  wire         link,
    input  wire [511:0] in_tdata,
    input  wire [63:0]  in_tkeep,
    input  wire         in_tvalid,
    input  wire         in_tlast,
    input  wire         in_tuser,
    output wire         in_tready,
    output wire [511:0] out_tdata,
    output wire [63:0]  out_tkeep,
    output wire         out_tvalid,
    output wire         out_tlast,
    output wire         out_tuser,
    input  wire         out_tready
);
    // The CMAC has the first beat of a frame and not its last; the rest of the frame is thrown away; the CMAC is owed an end.
    reg begun = 1'b0;
    reg dropping = 1'b0;
    reg broken = 1'b0;

    wire swallow = dropping | fifo_reset | ~link;
    wire taken = in_tvalid & in_tready;

    assign in_tready = swallow | (out_tready & ~broken);
    assign out_tvalid = link & (broken | (in_tvalid & ~dropping & ~fifo_reset));
    assign out_tlast = broken | in_tlast;
    assign out_tuser = broken | in_tuser;
    assign out_tkeep = (begun & ~broken) ? in_tkeep : in_tkeep | 64'h0FFF_FFFF_FFFF_FFFF;

    genvar i;
    generate
        for (i = 0; i < 64; i = i + 1) begin : pad
            assign out_tdata[8*i +: 8] = in_tkeep[i] ? in_tdata[8*i +: 8] : 8'b0;
        end
    endgenerate

    always @(posedge clock) begin
        if (out_tvalid & out_tready) begin
            broken <= 1'b0;
            begun <= ~broken & ~in_tlast;
        end
        if ((fifo_reset | ~link) & begun) begin
            broken <= 1'b1;
            begun <= 1'b0;
            dropping <= 1'b1;
        end
        if (taken & swallow)
            dropping <= ~in_tlast;
        if (fifo_reset)
            dropping <= 1'b0;
        if (mac_reset) begin
            begun <= 1'b0;
            broken <= 1'b0;
        end
    end
endmodule

`default_nettype wire
