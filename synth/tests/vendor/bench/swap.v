// Vector v17, as the PCIe block shows it and as the bridge wants it; the swap undoes itself.
module bench;
`include "swap_dwords.vh"

    reg [63:0] block = 64'h0000000f_40000001, bridge = 64'h0f000000_01000040;

    initial begin
        if (swap_dwords(block) != bridge) $display("WRONG: %h", swap_dwords(block));
        if (swap_dwords(bridge) != block) $display("WRONG: %h", swap_dwords(bridge));
        $display("DONE");
    end
endmodule
