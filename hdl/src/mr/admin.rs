//! The MR commands of the admin mailbox: ALLOC_MR, DEREG_MR, QUERY_MR and PROBE (`interfaces.md` section 4).
//!
//! The first three pass through the back end as operations between two others, so that they see and leave whole table
//! rows (A14, A17, A18); PROBE asks the lookup pipeline when nobody else does. One command at a time.
use super::admin_control::AdminControl;
use super::admin_words::AdminWords;
use super::layout::{LookupAnswer, LookupQuestion, MrEntry, Pending};
use super::query_words::QueryWords;
use crate::types::{AdminUnit, QpIdentity};
use crate::widgets::ChannelSource;
use rust_hdl::prelude::*;

/// QPs of 2^QA indices, table of 2^MA rows.
#[derive(LogicBlock, Default)]
pub struct Admin<const QA: usize, const MA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the command.
    pub reset: Signal<In, Bit>,
    /// Mailbox.
    pub admin: AdminUnit,
    /// MAX_PL of the preset.
    pub max_pages: Signal<In, Bits<16>>,
    /// Entries of the page buffer.
    pub page_entries: Signal<In, Bits<32>>,
    /// Operation for the back end.
    pub command: ChannelSource<Pending>,
    /// It has ended; the inputs below belong to it.
    pub ended: Signal<In, Bit>,
    /// Refused because of the state of the MR.
    pub refused: Signal<In, Bit>,
    /// Drain given up.
    pub timed_out: Signal<In, Bit>,
    /// Its row.
    pub entry: Signal<In, MrEntry>,
    /// Generation.
    pub generation: Signal<In, Bits<32>>,
    /// Accesses in flight.
    pub in_flight: Signal<In, Bits<12>>,
    /// Queue pair that is probed.
    pub probe_qp: Signal<Out, Bits<8>>,
    /// Who it is, four cycles later.
    pub probe_identity: Signal<In, QpIdentity>,
    /// Wants to ask.
    pub ask: Signal<Out, Bit>,
    /// The question.
    pub question: Signal<Out, LookupQuestion>,
    /// The question has entered the lookup in this cycle.
    pub asked: Signal<In, Bit>,
    /// The lookup answers this unit.
    pub answered: Signal<In, Bit>,
    /// The answer.
    pub answer: Signal<In, LookupAnswer>,
    words: AdminWords<MA>,
    query: QueryWords,
    control: AdminControl,
    kept: DFF<MrEntry>,
    kept_generation: DFF<Bits<32>>,
    kept_in_flight: DFF<Bits<12>>,
    heard: DFF<LookupAnswer>,
    operation: Signal<Local, Pending>,
    asking: Signal<Local, LookupQuestion>,
    key: Signal<Local, Bits<32>>,
    target: Signal<Local, Bits<32>>,
    needs: Signal<Local, Bits<32>>,
    known: Signal<Local, Bit>,
    reply: Signal<Local, LookupAnswer>,
    address: Signal<Local, Bits<52>>,
    number: Signal<Local, Bits<4>>,
    opcode: Signal<Local, Bits<8>>,
    qp_index: Signal<Local, Bits<QA>>,
}

