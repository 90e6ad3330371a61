//! Subsystem `bar`: the host's view of the device.
//!
//! [`Front`] takes AXI4-Lite accesses one at a time, [`AccessSequencer`] judges and serves them, the other blocks are what it
//! serves them from. [`ResetSequence`] resets the rest of the core.
use crate::check::{BlockCheck, RandomDrive};
use rnic_abi::preset::TINY;
use rnic_abi::register as map;
use rust_hdl::prelude::*;

mod access;
mod counters;
mod decode;
mod doorbells;
mod event_registers;
mod fan;
mod front;
mod identity;
mod mailbox;
mod own;
mod own_drops;
mod raw_registers;
mod sequence;
mod settings;
mod ticks;
mod top;
mod value;
mod words;

pub use access::AccessSequencer;
pub use counters::Counters;
pub use decode::{Decode, Place};
pub use doorbells::Doorbells;
pub use event_registers::EventRegisters;
pub use fan::AdminFan;
pub use front::Front;
pub use identity::Identity;
pub use mailbox::Mailbox;
pub use own::OwnIdentity;
pub use own_drops::OwnDrops;
pub use raw_registers::RawRegisters;
pub use sequence::ResetSequence;
pub use settings::Settings;
pub use ticks::Ticks;
pub use top::Bar;
pub use value::ValueCheck;
pub use words::Words;

/// An address that mostly names a register.
fn address(random: &mut RandomDrive) -> Bits<16> {
    if random.chance(1, 8) {
        return random.value();
    }
    let register = map::REGISTERS[random.below(map::REGISTERS.len() as u64) as usize];
    let number = random.below(u64::from(register.count.min(16))) as u32;
    u64::from(register.offset + register.stride * number).into()
}

/// A word number of the low part of the map that mostly names a register.
fn word(random: &mut RandomDrive) -> Bits<8> {
    (address(random).to_u64() / 4 % 256).into()
}

/// The other side of admin units: words, commands, answers.
fn unit(random: &mut RandomDrive, unit: &mut crate::types::AdminManager) {
    random.seldom(&mut unit.done);
    random.set(&mut unit.errno);
    random.seldom(&mut unit.answer_valid);
    random.set(&mut unit.answer_index);
    random.set(&mut unit.answer);
}

