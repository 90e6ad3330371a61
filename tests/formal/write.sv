// dma/write, two clients on a 64-bit bus with 16 write credits: AW, W and B of the whole engine (I7, I8, I9, T107).
//
// `who` is any client. The bus may answer in any order between ids and at any time, but answers only what it was asked.
module prove(
    input clock, input [71:0] burst_0, input [71:0] burst_1, input [1:0] valid, input [63:0] d0, input [63:0] d1, input stop,
    input awready, input wready, input [3:0] bid, input [1:0] bresp, input bvalid
);
    (* anyconst *) reg who;
    wire [1:0] ready, beat_ready, done;
    wire [63:0] awaddr, wdata;
    wire [3:0] awid;
    wire [7:0] awlen, wstrb, count_0, count_1, shared;
    wire [1:0] full;
    wire [1:0] some;
    wire none;
    wire awvalid, wvalid, wlast, bready, idle, failed;

    reg start = 1;
    always @(posedge clock) start <= 0;
    wire reset = start;

    top dut(
        .clock(clock), .reset(reset), .stop(stop), .idle(idle), .done(done), .failed(failed),
        .bursts$0$data(burst_0), .bursts$0$valid(valid[0]), .bursts$0$ready(ready[0]),
        .bursts$1$data(burst_1), .bursts$1$valid(valid[1]), .bursts$1$ready(ready[1]),
        .beats$0$data(d0), .beats$0$valid(1'b1), .beats$0$ready(beat_ready[0]),
        .beats$1$data(d1), .beats$1$valid(1'b1), .beats$1$ready(beat_ready[1]),
        .bus$awid(awid), .bus$awaddr(awaddr), .bus$awlen(awlen), .bus$awvalid(awvalid), .bus$awready(awready),
        .bus$wdata(wdata), .bus$wstrb(wstrb), .bus$wlast(wlast), .bus$wvalid(wvalid), .bus$wready(wready),
        .bus$bid(bid), .bus$bresp(bresp), .bus$bvalid(bvalid), .bus$bready(bready),
        .dbg_count_0(count_0), .dbg_count_1(count_1), .dbg_shared(shared),
        .dbg_full(full), .dbg_some(some), .dbg_none(none)
    );

    // Bursts of `who` whose AW the bus has taken and that it has not answered.
    reg [7:0] taken;
    wire takes = awvalid && awready && awid == who;
    wire ends = bvalid && bid == who;
    always @* if (bvalid && bid == who) assume (taken != 0);
    always @(posedge clock) taken <= reset ? 0 : taken + takes - ends;

    wire shown = awvalid && awid == who;
    wire [7:0] count = who ? count_1 : count_0;
    wire [1:0] starts = valid & ready;
    wire [71:0] begun = starts[0] ? burst_0 : burst_1;
    always @(posedge clock) if (!start) begin
        // I7: AW and W hold until ready.
        if ($past(awvalid && !awready && !reset)) aw_hold:
            assert (awvalid && awaddr == $past(awaddr) && awlen == $past(awlen) && awid == $past(awid));
        if ($past(wvalid && !wready && !reset)) w_hold:
            assert (wvalid && wdata == $past(wdata) && wstrb == $past(wstrb) && wlast == $past(wlast));
        // AW is the burst that a client offered, with that client's id, in the order of the grants; each once.
        one_start: assert (starts != 3);
        if (!$past(reset) && $past(starts != 0)) aw_right:
            assert (awvalid && awid == $past(starts[1]) && awaddr == $past({12'd0, begun[51:0]}) && awlen == $past(begun[59:52]));
        if (!$past(reset) && $past(starts == 0 && (!awvalid || awready))) aw_once: assert (!awvalid);
        // T107: B is never held up. Each B ends one burst of the client of its id, once.
        always_ready: assert (bready);
        if (!$past(reset)) begin
            once: assert (done[who] == $past(bvalid && bid == who));
            if (done[who]) right: assert (failed == $past(bresp[1]));
        end
        one_client: assert (done != 3);
        // I8: never more bursts than credits; idle means that none is on the bus or shown.
        credits: assert (taken + shown <= 6);
        if (idle) idle_right: assert (taken == 0 && !shown);
        link_count: assert (count == taken + shown + ($past(ends) && !$past(reset)));
        link_shared: assert (shared <= 4 && shared == (count_0 > 2 ? count_0 - 2 : 0) + (count_1 > 2 ? count_1 - 2 : 0));
        link_some: assert (some == {count_1 != 0, count_0 != 0});
        link_full: assert (full == {count_1 >= 2, count_0 >= 2} && none == (shared == 4));
        link_small: assert (count_0 <= 6 && count_1 <= 6);
    end
    always @(posedge clock) if (!start) begin
        cover_two: cover (taken == 2);
        cover_done: cover (done[who] && failed);
        cover_wait: cover ($past(awvalid && !awready) && awvalid && wvalid && wlast);
        cover_idle: cover (idle && $past(done[who]));
    end
endmodule
