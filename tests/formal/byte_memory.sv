// widgets/byte_memory, three bytes: each byte of a word is the one written last under its enable; old data on a collision; `out`
// holds without a read.
module prove(input clock, input read, input [2:0] read_address, input [2:0] write, input [2:0] write_address, input [23:0] data);
    (* anyconst *) reg [2:0] own;
    wire [23:0] out, word;
    top dut(.clock(clock), .read(read), .read_address(read_address), .out(out), .write(write), .write_address(write_address),
        .data(data), .dbg_word(word), .dbg_at(own));
    reg start = 1;
    reg [2:0] known = 0;
    reg [23:0] value;
    integer lane;
    always @(posedge clock) begin
        start <= 0;
        for (lane = 0; lane < 3; lane = lane + 1) if (write[lane] && write_address == own) begin
            known[lane] <= 1;
            value[8 * lane +: 8] <= data[8 * lane +: 8];
        end
    end
    wire [23:0] mask = {{8{known[2]}}, {8{known[1]}}, {8{known[0]}}};
    always @(posedge clock) if (!start) begin
        if ($past(read && read_address == own)) last: assert ((out & $past(mask)) == $past(value & mask));
        if ($past(!read)) holds: assert (out == $past(out));
        link_word: assert ((word & mask) == (value & mask));
    end
    always @(posedge clock) if (!start) cover_bytes: cover ($past(read && read_address == own && known == 7) && out == 24'h010203);
endmodule
