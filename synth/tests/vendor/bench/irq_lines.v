// Every request is acknowledged once or merged with one that waits; the core never waits.
module bench;
    reg clock = 0, reset = 1, irq_valid = 0;
    reg [4:0] irq_vector = 0;
    wire irq_ready;
    wire [7:0] usr_irq_req;
    reg [7:0] usr_irq_ack = 0;
    integer sent = 0, i;

    irq_lines dut (.clock(clock), .reset(reset), .irq_valid(irq_valid), .irq_ready(irq_ready), .irq_vector(irq_vector),
        .usr_irq_req(usr_irq_req), .usr_irq_ack(usr_irq_ack));

    always #1 clock = ~clock;
    initial #2000 begin
        $display("WRONG: it hangs");
        $finish;
    end

    task ask(input [4:0] vector);
        begin
            @(negedge clock) irq_valid = 1;
            irq_vector = vector;
            if (!irq_ready) $display("WRONG: the core waits");
            @(negedge clock) irq_valid = 0;
        end
    endtask

    // Acknowledges what is up, one cycle long, as the bridge does when the message is on its way.
    task acknowledge;
        begin
            @(negedge clock) usr_irq_ack = usr_irq_req;
            for (i = 0; i < 8; i = i + 1) sent = sent + usr_irq_req[i];
            @(negedge clock) usr_irq_ack = 0;
            if (usr_irq_req != 0) $display("WRONG: a line stays up behind its acknowledgement");
        end
    endtask

    initial begin
        repeat (4) @(negedge clock);
        reset = 0;
        ask(3);
        repeat (3) @(negedge clock);
        if (usr_irq_req != 8'h08) $display("WRONG: line %h", usr_irq_req);
        // Two more while the first is up: one more message, after it.
        ask(3);
        ask(3);
        ask(7);
        repeat (2) @(negedge clock);
        if (usr_irq_req != 8'h88) $display("WRONG: lines %h", usr_irq_req);
        acknowledge;
        repeat (2) @(negedge clock);
        if (usr_irq_req != 8'h08) $display("WRONG: the second request is lost: %h", usr_irq_req);
        acknowledge;
        repeat (4) @(negedge clock);
        if (usr_irq_req != 0 || sent != 3) $display("WRONG: %0d messages, lines %h", sent, usr_irq_req);
        $display("DONE");
        $finish;
    end
endmodule
