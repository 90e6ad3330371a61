//! Subsystem `qp`: queue pairs, their states and attributes.
//!
//! [`QueuePairs`] is the whole. Its commands are judged by [`CreateCheck`] and [`ModifyCheck`] over the
//! captured words, and carried out by [`QpSequencer`] with [`CompletionUses`] and [`Quiesce`].
use crate::check::{BlockCheck, RandomDrive};
use rnic_abi::preset::TINY;
use rnic_abi::qp::{RANGES, TRANSITIONS};
use rust_hdl::prelude::*;

mod answer;
mod attributes;
mod contexts;
mod create;
mod identity;
mod intake;
mod modify;
mod psn_copies;
mod quiesce;
mod records;
mod ring_end;
mod sequencer;
mod store;
mod timer;
mod timer_blocks;
mod timer_limit;
#[cfg(test)]
mod timer_tests;
mod top;
mod transport;
mod uses;
mod words;

pub use answer::QueryAnswer;
pub use attributes::AttributeMerge;
pub use contexts::Contexts;
pub use create::CreateCheck;
pub use identity::IdentityCopy;
pub use intake::Intake;
pub use modify::ModifyCheck;
pub use psn_copies::{LivePsns, PsnCopies, ServedPsns};
pub use quiesce::Quiesce;
pub use records::{QpAttributes, QpPath, QpRings};
pub use sequencer::{Job, QpSequencer};
pub use store::QpStore;
pub use timer::Timers;
pub use top::QueuePairs;
pub use transport::TransportContexts;
pub use uses::CompletionUses;
pub use words::CommandWords;

/// Words of a CREATE_QP that is right in most cases.
fn create_words(random: &mut RandomDrive) -> [u32; words::WORDS] {
    let mut words = [0; words::WORDS];
    let generation = 1 + random.below(3) as u32;
    words[0] = generation << 3 | random.below(8) as u32;
    words[1] = random.below(4) as u32;
    words[2] = random.below(16) as u32;
    words[3] = random.below(16) as u32;
    words[4] = (2 + random.below(14) | (2 + random.below(14)) << 8 | random.below(4) << 16) as u32;
    words[6] = (random.below(16) << 12) as u32;
    words[7] = random.below(1 << 20) as u32;
    words[8] = (random.below(1 << 20) << 12) as u32;
    words[9] = random.below(16) as u32;
    spoil(random, &mut words);
    words
}

/// Words of a MODIFY_QP that is right for some state in most cases.
fn modify_words(random: &mut RandomDrive) -> [u32; words::WORDS] {
    let mut words = [0; words::WORDS];
    let row = TRANSITIONS[random.below(TRANSITIONS.len() as u64) as usize];
    words[0] = (1 + random.below(3) as u32) << 3 | random.below(8) as u32;
    words[1] = row.to.code().into();
    words[2] = row.required | (row.optional & random.below(0x4000) as u32);
    for range in RANGES {
        let max = if range.max == rnic_abi::qp::RD_MAX { TINY.rd_max } else { range.max };
        let span = u64::from(max - range.min) + 1;
        let value = u64::from(range.min) + random.below(span);
        let keep = if range.attribute == rnic_abi::qp::ACCESS { 0x0E } else { u64::MAX };
        range.field.put(&mut words, value & keep);
    }
    for word in [9, 10, 12, 13, 14, 15] {
        words[word] = random.below(1 << 32) as u32;
    }
    spoil(random, &mut words);
    words
}

/// Spoils a word now and then.
fn spoil(random: &mut RandomDrive, words: &mut [u32; words::WORDS]) {
    if random.chance(1, 4) {
        words[random.below(words::WORDS as u64) as usize] = random.value::<Bits<32>>().to_u64() as u32;
    }
}

fn put_words<const N: usize>(ports: &mut [Signal<In, Bits<32>>; N], words: &[u32]) {
    for (port, word) in ports.iter_mut().zip(words) {
        port.next = u64::from(*word).into();
    }
}

/// A job at random.
fn job(random: &mut RandomDrive) -> Job {
    [
        Job::Create,
        Job::Modify,
        Job::Destroy,
        Job::Query,
        Job::FailSend,
        Job::FailCompletion,
        Job::FailReceive,
        Job::Drain,
    ][random.below(8) as usize]
}