fn bus(random: &mut RandomDrive, bus: &mut crate::widgets::AxiLiteSubordinate) {
    bus.awaddr.next = address(random);
    bus.araddr.next = address(random);
    random.set(&mut bus.awvalid);
    random.set(&mut bus.wvalid);
    random.set(&mut bus.arvalid);
    random.set(&mut bus.wdata);
    bus.wstrb.next = if random.chance(7, 8) { 15.into() } else { random.value() };
    random.mostly(&mut bus.bready);
    random.mostly(&mut bus.rready);
}

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "bar/access",
            || AccessSequencer::new(&TINY),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.access);
                r.set(&mut u.write);
                u.address.next = address(r);
                r.set(&mut u.data);
                r.mostly(&mut u.whole);
                r.seldom(&mut u.busy);
                r.set(&mut u.counter_done);
                r.set(&mut u.doorbell_done);
                r.set(&mut u.identity_value);
                r.set(&mut u.setting_value);
                r.set(&mut u.stored_value);
                r.set(&mut u.command_value);
                r.set(&mut u.answer_value);
                r.set(&mut u.status_value);
                r.set(&mut u.counter_value);
            },
        )
        .vectors(900),
        BlockCheck::new(
            "bar/counters",
            Counters::default,
            |u| Some(&mut u.clock),
            |u, r| {
                // Seldom in reset: counting needs a whole sweep before it.
                u.reset.next = r.chance(1, 256);
                u.clearing.next = r.chance(1, 16);
                let high = if r.chance(1, 4) { 0xFF } else { r.below(0x400) };
                u.clear_index.next = high.into();
                r.set(&mut u.request);
                r.set(&mut u.clear);
                u.index.next = r.below(256).into();
                r.sink(&mut u.syndrome);
                r.sink(&mut u.sq_drop);
                r.sink(&mut u.rq_drop);
                r.sink(&mut u.cq_drop);
                r.sink(&mut u.own_drop);
                r.sink(&mut u.frame_drop);
            },
        )
        .vectors(900),
        BlockCheck::new(
            "bar/decode",
            || Decode::new(&TINY),
            |_| None,
            |u, r| {
                u.address.next = address(r);
                r.set(&mut u.write);
                r.mostly(&mut u.whole);
            },
        ),
        BlockCheck::new(
            "bar/doorbells",
            Doorbells::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.enable);
                let kind = r.below(4);
                u.send.next = kind == 0;
                u.receive.next = kind == 1;
                u.completion.next = kind == 2;
                r.set(&mut u.index);
                u.value.next = r.below(0x2_0000).into();
                r.source(&mut u.sq_doorbell);
                r.source(&mut u.rq_doorbell);
                u.cq_doorbell.ready.next = r.chance(1, 64);
            },
        )
        .vectors(900),
        BlockCheck::new(
            "bar/event_registers",
            EventRegisters::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.write);
                u.word.next = if r.chance(3, 4) { (0x50 + r.below(4)).into() } else { word(r) };
                r.set(&mut u.data);
            },
        ),
        BlockCheck::new(
            "bar/fan",
            AdminFan::default,
            |_| None,
            |u, r| {
                r.set(&mut u.unit.word_valid);
                r.set(&mut u.unit.word_index);
                r.set(&mut u.unit.word);
                r.set(&mut u.unit.start);
                r.set(&mut u.unit.opcode);
                unit(r, &mut u.mr);
                unit(r, &mut u.cq);
                unit(r, &mut u.qp);
            },
        ),
        BlockCheck::new(
            "bar/front",
            Front::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                bus(r, &mut u.bus);
                r.set(&mut u.finish);
                r.set(&mut u.response);
                r.set(&mut u.answer);
            },
        ),
        BlockCheck::new(
            "bar/identity",
            || Identity::new(&TINY, 50_000),
            |_| None,
            |u, r| u.word.next = r.below(24).into(),
        ),
        BlockCheck::new(
            "bar/mailbox",
            Mailbox::default,
            |u| Some(&mut u.clock),
            |u, r| {
                u.reset.next = r.chance(1, 256);
                r.mostly(&mut u.ready);
                u.write.next = r.chance(1, 16);
                r.set(&mut u.index);
                u.go.next = r.chance(1, 8);
                u.data.next = (r.below(0xE) | r.below(0x1_0000) << 16).into();
                unit(r, &mut u.unit);
            },
        )
        .vectors(2000),
        BlockCheck::new(
            "bar/own_drops",
            OwnDrops::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.dropped);
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new(
            "bar/sequence",
            || ResetSequence::new(5),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.restart.next = r.chance(1, 8);
                u.bus_idle.next = r.chance(31, 32);
            },
        ),
        BlockCheck::new(
            "bar/settings",
            || Settings::new(50_000),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.write);
                u.word.next = if r.chance(3, 4) { (0x40 + r.below(4)).into() } else { word(r) };
                r.set(&mut u.data);
                r.mostly(&mut u.ready);
                r.seldom(&mut u.fatal);
                r.seldom(&mut u.event_overflow);
            },
        ),
        BlockCheck::new(
            "bar/own",
            OwnIdentity::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.write);
                u.word.next = bits(0xC0 + r.below(64));
                r.set(&mut u.data);
            },
        ),
        BlockCheck::new(
            "bar/raw_registers",
            RawRegisters::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.mostly(&mut u.write);
                u.word.next = bits(0x54 + r.below(16));
                r.set(&mut u.data);
            },
        ),
        BlockCheck::new(
            "bar/ticks",
            Ticks::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                u.tick.next = if r.chance(1, 8) { r.value() } else { r.below(0x8_0000).into() };
                r.seldom(&mut u.restart);
            },
        ),
        BlockCheck::new(
            "bar/value",
            ValueCheck::default,
            |_| None,
            |u, r| {
                u.word.next = word(r);
                u.data.next = if r.chance(1, 4) { r.below(16).into() } else { r.value() };
            },
        ),
        BlockCheck::new(
            "bar/words",
            Words::<8, 3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.write);
                r.set(&mut u.write_index);
                r.set(&mut u.data);
                r.set(&mut u.read_index);
            },
        ),
        BlockCheck::new(
            "bar/top",
            || Bar::new(&TINY, 50_000, 256),
            |u| Some(&mut u.clock),
            |u, r| {
                u.reset.next = r.chance(1, 250);
                bus(r, &mut u.bus);
                r.mostly(&mut u.bus_idle);
                unit(r, &mut u.mr);
                unit(r, &mut u.cq);
                unit(r, &mut u.qp);
                r.source(&mut u.sq_doorbell);
                r.source(&mut u.rq_doorbell);
                r.source(&mut u.cq_doorbell);
                r.sink(&mut u.syndrome);
                r.sink(&mut u.sq_drop);
                r.sink(&mut u.rq_drop);
                r.sink(&mut u.frame_drop);
                r.sink(&mut u.cq_drop);
                r.seldom(&mut u.fatal);
                r.seldom(&mut u.event_overflow);
                r.seldom(&mut u.event_missed);
            },
        )
        .vectors(1500),
    ]
}
