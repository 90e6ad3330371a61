// mr/lookup at 4 regions, 128-bit bus, 16 page entries: one question, every key, address, length and row (section E, I3, T98).
//
// A window of 15 cycles from any state whatever: the flip-flops start with any value, other questions and writes come at any
// time. The question is asked in cycle 0, its row is read in cycle 1, its answer comes in cycle 14. `old` is the row then in
// the table, `written` the row that a write in that very cycle puts there. What follows is written from the specification.
module prove(
    input clock, input reset, input other_ask, input [162:0] other, input full,
    input write, input [1:0] index, input [238:0] row, input [31:0] row_generation,
    input [1:0] page_lanes, input [2:0] page_row, input [127:0] page_data
);
    (* anyconst *) reg [162:0] q;
    (* anyconst *) reg [238:0] old;
    (* anyconst *) reg [31:0] old_generation;
    (* anyconst *) reg [3:0] slot;
    (* anyconst *) reg [39:0] frame;
    wire answered, looks, grant;
    wire [129:0] a;
    wire [1:0] looks_at, grant_index;
    wire [238:0] in_table;
    wire [31:0] in_generations;
    wire [39:0] in_bank_0, in_bank_1;

    reg [4:0] cycle = 0;
    always @(posedge clock) if (cycle != 31) cycle <= cycle + 1;

    // The question in the words of the specification.
    wire [7:0] key_byte = q[7:0];
    wire [23:0] key_index = q[31:8];
    wire [63:0] va = q[95:32];
    wire [31:0] len = q[127:96];
    wire [23:0] pd = q[151:128];
    wire [7:0] need = q[159:152];
    wire remote = q[160], privileged = q[161], hold = q[162];
    wire [1:0] own = key_index[1:0];

    top dut(
        .clock(clock), .reset(reset), .ask(cycle == 0 || other_ask), .question(cycle == 0 ? q : other), .full(full),
        .answered(answered), .answer(a), .looks(looks), .looks_at(looks_at), .grant(grant), .grant_index(grant_index),
        .write(write), .index(index), .row(row), .row_generation(row_generation),
        .page_lanes(page_lanes), .page_row(page_row), .page_data(page_data),
        .dbg_row(in_table), .dbg_generation(in_generations), .dbg_index(own), .dbg_index_2(own),
        .dbg_bank_0(in_bank_0), .dbg_bank_1(in_bank_1), .dbg_slot_0(slot[3:1]), .dbg_slot_1(slot[3:1])
    );

    always @* assume (!reset);
    // Row 0 is no region: cleared at reset, never written after (E2: index 0 always fails; A26: its zeros are the lkey's base).
    always @* begin
        assume (!(write && index == 0));
        if (own == 0) assume (old == 0);
    end
    always @* if (cycle == 1) assume (in_table == old && in_generations == old_generation);
    // Pages of a registered region are not written while it is (only REG_MR of a FREE region writes pages): `slot` keeps `frame`.
    always @* begin
        if (cycle == 1) assume ((slot[0] ? in_bank_1 : in_bank_0) == frame);
        if (cycle > 0 && page_row == slot[3:1]) assume (!page_lanes[slot[0]]);
    end

    reg raced, refused, granted_hold;
    reg [1:0] granted_index;
    reg [238:0] written;
    reg [31:0] written_generation;
    always @(posedge clock) begin
        if (cycle == 1) begin
            raced <= write && index == own;
            written <= row;
            written_generation <= row_generation;
        end
        if (cycle == 5) refused <= full && hold;
        if (cycle == 6) begin
            granted_hold <= grant;
            granted_index <= grant_index;
        end
    end

    wire [7:0] old_syndrome, new_syndrome;
    wire [64:0] old_byte, new_byte;
    wire old_sane, new_sane;
    section_e as_old(.e(old), .key_byte(key_byte), .key_index(key_index), .va(va), .len(len), .pd(pd), .need(need),
        .refused(refused), .syndrome(old_syndrome), .list_byte(old_byte), .sane(old_sane));
    section_e as_new(.e(written), .key_byte(key_byte), .key_index(key_index), .va(va), .len(len), .pd(pd), .need(need),
        .refused(refused), .syndrome(new_syndrome), .list_byte(new_byte), .sane(new_sane));
    // What registration guarantees of a VALID row (B10 to B15): a page size, an offset in the first page, a list long enough.
    always @* if (cycle == 14) assume (old_sane && (!raced || new_sane));
    // B18: page entries are aligned to the page size of their region.
    wire [8:0] spare = (9'h1FF >> (21 - old[24:20]));
    always @* assume ((frame[8:0] & spare) == 0);

    // A26, E11: the local DMA lkey.
    wire direct = key_index == 0 && key_byte == 8'hFF && !remote && privileged;
    wire [64:0] direct_end = {1'b0, va} + len;
    wire beyond = direct_end > 65'h10_0000_0000_0000;

    wire [7:0] syndrome = a[7:0];
    wire [51:0] address = a[59:8];
    wire [12:0] bytes = a[72:60];
    wire held = a[129];
    wire answer_old = syndrome == old_syndrome && (syndrome != 0 || a[128:97] == old_generation);
    wire answer_new = syndrome == new_syndrome && (syndrome != 0 || a[128:97] == written_generation);
    wire ordinary = !direct && len != 0;
    wire granted = ordinary && syndrome == 0;

    // E8 to E10: the byte of the list, its page entry, its bus address.
    wire [64:0] page_number = old_byte >> old[24:20];
    wire [23:0] entry = old[206:183] + page_number[23:0];
    wire [51:0] in_page = old_byte[51:0] & ((52'd1 << old[24:20]) - 52'd1);
    wire [51:0] bus = {frame, 12'd0} + in_page;
    wire [51:0] page_start = {frame, 12'd0};
    wire [12:0] to_boundary = 13'd4096 - {1'b0, address[11:0]};
    wire [12:0] piece = len < to_boundary ? len[12:0] : to_boundary;

    always @(posedge clock) if (cycle == 14) begin
        one_answer: assert (answered);
        // E1: length 0 is granted whatever the key, and touches nothing.
        if (len == 0) e1: assert (syndrome == 0 && address == 0 && bytes == 0 && !held);
        // E2 to E6 in this order, from one whole row.
        if (ordinary && !raced) e2_e6: assert (answer_old);
        // I3, E15: a race gives the old row, the new one, or "not VALID".
        if (ordinary && raced) i3: assert (answer_old || answer_new || syndrome == 8'h32);
        // E8: inside the list, and the bus address is in the page that the list names.
        if (granted && !raced) e8_inside: assert (page_number < old[222:207]);
        if (granted && !raced && entry == slot) e8_address: assert (address == bus);
        if (granted && !raced && entry == slot) e8_in_page:
            assert (address >= page_start && address - page_start < (52'd1 << old[24:20]));
        // E9: the piece ends at the next 4 KiB boundary of the bus.
        if (granted) e9: assert (bytes == piece && bytes != 0);
        // A26, E11: bus address is virtual address, up to 2^52.
        if (direct && len != 0) a26: assert (syndrome == (beyond ? 8'h34 : 8'h00) && !held);
        if (direct && len != 0 && !beyond) e11: assert (address == va[51:0] && bytes == piece);
        // Nothing is told of a refused access.
        if (syndrome != 0) nothing: assert (address == 0 && bytes == 0 && !held);
        // T98: a hold is counted exactly when it is granted, of the right region.
        t98: assert (held == (granted && hold) && granted_hold == held);
        if (held) t98_index: assert (granted_index == own && a[96:73] == key_index);
    end

    always @(posedge clock) if (cycle == 14) begin
        cover_grant: cover (granted && !raced && entry == slot && page_number == 3 && old[24:20] == 13 && held);
        cover_top: cover (granted && !raced && va == 64'hFFFF_FFFF_FFFF_FFFF && bytes == 1);
        cover_wrap: cover (syndrome == 8'h34 && ordinary && va + len < va);
        cover_race: cover (raced && ordinary && old_syndrome == 0 && new_syndrome == 8'h31);
        cover_rights: cover (syndrome == 8'h33 && (need & old[19:12]) != 0);
        cover_direct: cover (direct && direct_end == 65'h10_0000_0000_0000 && syndrome == 0);
        cover_empty: cover (len == 0 && old_syndrome == 8'h30);
    end
endmodule

// Section E for one row.
module section_e(
    input [238:0] e, input [7:0] key_byte, input [23:0] key_index, input [63:0] va, input [31:0] len, input [23:0] pd,
    input [7:0] need, input refused, output [7:0] syndrome, output [64:0] list_byte, output sane
);
    wire [1:0] state = e[1:0];
    wire [7:0] access = e[19:12];
    wire [4:0] shift = e[24:20];
    wire [63:0] iova = e[112:49];
    wire [39:0] length = e[152:113];
    wire [29:0] fbo = e[182:153];
    wire [23:0] base = e[206:183];
    wire [15:0] npages = e[222:207];

    wire no_key = key_index == 0 || key_index >= 4 || state == 0 || key_byte != e[11:4];
    wire bounds = va >= iova && len <= length && {1'b0, va} - {1'b0, iova} <= {25'd0, length} - {33'd0, len};
    assign syndrome = no_key ? 8'h30 : e[48:25] != pd ? 8'h31 : state != 2 || refused ? 8'h32
        : (need & ~access) != 0 ? 8'h33 : !bounds ? 8'h34 : 8'h00;
    assign list_byte = {35'd0, fbo} + ({1'b0, va} - {1'b0, iova});
    assign sane = state != 2 || (shift >= 12 && shift <= 21 && length <= (1 << 30) && fbo < (1 << shift)
        && {25'd0, length} + {35'd0, fbo} <= ({49'd0, npages} << shift) && base + npages <= 16);
endmodule
