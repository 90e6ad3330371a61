// dma/read, three clients on a 64-bit bus with 8 read credits: AR and R of the whole engine (I7, I8, I9, T107).
//
// `who` is any client. The bus may answer in any order between ids and at any time, but answers only what it was asked.
module prove(
    input clock, input [67:0] command_0, input [67:0] command_1, input [67:0] command_2, input [2:0] valid, input stop,
    input arready, input [3:0] rid, input [63:0] rdata, input [1:0] rresp, input rlast, input rvalid
);
    (* anyconst *) reg [1:0] who;
    wire [2:0] ready, beat_valid, beat_error;
    wire [63:0] data_0, data_1, data_2, araddr;
    wire [3:0] arid;
    wire [7:0] arlen;
    wire arvalid, rready, idle;
    wire [7:0] count_0, count_1, count_2, shared;
    wire [2:0] full;
    wire [2:0] some;
    wire none;

    reg start = 1;
    always @(posedge clock) start <= 0;
    wire reset = start;

    top dut(
        .clock(clock), .reset(reset), .stop(stop), .idle(idle),
        .clients$0$command$data(command_0), .clients$0$command$valid(valid[0]), .clients$0$command$ready(ready[0]),
        .clients$0$beat_valid(beat_valid[0]), .clients$0$beat_data(data_0), .clients$0$beat_error(beat_error[0]),
        .clients$1$command$data(command_1), .clients$1$command$valid(valid[1]), .clients$1$command$ready(ready[1]),
        .clients$1$beat_valid(beat_valid[1]), .clients$1$beat_data(data_1), .clients$1$beat_error(beat_error[1]),
        .clients$2$command$data(command_2), .clients$2$command$valid(valid[2]), .clients$2$command$ready(ready[2]),
        .clients$2$beat_valid(beat_valid[2]), .clients$2$beat_data(data_2), .clients$2$beat_error(beat_error[2]),
        .bus$arid(arid), .bus$araddr(araddr), .bus$arlen(arlen), .bus$arvalid(arvalid), .bus$arready(arready),
        .bus$rid(rid), .bus$rdata(rdata), .bus$rresp(rresp), .bus$rlast(rlast), .bus$rvalid(rvalid), .bus$rready(rready),
        .dbg_count_0(count_0), .dbg_count_1(count_1), .dbg_count_2(count_2), .dbg_shared(shared),
        .dbg_full(full), .dbg_some(some), .dbg_none(none)
    );

    always @* begin
        assume (who < 3);
        if (valid[0]) assume (command_0[67:52] != 0);
        if (valid[1]) assume (command_1[67:52] != 0);
        if (valid[2]) assume (command_2[67:52] != 0);
    end

    // Bursts of `who` that the bus has taken and not yet ended.
    reg [7:0] taken;
    wire takes = arvalid && arready && arid == who;
    wire ends = rvalid && rlast && rid == who;
    // AXI: no answer that was not asked for. (An answer to nobody is I9's: read_return drops it.)
    always @* if (rvalid && rid == who) assume (taken != 0);
    always @(posedge clock) taken <= reset ? 0 : taken + takes - ends;

    wire mine = who == 0 ? beat_valid[0] : who == 1 ? beat_valid[1] : beat_valid[2];
    wire [63:0] data = who == 0 ? data_0 : who == 1 ? data_1 : data_2;
    wire bad = who == 0 ? beat_error[0] : who == 1 ? beat_error[1] : beat_error[2];
    wire [7:0] count = who == 0 ? count_0 : who == 1 ? count_1 : count_2;
    wire shown = arvalid && arid == who;
    always @(posedge clock) if (!start) begin
        // I7: AR holds until ready.
        if ($past(arvalid && !arready && !reset)) ar_hold:
            assert (arvalid && araddr == $past(araddr) && arlen == $past(arlen) && arid == $past(arid));
        if (arvalid) ar_id: assert (arid < 3);
        // T107: R is never held up.
        always_ready: assert (rready);
        // Each beat of the bus is given once, to the client of its id and to no other, one cycle later, with its data.
        if (!$past(reset)) begin
            once: assert (mine == $past(rvalid && rid == who));
            if (mine) right: assert (data == $past(rdata) && bad == $past(rresp[1]));
        end
        one_client: assert ((beat_valid & (beat_valid - 1)) == 0);
        // I8: never more bursts than credits; idle means that none is on the bus or shown.
        credits: assert (taken + shown <= 2);
        if (idle) idle_right: assert (taken == 0 && !shown);
        link_count: assert (count == taken + shown + ($past(ends) && !$past(reset)));
        link_shared: assert (shared <= 1 && shared == (count_0 > 1 ? count_0 - 1 : 0) + (count_1 > 1 ? count_1 - 1 : 0) + (count_2 > 1 ? count_2 - 1 : 0));
        link_full: assert (full == {count_2 != 0, count_1 != 0, count_0 != 0} && none == (shared == 1));
        link_some: assert (some == {count_2 != 0, count_1 != 0, count_0 != 0});
        link_small: assert (count_0 <= 2 && count_1 <= 2 && count_2 <= 2);
    end
    always @(posedge clock) if (!start) begin
        cover_two: cover (taken == 2);
        cover_beat: cover (mine && data == 64'h1234 && $past(rlast));
        cover_wait: cover ($past(arvalid && !arready) && arvalid);
        cover_idle: cover (idle && $past(mine));
    end
endmodule
