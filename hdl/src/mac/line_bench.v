// Two MACs, each with its own core and transmit clock, on one cable: all lengths at line rate, both ways (section 8, MAC).
// Judges on the wire know nothing of the design: preamble, gap, CRC bit by bit. `+core_a= +core_b= +tx_a= +tx_b=` are half
// periods in femtoseconds, `+first= +last=` the lengths.
`timescale 1fs/1fs

// Sends frames of all lengths; byte i of frame n is a hash of both.
module line_source(input clock, input reset, input [15:0] first, input [15:0] last,
                   output reg [63:0] tdata, output reg [7:0] tkeep, output reg tvalid, output reg tlast, input tready);
    reg [15:0] size, at;
    integer i;
    always @* begin
        for (i = 0; i < 8; i = i + 1) begin
            tdata[8 * i +: 8] = (at + i[15:0]) * 8'h1D ^ size[7:0] ^ {size[15:8], 4'h5};
            tkeep[i] = at + i[15:0] < size;
        end
        tlast = at + 16'd8 >= size;
        tvalid = size <= last;
    end
    always @(posedge clock)
        if (reset) begin size <= first; at <= 0; end
        else if (tvalid && tready) begin
            at <= tlast ? 16'd0 : at + 16'd8;
            if (tlast) size <= size + 16'd1;
        end
endmodule

// Expects the same frames, padded to 60 bytes, none missing.
module line_sink(input clock, input reset, input [15:0] first, input [15:0] last,
                 input [63:0] tdata, input [7:0] tkeep, input tvalid, input tlast, input tuser, output tready,
                 output done, output reg bad);
    reg [15:0] size, at;
    reg [7:0] want;
    integer i;
    wire [15:0] padded = size < 60 ? 16'd60 : size;
    assign tready = 1'b1;
    assign done = size > last;
    always @(posedge clock)
        if (reset) begin size <= first; at <= 0; bad <= 0; end
        else if (tvalid) begin
            for (i = 0; i < 8; i = i + 1) begin
                want = (at + i[15:0]) * 8'h1D ^ size[7:0] ^ {size[15:8], 4'h5};
                if (at + i[15:0] >= size) want = 0;
                if (tkeep[i] != (at + i[15:0] < padded) || (tkeep[i] && tdata[8 * i +: 8] != want)) begin
                    if (!bad) $display("BAD byte %0d of the frame of %0d: keep %b data %h", at + i, size, tkeep, tdata);
                    bad <= 1;
                end
            end
            if (tlast != (at + 16'd8 >= padded) || tuser) begin
                if (!bad) $display("BAD end of the frame of %0d at %0d, tlast %b tuser %b", size, at, tlast, tuser);
                bad <= 1;
            end
            at <= tlast ? 16'd0 : at + 16'd8;
            if (tlast) size <= size + 16'd1;
        end
endmodule

// What is on the wire between two MACs. Eats 0 to 6 bytes of each preamble, as PHYs do.
module line_judge(input clock, input [7:0] txd, input tx_en, input tx_er,
                  output [7:0] rxd, output rx_dv, output reg bad, output reg [31:0] narrowest, output reg [31:0] widest);
    reg [31:0] crc, gap, count, frames;
    reg [2:0] eaten;
    reg fed;
    integer i;
    initial begin bad = 0; narrowest = 32'hFFFF; widest = 0; gap = 0; count = 0; frames = 0; eaten = 0; crc = 0; end
    assign rxd = txd;
    assign rx_dv = tx_en && count >= {29'd0, eaten};
    always @(posedge clock) begin
        if (tx_er) bad <= 1;
        if (tx_en) begin
            if (count == 0 && frames > 0) begin
                if (gap < narrowest) narrowest <= gap;
                if (gap > widest) widest <= gap;
            end
            if (count < 8) begin
                crc = 32'hFFFFFFFF;
                if (txd != (count == 7 ? 8'hD5 : 8'h55)) bad <= 1;
            end else for (i = 0; i < 8; i = i + 1) begin
                fed = crc[31] ^ txd[i];
                crc = {crc[30:0], 1'b0} ^ (fed ? 32'h04C11DB7 : 32'h0);
            end
            count <= count + 1;
            gap <= 0;
        end else begin
            // The residue of the polynomial in its normal form.
            if (count != 0 && (crc != 32'hC704DD7B || count < 72)) bad <= 1;
            if (count != 0) begin frames <= frames + 1; eaten <= eaten == 6 ? 3'd0 : eaten + 3'd1; end
            count <= 0;
            gap <= gap + 1;
        end
    end
endmodule

module bench;
    reg [63:0] core_a, core_b, tx_a, tx_b;
    reg [31:0] first, last;
    reg core_clock_a = 0, core_clock_b = 0, tx_clock_a = 0, tx_clock_b = 0, reset = 1;
    initial begin
        if (!$value$plusargs("core_a=%d", core_a)) core_a = 6000000;
        if (!$value$plusargs("core_b=%d", core_b)) core_b = 6000000;
        if (!$value$plusargs("tx_a=%d", tx_a)) tx_a = 4000000;
        if (!$value$plusargs("tx_b=%d", tx_b)) tx_b = 4000000;
        if (!$value$plusargs("first=%d", first)) first = 1;
        if (!$value$plusargs("last=%d", last)) last = 1514;
        #400000000 reset = 0;
    end
    always #(core_a) core_clock_a = ~core_clock_a;
    always #(core_b) core_clock_b = ~core_clock_b;
    always #(tx_a) tx_clock_a = ~tx_clock_a;
    always #(tx_b) tx_clock_b = ~tx_clock_b;

    wire [63:0] sd_a, sd_b, rd_a, rd_b;
    wire [7:0] sk_a, sk_b, rk_a, rk_b, txd_a, txd_b, rxd_a, rxd_b;
    wire sv_a, sv_b, sl_a, sl_b, sr_a, sr_b, rv_a, rv_b, rl_a, rl_b, ru_a, ru_b, rr_a, rr_b;
    wire en_a, en_b, er_a, er_b, dv_a, dv_b, done_a, done_b, bad_a, bad_b, wire_bad_a, wire_bad_b;
    wire [31:0] narrow_a, narrow_b, wide_a, wide_b;
    wire [15:0] bads_a, bads_b, drops_a, drops_b, goods_a, goods_b;
    line_source source_a(core_clock_a, reset, first[15:0], last[15:0], sd_a, sk_a, sv_a, sl_a, sr_a);
    line_source source_b(core_clock_b, reset, first[15:0], last[15:0], sd_b, sk_b, sv_b, sl_b, sr_b);
    line_sink sink_a(core_clock_a, reset, first[15:0], last[15:0], rd_a, rk_a, rv_a, rl_a, ru_a, rr_a, done_a, bad_a);
    line_sink sink_b(core_clock_b, reset, first[15:0], last[15:0], rd_b, rk_b, rv_b, rl_b, ru_b, rr_b, done_b, bad_b);
    line_judge from_a(tx_clock_a, txd_a, en_a, er_a, rxd_b, dv_b, wire_bad_a, narrow_a, wide_a);
    line_judge from_b(tx_clock_b, txd_b, en_b, er_b, rxd_a, dv_a, wire_bad_b, narrow_b, wide_b);
    top mac_a(.core_clock(core_clock_a), .core_reset(reset), .tx_clock(tx_clock_a), .tx_reset(reset), .rx_clock(tx_clock_b), .rx_reset(reset),
        .tx_axis$tdata(sd_a), .tx_axis$tkeep(sk_a), .tx_axis$tvalid(sv_a), .tx_axis$tlast(sl_a), .tx_axis$tuser(1'b0), .tx_axis$tready(sr_a),
        .rx_axis$tdata(rd_a), .rx_axis$tkeep(rk_a), .rx_axis$tvalid(rv_a), .rx_axis$tlast(rl_a), .rx_axis$tuser(ru_a), .rx_axis$tready(rr_a),
        .gmii_txd(txd_a), .gmii_tx_en(en_a), .gmii_tx_er(er_a), .gmii_rxd(rxd_a), .gmii_rx_dv(dv_a), .gmii_rx_er(1'b0),
        .tx_sent(), .tx_refused(), .rx_good(goods_a), .rx_bad(bads_a), .rx_dropped(drops_a));
    top mac_b(.core_clock(core_clock_b), .core_reset(reset), .tx_clock(tx_clock_b), .tx_reset(reset), .rx_clock(tx_clock_a), .rx_reset(reset),
        .tx_axis$tdata(sd_b), .tx_axis$tkeep(sk_b), .tx_axis$tvalid(sv_b), .tx_axis$tlast(sl_b), .tx_axis$tuser(1'b0), .tx_axis$tready(sr_b),
        .rx_axis$tdata(rd_b), .rx_axis$tkeep(rk_b), .rx_axis$tvalid(rv_b), .rx_axis$tlast(rl_b), .rx_axis$tuser(ru_b), .rx_axis$tready(rr_b),
        .gmii_txd(txd_b), .gmii_tx_en(en_b), .gmii_tx_er(er_b), .gmii_rxd(rxd_b), .gmii_rx_dv(dv_b), .gmii_rx_er(1'b0),
        .tx_sent(), .tx_refused(), .rx_good(goods_b), .rx_bad(bads_b), .rx_dropped(drops_b));

    // Time for the counters to come across.
    reg [7:0] over = 0;
    integer waited = 0;
    always @(posedge core_clock_a) begin
        waited <= waited + 1;
        if (done_a && done_b) over <= over + 1;
        if (over == 100 || bad_a || bad_b || wire_bad_a || wire_bad_b || waited == 4000000) begin
            $display("%s gaps %0d-%0d %0d-%0d bad %0d %0d dropped %0d %0d good %0d %0d",
                done_a && done_b && !(bad_a || bad_b || wire_bad_a || wire_bad_b) ? "PASS" : "FAIL",
                narrow_a, wide_a, narrow_b, wide_b, bads_a, bads_b, drops_a, drops_b, goods_a, goods_b);
            $finish;
        end
    end
endmodule