impl<const QA: usize, const MA: usize> Logic for Admin<QA, MA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept, kept_generation, kept_in_flight, heard);
        clock!(self, clock, words, control);
        self.words.word_valid.next = self.admin.word_valid.val();
        self.words.word_index.next = self.admin.word_index.val();
        self.words.word.next = self.admin.word.val();
        self.words.max_pages.next = self.max_pages.val();
        self.words.page_entries.next = self.page_entries.val();
        self.target.next = self.words.word0.val();
        self.key.next = self.words.word1.val();
        self.needs.next = self.words.word5.val();

        self.opcode.next = self.control.command.val();
        self.number.next = self.control.number.val();
        self.operation.next = bits::<282>(0).into();
        self.operation.next.allocates = self.opcode.val() == 1;
        self.operation.next.deregisters = self.opcode.val() == 2;
        self.operation.next.queries = self.opcode.val() == 3;
        self.operation.next.index = bit_cast::<24, 32>(self.target.val());
        self.operation.next.pd = bit_cast::<24, 32>(self.key.val());
        self.operation.next.key_byte = bit_cast::<8, 32>(self.words.word2.val());
        self.operation.next.npages = bit_cast::<16, 32>(self.words.word3.val());
        self.operation.next.iova_low = self.words.word4.val();
        self.command.data.next = self.operation.val();
        self.command.valid.next = self.control.enter.val();

        self.qp_index.next = bit_cast::<QA, 32>(self.target.val());
        self.probe_qp.next = bit_cast::<8, QA>(self.qp_index.val());
        self.known.next =
            (bit_cast::<32, 24>(self.probe_identity.val().qpn) == self.target.val()) & self.target.val().any();
        self.asking.next.key_byte = self.key.val().get_bits::<8>(0);
        self.asking.next.index = self.key.val().get_bits::<24>(8);
        self.asking.next.va_low = self.words.word2.val();
        self.asking.next.va_high = self.words.word3.val();
        self.asking.next.length = self.words.word4.val();
        self.asking.next.pd = self.probe_identity.val().pd;
        self.asking.next.need = self.needs.val().get_bits::<8>(0);
        self.asking.next.remote = self.needs.val().get_bit(8);
        self.asking.next.privileged = self.probe_identity.val().privileged;
        self.asking.next.hold = false;
        self.question.next = self.asking.val();
        self.ask.next = self.control.ask.val();

        self.query.index.next = self.target.val();
        self.query.entry.next = self.kept.q.val();
        self.query.generation.next = self.kept_generation.q.val();
        self.query.in_flight.next = self.kept_in_flight.q.val();
        self.query.number.next = self.number.val();
        self.reply.next = self.heard.q.val();
        self.address.next = self.reply.val().address;
        self.admin.answer.next = self.query.word.val();
        if self.opcode.val() == 4 {
            if self.number.val() == 0 {
                self.admin.answer.next = bit_cast::<32, 8>(self.reply.val().syndrome);
            } else if self.number.val() == 1 {
                self.admin.answer.next = bit_cast::<32, 13>(self.reply.val().bytes);
            } else if self.number.val() == 2 {
                self.admin.answer.next = self.address.val().get_bits::<32>(0);
            } else {
                self.admin.answer.next = bit_cast::<32, 20>(self.address.val().get_bits::<20>(32));
            }
        }
        self.admin.answer_index.next = self.number.val();
        self.admin.answer_valid.next = self.control.answering.val();
        self.admin.done.next = self.control.done.val();
        self.admin.errno.next = self.control.errno.val();

        self.control.reset.next = self.reset.val();
        self.control.start.next = self.admin.start.val();
        self.control.opcode.next = self.admin.opcode.val();
        self.control.alloc_bad.next = self.words.alloc_bad.val();
        self.control.alloc_gaps.next = self.words.alloc_gaps.val();
        self.control.index_bad.next = self.words.index_bad.val();
        self.control.probe_bad.next = self.words.probe_bad.val();
        self.control.taken.next = self.command.ready.val();
        self.control.ended.next = self.ended.val();
        self.control.refused.next = self.refused.val();
        self.control.timed_out.next = self.timed_out.val();
        self.control.known.next = self.known.val();
        self.control.asked.next = self.asked.val();
        self.control.answered.next = self.answered.val();
        if self.control.keep_row.val() {
            self.kept.d.next = self.entry.val();
            self.kept_generation.d.next = self.generation.val();
            self.kept_in_flight.d.next = self.in_flight.val();
        }
        if self.control.keep_answer.val() {
            self.heard.d.next = self.answer.val();
        }
    }
}
