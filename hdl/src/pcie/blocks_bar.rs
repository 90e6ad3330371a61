//! Checks of the blocks of BAR0 and of interrupts.
use super::blocks::core;
use super::*;
use rust_hdl::prelude::*;

pub(super) fn list() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "pcie/bar_port",
            BarPort::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.seldom(&mut u.start);
                r.set(&mut u.write);
                r.set(&mut u.address);
                r.set(&mut u.data);
                r.set(&mut u.strobes);
                core(&mut u.core, r);
                r.seldom(&mut u.own_done);
                r.set(&mut u.own_response);
                r.set(&mut u.own_value);
            },
        ),
        BlockCheck::new(
            "pcie/bar_answer",
            BarAnswer::default,
            |_| None,
            |u, r| {
                r.set(&mut u.request);
                u.status.next = bits([0, 1, 4][r.below(3) as usize]);
                r.set(&mut u.device_id);
            },
        ),
        BlockCheck::new(
            "pcie/bar_sequence",
            BarSequence::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.device_id);
                r.sink(&mut u.write);
                u.write.data.next.length = bits(1 + r.below(4));
                r.sink(&mut u.beat);
                r.seldom(&mut u.stored);
                r.sink(&mut u.request);
                u.request.data.next.length = bits(1 + r.below(4));
                u.request.data.next.verdict = bits(r.below(4) & 1);
                r.mostly(&mut u.answer_room);
                r.set(&mut u.done);
                u.response.next = bits(r.below(8) / 5);
                r.set(&mut u.value);
            },
        )
        .vectors(800),
        BlockCheck::new(
            "pcie/bar_access",
            BarAccess::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.device_id);
                r.set(&mut u.payload);
                r.seldom(&mut u.payload_valid);
                r.seldom(&mut u.commit);
                r.seldom(&mut u.revert);
                r.set(&mut u.write);
                u.write.next.length = bits(1 + r.below(3));
                r.seldom(&mut u.request_valid);
                r.set(&mut u.request);
                u.request.next.length = bits(1 + r.below(3));
                r.source(&mut u.answer);
                r.source(&mut u.answer_data);
                core(&mut u.core, r);
                r.set(&mut u.own_done);
                r.set(&mut u.own_response);
                r.set(&mut u.own_value);
            },
        ),
        BlockCheck::new(
            "pcie/counters",
            BridgeCounters::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.pulses);
                r.set(&mut u.index);
            },
        ),
        BlockCheck::new(
            "pcie/registers",
            BridgeRegisters::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.start);
                r.set(&mut u.write);
                let page = [0x8000, 0xC000, 0xE000, 0xE200][r.below(4) as usize];
                u.address.next = bits(page + 4 * r.below(12));
                r.mostly(&mut u.whole);
                r.set(&mut u.address_low);
                r.set(&mut u.address_high);
                r.set(&mut u.message);
                r.set(&mut u.masks);
                r.set(&mut u.pending);
                r.set(&mut u.status);
                r.set(&mut u.pulses);
            },
        ),
        BlockCheck::new(
            "pcie/msix_table",
            MsixTable::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.write);
                u.write_index.next = bits(r.below(3));
                r.set(&mut u.write_word);
                r.set(&mut u.data);
                u.index.next = bits(r.below(3));
            },
        ),
        BlockCheck::new(
            "pcie/interrupt",
            Interrupt::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.device_id);
                r.mostly(&mut u.enabled);
                r.seldom(&mut u.irq_valid);
                u.irq_vector.next = bits(r.below(3));
                r.set(&mut u.write);
                u.index.next = bits(r.below(3));
                r.set(&mut u.write_word);
                r.set(&mut u.data);
                r.seldom(&mut u.read);
                r.source(&mut u.header);
                r.source(&mut u.payload);
            },
        )
        .vectors(800),
    ]
}