/// Command words, one a step, as the mailbox streams them, and then a start.
fn admin(
    random: &mut RandomDrive,
    unit: &mut crate::types::AdminUnit,
    at: u64,
    words: &[u32; words::WORDS],
    opcode: u64,
) {
    let streams = at < words::WORDS as u64;
    unit.word_valid.next = streams;
    unit.word_index.next = (at % 32).into();
    unit.word.next = if streams { u64::from(words[at as usize]).into() } else { random.value() };
    unit.start.next = at == 20;
    unit.opcode.next = opcode.into();
}

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    let mut list = states();
    list.extend(timer_blocks::list());
    list
}

fn states() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "qp/answer",
            QueryAnswer::default,
            |_| None,
            |u, r| {
                u.number.next = r.below(8).into();
                r.set(&mut u.state);
                r.set(&mut u.psns);
                u.started.next = r.below(4).into();
                u.fetched.next = r.below(4).into();
                u.retired.next = r.below(4).into();
                r.set(&mut u.used);
            },
        ),
        BlockCheck::new(
            "qp/attributes",
            AttributeMerge::default,
            |_| None,
            |u, r| {
                for word in &mut u.words {
                    word.next = r.value();
                }
                r.set(&mut u.stored);
            },
        ),
        BlockCheck::new(
            "qp/contexts",
            Contexts::default,
            |_| None,
            |u, r| {
                r.set(&mut u.rings);
                r.set(&mut u.state);
            },
        ),
        BlockCheck::new(
            "qp/ring_end",
            ring_end::RingEnd::default,
            |_| None,
            |u, r| {
                let below = 1 + r.below(600);
                u.base.next = ((1u64 << 40) - below).into();
                r.set(&mut u.log2);
            },
        ),
        BlockCheck::new(
            "qp/create",
            || CreateCheck::new(&TINY),
            |u| Some(&mut u.clock),
            |u, r| {
                let mut words = create_words(r);
                words[5] = r.below(2) as u32;
                put_words(&mut u.words, &words);
            },
        ),
        BlockCheck::new(
            "qp/identity",
            IdentityCopy::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.set(&mut u.write);
                r.set(&mut u.write_index);
                r.set(&mut u.stored);
                r.set(&mut u.index);
            },
        ),
        BlockCheck::new(
            "qp/intake",
            Intake::<3, 8>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.start);
                u.opcode.next = (8 + r.below(7)).into();
                r.set(&mut u.command_index);
                u.sq_failed.next = r.chance(1, 24);
                r.set(&mut u.sq_failed_index);
                r.set(&mut u.cq_failed.data);
                r.seldom(&mut u.cq_failed.valid);
                r.set(&mut u.receive_failed.data);
                r.seldom(&mut u.receive_failed.valid);
                r.seldom(&mut u.watch);
                r.set(&mut u.unwatch);
                r.seldom(&mut u.forget);
                r.set(&mut u.mark_index);
                r.set(&mut u.idle);
            },
        )
        .vectors(900),
        BlockCheck::new(
            "qp/modify",
            || ModifyCheck::new(&TINY),
            |u| Some(&mut u.clock),
            |u, r| {
                put_words(&mut u.words, &modify_words(r));
                u.state.next = r.below(7).into();
            },
        )
        .vectors(900),
        BlockCheck::new(
            "qp/psn_copies",
            PsnCopies::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.seldom(&mut u.start);
                r.set(&mut u.start_index);
                r.set(&mut u.start_psn);
                r.set(&mut u.hpsn_write);
                r.set(&mut u.hpsn_index);
                r.set(&mut u.hpsn);
                r.set(&mut u.state_write);
                r.set(&mut u.state_index);
                r.set(&mut u.state_row);
                r.set(&mut u.served_write);
                r.set(&mut u.served_index);
                r.set(&mut u.served);
                r.set(&mut u.index);
            },
        ),
        BlockCheck::new(
            "qp/quiesce",
            Quiesce::default,
            |u| Some(&mut u.clock),
            |u, r| {
                u.reset.next = r.chance(1, 512);
                r.mostly(&mut u.request);
                r.seldom(&mut u.quiet);
                r.seldom(&mut u.fenced);
                r.set(&mut u.wire_passed);
            },
        )
        .vectors(900),
        BlockCheck::new(
            "qp/sequencer",
            || QpSequencer::new(4),
            |u| Some(&mut u.clock),
            |u, r| {
                u.reset.next = r.chance(1, 512);
                r.set(&mut u.some);
                u.job.next = job(r);
                u.job_index.next = r.below(4).into();
                u.job_cqn.next = r.below(2).into();
                r.set(&mut u.job_event);
                r.set(&mut u.job_syndrome);
                r.mostly(&mut u.drained);
                r.seldom(&mut u.answers);
                u.command_qpn.next = r.below(2).into();
                u.command_state.next = r.below(7).into();
                r.mostly(&mut u.create_valid);
                r.mostly(&mut u.modify_valid);
                u.qpn.next = r.below(2).into();
                u.state.next = r.below(7).into();
                u.send_cqn.next = r.below(2).into();
                u.receive_cqn.next = r.below(2).into();
                r.set(&mut u.drained_event);
                r.set(&mut u.rested);
                r.set(&mut u.use_done);
                r.seldom(&mut u.use_missing);
                r.set(&mut u.rest_done);
                r.seldom(&mut u.rest_discard);
                r.seldom(&mut u.rest_clear);
                r.source(&mut u.events);
            },
        )
        .vectors(1500),
        BlockCheck::new(
            "qp/transport",
            TransportContexts::default,
            |_| None,
            |u, r| {
                r.set(&mut u.rings);
                r.set(&mut u.state);
                r.set(&mut u.attributes);
                r.set(&mut u.path);
            },
        ),
        BlockCheck::new(
            "qp/store",
            QpStore::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.seldom(&mut u.clearing);
                r.set(&mut u.clear_index);
                r.set(&mut u.index);
                r.set(&mut u.write_rings);
                r.set(&mut u.new_rings);
                r.set(&mut u.write_state);
                r.set(&mut u.new_state);
                r.set(&mut u.write_attributes);
                r.set(&mut u.new_attributes);
                r.set(&mut u.write_path);
                r.set(&mut u.new_path);
            },
        ),
        BlockCheck::new(
            "qp/uses",
            CompletionUses::default,
            |u| Some(&mut u.clock),
            |u, r| {
                u.reset.next = r.chance(1, 512);
                r.mostly(&mut u.request);
                r.set(&mut u.returns);
                r.set(&mut u.send_cqn);
                r.set(&mut u.receive_cqn);
                r.mostly(&mut u.use_exists);
            },
        )
        .vectors(900),
        BlockCheck::new(
            "qp/words",
            CommandWords::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.word_valid);
                r.set(&mut u.word_index);
                r.set(&mut u.word);
            },
        ),
        BlockCheck::new("qp/top", || QueuePairs::<3, 8>::new(&TINY), |u| Some(&mut u.clock), {
            let script = std::sync::Mutex::new((0u64, [0u32; words::WORDS], 0u64));
            move |u: &mut QueuePairs<3, 8>, r: &mut RandomDrive| {
                let mut script = script.lock().expect("one thread");
                let (at, words, opcode) = &mut *script;
                if *at == 0 {
                    *opcode = 0x0A + r.below(4);
                    *words = if *opcode == 0x0B { modify_words(r) } else { create_words(r) };
                }
                admin(r, &mut u.admin, *at, words, *opcode);
                *at = (*at + 1) % 140;
                u.reset.next = r.chance(1, 256);
                r.seldom(&mut u.clearing);
                r.source(&mut u.send_order);
                r.set(&mut u.clear_index);
                u.sq_failed.next = r.chance(1, 64);
                u.sq_failed_index.next = r.below(8).into();
                u.cq_failed.data.next = r.below(16).into();
                u.cq_failed.valid.next = r.chance(1, 256);
                u.receive_failed.data.next.qp = r.below(8).into();
                u.receive_failed.valid.next = r.chance(1, 256);
                r.source(&mut u.ack_order);
                r.mostly(&mut u.drained);
                r.seldom(&mut u.answers);
                r.seldom(&mut u.rest_busy);
                r.seldom(&mut u.answers);
                r.mostly(&mut u.use_exists);
                r.seldom(&mut u.fenced);
                r.set(&mut u.wire_passed);
                let retired = r.below(4);
                u.sq_status_retired.next = retired.into();
                u.sq_status_started.next = r.below(4).into();
                r.set(&mut u.hpsn_write);
                u.hpsn_index.next = r.below(8).into();
                r.set(&mut u.hpsn);
                r.set(&mut u.state_write);
                u.state_index.next = r.below(8).into();
                r.set(&mut u.state_row);
                r.set(&mut u.served_write);
                u.served_index.next = r.below(8).into();
                r.set(&mut u.served);
                u.sq_status_fetched.next = if r.chance(1, 2) { retired } else { r.below(4) }.into();
                r.set(&mut u.rq_status_used);
                r.set(&mut u.probe_qp);
                r.source(&mut u.events);
            }
        })
        .vectors(1000),
    ]
}
