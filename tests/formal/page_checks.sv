// mr/page_checks, two page entries a beat: every entry of the list is judged, each by its own bits, and no other (B18, B19, M2).
module prove(input clock, input [127:0] pages, input [15:0] left, input [4:0] page_shift);
    (* anyconst *) reg lane;
    wire [1:0] used, misaligned, beyond;
    top dut(.pages(pages), .left(left), .page_shift(page_shift), .used(used), .misaligned(misaligned), .beyond(beyond));
    wire [63:0] entry = lane ? pages[127:64] : pages[63:0];
    wire listed = left > lane;
    always @* assume (page_shift >= 12 && page_shift <= 21);
    always @(posedge clock) begin
        m2: assert (used[lane] == listed);
        b18: assert (misaligned[lane] == (listed && (entry & ((64'd1 << page_shift) - 64'd1)) != 0));
        // The end of an aligned page passes 2^52 exactly when its start does.
        b19: assert (beyond[lane] == (listed && entry >= 64'h10_0000_0000_0000));
    end
    always @(posedge clock) begin
        cover_bad: cover (misaligned == 2 && !beyond[0] && beyond[1]);
        cover_unused: cover (used == 1 && pages[127:64] != 0 && misaligned == 0);
        cover_top: cover (lane && listed && entry == 64'hF_FFFF_FFE0_0000 && page_shift == 21);
    end
endmodule
