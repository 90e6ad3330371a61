//! Atomic unit (rules T66, T54): one atomic at a time in the whole NIC.
//!
//! ```text
//! new:       lookup with hold ─► read 8 bytes ─► compare or add ─► write ─► B ─► end of the hold ─► save ─► answer
//! duplicate: search among the saved results ─► answer, or nothing
//! failure:   end of the hold ─► failure (30 to 34 of the lookup, 40 of the bus), nothing saved
//! ```
//!
//! A compare and swap that finds another number writes nothing. Between B of the write and the answer are 4 cycles; the unit adds
//! about 12 cycles to lookup, read and write. A job is taken in the idle state alone.
use super::{AtomicJob, AtomicOperate, AtomicResults, GatherFailure};
use crate::mr::layout::{LookupAnswer, LookupQuestion};
use crate::types::{QpControl, ReadClient, WriteClient};
use crate::widgets::{ChannelSink, ChannelSource};
use crate::wire::TxFrame;
use rnic_abi::{access, aeth, bth, syndrome};
use rust_hdl::prelude::*;

/// Steps of an atomic.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum AtomicState {
    /// Takes a job.
    Idle,
    /// Its saved results are found.
    Prepare,
    /// New or duplicate.
    Route,
    /// A duplicate is looked for.
    AwaitSearch,
    /// Asks for the address and a hold.
    Ask,
    /// Waits for it.
    AwaitAddress,
    /// Looks at the answer.
    Check,
    /// Asks for the number.
    Read,
    /// Waits for it.
    AwaitNumber,
    /// Takes it from its lane.
    Extract,
    /// Works the new number out.
    Operate,
    /// Is there something to write?
    Decide,
    /// Writes it.
    Write,
    /// Waits until it is written.
    AwaitWritten,
    /// Ends the hold.
    Release,
    /// Saves the result.
    Save,
    /// Answers.
    Answer,
    /// Tells of a failure.
    Fail,
    /// Drops a duplicate.
    Forget,
}

/// The unit on a bus of DATA bits for 2^QA queue pairs; SA = QA + 4.
#[derive(LogicBlock)]
pub struct AtomicUnit<const DATA: usize, const QA: usize, const SA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the atomic; no read or write may be on its way.
    pub reset: Signal<In, Bit>,
    /// Orders of `qp`; here `clear` counts.
    pub control: Signal<In, QpControl>,
    /// Atomics.
    pub job: ChannelSink<AtomicJob>,
    /// Question to the lookup, with hold.
    pub lookup: ChannelSource<LookupQuestion>,
    /// It is answered.
    pub answered: Signal<In, Bit>,
    /// The answer.
    pub found: Signal<In, LookupAnswer>,
    /// Reads numbers.
    pub read: ReadClient<DATA>,
    /// Writes them.
    pub write: WriteClient<DATA>,
    /// The hold of a write ends,
    pub hold_end: Signal<Out, Bit>,
    /// of this region.
    pub hold_end_index: Signal<Out, Bits<24>>,
    /// Answers.
    pub answer: ChannelSource<TxFrame>,
    /// Atomics that failed.
    pub failure: ChannelSource<GatherFailure>,
    /// Queue pairs of duplicates that were dropped.
    pub gone: ChannelSource<Bits<8>>,
    results: AtomicResults<QA, SA>,
    operate: AtomicOperate<DATA>,
    state: DFF<AtomicState>,
    kept: DFF<AtomicJob>,
    place: DFF<LookupAnswer>,
    beat: DFF<Bits<DATA>>,
    value: DFF<Bits<64>>,
    error: DFF<Bits<8>>,
    command_goes: DFF<Bit>,
    beat_goes: DFF<Bit>,
    known: Signal<Local, AtomicJob>,
    where_to: Signal<Local, LookupAnswer>,
    qp: Signal<Local, Bits<8>>,
    rkey: Signal<Local, Bits<32>>,
    va: Signal<Local, Bits<64>>,
    differs: Signal<Local, Bit>,
    tag: Signal<Local, Bits<32>>,
    no_frame: Constant<TxFrame>,
    no_question: Constant<LookupQuestion>,
    eight: Constant<Bits<32>>,
    need: Constant<Bits<8>>,
    ack: Constant<Bits<8>>,
    acknowledge: Constant<Bits<8>>,
    state_error: Constant<Bits<8>>,
    bus_error: Constant<Bits<8>>,
    align_error: Constant<Bits<8>>,
    low: Signal<Local, Bits<3>>,
    marker: Constant<Bits<32>>,
}

