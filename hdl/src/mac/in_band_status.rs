//! What the PHY says of its link between frames (MC7): shown, never relied on.
use rust_hdl::prelude::*;

/// Status of the last period in which neither RX_DV nor RX_ER was set, one cycle late.
#[derive(LogicBlock, Default)]
pub struct InBandStatus {
    /// Receive clock of the PHY.
    pub clock: Signal<In, Clock>,
    /// GMII.
    pub gmii_rxd: Signal<In, Bits<8>>,
    /// GMII.
    pub gmii_rx_dv: Signal<In, Bit>,
    /// GMII.
    pub gmii_rx_er: Signal<In, Bit>,
    /// The PHY has a link.
    pub link: Signal<Out, Bit>,
    /// Its speed: 0, 1, 2 for 10, 100, 1000 Mb/s.
    pub speed: Signal<Out, Bits<2>>,
    /// Full duplex.
    pub duplex: Signal<Out, Bit>,
    shown: DFF<Bits<8>>,
}

impl Logic for InBandStatus {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, shown);
        if !(self.gmii_rx_dv.val() | self.gmii_rx_er.val()) {
            self.shown.d.next = self.gmii_rxd.val();
        }
        self.link.next = self.shown.q.val().get_bit(0);
        self.speed.next = self.shown.q.val().get_bits::<2>(1);
        self.duplex.next = self.shown.q.val().get_bit(3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    #[test]
    fn mc7_status_is_what_was_between_frames() {
        let mut uut = InBandStatus::default();
        uut.connect_all();
        let shown = [
            (0xDD, false, false, (true, 2, true)),
            (0x55, true, false, (true, 2, true)),
            (0x0E, false, true, (true, 2, true)),
            (0x33, false, false, (true, 1, false)),
            (0x00, false, false, (false, 0, false)),
        ];
        for (data, valid, error, status) in shown {
            uut.gmii_rxd.next = u64::from(data as u8).into();
            uut.gmii_rx_dv.next = valid;
            uut.gmii_rx_er.next = error;
            tick(&mut uut, |u| &mut u.clock);
            assert_eq!((uut.link.val(), uut.speed.val().to_u64(), uut.duplex.val()), status, "{data:02x}");
        }
    }
}
