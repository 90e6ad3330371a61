//! One admin unit made of three: commands go to all, the one that owns the opcode answers. Combinational.
use crate::types::{AdminManager, AdminUnit};
use rust_hdl::prelude::*;

/// Fan-out of commands, OR of answers.
#[derive(LogicBlock, Default)]
pub struct AdminFan {
    /// The mailbox.
    pub unit: AdminUnit,
    /// Memory regions.
    pub mr: AdminManager,
    /// Completion queues.
    pub cq: AdminManager,
    /// Queue pairs.
    pub qp: AdminManager,
}

impl Logic for AdminFan {
    #[hdl_gen]
    fn update(&mut self) {
        self.mr.word_valid.next = self.unit.word_valid.val();
        self.mr.word_index.next = self.unit.word_index.val();
        self.mr.word.next = self.unit.word.val();
        self.mr.start.next = self.unit.start.val();
        self.mr.opcode.next = self.unit.opcode.val();
        self.cq.word_valid.next = self.unit.word_valid.val();
        self.cq.word_index.next = self.unit.word_index.val();
        self.cq.word.next = self.unit.word.val();
        self.cq.start.next = self.unit.start.val();
        self.cq.opcode.next = self.unit.opcode.val();
        self.qp.word_valid.next = self.unit.word_valid.val();
        self.qp.word_index.next = self.unit.word_index.val();
        self.qp.word.next = self.unit.word.val();
        self.qp.start.next = self.unit.start.val();
        self.qp.opcode.next = self.unit.opcode.val();
        self.unit.done.next = self.mr.done.val() | self.cq.done.val() | self.qp.done.val();
        self.unit.answer_valid.next =
            self.mr.answer_valid.val() | self.cq.answer_valid.val() | self.qp.answer_valid.val();
        // Units hold their data while silent, so that the one that speaks is chosen, not ORed.
        self.unit.errno.next = self.qp.errno.val();
        if self.mr.done.val() {
            self.unit.errno.next = self.mr.errno.val();
        } else if self.cq.done.val() {
            self.unit.errno.next = self.cq.errno.val();
        }
        self.unit.answer_index.next = self.qp.answer_index.val();
        self.unit.answer.next = self.qp.answer.val();
        if self.mr.answer_valid.val() {
            self.unit.answer_index.next = self.mr.answer_index.val();
            self.unit.answer.next = self.mr.answer.val();
        } else if self.cq.answer_valid.val() {
            self.unit.answer_index.next = self.cq.answer_index.val();
            self.unit.answer.next = self.cq.answer.val();
        }
    }
}
