// Short frames are padded with zeros to 60 bytes; without a link frames are thrown away whole; one that loses it is ended as bad.
module bench;
    reg clock = 0, mac_reset = 1, fifo_reset = 1, link = 1, in_tvalid = 0, in_tlast = 0, in_tuser = 0, out_tready = 1;
    reg [511:0] in_tdata = {64{8'hEE}};
    reg [63:0] in_tkeep = 0;
    wire in_tready, out_tvalid, out_tlast, out_tuser;
    wire [511:0] out_tdata;
    wire [63:0] out_tkeep;
    integer good = 0, bad = 0, beats = 0;
    reg [511:0] last_data;
    reg [63:0] last_keep;

    frame_send dut (.clock(clock), .mac_reset(mac_reset), .fifo_reset(fifo_reset), .link(link), .in_tdata(in_tdata),
        .in_tkeep(in_tkeep), .in_tvalid(in_tvalid), .in_tlast(in_tlast), .in_tuser(in_tuser), .in_tready(in_tready), .out_tdata(out_tdata), .out_tkeep(out_tkeep),
        .out_tvalid(out_tvalid), .out_tlast(out_tlast), .out_tuser(out_tuser), .out_tready(out_tready));

    always #1 clock = ~clock;
    initial #2000 begin
        $display("WRONG: it hangs");
        $finish;
    end
    always @(posedge clock) if (out_tvalid && out_tready) begin
        beats <= beats + 1;
        good <= good + (out_tlast && !out_tuser);
        bad <= bad + (out_tlast && out_tuser);
        last_data <= out_tdata;
        last_keep <= out_tkeep;
    end

    task beat(input [63:0] keep, input last);
        begin
            in_tvalid = 1;
            in_tkeep = keep;
            in_tlast = last;
            #0.1;
            while (!in_tready) @(negedge clock) #0.1;
            @(negedge clock) in_tvalid = 0;
        end
    endtask

    task expect_counts(input integer b, input integer g, input integer e);
        begin
            repeat (2) @(negedge clock);
            if (beats != b || good != g || bad != e)
                $display("WRONG: %0d beats, %0d good, %0d bad, not %0d, %0d, %0d", beats, good, bad, b, g, e);
        end
    endtask

    initial begin
        repeat (3) @(negedge clock);
        mac_reset = 0;
        fifo_reset = 0;
        @(negedge clock) beat(64'h3FF, 1);
        expect_counts(1, 1, 0);
        if (last_keep != 64'h0FFF_FFFF_FFFF_FFFF || last_data != {{54{8'h00}}, {10{8'hEE}}})
            $display("WRONG: pad %h %h", last_keep, last_data);
        // A long frame keeps its short last beat; the CMAC may hold it up.
        beat(~64'h0, 0);
        out_tready = 0;
        repeat (3) @(negedge clock);
        out_tready = 1;
        beat(64'hF, 1);
        expect_counts(3, 2, 0);
        if (last_keep != 64'hF) $display("WRONG: a last beat is padded: %h", last_keep);
        // No link: nothing leaves and nothing is held up, though the CMAC takes nothing.
        link = 0;
        out_tready = 0;
        beat(~64'h0, 0); beat(~64'h0, 1); beat(~64'h0, 0);
        link = 1;
        out_tready = 1;
        beat(64'h1, 1);
        expect_counts(3, 2, 0);
        // The link goes in the middle of a frame and comes back while its rest is still coming.
        beat(~64'h0, 0);
        link = 0;
        repeat (2) @(negedge clock);
        beat(~64'h0, 0);
        link = 1;
        beat(~64'h0, 1);
        expect_counts(5, 2, 1);
        beat(~64'h0, 1);
        expect_counts(6, 3, 1);
        // Its FIFO is emptied in the middle of a frame: the CMAC sees the end of a bad one before the next.
        beat(~64'h0, 0);
        fifo_reset = 1;
        repeat (2) @(negedge clock);
        fifo_reset = 0;
        beat(~64'h0, 1);
        expect_counts(9, 4, 2);
        $display("DONE");
        $finish;
    end
endmodule
