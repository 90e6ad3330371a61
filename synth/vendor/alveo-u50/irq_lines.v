// Interrupt requests of the core to the lines of the PCIe bridge (VP2): a line stays up until it is acknowledged. The core never
// waits, so that it can be reset while nobody listens; requests of one vector that wait are one, and none is lost.
`default_nettype none

module irq_lines (
    input  wire       clock,
    input  wire       reset,
    input  wire       irq_valid,
    output wire       irq_ready,
    input  wire [4:0] irq_vector,
    output reg  [7:0] usr_irq_req,
    input  wire [7:0] usr_irq_ack
);
    reg [7:0] waiting = 8'b0;

    wire [7:0] asked = irq_valid ? 8'b1 << irq_vector[2:0] : 8'b0;
    wire [7:0] raised = waiting & ~usr_irq_req;

    assign irq_ready = 1'b1;

    always @(posedge clock) begin
        waiting <= (waiting & ~raised) | asked;
        usr_irq_req <= (usr_irq_req & ~usr_irq_ack) | raised;
        if (reset) begin
            waiting <= 8'b0;
            usr_irq_req <= 8'b0;
        end
    end
endmodule

`default_nettype wire
