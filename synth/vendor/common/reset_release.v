// Reset of a clock domain: asserted at once, released with its clock (CK2, MC8).
`default_nettype none

module reset_release (
    input  wire clock,
    input  wire asynchronous,
    output wire reset
);
    (* ASYNC_REG = "TRUE" *) reg [1:0] held = 2'b11;

    always @(posedge clock or posedge asynchronous)
        if (asynchronous)
            held <= 2'b11;
        else
            held <= {held[0], 1'b0};

    assign reset = held[1];
endmodule

`default_nettype wire