impl<const DATA: usize, const QA: usize, const SA: usize> Default for AtomicUnit<DATA, QA, SA> {
    fn default() -> Self {
        let code = |value: u8| Constant::new(u64::from(value).into());
        Self {
            clock: Default::default(),
            reset: Default::default(),
            control: Default::default(),
            job: Default::default(),
            lookup: Default::default(),
            answered: Default::default(),
            found: Default::default(),
            read: Default::default(),
            write: Default::default(),
            hold_end: Default::default(),
            hold_end_index: Default::default(),
            answer: Default::default(),
            failure: Default::default(),
            gone: Default::default(),
            results: Default::default(),
            operate: Default::default(),
            state: Default::default(),
            kept: Default::default(),
            place: Default::default(),
            beat: Default::default(),
            value: Default::default(),
            error: Default::default(),
            command_goes: Default::default(),
            beat_goes: Default::default(),
            known: Default::default(),
            where_to: Default::default(),
            qp: Default::default(),
            rkey: Default::default(),
            va: Default::default(),
            differs: Default::default(),
            tag: Default::default(),
            no_frame: Constant::new(Default::default()),
            no_question: Constant::new(Default::default()),
            eight: Constant::new(8.into()),
            need: code(access::RA),
            ack: code(aeth::ACK),
            acknowledge: code(bth::ATOMIC_ACKNOWLEDGE),
            state_error: code(syndrome::ACC_STATE),
            bus_error: code(syndrome::PAYLOAD_BUS),
            align_error: code(syndrome::ATOMIC_ALIGN),
            low: Default::default(),
            marker: Constant::new((1u64 << 31).into()),
        }
    }
}

