// What simulators need to know of the ECP5's input and output cells (MC12). Not for synthesis, which knows the cells itself.
// Delays are left out: they are matters of the board.
`ifndef RNIC_ECP5_CELLS
`define RNIC_ECP5_CELLS
module IDDRX1F(input D, input SCLK, input RST, output reg Q0, output reg Q1);
    parameter GSR = "ENABLED";
    reg rise = 1'b0;
    reg fall = 1'b0;
    initial Q0 = 1'b0;
    initial Q1 = 1'b0;
    // From the first rising edge on: what a simulator starts with is no falling edge.
    reg runs = 1'b0;
    always @(posedge SCLK) runs <= 1'b1;
    always @(negedge SCLK) fall <= runs & D & ~RST;
    // Both samples of a period appear together, at the rising edge that ends it.
    always @(posedge SCLK) begin
        rise <= D & ~RST;
        Q0 <= rise & ~RST;
        Q1 <= fall & ~RST;
    end
endmodule
module ODDRX1F(input SCLK, input RST, input D0, input D1, output Q);
    parameter GSR = "ENABLED";
    reg first = 1'b0;
    reg second = 1'b0;
    always @(posedge SCLK) begin
        first <= D0 & ~RST;
        second <= D1 & ~RST;
    end
    assign Q = SCLK ? first : second;
endmodule
module DELAYG(input A, output Z);
    parameter DEL_MODE = "USER_DEFINED";
    parameter DEL_VALUE = 0;
    assign Z = A;
endmodule
module DELAYF(input A, input LOADN, input MOVE, input DIRECTION, output Z, output CFLAG);
    parameter DEL_MODE = "USER_DEFINED";
    parameter DEL_VALUE = 0;
    assign Z = A;
    assign CFLAG = 1'b0 & LOADN & MOVE & DIRECTION;
endmodule
`endif
