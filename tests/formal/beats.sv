// dma/write_beats, two clients on a 64-bit bus: the W beats of a burst (I7): as many as AW says, wlast on the last and on no
// other, the strobes exactly its bytes, its client's data in order, held until ready.
//
// The write buffer has all beats of a burst before it starts (buffer.sv), so the clients' beats are always there.
module prove(input clock, input reset, input [1:0] start, input [71:0] burst, input [63:0] d0, input [63:0] d1, input wready);
    wire free, wlast, wvalid, busy, first;
    wire [1:0] ready, client;
    wire [63:0] wdata;
    wire [7:0] wstrb, rest;
    wire [71:0] shape;
    top dut(
        .clock(clock), .reset(reset), .start(start), .burst(burst), .free(free),
        .beats$0$data(d0), .beats$0$valid(1'b1), .beats$0$ready(ready[0]),
        .beats$1$data(d1), .beats$1$valid(1'b1), .beats$1$ready(ready[1]),
        .wdata(wdata), .wstrb(wstrb), .wlast(wlast), .wvalid(wvalid), .wready(wready),
        .dbg_busy(busy), .dbg_first(first), .dbg_rest(rest), .dbg_client(client), .dbg_shape(shape)
    );
    reg init = 1;
    always @(posedge clock) init <= 0;
    always @* if (init) assume (reset);
    // WriteIssue: one client at a time, only when W is free. A burst of one beat has its first byte below its last.
    always @* begin
        assume (start != 3 && (start == 0 || free));
        assume (burst[65:60] < 8 && burst[71:66] < 8);
        if (burst[59:52] == 0) assume (burst[65:60] + burst[71:66] < 8);
    end

    // The burst whose beats are on W: its shape, and the number of the next beat.
    reg [71:0] now;
    reg [1:0] whose;
    reg [8:0] number;
    reg running;
    wire pops = ready != 0;
    wire last = number == {1'b0, now[59:52]};
    always @(posedge clock) begin
        if (pops) number <= number + 1;
        if (pops && last) running <= 0;
        if (start != 0) begin
            now <= burst;
            whose <= start;
            number <= 0;
            running <= 1;
        end
        if (reset) running <= 0;
    end
    wire [7:0] low = number == 0 ? 8'hFF << now[65:60] : 8'hFF;
    wire [7:0] high = last ? 8'hFF >> now[71:66] : 8'hFF;
    wire [7:0] up = wstrb + (wstrb & -wstrb);
    always @(posedge clock) if (!init) begin
        // A beat is taken from the client of the burst, only while one runs and W has room.
        source: assert (pops ? running && ready == whose : 1'b1);
        no_loss: assert (!(pops && wvalid && !wready));
        if (!$past(reset)) begin
            if ($past(pops)) beat: assert (wvalid && wdata == $past(whose[0] ? d0 : d1) && wlast == $past(last) && wstrb == $past(low & high));
            if ($past(wvalid && !wready)) hold: assert (wvalid && wdata == $past(wdata) && wstrb == $past(wstrb) && wlast == $past(wlast));
            if ($past(!pops && (!wvalid || wready))) once: assert (!wvalid);
        end
        // One run of bytes, never none (AXI, strobes.rs).
        if (wvalid) contiguous: assert (wstrb != 0 && (up & wstrb) == 0);
        // A burst never waits with W free, and W is given to the next only when this one has its last beat.
        if (running && (!wvalid || wready)) works: assert (pops);
        gives: assert (free == (!running || (pops && last)));
        link_busy: assert (busy == running);
        if (running) link_state: assert (shape == now && client == whose && rest == now[59:52] - number[7:0] && number <= now[59:52] && first == (number == 0) && now[65:60] < 8 && now[71:66] < 8 && (now[59:52] != 0 || now[65:60] + now[71:66] < 8) && whose != 0 && whose != 3);
    end
    always @(posedge clock) if (!init) begin
        cover_three: cover (wvalid && wlast && $past(number) == 2 && wstrb == 8'h01);
        cover_one: cover (wvalid && wlast && $past(number) == 0 && wstrb == 8'h18);
        cover_next: cover (pops && last && start == 2 && whose == 1);
        cover_wait: cover ($past(wvalid && !wready && !reset) && wvalid);
    end
endmodule
