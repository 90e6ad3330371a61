// Ports of primitives, for elaboration alone.
module IBUFDS (input I, input IB, output O);
endmodule

module BUFG (input I, output O);
endmodule