impl<const DATA: usize, const QA: usize, const SA: usize> Logic for AtomicUnit<DATA, QA, SA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, kept, place, beat, value, error, command_goes, beat_goes);
        clock!(self, clock, results, operate);
        self.known.next = self.kept.q.val();
        self.where_to.next = self.place.q.val();
        self.qp.next = self.known.val().qp;
        self.rkey.next = self.known.val().rkey;
        self.va.next = self.known.val().va;
        self.job.ready.next = self.state.q.val() == AtomicState::Idle;

        self.results.reset.next = self.reset.val();
        self.results.control.next = self.control.val();
        self.results.index.next = bit_cast::<QA, 8>(self.qp.val());
        self.results.result.next.psn = self.known.val().psn;
        self.results.result.next.adds = self.known.val().adds;
        self.results.result.next.value = self.value.q.val();
        self.results.search.next = (self.state.q.val() == AtomicState::Route) & self.known.val().duplicate;
        self.results.store.next = self.state.q.val() == AtomicState::Save;
        self.operate.job.next = self.kept.q.val();
        self.operate.address.next = self.where_to.val().address;
        self.operate.beat.next = self.beat.q.val();

        self.lookup.valid.next = self.state.q.val() == AtomicState::Ask;
        self.lookup.data.next = self.no_question.val();
        self.lookup.data.next.key_byte = self.rkey.val().get_bits::<8>(0);
        self.lookup.data.next.index = self.rkey.val().get_bits::<24>(8);
        self.lookup.data.next.va_low = self.va.val().get_bits::<32>(0);
        self.lookup.data.next.va_high = self.va.val().get_bits::<32>(32);
        self.lookup.data.next.length = self.eight.val();
        self.lookup.data.next.pd = self.known.val().pd;
        self.lookup.data.next.need = self.need.val();
        self.lookup.data.next.remote = true;
        self.lookup.data.next.hold = true;
        // E13 aligns the virtual address. In a region whose first byte is not so aligned (zero-based, odd fbo) the number would
        // lie across two words, and perhaps pages, of memory: refused like a missing right.
        self.low.next = bit_cast::<3, 52>(self.where_to.val().address);
        self.differs.next = self.where_to.val().generation != self.known.val().generation;

        self.read.command.valid.next = self.state.q.val() == AtomicState::Read;
        self.read.command.data.next.address = self.where_to.val().address;
        self.read.command.data.next.length = 8.into();
        self.write.command.valid.next = self.command_goes.q.val();
        self.write.command.data.next.address = self.where_to.val().address;
        self.write.command.data.next.length = 8.into();
        self.write.beat.valid.next = self.beat_goes.q.val();
        self.write.beat.data.next = self.operate.spread.val();
        self.hold_end.next = self.state.q.val() == AtomicState::Release;
        self.hold_end_index.next = self.where_to.val().index;

        self.tag.next = self.marker.val()
            | (bit_cast::<32, 1>(self.known.val().duplicate.into()) << 14)
            | (bit_cast::<32, 6>(self.known.val().slot) << 8)
            | bit_cast::<32, 8>(self.qp.val());
        self.answer.valid.next = self.state.q.val() == AtomicState::Answer;
        self.answer.data.next = self.no_frame.val();
        self.answer.data.next.qp = self.qp.val();
        self.answer.data.next.opcode = self.acknowledge.val();
        self.answer.data.next.psn = self.known.val().psn;
        self.answer.data.next.msn = self.known.val().msn;
        self.answer.data.next.syndrome = self.ack.val();
        self.answer.data.next.swap = self.value.q.val();
        self.answer.data.next.tag = self.tag.val();
        self.failure.valid.next = self.state.q.val() == AtomicState::Fail;
        self.failure.data.next.tag = self.tag.val();
        self.failure.data.next.qp = self.qp.val();
        self.failure.data.next.psn = self.known.val().psn;
        self.failure.data.next.syndrome = self.error.q.val();
        self.gone.valid.next = self.state.q.val() == AtomicState::Forget;
        self.gone.data.next = self.qp.val();

        if self.write.command.ready.val() {
            self.command_goes.d.next = false;
        }
        if self.write.beat.ready.val() {
            self.beat_goes.d.next = false;
        }
        match self.state.q.val() {
            AtomicState::Idle => {
                self.kept.d.next = self.job.data.val();
                self.error.d.next = 0.into();
                if self.job.valid.val() {
                    self.state.d.next = AtomicState::Prepare;
                }
            }
            AtomicState::Prepare => self.state.d.next = AtomicState::Route,
            AtomicState::Route => {
                self.state.d.next = AtomicState::Ask;
                if self.known.val().duplicate {
                    self.state.d.next = AtomicState::AwaitSearch;
                }
            }
            AtomicState::AwaitSearch => {
                self.value.d.next = self.results.value.val();
                if self.results.done.val() {
                    self.state.d.next = AtomicState::Forget;
                    if self.results.found.val() {
                        self.state.d.next = AtomicState::Answer;
                    }
                }
            }
            AtomicState::Ask => {
                if self.lookup.ready.val() {
                    self.state.d.next = AtomicState::AwaitAddress;
                }
            }
            AtomicState::AwaitAddress => {
                self.place.d.next = self.found.val();
                if self.answered.val() {
                    self.state.d.next = AtomicState::Check;
                }
            }
            AtomicState::Check => {
                self.error.d.next = self.where_to.val().syndrome;
                self.state.d.next = AtomicState::Read;
                if self.where_to.val().syndrome.any() {
                    self.state.d.next = AtomicState::Fail;
                } else if self.differs.val() {
                    self.error.d.next = self.state_error.val();
                    self.state.d.next = AtomicState::Release;
                } else if self.low.val().any() {
                    self.error.d.next = self.align_error.val();
                    self.state.d.next = AtomicState::Release;
                }
            }
            AtomicState::Read => {
                if self.read.command.ready.val() {
                    self.state.d.next = AtomicState::AwaitNumber;
                }
            }
            AtomicState::AwaitNumber => {
                self.beat.d.next = self.read.beat_data.val();
                if self.read.beat_valid.val() {
                    self.state.d.next = AtomicState::Extract;
                    if self.read.beat_error.val() {
                        self.error.d.next = self.bus_error.val();
                        self.state.d.next = AtomicState::Release;
                    }
                }
            }
            AtomicState::Extract => self.state.d.next = AtomicState::Operate,
            AtomicState::Operate => {
                self.value.d.next = self.operate.value.val();
                self.state.d.next = AtomicState::Decide;
            }
            AtomicState::Decide => {
                self.state.d.next = AtomicState::Release;
                if self.operate.writes.val() {
                    self.command_goes.d.next = true;
                    self.beat_goes.d.next = true;
                    self.state.d.next = AtomicState::Write;
                }
            }
            AtomicState::Write => {
                if !self.command_goes.q.val() & !self.beat_goes.q.val() {
                    self.state.d.next = AtomicState::AwaitWritten;
                }
            }
            AtomicState::AwaitWritten => {
                self.state.d.next = AtomicState::AwaitWritten;
            }
            AtomicState::Release => {
                self.state.d.next = AtomicState::Save;
                if self.error.q.val().any() {
                    self.state.d.next = AtomicState::Fail;
                }
            }
            AtomicState::Save => self.state.d.next = AtomicState::Answer,
            AtomicState::Answer => {
                if self.answer.ready.val() {
                    self.state.d.next = AtomicState::Idle;
                }
            }
            AtomicState::Fail => {
                if self.failure.ready.val() {
                    self.state.d.next = AtomicState::Idle;
                }
            }
            AtomicState::Forget => {
                if self.gone.ready.val() {
                    self.state.d.next = AtomicState::Idle;
                }
            }
        }
        // The B may come in the cycle in which the last beat is known to be taken.
        if ((self.state.q.val() == AtomicState::Write) | (self.state.q.val() == AtomicState::AwaitWritten))
            & self.write.done.val()
        {
            self.state.d.next = AtomicState::Release;
            if self.write.failed.val() {
                self.error.d.next = self.bus_error.val();
            }
        }
        if self.reset.val() {
            self.state.d.next = AtomicState::Idle;
            self.command_goes.d.next = false;
            self.beat_goes.d.next = false;
        }
    }
}
