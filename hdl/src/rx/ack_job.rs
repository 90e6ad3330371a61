//! Job of the placer for a response frame: its payload at its place in the sink, or nothing but the release of the frame.
//! Combinational.
//!
//! The sink's local keys need LW (T39). The result of an atomic goes along as a number, because its bytes stand the other
//! way round in the frame.
use super::ack_records::{AckStep, AckTask, AnswerKind, ReadSink, ReadTag, RequesterContext};
use crate::wire::{PlaceJob, Span};
use rnic_abi::access;
use rust_hdl::prelude::*;

/// Makes job and span.
#[derive(LogicBlock)]
pub struct AckJob {
    /// The frame.
    pub work: Signal<In, AckTask>,
    /// What it is.
    pub kind: Signal<In, AnswerKind>,
    /// What is done with it.
    pub step: Signal<In, AckStep>,
    /// Context of the queue pair.
    pub attributes: Signal<In, RequesterContext>,
    /// SGEs.
    pub sink: Signal<In, ReadSink>,
    /// The oldest READ is to invalidate its sink.
    pub invalidates: Signal<In, Bit>,
    /// Bytes of the message before the payload.
    pub skip: Signal<In, Bits<32>>,
    /// The job.
    pub job: Signal<Out, PlaceJob>,
    /// Its span.
    pub span: Signal<Out, Span>,
    from: Signal<Local, AckTask>,
    does: Signal<Local, AckStep>,
    is: Signal<Local, AnswerKind>,
    list: Signal<Local, ReadSink>,
    of: Signal<Local, RequesterContext>,
    tag: Signal<Local, ReadTag>,
    local_write: Constant<Bits<8>>,
    atomic_bytes: Constant<Bits<13>>,
}

impl Default for AckJob {
    fn default() -> Self {
        Self {
            work: Default::default(),
            kind: Default::default(),
            step: Default::default(),
            attributes: Default::default(),
            sink: Default::default(),
            invalidates: Default::default(),
            skip: Default::default(),
            job: Default::default(),
            span: Default::default(),
            from: Default::default(),
            does: Default::default(),
            is: Default::default(),
            list: Default::default(),
            of: Default::default(),
            tag: Default::default(),
            local_write: Constant::new((access::LW as usize).to_bits()),
            atomic_bytes: Constant::new(bits(8)),
        }
    }
}

impl Logic for AckJob {
    #[hdl_gen]
    fn update(&mut self) {
        self.from.next = self.work.val();
        self.does.next = self.step.val();
        self.is.next = self.kind.val();
        self.list.next = self.sink.val();
        self.of.next = self.attributes.val();
        self.tag.next = bits::<32>(0).into();
        self.tag.next.psn = self.from.val().psn;
        self.tag.next.counts = self.does.val().taken;
        self.tag.next.ends = self.does.val().ends;
        self.tag.next.invalidates = self.does.val().ends & self.invalidates.val();
        self.job.next = bits::<162>(0).into();
        self.job.next.qp = self.from.val().qp;
        self.job.next.response = true;
        self.job.next.first_row = self.from.val().first_row;
        self.job.next.payload_at = self.from.val().payload_at;
        self.job.next.tag = self.tag.val().into();
        self.job.next.inline = self.does.val().taken & self.is.val().atomic;
        self.job.next.value = self.from.val().value;
        self.span.next = bits::<624>(0).into();
        self.span.next.address0 = self.list.val().address0;
        self.span.next.length0 = self.list.val().length0;
        self.span.next.key0 = self.list.val().key0;
        self.span.next.address1 = self.list.val().address1;
        self.span.next.length1 = self.list.val().length1;
        self.span.next.key1 = self.list.val().key1;
        self.span.next.address2 = self.list.val().address2;
        self.span.next.length2 = self.list.val().length2;
        self.span.next.key2 = self.list.val().key2;
        self.span.next.address3 = self.list.val().address3;
        self.span.next.length3 = self.list.val().length3;
        self.span.next.key3 = self.list.val().key3;
        self.span.next.skip = self.skip.val();
        if self.does.val().taken {
            self.span.next.bytes = self.from.val().payload;
            if self.is.val().atomic {
                self.span.next.bytes = self.atomic_bytes.val();
            }
        }
        self.span.next.pd = self.of.val().pd;
        self.span.next.need = self.local_write.val();
        self.span.next.privileged = self.of.val().privileged;
    }
}
