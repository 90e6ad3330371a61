// widgets/table (with widgets/memory inside), two readers: each reader gets the whole row that was written or cleared last, the
// old one on a collision (I3, T8).
module prove(input clock, input write, input [2:0] write_index, input [8:0] data, input clearing, input [15:0] clear_index,
    input [2:0] i0, input [2:0] i1);
    (* anyconst *) reg [2:0] own;
    wire [8:0] o0, o1, w0, w1;
    top dut(.clock(clock), .write(write), .write_index(write_index), .data(data), .clearing(clearing), .clear_index(clear_index),
        .index$0(i0), .index$1(i1), .out$0(o0), .out$1(o1), .dbg_word_0(w0), .dbg_word_1(w1), .dbg_at_0(own), .dbg_at_1(own));
    reg known = 0, start = 1;
    reg [8:0] value;
    wire clears = clearing && clear_index[2:0] == own;
    wire writes = write && !clearing && write_index == own;
    always @(posedge clock) begin
        start <= 0;
        if (clears || writes) begin
            known <= 1;
            value <= clears ? 0 : data;
        end
    end
    always @(posedge clock) if (!start) begin
        if ($past(known && i0 == own)) first: assert (o0 == $past(value));
        if ($past(known && i1 == own)) second: assert (o1 == $past(value));
        if (known) link_words: assert (w0 == value && w1 == value);
    end
    always @(posedge clock) if (!start) begin
        cover_race: cover ($past(known && i0 == own && writes && data != value) && o0 == 9'h1AB);
        cover_clear: cover ($past(known && i1 == own && $past(clears)) && o1 == 0);
    end
endmodule
