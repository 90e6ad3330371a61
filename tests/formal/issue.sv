// dma/read_issue, three clients: what AR shows is a burst that a client offered, whole, with that client's id, each once and in
// the order of the grants (I7: with splitter.sv, no AR crosses 4 KiB); held until ready; `stop` shows no new one.
module prove(
    input clock, input reset, input stop, input [59:0] b0, input [59:0] b1, input [59:0] b2, input [2:0] valid,
    input [2:0] may, input arready
);
    wire [2:0] ready, granted;
    wire [3:0] arid;
    wire [63:0] araddr;
    wire [7:0] arlen;
    wire arvalid;
    top dut(
        .clock(clock), .reset(reset), .stop(stop), .may(may), .start(granted),
        .bursts$0$data(b0), .bursts$0$valid(valid[0]), .bursts$0$ready(ready[0]),
        .bursts$1$data(b1), .bursts$1$valid(valid[1]), .bursts$1$ready(ready[1]),
        .bursts$2$data(b2), .bursts$2$valid(valid[2]), .bursts$2$ready(ready[2]),
        .arid(arid), .araddr(araddr), .arlen(arlen), .arvalid(arvalid), .arready(arready)
    );
    reg start = 1;
    always @(posedge clock) start <= 0;
    always @* if (start) assume (reset);

    wire [2:0] taken = valid & ready;
    wire [59:0] burst = taken[0] ? b0 : taken[1] ? b1 : b2;
    wire [3:0] id = taken[0] ? 0 : taken[1] ? 1 : 2;
    always @(posedge clock) if (!start) begin
        // One grant at a time, to a client that has a burst and a credit (I8), none while stopped.
        one_grant: assert ((taken & (taken - 1)) == 0);
        allowed: assert ((taken & ~may) == 0 && !(stop && taken != 0) && granted == taken);
        // Nothing is taken while AR waits.
        no_loss: assert (!(arvalid && !arready && taken != 0));
        if (!$past(reset)) begin
            if ($past(taken != 0)) shows: assert (arvalid && araddr == $past({12'd0, burst[51:0]}) && arlen == $past(burst[59:52]) && arid == $past(id));
            if ($past(arvalid && !arready)) hold: assert (arvalid && araddr == $past(araddr) && arlen == $past(arlen) && arid == $past(arid));
            if ($past(taken == 0 && (!arvalid || arready))) once: assert (!arvalid);
        end
        // No client waits for ever: a free AR with somebody allowed is used.
        if ((valid & may) != 0 && !stop && (!arvalid || arready)) works: assert (taken != 0);
    end
    always @(posedge clock) if (!start) begin
        cover_wait: cover ($past(arvalid && !arready && !reset) && arvalid && arid == 2);
        cover_next: cover ($past(arvalid && arready && taken[1] && arid == 2));
    end
endmodule
