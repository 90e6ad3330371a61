// A frame is taken whole or dropped whole, whatever the FIFO says in its middle, and never from its middle after a reset.
module bench;
    reg clock = 0, mac_reset = 1, fifo_reset = 1, crowded = 0, in_tvalid = 0, in_tlast = 0;
    wire out_tvalid, dropped;
    integer beats = 0, drops = 0;

    frame_receive dut (.clock(clock), .mac_reset(mac_reset), .fifo_reset(fifo_reset), .crowded(crowded),
        .in_tvalid(in_tvalid), .in_tlast(in_tlast), .out_tvalid(out_tvalid), .dropped(dropped));

    always #1 clock = ~clock;
    initial #2000 begin
        $display("WRONG: it hangs");
        $finish;
    end
    always @(posedge clock) begin
        beats <= beats + out_tvalid;
        drops <= drops + (dropped === 1'b1);
    end

    task beat(input last);
        begin
            in_tvalid = 1;
            in_tlast = last;
            @(negedge clock) in_tvalid = 0;
        end
    endtask

    task expect_counts(input integer b, input integer d);
        begin
            repeat (2) @(negedge clock);
            if (beats != b || drops != d) $display("WRONG: %0d beats and %0d drops, not %0d and %0d", beats, drops, b, d);
        end
    endtask

    initial begin
        repeat (3) @(negedge clock);
        mac_reset = 0;
        fifo_reset = 0;
        @(negedge clock) beat(0); beat(0); crowded = 1; beat(0); beat(1);
        expect_counts(4, 0);
        beat(0); crowded = 0; beat(0); beat(1);
        expect_counts(4, 1);
        beat(1);
        expect_counts(5, 1);
        // Reset of the FIFO in the middle of a frame: its rest is dropped.
        beat(0);
        fifo_reset = 1;
        beat(0);
        fifo_reset = 0;
        beat(0); beat(1);
        expect_counts(6, 2);
        beat(0); beat(1);
        expect_counts(8, 2);
        $display("DONE");
        $finish;
    end
endmodule
