// widgets/fifo, 8 words of 9 bits: words leave in the order of their arrival, none is lost, doubled or changed.
//
// Two counters of this file number the words that go in and come out. `slot` is any number: the word that goes in under it
// must come out under it.
module prove(input clock, input reset, input [8:0] in_data, input in_valid, input out_ready);
    wire in_ready, out_valid;
    wire [8:0] out_data;
    wire [2:0] head, tail;
    wire shown, full;
    wire [8:0] word;
    (* anyconst *) reg [2:0] slot;

    top dut(
        .clock(clock), .reset(reset),
        .sink$data(in_data), .sink$valid(in_valid), .sink$ready(in_ready),
        .source$data(out_data), .source$valid(out_valid), .source$ready(out_ready),
        .dbg_head(head), .dbg_tail(tail), .dbg_shown(shown), .dbg_full(full), .dbg_word(word), .dbg_slot(slot)
    );

    reg start = 1;
    always @(posedge clock) start <= 0;
    always @* if (start) assume (reset);

    wire push = in_valid & in_ready & !reset;
    wire pop = out_valid & out_ready & !reset;
    reg [2:0] into, outof;
    reg [3:0] count;
    reg watching;
    reg [8:0] value;
    always @(posedge clock) begin
        if (push) into <= into + 1;
        if (pop) outof <= outof + 1;
        count <= count + push - pop;
        if (pop && outof == slot) watching <= 0;
        if (push && into == slot) begin
            watching <= 1;
            value <= in_data;
        end
        if (reset) begin
            into <= 0;
            outof <= 0;
            count <= 0;
            watching <= 0;
        end
    end

    wire [2:0] fill = tail - head;
    wire [2:0] ahead = slot - outof;
    always @(posedge clock) if (!start) begin
        // I7: valid holds with stable data until ready.
        if ($past(out_valid && !out_ready && !reset)) begin
            handshake_valid: assert (out_valid);
            handshake_data: assert (out_data == $past(out_data));
        end
        // Never more words than there is room for: nothing overwritten, nothing made up.
        bound: assert (count <= 8);
        empty: assert (!(out_valid && count == 0));
        // The word numbered `slot` comes out as it went in.
        if (out_valid && outof == slot) order: assert (watching && out_data == value);

        // What makes the above inductive: the pointers are the counters, the RAM holds the watched word.
        link_tail: assert (tail == into);
        link_head: assert (head == outof + shown);
        link_count: assert (count == fill + shown);
        link_full: assert (fill != 7 || full);
        link_watch: assert (watching == (count > ahead));
        if (watching && !(shown && slot == outof)) link_word: assert (word == value);
    end

    always @(posedge clock) if (!start) begin
        cover_full: cover (count == 8);
        cover_wait: cover ($past(out_valid && !out_ready && !reset) && out_valid);
        cover_order: cover (out_valid && outof == slot && slot == 2 && value == 9'h155 && count == 3);
    end
endmodule
