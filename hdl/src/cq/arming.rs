//! When a completion queue fires: the interrupt rules of `interfaces.md` section 7. Combinational.
//!
//! A queue fires once after arm: at once if a visible CQE is not consumed, else after the B of its next CQE (solicited
//! arm: of the next with flag b2 or an error). Firing disarms. Arming twice adds up; a doorbell without arm bits leaves
//! the arming as it is. A CQE that software consumed before its B fires nothing, nor does one that could not be written.
use rust_hdl::prelude::*;

/// Judges one doorbell or one CQE that has its B.
#[derive(LogicBlock, Default)]
pub struct CqArming {
    /// A doorbell; else a CQE.
    pub rings: Signal<In, Bit>,
    /// The doorbell arms for any CQE.
    pub wants: Signal<In, Bit>,
    /// The doorbell arms for solicited CQEs.
    pub wants_solicited: Signal<In, Bit>,
    /// The CQE has flag b2 or is an error.
    pub solicited: Signal<In, Bit>,
    /// The CQE could not be written.
    pub write_failed: Signal<In, Bit>,
    /// Some visible CQE is not consumed, with this change.
    pub unread: Signal<In, Bit>,
    /// Armed for any CQE so far.
    pub armed: Signal<In, Bit>,
    /// Armed for solicited CQEs so far.
    pub armed_solicited: Signal<In, Bit>,
    /// The queue fires.
    pub fires: Signal<Out, Bit>,
    /// Armed for any CQE from now on.
    pub arm: Signal<Out, Bit>,
    /// Armed for solicited CQEs from now on.
    pub arm_solicited: Signal<Out, Bit>,
    hits: Signal<Local, Bit>,
}

impl Logic for CqArming {
    #[hdl_gen]
    fn update(&mut self) {
        self.arm.next = self.armed.val();
        self.arm_solicited.next = self.armed_solicited.val();
        self.hits.next = self.unread.val()
            & !self.write_failed.val()
            & (self.armed.val() | (self.armed_solicited.val() & self.solicited.val()));
        if self.rings.val() {
            self.arm.next = self.armed.val() | self.wants.val();
            self.arm_solicited.next = self.armed_solicited.val() | self.wants_solicited.val();
            self.hits.next = self.unread.val() & (self.wants.val() | self.wants_solicited.val());
        }
        if self.hits.val() {
            self.arm.next = false;
            self.arm_solicited.next = false;
        }
        self.fires.next = self.hits.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (fires, arm, arm_solicited) for a change.
    fn judge(rings: bool, armed: [bool; 2], wants: [bool; 2], solicited: bool, unread: bool) -> (bool, bool, bool) {
        let mut uut = CqArming::default();
        uut.connect_all();
        uut.rings.next = rings;
        [uut.armed.next, uut.armed_solicited.next] = armed;
        [uut.wants.next, uut.wants_solicited.next] = wants;
        uut.solicited.next = solicited;
        uut.unread.next = unread;
        assert!(simulate(&mut uut, 10));
        (uut.fires.val(), uut.arm.val(), uut.arm_solicited.val())
    }

    #[test]
    fn the_interrupt_rules_for_every_state() {
        for bits in 0..64u32 {
            let bit = |i: u32| bits >> i & 1 == 1;
            let (armed, wants, solicited, unread) = ([bit(0), bit(1)], [bit(2), bit(3)], bit(4), bit(5));
            let fires = unread && (wants[0] || wants[1]);
            let left = [0, 1].map(|i| (armed[i] || wants[i]) && !fires);
            assert_eq!(judge(true, armed, wants, solicited, unread), (fires, left[0], left[1]));
            let fires = unread && (armed[0] || armed[1] && solicited);
            let left = [0, 1].map(|i| armed[i] && !fires);
            assert_eq!(judge(false, armed, wants, solicited, unread), (fires, left[0], left[1]));
        }
    }

    #[test]
    fn a_cqe_that_could_not_be_written_fires_nothing() {
        let mut uut = CqArming::default();
        uut.connect_all();
        uut.armed.next = true;
        uut.unread.next = true;
        uut.write_failed.next = true;
        assert!(simulate(&mut uut, 10));
        assert!(!uut.fires.val() && uut.arm.val());
    }
}
